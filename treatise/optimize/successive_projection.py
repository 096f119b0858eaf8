"""Successive projection: the row furthest from the span of those chosen, again and again (a pivoted QR that stops)."""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

_BLOCK = 2**20
"""Numbers of a block of residuals that are formed at once."""
_TRUSTED = 1e-10
"""Share of a squared length down to which differences of squares are as good as residuals."""


class SuccessiveProjection(NamedTuple):
    """Rows in the order they were chosen."""

    indices: np.ndarray
    """The rows."""
    distances: np.ndarray
    """Distance of each from the span of those before it; it never rises."""
    left: float
    """Largest distance of a row from the span of all that were chosen: zero where they span the data."""


def successive_projection(X, n_rows):
    """Choose rows greedily, each as far as can be from the span of those before.

    The order is that of the pivots of a QR decomposition of ``X.T`` with column pivoting, but only as much is computed
    as ``n_rows`` rows need: O(nnz(X)) for each. X is neither changed nor, where it is sparse, filled in.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows to choose from.
    n_rows : int
        Most rows to choose. Fewer are where the rest of X lies in their span, up to rounding.

    Returns
    -------
    SuccessiveProjection

    Examples
    --------
    >>> from treatise.optimize import successive_projection
    >>> chosen = successive_projection([[1.0, 0.0], [2.0, 2.0], [0.0, 1.5]], 2)
    >>> chosen.indices
    array([1, 2])
    """
    X = check_array(X, accept_sparse="csr", dtype=np.float64, input_name="X")
    if n_rows < 1:
        raise ValueError(f"n_rows={n_rows} must be at least 1")
    lengths = _squared_lengths(X)
    # Rounding in a row of this length can look like so much distance; a share of it tells a direction from noise.
    rounding = max(X.shape) * np.finfo(float).eps * np.sqrt(lengths.max())
    directions = np.empty((min(n_rows, *X.shape), X.shape[1]))
    squares, known = lengths, lengths.max()
    indices: list[int] = []
    distances: list[float] = []
    while len(indices) < len(directions):
        row = int(np.argmax(squares))
        if squares[row] < _TRUSTED * known:
            squares = _squared_distances(X, directions[: len(indices)])
            row = int(np.argmax(squares))
            known = squares[row]
        if squares[row] <= rounding**2:
            break
        direction = _row(X, row)
        for _ in range(2):  # once is not enough where little is left of the row
            direction = direction - directions[: len(indices)].T @ (directions[: len(indices)] @ direction)
        distance = np.linalg.norm(direction)
        directions[len(indices)] = direction / distance
        squares = np.maximum(squares - (X @ directions[len(indices)]) ** 2, 0.0)
        indices.append(row)
        distances.append(float(distance))
        squares[indices] = 0.0
    if squares.max() < _TRUSTED * known:
        squares = _squared_distances(X, directions[: len(indices)])
    return SuccessiveProjection(np.array(indices, dtype=np.intp), np.array(distances), float(np.sqrt(squares.max())))


def _row(X, i):
    return X[[i]].toarray().ravel() if sparse.issparse(X) else X[i]


def _squared_lengths(X):
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=float).ravel()
    return np.einsum("ij,ij->i", X, X)


def _squared_distances(X, directions):
    """Squared distance of each row from the span of orthonormal directions, from the residuals themselves."""
    rows = max(1, _BLOCK // X.shape[1])
    squares = np.empty(X.shape[0])
    for first in range(0, X.shape[0], rows):
        block = X[first : first + rows]
        block = block.toarray() if sparse.issparse(block) else block
        block = block - (block @ directions.T) @ directions
        squares[first : first + rows] = np.einsum("ij,ij->i", block, block)
    return squares
