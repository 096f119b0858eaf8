"""Dense Cholesky factors that follow small changes of their matrix in n^2 instead of n^3."""

import numpy as np

from treatise.optimize._cholesky_update_loops import delete_row, no_turns, rank_one, solve_lower


def cholesky_update(factor, x):
    """Lower factor of ``L L' + x x'``.

    Parameters
    ----------
    factor : ndarray of shape (n, n)
        Lower triangular factor L.
    x : array-like of shape (n,)
        The vector.

    Returns
    -------
    ndarray of shape (n, n)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import cholesky_update
    >>> cholesky_update(np.array([[3.0, 0.0], [0.0, 1.0]]), [4.0, 0.0])
    array([[5., 0.],
           [0., 1.]])
    """
    factor, x = _checked(factor, x)
    rank_one(factor, x, 1.0)
    return factor


def cholesky_downdate(factor, x):
    """Lower factor of ``L L' - x x'``, which must be positive definite.

    Parameters
    ----------
    factor : ndarray of shape (n, n)
        Lower triangular factor L.
    x : array-like of shape (n,)
        The vector.

    Returns
    -------
    ndarray of shape (n, n)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import cholesky_downdate
    >>> cholesky_downdate(np.array([[5.0, 0.0], [0.0, 1.0]]), [4.0, 0.0])
    array([[3., 0.],
           [0., 1.]])
    """
    factor, x = _checked(factor, x)
    if not rank_one(factor, x, -1.0):
        raise np.linalg.LinAlgError("L L' - x x' is not positive definite; x is too long in some direction")
    return factor


def cholesky_append(factor, column, corner):
    """Lower factor of a matrix with one more row and column.

    Parameters
    ----------
    factor : ndarray of shape (n, n)
        Lower triangular factor of the matrix as it was.
    column : array-like of shape (n,)
        The new column without its last number.
    corner : float
        Its last number, on the diagonal.

    Returns
    -------
    ndarray of shape (n + 1, n + 1)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import cholesky_append
    >>> cholesky_append(np.array([[2.0]]), [6.0], 10.0)
    array([[2., 0.],
           [3., 1.]])
    """
    factor, row = _checked(factor, column)
    solve_lower(factor, len(row), row, 0)
    square = corner - row @ row
    if not square > 0:
        raise np.linalg.LinAlgError(f"with {corner:g} on its diagonal the larger matrix is not positive definite")
    grown = np.zeros((len(row) + 1, len(row) + 1))
    grown[:-1, :-1], grown[-1, :-1], grown[-1, -1] = factor, row, np.sqrt(square)
    return grown


def cholesky_delete(factor, row):
    """Lower factor of a matrix without one of its rows and the column of the same place.

    Parameters
    ----------
    factor : ndarray of shape (n, n)
        Lower triangular factor of the matrix as it was.
    row : int
        Which row.

    Returns
    -------
    ndarray of shape (n - 1, n - 1)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import cholesky_delete
    >>> cholesky_delete(np.array([[2.0, 0.0], [3.0, 4.0]]), 0)
    array([[5.]])
    """
    factor, _ = _checked(factor, np.zeros(len(factor)))
    size = len(factor)
    if not 0 <= row < size:
        raise ValueError(f"row {row} does not exist; the factor has rows 0 to {size - 1}")
    delete_row(factor, size, row, *no_turns(size))
    return factor[:-1, :-1].copy()


def _checked(factor, x):
    factor, x = np.array(factor, np.float64, order="C"), np.array(x, np.float64)
    if factor.ndim != 2 or factor.shape[0] != factor.shape[1] or x.shape != (len(factor),):
        raise ValueError(f"a factor is square with a vector of its length; they have shapes {factor.shape}, {x.shape}")
    return np.tril(factor), x
