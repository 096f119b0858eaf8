"""Triangulation of a graph, and the junction tree of its cliques."""

import heapq
from math import prod

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee


def triangulate(graph, max_table):
    """Maximal cliques of the triangulation with the smaller tables: by min-fill, or along the graph."""

    def sizes(cliques):
        return [prod(int(graph.n_states[v]) for v in clique) for clique in cliques]

    cliques = min((_min_fill_cliques(graph), _sweep_cliques(graph)), key=lambda found: sum(sizes(found)))
    largest, widest = max(zip(sizes(cliques), map(len, cliques)), default=(0, 0))
    if largest > max_table:
        raise ValueError(
            f"the largest clique would couple {widest} variables with {largest:.3g} joint states, "
            f"more than max_table={max_table}; take belief_propagation, mean_field or tree_reweighted instead"
        )
    return _maximal(cliques)


def _min_fill_cliques(graph):
    """Cliques of eliminating variables by least fill; the smaller table first where that is equal."""
    neighbors = graph.neighbors()
    log_states = np.log(graph.n_states.astype(float))

    def cost(v):
        around = neighbors[v]
        linked = sum(len(neighbors[u] & around) for u in around) // 2
        size = log_states[v] + sum(log_states[u] for u in around)
        return len(around) * (len(around) - 1) // 2 - linked, round(size, 9), v

    current = {v: cost(v) for v in range(len(graph))}
    heap = list(current.values())
    heapq.heapify(heap)
    cliques = []
    while heap:
        entry = heapq.heappop(heap)
        v = entry[2]
        if current.get(v) != entry:
            continue
        del current[v]
        clique, touched = _eliminate(v, neighbors)
        cliques.append(clique)
        for u in touched:
            new = cost(u)
            if new != current[u]:
                current[u] = new
                heapq.heappush(heap, new)
    return cliques


def _sweep_cliques(graph):
    """Cliques of eliminating variables in the reverse Cuthill-McKee order, which keeps the frontier narrow."""
    neighbors = graph.neighbors()
    columns = [sorted(around) for around in neighbors]
    starts = np.concatenate([[0], np.cumsum([len(around) for around in columns])])
    flat = np.array([u for around in columns for u in around], np.int64)
    matrix = csr_array((np.ones(len(flat)), flat, starts), shape=(len(graph), len(graph)))
    order = reverse_cuthill_mckee(matrix, symmetric_mode=True) if len(flat) else range(len(graph))
    return [_eliminate(int(v), neighbors)[0] for v in order]


def _eliminate(v, neighbors):
    """Join all neighbours of v and take v out; returns their clique and the variables whose surroundings changed."""
    around = neighbors[v]
    touched = set(around)
    for u in around:
        missing = around - neighbors[u] - {u}
        if missing:
            neighbors[u] |= missing
            # Filled edges change the fill of whoever sees both of their ends.
            touched |= neighbors[u]
        neighbors[u].discard(v)
    neighbors[v] = set()
    touched.discard(v)
    return around | {v}, touched


def _maximal(cliques):
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
