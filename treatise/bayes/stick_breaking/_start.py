"""Where the ascent starts: k-means on features that are smoothed over neighbours, the largest group first."""

import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning


def first_groups(features, n_groups, seed):
    """Groups of rows by k-means, numbered by falling size; the order of the rows does not matter but for rounding."""
    if features.shape[1] == 0:
        return np.zeros(len(features), dtype=np.int64)
    order = np.lexsort(features.T[::-1])
    different = 1 + int((np.diff(features[order], axis=0) != 0).any(axis=1).sum())
    groups = np.empty(len(features), dtype=np.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = KMeans(min(n_groups, different), n_init=3, random_state=seed)
        groups[order] = model.fit_predict(features[order])
    rank = np.empty(groups.max() + 1, dtype=np.int64)
    rank[np.argsort(-np.bincount(groups), kind="stable")] = np.arange(len(rank))
    return rank[groups]
