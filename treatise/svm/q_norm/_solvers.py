"""The three ways to train a q-norm soft margin machine, each where it is the fastest."""

from dataclasses import dataclass

import numpy as np

from treatise.optimize import Loss, SVMDualProblem, minimize_kernel_newton, solve_svm_dual
from treatise.svm.q_norm._loops import CONVERGED, NEEDS_ROWS, PAUSED, Multipliers, move_pairs

_LARGEST_POWER_OF_PAIRS = 3.0
"""Beyond, pairs take too many steps: 5 000 rows took 28 000 of them for q = 3, and over 10^6 for q = 5."""


@dataclass(frozen=True)
class QNormSolution:
    """Multipliers, scores without the offset, offset, values of both problems, steps, and whether they were enough."""

    alpha: np.ndarray
    scores: np.ndarray
    offset: float
    primal: float
    dual: float
    n_iter: int
    converged: bool

    @property
    def gap(self):
        """Duality gap as a share of the objective."""
        return (self.primal - self.dual) / max(abs(self.primal), np.finfo(float).tiny)


@dataclass(frozen=True)
class QHinge(Loss):
    """The loss ``max(0, 1 - y s) ** q`` with what Newton's method asks for; twice differentiable for q >= 2."""

    q: float
    name = "q-norm hinge"
    of_labels = True

    def value(self, y, s):
        """The loss."""
        return self._slack(y, s) ** self.q

    def derivative(self, y, s):
        """Its slope in the score."""
        return -self.q * y * self._slack(y, s) ** (self.q - 1.0)

    def curvature(self, y, s):
        """Its curvature in the score, from the curved side."""
        xi = self._slack(y, s)
        return np.where(xi > 0, self.q * (self.q - 1.0) * np.where(xi > 0, xi, 1.0) ** (self.q - 2.0), 0.0)

    @staticmethod
    def _slack(y, s):
        return np.maximum(0.0, 1.0 - y * s)


def solve_q_norm(rows, whole_gram, y, costs, q, tol, max_iter):
    """Minimise ``|f|^2 / 2 + sum_i costs_i xi_i^q`` over functions of the kernel with an offset.

    The hinge by the solver of ordinary machines (q = 1); pairs of multipliers up to q = 3; beyond, where the infinite
    slopes of the dual at zero slow the pairs down, Newton's method on the primal. ``whole_gram`` is called for the Gram
    matrix if need be.
    """
    if q == 1.0:
        found = solve_svm_dual(rows, SVMDualProblem.classification(y, costs), tol=tol, max_iter=max_iter)
        return _solution(found.alpha, found.scores, found.offset, y, costs, q, found.n_iter, found.converged)
    if q <= _LARGEST_POWER_OF_PAIRS:
        return _by_pairs(rows, y, costs, q, tol, max_iter)
    gram = whole_gram()
    total = costs.sum()
    found = minimize_kernel_newton(
        gram, y, QHinge(q), 1.0 / (2.0 * total), basis=np.ones((len(y), 1)), weights=costs / total,
        tol=1e-3 * tol, max_iter=1000 if max_iter is None else max_iter,
    )  # fmt: skip
    offset = float(found.free_coef[0])
    alpha, scores = np.maximum(y * found.coef, 0.0), found.scores - offset
    return _solution(alpha, scores, offset, y, costs, q, found.n_iter, found.converged)


def _by_pairs(rows, y, costs, q, tol, max_iter):
    # At zero the slack has a slope for q = 2 alone.
    bend = rows.diagonal + (1.0 / (2.0 * costs) if q == 2.0 else 0.0)
    alpha, (rises, falls) = np.zeros(len(y)), np.empty((2, len(y)), bool)
    multipliers = Multipliers(alpha, y, costs, rows.diagonal, y.copy(), bend, rises, falls)
    left = max(10**7, 100 * len(y)) if max_iter is None else max_iter
    n_iter = 0
    while True:
        status, i, j, done, lowest, highest = move_pairs(
            rows.store, rows.slot_of, rows.used, rows.clock, multipliers, q, tol, min(left - n_iter, 10_000)
        )  # fmt: skip
        rows.clock += done
        n_iter += done
        if status == NEEDS_ROWS:
            rows.fetch([i, j])
        elif status != PAUSED or n_iter >= left:
            break
    support = np.flatnonzero(alpha)
    scores = rows.product(support, (y * alpha)[support])
    # Every multiplier above zero names the offset.
    named = (y - scores - y * _slacks(alpha, costs, q))[support]
    offset = float(np.mean(named)) if len(named) else (lowest + highest) / 2.0
    return _solution(alpha, scores, offset, y, costs, q, n_iter, status == CONVERGED)


def _slacks(alpha, costs, q):
    return (alpha / (q * costs)) ** (1.0 / (q - 1.0))


def _solution(alpha, scores, offset, y, costs, q, n_iter, converged):
    length = float(alpha @ (y * scores))
    primal = 0.5 * length + float(costs @ np.maximum(0.0, 1.0 - y * (scores + offset)) ** q)
    dual = float(alpha.sum()) - 0.5 * length
    if q > 1.0:
        # Conjugate of costs xi^q at alpha: (1 - 1/q) alpha xi.
        dual -= (1.0 - 1.0 / q) * float(alpha @ _slacks(alpha, costs, q))
    return QNormSolution(alpha, scores, float(offset), primal, dual, int(n_iter), bool(converged))
