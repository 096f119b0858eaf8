"""Block coordinate descent over groups of orthonormal features."""

import numpy as np

from treatise._core.jit import compiled
from treatise.optimize.penalties import kept_share


@compiled
def sweep_groups(Q, starts, active, residual, coef, penalty):
    """One pass over the active groups, in place; gives the largest change of a group.

    A row of Q is a feature, and ``Q Q' / n`` is the identity within a group, so a group's minimum is its least squares
    solution shrunk towards zero.
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
            target[e] = coef[first + e] + np.dot(Q[first + e], residual) / n
            size += target[e] * target[e]
        size = np.sqrt(size)
        shrink = kept_share(size, penalty)
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
def descend(Q, starts, active, residual, coef, penalty, tol, max_sweeps):
    """Passes over the active groups until none moves by more than ``tol``; gives their number."""
    for sweep in range(max_sweeps):
        if sweep_groups(Q, starts, active, residual, coef, penalty) <= tol:
            return sweep + 1
    return max_sweeps
