"""Min-wise hashes of columns: how often features occur together, from a few hundred numbers for each."""

import numpy as np
from sklearn.utils import check_array, check_random_state

from treatise._core.invariants import within
from treatise._core.jit import compiled


class MinHashPrevalence:
    """Estimates in how many rows a set of yes/no features occurs together, without going through the rows.

    Under a random order of the rows a feature's hash is the place of the first row that has it. The features of a set
    share their hash as often as rows that have any of them have all, and the least of their hashes tells how many rows
    have any. Both are averaged over several orders.

    Use it to ask for many sets on a table of very many rows, where each asking would go through them all. Do not use it
    for prevalences below about one in the number of hashes. An estimate of L hashes has the variance of L sampled rows,
    times the share of rows that have any of the features.

    Costs L operations for each stored one, and L for each feature of a set; memory L p numbers.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        A row has a feature where its value is not zero.
    n_hashes : int, default=200
        Random orders (the paper's L).
    random_state : int, RandomState instance or None, default=None
        Source of the orders.

    Attributes
    ----------
    hashes : ndarray of int32, of shape (n_features, n_hashes)
        Place, from one, of the first row that has the feature; ``n_rows + 1`` where none has.
    n_rows : int
        Rows of X.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import MinHashPrevalence
    >>> X = np.random.default_rng(0).random((5000, 3)) < 0.5
    >>> hashes = MinHashPrevalence(X, 500, random_state=0)
    >>> bool(abs(hashes.estimate([0, 1]) - (X[:, 0] & X[:, 1]).mean()) < 0.06)
    True

    References
    ----------
    .. [1] Paper v15-0629, Section 4, Equations (5) to (8), and Theorem 4.
    """

    def __init__(self, X, n_hashes=200, *, random_state=None):
        if n_hashes < 1:
            raise ValueError(f"n_hashes={n_hashes}; there must be one at least")
        X = check_array(X, accept_sparse="csc", dtype="numeric")
        rows, indptr = rows_of_columns(X)
        self.n_rows = X.shape[0]
        ranks = random_ranks(n_hashes, self.n_rows, random_state)
        self.hashes = np.full((X.shape[1], n_hashes), self.n_rows + 1, dtype=np.int32)
        hash_columns(rows, indptr, np.arange(X.shape[1]), ranks, self.hashes)

    def estimate(self, features):
        """Share of the rows that have all of some features.

        Parameters
        ----------
        features : sequence of int
            Numbers of the features; of none at all every row has all.

        Returns
        -------
        share : float
        """
        features = np.asarray(features, dtype=np.int64).ravel()
        if not within(features, 0, len(self.hashes)):
            raise ValueError(f"features={features.tolist()} are to be numbers from 0 to {len(self.hashes) - 1}")
        return float(estimate_prevalence(self.hashes, features, len(features), self.n_rows))


def random_ranks(n_hashes, n_rows, random_state):
    """Place of every row, from one, in each of several random orders: one order a column."""
    rng = check_random_state(random_state)
    return np.stack([rng.permutation(n_rows).astype(np.int32) + 1 for _ in range(n_hashes)], axis=1)


def rows_of_columns(X):
    """Rows that have each column, where its value is not zero, and where each column's begin."""
    if not hasattr(X, "tocsc"):
        columns, rows = np.nonzero(np.asarray(X).T)
        counts = np.bincount(columns, minlength=X.shape[1])
        return rows.astype(np.int32), np.concatenate(([0], np.cumsum(counts)))
    X = X.tocsc(copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    return X.indices.astype(np.int32), X.indptr.astype(np.int64)


@compiled
def hash_columns(rows, indptr, columns, ranks, out):
    """The least rank among the rows of each of the given columns, in each order."""
    for position in range(columns.shape[0]):
        for t in range(indptr[columns[position]], indptr[columns[position] + 1]):
            for k in range(ranks.shape[1]):
                out[position, k] = min(out[position, k], ranks[rows[t], k])


@compiled
def estimate_prevalence(hashes, items, size, n_rows):
    """Equation (8): pi_1, the share of orders in which all hashes agree, times pi_2 from their mean least hash."""
    if size == 0:
        return 1.0
    n_hashes = hashes.shape[1]
    agreed, total = 0, 0
    for k in range(n_hashes):
        least = hashes[items[0], k]
        alike = least <= n_rows
        for j in range(1, size):
            other = hashes[items[j], k]
            alike = alike and other == least
            least = min(least, other)
        agreed += alike
        total += least
    any_of_them = (n_rows + 1) / n_rows * (n_hashes / total - 1.0 / (n_rows + 1))
    return agreed / n_hashes * any_of_them
