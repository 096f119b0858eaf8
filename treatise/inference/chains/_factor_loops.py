"""Sums along chains whose scores are factors already: probabilities and likelihoods of hidden Markov models."""

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.inference.chains._step_loops import carry

_FEW_STATES = 12
"""Up to so many states plain sums of products are quicker than loops over vectors."""


@compiled
def sums_of_factors(first, last, offsets, factors, start, transition, log_z, nodes, pairs):
    """Scaled forward and backward sums of the sequences from ``first`` to ``last``.

    ``log_z`` and ``nodes`` are written, and ``pairs`` is added to: the moves expected, still to be multiplied by
    ``transition``. A sequence whose numbers vanish gets ``log_z = nan``.
    """
    longest = 0
    for s in range(first, last):
        longest = max(longest, offsets[s + 1] - offsets[s])
    backwards = np.ascontiguousarray(transition.T)
    forward, scale = np.empty((longest, factors.shape[1])), np.empty(longest)
    for s in range(first, last):
        low, high = offsets[s], offsets[s + 1]
        log_z[s] = _forward(factors[low:high], start, transition, backwards, forward, scale)
        if high > low and not np.isnan(log_z[s]):
            _backward(factors[low:high], transition, backwards, forward, scale, nodes[low:high], pairs)


@compiled_step
def _forward(factors, start, transition, backwards, forward, scale):
    """Probabilities of the states given all up to each position, and one over the sums they were divided by; log Z."""
    n, K = factors.shape
    incoming = np.empty(K)
    # Logarithms are taken of products of many scales: one in some hundred positions.
    total, product = 0.0, 1.0
    for t in range(n):
        if t == 0:
            for j in range(K):
                incoming[j] = start[j]
        elif K <= _FEW_STATES:
            for j in range(K):
                mass = 0.0
                for i in range(K):
                    mass += forward[t - 1, i] * backwards[j, i]
                incoming[j] = mass
        else:
            carry(forward[t - 1], transition, incoming)
        c = 0.0
        for j in range(K):
            value = incoming[j] * factors[t, j]
            forward[t, j] = value
            c += value
        # Numbers that lost their precision by underflow are as bad as none.
        if not 1e-250 < c < 1e250:
            return np.nan
        if 1e-100 < c < 1e100:
            product *= c
        else:
            total += np.log(c)
        if not 1e-200 < product < 1e200:
            total += np.log(product)
            product = 1.0
        scale[t] = 1.0 / c
        for j in range(K):
            forward[t, j] *= scale[t]
    return total + np.log(product)


@compiled_step
def _backward(factors, transition, backwards, forward, scale, nodes, pairs):
    """Marginals of the states; those of the moves, still without their factors, are added to ``pairs``."""
    n, K = factors.shape
    ahead, incoming = np.ones(K), np.empty(K)
    for j in range(K):
        nodes[n - 1, j] = forward[n - 1, j]
    for t in range(n - 1, 0, -1):
        for j in range(K):
            incoming[j] = factors[t, j] * ahead[j] * scale[t]
        if K <= _FEW_STATES:
            for i in range(K):
                mass = forward[t - 1, i]
                behind = 0.0
                for j in range(K):
                    pairs[i, j] += mass * incoming[j]
                    behind += transition[i, j] * incoming[j]
                ahead[i] = behind
                nodes[t - 1, i] = mass * behind
        else:
            carry(incoming, backwards, ahead)
            for i in range(K):
                mass = forward[t - 1, i]
                nodes[t - 1, i] = mass * ahead[i]
                for j in range(K):
                    pairs[i, j] += mass * incoming[j]
