"""A support vector machine on a mixture of kernels, over all objects or over some with the others held."""

from dataclasses import dataclass, replace

import numpy as np

from treatise.kernel_methods.mkl._certificate import checked_forms, close_enough, primal_value, reward
from treatise.kernel_methods.mkl.weights import dual_norm
from treatise.kernels import GramRows
from treatise.optimize import SVMDualProblem, solve_svm_dual

LOOSEST, TIGHTEST = 1e-2, 1e-13
"""Tolerances of the machine, in units of the score."""
_SHARE = 0.05
"""Part of the gap that the machine itself may leave: extrapolated weights need values that can be compared."""


@dataclass(frozen=True)
class MachinePoint:
    """The machine at one set of kernel weights.

    ``upper`` is no less than the value at these weights, ``lower`` no more than the value at the best ones; both are
    of the problem over the variables that may move.
    """

    weights: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray
    offset: float
    reward: float
    forms: np.ndarray
    upper: float
    lower: float


class MixtureMachine:
    """Solves the machine for given kernel weights, warm-started and no more exactly than the gap asks for.

    Parameters
    ----------
    bank : KernelBank
        The kernels.
    problem : SVMDualProblem
        The machine over all objects.
    positions : ndarray of int or None, default=None
        The objects that may move; None lets all.
    alpha, scores : ndarray of shape (n_variables,) and (n_kernels, n)
        With ``positions``: where all variables stand, and ``K_m beta`` there.
    """

    def __init__(self, bank, problem, positions=None, alpha=None, scores=None):
        self.bank, self.problem, self.positions = bank, problem, positions
        self.tol, self.n_solved = LOOSEST, 0
        self._held_reward, self._held_forms, self._pushes = 0.0, 0.0, None
        if positions is not None:
            self._hold_others(alpha, scores)

    def _hold_others(self, alpha, scores):
        """What the objects that do not move put into the scores, forms and rewards of those that do."""
        problem, positions, n = self.problem, self.positions, len(self.bank)
        variables = (positions + n * np.arange(len(alpha) // n)[:, None]).ravel()
        beta = (problem.signs * alpha).reshape(-1, n).sum(axis=0)
        moving = beta[positions]
        own = self.bank.block_products(positions, moving)
        self._pushes = scores[:, positions] - own
        self._held_forms = scores @ beta - 2.0 * self._pushes @ moving - own @ moving
        self._held_reward = reward(problem, alpha)
        self.problem = SVMDualProblem(
            problem.signs[variables], problem.pull[variables], problem.upper[variables], alpha[variables]
        )
        self._held_reward -= reward(self.problem, alpha[variables])

    def solve(self, weights, alpha, p, tol, known_lower=-np.inf):
        """The machine at these kernel weights, from ``alpha`` on.

        Its own gap is brought to a twentieth of the one that the weights leave, or the whole gap below ``tol``.
        ``known_lower`` is a lower bound of the best value from elsewhere.
        """
        whole = self.positions is None
        if whole:
            gram, problem = self.bank.mixture(weights), self.problem
        else:
            gram = self.bank.block_mixture(self.positions, weights)
            push = np.tile(weights @ self._pushes, len(self.problem.signs) // len(self.positions))
            problem = replace(self.problem, pull=self.problem.pull - push)
        rows = GramRows.precomputed(gram)
        self.n_solved += 1
        while True:
            solution = solve_svm_dual(rows, replace(problem, start=alpha), tol=self.tol)
            alpha, beta = solution.alpha, solution.beta
            own = float(beta @ solution.scores)
            slack = primal_value(problem, own, solution.scores, solution.offset) - (reward(problem, alpha) - 0.5 * own)
            forms = self._forms(beta)
            value = self._held_reward + reward(self.problem, alpha)
            lower = value - 0.5 * dual_norm(forms, p)
            upper = value - 0.5 * weights @ forms + slack
            known = max(lower, known_lower)
            enough = slack <= _SHARE * (upper - known) or close_enough(upper, known, weights @ forms, tol)
            if enough or self.tol <= TIGHTEST:
                return MachinePoint(weights, alpha, beta, solution.offset, value, forms, upper, lower)
            self.tol = max(0.3 * self.tol, TIGHTEST)

    def _forms(self, beta):
        if self.positions is None:
            return checked_forms(self.bank.quadratic_forms(beta))
        own = self.bank.block_products(self.positions, beta)
        return checked_forms(self._held_forms + 2.0 * self._pushes @ beta + own @ beta)
