"""Clusters of variables that a fractional network leaves without an entry; sets of bits are rows of arrays."""

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.bayesnet.structure._order_loops import ONLY, add_bit, copy_row, first_inside, has_bit, room_for_sets
from treatise.statistics._counts_loops import popcount


@compiled_step
def enters(vertices, masks, at, clusters, row):
    """Whether a parent set lies outside a cluster that its variable is in."""
    if not has_bit(clusters, row, vertices[at]):
        return False
    word = 0
    while word < masks.shape[1] and not masks[at, word] & clusters[row, word]:
        word += 1
    return word == masks.shape[1]


@compiled_step
def weigh_growth(vertices, masks, weights, clusters, row, growth):
    """Total weight of the parent sets that enter a cluster, which is at least 1 in an acyclic graph; returns it.

    ``growth`` gets what each variable outside would add to that by joining: the sets of its own that enter, less those
    of members that have it as a parent.
    """
    total = 0.0
    for vertex in range(growth.shape[0]):
        growth[vertex] = 0.0
    for at in range(vertices.shape[0]):
        word = 0
        while word < masks.shape[1] and not masks[at, word] & clusters[row, word]:
            word += 1
        if word < masks.shape[1]:
            continue
        if not has_bit(clusters, row, vertices[at]):
            growth[vertices[at]] += weights[at]
            continue
        total += weights[at]
        for word in range(masks.shape[1]):
            bits = masks[at, word]
            while bits:
                lowest = bits & (~bits + np.uint64(1))
                growth[64 * word + np.int64(popcount(lowest - np.uint64(1)))] -= weights[at]
                bits ^= lowest
    return total


@compiled
def light_clusters(n, vertices, masks, weights, most, clusters, entering):
    """Clusters entered by a weight below ``most``, grown from all pairs of variables; returns how many.

    A cluster grows by the variable that keeps this weight lowest, one after the other; the lightest one met stays.
    ``vertices``, ``masks`` and ``weights`` list the parent sets of positive weight. ``clusters`` has room for one
    cluster for each pair, and one to grow; ``entering`` gets the weight of each.
    """
    found, growing, growth = np.int64(0), clusters.shape[0] - 1, np.empty(n)
    for first in range(n):
        for second in range(first):
            for word in range(masks.shape[1]):
                clusters[growing, word] = 0
            add_bit(clusters, growing, first)
            add_bit(clusters, growing, second)
            lightest = np.inf
            while True:
                value = weigh_growth(vertices, masks, weights, clusters, growing, growth)
                if value < lightest - 1e-9:
                    lightest = value
                    copy_row(clusters, growing, clusters, found)
                chosen = np.int64(-1)
                for vertex in range(n):
                    if not has_bit(clusters, growing, vertex) and (chosen < 0 or growth[vertex] < growth[chosen]):
                        chosen = vertex
                if value > 2.0 - 1e-9 or chosen < 0:
                    break
                add_bit(clusters, growing, chosen)
            entering[found] = lightest
            found += lightest < most
    return found


@compiled
def greedy_order(vertices, masks, weights, order):
    """Order variables so that each has much of its weight on parent sets of earlier ones."""
    n = order.shape[0]
    before, ready = room_for_sets(1, masks.shape[1]), np.empty(n)
    for place in range(n):
        for vertex in range(n):
            ready[vertex] = -1.0 if has_bit(before, ONLY, vertex) else 0.0
        for at in range(vertices.shape[0]):
            if ready[vertices[at]] >= 0.0 and first_inside(masks, at, at + 1, before, ONLY) >= 0:
                ready[vertices[at]] += weights[at]
        chosen = np.int64(0)
        for vertex in range(1, n):
            if ready[vertex] > ready[chosen]:
                chosen = vertex
        order[place] = chosen
        add_bit(before, ONLY, chosen)


@compiled
def raise_by_clusters(vertices, masks, clusters, multipliers, scores):
    """Add to the score of every parent set the multipliers of the clusters that it enters."""
    for c in range(clusters.shape[0]):
        for at in range(vertices.shape[0]):
            if multipliers[c] > 0.0 and enters(vertices, masks, at, clusters, c):
                scores[at] += multipliers[c]


@compiled
def entering_sets(vertices, masks, clusters, out):
    """Which parent sets enter which cluster: a row for each cluster."""
    for c in range(clusters.shape[0]):
        for at in range(vertices.shape[0]):
            out[c, at] = enters(vertices, masks, at, clusters, c)
