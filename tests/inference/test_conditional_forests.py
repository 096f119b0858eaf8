"""Modes of whole forests, against enumeration and against modes of single variables."""

import numpy as np
import pytest
from field_models import grid_edges, random_pairwise, random_tree_edges

from treatise.inference import FactorGraph, iterated_conditional_forests, iterated_conditional_modes

SMALL = 1e-9


def test_no_joint_change_within_a_cluster_helps():
    for seed in range(60):
        generator = np.random.default_rng(seed)
        graph = random_pairwise(generator, 6, edges=grid_edges(2, 3), strength=2.0)
        clusters = [[0, 1, 2], [5, 4, 3]] if seed % 2 else [[0, 3], [1, 4], [2, 5]]
        result = iterated_conditional_forests(graph, clusters=clusters)
        scores = graph.joint_scores()
        assert result.energy == pytest.approx(graph.energy(result.labels))
        assert -result.energy <= scores.max() + SMALL
        for nodes in clusters:
            free = tuple(slice(None) if v in nodes else result.labels[v] for v in range(6))
            assert -result.energy >= scores[free].max() - SMALL
        assert np.all(np.diff(result.trace) < 0)


def test_one_cluster_is_exact_and_says_so():
    for seed in range(20):
        generator = np.random.default_rng(seed)
        n = int(generator.integers(1, 8))
        graph = random_pairwise(generator, n, edges=random_tree_edges(generator, n))
        result = iterated_conditional_forests(graph)
        assert -result.energy == pytest.approx(graph.joint_scores().max(), abs=SMALL)
        assert result.gap == 0
    ring = FactorGraph.ising(np.zeros(4), [[0, 1], [1, 2], [2, 3], [3, 0]], np.ones(4))
    assert iterated_conditional_forests(ring).lower_bound is None


def test_forests_from_the_end_of_single_changes_never_lose_and_often_win():
    won = 0
    for seed in range(40):
        graph = random_pairwise(np.random.default_rng(seed), 16, edges=grid_edges(4, 4), strength=2.0)
        single = iterated_conditional_modes(graph)
        forests = iterated_conditional_forests(graph, start=single.labels)
        assert forests.energy <= single.energy + SMALL
        won += forests.energy < single.energy - SMALL
    assert won > 10


def test_probabilities_are_a_start_too_and_more_starts_never_hurt():
    graph = random_pairwise(np.random.default_rng(1), 16, edges=grid_edges(4, 4), strength=2.0)
    labels = iterated_conditional_modes(graph).labels
    certain = [np.eye(k)[label] for k, label in zip(graph.n_states, labels)]
    first = iterated_conditional_forests(graph, start=certain)
    np.testing.assert_array_equal(first.labels, iterated_conditional_forests(graph, start=labels).labels)
    many = iterated_conditional_forests(graph, start=labels, n_starts=10, random_state=0)
    assert many.energy <= first.energy


def test_the_first_sweep_from_fractions_scores_at_least_their_average():
    """As in Theorem 3, rounding a cluster to its best assignment never lowers the expected score."""
    for seed in range(30):
        generator = np.random.default_rng(seed)
        graph = random_pairwise(generator, 6, edges=grid_edges(2, 3))
        q = [generator.dirichlet(np.ones(k)) for k in graph.n_states]
        joint = q[0]
        for each in q[1:]:
            joint = np.multiply.outer(joint, each)
        result = iterated_conditional_forests(graph, start=q, max_sweeps=1)
        assert -result.energy >= np.sum(joint * graph.joint_scores()) - SMALL


def test_wrong_input_is_named():
    graph = random_pairwise(np.random.default_rng(0), 4)
    with pytest.raises(ValueError, match="for each of the 4 variables"):
        iterated_conditional_forests(graph, start=[0, 1])
    with pytest.raises(ValueError, match="as many probabilities"):
        iterated_conditional_forests(graph, start=[np.ones(1)] * 4)
    with pytest.raises(ValueError, match="variable 0 is assigned"):
        iterated_conditional_forests(graph, start=[9, 0, 0, 0])
    with pytest.raises(ValueError, match="n_starts=0"):
        iterated_conditional_forests(graph, n_starts=0)
    with pytest.raises(ValueError, match="at most 2 variables"):
        iterated_conditional_forests(FactorGraph([2] * 3, [((0, 1, 2), np.zeros((2, 2, 2)))]))
