"""The smallest ellipsoid around points and their mirror images, with a certificate of its size.

The points' weights u solve the dual problem in the form

    minimise  sum(u) - log det(Omega(u))  over u >= 0,  where  Omega(u) = sum_i u_i p_i p_i^T,

whose minimiser sums to the dimension: it is that many times the paper's dual weights. The ellipsoid is
{x : x^T L x <= 1} with L = Omega(u)^-1. A point with p_i^T L p_i above one lies outside and must gain weight; one
inside must have none.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, gen_batches

from treatise._core.jit import compiled
from treatise.optimize.successive_projection import successive_projection

_TOUCHING = 1e-6
"""How far below one the form of a point that touches the ellipsoid may lie."""
_BLOCK = 2**15
"""Points whose forms are computed together."""
_SWEEPS, _STEPS, _ROUNDS = 10, 20, 200
"""Sweeps of descent and steps of Newton's method in a round on few points, and the most rounds."""


@dataclass(frozen=True)
class EnclosingEllipsoid:
    """The ellipsoid ``{x : x @ matrix @ x <= 1}`` around points.

    Attributes
    ----------
    matrix : ndarray of shape (n_dimensions, n_dimensions)
        L of the paper, positive definite.
    weights : ndarray of shape (n_points,)
        Dual weights, not negative, with sum ``n_dimensions``; zero for points inside.
    forms : ndarray of shape (n_points,)
        ``p @ matrix @ p`` of each point: at most one, and one where the point touches.
    active : ndarray of int
        Points that touch the ellipsoid, in ascending order.
    gap : float
        Duality gap: the logarithm of the squared volume is at most this much above the smallest one.
    n_iter : int
        Times that all points were looked at.
    converged : bool
        Whether the gap is below the tolerance.
    """

    matrix: np.ndarray
    weights: np.ndarray
    forms: np.ndarray
    active: np.ndarray
    gap: float
    n_iter: int
    converged: bool


def minimum_volume_ellipsoid(points, *, tol=1e-9, max_iter=1000):
    """Find the ellipsoid of least volume, centred at the origin, that holds all points (and their mirror images).

    Use it to find the extreme points of a cloud, as an outlier bound, or as a D-optimal design: the weights divided
    by their sum are the design. For an ellipsoid with a free centre, append a one to every point: it is the slice of
    this ellipsoid at height one.

    A small set of points is solved by coordinate descent and Newton's method, and the points that it leaves outside
    are added to it (the cutting planes of Algorithm 3); few points ever enter. Looking at all m points in d dimensions
    costs O(m d^2), a dozen or two looks are usual, and memory beside the points is two vectors of m numbers.

    Parameters
    ----------
    points : array-like of shape (n_points, n_dimensions)
        Points that span all dimensions.
    tol : float, default=1e-9
        The duality gap to reach.
    max_iter : int, default=1000
        Most looks at all points.

    Returns
    -------
    EnclosingEllipsoid

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import minimum_volume_ellipsoid
    >>> ellipsoid = minimum_volume_ellipsoid([[2.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    >>> ellipsoid.matrix.round(6) + 0.0
    array([[0.25, 0.  ],
           [0.  , 1.  ]])
    >>> ellipsoid.active
    array([0, 1])
    """
    points = check_array(points, dtype=np.float64, order="C", input_name="points")
    d = points.shape[1]
    basis = successive_projection(points, d).indices
    if len(basis) < d:
        raise ValueError(
            f"points span {len(basis)} of their {d} dimensions, so no ellipsoid around them has a least volume; "
            "reduce the dimensions first, as by their singular vectors"
        )
    # In coordinates of these points the search does not depend on the unit or the axes, and starts from the unit ball.
    axes = np.linalg.inv(points[basis])
    points = points @ axes
    weights = np.zeros(len(points))
    weights[basis] = 1.0
    n_iter = 0
    while True:
        n_iter += 1
        inverse = _inverse(points, weights)
        forms = _forms(points, inverse)
        gap = _gap(weights, forms)
        if gap <= tol or n_iter == max_iter:
            break
        working = np.union1d(np.flatnonzero(weights), _outermost(forms, 20 + 5 * d))
        # The small problem need not be solved much better than it agrees with the large one.
        weights[working] = _solve(points[working], weights[working], max(0.01 * gap, 0.1 * tol))
    if gap > tol:
        warnings.warn(
            f"the duality gap is {gap:.2g} after max_iter={max_iter} looks at the points, above tol={tol:g}; "
            "raise one of the two",
            ConvergenceWarning,
            stacklevel=2,
        )
    largest = max(forms.max(), 1.0)
    return EnclosingEllipsoid(
        matrix=axes @ (inverse / largest) @ axes.T,  # grown until it holds the last point
        weights=weights * (d / weights.sum()),
        forms=forms / largest,
        active=np.flatnonzero(forms >= (1.0 - _TOUCHING) * largest),
        gap=gap,
        n_iter=n_iter,
        converged=bool(gap <= tol),
    )


def _inverse(points, weights):
    """``Omega(u)^-1``, from the points that have weight."""
    support = np.flatnonzero(weights)
    held = points[support] * np.sqrt(weights[support])[:, np.newaxis]
    inverse = np.linalg.inv(held.T @ held)
    return (inverse + inverse.T) / 2.0


def _forms(points, matrix):
    """``p @ matrix @ p`` of every point, in blocks."""
    root = cholesky(matrix, lower=True)
    forms = np.empty(len(points))
    for block in gen_batches(len(points), _BLOCK):
        image = points[block] @ root
        forms[block] = np.einsum("ij,ij->i", image, image)
    return forms


def _gap(weights, forms):
    """Duality gap: of the best multiple of these weights, and of the ellipsoid grown to hold all points.

    The dual value of the former is ``log det Omega + d log(d / sum(u))``, the logarithm of the squared volume of the
    latter ``log det Omega + d log(max(forms))``.
    """
    d = np.vdot(weights, forms)  # the trace of Omega^-1 Omega
    return max(float(d * np.log(forms.max() * weights.sum() / d)), 0.0)


def _outermost(forms, most):
    """Of the points outside, those furthest outside."""
    outside = np.flatnonzero(forms > 1.0)
    if len(outside) > most:
        outside = outside[np.argpartition(-forms[outside], most)[:most]]
    return outside


def _solve(points, weights, tol):
    """Weights of a small set of points to a duality gap of ``tol``, from weights whose points span."""
    for _ in range(_ROUNDS):
        inverse = _inverse(points, weights)
        descend(points, weights, inverse, _SWEEPS)
        weights = _newton(points, weights)
        if _gap(weights, _forms(points, _inverse(points, weights))) <= tol:
            break
    return weights


@compiled
def descend(points, weights, inverse, sweeps):
    """Coordinate descent: each weight in turn to its exact minimiser; weights and Omega(u)^-1 change in place.

    Along weight i the objective is ``t - log(1 + t f)`` up to a constant, with f the form of point i: lowest at
    ``t = 1 - 1 / f``, or where the weight becomes zero.
    """
    n, d = points.shape
    image = np.empty(d)
    for _ in range(sweeps):
        for i in range(n):
            form = 0.0
            for a in range(d):
                total = 0.0
                for b in range(d):
                    total += inverse[a, b] * points[i, b]
                image[a] = total
                form += total * points[i, a]
            if form <= 0.0 or (weights[i] == 0.0 and form <= 1.0):
                continue
            step = max(1.0 - 1.0 / form, -weights[i])
            weights[i] = max(weights[i] + step, 0.0)
            shrink = step / (1.0 + step * form)
            for a in range(d):
                for b in range(d):
                    inverse[a, b] -= shrink * image[a] * image[b]


def _newton(points, weights):
    """Damped steps of Newton's method on the points that have weight; a weight that reaches zero leaves.

    The objective is self-concordant: with decrement l, a step of 1 / (1 + l) always lowers it, and a whole one near
    the minimum.
    """
    weights = weights.copy()
    for _ in range(_STEPS):
        support = np.flatnonzero(weights)
        held = points[support]
        gram = held @ _inverse(points, weights) @ held.T
        slope = np.diag(gram) - 1.0
        hessian = gram * gram
        # Copies of a point share one weight in any way: the ridge settles which.
        hessian.flat[:: len(hessian) + 1] += 1e-14 * np.trace(hessian)
        move = np.linalg.solve(hessian, slope)
        decrement = np.sqrt(max(np.vdot(move, slope), 0.0))
        length = 1.0 if decrement < 0.25 else 1.0 / (1.0 + decrement)
        falling = move < 0.0
        room = np.min(-weights[support][falling] / move[falling], initial=np.inf)
        moved = weights[support] + min(length, room) * move
        if room <= length:
            moved[falling & (moved <= 1e-14)] = 0.0
        weights[support] = moved
        if decrement < 1e-13:
            break
    return weights
