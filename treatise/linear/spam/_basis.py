"""Orthonormal functions of every column, splines or others, the groups of a sparse additive model."""

import numpy as np

from treatise._core.invariants import is_array
from treatise.statistics.cubic_splines import clamped_knots, cubic_splines

_SMALLEST_SHARE = 1e-8
"""Of the largest variance of a column's splines: directions below it are rounding, as with few different values."""


def basis_values(basis, x):
    """The functions of one column at some points, one per row.

    Parameters
    ----------
    basis : tuple (raw, means, turn)
        The knots of the column's B-splines, or the function that gives others; their means over the training rows, and
        the matrix that turns centred functions into orthonormal ones, empty for a column that does not vary.
    x : array-like of shape (n_points,)
        Where to evaluate them.

    Returns
    -------
    values : ndarray of shape (n_functions, n_points)
    """
    raw, means, turn = basis
    if not len(turn):
        return np.empty((0, len(x)))
    return turn @ (_raw_values(raw, np.ascontiguousarray(x, dtype=np.float64)) - means[:, None])


def is_basis(basis):
    """Whether stored functions of one column can be followed: compiled code reads four knots more than splines."""
    if not isinstance(basis, tuple) or len(basis) != 3:
        return False
    knots, means, turn = basis
    if not (is_array(means, np.float64, None) and is_array(turn, np.float64, None, len(means))):
        return False
    rising = is_array(knots, np.float64, len(means) + 4) and bool((np.diff(knots) >= 0.0).all())
    return not len(turn) or (rising and len(means) >= 4)


def _raw_values(raw, x):
    """Values of functions given by knots of cubic B-splines, or as one function of all points."""
    if callable(raw):
        values = np.asarray(raw(x), dtype=np.float64)
        if values.ndim != 2 or values.shape[1] != len(x) or not np.isfinite(values).all():
            raise ValueError(
                f"basis gave an array of shape {values.shape} for {len(x)} points; it must give finite numbers of "
                f"shape (n_functions, {len(x)})"
            )
        return values
    values = np.empty((len(raw) - 4, len(x)))
    cubic_splines(x, raw, values)
    return values


def column_bases(X, n_basis, basis="spline"):
    """A basis of functions for every column, and their values on the rows.

    Cubic B-splines with knots at quantiles, or the functions given, less the constant, turned so that the mean product
    of two functions of a column is zero or one. A column of few different values gets as many functions as these can
    tell apart.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Columns.
    n_basis : int
        Splines of a column, at least 3.
    basis : "spline" or callable, default="spline"
        A function that takes the points of one column and gives its functions there, one a row.

    Returns
    -------
    bases : list of tuple
        For :func:`basis_values`.
    Q : ndarray of shape (n_functions, n_samples)
        All functions, those of a column together.
    starts : ndarray of int of shape (n_features + 1,)
        Where the functions of each column begin.
    """
    n, p = X.shape
    starts, bases, blocks = np.zeros(p + 1, dtype=np.int64), [], []
    for j in range(p):
        x = np.ascontiguousarray(X[:, j])
        low, high = x.min(), x.max()
        starts[j + 1] = starts[j]
        if not high > low:
            bases.append((np.empty(0), np.empty(0), np.empty((0, 0))))
            continue
        raw = basis
        if not callable(basis):
            raw = clamped_knots(x, n_basis - 3)
        values = _raw_values(raw, x)
        means = values.mean(axis=1)
        centred = values - means[:, None]
        variance, directions = np.linalg.eigh(centred @ centred.T / n)
        kept = variance > _SMALLEST_SHARE * max(variance[-1], np.finfo(float).tiny)
        # Splines add up to one, so that one direction is lost; of others all may count.
        turn = (directions[:, kept] / np.sqrt(variance[kept])).T[::-1][: len(means) if callable(basis) else n_basis]
        blocks.append(turn @ centred)
        starts[j + 1] += len(turn)
        bases.append((raw, means, np.ascontiguousarray(turn)))
    return bases, np.vstack([*blocks, np.empty((0, n))]), starts
