"""Exact search over all subsets of variables (Silander & Myllymaki's dynamic programming)."""

import numpy as np

from treatise._core.jit import compiled


@compiled
def best_within(starts, masks, vertex, n, out):
    """For every set of variables, the best parent set of a vertex inside it (its number, -1 for none).

    Best sets come first, so that a set's own number and those of its subsets compare by being smaller.
    """
    for subset in range(1 << n):
        out[subset] = -1
    for at in range(starts[vertex + 1] - 1, starts[vertex] - 1, -1):
        out[np.int64(masks[at, 0])] = at
    for member in range(n):
        bit = 1 << member
        for subset in range(1 << n):
            if subset & bit:
                without = out[subset ^ bit]
                if without >= 0 and (out[subset] < 0 or without < out[subset]):
                    out[subset] = without


@compiled
def best_last(n, choices, scores, best, last):
    """Best network over every set of variables, by its last variable in some order: O(n 2^n).

    ``choices[v]`` is what :func:`best_within` gave for v; ``last[S]`` gets the variable that comes last in S.
    """
    best[0] = 0.0
    for subset in range(1, 1 << n):
        best[subset], last[subset] = -np.inf, -1
        for vertex in range(n):
            bit = 1 << vertex
            if subset & bit:
                at = choices[vertex, subset ^ bit]
                if at >= 0 and best[subset ^ bit] + scores[at] > best[subset]:
                    best[subset], last[subset] = best[subset ^ bit] + scores[at], vertex
