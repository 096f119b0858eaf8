"""Compiled loops over partitions: distances of all pairs, and the mass of a Dirichlet process given its groups."""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.statistics.sampling.random_numbers import beta_draw

VARIATION, BINDER = 0, 1
"""Numbers of the two distances."""


@compiled_step
def draw_mass(rng, mass, n_groups, n_rows, shape, rate):
    """The mass of a Dirichlet process under a gamma prior, given how many groups it made (Escobar and West, 1995)."""
    bent = rate - math.log(max(beta_draw(rng, mass + 1.0, float(n_rows)), 1e-300))
    odds = (shape + n_groups - 1.0) / (n_rows * bent)
    more = 1.0 if rng.random() * (1.0 + odds) < odds else 0.0
    # A draw that underflows would leave no mass for ever.
    return max(rng.standard_gamma(shape + n_groups - 1.0 + more) / bent, 1e-200)


@compiled_step
def _joint_sum(first, second, shared, terms):
    """Sum of the terms over the sizes of all meets of two partitions; ``shared`` is all zero before and after."""
    for i in range(len(first)):
        shared[first[i], second[i]] += 1
    total = 0.0
    for i in range(len(first)):
        size = shared[first[i], second[i]]
        if size > 0:
            total += terms[size]
            shared[first[i], second[i]] = 0
    return total


@compiled
def distance_terms(n, kind):
    """The terms f(size) whose sums over groups make the distance: sum(a) + sum(b) - 2 sum(meets), with a sign."""
    terms = np.zeros(n + 1)
    for size in range(1, n + 1):
        share = size / n
        terms[size] = -share * math.log2(share) if kind == VARIATION else share * share
    return terms


@compiled
def mean_distances(candidates, partitions, terms, sign):
    """Mean distance of every candidate from all partitions, both (count, n) of labels from 0."""
    n = candidates.shape[1]
    shared = np.zeros((candidates.max() + 1, partitions.max() + 1), np.int64)
    alone = np.zeros((1, n + 1), np.int64)
    one = np.zeros(n, np.int64)
    own = np.zeros(len(partitions))
    for s in range(len(partitions)):
        own[s] = _joint_sum(one, partitions[s], alone, terms)
    found = np.zeros(len(candidates))
    for c in range(len(candidates)):
        mine = _joint_sum(one, candidates[c], alone, terms)
        for s in range(len(partitions)):
            both = _joint_sum(candidates[c], partitions[s], shared, terms)
            found[c] += sign * (2.0 * both - mine - own[s])
        found[c] /= len(partitions)
    return found
