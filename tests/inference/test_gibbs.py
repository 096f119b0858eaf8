"""Gibbs sampling and iterated conditional modes, against enumeration."""

import numpy as np
import pytest
from field_models import goodness_of_fit, grid_edges, random_model, random_pairwise

from treatise.inference import FactorGraph, gibbs, gibbs_sample, iterated_conditional_modes


def test_frequencies_of_joint_states_are_those_of_the_model():
    generator = np.random.default_rng(3)
    graph = random_pairwise(generator, 4, strength=1.0)
    graph = graph.add((3, 1, 0), generator.normal(size=tuple(graph.n_states[[3, 1, 0]])))
    drawn = gibbs_sample(graph, 20_000, thin=10, random_state=0)
    # Thinned enough to be nearly independent; the seed is fixed, a wrong conditional gives zero.
    assert goodness_of_fit(graph, drawn) > 0.01


def test_marginals_of_variables_and_factors_are_near():
    graph = random_pairwise(np.random.default_rng(0), 9, edges=grid_edges(3, 3), strength=0.5)
    found, exact = gibbs(graph, 40_000, random_state=0), graph.brute_force()
    assert np.isnan(found.log_partition) and found.kind == "estimate"
    for kind in ("nodes", "factors"):
        for ours, theirs in zip(getattr(found, kind), getattr(exact, kind), strict=True):
            # Five standard errors of 40 000 samples of which one in four counts as independent.
            np.testing.assert_allclose(ours, theirs, atol=5 * 0.5 / np.sqrt(10_000))


def test_samples_keep_to_possible_states_and_to_the_seed():
    graph = random_model(np.random.default_rng(5), n=6, n_factors=6, forbid=0.2)
    drawn = gibbs_sample(graph, 101, n_chains=3, random_state=1)
    assert drawn.shape == (101, 6) and np.all(graph.scores(drawn) > -np.inf)
    np.testing.assert_array_equal(drawn, gibbs_sample(graph, 101, n_chains=3, random_state=1))


def test_bad_options_and_starts_are_errors():
    graph = FactorGraph([2, 2], [((0, 1), [[0.0, -np.inf], [-np.inf, 0.0]])])
    with pytest.raises(ValueError, match="score of -inf; give a possible"):
        gibbs_sample(graph, 10, start=[0, 1])
    with pytest.raises(ValueError, match="thin=0"):
        gibbs_sample(graph, thin=0)
    with pytest.raises(ValueError, match="n_starts=0"):
        iterated_conditional_modes(graph, n_starts=0)


def test_conditional_modes_end_where_no_single_change_helps():
    for seed in range(20):
        graph = random_model(np.random.default_rng(seed), n=6, n_factors=8)
        result = iterated_conditional_modes(graph)
        assert result.energy == pytest.approx(graph.energy(result.labels))
        assert np.all(np.diff(result.trace) <= 1e-12)
        for v, k in enumerate(graph.n_states):
            for state in range(k):
                changed = result.labels.copy()
                changed[v] = state
                assert graph.energy(changed) >= result.energy - 1e-12


def test_many_starts_find_the_best_of_a_small_model():
    graph = random_pairwise(np.random.default_rng(1), 9, edges=grid_edges(3, 3))
    one = iterated_conditional_modes(graph)
    many = iterated_conditional_modes(graph, n_starts=100, random_state=0)
    assert many.energy <= one.energy
    assert many.energy == pytest.approx(-graph.joint_scores().max())
