"""Comparison graphs against reachability by matrix powers, and embeddings that must satisfy every comparison."""

import numpy as np
import pytest

from treatise.metric import ComparisonGraph, embed_partial_order


def random_comparisons(n, count, seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, n, (4 * count, 4))
    return rows[(rows[:, 0] != rows[:, 1]) & (rows[:, 2] != rows[:, 3])][:count]


def ordered_comparisons(n, count, seed):
    """Comparisons that follow from a random total order of all pairs."""
    rng = np.random.default_rng(seed)
    rank = rng.permutation(n * n).reshape(n, n)
    rank = rank + rank.T
    rows = random_comparisons(n, 3 * count, seed)
    near, far = rank[rows[:, 0], rows[:, 1]], rank[rows[:, 2], rows[:, 3]]
    rows = np.where((near < far)[:, None], rows, rows[:, [2, 3, 0, 1]])
    return rows[near != far][:count]


def reachable(graph):
    """Which pairs a path of at least one comparison leads to, by repeated squaring."""
    n = len(graph.pairs)
    reach = np.zeros((n, n), dtype=bool)
    reach[tuple(graph.edges.T)] = True
    for _ in range(int(np.ceil(np.log2(max(n, 2))))):
        reach |= (reach.astype(float) @ reach.astype(float)) > 0
    return reach


@pytest.mark.parametrize("seed", range(5))
def test_the_acyclic_subgraph_has_no_cycle_and_cannot_be_enlarged(seed):
    graph = ComparisonGraph(random_comparisons(7, 150, seed))
    clean = graph.acyclic(random_state=seed)
    reach = reachable(clean)
    assert not reach.diagonal().any() and clean.is_consistent() and not graph.is_consistent()
    kept = {tuple(edge) for edge in clean.edges}
    for u, v in graph.edges:
        assert (u, v) in kept or u == v or reach[v, u]
    # Half of the largest acyclic set, which holds at least half of all.
    assert len(clean) >= 0.25 * len(graph)


def test_consistent_comparisons_stay_as_they_are():
    rows = ordered_comparisons(8, 200, 0)
    graph = ComparisonGraph(rows)
    assert graph.is_consistent() and len(graph.find_cycle()) == 0
    for clean in (graph.remove_contradictions(), graph.acyclic(0)):
        np.testing.assert_array_equal(clean.to_array(), graph.to_array())


@pytest.mark.parametrize("seed", range(5))
def test_the_reduction_keeps_what_is_reachable_with_the_fewest_comparisons(seed):
    graph = ComparisonGraph(ordered_comparisons(7, 120, seed))
    least = graph.transitive_reduction()
    reach = reachable(graph)
    np.testing.assert_array_equal(reachable(least), reach)
    # An edge of a graph without cycles is needed if and only if no vertex lies between its ends.
    needed = [edge.tolist() for edge in graph.edges if not (reach[edge[0]] & reach[:, edge[1]]).any()]
    assert least.edges.tolist() == needed and len(least) < len(graph)


def test_opposite_comparisons_go_together_whatever_the_order_of_their_pairs():
    graph = ComparisonGraph([(0, 1, 2, 3), (3, 2, 1, 0), (0, 1, 4, 5), (1, 0, 5, 4)])
    assert len(graph) == 3
    assert graph.remove_contradictions().to_array().tolist() == [[0, 1, 4, 5]]


def test_a_cycle_is_found_and_is_one():
    for rows in ([(0, 1, 2, 3), (2, 3, 4, 5), (4, 5, 0, 1), (0, 1, 6, 7)], random_comparisons(6, 100, 1)):
        graph = ComparisonGraph(rows)
        cycle = graph.find_cycle()
        known = set(map(tuple, graph.to_array()))
        assert all(tuple(row) in known for row in cycle)
        for row, after in zip(cycle, np.roll(cycle, -1, axis=0)):
            assert row[2:].tolist() == after[:2].tolist()
    with pytest.raises(ValueError, match="acyclic"):
        graph.transitive_reduction()


@pytest.mark.parametrize("seed", range(3))
def test_every_consistent_set_is_embedded_with_its_margin(seed):
    rows = ordered_comparisons(15, 200, seed)
    points = embed_partial_order(rows, 15)
    assert points.shape == (15, 14)
    near, far = (((points[a] - points[b]) ** 2).sum(axis=1) for a, b in (rows[:, :2].T, rows[:, 2:].T))
    # One less rounding of an eigendecomposition.
    assert (far - near >= 1 - 1e-9).all()


def test_objects_that_no_comparison_names_are_embedded_too():
    assert embed_partial_order([(0, 1, 2)], 6).shape == (6, 5)
    with pytest.raises(ValueError, match="n_objects=2"):
        embed_partial_order([(0, 1, 2)], 2)
    with pytest.raises(ValueError, match="contradict"):
        embed_partial_order([(0, 1, 2), (0, 2, 1)])


@pytest.mark.parametrize(
    "rows, message",
    [
        ([(0, 1)], "shape"),
        (np.empty((0, 4), int), "at least one"),
        ([(0, 0, 1, 2)], "with itself"),
        ([(0, 1, -1)], "from -1"),
        ([(0.5, 1, 2)], "integers"),
        ([("a", "b", "c")], "integers"),
        ([(0, 1, 2), (0, 1)], "rows of equal length"),
    ],
)
def test_rows_that_are_no_comparisons_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        ComparisonGraph(rows)
