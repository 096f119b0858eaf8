"""Nearest metrics against quadratic programming, and ground metric learning against its formulas."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from treatise.metric import (
    GroundMetricLearner,
    earth_movers_distance,
    earth_movers_distances,
    is_metric,
    nearest_metric,
)
from treatise.metric.ground._criterion import NeighbourCosts, weights_of_labels
from treatise.optimize import solve_transport


def random_metric(rng, d):
    places = rng.normal(size=(d, 3))
    return np.linalg.norm(places[:, np.newaxis] - places, axis=2)


def by_quadratic_programming(H, total=None):
    """The nearest metric by a general solver, from the triangle inequalities written out."""
    d = len(H)
    upper = np.triu_indices(d, 1)
    number = np.zeros((d, d), dtype=int)
    number[upper] = np.arange(len(upper[0]))
    number += number.T
    inequalities = []
    for i, j in zip(*upper):
        for k in set(range(d)) - {i, j}:
            row = np.zeros(len(upper[0]))
            row[number[i, k]] = row[number[j, k]] = 1.0
            row[number[i, j]] = -1.0
            inequalities.append(row)
    A, h = np.array(inequalities), (H + H.T)[upper] / 2
    constraints = [{"type": "ineq", "fun": lambda m: A @ m, "jac": lambda m: A}]
    if total is not None:
        constraints.append({"type": "eq", "fun": lambda m: m.sum() - total / 2, "jac": lambda m: np.ones_like(m)})
    found = minimize(
        lambda m: 0.5 * np.sum((m - h) ** 2), np.full(len(h), 1.0), jac=lambda m: m - h, constraints=constraints,
        method="SLSQP", options={"ftol": 1e-15, "maxiter": 1000},
    )  # fmt: skip
    out = np.zeros((d, d))
    out[upper] = found.x
    return out + out.T


@pytest.mark.parametrize("total", [None, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_nearest_metric_is_that_of_quadratic_programming(seed, total):
    H = np.random.default_rng(seed).normal(size=(6, 6)) + 0.3
    found = nearest_metric(H, total=total, tol=1e-8)
    np.testing.assert_allclose(found.metric, by_quadratic_programming(H, total), atol=1e-6)
    assert found.converged and is_metric(found.metric, 1e-12)
    if total is not None:
        assert found.metric.sum() == pytest.approx(total)


def test_nearest_metric_is_certified_and_leaves_metrics_alone():
    rng = np.random.default_rng(0)
    H = rng.normal(size=(15, 15)) + 0.5
    nearest = nearest_metric(H, tol=1e-7)
    exact = nearest.metric
    for tol in (1e-1, 1e-2, 1e-4):
        rough = nearest_metric(H, tol=tol)
        assert is_metric(rough.metric, 1e-12)
        assert np.linalg.norm(rough.metric - exact) <= rough.gap + nearest.gap, "the gap bounds the distance"
    np.testing.assert_allclose(nearest_metric(exact).metric, exact, atol=1e-6)
    M = random_metric(rng, 9)
    again = nearest_metric(M)
    np.testing.assert_allclose(again.metric, M, atol=1e-12)
    assert again.n_sweeps == 1 and again.distance == pytest.approx(0, abs=1e-10)
    order = rng.permutation(15)
    moved = nearest_metric(H[np.ix_(order, order)], tol=1e-7).metric
    np.testing.assert_allclose(moved, exact[np.ix_(order, order)], atol=1e-5)
    np.testing.assert_allclose(nearest_metric(1e-9 * H, tol=1e-7).metric, 1e-9 * exact, atol=1e-14)


def test_small_and_hopeless_tables_have_their_metrics():
    np.testing.assert_array_equal(nearest_metric([[0.0, -3.0], [-3.0, 0.0]]).metric, np.zeros((2, 2)))
    np.testing.assert_allclose(nearest_metric([[0.0, 2.0], [4.0, 0.0]]).metric, [[0, 3.0], [3.0, 0]])
    np.testing.assert_allclose(nearest_metric(-np.ones((4, 4))).metric, np.zeros((4, 4)), atol=1e-5)
    np.testing.assert_allclose(nearest_metric(np.zeros((4, 4)), total=12.0).metric, 1.0 - np.eye(4))
    with pytest.raises(ValueError, match="square"):
        nearest_metric(np.ones((2, 3)))
    with pytest.raises(ValueError, match="NaN"):
        nearest_metric([[0, np.nan], [1, 0]])
    with pytest.raises(ValueError, match="total=0"):
        nearest_metric(np.ones((3, 3)), total=0)
    with pytest.warns(ConvergenceWarning, match="raise max_sweeps"):
        rough = nearest_metric(np.random.default_rng(0).normal(size=(20, 20)), max_sweeps=1)
    assert not rough.converged and is_metric(rough.metric, 1e-12)


def test_what_is_no_metric_is_told():
    good = random_metric(np.random.default_rng(1), 5)
    assert is_metric(good)
    for i, j, value in ((0, 1, 9.0), (2, 2, 0.1), (0, 1, -1.0)):
        bad = good.copy()
        bad[i, j] = value
        assert not is_metric(bad)
    long = good.copy()
    long[0, 1] = long[1, 0] = 1.01 * (good[0, 2] + good[2, 1])
    assert not is_metric(long)


def test_the_worked_example_costs_125_and_not_the_printed_120():
    M = np.array([[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]])
    a, b = [60, 20, 14, 6], [13, 7, 56, 24]
    X = np.array([[10, 4, 40, 6], [1, 1, 11, 7], [1, 2, 4, 7], [1, 0, 1, 4]])
    assert X.sum(axis=1).tolist() == a and X.sum(axis=0).tolist() == b and np.sum(X * M) == 169
    value, plan = earth_movers_distance(a, b, M, return_plan=True)
    assert value == pytest.approx(125) and np.sum(plan * M) == pytest.approx(125)
    metric = [[0, 0.8, 0.4], [0.8, 0, 0.6], [0.4, 0.6, 0]]
    assert earth_movers_distance([0.5, 0.3, 0.2], [0.2, 0.5, 0.3], metric) == pytest.approx(0.2)


def test_distances_of_tables_are_those_of_pairs_for_metrics_and_other_costs():
    rng = np.random.default_rng(2)
    A, B = rng.dirichlet(np.full(10, 0.4), 5), rng.dirichlet(np.ones(10), 4)
    for M in (random_metric(rng, 10), rng.random((10, 10))):
        expected = [[solve_transport(a, b, M).value for b in B] for a in A]
        np.testing.assert_allclose(earth_movers_distances(A, B, M=M), expected, atol=1e-12)
    within = earth_movers_distances(A, M=random_metric(rng, 10))
    np.testing.assert_allclose(within, within.T)
    assert np.all(np.diag(within) == 0)


# Learning.


def labelled(seed=0, n=24, d=8):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(d, 0.5), n), np.arange(n) % 3


def test_criterion_is_the_sum_over_nearest_neighbours():
    X, y = labelled()
    M = random_metric(np.random.default_rng(1), 8)
    D = earth_movers_distances(X, M=M)
    weights = weights_of_labels(y, 2)
    for sign in (1, -1):
        part = NeighbourCosts(X, np.maximum(sign * weights, 0) * sign, 2)
        expected = 0.0
        for i in range(len(X)):
            partners = [j for j in range(len(X)) if j != i and (y[i] == y[j]) == (sign > 0)]
            expected += sign * sum(sorted(D[i, partners])[:2]) / (len(X) * 2)
        value, gradient = part.value_and_gradient(M)
        assert value == pytest.approx(expected) == pytest.approx(part.value(M))
        # Distances are linear in the metric as long as no plan changes (Euler).
        assert np.sum(gradient * M) == pytest.approx(value)


@pytest.mark.parametrize("sign", [1, -1])
def test_gradient_is_the_slope_where_plans_are_unique(sign):
    X, y = labelled(3)
    rng = np.random.default_rng(4)
    M, E = random_metric(rng, 8), random_metric(rng, 8)
    part = NeighbourCosts(X, sign * np.maximum(sign * weights_of_labels(y, 3), 0), 3)
    _, gradient = part.value_and_gradient(M)
    h = 1e-6
    slope = (part.value(M + h * E) - part.value(M - h * E)) / (2 * h)
    assert np.sum(gradient * E) == pytest.approx(slope, rel=1e-5)


def test_tangent_of_the_concave_part_lies_above_it():
    X, y = labelled(5)
    rng = np.random.default_rng(6)
    part = NeighbourCosts(X, np.maximum(weights_of_labels(y, 3), 0), 3)
    for _ in range(10):
        M, other = random_metric(rng, 8), random_metric(rng, 8)
        value, gradient = part.value_and_gradient(M)
        assert part.value(other) <= value + np.sum(gradient * (other - M)) + 1e-12


def two_blocks(seed, n=40):
    """Two classes, each with ten bins of its own of which a row has two, and a little of everything."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = 0.2 * rng.dirichlet(np.ones(20), n)
    for row, label in zip(X, y):
        row[10 * label + rng.choice(10, 2, replace=False)] += 0.4
    return X, y


@pytest.mark.filterwarnings("ignore:ground metric learning still gained")
@pytest.mark.parametrize("projection", ["rescale", "exact"])
def test_blocks_of_bins_are_found(projection):
    X, y = two_blocks(0)
    model = GroundMetricLearner(max_outer=2, projection=projection).fit(X, y)
    M = model.metric_
    within = (M[:10, :10].sum() + M[10:, 10:].sum()) / 180
    assert within < 0.3 * M[:10, 10:].mean()
    assert is_metric(M, 1e-7) and M.sum() == pytest.approx(1.0)
    path = model.objective_path_
    costs = [NeighbourCosts(X, f(weights_of_labels(y, 3), 0), 3).value(M) for f in (np.maximum, np.minimum)]
    assert sum(costs) == pytest.approx(path.min()) and path.min() < path[0]
    test_X, test_y = two_blocks(1)
    assert model.score(test_X, test_y) == 1.0


def test_order_of_rows_does_not_matter_and_that_of_bins_only_moves_them():
    X, y = labelled(7)
    rng = np.random.default_rng(8)
    settings = {"max_outer": 1, "init": random_metric(rng, 8)}
    with pytest.warns(ConvergenceWarning):
        plain = GroundMetricLearner(**settings).fit(X, y)
    rows, bins = rng.permutation(len(X)), rng.permutation(8)
    with pytest.warns(ConvergenceWarning):
        shuffled = GroundMetricLearner(**settings).fit(X[rows], y[rows])
    np.testing.assert_allclose(shuffled.metric_, plain.metric_, atol=1e-9)
    settings["init"] = settings["init"][np.ix_(bins, bins)]
    with pytest.warns(ConvergenceWarning):
        moved = GroundMetricLearner(**settings).fit(X[:, bins], y)
    # Steps end within a thousandth of the nearest metric, by another way.
    np.testing.assert_allclose(moved.metric_, plain.metric_[np.ix_(bins, bins)], atol=0.1 / 56)


def test_starts_are_metrics_of_total_one():
    X, y = two_blocks(2)
    for init in ("uniform", "independence", 3.0 * (1 - np.eye(20))):
        model = GroundMetricLearner(max_outer=0, init=init).fit(X, y)
        assert is_metric(model.metric_) and model.metric_.sum() == pytest.approx(1.0)
    learnt = GroundMetricLearner(max_outer=0, init="independence").fit(X, y).metric_
    assert learnt[:10, 10:].mean() > 1.2 * learnt[:10, :10].sum() / 90
    with pytest.raises(ValueError, match="init must be a metric between the 20 bins"):
        GroundMetricLearner(init=np.ones((20, 20))).fit(X, y)


def test_neighbours_and_votes_are_those_of_the_distances():
    X, y = two_blocks(3)
    model = GroundMetricLearner(max_outer=0).fit(X, y)
    A, _ = two_blocks(4, n=7)
    D = np.abs(A[:, np.newaxis] - X).sum(axis=2) / 2 / (20 * 19)
    np.testing.assert_allclose(model.pairwise_distances(A), D, atol=1e-15)
    distances, nearest = model.kneighbors(A, 5)
    np.testing.assert_allclose(distances, np.sort(D, axis=1)[:, :5], atol=1e-15)
    np.testing.assert_allclose(np.take_along_axis(D, nearest, axis=1), distances, atol=1e-15)
    np.testing.assert_allclose(model.predict_proba(A)[:, 1], y[model.kneighbors(A)[1]].mean(axis=1))
    np.testing.assert_allclose(model.pairwise_distances(A, A), earth_movers_distances(A, M=model.metric_), atol=1e-15)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda X: 2 * X, "adds up to 2; a histogram adds up to one"),
        (lambda X: X - 0.01, "Negative values"),
        (lambda X: np.where(np.arange(len(X))[:, None] == 4, 0.0, X), "row 4 of X is all zeros"),
        (lambda X: np.where(X[0, 0] == X, np.nan, X), "NaN"),
    ],
)
def test_rows_that_are_no_histograms_are_refused(change, words):
    X, y = two_blocks(5)
    with pytest.raises(ValueError, match=words):
        GroundMetricLearner().fit(change(X), y)
    fitted = GroundMetricLearner(max_outer=0).fit(X, y)
    with pytest.raises(ValueError, match=words):
        fitted.predict(change(X))


def test_counts_are_normalized_on_demand_and_one_class_is_refused():
    X, y = two_blocks(6)
    plain = GroundMetricLearner(max_outer=0).fit(X, y)
    counted = GroundMetricLearner(max_outer=0, normalize=True).fit(50 * X, y)
    np.testing.assert_allclose(counted.pairwise_distances(7 * X), plain.pairwise_distances(X), atol=1e-12)
    even = counted.pairwise_distances(np.zeros((1, 20)))
    np.testing.assert_allclose(even, plain.pairwise_distances(np.full((1, 20), 0.05)), atol=1e-12)
    with pytest.raises(ValueError, match="one class only"):
        GroundMetricLearner().fit(X, np.zeros(len(X)))


@pytest.mark.filterwarnings("ignore:ground metric learning still gained")
def test_a_class_of_one_row_has_no_neighbours_of_its_own_and_is_learnt_all_the_same():
    X, y = two_blocks(7, n=11)
    y = np.where(np.arange(11) == 0, 2, y)
    model = GroundMetricLearner(max_outer=1, max_inner=10).fit(X, y)
    assert np.all(np.isfinite(model.metric_))
