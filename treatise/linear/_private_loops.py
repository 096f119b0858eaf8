"""Margin losses with bounded slope and curvature, and the Gram matrix of weighted sparse rows.

The losses are those of Section 3.4 of the paper: logistic, Huber (Equation 7), and the hinge smoothed by a polynomial
of fourth degree, which is twice differentiable everywhere. ``h`` is half the width of the smoothed corner.
"""

import math

from treatise._core.jit import compiled

LOGISTIC, HUBER, SMOOTH_HINGE = range(3)


@compiled
def loss_at(kind, h, z):
    """Value, slope and curvature of the loss of one margin z."""
    if kind == LOGISTIC:
        # Written so that no exponential overflows.
        decay = math.exp(-abs(z))
        total = 1.0 + decay
        value = math.log1p(decay) + max(-z, 0.0)
        return value, -(decay if z > 0.0 else 1.0) / total, decay / (total * total)
    short = 1.0 - z
    if short < -h:
        return 0.0, 0.0, 0.0
    if short > h:
        return short, -1.0, 0.0
    if kind == HUBER:
        reach = short + h
        return reach * reach / (4.0 * h), -reach / (2.0 * h), 1.0 / (2.0 * h)
    u = short / h
    value = h * (((6.0 - u * u) * u + 8.0) * u + 3.0) / 16.0
    return value, (u * u * u - 3.0 * u - 2.0) / 4.0, 3.0 * (1.0 - u * u) / (4.0 * h)


@compiled
def losses(kind, h, margins, slopes, curvatures):
    """Slopes and curvatures of all margins, and the sum of their losses."""
    total = 0.0
    for i in range(len(margins)):
        value, slopes[i], curvatures[i] = loss_at(kind, h, margins[i])
        total += value
    return total


@compiled
def add_sparse_gram(indptr, indices, data, weights, gram):
    """Add the upper triangle of X' diag(weights) X to ``gram``; indices ascend within a row."""
    for row in range(len(indptr) - 1):
        weight = weights[row]
        if weight == 0.0:
            continue
        for a in range(indptr[row], indptr[row + 1]):
            scaled, i = weight * data[a], indices[a]
            for b in range(a, indptr[row + 1]):
                gram[i, indices[b]] += scaled * data[b]
