"""Curvature of a quadratic upper bound on the log partition sums of chains (Choromanska, 2014, Algorithm 3)."""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_step

_LEAST_WEIGHT = 1e-100  # of a label, beside the heaviest: more mass only lifts the bound, here by nothing that shows
_UNDERFLOW = 1e-150  # of weights that products of exponentials give
_LOG_UNDERFLOW = math.log(_UNDERFLOW)
_UPWARDS = 1.0 + 1e-6  # before numbers are rounded to single precision
SPLIT = 0.5
"""kappa of (a + b)^2 <= (1 + kappa) a^2 + (1 + 1 / kappa) b^2, between what a position adds and what a move adds."""


@compiled
def tangent_coefficient(ratio):
    """tanh(r / 2) / (2 r) of r = log(ratio), the curvature of one more state; 1/4 at the ratio 1."""
    if abs(ratio - 1.0) < 1e-4:
        return 0.25
    return (ratio - 1.0) / ((ratio + 1.0) * 2.0 * math.log(ratio))


@compiled_step
def _springs(weights, before, pull):
    """Theorem 1 over labels of the given weights, as springs between them; the sum of the weights.

    The curvature is a matrix whose rows sum to zero: sum over i < j of s_ij (x_i - x_j)^2 with
    s_ij = w_i (c_j / z_j - w_j sum over k > j of c_k / z_k^2), where z_j is the weight before label j and c_j the
    coefficient of w_j / z_j. ``pull[j]`` gets the bracket, and zero where that is negative: the bound only rises.
    """
    K = len(weights)
    total = weights[0]
    for j in range(1, K):
        before[j] = total
        pull[j] = tangent_coefficient(weights[j] / total)
        total += weights[j]
    later = 0.0
    for j in range(K - 1, 0, -1):
        c = pull[j] / before[j]
        pull[j] = max(0.0, c - weights[j] * later)
        later += c / before[j]
    return total


@compiled_step
def _add_springs(weights, pull, factor, into):
    for j in range(1, len(weights)):
        p = factor * pull[j]
        for i in range(j):
            into[j, i] += weights[i] * p


@compiled_step
def _stretch_springs(weights, pull, into):
    """The larger of two springs between each two labels: a curvature that dominates both."""
    for j in range(1, len(weights)):
        p = pull[j]
        for i in range(j):
            spring = weights[i] * p
            into[j, i] = spring if spring > into[j, i] else into[j, i]  # max would be slower: it minds NaN


@compiled_step
def _incoming_weights(ahead, highest, linear, exponentials, transition, u, weights):
    """Weights of the labels before label ``u``, beside one another, and the logarithm of their unit."""
    top = 0.0
    for v in range(len(ahead)):
        weights[v] = linear[v] * exponentials[u, v]
        top = max(top, weights[v])
    unit = 0.0
    if top < _UNDERFLOW:
        unit = -np.inf
        for v in range(len(ahead)):
            unit = max(unit, ahead[v] - highest + transition[v, u])
        top = 1.0
        for v in range(len(ahead)):
            weights[v] = math.exp(ahead[v] - highest + transition[v, u] - unit)
    for v in range(len(ahead)):
        weights[v] = max(weights[v], top * _LEAST_WEIGHT)
    return unit


@compiled
def curvatures(first, last, offsets, unary, transition, start, end, exponentials, top, ahead, log_sums, springs, moves):
    """Bounds from left to right along the sequences from ``first`` to ``last``.

    ``ahead`` (T, K) gets the log sums over all beginnings that end with each label, the highest taken off;
    ``log_sums`` (T, K) the logarithms of the sums over labels before each next label, in the same unit; ``springs``
    (T, K, K) the springs between the labels of a position that dominate those before every next label; and to
    ``moves`` (K, K, K) the springs before each next label are added, which hold the weights of moves.
    ``exponentials[u, v]`` is exp(transition[v, u] - top).
    """
    K = unary.shape[1]
    linear = np.empty(K)
    weights = np.empty(K)
    before = np.empty(K)
    pull = np.empty(K)
    own = np.empty((K, K))
    message = np.zeros(K)
    for s in range(first, last):
        low, high = offsets[s], offsets[s + 1]
        for t in range(low, high):
            highest = -np.inf
            for v in range(K):
                value = unary[t, v]
                value += start[v] if t == low else message[v]
                if t == high - 1:
                    value += end[v]
                ahead[t, v] = value
                highest = max(highest, value)
            for v in range(K):
                linear[v] = math.exp(ahead[t, v] - highest)
            own[:] = 0.0
            if t == high - 1:
                for v in range(K):
                    weights[v] = max(linear[v], _LEAST_WEIGHT)
                _springs(weights, before, pull)
                _stretch_springs(weights, pull, own)
            else:
                for u in range(K):
                    unit = _incoming_weights(ahead[t], highest, linear, exponentials, transition, u, weights)
                    total = _springs(weights, before, pull)
                    log_sums[t, u] = unit + math.log(total) + (top if unit == 0.0 else 0.0)
                    message[u] = log_sums[t, u] + highest
                    _add_springs(weights, pull, 1.0 + 1.0 / SPLIT, moves[u])
                    _stretch_springs(weights, pull, own)
            scale = _UPWARDS * (1.0 + SPLIT if t < high - 1 else 1.0)
            for j in range(K):
                springs[t, j, j] = 0.0
                for i in range(j):
                    springs[t, j, i] = springs[t, i, j] = scale * own[j, i]
            for v in range(K):
                ahead[t, v] -= highest


@compiled_step
def _shares(ahead, log_sums, exponentials, transition, top, linear, shares):
    """Probabilities of the labels before each next label: row u for next label u."""
    K = len(ahead)
    for v in range(K):
        linear[v] = math.exp(ahead[v])
    for u in range(K):
        if log_sums[u] - top < _LOG_UNDERFLOW:
            for v in range(K):
                shares[u, v] = math.exp(ahead[v] + transition[v, u] - log_sums[u])
        else:
            unit = math.exp(top - log_sums[u])
            for v in range(K):
                shares[u, v] = linear[v] * exponentials[u, v] * unit


@compiled
def curvature_products(
    first, last, offsets, ahead, log_sums, springs, exponentials, transition, top, unary, moves, nodes, pairs
):
    """The curvature times changes of scores, but for the springs of moves.

    Left to right, the expected change of the score of all beginnings that end with a label (mu of Algorithm 3 times
    the change) and the pull of the springs; right to left, the pull passed on to the positions before. ``moves[u, v]``
    is the change of the score of the move from v to u, and ``pairs[u, v]`` is added to likewise.
    """
    K = unary.shape[1]
    change = np.empty(K)
    linear = np.empty(K)
    shares = np.empty((K, K))
    coming = np.empty(K)
    for s in range(first, last):
        low, high = offsets[s], offsets[s + 1]
        coming[:] = 0.0
        for t in range(low, high):
            for v in range(K):
                change[v] = unary[t, v] + coming[v]
                nodes[t, v] = 0.0
            for j in range(K):
                for i in range(K):
                    nodes[t, i] += springs[t, j, i] * (change[i] - change[j])
            if t < high - 1:
                _shares(ahead[t], log_sums[t], exponentials, transition, top, linear, shares)
                for u in range(K):
                    coming[u] = 0.0
                    for v in range(K):
                        coming[u] += shares[u, v] * (change[v] + moves[u, v])
        for t in range(high - 2, low - 1, -1):
            _shares(ahead[t], log_sums[t], exponentials, transition, top, linear, shares)
            for u in range(K):
                pull = nodes[t + 1, u]
                for v in range(K):
                    share = shares[u, v] * pull
                    pairs[u, v] += share
                    nodes[t, v] += share
