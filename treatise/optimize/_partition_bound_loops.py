"""One state more in a partition function, and what that does to its quadratic upper bound (Algorithm 1)."""

import math

import numpy as np

from treatise._core.jit import compiled


@compiled
def curvature_coefficient(log_ratio):
    """tanh(r / 2) / (2 r) of r = log(a / z); 1/4 at r = 0 by continuity, 0 at plus or minus infinity."""
    if log_ratio == 0.0:
        return 0.25
    return math.tanh(0.5 * log_ratio) / (2.0 * log_ratio)


@compiled
def share_and_sum(log_a, log_z):
    """a / (z + a) and log(z + a), from logarithms of any size."""
    ratio = log_a - log_z
    if ratio > 0.0:
        rest = math.exp(-ratio)
        return 1.0 / (1.0 + rest), log_a + math.log1p(rest)
    odds = math.exp(ratio)
    return odds / (1.0 + odds), log_z + math.log1p(odds)


@compiled
def bound_over_states(scores, features, mean, factors):
    """Algorithm 1 over all states: log z; the mean in place; rows r with sum r r^T the curvature.

    Row y of ``factors`` is sqrt(coefficient) (f(y) - mean of the states before y); the first state's is zero.
    """
    log_z = -np.inf
    for y in range(len(scores)):
        if scores[y] == -np.inf:  # a state of prior weight zero
            continue
        if log_z == -np.inf:
            mean[:] = features[y]
            log_z = scores[y]
            continue
        root = math.sqrt(curvature_coefficient(scores[y] - log_z))
        share, log_z = share_and_sum(scores[y], log_z)
        for i in range(len(mean)):
            step = features[y, i] - mean[i]
            factors[y, i] = root * step
            mean[i] += share * step
    return log_z
