"""Groups of features as users tell them."""

from numbers import Integral

import numpy as np

from treatise._core.group_labels import sortable_labels


def group_numbers(groups, n_features):
    """Group of each feature, 0..K-1, from labels of the features or lists of their numbers; None is one group."""
    if groups is None:
        return np.zeros(n_features, dtype=np.intp)
    if len(groups) and all(np.ndim(group) == 1 for group in groups):
        return _from_lists([np.asarray(group) for group in groups], n_features)
    labels = sortable_labels(groups, of="feature")
    if labels.shape != (n_features,):
        raise ValueError(
            f"groups has the shape {labels.shape} and X {n_features} features; give one label for each feature, or "
            "a list of the numbers of its features for each group"
        )
    return np.unique(labels, return_inverse=True)[1].astype(np.intp)


def _from_lists(groups, n_features):
    numbers = np.full(n_features, -1, dtype=np.intp)
    for g, features in enumerate(groups):
        if not len(features):
            raise ValueError(f"group {g} has no features; leave it out")
        if not all(isinstance(i, Integral) and 0 <= i < n_features for i in features.tolist()):
            raise ValueError(
                f"group {g} is {features.tolist()}; its features must be numbers from 0 to {n_features - 1}"
            )
        taken = features[numbers[features] >= 0]
        if len(taken) or len(np.unique(features)) < len(features):
            twice = taken[0] if len(taken) else np.sort(features)[np.flatnonzero(np.diff(np.sort(features)) == 0)[0]]
            raise ValueError(f"groups overlap: feature {twice} is named twice; each feature belongs to one group")
        numbers[features] = g
    if np.any(numbers < 0):
        raise ValueError(f"feature {np.argmax(numbers < 0)} is in no group; each feature belongs to one group")
    return numbers
