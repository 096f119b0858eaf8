"""Steps that the sums along all kinds of chains share."""

import numpy as np

from treatise._core.jit import compiled

_VANISHED = 1e-250
"""Numbers that lost their precision by underflow are as bad as none."""


# Loops in place of array expressions, which take the compiler longer than all the rest.
@compiled
def fill(values, value):
    """All entries take the value."""
    for i in range(len(values)):
        values[i] = value


@compiled
def carry(mass, weights, out):
    """Mass of each state after a move: ``mass @ weights``, row after row."""
    for j in range(len(out)):
        out[j] = 0.0
    for i in range(len(mass)):
        share = mass[i]
        for j in range(len(out)):
            out[j] += share * weights[i, j]


@compiled
def scale_to_one(values):
    """Divide by the sum, which is given back, or 0 where it has vanished and the values stay."""
    total = 0.0
    for i in range(len(values)):
        total += values[i]
    if not total > _VANISHED:
        return 0.0
    for i in range(len(values)):
        values[i] /= total
    return total


@compiled
def exponentials(scores, weights):
    """Exponentials of a matrix of scores less the largest, which is given back, or 0 where all are -inf."""
    highest = -np.inf
    for i in range(scores.shape[0]):
        for j in range(scores.shape[1]):
            highest = max(highest, scores[i, j])
    if highest == -np.inf:
        highest = 0.0
    for i in range(scores.shape[0]):
        for j in range(scores.shape[1]):
            weights[i, j] = np.exp(scores[i, j] - highest)
    return highest
