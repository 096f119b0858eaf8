"""Energies of labellings, and the neighbours of every variable."""

import numpy as np

from treatise._core.jit import compiled


@compiled
def labelling_energy(labels, unary, tails, heads, weights, table):
    """Cost of the labels of all variables plus weighted cost of the pairs of labels on all edges."""
    total = 0.0
    for a in range(len(labels)):
        total += unary[a, labels[a]]
    for e in range(len(tails)):
        total += weights[e] * table[labels[tails[e]], labels[heads[e]]]
    return total


@compiled
def arrange_neighbours(n, tails, heads):
    """For each variable its neighbours in the order of the edges.

    Returns where each variable's entries begin; their neighbours; their edges; and the entry of the same edge at its
    other end.
    """
    begin = np.zeros(n + 1, np.int64)
    for e in range(len(tails)):
        begin[tails[e] + 1] += 1
        begin[heads[e] + 1] += 1
    for a in range(n):
        begin[a + 1] += begin[a]
    free = begin[:-1].copy()
    neighbour = np.empty(2 * len(tails), np.int64)
    edge = np.empty(2 * len(tails), np.int64)
    twin = np.empty(2 * len(tails), np.int64)
    for e in range(len(tails)):
        i = free[tails[e]]
        free[tails[e]] += 1
        j = free[heads[e]]
        free[heads[e]] += 1
        neighbour[i], neighbour[j] = heads[e], tails[e]
        edge[i], edge[j] = e, e
        twin[i], twin[j] = j, i
    return begin, neighbour, edge, twin
