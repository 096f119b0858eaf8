"""Linear scores of labels at positions, and their gradients: attributes by name (sparse) or columns of arrays."""

import numpy as np
from scipy.sparse import csr_array

from treatise._core.threads import over_ranges
from treatise.sequence.crf import _loops as loops


class SparseEmissions:
    """A weight for each pair of attribute and label that occurs often enough.

    Parameters
    ----------
    rows : csr_array of shape (T, A)
        Attributes of the positions.
    occurring : csr_array of shape (A, K)
        Whose stored entries are the pairs with a weight.
    """

    def __init__(self, rows, occurring):
        self.rows, self.columns = rows, rows.tocsc()
        self.start, self.label = occurring.indptr, occurring.indices
        self.shape = occurring.shape
        self.n_weights = len(self.label)
        # Products of a non-zero with the weights of its attribute.
        self._cost = 1.5 * float(np.dot(np.diff(self.columns.indptr), np.diff(self.start)))

    def scores(self, weights):
        """Scores of shape (T, K)."""
        rows, found = self.rows, np.empty((self.rows.shape[0], self.shape[1]))
        over_ranges(
            lambda first, last: loops.state_scores(
                first, last, rows.indptr, rows.indices, rows.data, self.start, self.label, weights, found
            ),
            len(found),
            cost=self._cost,
        )
        return found

    def expectations(self, nodes):
        """Sum over positions of attribute times probability of the label, for each weight."""
        columns, found = self.columns, np.empty(self.n_weights)
        over_ranges(
            lambda first, last: loops.state_expectations(
                first, last, columns.indptr, columns.indices, columns.data, self.start, self.label, nodes, found
            ),
            self.shape[0],
            cost=self._cost,
        )
        return found

    def curvature(self):
        """Of each weight: the sum of the squares of its attribute, over the root of how often it occurs."""
        sums = np.bincount(self.rows.indices, self.rows.data**2, minlength=self.shape[0])
        often = np.diff(self.columns.indptr)
        return np.repeat(sums / np.sqrt(np.maximum(often, 1)), np.diff(self.start))

    def table(self, weights):
        """Weights as a matrix of attributes by labels."""
        return csr_array((weights, self.label, self.start), shape=self.shape)


class DenseEmissions:
    """A weight for every column and label.

    Parameters
    ----------
    rows : ndarray of shape (T, d)
        Columns of the positions.
    n_labels : int
        Number of labels.
    """

    def __init__(self, rows, n_labels):
        self.rows, self.shape = rows, (rows.shape[1], n_labels)
        self.n_weights = rows.shape[1] * n_labels

    def scores(self, weights):
        """Scores of shape (T, K)."""
        return self.rows @ weights.reshape(self.shape)

    def expectations(self, nodes):
        """Sum over positions of column times probability of the label, for each weight."""
        return (self.rows.T @ nodes).ravel()

    def curvature(self):
        """Of each weight: the sum of the squares of its column, over the root of how often it is not zero."""
        often = np.count_nonzero(self.rows, axis=0)
        return np.repeat((self.rows**2).sum(axis=0) / np.sqrt(np.maximum(often, 1)), self.shape[1])

    def table(self, weights):
        """Weights as a matrix of columns by labels."""
        return weights.reshape(self.shape).copy()


def emissions_of(rows, codes, n_labels, *, everywhere, min_count):
    """The emissions that a training set calls for.

    Parameters
    ----------
    rows : csr_array or ndarray
        Attributes of the positions.
    codes : ndarray of shape (T,)
        Labels of the positions.
    n_labels : int
        Number of labels.
    everywhere : bool
        Whether each attribute has a weight for each label, and not only for those it occurs with.
    min_count : int
        Attributes that occur less often have no weight.
    """
    if isinstance(rows, np.ndarray):
        return DenseEmissions(rows, n_labels)
    attributes = rows.shape[1]
    frequent = np.bincount(rows.indices, minlength=attributes) >= min_count
    if everywhere:
        pairs = (np.flatnonzero(frequent)[:, None] * n_labels + np.arange(n_labels)).ravel()
    else:
        keys = rows.indices.astype(np.int64) * n_labels + np.repeat(codes, np.diff(rows.indptr))
        pairs = np.flatnonzero(np.bincount(keys, minlength=attributes * n_labels))
        pairs = pairs[frequent[pairs // n_labels]]
    start = np.zeros(attributes + 1, np.int64)
    np.cumsum(np.bincount(pairs // n_labels, minlength=attributes), out=start[1:])
    occurring = csr_array(
        (np.ones(len(pairs)), (pairs % n_labels).astype(np.int32), start), shape=(attributes, n_labels)
    )
    return SparseEmissions(rows, occurring)
