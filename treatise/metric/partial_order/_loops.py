"""Compiled walks over a directed graph given as edges: greedy acyclic subgraphs and transitive reductions."""

import numpy as np

from treatise._core.jit import compiled, compiled_step


@compiled_step
def _reach(start, limit, head, successor, target, place, stamp, mark, stack, found):
    """Vertices that a walk along the lists reaches within ``limit`` of the order; their number, or -1 at a cycle.

    The walk goes forward where ``limit`` is the place of the vertex ``target``, to find whether it is reached.
    """
    count, top = 0, 1
    stack[0] = start
    mark[start] = stamp
    while top > 0:
        top -= 1
        vertex = stack[top]
        found[count] = vertex
        count += 1
        edge = head[vertex]
        while edge >= 0:
            other = successor[edge, 0]
            if other == target:
                return -1
            if mark[other] != stamp and (place[other] < limit if target >= 0 else place[other] > limit):
                mark[other] = stamp
                stack[top] = other
                top += 1
            edge = successor[edge, 1]
    return count


@compiled
def greedy_acyclic(tails, heads, n_vertices):
    """Which edges to keep if each is taken in turn unless it closes a cycle (Algorithm 1).

    A topological order of the kept edges is maintained: an edge that agrees with it costs nothing, another one a
    search between its ends, and their part of the order is then rearranged (Pearce & Kelly). Also the final order.
    """
    n_edges = len(tails)
    kept = np.zeros(n_edges, dtype=np.bool_)
    place = np.arange(n_vertices)
    first_out, first_in = np.full(n_vertices, -1), np.full(n_vertices, -1)
    out, into = np.empty((n_edges, 2), dtype=np.int64), np.empty((n_edges, 2), dtype=np.int64)
    mark, stack = np.zeros(n_vertices, dtype=np.int64), np.empty(n_vertices, dtype=np.int64)
    after, before = np.empty(n_vertices, dtype=np.int64), np.empty(n_vertices, dtype=np.int64)
    stamp = 0
    for edge in range(n_edges):
        u, v = tails[edge], heads[edge]
        if u == v:
            continue
        if place[u] > place[v]:
            stamp += 1
            n_after = _reach(v, place[u], first_out, out, u, place, stamp, mark, stack, after)
            if n_after < 0:
                continue
            stamp += 1
            n_before = _reach(u, place[v], first_in, into, -1, place, stamp, mark, stack, before)
            moved = np.concatenate((before[:n_before], after[:n_after]))
            places = np.sort(place[moved])
            early = before[:n_before][np.argsort(place[before[:n_before]])]
            late = after[:n_after][np.argsort(place[after[:n_after]])]
            for rank in range(n_before):
                place[early[rank]] = places[rank]
            for rank in range(n_after):
                place[late[rank]] = places[n_before + rank]
        kept[edge] = True
        out[edge, 0], out[edge, 1] = v, first_out[u]
        first_out[u] = edge
        into[edge, 0], into[edge, 1] = u, first_in[v]
        first_in[v] = edge
    return kept, place


@compiled
def needed_edges(indptr, successors, place):
    """Which edges of an acyclic graph no longer path replaces, its successors sorted by ``place`` in each row.

    In that order a successor is replaced if and only if a walk from an earlier one has come by it.
    """
    n = len(indptr) - 1
    needed = np.zeros(len(successors), dtype=np.bool_)
    mark, stack = np.full(n, -1), np.empty(n, dtype=np.int64)
    for source in range(n):
        begin, end = indptr[source], indptr[source + 1]
        if begin == end:
            continue
        last = place[successors[end - 1]]
        for edge in range(begin, end):
            if mark[successors[edge]] == source:
                continue
            needed[edge] = True
            top = 1
            stack[0] = successors[edge]
            mark[successors[edge]] = source
            while top > 0:
                top -= 1
                vertex = stack[top]
                for step in range(indptr[vertex], indptr[vertex + 1]):
                    other = successors[step]
                    if mark[other] != source and place[other] <= last:
                        mark[other] = source
                        stack[top] = other
                        top += 1
    return needed
