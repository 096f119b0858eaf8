"""The most likely Gaussian with a given graph."""

import numpy as np
from scipy.sparse import csr_array

from treatise._core.jit import compiled


def covariance_selection(S, adjacency, *, start=None, tol=1e-6, max_iter=200):
    """Covariance of the most likely Gaussian whose precision is zero off the edges of a graph (Dempster 1972).

    It keeps the variances and the covariances along the edges, and lets the precision vanish elsewhere. Use it to judge
    a graph by its likelihood without the shrinkage of the penalty that found it. A pass over the columns costs the sum
    of d^3 + p d over columns with d neighbours.

    Parameters
    ----------
    S : ndarray of shape (p, p)
        Covariance of the rows, with positive diagonal.
    adjacency : ndarray of bool of shape (p, p)
        The graph; the diagonal is ignored.
    start : ndarray of shape (p, p) or None, default=None
        A positive definite covariance with the diagonal of S to start from, needed where S is singular; None takes S.
    tol : float, default=1e-6
        Change of an entry, relative to the largest variance, at which to stop.
    max_iter : int, default=200
        Passes at most.

    Returns
    -------
    covariance : ndarray of shape (p, p) or None
        None where no such Gaussian was found: a column is explained by its neighbours without error, or ``max_iter``
        passes were not enough.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import covariance_selection
    >>> S = np.array([[1.0, 0.5, 0.4], [0.5, 1.0, 0.5], [0.4, 0.5, 1.0]])
    >>> chain = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=bool)
    >>> covariance_selection(S, chain)[0, 2].round(6)
    np.float64(0.25)
    """
    S = np.ascontiguousarray(S, dtype=np.float64)
    W = S.copy() if start is None else np.array(start, dtype=np.float64)
    np.fill_diagonal(W, np.diag(S))
    graph = np.array(adjacency, dtype=bool)
    np.fill_diagonal(graph, False)
    neighbours = csr_array(graph)
    limit = tol * np.diag(S).max(initial=0.0)
    for _ in range(max_iter):
        try:
            change = sweep(S, W, neighbours.indptr, neighbours.indices)
        except np.linalg.LinAlgError:
            return None
        if change < 0:
            return None
        if change <= limit:
            return W
    return None


@compiled
def sweep(S, W, indptr, indices):
    """One pass over the columns (Hastie, Tibshirani and Friedman 2009, algorithm 17.1), in place.

    Each column of W gets the values that its neighbours imply. Gives the largest change, negative where a column has
    no variance left beside its neighbours: then no such Gaussian exists near W.
    """
    p = len(S)
    change = 0.0
    for j in range(p):
        neighbours = indices[indptr[j] : indptr[j + 1]]
        d = len(neighbours)
        A, b = np.empty((d, d)), np.empty(d)
        for k in range(d):
            b[k] = S[neighbours[k], j]
            for other in range(d):
                A[k, other] = W[neighbours[k], neighbours[other]]
        beta = np.linalg.solve(A, b)
        left = S[j, j]
        for k in range(d):
            left -= beta[k] * b[k]
        if not left > 1e-12 * S[j, j]:
            return -1.0
        for i in range(p):
            if i == j:
                continue
            value = 0.0
            for k in range(d):
                value += W[i, neighbours[k]] * beta[k]
            change = max(change, abs(value - W[i, j]))
            W[i, j] = value
            W[j, i] = value
    return change
