"""Projected subgradient descent on a difference of convex functions (Cuturi & Avis, JMLR 15:533, Algorithm 2)."""

from dataclasses import dataclass

import numpy as np

from treatise.metric.ground.nearest import project

RECENT = 8
"""Steps over which progress is measured."""
CLOSENESS, MOST_SWEEPS = 1e-3, 200
"""How near to the nearest metric a step must end, as a share of its size: steps are far longer."""


@dataclass
class Descent:
    """Where a descent is: the best metric so far, the criterion at each outer step, and the steps taken."""

    metric: np.ndarray
    path: list
    n_steps: int
    converged: bool


def descend(alike, unlike, start, *, step, max_outer, max_inner, min_inner, tol, exact, advance):
    """Algorithm 2: at each outer step the concave part S+ gives way to its tangent, which lies above it."""
    metric = start
    value, slope = alike.value_and_gradient(metric)
    criterion = value + unlike.value(metric)
    found = Descent(metric, [criterion], 0, False)
    for _ in range(max_outer):
        metric, steps = _inner(unlike, metric, slope, step, max_inner, min_inner, tol, exact)
        found.n_steps += steps
        value, slope = alike.value_and_gradient(metric)
        criterion = value + unlike.value(metric)
        before = min(found.path)
        if criterion < before:
            found.metric = metric
        found.path.append(criterion)
        advance(1)
        if criterion > before - tol * abs(before):
            found.converged = True
            break
    return found


def _inner(unlike, metric, tangent, step, max_inner, min_inner, tol, exact):
    """Subgradient steps on S- and the tangent of S+: the last metric, and the number of steps."""
    heights = []
    for q in range(1, max_inner + 1):
        value, slope = unlike.value_and_gradient(metric)
        heights.append(value + float(np.sum(tangent * metric)))
        if q > min_inner and heights[-1] > heights[-1 - RECENT] - tol * abs(heights[-1 - RECENT]):
            return metric, q
        # The paper divides by the root of a count from zero; from one is meant.
        metric = stepped(metric, step / np.sqrt(q) * (tangent + slope), exact)
    return metric, max_inner


def stepped(metric, change, exact):
    """The metric of total one after a change: projected and scaled, as in the paper, or projected on both at once.

    A step so long that nothing of the metric is left is halved until something is.
    """
    while True:
        target = np.triu(metric - change, 1)
        found = project(target, 1.0 if exact else None, CLOSENESS, MOST_SWEEPS).metric
        total = found.sum()
        if total > 1e-6:
            return found / total
        change = change / 2.0
