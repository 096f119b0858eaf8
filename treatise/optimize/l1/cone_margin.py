"""Few weights under conditions on norms: second-order cone programmes with an l1 objective, by column generation."""

from dataclasses import dataclass
from typing import NamedTuple

import clarabel
import numpy as np
from scipy import sparse

_FIRST = 16
"""Columns to begin with, of either kind: largest, and largest for their norms."""
_SMALL = 1e-6
"""Share of the largest weight below which a weight is what an interior-point method leaves of zero."""
_AT_REST = 1e-9
"""What a column may ask beyond the margin, as a share of it, and still stay out."""
_UNMET = 1e-5
"""Share of its terms by which a margin of the best weights found falls short where no weights meet the conditions."""
_ROUGH, _FINE = 1e-7, 1e-12
"""Precision of the programmes: to find columns, and of the last one."""


class NormCondition(NamedTuple):
    """``max(floor, scale * |matrix @ w|)``, one term of what a margin must exceed.

    Parameters
    ----------
    matrix : ndarray of shape (m, p)
        Linear map.
    scale : float
        Its factor, which need not be multiplied in.
    floor : float, default=0.0
        Least value of the term.
    """

    matrix: np.ndarray
    scale: float
    floor: float = 0.0

    def __call__(self, w):
        """Value of the term at weights."""
        return max(self.floor, self.scale * float(np.linalg.norm(self.matrix @ w)))


@dataclass(frozen=True)
class ConeMarginSolution:
    """Where the solver came to.

    Attributes
    ----------
    weights : ndarray of shape (p,)
        The weights, most of them zero.
    terms : ndarray of shape (n_conditions,)
        Values of the conditions' terms.
    objective : float
        Sum of absolute weights; infinite where no weights meet the conditions.
    lower_bound : float
        What no weights that meet the conditions undercut, from a point of the dual problem.
    violation : float
        Share of the sum of terms by which the margin falls short.
    n_iter : int
        Programmes solved.
    feasible : bool
        Whether any weights meet the conditions.
    converged : bool
        Whether objective, bound and violation agree within the tolerance.
    """

    weights: np.ndarray
    terms: np.ndarray
    objective: float
    lower_bound: float
    violation: float
    n_iter: int
    feasible: bool
    converged: bool

    @property
    def gap(self):
        """What the objective may be above the least value at most, as a share of it."""
        return (self.objective - self.lower_bound) / self.objective if self.feasible else np.inf


def minimize_l1_cone_margin(direction, conditions, *, tol=1e-7, max_iter=1000):
    """Minimise ``sum |w|`` subject to ``direction @ w >= sum of the conditions' terms``.

    Few weights differ from zero, so the programme is solved on a growing set of columns by an interior-point method
    (Clarabel), and the dual solution tells which other columns would lower the objective, or help to meet the
    conditions at all. When none does, the solution is that of all columns; the dual point is its certificate. Costs
    O(m p) for each of some ten rounds, besides the small programmes; memory is that of the matrices.

    Parameters
    ----------
    direction : ndarray of shape (p,)
        What the margin is measured along.
    conditions : sequence of NormCondition
        Terms; at least one has a floor above 0.
    tol : float, default=1e-7
        Largest duality gap and violation, as shares.
    max_iter : int, default=1000
        Most rounds.

    Returns
    -------
    solution : ConeMarginSolution

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import NormCondition, minimize_l1_cone_margin
    >>> noisy, quiet = np.diag([3.0, 1.0]), NormCondition(np.zeros((1, 2)), 0.0, 1.0)
    >>> plain = minimize_l1_cone_margin(np.array([2.0, 1.5]), [quiet])
    >>> plain.weights.round(6)
    array([0.5, 0. ])
    >>> careful = minimize_l1_cone_margin(np.array([2.0, 1.5]), [NormCondition(noisy, 1.0, 1.0)])
    >>> careful.weights.round(6), round(careful.objective, 6)
    (array([0.324028, 0.234629]), 0.558657)
    """
    size = float(np.abs(direction).max(initial=0.0))
    if size == 0.0:
        return _infeasible(len(direction), len(conditions), 0, proven=True)
    # In these units the margin is one over the sum of the floors at most, whatever the units of the columns.
    columns = _Columns(direction / size, [c._replace(scale=c.scale / size) for c in conditions])
    columns.start()
    answer, n_iter, precision, margin = columns.solve(_ROUGH), 1, _ROUGH, _SMALL
    while n_iter < max_iter:
        # A column without weight leaves as long as the margin grows, since no set of columns then comes twice.
        if answer.margin > (1.0 + _SMALL) * margin:
            answer, margin = columns.without_idle(answer), answer.margin
        if not columns.extend(answer):
            if precision == _FINE:
                break
            # All columns that matter are found; now what they weigh.
            precision = _FINE
            answer = columns.without_idle(answer)
        answer = columns.solve(precision)
        n_iter += 1
    finished = n_iter < max_iter
    if finished and (answer.shares <= _SMALL * answer.shares.max(initial=0.0)).any():
        columns.without_idle(answer)
        answer = columns.solve(_FINE)
        n_iter += 1
    return columns.solution(answer, size, n_iter, tol, finished=finished)


def _infeasible(p, n_conditions, n_iter, *, proven):
    return ConeMarginSolution(np.zeros(p), np.full(n_conditions, np.nan), np.inf, np.inf, np.inf, n_iter, False, proven)


class _Answer(NamedTuple):
    """Of one programme: shares of the columns in play, the margin, and what every column asks for (its dual price)."""

    shares: np.ndarray
    margin: float
    prices: np.ndarray


class _Columns:
    """The columns in play, each with the sign of its weight; both signs of a column may be in play.

    The programme is solved for weights whose absolute values sum to one at most, with the largest margin theta by which
    floors can be multiplied: the weights are those of the caller's programme times theta, and its objective is
    1 / theta. This one always has a solution; theta is zero where the caller's has none.
    """

    def __init__(self, direction, conditions):
        self.direction, self.conditions = direction, conditions
        self.chosen, self.signs = np.empty(0, dtype=np.intp), np.empty(0)

    def start(self):
        """The columns of the largest difference, and of the largest for their own norms."""
        squares = sum(c.scale**2 * np.einsum("ij,ij->j", c.matrix, c.matrix) for c in self.conditions)
        size = np.abs(self.direction)
        share = size / np.sqrt(np.maximum(squares, np.finfo(float).tiny + 1e-12 * squares.max()))
        first = np.union1d(np.argsort(-size, kind="stable")[:_FIRST], np.argsort(-share, kind="stable")[:_FIRST])
        self.take(first, self.direction)

    def take(self, columns, prices):
        """Bring columns into play, with the signs of their prices."""
        self.chosen = np.append(self.chosen, columns).astype(np.intp)
        self.signs = np.append(self.signs, np.where(prices[columns] < 0, -1.0, 1.0))

    def extend(self, answer):
        """Bring in the columns that ask most; gives how many there were."""
        size = np.abs(answer.prices)
        asks = size > max(answer.margin * (1.0 + _AT_REST), _AT_REST * size.max())
        same_sign = self.signs == np.where(answer.prices[self.chosen] < 0, -1.0, 1.0)
        asks[self.chosen[same_sign]] = False
        asking = np.flatnonzero(asks)
        most = max(_FIRST, len(self.chosen) // 2)
        asking = asking[np.argsort(-size[asking], kind="stable")[:most]]
        self.take(asking, answer.prices)
        return len(asking)

    def without_idle(self, answer):
        """Take the columns of no weight out of play, and out of the answer."""
        kept = answer.shares > _SMALL * answer.shares.max(initial=0.0)
        self.chosen, self.signs = self.chosen[kept], self.signs[kept]
        return answer._replace(shares=answer.shares[kept])

    def solve(self, precision):
        """The programme on the columns in play, over shares u >= 0, the margin theta and the terms t."""
        k, q = len(self.chosen), len(self.conditions)
        factors = [_triangle(c.matrix[:, self.chosen] * self.signs) for c in self.conditions]
        heights = [len(triangle) + 1 for _, triangle in factors]
        starts = k + 2 + q + np.concatenate([[0], np.cumsum(heights)])
        left = np.zeros((starts[-1], k + 1 + q))
        left[:k, :k] = -np.eye(k)
        left[k, :k] = 1.0  # sum u <= 1
        left[k + 1, :k], left[k + 1, k + 1 :] = -self.direction[self.chosen] * self.signs, 1.0  # d'w >= sum t
        left[k + 2 : starts[0], k] = [c.floor for c in self.conditions]  # t >= theta floor
        left[k + 2 : starts[0], k + 1 :] = -np.eye(q)
        for i, ((_, triangle), condition) in enumerate(zip(factors, self.conditions)):
            left[starts[i], k + 1 + i] = -1.0
            left[starts[i] + 1 : starts[i + 1], :k] = -condition.scale * triangle
        right = np.zeros(len(left))
        right[k] = 1.0
        cost = np.zeros(k + 1 + q)
        cost[k] = -1.0
        x, z = _interior_point(cost, left, right, starts[0], heights, precision)
        return _Answer(np.maximum(x[:k], 0.0), float(x[k]), self._prices(z, k + 1, starts, factors))

    def _prices(self, z, at, starts, factors):
        """What each column of the table is worth by the multipliers: none above ``b`` proves that no margin exceeds b.

        Multipliers are brought into their cones to the last digit, so that this holds whatever the solver's precision.
        """
        push = max(z[at], 0.0)
        prices, unit = push * self.direction, 0.0
        for i, ((rotation, _), condition) in enumerate(zip(factors, self.conditions)):
            pull = z[starts[i] + 1 : starts[i + 1]]
            length = float(np.linalg.norm(pull))
            pull = pull * min(1.0, push / length) if length > 0 else pull
            prices = prices + condition.scale * (rotation @ pull) @ condition.matrix
            unit += condition.floor * (push - float(np.linalg.norm(pull)))
        return prices / max(unit, np.finfo(float).tiny)

    def solution(self, answer, size, n_iter, tol, *, finished):
        """The weights in the units of the caller, with their certificate."""
        w = np.zeros(len(self.direction))
        np.add.at(w, self.chosen, self.signs * answer.shares / max(answer.margin, _AT_REST))
        terms = np.array([condition(w) for condition in self.conditions])
        objective = float(np.abs(w).sum())
        violation = max(0.0, 1.0 - float(self.direction @ w) / float(terms.sum()))
        if violation > _UNMET:
            return _infeasible(len(w), len(terms), n_iter, proven=finished)
        lower = 1.0 / float(np.abs(answer.prices).max())
        converged = bool(objective - lower <= tol * objective and violation <= tol)
        return ConeMarginSolution(w / size, terms, objective / size, lower / size, violation, n_iter, True, converged)


def _triangle(matrix):
    """Q and R of a matrix, so that a cone has no more dimensions than there are columns."""
    if len(matrix) <= matrix.shape[1]:
        return np.eye(len(matrix)), matrix
    return np.linalg.qr(matrix)


def _interior_point(cost, left, right, n_linear, heights, precision):
    """Solution and multipliers of ``min cost'x, right - left x in the cones``."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = precision
    cones = [clarabel.NonnegativeConeT(n_linear), *(clarabel.SecondOrderConeT(height) for height in heights)]
    n = len(cost)
    solver = clarabel.DefaultSolver(sparse.csc_array((n, n)), cost, sparse.csc_array(left), right, cones, settings)
    answer = solver.solve()
    return np.asarray(answer.x), np.asarray(answer.z)
