"""Steps on matrix manifolds: the Q factor as a retraction, Armijo's backtracking."""

import math

import numpy as np


def q_factor(A):
    """The orthonormal factor Q of ``A = Q T`` whose triangular T has a positive diagonal.

    With this choice of signs the factor is unique and continuous, so that ``q_factor(U + s * tangent)`` is a
    retraction to the matrices with orthonormal columns. Costs d r^2.

    Parameters
    ----------
    A : ndarray of shape (d, r), r <= d
        Matrix of full column rank.

    Returns
    -------
    Q : ndarray of shape (d, r)

    Examples
    --------
    >>> from treatise.optimize import q_factor
    >>> abs(q_factor([[2.0, 1.0], [0.0, 3.0]]))
    array([[1., 0.],
           [0., 1.]])
    """
    Q, T = np.linalg.qr(np.asarray(A, np.float64))
    return Q * np.where(np.diagonal(T) < 0, -1.0, 1.0)


def armijo_step(cost_at, cost, slope, step, *, fraction=0.5, shrink=0.5, max_trials=100):
    """Shrink a step until the cost falls by a fraction of what the slope promises.

    The accepted step has ``cost_at(step) <= cost - fraction * step * slope``. A trial whose cost is infinite or
    not a number counts as too long.

    Parameters
    ----------
    cost_at : callable
        Cost after a step of a given length.
    cost : float
        Cost before it.
    slope : float
        Rate at which the cost falls at first, not negative: the squared norm of a Riemannian gradient that is
        followed downhill.
    step : float
        Longest step to try.
    fraction : float, default=0.5
        Share of the promised decrease that must be kept, in (0, 1).
    shrink : float, default=0.5
        Factor from one trial to the next.
    max_trials : int, default=100
        Number of steps tried.

    Returns
    -------
    step : float
        The step, or 0.0 where none lowers the cost: the point is stationary up to rounding.
    cost : float
        The cost there.

    Examples
    --------
    >>> from treatise.optimize import armijo_step
    >>> armijo_step(lambda s: (1 - s) ** 2, 1.0, 2.0, 8.0)
    (1.0, 0.0)
    """
    before = cost
    for _ in range(max_trials):
        after = cost_at(step)
        if math.isfinite(after) and after <= before - fraction * step * slope and after < before:
            return float(step), float(after)
        step *= shrink
    return 0.0, float(before)
