"""The group lasso for squared and, on orthonormal features, for logistic loss, along a path of penalties."""

from dataclasses import dataclass

import numpy as np

from treatise._core.jit import compiled
from treatise.optimize.penalties import GroupPenalty, group_norms, kept_share

_ROUNDS = 50
_MAJORISER = 0.25
"""The logistic loss bends nowhere more than this."""


@dataclass(frozen=True)
class GroupLassoSolution:
    """What a group lasso found at one penalty.

    Attributes
    ----------
    coef : ndarray of shape (n_columns,)
        Weights, zero for whole groups.
    intercept : float
        Constant, which is not penalised.
    norms : ndarray of shape (n_groups,)
        Norm of each group's weights.
    penalty : float
        The penalty.
    gap : float
        By how much the objective may exceed its minimum (squared loss), or the largest failure of a group's condition
        for the optimum (logistic loss).
    n_iter : int
        Passes over the active groups.
    converged : bool
        Whether the gap closed to the tolerance.
    """

    coef: np.ndarray
    intercept: float
    norms: np.ndarray
    penalty: float
    gap: float
    n_iter: int
    converged: bool


def group_penalty_limit(Q, starts, y):
    """The smallest penalty at which all groups are zero; the same for both losses.

    Parameters
    ----------
    Q, starts, y :
        As for :func:`group_lasso_path`.

    Returns
    -------
    limit : float
    """
    y = np.asarray(y, dtype=np.float64)
    return float(group_norms(Q @ (y - y.mean()) / len(y), starts).max(initial=0.0))


def group_lasso_path(
    Q, starts, y, penalties, *, tol=1e-8, max_iter=10_000, callback=None, orthonormal=True, center=True, start=None
):
    """Minimise ``|y - intercept - Q' b|^2 / 2 n + penalty * sum_j |b_j|`` for falling penalties.

    Groups of coordinates are minimised exactly where their features are orthonormal, else moved as far as the largest
    bend of the group allows, on a working set that starts from the sequential strong rule and grows until every group
    meets its condition; each penalty starts from the last. A pass costs n for each active feature, and each penalty a
    few products of Q with a vector.

    Parameters
    ----------
    Q : ndarray of shape (n_columns, n_samples)
        One feature per row, centred if there is an intercept.
    starts : ndarray of int of shape (n_groups + 1,)
        Group j has the rows ``starts[j]:starts[j + 1]``; it may be empty.
    y : ndarray of shape (n_samples,)
        Targets.
    penalties : ndarray
        From large to small.
    tol : float, default=1e-8
        Duality gap at which to stop, relative to half the variance of y.
    max_iter : int, default=10000
        Passes over the active groups at most, for each penalty.
    callback : callable or None, default=None
        Called with each solution; a true answer ends the path.
    orthonormal : bool, default=True
        Whether ``Q_j Q_j' / n`` is the identity for the rows of each group j.
    center : bool, default=True
        Whether there is an intercept; without one, y and Q are taken as they are.
    start : ndarray of shape (n_columns,) or None, default=None
        Weights to begin with.

    Returns
    -------
    solutions : list of GroupLassoSolution

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import group_lasso_path
    >>> Q = np.array([[1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0]])
    >>> found = group_lasso_path(Q, np.array([0, 1, 2]), np.array([4.0, 0.0, 2.0, -2.0]), [0.5])
    >>> found[0].coef
    array([1.5, 0.5])
    """
    y = np.asarray(y, dtype=np.float64)
    intercept = float(y.mean()) if center else 0.0
    state = _State(Q, starts, y - intercept, start, None if orthonormal else group_bends(Q, starts))
    scale = max(0.5 * float(np.mean(state.residual**2)), np.finfo(float).tiny)
    found: list[GroupLassoSolution] = []
    for penalty in penalties:
        gap, passes = state.solve(float(penalty), tol * scale, max_iter)
        norms = group_norms(state.coef, starts)
        found.append(
            GroupLassoSolution(state.coef.copy(), intercept, norms, float(penalty), gap, passes, gap <= tol * scale)
        )
        if callback is not None and callback(found[-1]):
            break
    return found


def group_logistic_path(Q, starts, y, penalties, *, tol=1e-6, max_iter=10_000, callback=None):
    """Minimise ``mean(log(1 + exp(f)) - y f) + penalty * sum_j |b_j|`` with ``f = intercept + Q' b``.

    The loss is majorised by a parabola of the largest bend, 1/4, on which every step is a group lasso; the objective
    never rises. Parameters as for :func:`group_lasso_path`, with y of zeros and ones.

    Parameters
    ----------
    Q, starts, penalties, max_iter, callback :
        As for :func:`group_lasso_path`.
    y : ndarray of shape (n_samples,)
        Zeros and ones, both present.
    tol : float, default=1e-6
        Largest failure of a group's condition for the optimum.

    Returns
    -------
    solutions : list of GroupLassoSolution
    """
    y = np.asarray(y, dtype=np.float64)
    if not 0 < y.mean() < 1:
        raise ValueError("all targets are equal, so the intercept would be infinite; both 0 and 1 must occur")
    coef, intercept = np.zeros(Q.shape[0]), float(np.log(y.mean() / (1 - y.mean())))
    f, before = np.full(len(y), intercept), np.inf
    pull = group_norms(Q @ (y - y.mean()) / len(y), starts)
    found: list[GroupLassoSolution] = []
    for penalty in map(float, penalties):
        active = (group_norms(coef, starts) > 0) | (pull >= (2 * penalty - before if np.isfinite(before) else penalty))
        passes, miss = 0, np.inf
        while True:
            groups = np.flatnonzero(active)
            f, intercept, used = _majorised_descent(
                Q, starts, y, groups, f, coef, intercept, penalty, 0.5 * tol, max_iter - passes
            )
            passes += used
            slope = y - 0.5 * (1 + np.tanh(f / 2))
            pull = group_norms(Q @ slope / len(y), starts)
            missed = (pull > penalty + tol) & ~active
            if not missed.any():
                miss = max(group_violation(Q, starts, slope, coef, penalty), abs(float(slope.mean())))
                break
            active |= missed
        before = penalty
        norms = group_norms(coef, starts)
        found.append(GroupLassoSolution(coef.copy(), intercept, norms, penalty, miss, passes, miss <= tol))
        if callback is not None and callback(found[-1]):
            break
    return found


def _majorised_descent(Q, starts, y, groups, f, coef, intercept, penalty, tol, max_iter):
    """The descent over some groups, ``coef`` in place; gives scores, intercept and passes."""
    rows = np.concatenate([np.arange(starts[j], starts[j + 1]) for j in groups]) if len(groups) else np.arange(0)
    part, local = (
        np.ascontiguousarray(Q[rows]),
        np.concatenate([[0], np.cumsum(np.diff(starts)[groups])]).astype(np.int64),
    )
    weights, scores = coef[rows], f.copy()
    intercept, passes = descend_majorised(part, local, y, scores, weights, intercept, penalty, tol, max_iter)
    coef[rows] = weights
    return scores, intercept, passes


class _State:
    """Weights and residual that move along the path."""

    def __init__(self, Q, starts, y, coef=None, bends=None):
        self.Q, self.starts, self.y = Q, starts, y
        self.bends = np.ones(len(starts) - 1) if bends is None else bends
        self.coef = np.zeros(Q.shape[0]) if coef is None else coef.copy()
        self.residual = y.astype(np.float64)
        if coef is not None and coef.any():
            used = np.flatnonzero(coef)
            self.residual = self.residual - coef[used] @ Q[used]
        self.correlation = None
        self.penalty = np.inf

    def solve(self, penalty, tol, max_iter):
        """Minimise at a penalty; gives the duality gap and the passes."""
        Q, starts, n = self.Q, self.starts, len(self.y)
        passes, gap = 0, np.inf
        if self.correlation is None:
            self.correlation = group_norms(Q @ self.residual / n, starts)
        nonzero = group_norms(self.coef, starts) > 0
        # The sequential strong rule: a group's correlation moves no faster than the penalty.
        strong = 2 * penalty - self.penalty if np.isfinite(self.penalty) else penalty
        active = nonzero | (self.correlation >= strong)
        step = np.sqrt(tol)
        for _ in range(_ROUNDS):
            passes += descend(
                Q, starts, np.flatnonzero(active), self.residual, self.coef, self.bends, penalty, step,
                max(max_iter - passes, 1),
            )  # fmt: skip
            self.correlation = group_norms(Q @ self.residual / n, starts)
            gap = self._gap(penalty)
            if gap <= tol or passes >= max_iter:
                break
            missed = (self.correlation > penalty * (1 + 1e-12)) & ~active
            if missed.any():
                active |= missed
            else:
                step /= 10
        self.penalty = penalty
        return gap, passes

    def _gap(self, penalty):
        """Objective less that of the residual, scaled into the dual's feasible set."""
        n = len(self.y)
        squares = float(self.residual @ self.residual)
        objective = squares / (2 * n) + GroupPenalty(penalty, self.starts).value(self.coef)
        largest = self.correlation.max(initial=0.0)
        scale = min(1.0, penalty / largest) if largest > 0 else 1.0
        dual = (2 * scale * float(self.residual @ self.y) - scale**2 * squares) / (2 * n)
        return max(objective - dual, 0.0)


@compiled
def group_violation(Q, starts, slope, coef, penalty):
    """Largest failure over groups of ``Q_j slope / n = penalty b_j / |b_j|``, or of its bound where b_j is zero."""
    n, largest = Q.shape[1], 0.0
    for j in range(len(starts) - 1):
        size = 0.0
        for e in range(starts[j], starts[j + 1]):
            size += coef[e] * coef[e]
        share = penalty / np.sqrt(size) if size > 0 else 0.0
        failure = 0.0
        for e in range(starts[j], starts[j + 1]):
            off = np.dot(Q[e], slope) / n - share * coef[e]
            failure += off * off
        failure = np.sqrt(failure)
        largest = max(largest, failure if size > 0 else failure - penalty)
    return largest


def group_bends(Q, starts):
    """The largest eigenvalue of ``Q_j Q_j' / n`` of each group; one where a group is empty or all zeros."""
    found = np.ones(len(starts) - 1)
    for j in range(len(found)):
        part = Q[starts[j] : starts[j + 1]]
        if part.any():
            found[j] = np.linalg.eigvalsh(part @ part.T / Q.shape[1])[-1]
    return found


@compiled
def sweep_groups(Q, starts, active, residual, coef, bends, penalty):
    """One pass over the active groups, in place; gives the largest change of a group.

    A row of Q is a feature. Where ``Q Q' / n`` is the identity within a group, whose bend is one, its minimum is its
    least squares solution shrunk towards zero; else that is the minimum of a parabola that bends as much everywhere.
    """
    n = Q.shape[1]
    widest = 0
    for j in active:
        widest = max(widest, starts[j + 1] - starts[j])
    target = np.empty(widest)
    largest = 0.0
    for j in active:
        first, width = starts[j], starts[j + 1] - starts[j]
        size = 0.0
        for e in range(width):
            target[e] = coef[first + e] + np.dot(Q[first + e], residual) / (n * bends[j])
            size += target[e] * target[e]
        size = np.sqrt(size)
        shrink = kept_share(size, penalty / bends[j])
        moved = 0.0
        for e in range(width):
            change = shrink * target[e] - coef[first + e]
            if change != 0.0:
                coef[first + e] += change
                row = Q[first + e]
                for i in range(n):
                    residual[i] -= change * row[i]
                moved += change * change
        largest = max(largest, np.sqrt(moved))
    return largest


@compiled
def descend(Q, starts, active, residual, coef, bends, penalty, tol, max_sweeps):
    """Passes over the active groups until none moves by more than ``tol``; gives their number."""
    for sweep in range(max_sweeps):
        if sweep_groups(Q, starts, active, residual, coef, bends, penalty) <= tol:
            return sweep + 1
    return max_sweeps


@compiled
def descend_majorised(Q, starts, y, scores, coef, intercept, penalty, tol, max_passes):
    """Parabola after parabola until the optimum's conditions fail by no more than ``tol``; gives intercept and passes.

    ``scores`` and ``coef`` are changed in place. A parabola touches the loss at the scores, and bends by 1/4 as the
    loss does at most; it is the group lasso of the target ``scores + slope / bend``.
    """
    n, everywhere, passes = len(y), np.arange(len(starts) - 1), 0
    bends = np.ones(len(starts) - 1)
    slope, residual = np.empty(n), np.empty(n)
    while passes < max_passes:
        mean_slope = mean_target = 0.0
        for i in range(n):
            slope[i] = y[i] - 0.5 * (1 + np.tanh(scores[i] / 2))
            mean_slope += slope[i] / n
            mean_target += (scores[i] + slope[i] / _MAJORISER) / n
        miss = max(group_violation(Q, starts, slope, coef, penalty), abs(mean_slope))
        if miss <= tol:
            break
        # What the groups have left to explain: the target less its mean, the best intercept, less what they explain.
        for i in range(n):
            residual[i] = slope[i] / _MAJORISER + intercept - mean_target
            slope[i] = scores[i] + slope[i] / _MAJORISER
        intercept = mean_target
        passes += descend(
            Q, starts, everywhere, residual, coef, bends, penalty / _MAJORISER, 0.1 * miss / _MAJORISER, 20
        )
        for i in range(n):
            scores[i] = slope[i] - residual[i]
    return intercept, passes
