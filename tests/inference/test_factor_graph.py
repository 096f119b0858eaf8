"""Factor graphs, against sums written out by hand."""

from itertools import product

import numpy as np
import pytest
from field_models import random_model, random_pairwise

from treatise.inference import FactorGraph, JunctionTree


def by_hand(graph):
    """All assignments with their scores, one term after another."""
    assignments = np.array(list(product(*(range(k) for k in graph.n_states))))
    scores = [sum(f.table[tuple(x[list(f.variables)])] for f in graph.factors) for x in assignments]
    return assignments, np.array(scores)


@pytest.mark.parametrize("seed", range(5))
def test_scores_and_probabilities_are_those_of_the_sum_written_out(seed):
    graph = random_model(np.random.default_rng(seed), forbid=0.2 * (seed % 2))
    assignments, scores = by_hand(graph)
    np.testing.assert_allclose(graph.scores(assignments), scores)
    np.testing.assert_allclose(graph.joint_scores().ravel(), scores)
    found = graph.brute_force()
    log_z = np.logaddexp.reduce(scores)
    assert found.log_partition == pytest.approx(log_z) and found.kind == "exact"
    p = np.exp(scores - log_z)
    for v, k in enumerate(graph.n_states):
        np.testing.assert_allclose(found.nodes[v], np.bincount(assignments[:, v], p, k), atol=1e-14)
    for factor, table in zip(graph.factors, found.factors):
        expected = np.zeros(factor.table.shape)
        for x, weight in zip(assignments, p):
            expected[tuple(x[list(factor.variables)])] += weight
        np.testing.assert_allclose(table, expected, atol=1e-14)


def test_energy_is_minus_the_score_of_one_or_many_assignments():
    graph = FactorGraph([2, 2], [((0, 1), [[1.0, 2.0], [3.0, 4.0]]), ((), 0.5)])
    assert graph.energy([1, 0]) == -3.5
    np.testing.assert_allclose(graph.energy([[0, 0], [1, 1]]), [-1.5, -4.5])


@pytest.mark.parametrize("seed", range(5))
def test_evidence_gives_the_conditional_distribution(seed):
    graph = random_model(np.random.default_rng(seed))
    evidence = {1: 0, 3: int(graph.n_states[3] - 1)}
    assignments, scores = by_hand(graph)
    agree = np.all([assignments[:, v] == state for v, state in evidence.items()], axis=0)
    conditioned = graph.condition(evidence)
    found = conditioned.brute_force()
    assert found.log_partition == pytest.approx(np.logaddexp.reduce(scores[agree]))
    p = np.exp(scores[agree] - found.log_partition)
    for v, k in enumerate(graph.n_states):
        np.testing.assert_allclose(found.nodes[v], np.bincount(assignments[agree, v], p, k), atol=1e-14)
    assert all(conditioned.neighbors()[v] == set() for v in evidence)


def test_the_ising_form_multiplies_values():
    graph = FactorGraph.ising([0.3, -0.2, 0.0], [[0, 1], [2, 1]], [0.7, -0.4], values=(0, 1))
    x = np.array([1, 1, 1])
    assert graph.scores(x) == pytest.approx(0.3 - 0.2 + 0.7 - 0.4)
    spins = FactorGraph.ising([0.3, -0.2, 0.0], [[0, 1], [2, 1]], [0.7, -0.4])
    assert spins.scores([0, 1, 0]) == pytest.approx(-0.3 - 0.2 - 0.7 + 0.4)


@pytest.mark.parametrize("values", [(-1, 1), (0, 1), (2.0, 0.5)])
def test_ising_parameters_give_every_score_back(values):
    generator = np.random.default_rng(0)
    graph = random_pairwise(generator, 4, most_states=2).add((), 0.3).add((3, 0), generator.normal(size=(2, 2)))
    constant, fields, edges, couplings = graph.ising_parameters(values=values)
    rebuilt = FactorGraph.ising(fields, edges, couplings, values=values).add((), constant)
    np.testing.assert_allclose(rebuilt.joint_scores(), graph.joint_scores(), atol=1e-12)
    with pytest.raises(ValueError, match="variable 1 has 3 states"):
        FactorGraph([2, 3]).ising_parameters()
    with pytest.raises(ValueError, match="factor 0 over"):
        FactorGraph([2, 2], [((0, 1), [[0, 0], [0, -np.inf]])]).ising_parameters()


def test_one_table_serves_all_edges_and_a_factor_can_be_added():
    table = np.array([[0.0, 1.0], [2.0, 3.0]])
    graph = FactorGraph.pairwise(np.zeros((3, 2)), [[0, 1], [1, 2]], table)
    assert graph.scores([1, 0, 1]) == 2 + 1
    assert graph.add((2,), [0.0, 10.0]).scores([1, 0, 1]) == 13
    assert len(FactorGraph.pairwise(np.zeros((3, 2)), [], np.zeros((0, 2, 2))).factors) == 3


@pytest.mark.parametrize(
    ("n_states", "factors", "message"),
    [
        ([2, 0], [], "at least one state"),
        ([2, 2], [((0, 2), np.zeros((2, 2)))], "factor 0 names variable 2"),
        ([2, 2], [((0, 0), np.zeros((2, 2)))], "names a variable twice"),
        ([2, 3], [((0, 1), np.zeros((3, 2)))], r"must have the shape \(2, 3\)"),
        ([2, 2], [((0.7,), [0.0, 1.0])], "whole numbers"),
        ([2], [((0,), [np.nan, 0.0])], "NaN or \\+inf"),
        ([2], [((0,), [np.inf, 0.0])], "NaN or \\+inf"),
    ],
)
def test_a_wrong_factor_is_named(n_states, factors, message):
    with pytest.raises(ValueError, match=message):
        FactorGraph(n_states, factors)


def test_wrong_assignments_evidence_and_sizes_are_named():
    graph = FactorGraph([2, 3])
    with pytest.raises(ValueError, match="each of the 2 variables"):
        graph.scores([0])
    with pytest.raises(ValueError, match="variable 1 is assigned a state outside 0 to 2"):
        graph.scores([[0, 1], [1, 3]])
    with pytest.raises(ValueError, match="evidence 1: 3"):
        graph.condition({1: 3})
    for evidence in ({0: 0.5}, {"a": 1}, {-1: 0}):
        with pytest.raises(ValueError, match="names no state"):
            graph.condition(evidence)
        with pytest.raises(ValueError, match="names no state"):
            JunctionTree(graph).log_partition(evidence=evidence)
    with pytest.raises(ValueError, match="whole numbers"):
        graph.scores([0.5, 1.0])
    with pytest.raises(ValueError, match="one weight for each edge"):
        FactorGraph.ising([0.0, 0.0], [[0, 1]], 0.3)
    with pytest.raises(ValueError, match="1073741824 joint states"):
        FactorGraph([2] * 30).joint_scores()
    with pytest.raises(ValueError, match="2 edges need as many tables"):
        FactorGraph.pairwise(np.zeros((3, 2)), [[0, 1], [1, 2]], np.zeros((1, 2, 2)))
    with pytest.raises(ValueError, match="no joint state is possible"):
        FactorGraph([1], [((0,), [-np.inf])]).brute_force()
