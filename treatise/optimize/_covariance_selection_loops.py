"""Column by column regressions that fit a Gaussian to the edges of a graph."""

import numpy as np

from treatise._core.jit import compiled


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
