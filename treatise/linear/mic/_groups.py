"""Groups of features, and the code that names a feature by its group (Dhillon et al., JMLR 12:525, Section 4.2.1)."""

from dataclasses import dataclass
from numbers import Integral

import numpy as np


def group_numbers(groups, n_features):
    """Group of each feature, 0..K-1, from labels of the features or lists of their numbers; None is one group."""
    if groups is None:
        return np.zeros(n_features, dtype=np.intp)
    if len(groups) and all(np.ndim(group) == 1 for group in groups):
        return _from_lists([np.asarray(group) for group in groups], n_features)
    labels = np.asarray(groups)
    if labels.shape != (n_features,):
        raise ValueError(
            f"groups has the shape {labels.shape} and X {n_features} features; give one label for each feature, or "
            "a list of the numbers of its features for each group"
        )
    return np.unique(labels, return_inverse=True)[1].astype(np.intp)


def _from_lists(groups, n_features):
    numbers = np.full(n_features, -1, dtype=np.intp)
    for g, features in enumerate(groups):
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


@dataclass(frozen=True)
class GroupCode:
    """Bits that name a feature: its group, which is cheaper once the group is in the model, then its place in it.

    ``new`` are the bits of each group that is not in the model, ``within`` those of each feature and its coefficient.
    With ``shorter_of_both`` a group in the model may be named as if it were new.
    """

    numbers: np.ndarray
    new: np.ndarray
    within: np.ndarray
    shorter_of_both: bool = False

    def prices(self, entered):
        """Bits of every feature, were it next after those that entered: Equation 9, with 1 + lg Q for a known group."""
        known = np.unique(self.numbers[np.asarray(entered, dtype=np.intp)])
        of_group = self.new.copy()
        if len(known):
            switch = 1.0 + np.log2(len(known))
            of_group[known] = np.minimum(switch, self.new[known]) if self.shorter_of_both else switch
        return of_group[self.numbers] + self.within

    def total(self, features):
        """Bits of features sent in an order."""
        bits, known = 0.0, set()
        for feature in features:
            group = int(self.numbers[feature])
            of_group = float(self.new[group])
            if group in known:
                switch = 1.0 + np.log2(len(known))
                of_group = min(switch, of_group) if self.shorter_of_both else switch
            bits += of_group + float(self.within[feature])
            known.add(group)
        return bits
