"""Spanning forests against scipy, networkx and exhaustive search."""

from itertools import combinations

import networkx
import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from treatise.inference import maximum_spanning_forest, restricted_forest, root_forest, tree_partition


def symmetric(n, seed):
    weights = np.random.default_rng(seed).random((n, n))
    return np.triu(weights, 1) + np.triu(weights, 1).T


def weight_of(weights, edges):
    return sum(weights[i, j] for i, j in edges)


def tree_sizes(n, edges):
    """Edges of each tree."""
    graph = networkx.empty_graph(n)
    graph.add_edges_from(map(tuple, edges))
    assert networkx.is_forest(graph)
    return [graph.subgraph(part).number_of_edges() for part in networkx.connected_components(graph)]


def random_tree(n, rng):
    return np.array([(int(rng.integers(v)), v) for v in range(1, n)]), rng.random(n - 1)


def best_kept(n, edges, weights, t):
    """Exhaustive: the largest weight of a subset of a forest's edges whose trees have at most t edges."""
    best = 0.0
    for size in range(1, len(edges) + 1):
        for subset in combinations(range(len(edges)), size):
            total = sum(weights[e] for e in subset)
            if total > best and largest_tree(n, [edges[e] for e in subset]) <= t:
                best = total
    return best


def largest_tree(n, edges):
    """Edges of the largest tree of a forest, by relabelling."""
    label = list(range(n))
    for i, j in edges:
        label = [label[i] if mark == label[j] else mark for mark in label]
    return max(map(label.count, label)) - 1


def best_restricted(weights, t):
    """The optimum over all forests: the best division of the nodes into groups, each with its maximum spanning tree."""
    n = len(weights)
    inside = np.zeros(1 << n)
    for group in range(1, 1 << n):
        nodes = [v for v in range(n) if group >> v & 1]
        if len(nodes) <= t + 1:
            part = weights[np.ix_(nodes, nodes)]
            inside[group] = weight_of(part, maximum_spanning_forest(part))
    best = np.zeros(1 << n)
    for group in range(1, 1 << n):
        first = group & -group
        rest = group ^ first
        part, value = rest, 0.0
        while True:
            candidate = part | first
            if bin(candidate).count("1") <= t + 1:
                value = max(value, inside[candidate] + best[group ^ candidate])
            if part == 0:
                break
            part = (part - 1) & rest
        best[group] = value
    return best[-1]


@pytest.mark.parametrize("n", [2, 5, 40])
def test_maximum_spanning_tree_weighs_as_much_as_scipys_and_networkxs(n):
    weights = symmetric(n, n)
    edges = maximum_spanning_forest(weights)
    assert len(edges) == n - 1 and max(tree_sizes(n, edges)) == n - 1
    assert weight_of(weights, edges) == pytest.approx(-minimum_spanning_tree(-weights).sum())
    peer = networkx.maximum_spanning_tree(networkx.from_numpy_array(weights))
    assert {tuple(edge) for edge in edges.tolist()} == {tuple(sorted(edge)) for edge in peer.edges}
    assert (edges[:, 0] < edges[:, 1]).all()


def test_every_prefix_is_the_best_forest_of_so_many_edges():
    weights = symmetric(6, 1)
    edges = maximum_spanning_forest(weights)
    pairs = list(combinations(range(6), 2))
    for k in range(1, 6):
        forests = []
        for chosen in combinations(pairs, k):
            graph = networkx.Graph(chosen)
            if networkx.is_forest(graph):
                forests.append(weight_of(weights, chosen))
        assert weight_of(weights, edges[:k]) == pytest.approx(max(forests))


def test_zero_and_negative_weights_join_unless_a_least_weight_is_asked():
    weights = np.array([[0, 0, -1], [0, 0, -2], [-1, -2, 0]], dtype=float)
    assert maximum_spanning_forest(weights).tolist() == [[0, 1], [0, 2]]
    assert maximum_spanning_forest(weights, min_weight=0.0).tolist() == []
    assert maximum_spanning_forest(weights, min_weight=-1.0).tolist() == [[0, 1]]
    apart = np.where(weights == -1, -np.inf, weights)
    apart[1, 2] = apart[2, 1] = -np.inf
    assert maximum_spanning_forest(apart).tolist() == [[0, 1]]


def test_weights_that_are_symmetric_to_rounding_are_taken():
    weights = symmetric(9, 4)
    rounded = weights * (1 + np.triu(np.full((9, 9), 1e-15)))
    assert (rounded != rounded.T).any()
    assert maximum_spanning_forest(rounded).tolist() == maximum_spanning_forest(weights).tolist()


def test_ties_go_to_the_pair_that_comes_first():
    assert maximum_spanning_forest(np.ones((4, 4))).tolist() == [[0, 1], [0, 2], [0, 3]]
    assert maximum_spanning_forest(np.ones((4, 4)), max_degree=2).tolist() == [[0, 1], [0, 2], [1, 3]]


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_a_limit_of_degree_is_kept_and_takes_every_edge_that_it_allows(degree):
    weights = symmetric(15, 7)
    edges = maximum_spanning_forest(weights, max_degree=degree)
    counts = np.bincount(edges.ravel(), minlength=15)
    assert counts.max() <= degree
    tree_sizes(15, edges)
    label = connected_components(_matrix(15, edges), directed=False)[1]
    for i, j in combinations(range(15), 2):
        assert label[i] == label[j] or counts[i] == degree or counts[j] == degree
    assert maximum_spanning_forest(weights, max_degree=0).shape == (0, 2)


def _matrix(n, edges):
    matrix = np.zeros((n, n))
    matrix[edges[:, 0], edges[:, 1]] = 1
    return matrix


@pytest.mark.parametrize("t", [1, 2, 3, 4])
def test_tree_partition_equals_exhaustive_search(t):
    rng = np.random.default_rng(t)
    for _ in range(20):
        edges, weights = random_tree(9, rng)
        kept = tree_partition(9, edges, weights, t)
        assert max(tree_sizes(9, edges[kept])) <= t
        assert weights[kept].sum() == pytest.approx(best_kept(9, edges.tolist(), weights.tolist(), t), abs=1e-12)


def test_tree_partition_into_pairs_is_the_maximum_matching():
    rng = np.random.default_rng(8)
    for _ in range(20):
        edges, weights = random_tree(30, rng)
        graph = networkx.Graph()
        graph.add_weighted_edges_from((i, j, w) for (i, j), w in zip(edges.tolist(), weights))
        matching = networkx.max_weight_matching(graph)
        expected = sum(graph[i][j]["weight"] for i, j in matching)
        assert weights[tree_partition(30, edges, weights, 1)].sum() == pytest.approx(expected)


def test_tree_partition_of_a_star_keeps_the_heaviest_edges_and_of_a_long_path_does_not_recurse():
    star = np.array([(0, v) for v in range(1, 9)])
    weights = np.array([3.0, 1, 4, 1.5, 5, 9, 2, 6])
    assert weights[tree_partition(9, star, weights, 3)].tolist() == [5.0, 9.0, 6.0]
    n = 20_000
    path = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    kept = tree_partition(n, path, np.ones(n - 1), 3)
    # Four nodes in a row with three edges, over and over.
    assert kept.sum() == 3 * n // 4


def test_tree_partition_divides_every_tree_of_a_forest_and_drops_what_is_worth_nothing():
    edges = np.array([[0, 1], [1, 2], [4, 5], [5, 6]])
    kept = tree_partition(8, edges, np.array([1.0, 2.0, 3.0, -1.0]), 2)
    assert kept.tolist() == [True, True, True, False]
    assert tree_partition(8, edges, np.ones(4), 0).tolist() == [False] * 4
    assert tree_partition(3, np.empty((0, 2)), [], 2).tolist() == []


@pytest.mark.parametrize("t", [2, 3])
def test_restricted_forest_has_a_quarter_of_the_best_weight_and_mostly_nearly_all(t):
    shares = []
    for seed in range(12):
        weights = symmetric(7, 100 + seed)
        edges = restricted_forest(weights, t)
        assert max(tree_sizes(7, edges)) <= t
        shares.append(weight_of(weights, edges) / best_restricted(weights, t))
    assert min(shares) >= 0.25 and max(shares) <= 1 + 1e-12
    assert np.mean(shares) > 0.85


@pytest.mark.parametrize("seed", range(8))
def test_restricted_forest_of_single_edges_is_the_heaviest_matching(seed):
    weights = symmetric(7, 200 + seed) - 0.2
    edges = restricted_forest(weights, 1)
    assert max(tree_sizes(7, edges)) <= 1 and (weights[edges[:, 0], edges[:, 1]] > 0).all()
    assert weight_of(weights, edges) == pytest.approx(best_restricted(weights, 1), rel=1e-12)
    assert (np.diff(weights[edges[:, 0], edges[:, 1]]) <= 0).all()


def test_restricted_forest_of_large_trees_is_the_spanning_tree_and_of_none_is_empty():
    weights = symmetric(12, 3)
    assert restricted_forest(weights, 11).tolist() == maximum_spanning_forest(weights).tolist()
    assert restricted_forest(weights, 0).shape == (0, 2)
    assert restricted_forest(-weights, 5).shape == (0, 2)


def test_root_forest_lists_parents_first():
    rng = np.random.default_rng(9)
    edges, _ = random_tree(25, rng)
    relabel = rng.permutation(30)
    edges = relabel[edges]
    order, parent = root_forest(30, edges)
    assert sorted(order.tolist()) == list(range(30))
    place = np.argsort(order)
    joined = {frozenset(edge) for edge in edges.tolist()}
    assert {frozenset((v, int(parent[v]))) for v in range(30) if parent[v] >= 0} == joined
    assert all(place[parent[v]] < place[v] for v in range(30) if parent[v] >= 0)
    assert (parent < 0).sum() == 6


def test_bad_input_is_refused_with_what_would_be_right():
    with pytest.raises(ValueError, match=r"square matrix, got shape \(2, 3\)"):
        maximum_spanning_forest(np.ones((2, 3)))
    with pytest.raises(ValueError, match="must be symmetric"):
        maximum_spanning_forest([[0, 1], [2, 0]])
    with pytest.raises(ValueError, match="minus infinity"):
        maximum_spanning_forest([[0, np.nan], [np.nan, 0]])
    with pytest.raises(ValueError, match="max_degree=-1 must not be negative"):
        maximum_spanning_forest(np.ones((2, 2)), max_degree=-1)
    with pytest.raises(ValueError, match="max_tree_edges=-1 must be a whole number"):
        restricted_forest(np.ones((2, 2)), -1)
    with pytest.raises(ValueError, match=r"max_tree_edges=1\.5 must be a whole number"):
        tree_partition(2, [[0, 1]], [1.0], 1.5)
    with pytest.raises(ValueError, match="they close a cycle"):
        tree_partition(3, [[0, 1], [1, 2], [2, 0]], np.ones(3), 2)
    with pytest.raises(ValueError, match="nodes from 0 to 2"):
        root_forest(3, [[0, 3]])
    with pytest.raises(ValueError, match="1 edges and 2 weights"):
        tree_partition(2, [[0, 1]], [1.0, 2.0], 1)
