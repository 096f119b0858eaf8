"""Orthonormal spline functions of every column, the groups of a sparse additive model."""

import numpy as np

from treatise._core.jit import compiled

_SMALLEST_SHARE = 1e-8
"""Of the largest variance of a column's splines: directions below it are rounding, as with few different values."""


def basis_values(basis, x):
    """The functions of one column at some points, one per row.

    Parameters
    ----------
    basis : tuple (knots, means, turn)
        The column's knots, the means of its B-splines over the training rows, and the matrix that turns centred splines
        into orthonormal functions; all empty for a column that does not vary.
    x : array-like of shape (n_points,)
        Where to evaluate them.

    Returns
    -------
    values : ndarray of shape (n_functions, n_points)
    """
    knots, means, turn = basis
    if not len(turn):
        return np.empty((0, len(x)))
    splines = np.empty((len(means), len(x)))
    cubic_splines(np.ascontiguousarray(x, dtype=np.float64), knots, splines)
    return turn @ (splines - means[:, None])


def spline_bases(X, n_basis):
    """A basis of at most ``n_basis`` functions for every column, and their values on the rows.

    Cubic B-splines with knots at quantiles, less the constant, turned so that the mean product of two functions of a
    column is zero or one. A column of few different values gets as many functions as these can tell apart.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Columns.
    n_basis : int
        Functions of a column, at least 3.

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
    Q, starts, bases = np.empty((p * n_basis, n)), np.zeros(p + 1, dtype=np.int64), []
    splines = np.empty((n_basis + 1, n))
    for j in range(p):
        x = np.ascontiguousarray(X[:, j])
        low, high = x.min(), x.max()
        first = starts[j]
        if not high > low:
            bases.append((np.empty(0), np.empty(0), np.empty((0, 0))))
            starts[j + 1] = first
            continue
        inner = np.quantile(x, np.linspace(0, 1, n_basis - 1)[1:-1])
        knots = np.concatenate([[low] * 4, inner, [high] * 4])
        cubic_splines(x, knots, splines)
        means = splines.mean(axis=1)
        centred = splines - means[:, None]
        variance, directions = np.linalg.eigh(centred @ centred.T / n)
        kept = variance > _SMALLEST_SHARE * variance[-1]
        turn = (directions[:, kept] / np.sqrt(variance[kept])).T[::-1][:n_basis]
        Q[first : first + len(turn)] = turn @ centred
        starts[j + 1] = first + len(turn)
        bases.append((knots, means, np.ascontiguousarray(turn)))
    return bases, Q[: starts[-1]], starts


@compiled
def cubic_splines(x, knots, out):
    """Row b of ``out`` becomes B-spline b at every x (de Boor's recursion); x is clipped to the inner knots.

    ``knots`` has each end four times; there are ``len(knots) - 4`` splines.
    """
    n_splines = len(knots) - 4
    low, high = knots[3], knots[n_splines]
    values = np.empty(4)
    for b in range(n_splines):
        for i in range(len(x)):
            out[b, i] = 0.0
    for i in range(len(x)):
        at = min(max(x[i], low), high)
        place = 3
        while place < n_splines - 1 and at >= knots[place + 1]:
            place += 1
        values[0] = 1.0
        for degree in range(1, 4):
            carried = 0.0
            for r in range(degree):
                right, left = knots[place + r + 1] - at, at - knots[place + r + 1 - degree]
                width = right + left
                part = values[r] / width if width > 0.0 else 0.0
                values[r] = carried + right * part
                carried = left * part
            values[degree] = carried
        for r in range(4):
            out[place - 3 + r, i] = values[r]
