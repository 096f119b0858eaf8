"""Linear subspaces: how far two of them are apart, and what is left beside one."""

import numpy as np
from scipy.linalg import qr
from sklearn.utils import check_array


def subspace_distance(A, B):
    """Frobenius norm of the difference of the projections on two subspaces: 0 for the same one.

    For two subspaces of d dimensions it is ``sqrt(2)`` times the norm of the sines of their angles, ``sqrt(2 d)`` at
    most. It is exact down to rounding errors, where the difference of two projections would lose half the digits.

    Parameters
    ----------
    A, B : array-like of shapes (n_components_a, n_features) and (n_components_b, n_features)
        Rows that span each subspace, as ``components_`` of a decomposition; they must be independent.

    Returns
    -------
    float

    Examples
    --------
    >>> from treatise.statistics import subspace_distance
    >>> subspace_distance([[1.0, 0.0, 0.0]], [[2.0, 0.0, 0.0]])
    0.0
    >>> round(subspace_distance([[1.0, 0.0]], [[1.0, 1.0]]), 6)
    1.0

    References
    ----------
    .. [1] Paper v15-0749, Section 6.1: the recovery error.
    """
    first, second = (_frame(matrix, name) for matrix, name in ((A, "A"), (B, "B")))
    if first.shape[0] != second.shape[0]:
        raise ValueError(f"A has {first.shape[0]} columns and B {second.shape[0]}; give subspaces of one space")
    # |P - R|^2 = |(1 - P) R|^2 + |(1 - R) P|^2, each term free of cancellation.
    beyond = second - first @ (first.T @ second), first - second @ (second.T @ first)
    return float(np.sqrt(sum(np.sum(part**2) for part in beyond)))


def complement(frame: np.ndarray) -> np.ndarray:
    """Orthonormal columns that complete those of a frame to a basis of the space."""
    return qr(frame)[0][:, frame.shape[1] :]


def _frame(matrix, name: str) -> np.ndarray:
    """Orthonormal columns with the span of the rows."""
    rows = check_array(matrix, dtype=np.float64)
    if len(rows) > rows.shape[1]:
        raise ValueError(f"{name} has {len(rows)} rows in {rows.shape[1]} dimensions; they must be independent")
    frame, triangle = qr(rows.T, mode="economic")
    size = np.abs(np.diag(triangle))
    if size.min() <= 1e-12 * np.linalg.norm(rows, axis=1).max():
        raise ValueError(f"the {len(rows)} rows of {name} are not independent; give a basis of the subspace")
    return frame
