"""Products of data with factors, and the error of a factorisation, without filling in sparse data.

X is dense or sparse, samples by features; factors have one row per component: ``H`` (the codes) one column per
sample, ``B`` (the components) one column per feature.
"""

import numpy as np
from scipy import sparse
from sklearn.utils import gen_batches


def squared_error(energy, H, gram_of_codes, gram, cross):
    """``|V - W H|**2`` from Gram matrices; below 1e-16 of ``|V|**2`` it is rounding."""
    return max(energy - 2.0 * np.vdot(cross, H) + np.vdot(gram, gram_of_codes), 0.0)


def error_norm(X, H, B):
    """Norm of ``X - H.T @ B``: in blocks of rows without cancellation; for sparse X, which must not be filled in,
    from Gram matrices."""
    if sparse.issparse(X):
        return np.sqrt(squared_error(squared_norm(X), H, H @ H.T, B @ B.T, data_by(B, X)))
    rows = max(1, 2**20 // X.shape[1])
    return np.sqrt(sum(squared_norm(X[block] - H[:, block].T @ B) for block in gen_batches(len(X), rows)))


def squared_norm(X):
    values = X.data if sparse.issparse(X) else X.ravel(order="K")
    return float(np.dot(values, values))


def data_by(B, X):
    """``B @ X.T``, C-ordered, for dense and sparse X."""
    return np.ascontiguousarray((X @ B.T).T) if sparse.issparse(X) else B @ X.T


def row_of(X, i):
    """Row i, dense."""
    return X[[i]].toarray().ravel() if sparse.issparse(X) else X[i]


def squared_lengths(X):
    """Squared length of each row."""
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=float).ravel()
    return np.einsum("ij,ij->i", X, X)
