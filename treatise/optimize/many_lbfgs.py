"""Limited-memory BFGS from many starts, or on many functions of one shape, side by side."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treatise.optimize._many_lbfgs_loops import descent_directions, remember_pairs

ManyObjectives = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
_SUFFICIENT = 1e-4  # decrease, as a share of what the slope promises
_SHORTEST = 1e-12
_LEAST_CURVATURE = 1e-10


@dataclass(frozen=True)
class ManyMinima:
    """Where each of many minimisations ended.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        The points, in the order of the starts.
    values : ndarray of shape (n,)
        The objectives there.
    slopes : ndarray of shape (n,)
        Largest component of each gradient there, by size: the certificate of a stationary point.
    iterations : ndarray of int of shape (n,)
        Steps taken.
    converged : ndarray of bool of shape (n,)
        Whether a tolerance was met; else the steps ran out.
    evaluations : int
        Evaluations of an objective and its gradient, all problems together.
    """

    points: np.ndarray
    values: np.ndarray
    slopes: np.ndarray
    iterations: np.ndarray
    converged: np.ndarray
    evaluations: int


def minimize_many_lbfgs(
    objective: ManyObjectives,
    starts: np.ndarray,
    *,
    memory: int = 8,
    max_iter: int = 100,
    gradient_tolerance: float = 1e-6,
    decrease_tolerance: float = 0.0,
    callback: Callable[[int], None] | None = None,
) -> ManyMinima:
    """Minimise from many starts at once, so that the objective can answer for all of them in a few matrix products.

    Every problem has its own memory and length of step and ends by itself; those that have ended are no longer
    evaluated. Functions need not be convex: a pair of steps without curvature is forgotten, and the end is a local
    minimum near the start. For one large convex problem use :func:`minimize_lbfgs`. An iteration costs about one
    evaluation, and O(memory * d) for each problem besides; memory is O(n * memory * d).

    Parameters
    ----------
    objective : callable
        Of points (one a row) and of the numbers of the problems that they belong to, gives the values and the
        gradients. A value that is not finite is taken as a step too far.
    starts : ndarray of shape (n, d)
        Where to begin, one row for each problem.
    memory : int, default=8
        Pairs of steps and changes that each problem keeps.
    max_iter : int, default=100
        Steps at most, of each problem.
    gradient_tolerance : float, default=1e-6
        A problem ends when no component of its gradient is larger.
    decrease_tolerance : float, default=0.0
        A problem ends when a step lowers its objective by a smaller share of the objective, or of one where that is
        larger; 0 never does.
    callback : callable or None, default=None
        Called after each round with the number of problems that ended in it.

    Returns
    -------
    ManyMinima

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import minimize_many_lbfgs
    >>> def double_well(z, which):
    ...     return ((z**2 - 1) ** 2).sum(axis=1), 4 * z * (z**2 - 1)
    >>> found = minimize_many_lbfgs(double_well, np.array([[-0.5], [2.0], [0.1]]))
    >>> found.points.ravel().round(6), bool(found.converged.all())
    (array([-1.,  1.,  1.]), True)
    """
    points = np.array(starts, np.float64, order="C")
    if points.ndim != 2:
        raise ValueError(f"starts has the shape {points.shape}; give one row for each problem")
    n, size = points.shape
    every = np.arange(n)
    values, gradients = (np.array(part, np.float64) for part in objective(points, every))
    if values.shape != (n,) or gradients.shape != (n, size):
        raise ValueError(
            f"the objective gave values of the shape {values.shape} and gradients {gradients.shape}; for points of the "
            f"shape {points.shape} they must be {(n,)} and {points.shape}"
        )
    if not np.isfinite(values).all():
        first = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ValueError(f"the objective is {values[first]} at start {first} (counted from 0); start elsewhere")
    steps, changes = np.empty((n, memory, size)), np.empty((n, memory, size))
    kept, newest = np.zeros(n, np.int64), np.zeros(n, np.int64)
    directions, promised, lengths = np.empty_like(points), np.empty(n), np.empty(n)
    iterations = np.zeros(n, np.int64)
    converged = np.abs(gradients).max(axis=1, initial=0.0) <= gradient_tolerance
    evaluations = n
    active = turning = every[~converged] if max_iter > 0 else every[:0]
    while len(active):
        descent_directions(turning, gradients, steps, changes, kept, newest, directions, promised)
        # Without a memory of the scale, the first step is one long at most.
        first_length = 1.0 / np.maximum(np.sqrt(-promised[turning]), 1.0)
        lengths[turning] = np.where(kept[turning] > 0, 1.0, first_length)
        tried = points[active] + lengths[active, np.newaxis] * directions[active]
        tried_values, tried_gradients = objective(tried, active)
        evaluations += len(active)
        enough = tried_values <= values[active] + _SUFFICIENT * lengths[active] * promised[active]
        moved = active[enough]
        remember_pairs(
            moved, tried[enough], points, np.ascontiguousarray(tried_gradients[enough]), gradients, steps, changes,
            kept, newest, _LEAST_CURVATURE,
        )  # fmt: skip
        drop = values[moved] - tried_values[enough]
        values[moved] = tried_values[enough]
        iterations[moved] += 1
        steepest = np.abs(gradients[moved]).max(axis=1, initial=0.0)
        settled = steepest <= gradient_tolerance
        if decrease_tolerance > 0:
            settled |= drop < decrease_tolerance * np.maximum(np.abs(values[moved]), 1.0)
        converged[moved[settled]] = True
        turning = moved[~settled & (iterations[moved] < max_iter)]
        short = active[~enough]
        lengths[short] *= _shortening(tried_values[~enough] - values[short], lengths[short] * promised[short])
        # Where no step leads down, not even down the gradient, the search is at its end.
        stuck = lengths[short] < _SHORTEST
        again = short[stuck & (kept[short] > 0)]
        kept[again] = 0
        turning = np.sort(np.concatenate([turning, again]))
        before = len(active)
        active = np.sort(np.concatenate([turning, short[~stuck]]))
        if callback is not None and before > len(active):
            callback(before - len(active))
    slopes = np.abs(gradients).max(axis=1, initial=0.0)
    return ManyMinima(points, values, slopes, iterations, converged, evaluations)


def _shortening(rise: np.ndarray, promised: np.ndarray) -> np.ndarray:
    """What to make of each length: the least of the parabola through both values and the slope, within bounds."""
    bend = np.where(np.isfinite(rise), rise - promised, np.inf)
    with np.errstate(invalid="ignore", divide="ignore"):
        least = np.where(np.isfinite(bend) & (bend > 0), -promised / (2.0 * bend), 0.1)
    return np.clip(least, 0.1, 0.5)
