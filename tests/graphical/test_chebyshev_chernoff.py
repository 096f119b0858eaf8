"""Bounds from moments in a known family: valid for every model, exact where the moments determine it."""

import numpy as np
import pytest
from field_models import grid_edges, random_edges, random_pairwise, random_tree_edges

from treatise.graphical import LabelingEvent, SumAtLeast, chebyshev_bound, chebyshev_chernoff_bound
from treatise.inference import FactorGraph

ACCURACY = 1e-7
"""Of the linear program."""


def probabilities(graph):
    scores = graph.joint_scores()
    return np.exp(scores - np.logaddexp.reduce(scores.ravel())).ravel()


def labelings(graph):
    return np.indices(tuple(graph.n_states)).reshape(len(graph), -1)


def indicators(graph, variables):
    """Functions that tell the joint states of some variables."""
    x = labelings(graph)[list(variables)]
    return [np.all(states == x.T, axis=1) for states in np.ndindex(*graph.n_states[list(variables)])]


def chain():
    return FactorGraph([2, 2, 2], [((0, 1), np.zeros((2, 2))), ((1, 2), np.zeros((2, 2)))])


def test_the_chain_of_section_7_1_is_exact():
    x1, x2, x3 = labelings(chain())
    functions = np.array([x1 * x2, x2 * x3, x2])
    for seed in range(20):
        p = probabilities(random_pairwise(np.random.default_rng(seed), 3, edges=[[0, 1], [1, 2]], most_states=2))
        q12, q23, q2 = functions @ p
        bound = chebyshev_chernoff_bound(chain(), functions, [q12, q23, q2], {0: 1, 1: 1, 2: 1})
        assert bound.upper == pytest.approx(q12 * q23 / q2, abs=ACCURACY)
        assert bound.lower == pytest.approx(p[-1], abs=ACCURACY)
        np.testing.assert_array_equal(bound.exponents, [1, 1, -1])
        assert bound.log_constant == pytest.approx(0.0, abs=1e-12)


def random_problem(seed):
    """A random model, functions of its factors (some negative) and an event."""
    generator = np.random.default_rng(seed)
    n = (2, 3, 3, 4)[seed % 4]
    edges = random_tree_edges(generator, n) if seed % 3 else random_edges(generator, n)
    graph = random_pairwise(generator, n, edges=edges, most_states=2 if n > 2 else 3)
    functions = []
    for _ in range(int(generator.integers(1, 5))):
        scope = graph.factors[generator.integers(len(graph.factors))].variables
        told = np.array(indicators(graph, scope), float)
        weights = generator.random(len(told)) < 0.5 if generator.random() < 0.8 else generator.normal(size=len(told))
        functions.append(weights @ told)
    p = probabilities(graph)
    return graph, np.array(functions), p, generator.random(len(p)) < 0.4


def test_bounds_hold_on_every_model_and_are_never_wider_than_without_the_graph():
    for seed in range(200):
        graph, functions, p, event = random_problem(seed)
        bound = chebyshev_chernoff_bound(graph, functions, functions @ p, event, degree=2)
        plain = chebyshev_bound(functions, functions @ p, event)
        assert bound.lower - ACCURACY <= p[event].sum() <= bound.upper + ACCURACY
        assert plain.lower - ACCURACY <= bound.lower and bound.upper <= plain.upper + ACCURACY


def test_moments_of_some_states_of_all_factors_say_more_with_the_graph():
    widths = []
    for seed in range(40):
        generator = np.random.default_rng(seed)
        graph = random_pairwise(generator, 3, edges=random_tree_edges(generator, 3), most_states=2)
        told = np.array([f for factor in graph.factors[3:] for f in indicators(graph, factor.variables)], float)
        functions = told[generator.random(len(told)) < 0.7]
        p, event = probabilities(graph), generator.random(8) < 0.4
        if len(functions):
            bound = chebyshev_chernoff_bound(graph, functions, functions @ p, event, degree=2)
            plain = chebyshev_bound(functions, functions @ p, event)
            assert bound.lower - ACCURACY <= p[event].sum() <= bound.upper + ACCURACY
            widths.append((bound.upper - bound.lower, plain.upper - plain.lower))
    ours, theirs = np.mean(widths, axis=0)
    assert ours < 0.75 * theirs


@pytest.mark.parametrize("seed", range(6))
def test_all_moments_of_a_tree_determine_every_event(seed):
    generator = np.random.default_rng(seed)
    graph = random_pairwise(generator, 3, edges=random_tree_edges(generator, 3))
    middle = max(range(3), key=lambda v: len(graph.neighbors()[v]))
    functions = [f for factor in graph.factors[3:] for f in indicators(graph, factor.variables)]
    functions = np.array(functions + indicators(graph, (middle,)), float)
    p, event = probabilities(graph), generator.random(graph.joint_scores().size) < 0.5
    bound = chebyshev_chernoff_bound(graph, functions, functions @ p, event, degree=2)
    assert bound.lower == pytest.approx(p[event].sum(), abs=ACCURACY)
    assert bound.upper == pytest.approx(p[event].sum(), abs=ACCURACY)


def test_a_chain_of_four_needs_the_third_degree():
    graph = random_pairwise(np.random.default_rng(0), 4, edges=[[0, 1], [1, 2], [2, 3]], most_states=2)
    x, p = labelings(graph), probabilities(graph)
    functions = np.array([x[0] * x[1], x[1] * x[2], x[2] * x[3], x[1], x[2]])
    everywhere = dict.fromkeys(range(4), 1)
    cubic, square = (chebyshev_chernoff_bound(graph, functions, functions @ p, everywhere, degree=d) for d in (3, 2))
    assert cubic.upper == pytest.approx(p[-1], abs=ACCURACY) and square.upper > 1.1 * p[-1]
    np.testing.assert_array_equal(cubic.exponents, [1, 1, 1, -1, -1])


def test_independent_variables_multiply():
    apart = FactorGraph([2, 2], [((0,), np.zeros(2)), ((1,), np.zeros(2))])
    x = labelings(apart)
    bound = chebyshev_chernoff_bound(apart, x, [0.3, 0.6], {0: 1, 1: 1})
    assert (bound.lower, bound.upper) == pytest.approx((0.18, 0.18), abs=ACCURACY)
    coupled = chebyshev_chernoff_bound(apart.add((0, 1), np.zeros((2, 2))), x, [0.3, 0.6], {0: 1, 1: 1})
    assert (coupled.lower, coupled.upper) == pytest.approx((0.0, 0.3), abs=ACCURACY)


def test_the_product_bounds_the_event_in_all_models_of_the_family():
    """The constant is a supremum over parameters: other parameters than those behind the moments must obey it."""
    below_one = 0
    for seed in range(30):
        generator = np.random.default_rng(seed)
        shape = {"edges": grid_edges(2, 2) if seed % 2 else random_tree_edges(generator, 4), "most_states": 2}
        graph = random_pairwise(generator, 4, **shape)
        functions = np.array([f for factor in graph.factors for f in indicators(graph, factor.variables)], float)
        functions = functions[generator.permutation(len(functions))[:5]]
        p, event = probabilities(graph), np.arange(16) == generator.integers(16)
        bound = chebyshev_chernoff_bound(graph, functions, functions @ p, event, degree=2)
        below_one += bool(np.any(bound.exponents))
        for strength in (0.5, 2.0, 6.0):
            other = probabilities(random_pairwise(generator, 4, strength=strength, **shape))
            product = bound.log_constant + bound.exponents @ np.log(functions @ other)
            assert np.log(other[event].sum()) <= product + 1e-9
    assert below_one > 15


def test_events_may_be_given_in_every_form():
    graph, functions, p, _ = random_problem(7)
    x, moments = labelings(graph), functions @ p
    for event, mask in (
        ({0: 1}, x[0] == 1),
        (SumAtLeast(2), x.sum(axis=0) >= 2),
        (lambda states: states[:, 0] != states[:, 1], x[0] != x[1]),
        (LabelingEvent(lambda states: states[:, 0] > 0, variables=(1,)), x[1] > 0),
    ):
        ours, theirs = (chebyshev_chernoff_bound(graph, functions, moments, e, degree=2) for e in (event, mask))
        assert (ours.lower, ours.upper) == (theirs.lower, theirs.upper)
    tables = chebyshev_chernoff_bound(graph, functions.reshape(-1, *graph.n_states), moments, mask, degree=2)
    assert (tables.lower, tables.upper) == (theirs.lower, theirs.upper)
    nothing = chebyshev_chernoff_bound(graph, functions, moments, np.zeros(len(p), bool), degree=1)
    assert (nothing.lower, nothing.upper) == (0, 0)


def test_moments_that_no_model_of_the_family_has_are_an_error():
    apart = FactorGraph([2, 2], [((0,), np.zeros(2)), ((1,), np.zeros(2))])
    x1, x2 = labelings(apart)
    chebyshev_bound([x1, x2, x1 * x2], [0.5, 0.5, 0.5], x1 > 0)
    with pytest.raises(ValueError, match="no model of this family"):
        chebyshev_chernoff_bound(apart, [x1, x2, x1 * x2], [0.5, 0.5, 0.5], x1 > 0)


def test_wrong_input_is_named():
    functions, event = np.zeros((1, 8)), np.ones(8, bool)
    with pytest.raises(ValueError, match=r"shape \(1, 2, 2, 2\) or \(1, 8\)"):
        chebyshev_chernoff_bound(chain(), functions[:, :4], [0.5], event)
    with pytest.raises(ValueError, match="mask of 8 booleans"):
        chebyshev_chernoff_bound(chain(), functions, [0.5], event[:4])
    with pytest.raises(ValueError, match="degree=0"):
        chebyshev_chernoff_bound(chain(), functions, [0.5], event, degree=0)
    with pytest.raises(ValueError, match="finite"):
        chebyshev_chernoff_bound(chain(), functions, [np.nan], event)
    with pytest.raises(ValueError, match="enumeration stops"):
        chebyshev_chernoff_bound(FactorGraph([2] * 30), functions, [0.5], event)
