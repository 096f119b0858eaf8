"""Cubic B-splines, and the O'Sullivan basis that makes a penalised spline a mixed model."""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import BSpline

from treatise._core.jit import compiled

_ROUNDING = 1e-10
"""Of the largest eigenvalue of the penalty: what lies below is that of a line, which is not penalised."""


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


def clamped_knots(x, n_inner):
    """Knots of cubic splines over the range of some points: inner ones at quantiles, each end four times.

    Parameters
    ----------
    x : ndarray of shape (n_points,)
        Points, of two values at least.
    n_inner : int
        Knots between the ends.

    Returns
    -------
    knots : ndarray of shape (n_inner + 8,)
    """
    inner = np.quantile(x, np.linspace(0, 1, n_inner + 2)[1:-1])
    return np.concatenate([[x.min()] * 4, inner, [x.max()] * 4])


@dataclass(frozen=True)
class OSullivanBasis:
    """Functions whose coefficients, each with the price of its square, pay together for the bend of their sum.

    A smooth curve is ``a + b x + sum_k u_k z_k(x)``, and ``sum_k u_k^2`` is the integral of its squared second
    derivative: with ``u_k`` normal of one variance, a penalised cubic spline is a mixed model.

    Parameters
    ----------
    knots : ndarray
        Knots of cubic B-splines, each end four times.
    turn : ndarray of shape (n_functions, len(knots) - 4)
        What makes the functions of the B-splines.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import osullivan_basis
    >>> x = np.linspace(0, 1, 50)
    >>> osullivan_basis(x, 5)(x).shape
    (5, 50)
    """

    knots: np.ndarray
    turn: np.ndarray

    @property
    def range(self):
        """The two ends between which the functions vary."""
        return float(self.knots[3]), float(self.knots[-4])

    def __call__(self, x):
        """Values of the functions at some points, one function a row; beyond the ends each keeps its last value."""
        x = np.ascontiguousarray(x, dtype=np.float64)
        splines = np.empty((len(self.knots) - 4, len(x)))
        cubic_splines(x, self.knots, splines)
        return self.turn @ splines


def osullivan_basis(x, n_functions):
    """The O'Sullivan basis over the range of some points (Wand & Ormerod 2008, section 4).

    Parameters
    ----------
    x : array-like of shape (n_points,)
        Points; knots lie at quantiles of their distinct values.
    n_functions : int
        Functions, beside a constant and a line; fewer where the points have fewer than four values for each.

    Returns
    -------
    basis : OSullivanBasis
        Without functions where there are fewer than four distinct values: a line says as much.
    """
    distinct = np.unique(np.asarray(x, dtype=np.float64))
    n_functions = min(n_functions, max(len(distinct) // 4, 2 if len(distinct) >= 4 else 0))
    if n_functions < 2:
        return OSullivanBasis(clamped_knots(distinct, 0), np.empty((0, 4)))
    knots = clamped_knots(distinct, n_functions - 2)
    bend, directions = np.linalg.eigh(bend_matrix(knots))
    if bend[2] <= _ROUNDING * bend[-1]:
        raise ValueError(f"{len(distinct)} distinct values lie too close together for {n_functions} splines")
    # Two eigenvalues are zero, those of constants and of lines.
    return OSullivanBasis(knots, np.ascontiguousarray((directions[:, 2:] / np.sqrt(bend[2:])).T[::-1]))


def bend_matrix(knots):
    """The integrals of the products of second derivatives of cubic B-splines.

    Second derivatives are lines between two knots, so that Simpson's rule on every interval is exact.

    Parameters
    ----------
    knots : ndarray
        Knots, each end four times.

    Returns
    -------
    bend : ndarray of shape (len(knots) - 4, len(knots) - 4)
    """
    ends = knots[3:-3]
    left, right = ends[:-1], ends[1:]
    points = np.stack([left, (left + right) / 2, right], axis=1)
    # The second derivative may jump at a knot of several: just inside an interval it is that of the interval.
    width = (right - left)[:, None]
    inside = np.clip(points, left[:, None] + 1e-9 * width, right[:, None] - 1e-9 * width)
    second = BSpline(knots, np.eye(len(knots) - 4), 3).derivative(2)(inside.ravel())
    weights = ((right - left)[:, None] / 6 * np.array([1.0, 4.0, 1.0])).ravel()
    return second.T @ (weights[:, None] * second)
