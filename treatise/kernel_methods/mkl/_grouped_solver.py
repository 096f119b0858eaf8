"""Kernels in groups, l_1 within a group and l_2q over the groups: mirror descent (Algorithms 2 and 3), then cuts."""

from dataclasses import dataclass, replace

import numpy as np

from treatise.kernel_methods.mkl._certificate import checked_forms, primal_value, relative_gap, reward
from treatise.kernel_methods.mkl._mixture_base import MixtureSolution
from treatise.kernel_methods.mkl._mixture_machine import LOOSEST, TIGHTEST
from treatise.kernel_methods.mkl._simplex_cuts import SimplexCuts
from treatise.kernels import GramRows
from treatise.optimize import solve_svm_dual

_NEGLIGIBLE = 1e-12
"""Share of the largest group below which a group counts as empty-handed."""
_NEEDLESS = 1e-3
"""Share of the largest weight of its group below which a kernel may be dropped in the end."""


def conjugate(q):
    """``q / (q - 1)``, infinite at one and one at infinity."""
    if q == 1.0:
        return np.inf
    return 1.0 if np.isinf(q) else q / (q - 1.0)


def group_gammas(parts, q):
    """The gammas that maximise ``-sum_j parts[j] / gamma[j]`` with ``sum_j gamma[j]^q* <= 1`` (Lemma 2.2 repaired)."""
    power = conjugate(q)
    if np.isinf(power):
        return np.ones(len(parts))
    parts = np.maximum(parts, _NEGLIGIBLE * max(parts.max(), np.finfo(float).tiny))
    roots = (parts / parts.max()) ** (1.0 / (power + 1.0))
    return roots / (roots**power).sum() ** (1.0 / power)


def grouped_norm(lengths, groups, q):
    """``( sum_j ( sum_k lengths_jk )^2q )^(1/q)``: twice the penalty of a machine with parts of these lengths."""
    sums = np.array([lengths[group].sum() for group in groups])
    largest = sums.max()
    if largest == 0.0 or np.isinf(q):
        return float(largest**2)
    return float(largest**2 * ((sums / largest) ** (2.0 * q)).sum() ** (1.0 / q))


def grouped_dual_norm(forms, groups, q):
    """``( sum_j max_k forms_jk^(r/2) )^(2/r)`` with ``r = 2q / (2q - 1)``, the conjugate of the penalty."""
    roots = np.sqrt([forms[group].max() for group in groups])
    power = 1.0 if np.isinf(q) else 2.0 * q / (2.0 * q - 1.0)
    largest = roots.max()
    if largest == 0.0:
        return 0.0
    return float(largest**2 * ((roots / largest) ** power).sum() ** (2.0 / power))


@dataclass(frozen=True)
class OraclePoint:
    """The machine at one set of weights within the groups."""

    shares: np.ndarray
    gammas: np.ndarray
    weights: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray
    offset: float
    forms: np.ndarray
    value: float
    upper: float
    lower: float
    slack: float


class GroupedOracle:
    """Machine and group weights for given weights within the groups, by block coordinate ascent (Algorithm 2)."""

    def __init__(self, bank, problem, groups, q, tol):
        self.bank, self.problem, self.groups, self.q, self.tol = bank, problem, groups, q, tol
        self.machine_tol = LOOSEST
        self.n_machines, self.most_rounds = 0, 0
        self.group_of = np.empty(bank.n_kernels, np.int64)
        for j, group in enumerate(groups):
            self.group_of[group] = j

    def solve(self, shares, gammas, alpha, most_rounds=20):
        """Alternate between the machine and the gammas until the value rises by less than a tenth of ``tol``."""
        value, rounds = -np.inf, 0
        while True:
            rounds += 1
            weights = shares / gammas[self.group_of]
            rows = GramRows.precomputed(self.bank.mixture(weights))
            solution = solve_svm_dual(rows, replace(self.problem, start=alpha), tol=self.machine_tol)
            alpha, beta = solution.alpha, solution.beta
            self.n_machines += 1
            forms = checked_forms(self.bank.quadratic_forms(beta))
            gain = reward(self.problem, alpha)
            parts = np.bincount(self.group_of, shares * forms, len(self.groups))
            new_gammas = group_gammas(parts, self.q)
            before, value = value, gain - 0.5 * float((parts / new_gammas).sum())
            fixed = len(self.groups) == 1 or self.q == 1.0
            if fixed or rounds == most_rounds or value - before <= 0.1 * self.tol * abs(value):
                break
            gammas = new_gammas
        self.most_rounds = max(self.most_rounds, rounds)
        own = float(weights @ forms)
        single = primal_value(self.problem, own, solution.scores, solution.offset)
        penalty = grouped_norm(weights * np.sqrt(forms), self.groups, self.q)
        return OraclePoint(
            shares=shares, gammas=new_gammas, weights=weights, alpha=alpha, beta=beta, offset=solution.offset,
            forms=forms, value=value, upper=single + 0.5 * (penalty - own),
            lower=gain - 0.5 * grouped_dual_norm(forms, self.groups, self.q), slack=single - (gain - 0.5 * own),
        )  # fmt: skip

    def gradient(self, point):
        """Derivative of the value by the weights within the groups (footnote 6)."""
        return -0.5 * point.forms / point.gammas[self.group_of]


def solve_grouped_mkl(bank, problem, groups, q, *, step, tol, max_iter):
    """Weights by mirror descent with entropies (Algorithm 3), then by cuts, to a relative duality gap of ``tol``.

    Where many kernels are nearly as good as each other, steps that shrink as slowly as the algorithm's go back and
    forth between them, and its bound, of one machine alone, hardly rises. So a step that does not lower the value is
    the last one: from there on the weights come from the model that all machines so far make up.

    Returns the solution, the weights ``1 / gamma`` of the groups, and the most rounds that the oracle took.
    """
    oracle = GroupedOracle(bank, problem, groups, q, tol)
    shares = np.concatenate([np.full(len(group), 1.0 / len(group)) for group in groups])[_inverse(groups)]
    gammas = group_gammas(np.ones(len(groups)), q)
    alpha, best, lower, history = problem.start, None, -np.inf, []
    cuts, descends = SimplexCuts(groups), True
    for t in range(1, max_iter + 1):
        point = oracle.solve(shares, gammas, alpha)
        alpha, gammas = point.alpha, point.gammas
        cuts.add(reward(problem, alpha), point.forms / gammas[oracle.group_of])
        if best is None or point.upper < best.upper:
            best = point
        else:
            descends = False
        lower = max(lower, point.lower)
        if not descends:
            lower = max(lower, cuts.lower_bound())
        history.append((best.upper, lower))
        if relative_gap(best.upper, lower) <= tol:
            break
        if point.slack > 0.05 * (best.upper - lower):
            oracle.machine_tol = max(0.3 * oracle.machine_tol, TIGHTEST)
        if descends:
            shares = _mirror_step(shares, oracle.gradient(point), step / np.sqrt(t), groups)
        else:
            shares = cuts.next_weights(shares, best.upper, lower)
    best, lower = _without_needless_kernels(oracle, best, lower, tol)
    converged = relative_gap(best.upper, lower) <= tol
    solution = MixtureSolution(
        best.weights, best.beta, best.offset, best.upper, lower, oracle.n_machines, history, converged
    )
    shares_of_groups = np.array([best.weights[group].sum() for group in groups])
    return solution, shares_of_groups, oracle.most_rounds


def _mirror_step(shares, gradient, length, groups):
    """A step of entropic mirror descent; its length is in units of the largest derivative."""
    size = np.abs(gradient).max()
    widest = max(len(group) for group in groups)
    moves = length * np.sqrt(np.log(max(widest, 2))) * gradient / size if size > 0 else np.zeros_like(gradient)
    new = np.empty_like(shares)
    for group in groups:
        logs = np.log(np.maximum(shares[group], 1e-300)) - moves[group]
        powers = np.exp(logs - logs.max())
        new[group] = powers / powers.sum()
    return new


def _without_needless_kernels(oracle, best, lower, tol):
    """Entropic steps never reach zero: drop small weights, solve once more, and keep that if the gap allows."""
    shares = best.shares.copy()
    for group in oracle.groups:
        part = np.where(shares[group] >= _NEEDLESS * shares[group].max(), shares[group], 0.0)
        shares[group] = part / part.sum()
    if np.array_equal(shares, best.shares):
        return best, lower
    sparse = oracle.solve(shares, best.gammas, best.alpha)
    lower = max(lower, sparse.lower)
    allowed = max(tol, relative_gap(best.upper, lower))
    return (sparse, lower) if relative_gap(sparse.upper, lower) <= allowed else (best, lower)


def _inverse(groups):
    """Positions in the concatenated groups of every kernel."""
    return np.argsort(np.concatenate(groups), kind="stable")
