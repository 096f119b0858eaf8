"""Binary examples, each different vector once, with the weight of its labels; the two measures of a sample."""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _check_sample_weight


class Sample(NamedTuple):
    """Different vectors and what they are labelled."""

    X: sparse.csr_array
    """One row for each different vector, entries 0 and 1."""
    positive: np.ndarray
    """Weight of the examples of each vector that are labelled 1."""
    negative: np.ndarray
    """Weight of those that are labelled 0."""

    @property
    def contradictory(self):
        """Whether a vector has both labels."""
        return (self.positive > 0) & (self.negative > 0)

    @property
    def sizes(self):
        """Number of ones of each vector."""
        return np.diff(self.X.indptr)

    @property
    def sparseness(self):
        """Largest number of ones of a vector."""
        return int(self.sizes.max(initial=0))

    @property
    def overlaps(self):
        """Whether two different vectors have a one in common."""
        return bool(np.bincount(self.X.indices, minlength=1).max(initial=0) > 1)


def read_sample(X, y, sample_weight=None):
    """Check examples and gather equal ones.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Zeros and ones.
    y : array-like of shape (n_samples,)
        Labels 0 and 1.
    sample_weight : array-like of shape (n_samples,) or None
        Weights, none negative.
    """
    X = sparse.csr_array(X) if sparse.issparse(X) else sparse.csr_array(np.atleast_2d(np.asarray(X, dtype=float)))
    y = np.asarray(y)
    if y.shape != (X.shape[0],) or X.shape[0] == 0:
        raise ValueError(f"y has shape {y.shape} for {X.shape[0]} examples; give one label for each, and one example")
    if not np.isin(y, [0, 1]).all():
        raise ValueError(f"labels must be 0 and 1; y holds {y[~np.isin(y, [0, 1])][0]}")
    X = X.copy()
    X.sum_duplicates()
    X.eliminate_zeros()
    if not np.all(X.data == 1):
        raise ValueError(f"examples must be zeros and ones; X holds {X.data[X.data != 1][0]:g}; binarise its columns")
    weights = _check_sample_weight(sample_weight, y, dtype=np.float64, ensure_non_negative=True)
    first, group = _equal_rows(X)
    y = y.astype(bool)
    positive = np.bincount(group, weights * y, minlength=len(first))
    negative = np.bincount(group, weights * ~y, minlength=len(first))
    kept = positive + negative > 0
    return Sample(X[first[kept]], positive[kept], negative[kept])


def _equal_rows(X):
    """The first of each group of equal rows, and the group of every row.

    Rows are told apart by a sum of random whole numbers, one for each column, and then compared exactly with the first
    of their group; in the rare case that different rows have one sum, other numbers are drawn.
    """
    rng, sizes = np.random.default_rng(0), np.diff(X.indptr)
    rows = np.repeat(np.arange(X.shape[0]), sizes)
    while True:
        sums = X.astype(np.uint64) @ rng.integers(0, 2**63, size=X.shape[1], dtype=np.uint64)
        _, first, group = np.unique(sums, return_index=True, return_inverse=True)
        twin = first[group]
        if np.array_equal(sizes, sizes[twin]):
            place = np.arange(len(X.indices)) + (X.indptr[twin] - X.indptr[:-1])[rows]
            if np.array_equal(X.indices, X.indices[place]):
                return first, group


class SampleMeasures(NamedTuple):
    """What decides how hard a sample is."""

    coincidence: int
    """Largest number of ones that two different vectors have in common."""
    sparseness: int
    """Largest number of ones of a vector."""
    n_contradictions: int
    """Vectors with both labels."""


def sample_measures(X, y):
    """Coincidence, sparseness and contradictions of a binary sample (Section 2.3 of JMLR 5:891).

    The coincidence compares all pairs of different vectors with a one in common, which may be many.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Zeros and ones.
    y : array-like of shape (n_samples,)
        Labels 0 and 1.

    Returns
    -------
    SampleMeasures

    Examples
    --------
    >>> from treatise.theory import sample_measures
    >>> sample_measures([[1, 1, 0], [0, 1, 1], [1, 1, 0]], [1, 0, 0])
    SampleMeasures(coincidence=1, sparseness=2, n_contradictions=1)
    """
    sample = read_sample(X, y)
    rows, largest = sample.X.astype(np.int64), 0
    if sample.overlaps:
        # Some thousand rows at a time: the products of all may not fit.
        for start in range(0, rows.shape[0], 4096):
            shared = sparse.coo_array(rows[start : start + 4096] @ rows.T)
            apart = shared.row + start != shared.col
            largest = max(largest, int(shared.data[apart].max(initial=0)))
    return SampleMeasures(largest, sample.sparseness, int(sample.contradictory.sum()))
