"""Sums along chains whose scores are factors already: probabilities and likelihoods of hidden Markov models."""

import numpy as np

from treatise._core.jit import compiled

_FEW_STATES = 12
"""Up to so many states plain sums of products are quicker than loops over vectors."""


@compiled
def sums_of_factors(first, last, offsets, factors, start, transition, log_z, nodes, pairs):
    """Scaled forward and backward sums of the sequences from ``first`` to ``last``.

    ``log_z`` and ``nodes`` are written, and ``pairs`` is added to: the moves expected, still to be multiplied by
    ``transition``. A sequence whose numbers vanish gets ``log_z = nan``.
    """
    K = factors.shape[1]
    few = K <= _FEW_STATES
    longest = 0
    for s in range(first, last):
        longest = max(longest, offsets[s + 1] - offsets[s])
    backwards = np.ascontiguousarray(transition.T)
    forward = np.empty((longest, K))
    scale = np.empty(longest)
    incoming = np.empty(K)
    ahead = np.empty(K)
    for s in range(first, last):
        low, n = offsets[s], offsets[s + 1] - offsets[s]
        # Logarithms are taken of products of many scales: one in some hundred positions.
        total, product = 0.0, 1.0
        sound = True
        for t in range(n):
            if t == 0:
                for j in range(K):
                    incoming[j] = start[j]
            elif few:
                for j in range(K):
                    mass = 0.0
                    for i in range(K):
                        mass += forward[t - 1, i] * backwards[j, i]
                    incoming[j] = mass
            else:
                for j in range(K):
                    incoming[j] = 0.0
                for i in range(K):
                    mass = forward[t - 1, i]
                    for j in range(K):
                        incoming[j] += mass * transition[i, j]
            c = 0.0
            for j in range(K):
                value = incoming[j] * factors[low + t, j]
                forward[t, j] = value
                c += value
            # Numbers that lost their precision by underflow are as bad as none.
            if not 1e-250 < c < 1e250:
                sound = False
                break
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
        if not sound:
            log_z[s] = np.nan
            continue
        log_z[s] = total + np.log(product)
        if n == 0:
            continue
        for j in range(K):
            ahead[j] = 1.0
            nodes[low + n - 1, j] = forward[n - 1, j]
        for t in range(n - 1, 0, -1):
            for j in range(K):
                incoming[j] = factors[low + t, j] * ahead[j] * scale[t]
            if few:
                for i in range(K):
                    mass = forward[t - 1, i]
                    behind = 0.0
                    for j in range(K):
                        pairs[i, j] += mass * incoming[j]
                        behind += transition[i, j] * incoming[j]
                    ahead[i] = behind
                    nodes[low + t - 1, i] = mass * behind
            else:
                for j in range(K):
                    ahead[j] = 0.0
                for j in range(K):
                    value = incoming[j]
                    for i in range(K):
                        ahead[i] += backwards[j, i] * value
                for i in range(K):
                    mass = forward[t - 1, i]
                    nodes[low + t - 1, i] = mass * ahead[i]
                    for j in range(K):
                        pairs[i, j] += mass * incoming[j]
