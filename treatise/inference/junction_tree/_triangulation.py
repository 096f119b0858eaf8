"""Triangulation of a graph, and the junction tree of its cliques."""

import heapq
from math import prod

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

_SMALL = 2**12
"""Entries of all tables together for which another order is not worth a look."""


def triangulate(graph, max_table):
    """Maximal cliques of the triangulation with the smaller tables: by min-fill, or along the graph."""

    n_states = graph.n_states.tolist()

    def sizes(cliques):
        return [prod([n_states[v] for v in clique]) for clique in cliques]

    around = [sum(1 << u for u in neighbors) for neighbors in graph.neighbors()]
    by_fill = least_fill_cliques(around, np.log(graph.n_states.astype(float)).tolist())
    cliques, entries = by_fill, sizes(by_fill)
    if sum(entries) > _SMALL:
        cliques = min((by_fill, _sweep_cliques(graph)), key=lambda found: sum(sizes(found)))
        entries = sizes(cliques)
    largest, widest = max(zip(entries, map(len, cliques)), default=(0, 0))
    if largest > max_table:
        raise ValueError(
            f"the largest clique would couple {widest} variables with {largest:.3g} joint states, "
            f"more than max_table={max_table}; take belief_propagation, mean_field or tree_reweighted instead"
        )
    return maximal_cliques(cliques)


def least_fill_cliques(around, sizes):
    """Cliques of eliminating vertices by least fill, then by the smallest clique, then by number.

    ``around`` holds the neighbours of every vertex as the bits of an integer, and is used up; the size of a clique is
    the sum of the ``sizes`` of its vertices, such as the logarithms of their numbers of states.
    """

    def fill(v):
        linked = sum((around[u] & around[v]).bit_count() for u in members(around[v])) // 2
        degree = around[v].bit_count()
        return degree * (degree - 1) // 2 - linked

    def size(v):
        return sizes[v] + sum(sizes[u] for u in members(around[v]))

    lacking = {v: fill(v) for v in range(len(around))}
    weight = {v: size(v) for v in range(len(around))}
    entry = {v: (count, round(weight[v], 9), v) for v, count in lacking.items()}
    heap = list(entry.values())
    heapq.heapify(heap)
    cliques = []
    while heap:
        first = heapq.heappop(heap)
        v = first[2]
        if entry.get(v) != first:
            continue
        del entry[v]
        bits, own = around[v], 1 << v
        neighbours = members(bits)
        cliques.append({v, *neighbours})
        touched = bits
        if lacking.pop(v):
            touched |= _join_all(neighbours, bits, own, around, lacking, weight, sizes)
        for u in neighbours:
            # Without v the pairs of v with strangers to it leave the count of u.
            lacking[u] -= (around[u] & ~bits & ~own).bit_count()
            weight[u] -= sizes[v]
            around[u] &= ~own
        around[v] = 0
        for u in members(touched & ~own):
            new = (lacking[u], round(weight[u], 9), u)
            if new != entry[u]:
                entry[u] = new
                heapq.heappush(heap, new)
    return cliques


def _join_all(neighbours, bits, own, around, lacking, weight, sizes):
    """Add the edges that the neighbours of a vertex lack among them; gives the bits of whoever sees a new edge.

    Who sees both ends of a new edge lacks one edge less; each end now lacks those between the other end and its own
    neighbours.
    """
    touched = 0
    for a in neighbours:
        beyond = bits & ~around[a] & (-1 << (a + 1))
        for b in members(beyond):
            common = around[a] & around[b] & ~own
            for w in members(common):
                lacking[w] -= 1
            touched |= common
            lacking[a] += (around[a] & ~around[b]).bit_count()
            lacking[b] += (around[b] & ~around[a]).bit_count()
            around[a] |= 1 << b
            around[b] |= 1 << a
            weight[a] += sizes[b]
            weight[b] += sizes[a]
    return touched


def members(bits):
    """The places of the bits that are set."""
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return found


def _sweep_cliques(graph):
    """Cliques of eliminating variables in the reverse Cuthill-McKee order, which keeps the frontier narrow."""
    neighbors = graph.neighbors()
    columns = [sorted(around) for around in neighbors]
    starts = np.concatenate([[0], np.cumsum([len(around) for around in columns])])
    flat = np.array([u for around in columns for u in around], np.int64)
    matrix = csr_array((np.ones(len(flat)), flat, starts), shape=(len(graph), len(graph)))
    order = reverse_cuthill_mckee(matrix, symmetric_mode=True) if len(flat) else range(len(graph))
    return [_eliminate(int(v), neighbors) for v in order]


def _eliminate(v, neighbors):
    """Join all neighbours of v and take v out; returns their clique."""
    around = neighbors[v]
    for u in around:
        neighbors[u] |= around - {u}
        neighbors[u].discard(v)
    neighbors[v] = set()
    return around | {v}


def maximal_cliques(cliques):
    """Cliques within no other, in the order of elimination; one inside another was eliminated after it."""
    kept: list[set[int]] = []
    holding: dict[int, set[int]] = {}
    for clique in cliques:
        holders = set.intersection(*(holding.get(v, set()) for v in clique))
        if not holders:
            for v in clique:
                holding.setdefault(v, set()).add(len(kept))
            kept.append(clique)
    return [tuple(sorted(clique)) for clique in kept]


def clique_forest(cliques):
    """Edges (child, parent) of a spanning forest of the cliques with the largest separators, and the separators."""
    holding: dict[int, list[int]] = {}
    for c, clique in enumerate(cliques):
        for v in clique:
            holding.setdefault(v, []).append(c)
    overlap: dict[int, dict[int, int]] = {c: {} for c in range(len(cliques))}
    for holders in holding.values():
        for a in holders:
            for b in holders:
                if a != b:
                    overlap[a][b] = overlap[a].get(b, 0) + 1
    # Prim's algorithm from each clique that no earlier part reached; larger overlaps first.
    placed, edges, separators = [False] * len(cliques), [], []
    for root in range(len(cliques)):
        if placed[root]:
            continue
        placed[root] = True
        heap = [(-size, root, b) for b, size in overlap[root].items()]
        heapq.heapify(heap)
        while heap:
            _, parent, child = heapq.heappop(heap)
            if placed[child]:
                continue
            placed[child] = True
            edges.append((child, parent))
            separators.append(tuple(sorted(set(cliques[child]) & set(cliques[parent]))))
            for b, size in overlap[child].items():
                if not placed[b]:
                    heapq.heappush(heap, (-size, child, b))
    return edges, separators


def parents_first(n_cliques, parent):
    children: dict[int, list[int]] = {}
    for child, above in parent.items():
        children.setdefault(above, []).append(child)
    order, stack = [], [c for c in range(n_cliques) if c not in parent]
    while stack:
        c = stack.pop()
        order.append(c)
        stack.extend(children.get(c, []))
    return order


def check_running_intersection(cliques, edges):
    """Raise unless every variable's cliques form one connected part of the forest.

    In a forest they do when they outnumber by one the edges both of whose cliques hold the variable.
    """
    surplus: dict[int, int] = {}
    for clique in cliques:
        for v in clique:
            surplus[v] = surplus.get(v, 0) + 1
    for a, b in edges:
        for v in set(cliques[a]) & set(cliques[b]):
            surplus[v] -= 1
    broken = [v for v, count in surplus.items() if count != 1]
    if broken:
        raise ValueError(f"the cliques of variable {broken[0]} are not connected: this is no junction tree")
