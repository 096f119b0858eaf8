"""Limited-memory BFGS with a diagonal preconditioner, and its orthant-wise form for L1 penalties.

The objective is called with a point and answers with its value and gradient: it may stream files, sum over a
cluster, or both. Between two iterations everything there is to know lies in a :class:`LBFGSState`, so that a run
can be stopped, stored and taken up again to the same bits.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]
_SUFFICIENT = 1e-4  # decrease, as a share of what the slope promises
_SHORTEST = 1e-12
_ROUNDING = 1e-13  # of a sum of many losses, as a share of it
# A pair whose curvature is lost in rounding would spoil the Hessian.
_LEAST_CURVATURE = 1e-10
_BLOCK = 1 << 14  # numbers that are turned to double precision at once, within the processor's cache


@dataclass
class LBFGSState:
    """A run between two iterations.

    Parameters
    ----------
    w, gradient : ndarray
        The point, and the gradient of the smooth part there.
    value : float
        The objective, the L1 penalty included.
    steps, changes : list of ndarray
        The last steps and the changes of the gradient along them.
    iteration, evaluations : int
        How many of each there were.
    path : list of float
        The objective at the start and after each iteration.
    status : str
        ``"running"``, or why the run ended: ``"gradient"`` or ``"decrease"`` (converged), ``"stalled"``.
    """

    w: np.ndarray
    gradient: np.ndarray
    value: float
    steps: list[np.ndarray] = field(default_factory=list)
    changes: list[np.ndarray] = field(default_factory=list)
    iteration: int = 0
    evaluations: int = 1
    path: list[float] = field(default_factory=list)
    status: str = "running"


def minimize_lbfgs(
    objective: Objective,
    start: np.ndarray,
    *,
    diagonal: np.ndarray | None = None,
    l1: float | np.ndarray = 0.0,
    curvature: Callable[[np.ndarray, np.ndarray], float] | None = None,
    memory: int = 15,
    max_iter: int = 100,
    gradient_tolerance: float = 1e-6,
    decrease_tolerance: float = 0.0,
    history_dtype: type = np.float64,
    state: LBFGSState | None = None,
    callback: Callable[[LBFGSState], None] | None = None,
) -> LBFGSState:
    """Minimise a smooth convex function, plus an L1 penalty if asked (then by OWL-QN).

    Each iteration costs one evaluation as a rule, and O(memory * d) besides. Not for functions with kinks other than
    the L1 penalty's: there it ends, ``"stalled"``, near a minimum at best.

    Parameters
    ----------
    objective : callable
        Of w, gives the value and the gradient of the smooth part. The gradient may be a buffer of the caller's.
    start : ndarray of shape (d,)
        Where to begin.
    diagonal : ndarray of shape (d,) or None, default=None
        Diagonal of the Hessian near the start: its inverse is the preconditioner (Jacobi).
    l1 : float or ndarray, default=0.0
        Weight of the absolute value of each coordinate.
    curvature : callable or None, default=None
        Of w and a direction v, gives v'Hv. It sets the length of the very first step.
    memory : int, default=15
        Pairs of steps and changes that are kept.
    max_iter : int, default=100
        Iterations at most.
    gradient_tolerance : float, default=1e-6
        Ends when no component of the gradient (the least subgradient with L1) is larger.
    decrease_tolerance : float, default=0.0
        Ends when an iteration lowers the objective by a smaller share of itself; 0 never does.
    history_dtype : type, default=numpy.float64
        Type of the pairs that are kept; single precision halves the memory and hardly slows convergence.
    state : LBFGSState or None, default=None
        Where an earlier run stood; ``start`` is not used then.
    callback : callable or None, default=None
        Called with the state at the start and after every iteration.

    Returns
    -------
    LBFGSState
        How the run ended.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import minimize_lbfgs
    >>> A, b = np.diag([1.0, 10.0, 100.0]), np.array([1.0, 2.0, 3.0])
    >>> end = minimize_lbfgs(lambda w: (0.5 * w @ A @ w - b @ w, A @ w - b), np.zeros(3), diagonal=np.diag(A))
    >>> end.w.round(6), end.status
    (array([1.  , 0.2 , 0.03]), 'gradient')

    References
    ----------
    .. [1] Paper v15-1111, Algorithm 2; Andrew and Gao (2007) for the L1 form.
    """
    inverse = None if diagonal is None else 1.0 / np.maximum(diagonal, np.finfo(np.float64).tiny)
    if state is None:
        w = np.array(start, np.float64)
        value, gradient = objective(w)
        state = LBFGSState(w, np.array(gradient, np.float64), float(value + np.sum(l1 * np.abs(w))))
        state.path.append(state.value)
        if not np.isfinite(state.value):
            raise ValueError(f"the objective is {state.value} at the start; scale the data, or start elsewhere")
        if callback is not None:
            callback(state)
    while state.status == "running" and state.iteration < max_iter:
        slope = least_subgradient(state.w, state.gradient, l1)
        if np.max(np.abs(slope), initial=0.0) <= gradient_tolerance:
            state.status = "gradient"
            break
        _iterate(objective, state, slope, inverse, l1, curvature, memory, history_dtype)
        if state.status == "running":
            before, now = state.path[-2:]
            if decrease_tolerance > 0 and before - now < decrease_tolerance * abs(now):
                state.status = "decrease"
            if callback is not None:
                callback(state)
    if state.status == "running":
        slope = least_subgradient(state.w, state.gradient, l1)
        if np.max(np.abs(slope), initial=0.0) <= gradient_tolerance:
            state.status = "gradient"
    return state


def _iterate(objective, state, slope, inverse, l1, curvature, memory, history_dtype) -> None:
    """One step, or the status ``"stalled"`` where none lowers the objective, not even down the gradient."""
    penalised = np.any(l1)
    direction = _two_loops(state, slope, inverse)
    if penalised:
        direction[direction * slope >= 0] = 0.0  # only where both agree is descent sure (OWL-QN)
    descent = float(direction @ slope)
    if descent >= 0:
        state.steps.clear()
        state.changes.clear()
        direction = _two_loops(state, slope, inverse)
        descent = float(direction @ slope)
    length = 1.0
    if not state.steps:
        bend = curvature(state.w, direction) if curvature is not None else 0.0
        if bend > 0:
            length = -descent / bend
        elif inverse is None:
            length = 1.0 / max(float(np.linalg.norm(slope)), 1.0)
    orthant = np.where(state.w != 0, np.sign(state.w), -np.sign(slope)) if penalised else None
    while True:
        w = state.w + length * direction
        if orthant is not None:
            w[w * orthant < 0] = 0.0
        value, gradient = objective(w)
        state.evaluations += 1
        value = float(value + np.sum(l1 * np.abs(w)))
        promised = float(slope @ (w - state.w))
        if np.isfinite(value) and value <= state.value + _SUFFICIENT * promised and promised < 0:
            break
        # Where rounding hides the decrease, the slope at the end tells it (the approximate Wolfe condition).
        close = np.isfinite(value) and value - state.value <= _ROUNDING * abs(state.value)
        if close and direction @ least_subgradient(w, gradient, l1) <= (2.0 * _SUFFICIENT - 1.0) * descent:
            break
        # The least of the parabola through both values and the slope, within bounds.
        bend = value - state.value - length * descent
        guess = -descent * length * length / (2.0 * bend) if np.isfinite(bend) and bend > 0 else 0.5 * length
        length = min(max(guess, 0.1 * length), 0.5 * length)
        if length < _SHORTEST:
            if state.steps:  # the memory may be to blame
                state.steps.clear()
                state.changes.clear()
                return _iterate(objective, state, slope, inverse, l1, curvature, memory, history_dtype)
            state.status = "stalled"
            return None
    step, change = w - state.w, gradient - state.gradient
    if step @ change > _LEAST_CURVATURE * np.linalg.norm(step) * np.linalg.norm(change):
        if len(state.steps) == memory:
            state.steps.pop(0)
            state.changes.pop(0)
        state.steps.append(step.astype(history_dtype))
        state.changes.append(change.astype(history_dtype))
    state.w, state.gradient[:], state.value = w, gradient, value
    state.iteration += 1
    state.path.append(value)
    return None


def _two_loops(state: LBFGSState, slope: np.ndarray, inverse: np.ndarray | None) -> np.ndarray:
    """Minus the approximate inverse Hessian times the gradient (Nocedal, 1980)."""
    direction = -slope
    weights = []
    bends = [_dot(step, change) for step, change in zip(state.steps, state.changes)]
    for step, change, bend in zip(reversed(state.steps), reversed(state.changes), reversed(bends)):
        weight = _dot(step, direction) / bend
        direction -= weight * change
        weights.append(weight)
    if inverse is not None:
        direction *= inverse
    if state.steps:
        change = state.changes[-1]
        scaled = change if inverse is None else change * inverse
        direction *= bends[-1] / _dot(change, scaled)
    for step, change, bend, weight in zip(state.steps, state.changes, bends, reversed(weights)):
        direction += (weight - _dot(change, direction) / bend) * step
    return direction


def _dot(a: np.ndarray, b: np.ndarray) -> float:
    """In double precision, whatever the type of the pairs."""
    if a.dtype == b.dtype == np.float64:
        return float(np.dot(a, b))
    total = 0.0
    for first in range(0, len(a), _BLOCK):
        part = slice(first, first + _BLOCK)
        total += float(np.dot(a[part].astype(np.float64, copy=False), b[part].astype(np.float64, copy=False)))
    return total


def least_subgradient(w: np.ndarray, gradient: np.ndarray, l1: float | np.ndarray) -> np.ndarray:
    """The element of least size of the subdifferential: the gradient where there is no L1 penalty.

    Parameters
    ----------
    w, gradient : ndarray
        The point, and the gradient of the smooth part there.
    l1 : float or ndarray
        Weight of the absolute value of each coordinate.

    Returns
    -------
    ndarray
        Zero at the minimum, and only there.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import least_subgradient
    >>> least_subgradient(np.array([0.0, 2.0]), np.array([0.5, -1.0]), 1.0)
    array([0., 0.])
    """
    if not np.any(l1):
        return gradient
    at_zero = np.sign(gradient) * np.maximum(np.abs(gradient) - l1, 0.0)
    return np.where(w != 0, gradient + l1 * np.sign(w), at_zero)
