"""Optimal transport against linear programming, closed forms and itself from other starts."""

import numpy as np
import pytest
from scipy.optimize import linprog

from treatise.optimize import PairTransport, solve_transport


def by_linear_programming(supply, demand, cost):
    n, m = cost.shape
    rows, columns = np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))
    return linprog(cost.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([supply, demand])).fun


def problem(rng, n, m, kind):
    """Amounts in general position, whole (so that many bases are degenerate), or with empty bins."""
    supply, demand = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(m))
    if kind == "whole":
        supply, demand = np.full(n, float(m)), np.full(m, float(n))
    elif kind == "empty bins":
        supply[rng.permutation(n)[: n // 2]] = 0.0
        demand[rng.permutation(m)[: m // 3]] = 0.0
        supply, demand = supply / supply.sum(), demand / demand.sum()
    return supply, demand, rng.normal(size=(n, m))


@pytest.mark.parametrize("kind", ["general", "whole", "empty bins"])
def test_value_is_that_of_the_linear_programme_and_certified(kind):
    rng = np.random.default_rng(0)
    for n, m in ((1, 1), (1, 5), (6, 1), (2, 3), (5, 5), (8, 13), (12, 7)):
        for _ in range(3):
            supply, demand, cost = problem(rng, n, m, kind)
            found = solve_transport(supply, demand, cost)
            np.testing.assert_allclose(found.value, by_linear_programming(supply, demand, cost), atol=1e-9)
            plan = found.plan()
            assert plan.min() >= 0 and found.gap <= 1e-12 * max(1.0, supply.sum())
            np.testing.assert_allclose(plan.sum(axis=1), supply, atol=1e-12)
            np.testing.assert_allclose(plan.sum(axis=0), demand, atol=1e-12)
            np.testing.assert_allclose(np.sum(plan * cost), found.value, atol=1e-12)
            prices = found.source_prices[:, np.newaxis] + found.sink_prices
            assert np.all(prices <= cost + 1e-12)


def test_equal_costs_and_integer_grids_do_not_turn_in_circles():
    places = np.stack(np.indices((6, 6)), axis=-1).reshape(36, 2)
    steps = np.abs(places[:, np.newaxis] - places).sum(axis=2).astype(float)
    rng = np.random.default_rng(1)
    for cost in (np.ones((36, 36)), steps):
        for _ in range(20):
            supply = rng.multinomial(36, np.ones(36) / 36).astype(float)
            demand = rng.multinomial(36, np.ones(36) / 36).astype(float)
            found = solve_transport(supply, demand, cost)
            assert 0 <= found.n_pivots < 2000 and found.gap == pytest.approx(0, abs=1e-9)
            assert found.value == pytest.approx(round(found.value), abs=1e-9), "whole amounts have whole optima"


def test_a_start_changes_the_way_and_not_the_value():
    rng = np.random.default_rng(2)
    supply, demand, cost = problem(rng, 40, 40, "empty bins")
    cold = solve_transport(supply, demand, cost)
    for size in (0.01, 1.0):
        moved = cost + size * rng.normal(size=cost.shape)
        fresh, warm = solve_transport(supply, demand, moved), solve_transport(supply, demand, moved, start=cold)
        np.testing.assert_allclose(warm.value, fresh.value, rtol=1e-12)
        if size == 0.01:
            assert warm.n_pivots < fresh.n_pivots / 3
    assert solve_transport(supply, demand, cost, start=cold).n_pivots == 0


def test_scale_and_shift_of_costs_act_as_they_must():
    rng = np.random.default_rng(3)
    supply, demand, cost = problem(rng, 9, 11, "general")
    value = solve_transport(supply, demand, cost).value
    for scale in (1e-150, 1e-9, 1e150):
        np.testing.assert_allclose(solve_transport(supply, demand, scale * cost).value / scale, value, rtol=1e-10)
    np.testing.assert_allclose(solve_transport(supply, demand, cost + 5.0).value, value + 5.0, rtol=1e-12)
    np.testing.assert_allclose(solve_transport(1e6 * supply, 1e6 * demand, cost).value, 1e6 * value, rtol=1e-10)


def test_nothing_to_carry_costs_nothing():
    found = solve_transport([0.0, 0.0], [0.0], [[1.0], [2.0]])
    assert found.value == 0.0 and not found.plan().any()


@pytest.mark.parametrize(
    ("supply", "demand", "cost", "words"),
    [
        ([1.0, 2.0], [1.0], np.ones((2, 1)), "supply adds up to 3 and demand to 1"),
        ([1.0, -1.0], [0.0], np.ones((2, 1)), "supply must hold finite amounts"),
        ([1.0], [np.nan], np.ones((1, 1)), "demand must hold finite amounts"),
        ([1.0], [1.0], np.ones((2, 1)), r"cost has the shape \(2, 1\)"),
        ([1.0], [1.0], [[np.inf]], "NaN or infinity"),
    ],
)
def test_what_is_no_problem_is_refused(supply, demand, cost, words):
    with pytest.raises(ValueError, match=words):
        solve_transport(supply, demand, cost)


# Many pairs.


def random_metric(rng, d):
    places = rng.normal(size=(d, 2))
    return np.linalg.norm(places[:, np.newaxis] - places, axis=2)


def test_pairs_over_a_metric_have_the_values_of_the_whole_problems_again_and_again():
    rng = np.random.default_rng(4)
    histograms = rng.dirichlet(np.full(12, 0.5), 10)
    histograms[3] = histograms[7]
    histograms[:, 4] = 0.0
    histograms /= histograms.sum(axis=1, keepdims=True)
    left, right = np.triu_indices(10, 1)
    transport = PairTransport(histograms, histograms, left, right)
    for _ in range(4):
        metric = random_metric(rng, 12)
        values = transport.solve(metric)
        expected = [solve_transport(histograms[i], histograms[j], metric).value for i, j in zip(left, right)]
        np.testing.assert_allclose(values, expected, atol=1e-12)
        weights = rng.normal(size=len(left))
        table = transport.sum_of_plans(np.arange(len(left)), weights)
        np.testing.assert_allclose(np.sum(table * metric), weights @ values, atol=1e-12)
    some = np.array([5, 2, 40])
    metric = random_metric(rng, 12)
    np.testing.assert_allclose(
        transport.solve(metric, some), PairTransport(histograms, histograms, left, right).solve(metric)[some]
    )


def test_equal_distances_give_total_variation():
    rng = np.random.default_rng(5)
    A, B = rng.dirichlet(np.ones(20), 6), rng.dirichlet(np.full(20, 0.1), 6)
    values = PairTransport(A, B, np.arange(6), np.arange(6)).solve(1.0 - np.eye(20))
    np.testing.assert_allclose(values, np.abs(A - B).sum(axis=1) / 2, atol=1e-12)


def test_pairs_that_do_not_exist_and_costs_of_other_bins_are_refused():
    histograms = np.eye(3)
    with pytest.raises(ValueError, match="there are 3"):
        PairTransport(histograms, histograms, [0], [3])
    with pytest.raises(ValueError, match="histograms have 3 bins"):
        PairTransport(histograms, histograms, [0], [1]).solve(np.ones((2, 2)))
