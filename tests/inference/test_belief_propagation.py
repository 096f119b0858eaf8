"""Belief propagation, against enumeration and against its own definition."""

import numpy as np
import pytest
from field_models import (
    assert_same_probabilities,
    grid_edges,
    random_model,
    random_pairwise,
    random_tree_edges,
)

from treatise.inference import Chains, FactorGraph, belief_propagation, max_product


@pytest.mark.parametrize("forbid", [0.0, 0.2])
def test_trees_are_exact_in_one_round(forbid):
    for seed in range(40):
        generator = np.random.default_rng(seed)
        n = int(generator.integers(1, 8))
        edges = random_tree_edges(generator, n)
        # Some edges left out make a forest.
        edges = edges[generator.random(len(edges)) < 0.9]
        graph = random_pairwise(generator, n, edges=edges, strength=3.0, forbid=forbid).add((), 0.7)
        found, exact = belief_propagation(graph), graph.brute_force()
        assert (found.kind, found.n_iter) == ("exact", 1)
        assert found.log_partition == pytest.approx(exact.log_partition, abs=1e-11)
        assert_same_probabilities(found, exact, atol=1e-11)
        best = max_product(graph)
        assert best.energy == pytest.approx(-graph.joint_scores().max(), abs=1e-12)
        assert best.gap == 0


def test_ties_on_a_tree_still_give_one_best_assignment():
    # Both aligned states are best; independent argmaxes could mix them.
    graph = FactorGraph.ising(np.zeros(6), random_tree_edges(np.random.default_rng(1), 6), np.ones(5))
    assert max_product(graph).energy == -5


def test_a_tree_of_factors_of_three_variables_is_exact():
    for seed in range(10):
        generator = np.random.default_rng(seed)
        n_states = generator.integers(2, 4, 7)
        groups = [(0, 1, 2), (2, 3, 4), (6, 4, 5)]
        graph = FactorGraph(n_states, [(g, 2 * generator.normal(size=tuple(n_states[list(g)]))) for g in groups])
        found, exact = belief_propagation(graph), graph.brute_force()
        assert found.kind == "exact"
        assert found.log_partition == pytest.approx(exact.log_partition, abs=1e-11)
        assert_same_probabilities(found, exact, atol=1e-11)
        assert max_product(graph).energy == pytest.approx(-graph.joint_scores().max(), abs=1e-12)


def bethe(graph, found):
    """Expected score plus Bethe's entropy, from the beliefs alone."""
    value, degree = 0.0, np.zeros(len(graph))
    for factor, p in zip(graph.factors, found.factors):
        positive = p > 0
        value += np.sum(p[positive] * factor.table[positive])
        if len(factor.variables) > 1:
            value -= np.sum(p[positive] * np.log(p[positive]))
            degree[list(factor.variables)] += 1
    for v, p in enumerate(found.nodes):
        value += (degree[v] - 1) * np.sum(p * np.log(p))
    return value


def test_with_loops_the_estimate_is_bethes_and_beliefs_agree_with_one_another():
    converged = 0
    for seed in range(20):
        generator = np.random.default_rng(seed)
        graph = (
            random_pairwise(generator, 9, edges=grid_edges(3, 3), strength=0.5)
            if seed % 2
            else random_model(generator, n=6, n_factors=6)
        )
        found = belief_propagation(graph, damping=0.3)
        if found.kind != "estimate" or not found.converged:
            continue
        converged += 1
        # Several factors over the same pair share one belief, so the sum over factors would count it twice.
        scopes = [frozenset(f.variables) for f in graph.factors if len(f.variables) == 2]
        if len(set(scopes)) == len(scopes):
            assert found.log_partition == pytest.approx(bethe(graph, found), abs=1e-6)
        for factor, p in zip(graph.factors, found.factors):
            for axis, v in enumerate(factor.variables):
                rest = tuple(a for a in range(p.ndim) if a != axis)
                # Messages stopped changing at 1e-9.
                np.testing.assert_allclose(p.sum(axis=rest), found.nodes[v], atol=1e-7)
    assert converged >= 10


def test_weak_couplings_are_nearly_exact():
    graph = random_pairwise(np.random.default_rng(0), 9, edges=grid_edges(3, 3), strength=0.15)
    found, exact = belief_propagation(graph), graph.brute_force()
    # The error of Bethe's approximation is of the fourth order in the couplings of the grid's squares.
    assert found.log_partition == pytest.approx(exact.log_partition, abs=4 * 0.15**4 * 4)
    assert_same_probabilities(found, exact, atol=0.01)


def test_extreme_scores_do_not_underflow():
    generator = np.random.default_rng(0)
    unary, transition = 2000 * generator.normal(size=(30, 3)), 2000 * generator.normal(size=(3, 3))
    graph = FactorGraph.pairwise(unary, np.column_stack([np.arange(29), np.arange(1, 30)]), transition)
    found, exact = belief_propagation(graph), Chains(unary, transition).marginals()
    assert found.log_partition == pytest.approx(exact.log_partition[0], rel=1e-12)
    np.testing.assert_allclose(np.array(found.nodes), exact.nodes, atol=1e-9)


def test_max_product_with_loops_is_no_worse_than_its_own_neighbours_on_average():
    # A guess, so only this much is sure: it is an assignment, with the energy it says, and usually a good one.
    hits = 0
    for seed in range(20):
        graph = random_pairwise(np.random.default_rng(seed), 9, edges=grid_edges(3, 3), strength=0.7)
        result = max_product(graph, damping=0.3)
        assert result.energy == graph.energy(result.labels) and result.lower_bound is None
        hits += result.energy <= -graph.joint_scores().max() + 1e-9
    assert hits >= 15


def test_impossible_models_and_bad_options_are_errors():
    contradiction = FactorGraph([2, 2], [((0, 1), [[0.0, -np.inf], [-np.inf, 0.0]])])
    with pytest.raises(ValueError, match="no joint state is possible"):
        belief_propagation(contradiction.add((0,), [0, -np.inf]).add((1,), [-np.inf, 0]))
    with pytest.raises(ValueError, match="no joint state is possible"):
        belief_propagation(FactorGraph([2, 2], [((0, 1), np.full((2, 2), -np.inf))]))
    with pytest.raises(ValueError, match="damping=1"):
        belief_propagation(contradiction, damping=1)
    with pytest.raises(ValueError, match="max_iter=0"):
        max_product(contradiction, max_iter=0)


def test_variables_without_factors_are_uniform():
    found = belief_propagation(FactorGraph([2, 3]))
    assert found.log_partition == pytest.approx(np.log(6))
    np.testing.assert_allclose(found.nodes[1], 1 / 3)
