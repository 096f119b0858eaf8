"""Sequential support vector machines: one task moves at a time (JMLR 12:75, Section 10 and Algorithm 1)."""

from dataclasses import dataclass

import numpy as np

from treatise.kernels import GramRows
from treatise.optimize import SVMDualProblem, solve_svm_dual

_INNER = 0.1
"""Precision of a task's programme, as a share of what it has to gain."""
_ENOUGH = 1e-4
"""Share of the gain that a model promises which a step must bring."""


@dataclass(frozen=True)
class Targets:
    """What a task asks of its scores: a margin of one on the right side, or to be within a tube about a number.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Labels -1 and 1, or numbers.
    upper : float
        Largest multiplier, C.
    tube : float or None
        Half the width of the tube; None for labels.
    """

    values: np.ndarray
    upper: float
    tube: float | None = None

    def gain(self, b):
        """The linear part of the objective."""
        return float(self.values @ b - (self.tube or 0.0) * np.abs(b).sum())

    def programme(self, pull, b):
        """The programme of a support vector machine that rests at scores ``pull``."""
        upper = np.full(len(b), float(self.upper))
        if self.tube is None:
            return SVMDualProblem(self.values, pull, upper, np.abs(b))
        return SVMDualProblem(
            np.concatenate([np.ones(len(b)), -np.ones(len(b))]), np.concatenate([pull - self.tube, pull + self.tube]),
            np.concatenate([upper, upper]), np.concatenate([np.maximum(b, 0.0), np.maximum(-b, 0.0)]),
        )  # fmt: skip

    def offset(self, scores, b):
        """The offset, and the width by which the optimality conditions on it miss each other."""
        problem = self.programme(self.values - scores, b)
        inside = 1e-12 * self.upper
        rises = np.where(problem.signs > 0, problem.start < problem.upper - inside, problem.start > inside)
        falls = np.where(problem.signs > 0, problem.start > inside, problem.start < problem.upper - inside)
        lowest = problem.pull[falls].min(initial=np.inf)
        highest = problem.pull[rises].max(initial=-np.inf)
        between = problem.pull[rises & falls]
        if len(between):
            offset = float(between.mean())
        else:
            ends = [end for end in (lowest, highest) if np.isfinite(end)]
            offset = float(np.mean(ends)) if ends else 0.0
        return offset, max(float(highest - lowest), 0.0)


@dataclass(frozen=True)
class Discrimination:
    """Where the sweeps came to.

    Attributes
    ----------
    multipliers : list of ndarray
        Signed multipliers of each task's rows.
    offsets : ndarray of shape (n_tasks,)
        Offsets.
    objectives : ndarray of shape (n_iter + 1,)
        The objective at the start and after each sweep; it never falls.
    violation : float
        Largest violation of a task's optimality conditions, in units of the score.
    n_iter : int
        Sweeps.
    converged : bool
        Whether the violation is within the tolerance.
    """

    multipliers: list
    offsets: np.ndarray
    objectives: np.ndarray
    violation: float
    n_iter: int
    converged: bool


def discriminate(coupling, targets, *, tol, max_iter, start=None):
    """Maximise the objective of coupled tasks.

    A sweep goes through the tasks; each moves to the optimum of a quadratic model of its part, as of a support vector
    machine. With exact curvature a step is halved until it brings what it should; with the bound it need not be.

    Parameters
    ----------
    coupling : Switches
        The state of the tasks, at zero.
    targets : list of Targets
        One for each task.
    tol : float
        Largest violation of the optimality conditions.
    max_iter : int
        Most sweeps.
    start : list of ndarray or None, default=None
        Signed multipliers to begin with, within their bounds.

    Returns
    -------
    discrimination : Discrimination
    """
    multipliers = [np.zeros(len(target.values)) for target in targets]
    for m, b in enumerate(start or []):
        coupling.move(m, 1.0, coupling.along(m, b)[1])
        multipliers[m] = b
    objectives, n_iter, violation = [_objective(coupling, targets, multipliers)], 0, np.inf
    while n_iter < max_iter:
        n_iter += 1
        for m, target in enumerate(targets):
            multipliers[m] = _move(coupling, m, target, multipliers[m], tol)
        ends = [target.offset(coupling.scores(m), multipliers[m]) for m, target in enumerate(targets)]
        violation = max(width for _, width in ends)
        objectives.append(_objective(coupling, targets, multipliers))
        if violation <= tol:
            break
    offsets = np.array([offset for offset, _ in ends])
    return Discrimination(multipliers, offsets, np.array(objectives), violation, n_iter, bool(violation <= tol))


def _objective(coupling, targets, multipliers):
    """J of Section 10, zero without multipliers."""
    return sum(target.gain(b) for target, b in zip(targets, multipliers)) - coupling.cost(coupling.q)


def _move(coupling, m, target, b, tol):
    """Step 3 of Algorithm 1 for one task; gives its multipliers."""
    scores = coupling.scores(m)
    width = target.offset(scores, b)[1]
    if width <= _INNER * tol:
        return b
    curvature = coupling.curvature(m)
    pull = target.values - scores + curvature @ b
    inner = max(_INNER * min(width, 1.0), 0.5 * _INNER * tol) if coupling.alpha > 0 else 0.5 * tol
    found = solve_svm_dual(GramRows.precomputed(curvature), target.programme(pull, b), tol=inner)
    step = found.beta - b
    cost, along = coupling.along(m, step)
    now = target.gain(b) - cost(0.0)
    promised = (target.gain(b + step) - target.gain(b)) - scores @ step
    share = 1.0
    while coupling.exact and share > 1e-6:
        if target.gain(b + share * step) - cost(share) >= now + _ENOUGH * share * promised - 1e-12 * abs(now):
            break
        share *= 0.5
    coupling.move(m, share, along)
    return b + share * step
