"""Solver of l_p-norm multiple kernel learning: weights in closed form between steps of the machine, and its gap."""

import numpy as np

from treatise.kernel_methods.mkl._certificate import checked_forms, close_enough, primal_value, relative_gap, reward
from treatise.kernel_methods.mkl._mixture_base import MixtureSolution
from treatise.kernel_methods.mkl._mixture_machine import MixtureMachine
from treatise.kernel_methods.mkl._ridge_machine import RidgeMachine
from treatise.kernel_methods.mkl._simplex_cuts import SimplexCuts
from treatise.kernel_methods.mkl.weights import dual_norm, lp_kernel_weights

_FLOOR = 1e-30
"""Smallest weight while iterating: a weight of zero could not come back."""
_LARGEST_LOG_STEP = 8.0
_MEMORY = 5
"""Earlier steps from which the next one is extrapolated."""
_NEW_OBJECTS = 500
_LARGEST_SET = 2500
"""Objects that enter a working set at a time, and objects in it at most."""


def solve_lp_mkl(bank, problem, p, *, tol, max_iter, interleaved):
    """Kernel weights and machine to a relative duality gap of ``tol``.

    The wrapper solves the machine on all objects for every set of weights (Algorithm 1). The interleaved solver does
    that on a working set, whose rows alone it needs, and then looks for the objects that violate optimality most, as
    Algorithm 2 does. In both, the closed-form step is the map of a fixed-point iteration that Anderson's rule
    extrapolates; a step that does not lower the value is replaced by the plain one, so that Theorem 4 holds. For
    p = 1, which the theorem leaves out, the weights come from cutting planes.
    """
    if interleaved:
        return _interleaved(bank, problem, _equal_weights(bank, p), p, tol, max_iter)
    return _by_wrapper(MixtureMachine(bank, problem), problem.start, p, tol, max_iter)


def solve_ridge_mkl(bank, y, costs, p, *, tol, max_iter):
    """The same for the squared loss, by the wrapper: every machine is one linear system."""
    return _by_wrapper(RidgeMachine(bank, y, costs), None, p, tol, max_iter)


def _equal_weights(bank, p):
    return np.full(bank.n_kernels, float(bank.n_kernels) ** (-1.0 / p))


def _by_wrapper(machine, start, p, tol, max_iter):
    """Algorithm 1, or cutting planes where p = 1."""
    weights = _equal_weights(machine.bank, p)
    if p == 1.0:
        point, history, converged = _by_cuts(machine, weights, start, tol, max_iter)
    else:
        point, history, converged = _by_closed_form(machine, weights, start, p, tol, max_iter)
    lower = history[-1][1]
    if p == 1.0 and converged:
        point = _without_needless_kernels(machine, point, lower, tol)
    return MixtureSolution(
        point.weights, point.beta, point.offset, point.upper, lower, machine.n_solved, history, converged
    )


def _by_closed_form(machine, weights, alpha, p, tol, max_iter):
    """Alternate between the machine and the weights of Proposition 2.

    Returns the last point, the bounds after every step, and whether the gap is small.
    """
    point = machine.solve(weights, alpha, p, tol)
    lower, history, trail = point.lower, [(point.upper, point.lower)], []
    while not close_enough(point.upper, lower, point.weights @ point.forms, tol):
        if len(history) == max_iter:
            return point, history, False
        plain = lp_kernel_weights(point.weights * np.sqrt(point.forms), p)
        trail = [*trail[1 - _MEMORY :], (_logs(point.weights), _logs(plain))]
        new = machine.solve(_extrapolated(trail, p), point.alpha, p, tol, lower)
        if len(trail) > 1 and new.upper > point.upper:
            # The plain step never raises the value.
            new = machine.solve(plain, point.alpha, p, tol, lower)
            trail = []
        point, lower = new, max(lower, new.lower)
        history.append((point.upper, lower))
    return point, history, True


def _by_cuts(machine, weights, alpha, tol, max_iter):
    """p = 1, where the closed form may crawl: weights from the model that all machines so far make up."""
    cuts, best, lower, history = SimplexCuts([np.arange(len(weights))]), None, -np.inf, []
    for _ in range(max_iter):
        point = machine.solve(weights, alpha, 1.0, tol, lower)
        alpha = point.alpha
        cuts.add(point.reward, point.forms)
        if best is None or point.upper < best.upper:
            best = point
        lower = max(lower, point.lower, cuts.lower_bound())
        history.append((best.upper, lower))
        if close_enough(best.upper, lower, best.weights @ best.forms, tol):
            return best, history, True
        weights = cuts.next_weights(point.weights, best.upper, lower)
    return best, history, False


def _logs(weights):
    return np.log(np.maximum(weights, _FLOOR))


def _extrapolated(trail, p):
    """Anderson's step in the logarithms of the weights; large weights count more."""
    start, end = trail[-1]
    logs = end
    if len(trail) > 1:
        starts, ends = (np.array(part).T for part in zip(*trail))
        moves = ends - starts
        size = np.exp(0.5 * end)
        change = np.diff(moves, axis=1)
        shares = np.linalg.lstsq(change * size[:, None], moves[:, -1] * size, rcond=1e-8)[0]
        logs = np.clip(end - np.diff(ends, axis=1) @ shares, start - _LARGEST_LOG_STEP, start + _LARGEST_LOG_STEP)
    return _on_the_sphere(np.exp(logs - logs.max()), p)


def _on_the_sphere(weights, p):
    return np.ones(len(weights)) if np.isinf(p) else weights / (weights**p).sum() ** (1.0 / p)


def _without_needless_kernels(machine, point, lower, tol):
    """The sparse solution of p = 1: weights that the gap does not need become zero."""
    kept = point.weights >= 1e-3 * point.weights.max()
    sparse = machine.solve(_on_the_sphere(np.where(kept, point.weights, 0.0), 1.0), point.alpha, 1.0, tol, lower)
    return sparse if close_enough(sparse.upper, lower, sparse.weights @ sparse.forms, tol) else point


def _interleaved(bank, problem, weights, p, tol, max_iter):
    n, alpha = len(bank), np.clip(problem.start, 0.0, problem.upper)
    repeats = len(alpha) // n
    support = np.flatnonzero(_beta(problem, alpha, n))
    # scores[m] = K_m beta, the gradients that Algorithm 2 keeps for every kernel.
    scores = bank.products(support, _beta(problem, alpha, n)[support])
    cuts, history, lowest, n_machines, gap, offset = SimplexCuts([np.arange(len(weights))]), [], -np.inf, 0, 1.0, 0.0
    for _ in range(max_iter):
        chosen = _working_set(bank, problem, alpha, weights @ scores)
        variables = (chosen + n * np.arange(repeats)[:, None]).ravel()
        machine = MixtureMachine(bank, problem, chosen, alpha, scores)
        point, _, _ = _by_closed_form(machine, weights, alpha[variables], p, max(0.1 * gap, 0.3 * tol), 20)
        n_machines += machine.n_solved
        before = _beta(problem, alpha, n)
        alpha[variables] = point.alpha
        beta = _beta(problem, alpha, n)
        moved = np.flatnonzero(beta != before)
        scores += bank.products(moved, (beta - before)[moved])
        weights, offset, forms = point.weights, point.offset, checked_forms(scores @ beta)
        gain = reward(problem, alpha)
        upper = primal_value(problem, weights @ forms, weights @ scores, offset)
        lowest = max(lowest, gain - 0.5 * dual_norm(forms, p))
        if p == 1.0:
            cuts.add(gain, forms)
            lowest = max(lowest, cuts.lower_bound())
        history.append((upper, lowest))
        gap, converged = relative_gap(upper, lowest), close_enough(upper, lowest, weights @ forms, tol)
        if converged:
            break
    return MixtureSolution(weights, beta, offset, upper, lowest, n_machines, history, converged)


def _beta(problem, alpha, n):
    return (problem.signs * alpha).reshape(-1, n).sum(axis=0)


def _working_set(bank, problem, alpha, scores):
    """Objects between their bounds, and those that violate optimality most at either end."""
    n = len(bank)
    pull = problem.pull - np.tile(scores, len(alpha) // n)
    rises = np.where(problem.signs > 0, alpha < problem.upper, alpha > 0)
    falls = np.where(problem.signs > 0, alpha > 0, alpha < problem.upper)
    highest = np.where(rises, pull, -np.inf).reshape(-1, n).max(axis=0)
    lowest = np.where(falls, pull, np.inf).reshape(-1, n).min(axis=0)
    between = ((alpha > 0) & (alpha < problem.upper)).reshape(-1, n).any(axis=0)
    most = min(n, _LARGEST_SET, bank.n_rows_held)
    # At the start all objects violate alike: the order among equals must not follow that of the rows.
    order = np.random.default_rng(0).permutation(n)
    up = order[np.argsort(-highest[order], kind="stable")]
    down = order[np.argsort(lowest[order], kind="stable")]
    new = np.stack([up, down], axis=1).ravel()
    both_ends = new[: min(_NEW_OBJECTS, most)]
    chosen = np.unique(np.concatenate([both_ends, np.flatnonzero(between)]))
    if len(chosen) > most:
        _, first = np.unique(new, return_index=True)
        chosen = np.unique(new[np.sort(first)[:most]])
    return chosen
