"""What a latent Gaussian model accepts as prior, linear map and constraints."""

import numpy as np
from scipy import sparse


def _finite(matrix, name):
    if sparse.issparse(matrix):
        matrix.check_format(full_check=True)  # one that comes from a file may name entries that it does not have
    values = matrix.data if sparse.issparse(matrix) else matrix
    if not np.isfinite(values).all():
        raise ValueError(f"{name} holds NaN or infinite values")


def checked_prior(precision, covariance):
    """The precision as a sparse matrix or the covariance as an array, and the size of the field."""
    if (precision is None) == (covariance is None):
        raise ValueError("give the prior's precision or its covariance, and not both")
    name = "precision" if covariance is None else "covariance"
    matrix = sparse.csr_array(precision) if covariance is None else np.asarray(covariance, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
        raise ValueError(f"{name} has shape {matrix.shape}; a prior of n numbers has one of (n, n)")
    _finite(matrix, name)
    matrix = matrix.astype(np.float64)
    gap, size = abs(matrix - matrix.T).max(), abs(matrix).max()
    if gap > 1e-8 * max(size, np.finfo(float).tiny):
        raise ValueError(f"{name} is not symmetric: two entries across the diagonal differ by {gap:.2g}")
    diagonal = matrix.diagonal()
    if not np.all(diagonal > 0):
        raise ValueError(f"{name} is not positive definite: entry {int(np.argmin(diagonal))} of its diagonal is not")
    if covariance is not None:
        matrix = 0.5 * (matrix + matrix.T)
        _check_covariance(matrix)
    return matrix, len(diagonal)


def _check_covariance(matrix):
    """Refuse a matrix with an eigenvalue below zero; rounding errors, which smooth kernels have, may pass."""
    lifted = matrix.copy()
    lifted[np.diag_indices_from(lifted)] += 1e-8 * np.diag(matrix).max()
    try:
        np.linalg.cholesky(lifted)
    except np.linalg.LinAlgError:
        least = float(np.linalg.eigvalsh(matrix)[0])
        raise ValueError(f"covariance is not positive semidefinite: its least eigenvalue is {least:.2g}") from None


def checked_linear(linear, n):
    """The map of the terms as a sparse matrix, or None."""
    if linear is None:
        return None
    if not sparse.issparse(linear):
        linear = np.asarray(linear)
        if linear.ndim == 1:
            if not np.issubdtype(linear.dtype, np.integer) or linear.size == 0:
                raise ValueError("linear as one row holds the numbers of entries of the field; these are integers")
            strangers = linear[(linear < 0) | (linear >= n)]
            if len(strangers):
                raise ValueError(f"linear names entry {strangers[0]}; the field has {n}, numbered from 0")
            ones = np.ones(len(linear))
            return sparse.csr_array((ones, (np.arange(len(linear)), linear)), shape=(len(linear), n))
    matrix = sparse.csr_array(linear).astype(np.float64)
    if matrix.shape[1] != n:
        raise ValueError(f"linear has {matrix.shape[1]} columns; the field has {n} entries")
    _finite(matrix, "linear")
    matrix.eliminate_zeros()
    return matrix


def checked_constraints(constraints, n):
    """Constraints as an array of rows and their values, or None."""
    if constraints is None:
        return None
    if len(constraints) != 2:
        raise ValueError("constraints must be a pair (A, e): the field satisfies A x = e")
    A, e = constraints
    A = np.atleast_2d(A.toarray() if sparse.issparse(A) else np.asarray(A, dtype=np.float64)).astype(np.float64)
    e = np.atleast_1d(np.asarray(e, dtype=np.float64))
    if A.shape[1] != n or e.shape != (len(A),):
        raise ValueError(f"constraints A and e have shapes {A.shape} and {e.shape}; with k of them, (k, {n}) and (k,)")
    _finite(A, "A of the constraints")
    _finite(e, "e of the constraints")
    rank = np.linalg.matrix_rank(A)
    if rank < len(A):
        raise ValueError(f"the {len(A)} constraints have rank {rank}: some follow from, or contradict, the others")
    if len(A) >= n:
        raise ValueError(f"{len(A)} constraints leave nothing of a field of {n} entries")
    return A, e
