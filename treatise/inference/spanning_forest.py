"""Forests of large weight: maximum spanning forests, and those whose trees may have a few edges only."""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from treatise._core.jit import compiled

# Beyond this many nodes the heaviest matching takes longer than anything that uses it.
_LARGEST_MATCHING = 300


def maximum_spanning_forest(weights, *, min_weight=None, max_degree=None):
    """Edges of the spanning forest of the largest weight, heaviest first (Kruskal; Chow and Liu).

    The first k edges are the best forest of k edges, so that one call gives all of them. With mutual informations for
    weights it is the tree of the best tree-structured distribution. ``scipy.sparse.csgraph.minimum_spanning_tree``
    finds the same tree, without the order, and takes weights of zero for missing edges.

    Costs the sort of all ``n^2 / 2`` weights.

    Parameters
    ----------
    weights : array-like of shape (n_nodes, n_nodes)
        Symmetric; the diagonal does not count, and minus infinity marks pairs that may not be joined.
    min_weight : float or None, default=None
        Edges that weigh this or less are left out; None leaves out minus infinity alone, and spans all that it can.
    max_degree : int or None, default=None
        Most edges of a node. With a limit the forest is that of the greedy choice, at least half the best weight
        (for weights that are not negative).

    Returns
    -------
    edges : ndarray of shape (n_edges, 2)
        Pairs i < j by falling weight; ties in the order of i, then j.

    Examples
    --------
    >>> from treatise.inference import maximum_spanning_forest
    >>> maximum_spanning_forest([[0, 3, 1], [3, 0, 2], [1, 2, 0]])
    array([[0, 1],
           [1, 2]])
    >>> maximum_spanning_forest([[0, 3, 1], [3, 0, 2], [1, 2, 0]], max_degree=1)
    array([[0, 1]])

    References
    ----------
    .. [1] Paper v12-0907, Algorithm 1, and the first stage of Algorithm 2.
    """
    weights = _symmetric(weights)
    if max_degree is not None and max_degree < 0:
        raise ValueError(f"max_degree={max_degree} must not be negative")
    n = len(weights)
    left, right = np.triu_indices(n, 1)
    values = weights[left, right]
    allowed = np.flatnonzero(values > (-np.inf if min_weight is None else min_weight))
    order = allowed[np.argsort(-values[allowed], kind="stable")]
    left, right = left[order], right[order]
    taken = greedy_forest(left, right, n, n if max_degree is None else int(max_degree))
    return np.column_stack([left[taken], right[taken]])


def tree_partition(n_nodes, edges, weights, max_tree_edges):
    """Edges of a forest to keep so that no tree has more than a few, with the largest weight (exact).

    Lukes' dynamic programme over the nodes, in n_nodes * max_tree_edges steps and as many numbers of memory.

    Parameters
    ----------
    n_nodes : int
        Number of nodes.
    edges : array-like of shape (n_edges, 2)
        A forest.
    weights : array-like of shape (n_edges,)
        What each edge is worth.
    max_tree_edges : int
        Most edges of a tree that is left, one less than its nodes.

    Returns
    -------
    kept : ndarray of bool, of shape (n_edges,)
        An edge whose weight is not positive is never kept.

    Examples
    --------
    >>> from treatise.inference import tree_partition
    >>> tree_partition(4, [[0, 1], [1, 2], [2, 3]], [2.0, 3.0, 2.0], max_tree_edges=1)
    array([ True, False,  True])

    References
    ----------
    .. [1] Paper v12-0907, Algorithms 4 and 5. Their text bounds the nodes of a tree by t where Definition 15 bounds
       its edges; here edges.
    """
    weights = np.asarray(weights, dtype=np.float64)
    _check_tree_edges(max_tree_edges)
    edges = _forest_edges(n_nodes, edges)
    if len(weights) != len(edges):
        raise ValueError(f"there are {len(edges)} edges and {len(weights)} weights")
    order, parent = root_forest(n_nodes, edges)
    child = np.where(parent[edges[:, 0]] == edges[:, 1], edges[:, 0], edges[:, 1])
    gain = np.zeros(n_nodes)
    gain[child] = weights
    return partition_trees(order, parent, gain, min(int(max_tree_edges) + 1, n_nodes))[child]


def restricted_forest(weights, max_tree_edges):
    """Edges of a forest of large weight, none of whose trees has more than a few edges.

    The best such forest is hard to find from seven edges a tree on; this one has at least a quarter of its weight,
    and mostly nearly all: greedy by weight with no more than ``max_tree_edges`` edges at a node, and then the best
    division of each tree (:func:`tree_partition`). Trees of one edge are a matching, and the heaviest one is found for
    up to 300 nodes, in time that grows with their cube; beyond, the greedy choice has at least half its weight.

    Parameters
    ----------
    weights : array-like of shape (n_nodes, n_nodes)
        Symmetric; pairs whose weight is not positive are never joined.
    max_tree_edges : int
        Most edges of a tree.

    Returns
    -------
    edges : ndarray of shape (n_edges, 2)
        Pairs i < j by falling weight.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.inference import restricted_forest
    >>> weights = np.array([[0, 9, 8, 1], [9, 0, 2, 1], [8, 2, 0, 7], [1, 1, 7, 0]])
    >>> restricted_forest(weights, 1).tolist(), restricted_forest(weights, 2).tolist()
    ([[0, 1], [2, 3]], [[0, 1], [0, 2]])

    References
    ----------
    .. [1] Paper v12-0907, Algorithm 2 and Theorem 16. The algorithm prints a degree of at most t + 1; its text and
       proof have t, and so here.
    """
    _check_tree_edges(max_tree_edges)
    weights = _symmetric(weights)
    if max_tree_edges == 1 and len(weights) <= _LARGEST_MATCHING:
        return _heaviest_matching(weights)
    edges = maximum_spanning_forest(weights, min_weight=0.0, max_degree=max_tree_edges)
    return edges[tree_partition(len(weights), edges, weights[edges[:, 0], edges[:, 1]], max_tree_edges)]


def _heaviest_matching(weights):
    import networkx

    left, right = np.nonzero(np.triu(weights, 1) > 0)
    graph = networkx.Graph()
    graph.add_weighted_edges_from(zip(left.tolist(), right.tolist(), weights[left, right].tolist()))
    pairs = networkx.max_weight_matching(graph)
    edges = np.sort(np.array(sorted(pairs), np.int64).reshape(-1, 2), axis=1)
    return edges[np.lexsort((edges[:, 1], edges[:, 0], -weights[edges[:, 0], edges[:, 1]]))]


def root_forest(n_nodes, edges):
    """An order of the nodes of a forest in which each comes after its parent.

    Parameters
    ----------
    n_nodes : int
        Number of nodes.
    edges : array-like of shape (n_edges, 2)
        A forest.

    Returns
    -------
    order : ndarray of shape (n_nodes,)
        The nodes; the root of a tree is its first node.
    parent : ndarray of shape (n_nodes,)
        The parent of each node, -1 for roots.

    Examples
    --------
    >>> from treatise.inference import root_forest
    >>> order, parent = root_forest(4, [[1, 3], [0, 3]])
    >>> order.tolist(), parent.tolist()
    ([0, 2, 3, 1], [-1, 3, -1, 0])
    """
    edges = _forest_edges(n_nodes, edges)
    graph = _graph(n_nodes, edges)
    roots = np.unique(connected_components(graph, directed=False)[1], return_index=True)[1]
    # A further node, joined to every root, makes one search of all trees.
    extended = np.vstack([edges, np.column_stack([np.full(len(roots), n_nodes), roots])])
    order, parent = breadth_first_order(_graph(n_nodes + 1, extended), n_nodes, directed=False)
    parent = parent[:n_nodes].astype(np.int64)
    parent[roots] = -1
    return order[1:].astype(np.int64), parent


def _graph(n_nodes, edges):
    return coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n_nodes, n_nodes)).tocsr()


def _forest_edges(n_nodes, edges):
    edges = np.asarray(edges, dtype=np.int64).reshape(-1, 2)
    if len(edges) and (edges.min() < 0 or edges.max() >= n_nodes):
        raise ValueError(f"edges must join nodes from 0 to {n_nodes - 1}")
    if not greedy_forest(edges[:, 0].copy(), edges[:, 1].copy(), n_nodes, n_nodes).all():
        raise ValueError("the edges must form a forest, and they close a cycle")
    return edges


def _symmetric(weights):
    weights = np.asarray(weights, dtype=np.float64)
    if weights.ndim != 2 or weights.shape[0] != weights.shape[1]:
        raise ValueError(f"weights must be a square matrix, got shape {weights.shape}")
    if np.isnan(weights).any():
        raise ValueError("weights hold NaN; use minus infinity for pairs that may not be joined")
    # Correlations and the like are symmetric to rounding alone; the upper triangle counts.
    if not np.allclose(weights, weights.T, rtol=1e-9, atol=1e-12):
        raise ValueError("weights must be symmetric")
    return weights


def _check_tree_edges(max_tree_edges):
    if max_tree_edges < 0 or max_tree_edges != int(max_tree_edges):
        raise ValueError(f"max_tree_edges={max_tree_edges} must be a whole number, 0 or more")


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
