"""AdaBoost's iterated map on the weights of examples (Figure 2 of Rudin, Daubechies & Schapire, JMLR 5:1557)."""

import numpy as np

from treatise._core.jit import compiled, compiled_step, compiled_sums

RAN, FIXED_POINT, INFINITE_STEP = 0, 1, 2
_LEAST = 1e-290
"""Weights do not fall below: numbers without full precision make steps slow, and zero could never rise again."""


@compiled_sums
def edges_of(M, weights, edges):
    """The edges d' M of all columns."""
    edges[:] = 0.0
    for i in range(len(weights)):
        weight = weights[i]
        if weight > 0.0:
            for j in range(len(edges)):
                edges[j] += weight * M[i, j]


@compiled_step
def largest_of(edges, order, tie):
    """Step 1: the column of the largest edge; of those within ``tie`` of it the first in the order given."""
    best = edges[0]
    for j in range(1, len(edges)):
        best = max(best, edges[j])
    for j in order:
        if edges[j] >= best - tie:
            return j
    return -1


@compiled_step
def reweighted(M, weights, column, edge):
    """Step 3: d / (1 + M r), in place.

    The map keeps the sum of the weights at one, but an error of the sum grows by 1 / (1 - r^2) in every step; so the
    weights are divided by their sum.
    """
    right, wrong = 1.0 / (1.0 + edge), 1.0 / (1.0 - edge)
    total = 0.0
    for i in range(len(weights)):
        weights[i] *= right if M[i, column] > 0 else wrong
        if 0.0 < weights[i] < _LEAST:
            weights[i] = _LEAST
        total += weights[i]
    scale = 1.0 / total
    for i in range(len(weights)):
        weights[i] *= scale


@compiled
def follow_map(M, weights, order, tie, chosen, edges_taken, path):
    """Steps of the map with the best column, weights changed in place: their number, and how they ended."""
    edges = np.empty(M.shape[1])
    keep = len(path) > 0
    for t in range(len(chosen)):
        if keep:
            path[t] = weights
        edges_of(M, weights, edges)
        j = largest_of(edges, order, tie)
        edge = edges[j]
        if edge <= tie:
            return t, FIXED_POINT
        if edge >= 1.0 - 1e-15:
            return t, INFINITE_STEP
        chosen[t], edges_taken[t] = j, edge
        reweighted(M, weights, j, edge)
    if keep:
        path[len(chosen)] = weights
    return len(chosen), RAN
