"""Consistency-based selection by forward search (after FOCUS), a baseline of Yu & Liu, JMLR 5:1205."""

import numpy as np

from treatise._core.jit import compiled
from treatise.selection._base import DiscreteSelector
from treatise.statistics._counts import DiscreteVariable, joint_variable

_VALUES_AT_ONCE = 1 << 22


class ConsistencyForward(DiscreteSelector):
    """Grow a small set of features that separates the classes as well as all features together.

    Rows that agree on the selected features form a pattern; the rows outside the majority class of their
    pattern are inconsistent. The feature that leaves the fewest is added, until no more are left than with
    all features.

    Use it to find a short list that explains the training labels, on data without noise. On noisy labels,
    or few rows, a handful of features separates the training rows by chance and predicts poorly.

    Costs one count of the rows that are still inconsistent for each feature and each step; memory is that
    of the coded data.

    Parameters
    ----------
    discretizer : "mdl", transformer or None, default="mdl"
        What to do with numeric features of more than two values; see :class:`FCBF`.

    Attributes
    ----------
    selected_ : ndarray of int
        Features kept, in the order in which they were added.
    support_ : ndarray of bool, of shape (n_features,)
        The same as a mask.
    inconsistencies_ : ndarray of int
        Inconsistent rows after each addition.
    full_inconsistency_ : int
        Inconsistent rows with all features.
    classes_ : ndarray
        The classes seen.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treatise.selection import ConsistencyForward
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = ConsistencyForward().fit(X, y)
    >>> selector.selected_.tolist(), selector.inconsistencies_.tolist()
    ([3, 2], [6, 4])

    References
    ----------
    .. [1] H. Almuallim and T. G. Dietterich, "Learning Boolean concepts in the presence of many irrelevant
       features", Artificial Intelligence 69, 1994.
    .. [2] Paper v05-1205, Section 5.1: FOCUS-SF.
    """

    def __init__(self, *, discretizer="mdl"):
        self.discretizer = discretizer

    def _select(self, table, target):
        nothing = DiscreteVariable(np.zeros(table.n_samples), 1)
        self.full_inconsistency_ = self._full_inconsistency(table, target, nothing)
        patterns, selected, inconsistencies = nothing, [], []
        remaining = np.arange(table.n_columns)
        inconsistent = _inconsistency(patterns, target)
        while inconsistent > self.full_inconsistency_:
            after = self._after_each(table, remaining, patterns, target)
            best = int(np.argmin(after))
            feature, inconsistent = remaining[best], int(after[best])
            patterns = joint_variable(patterns, table.variable(feature))
            remaining = np.delete(remaining, best)
            selected.append(feature)
            inconsistencies.append(inconsistent)
        self.inconsistencies_ = np.array(inconsistencies, dtype=np.int64)
        return selected

    def _full_inconsistency(self, table, target, patterns):
        inconsistent = _inconsistency(patterns, target)
        for column in range(table.n_columns):
            if inconsistent == 0:
                break
            finer = joint_variable(patterns, table.variable(column))
            if finer.n_values > patterns.n_values:
                patterns, inconsistent = finer, _inconsistency(finer, target)
        return inconsistent

    def _after_each(self, table, columns, patterns, target):
        """Inconsistent rows once each of the columns is added."""
        # Rows of a pattern with one class are consistent whatever is added.
        impure = np.count_nonzero(_class_counts(patterns, target), axis=1) > 1
        rows = patterns.sorted_rows[0][np.repeat(impure, patterns.counts)]
        starts = np.concatenate(([0], np.cumsum(patterns.counts[impure])))
        after = np.empty(len(columns), dtype=np.int64)
        width = max(1, _VALUES_AT_ONCE // table.n_samples)
        for begin in range(0, len(columns), width):
            codes = np.ascontiguousarray(table.codes(columns[begin : begin + width])[:, rows])
            split_inconsistencies(
                codes, target.codes[rows], target.n_values, starts, int(codes.max()) + 1, after[begin : begin + width]
            )  # fmt: skip
        return after

    def _why_none(self):
        return "all features together separate the classes no better than none"


def _class_counts(patterns, target):
    """Rows of each class with each pattern."""
    counts = np.zeros((patterns.n_values, target.n_values), dtype=np.int64)
    np.add.at(counts, (patterns.codes, target.codes), 1)
    return counts


def _inconsistency(patterns, target):
    """Rows outside the majority class of their pattern."""
    counts = _class_counts(patterns, target)
    return int(counts.sum() - counts.max(axis=1).sum())


@compiled
def split_inconsistencies(codes, labels, n_classes, pattern_starts, n_values, out):
    """Rows outside the majority class of their pattern, once a candidate (row of ``codes``) splits the patterns.

    Rows are sorted by pattern; pattern q has the rows ``pattern_starts[q]:pattern_starts[q + 1]``.
    """
    counts = np.zeros((n_values, n_classes), dtype=np.int64)
    for i in range(codes.shape[0]):
        inconsistent = np.int64(0)
        for q in range(pattern_starts.shape[0] - 1):
            for t in range(pattern_starts[q], pattern_starts[q + 1]):
                counts[codes[i, t], labels[t]] += 1
            for t in range(pattern_starts[q], pattern_starts[q + 1]):
                total, majority = np.int64(0), np.int64(0)
                for c in range(n_classes):
                    total += counts[codes[i, t], c]
                    majority = max(majority, counts[codes[i, t], c])
                    counts[codes[i, t], c] = 0
                inconsistent += total - majority
        out[i] = inconsistent
