"""Alternating directions for a sum of simple functions whose variables are tied by linear equations."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

_BALANCE_FIRST = 5
"""Iterations before the step length is first looked at; the waiting time then grows by half each time."""
_BALANCE_BAND = 2.0
"""Residuals within this ratio of one another are balanced."""
_LARGEST_CHANGE = 10.0


@dataclass(frozen=True)
class ADMMSolution:
    """Where the alternation stands.

    Attributes
    ----------
    x : ndarray
        Minimises its own functions exactly; its zeros are exact.
    y : ndarray
        Satisfies the equations exactly; near x.
    dual : ndarray
        Prices of ``x = y`` (not scaled by rho).
    rho : float
        Last weight of the quadratic term.
    primal_residual, dual_residual : float
        Relative to the sizes of x and of the dual.
    n_iter : int
        Iterations done.
    converged : bool
        Whether both residuals reached the tolerance.
    """

    x: np.ndarray
    y: np.ndarray
    dual: np.ndarray
    rho: float
    primal_residual: float
    dual_residual: float
    n_iter: int
    converged: bool


def minimize_on_subspace(
    prox: Callable[[np.ndarray, float], np.ndarray],
    project: Callable[[np.ndarray], np.ndarray],
    start: np.ndarray,
    *,
    dual: np.ndarray | None = None,
    rho: float = 1.0,
    relaxation: float = 1.6,
    tol: float = 1e-6,
    max_iter: int = 5000,
) -> ADMMSolution:
    """Minimise f(x) over a linear set by two-block alternating directions, which always converge for convex f.

    Anything of the form "sum of functions, each with an easy proximal operator, of variables tied by linear equations"
    fits: give every function its own copy of its variables, stack the copies in x, and let ``project`` make them
    agree. The step length balances the two residuals, each relative to its own scale, at ever longer intervals. First
    order: it reaches 1e-6 in tens to thousands of iterations; where a Newton method exists, prefer that.

    Parameters
    ----------
    prox : callable
        ``prox(v, rho)`` gives the x that minimises ``f(x) + rho/2 ||x - v||^2``, as the method of a :class:`Penalty`
        does.
    project : callable
        ``project(v)`` gives the nearest point of the linear set.
    start : ndarray
        First y, in the set.
    dual : ndarray or None, default=None
        First prices, as in a former solution; None takes zeros.
    rho : float, default=1.0
        First weight of the quadratic term.
    relaxation : float, default=1.6
        Over-relaxation, between 1 and 2.
    tol : float, default=1e-6
        For both relative residuals.
    max_iter : int, default=5000
        Iterations at most.

    Returns
    -------
    solution : ADMMSolution

    Examples
    --------
    The point of the plane ``x0 = x1`` with the least ``|x0| + (x1 - 3)^2 / 2``:

    >>> import numpy as np
    >>> from treatise.optimize import L1Penalty, minimize_on_subspace
    >>> def prox(v, rho):
    ...     return np.array([L1Penalty(1.0).prox(v[0], rho), (3 + rho * v[1]) / (1 + rho)])
    >>> minimize_on_subspace(prox, lambda v: np.full(2, v.mean()), np.zeros(2)).y.round(4)
    array([2., 2.])
    """
    y = start
    u = np.zeros_like(y) if dual is None else dual / rho
    wait, due = _BALANCE_FIRST, _BALANCE_FIRST
    for n_iter in range(1, max_iter + 1):
        x = prox(y - u, rho)
        relaxed = relaxation * x + (1.0 - relaxation) * y
        before, y = y, project(relaxed + u)
        u = u + relaxed - y
        primal = _ratio(np.linalg.norm(x - y), max(np.linalg.norm(x), np.linalg.norm(y)))
        second = _ratio(np.linalg.norm(y - before), np.linalg.norm(u))
        if max(primal, second) <= tol:
            break
        if n_iter == due:
            wait = wait + wait // 2
            due += wait
            # Each residual relative to its own scale, so that units of x and of f do not matter.
            imbalance = np.sqrt(primal / second) if second > 0 else _LARGEST_CHANGE
            if not 1 / _BALANCE_BAND <= imbalance <= _BALANCE_BAND:
                change = float(np.clip(imbalance, 1 / _LARGEST_CHANGE, _LARGEST_CHANGE))
                rho, u = rho * change, u / change
    return ADMMSolution(x, y, rho * u, rho, primal, second, n_iter, max(primal, second) <= tol)


def _ratio(part, whole):
    return float(part / whole) if whole > 0 else (0.0 if part == 0 else np.inf)
