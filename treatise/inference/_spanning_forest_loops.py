"""Compiled loops of spanning forests: the greedy choice of edges, and the division of trees into small ones."""

import numpy as np

from treatise._core.jit import compiled


@compiled
def greedy_forest(left, right, n_nodes, max_degree):
    """Which edges, tried in their order, join two trees and leave no node with more than ``max_degree`` edges."""
    parent = np.arange(n_nodes)
    degree = np.zeros(n_nodes, dtype=np.int64)
    taken = np.zeros(len(left), dtype=np.bool_)
    missing = n_nodes - 1
    for e in range(len(left)):
        if missing == 0:
            break
        i, j = left[e], right[e]
        if degree[i] >= max_degree or degree[j] >= max_degree:
            continue
        a, b = i, j
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        if a != b:
            parent[b] = a
            degree[i] += 1
            degree[j] += 1
            taken[e] = True
            missing -= 1
    return taken


@compiled
def partition_trees(order, parent, gain, max_nodes):
    """Best division of rooted trees into clusters of at most ``max_nodes``: whether each node stays with its parent.

    ``order`` lists parents before children, -1 is the parent of a root, and ``gain`` the weight of the edge to the
    parent. Lukes' tables: ``best[v, s]`` is the largest weight inside clusters, over the children of v merged so far,
    with s nodes in the cluster of v. Tables are no longer than the subtrees, so that all merges together cost
    n_nodes * max_nodes.
    """
    n = len(order)
    size = np.ones(n, dtype=np.int64)  # of a table: the nodes of the subtree merged so far, at most max_nodes
    best = np.full((n, max_nodes + 1), -np.inf)
    best[:, 1] = 0.0
    # taken_nodes[u, s]: nodes of u's cluster in the best cluster of s nodes of its parent, once u is merged; 0: cut.
    taken_nodes = np.zeros((n, max_nodes + 1), dtype=np.int32)
    whole = np.zeros(n)
    whole_size = np.ones(n, dtype=np.int64)
    merged = np.empty(max_nodes + 1)
    for k in range(n - 1, -1, -1):
        u = order[k]
        for s in range(1, size[u] + 1):
            if s == 1 or best[u, s] > whole[u]:
                whole[u], whole_size[u] = best[u, s], s
        v = parent[u]
        if v < 0:
            continue
        length = min(max_nodes, size[v] + size[u])
        for s in range(1, length + 1):
            merged[s] = best[v, s] + whole[u] if s <= size[v] else -np.inf
            taken_nodes[u, s] = 0
        for s in range(1, size[v] + 1):
            for r in range(1, min(size[u], max_nodes - s) + 1):
                together = best[v, s] + best[u, r] + gain[u]
                if together > merged[s + r]:
                    merged[s + r] = together
                    taken_nodes[u, s + r] = r
        best[v, 1 : length + 1] = merged[1 : length + 1]
        size[v] = length
    kept = np.zeros(n, dtype=np.bool_)
    chosen = np.zeros(n, dtype=np.int64)
    # Children were merged in the reverse of ``order``: undone in that order, each finds what its parent had then.
    left_over = np.zeros(n, dtype=np.int64)
    for k in range(n):
        u = order[k]
        v = parent[u]
        if v >= 0:
            r = taken_nodes[u, left_over[v]]
            kept[u] = r > 0
            chosen[u] = r if r > 0 else whole_size[u]
            left_over[v] -= r
        else:
            chosen[u] = whole_size[u]
        left_over[u] = chosen[u]
    return kept
