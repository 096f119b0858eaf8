"""Bounds on events by Chernoff and Chebyshev, against enumeration and closed forms."""

import numpy as np
import pytest
from field_models import grid_edges, random_pairwise, random_tree_edges
from scipy.optimize import minimize
from scipy.stats import binom

from treatise.graphical import (
    LabelingEvent,
    SumAtLeast,
    chebyshev_bound,
    chernoff_sum_bound,
    event_bounds,
    log_det_bound,
)
from treatise.inference import FactorGraph

ROUNDING = 1e-9


def enumerated_sums(graph):
    scores = graph.joint_scores()
    p = np.exp(scores - np.logaddexp.reduce(scores.ravel()))
    return sum(np.ix_(*[np.arange(k) for k in graph.n_states])), p


def chain(n, coupling):
    edges = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    return FactorGraph.ising(np.zeros(n), edges, np.full(n - 1, coupling), values=(0, 1))


def exact_tail(n, coupling, least):
    """Log probability of at least that many ones in the chain, counting the sum along with the last state."""
    counts = np.full((n + 1, 2), -np.inf)
    counts[0, 0] = counts[1, 1] = 0.0
    for _ in range(n - 1):
        new = np.full_like(counts, -np.inf)
        new[:, 0] = np.logaddexp(counts[:, 0], counts[:, 1])
        new[1:, 1] = np.logaddexp(counts[:-1, 0], counts[:-1, 1] + coupling)
        counts = new
    return np.logaddexp.reduce(counts[least:].ravel()) - np.logaddexp.reduce(counts.ravel())


def test_states_of_variables_lie_within_their_bounds_on_every_model():
    for seed in range(100):
        generator = np.random.default_rng(seed)
        graph = random_pairwise(generator, int(generator.integers(2, 8)), strength=(0.3, 1.0, 2.0)[seed % 3])
        exact = graph.brute_force()
        p = np.exp(graph.joint_scores() - exact.log_partition)
        s, t = generator.permutation(len(graph))[:2]
        pair = {int(s): 0, int(t): 1}
        at = tuple(pair.get(v, slice(None)) for v in range(len(graph)))
        for event, truth in (({0: 1}, exact.nodes[0][1]), (pair, p[at].sum())):
            bounds = event_bounds(graph, event)
            assert bounds.log_lower <= np.log(truth) + ROUNDING
            assert bounds.log_upper >= np.log(truth) - ROUNDING
            assert 0 <= bounds.lower <= bounds.upper + ROUNDING and bounds.upper <= 1


def test_sums_lie_within_their_bounds_on_every_model():
    for seed in range(12):
        generator = np.random.default_rng(seed)
        graph = random_pairwise(generator, int(generator.integers(2, 6)), strength=(0.3, 1.0)[seed % 2])
        sums, p = enumerated_sums(graph)
        for threshold in (2.5, int(sums.max())):
            truth = p[sums >= threshold].sum()
            bounds = event_bounds(graph, SumAtLeast(threshold))
            assert bounds.lower <= truth + ROUNDING and truth <= bounds.upper + ROUNDING
    assert event_bounds(graph, SumAtLeast(0)).lower == 1
    assert event_bounds(graph, SumAtLeast(sums.max() + 1)).upper == 0


def test_events_of_a_few_variables_lie_within_their_bounds_on_every_model():
    for seed in range(100):
        generator = np.random.default_rng(seed)
        n = int(generator.integers(3, 7))
        graph = random_pairwise(generator, n, strength=(0.3, 1.0, 2.0)[seed % 3])
        variables = tuple(generator.permutation(n)[:2].tolist())
        table = generator.random(tuple(graph.n_states[list(variables)])) < 0.5
        p = np.exp(graph.joint_scores() - graph.brute_force().log_partition)
        rest = tuple(v for v in range(n) if v not in variables)
        pairs = p.sum(axis=rest) if variables[0] < variables[1] else p.sum(axis=rest).T
        bounds = event_bounds(graph, LabelingEvent(lambda x, table=table: table[tuple(x.T)], variables))
        truth = pairs[table].sum()
        assert bounds.lower <= truth + ROUNDING and truth <= bounds.upper + ROUNDING
        assert 0 <= bounds.lower <= bounds.upper + ROUNDING and bounds.upper <= 1 + ROUNDING


def test_a_function_of_all_labels_is_exact():
    for seed in range(50):
        generator = np.random.default_rng(seed)
        graph = random_pairwise(generator, int(generator.integers(2, 6)))
        sums, p = enumerated_sums(graph)
        bounds = event_bounds(graph, lambda x: x.sum(axis=1) % 2 == 0)
        truth = p[sums % 2 == 0].sum()
        assert (bounds.lower, bounds.upper) == pytest.approx((truth, truth), abs=ROUNDING)
    reverse = tuple(reversed(range(len(graph))))
    first = event_bounds(graph, LabelingEvent(lambda x: x[:, -1] == 1, reverse))
    assert first.upper == pytest.approx(graph.brute_force().nodes[0][1], abs=ROUNDING)
    assert event_bounds(graph, lambda x: np.zeros(len(x), bool)).upper == 0
    assert event_bounds(graph, lambda x: np.ones(len(x), bool)).lower == 1


def binary_model(seed, n=None, strength=None):
    generator = np.random.default_rng(seed)
    n = int(generator.integers(2, 6)) if n is None else n
    strength = (0.3, 1.0, 3.0)[seed % 3] if strength is None else strength
    return random_pairwise(generator, n, strength=strength, most_states=2)


SOLVER = 1e-6
"""Accuracy of the semidefinite program."""


def test_the_collapsed_log_determinant_bounds_every_event():
    for seed in range(60):
        graph = binary_model(seed)
        n, scores = len(graph), graph.joint_scores()
        sums = np.indices(scores.shape).sum(axis=0)
        for least in range(n + 1):
            part = np.logaddexp.reduce(scores[sums >= least])
            assert log_det_bound(graph, event=SumAtLeast(least - 0.5)).log_partition >= part - SOLVER
        chosen = np.random.default_rng(seed).random(scores.size) < 0.4
        chosen[0] = True
        found = log_det_bound(
            graph, event=lambda x, chosen=chosen, s=scores.shape: chosen[np.ravel_multi_index(x.T, s)]
        )
        assert found.log_partition >= np.logaddexp.reduce(scores.ravel()[chosen]) - SOLVER
        fixed = log_det_bound(graph, event={0: 1})
        assert fixed.log_partition >= np.logaddexp.reduce(scores[1].ravel()) - SOLVER
        assert fixed.nodes[0] == 1 and fixed.pairs[0, 1] == pytest.approx(fixed.nodes[1])


def test_log_determinant_bounds_on_probabilities_hold():
    for seed in range(40):
        graph = binary_model(seed)
        sums, p = enumerated_sums(graph)
        for event, truth in (
            (SumAtLeast(len(graph) - 1), p[sums >= len(graph) - 1].sum()),
            ({0: 1}, p[1].sum()),
            (LabelingEvent(lambda x: x[:, 0] == 0, variables=(1,)), p[:, 0].sum()),
        ):
            bounds = event_bounds(graph, event, upper="log_det")
            assert bounds.lower <= truth + SOLVER and truth <= bounds.upper + SOLVER


def test_collapsing_is_the_least_over_all_tilts():
    """Proposition 4: the program over moments is the infimum of inequality 6.32 over tilts of all statistics."""
    graph = binary_model(1, n=2, strength=1.0)
    event = SumAtLeast(1)
    outcomes = np.array([[0, 1], [1, 0], [1, 1]])
    statistics = np.column_stack([outcomes, outcomes.prod(axis=1)])
    at = np.indices((2, 2)).reshape(2, -1).T

    def tilted_bound(tilt):
        table = (np.column_stack([at, at.prod(axis=1)]) @ tilt).reshape(2, 2)
        found = log_det_bound(graph.add((0, 1), table))
        return found.log_partition, np.array([*found.nodes, found.pairs[0, 1]])

    def nested(point):
        """The support function as one more unknown, above its every value; moments are the gradient of the bound."""
        value, moments = tilted_bound(point[:3])
        return value + point[3], np.append(moments, 1.0)

    collapsed = log_det_bound(graph, event=lambda x: x.sum(axis=1) >= 1).log_partition
    support = {"type": "ineq", "fun": lambda point: point[3] + statistics @ point[:3]}
    found = minimize(nested, np.zeros(4), jac=True, method="SLSQP", constraints=support)
    # Both solvers stop within some 1e-5 of the optimum.
    assert found.fun == pytest.approx(collapsed, abs=1e-4)
    for tilt in np.random.default_rng(0).normal(size=(10, 3)):
        assert np.max(statistics @ -tilt) + tilted_bound(tilt)[0] >= collapsed - 1e-5
    # A relaxation of the event's moments can only be looser.
    assert log_det_bound(graph, event=event).log_partition >= collapsed - 1e-5


def test_impossible_and_certain_sums_of_the_log_determinant():
    graph = binary_model(0, n=3)
    whole = log_det_bound(graph)
    assert log_det_bound(graph, event=SumAtLeast(0)).log_partition == pytest.approx(whole.log_partition, abs=1e-9)
    top = log_det_bound(graph, event=SumAtLeast(3))
    assert top.log_partition == pytest.approx(graph.scores([1, 1, 1])) and np.all(top.pairs == 1)
    everything = log_det_bound(graph, event=dict.fromkeys(range(3), 1))
    assert everything.log_partition == pytest.approx(graph.scores([1, 1, 1]))
    with pytest.raises(ValueError, match="do not sum to 4"):
        log_det_bound(graph, event=SumAtLeast(4))
    with pytest.raises(ValueError, match="holds for no labeling"):
        log_det_bound(graph, event=lambda x: x[:, 0] > 1)


def test_independent_variables_and_trees_give_the_exact_probability_of_states():
    # The mean-field model of section 6.5, and a tree: both bounds meet.
    spins = FactorGraph.ising([0.3, -0.8, 0.1], [], [])
    bounds = event_bounds(spins, {0: 1}, lower="mean_field")
    truth = 0.3 - np.logaddexp(0.3, -0.3)
    assert (bounds.log_lower, bounds.log_upper) == pytest.approx((truth, truth), abs=1e-9)
    generator = np.random.default_rng(0)
    tree = random_pairwise(generator, 6, edges=random_tree_edges(generator, 6))
    bounds, truth = event_bounds(tree, {2: 1}), np.log(tree.brute_force().nodes[2][1])
    assert (bounds.log_lower, bounds.log_upper) == pytest.approx((truth, truth), abs=1e-9)


def test_the_tail_of_coins_has_the_numbers_of_figure_6_1():
    bound = chernoff_sum_bound(FactorGraph([2] * 30), 22.5)
    assert bound.log_bound == pytest.approx(-3.92436, abs=5e-6)
    assert bound.tilt == pytest.approx(np.log(3), abs=1e-6)
    assert binom.logsf(22.5, 30, 0.5) == pytest.approx(-5.94785, abs=5e-6)
    n, p, delta = 30, 0.5, 0.5
    assert -n * p * delta**2 / 4 == -0.9375
    assert n * p * (delta - (1 + delta) * np.log(1 + delta)) == pytest.approx(-1.62296, abs=5e-5)


def test_the_tail_of_the_markov_chain_has_the_numbers_of_figure_6_1():
    bound = chernoff_sum_bound(chain(30, -1.0), 22.5)
    assert bound.log_bound == pytest.approx(-15.49444, abs=5e-6)
    assert bound.tilt == pytest.approx(2.643, abs=5e-4)
    assert exact_tail(30, -1.0, 23) == pytest.approx(-18.40557, abs=5e-6)


def test_chernoff_bounds_hold_and_are_the_least_over_tilts():
    for seed in range(100):
        generator = np.random.default_rng(seed)
        graph = random_pairwise(generator, int(generator.integers(1, 6)))
        sums, p = enumerated_sums(graph)
        for threshold in range(int(sums.max()) + 1):
            bound = chernoff_sum_bound(graph, threshold)
            assert bound.log_bound >= np.log(p[sums >= threshold].sum()) - ROUNDING
            for tilt in (0.0, 0.5 * bound.tilt, bound.tilt + 0.1):
                value = np.log(np.sum(p * np.exp(tilt * (sums - threshold))))
                assert bound.log_bound <= value + ROUNDING


def test_chernoff_at_the_ends_of_the_range():
    graph = FactorGraph([2, 3])
    assert chernoff_sum_bound(graph, 3.5).log_bound == -np.inf
    assert chernoff_sum_bound(graph, -1).log_bound == 0
    # Only one outcome reaches the largest sum; the infimum is its probability.
    assert chernoff_sum_bound(graph, 3).log_bound == pytest.approx(np.log(1 / 6), abs=1e-6)


def test_a_wrong_event_is_an_error():
    graph = FactorGraph([2, 2])
    with pytest.raises(ValueError, match="must map variables to states"):
        event_bounds(graph, [0, 1])
    with pytest.raises(ValueError, match="evidence 0: 2"):
        event_bounds(graph, {0: 2})
    for wrong in (lambda: SumAtLeast(np.nan), lambda: chernoff_sum_bound(graph, np.nan)):
        with pytest.raises(ValueError, match="threshold is NaN"):
            wrong()
    with pytest.raises(ValueError, match="upper='none'"):
        event_bounds(graph, {0: 1}, upper="none")
    with pytest.raises(ValueError, match="one boolean for each of 4 labelings"):
        event_bounds(graph, lambda x: x[:, 0])
    with pytest.raises(ValueError, match=r"variables=\(0, 0\)"):
        event_bounds(graph, LabelingEvent(lambda x: x[:, 0] == 1, (0, 0)))
    with pytest.raises(ValueError, match="enumeration stops"):
        event_bounds(FactorGraph([2] * 70), lambda x: x[:, 0] == 1)


def test_chebyshev_of_the_three_node_chain_is_the_least_moment():
    x1, x2, x3 = (axis.ravel() for axis in np.indices((2, 2, 2)))
    functions, event = np.array([x1 * x2, x2 * x3, x2]), (x1 * x2 * x3).astype(bool)
    for seed in range(20):
        p = np.random.default_rng(seed).dirichlet(np.ones(8))
        moments = functions @ p
        bound = chebyshev_bound(functions, moments, event)
        assert bound.upper == pytest.approx(moments.min(), abs=1e-9)
        # And from below by inclusion and exclusion within x2 = 1.
        assert bound.lower == pytest.approx(max(0.0, moments[0] + moments[1] - moments[2]), abs=1e-9)
        assert bound.lower - ROUNDING <= p[event].sum() <= bound.upper + ROUNDING


def test_chebyshev_multipliers_prove_the_bound_and_bounds_hold():
    for seed in range(100):
        generator = np.random.default_rng(seed)
        functions, event = generator.normal(size=(3, 40)), generator.random(40) < 0.3
        p = generator.dirichlet(np.full(40, 0.3))
        bound = chebyshev_bound(functions, functions @ p, event)
        assert np.all(bound.multipliers @ functions + bound.offset >= event - ROUNDING)
        assert bound.multipliers @ functions @ p + bound.offset == pytest.approx(bound.upper, abs=1e-8)
        assert bound.lower - 1e-8 <= p[event].sum() <= bound.upper + 1e-8


def test_mean_and_variance_on_a_fine_grid_give_cantelli():
    x = np.linspace(-10, 10, 4001)
    bound = chebyshev_bound([x, x**2], [0.0, 1.0], x >= 1.5)
    # One over one plus the squared deviations; the grid holds the extreme distribution to half a step.
    assert bound.upper == pytest.approx(1 / (1 + 1.5**2), abs=1e-4)


def test_impossible_moments_and_wrong_shapes_are_errors():
    x = np.arange(5)
    with pytest.raises(ValueError, match="no distribution"):
        chebyshev_bound([x], [7.0], x > 2)
    with pytest.raises(ValueError, match=r"shape \(1, 5\)"):
        chebyshev_bound([x[:4]], [1.0], x > 2)
    for outcomes in (x, np.zeros(0, bool)):
        with pytest.raises(ValueError, match="mask of booleans"):
            chebyshev_bound([outcomes], [1.0], outcomes)
    with pytest.raises(ValueError, match="finite"):
        chebyshev_bound([np.full(5, np.inf)], [1.0], x > 2)


def test_a_grid_of_nine_has_intervals_of_useful_width():
    graph = FactorGraph.ising(np.full(9, 0.1), grid_edges(3, 3), np.full(12, 0.2))
    bounds, truth = event_bounds(graph, {4: 1}), graph.brute_force().nodes[4][1]
    assert bounds.lower <= truth <= bounds.upper and bounds.upper - bounds.lower < 0.2
