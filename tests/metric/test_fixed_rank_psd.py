"""Fixed-rank PSD regression: gradients, invariances, recovery, inequalities, online passes, bad input."""

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import expm, logm, subspace_angles
from sklearn.exceptions import ConvergenceWarning

from treatise.metric import FixedRankPSDRegressor
from treatise.metric.fixed_rank._descent import Targets, batch_descent, cost_of
from treatise.metric.fixed_rank._geometry import GEOMETRIES, geometry_named
from treatise.metric.fixed_rank._measurements import MatrixMeasurements, PairMeasurements, RowMeasurements


def equalities(y):
    return Targets(np.asarray(y, float), np.zeros(len(y)), np.ones(len(y)))


def cost_of_matrix(W, X, y):
    return 0.5 * np.mean((np.einsum("ij,jk,ik->i", X, W, X) - y) ** 2)


@pytest.fixture(scope="module")
def problem():
    """Noise-free responses of a matrix of rank five in ten dimensions."""
    random = np.random.RandomState(0)
    G, X = random.randn(10, 5), random.randn(1000, 10)
    return G @ G.T, X, ((X @ G) ** 2).sum(axis=1), random.randn(10, 5)


@pytest.mark.parametrize("geometry", ["flat", "polar"])
def test_both_geometries_recover_a_noise_free_matrix(problem, geometry):
    W, X, y, start = problem
    model = FixedRankPSDRegressor(5, geometry=geometry, init=start, tol=1e-8).fit(X[:500], y[:500])
    found = model.components_.T @ model.components_
    assert np.linalg.norm(found - W) / np.linalg.norm(W) < 1e-4
    assert cost_of_matrix(found, X[500:], y[500:]) < 1e-6
    assert (np.diff(model.cost_history_) < 0).all() and model.n_iter_ == len(model.cost_history_) - 1
    np.testing.assert_allclose(model.subspace_ @ model.inner_metric_ @ model.subspace_.T, found, atol=1e-10)
    np.testing.assert_allclose(model.predict(X), np.einsum("ij,jk,ik->i", X, found, X), rtol=1e-10)


@pytest.mark.parametrize("solver", ["batch", "online"])
@pytest.mark.parametrize("geometry", ["flat", "polar"])
def test_units_of_responses_and_columns_only_change_units(problem, geometry, solver):
    _, X, y, _ = problem
    X, y = X[:300], y[:300] * (1 + 0.1 * np.random.RandomState(1).randn(300))
    options = {"geometry": geometry, "solver": solver, "epochs": 20, "random_state": 5, "max_iter": 200, "tol": 1e-4}
    one = FixedRankPSDRegressor(5, **options).fit(X, y)
    assert one.converged_ and one.score(X, y) > 0.9
    for unit in (1e-8, 1e-4, 1e6):
        for rows, responses, factor in ((X, unit * y, unit), (unit * X, y, 1.0)):
            other = FixedRankPSDRegressor(5, **options).fit(rows, responses)
            # Step lengths are tried in powers of two, so that rounding is all that differs.
            np.testing.assert_allclose(other.predict(rows), factor * one.predict(X), rtol=1e-3, atol=1e-3 * factor)
            assert other.converged_


def test_short_runs_say_that_they_have_not_converged(problem):
    _, X, y, _ = problem
    for options in ({"max_iter": 2}, {"solver": "online", "epochs": 1}):
        with pytest.warns(ConvergenceWarning, match="the cost still falls"):
            assert not FixedRankPSDRegressor(5, random_state=5, **options).fit(X, 1e-4 * y).converged_


@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_slope_is_the_derivative_of_the_cost_along_the_step(problem, geometry):
    _, X, y, start = problem
    X, y = X[:60], y[:60]
    G = start if geometry in ("flat", "polar") else np.random.RandomState(1).randn(10, 10)
    measurements, chart = RowMeasurements(X), geometry_named(geometry, 0.3)
    point = chart.start(G)
    np.testing.assert_allclose(point.factor @ point.factor.T, G @ G.T, atol=1e-10)
    projected = measurements.project(point.frame)
    residual = measurements.values(measurements.project(point.factor)) - y
    direction = chart.direction(point, measurements.weighted_sum(residual / len(y), projected))

    def after(step):
        moved = chart.move(point, direction, direction.land(step))
        return cost_of_matrix(moved.factor @ moved.factor.T, X, y)

    h = 1e-5 / direction.norm
    # A central difference is right to h^2; the rest is rounding of the cost divided by h.
    assert (after(-h) - after(h)) / (2 * h) == pytest.approx(direction.slope, rel=1e-6)


def test_gradients_by_finite_differences_in_both_parametrisations(problem):
    _, X, y, start = problem
    X, y, weight = X[:60], y[:60], 0.3
    measurements = RowMeasurements(X)

    def numerical(function, A, h=1e-5):
        slopes = np.empty_like(A)
        for i, j in np.ndindex(A.shape):
            E = np.zeros_like(A)
            E[i, j] = h
            slopes[i, j] = (function(A + E) - function(A - E)) / (2 * h)
        return slopes

    residual = ((X @ start) ** 2).sum(axis=1) - y
    flat = geometry_named("flat", 0).direction(
        geometry_named("flat", 0).start(start), measurements.weighted_sum(residual / 60, X @ start)
    )
    expected = numerical(lambda G: cost_of_matrix(G @ G.T, X, y), start)
    np.testing.assert_allclose(flat.tangent, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())

    chart = geometry_named("polar", weight)
    U, R = point = chart.start(start)
    polar = chart.direction(point, measurements.weighted_sum(residual / 60, X @ U))
    by_U = numerical(lambda V: cost_of_matrix(V @ R @ R @ V.T, X, y), U)
    horizontal = by_U - U @ (U.T @ by_U)
    np.testing.assert_allclose(polar.tangent, horizontal, rtol=1e-6, atol=1e-6 * np.abs(horizontal).max())
    by_B = numerical(lambda B: cost_of_matrix(U @ B @ U.T, X, y), R @ R)
    by_B = R @ ((by_B + by_B.T) / 2) @ R
    squared = weight * np.sum(horizontal**2) + (1 - weight) * np.sum(by_B**2)
    assert polar.slope == pytest.approx(squared, rel=1e-6) and polar.norm**2 == pytest.approx(squared, rel=1e-6)


def test_a_polar_step_is_equation_20(problem):
    _, X, y, start = problem
    X, y, weight, step = X[:40], y[:40], 0.4, 1e-4
    chart, measurements = geometry_named("polar", weight), RowMeasurements(X)
    U, R = point = chart.start(start)
    W = U @ R @ R @ U.T
    S = sum((x @ W @ x - t) * np.outer(x, x) for x, t in zip(X, y)) / len(y)
    direction = chart.direction(point, S @ U)
    moved = chart.move(point, direction, direction.land(step))
    Q, T = np.linalg.qr(U - 2 * weight * step * (np.eye(10) - U @ U.T) @ S @ U @ R @ R)
    np.testing.assert_allclose(moved.frame, Q * np.sign(np.diagonal(T)), atol=1e-12)
    expected = R @ expm(-(1 - weight) * step * R @ U.T @ S @ U @ R) @ R
    np.testing.assert_allclose(moved.core @ moved.core, expected, rtol=1e-10, atol=1e-10)
    # What the line search computes without moving is the cost after the move.
    along = batch_descent(measurements, equalities(y), chart, point, tol=0, max_iter=1)
    assert along.costs[1] == pytest.approx(cost_of(measurements, equalities(y), along.point), rel=1e-10)


@pytest.mark.parametrize("geometry", ["affine", "logdet", "log_euclidean"])
def test_full_rank_steps_are_the_published_updates(problem, geometry):
    _, X, y, _ = problem
    X, y, step = X[:40], y[:40], 1e-4
    chart = geometry_named(geometry, 0.5)
    G = np.random.RandomState(2).randn(10, 10) + 3 * np.eye(10)
    W, point = G @ G.T, chart.start(G)
    S = sum((x @ W @ x - t) * np.outer(x, x) for x, t in zip(X, y)) / len(y)
    step /= np.linalg.norm(S @ W)
    direction = chart.direction(point, S @ point.frame)
    moved = chart.move(point, direction, direction.land(step)).factor
    root = point.frame @ point.core @ point.frame.T
    expected = {
        "affine": lambda: root @ expm(-step * root @ S @ root) @ root,
        "logdet": lambda: W - step * W @ S @ W,
        "log_euclidean": lambda: expm(logm(W) - step * S),
    }[geometry]()
    np.testing.assert_allclose(moved @ moved.T, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_cost_never_rises_and_the_matrix_stays_semi_definite_of_its_rank(problem, geometry):
    _, X, y, start = problem
    with pytest.warns(ConvergenceWarning, match="max_iter=40"):
        model = FixedRankPSDRegressor(5, geometry=geometry, init=start, tol=0, max_iter=40).fit(X[:300], y[:300])
    assert (np.diff(model.cost_history_) < 0).all() and len(model.cost_history_) == 41
    values = np.linalg.eigvalsh(model.components_.T @ model.components_)
    assert values[0] > -1e-10 * values[-1] and np.sum(values > 1e-10 * values[-1]) == 5
    if geometry in ("affine", "logdet", "log_euclidean"):
        assert np.max(subspace_angles(model.subspace_, start)) < 1e-7


def test_weights_zero_and_one_hold_the_subspace_or_the_metric_in_it(problem):
    _, X, y, start = problem
    measurements, targets = RowMeasurements(X[:300]), equalities(y[:300])
    for weight in (0.0, 1.0):
        chart = geometry_named("polar", weight)
        point = chart.start(start)
        ended = batch_descent(measurements, targets, chart, point, tol=0, max_iter=30).point
        if weight == 0:
            np.testing.assert_array_equal(ended.frame, point.frame)
            assert np.linalg.norm(ended.core - point.core) > 0.1
        else:
            values = np.linalg.eigvalsh(ended.core), np.linalg.eigvalsh(point.core)
            np.testing.assert_allclose(*values, rtol=1e-12)
            assert np.max(subspace_angles(ended.frame, point.frame)) > 0.01


def test_the_subspace_stays_orthonormal_over_a_thousand_online_steps(problem):
    _, X, y, start = problem
    model = FixedRankPSDRegressor(
        5, geometry="polar", init=start, solver="online", batch_size=1, epochs=1, step=0.125, annealing=1
    ).fit(X, y)
    U = model.subspace_
    np.testing.assert_allclose(U.T @ U, np.eye(5), atol=1e-10)
    assert model.cost_history_[-1] < 0.5 * model.cost_history_[0] and model.n_samples_seen_ == 1000


@pytest.mark.parametrize("geometry", ["flat", "polar"])
def test_a_rotation_of_the_data_changes_nothing(problem, geometry):
    _, X, y, start = problem
    rotation = np.linalg.qr(np.random.RandomState(3).randn(10, 10))[0]
    chart, targets = geometry_named(geometry, 0.5), equalities(y[:300])
    costs = [
        batch_descent(RowMeasurements(A), targets, chart, chart.start(G), tol=0, max_iter=25).costs
        for A, G in ((X[:300], start), (X[:300] @ rotation.T, rotation @ start))
    ]
    # 25 steps: rounding errors grow with every further one.
    np.testing.assert_allclose(*costs, rtol=1e-8)


@pytest.mark.parametrize("scaled", ["y", "X and y"])
def test_the_polar_geometry_does_not_see_the_unit_of_the_response(problem, scaled):
    _, X, y, start = problem
    X, y, mu, chart = X[:300], y[:300], 7.3, geometry_named("polar", 0.5)
    plain = batch_descent(RowMeasurements(X), equalities(y), chart, chart.start(start), tol=0, max_iter=25)
    if scaled == "y":
        again = (RowMeasurements(X), chart.start(np.sqrt(mu) * start))
    else:
        again = (RowMeasurements(np.sqrt(mu) * X), chart.start(start))
    costs = batch_descent(again[0], equalities(mu * y), chart, again[1], tol=0, max_iter=25).costs
    np.testing.assert_allclose(costs, mu**2 * np.array(plain.costs), rtol=1e-8)


def test_full_matrices_and_their_rank_one_form_give_the_same_fit(problem):
    _, X, y, start = problem
    X, y = X[:200], y[:200]
    stack = np.einsum("ij,ik->ijk", X, X)
    stack += (lambda A: A - A.transpose(0, 2, 1))(np.random.RandomState(4).randn(*stack.shape))
    options = {"init": start, "tol": 1e-3}
    rows, matrices = (FixedRankPSDRegressor(5, **options).fit(A, y) for A in (X, stack))
    np.testing.assert_allclose(matrices.predict(stack), rows.predict(X), rtol=1e-5, atol=1e-5)
    indefinite = np.random.RandomState(5).randn(30, 4, 4)
    measurements, B = MatrixMeasurements.of_matrices(indefinite), np.random.RandomState(6).randn(4, 3)
    projected = measurements.project(B)
    np.testing.assert_allclose(measurements.values(projected), np.einsum("ijk,kl,jl->i", indefinite, B, B))
    weights = np.random.RandomState(7).randn(30)
    symmetric = (indefinite + indefinite.transpose(0, 2, 1)) / 2
    np.testing.assert_allclose(
        measurements.weighted_sum(weights, projected), np.einsum("i,ijk->jk", weights, symmetric) @ B, atol=1e-12
    )


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array, None])
def test_pairs_equal_the_rows_of_their_differences(layout):
    random = np.random.RandomState(0)
    X = random.randn(12, 5)
    pairs = random.randint(0, 12, (40, 2))
    table = np.eye(12) if layout is None else X
    rows = RowMeasurements(table[pairs[:, 0]] - table[pairs[:, 1]])
    these = PairMeasurements(pairs, 12, None if layout is None else layout(X))
    B, weights = random.randn(table.shape[1], 3), random.randn(40)
    np.testing.assert_allclose(these.project(B), rows.project(B), atol=1e-12)
    np.testing.assert_allclose(
        these.weighted_sum(weights, these.project(B)), rows.weighted_sum(weights, rows.project(B)), atol=1e-12
    )
    some = these.take(np.array([3, 7]))
    np.testing.assert_allclose(some.project(B), rows.project(B)[[3, 7]], atol=1e-12)


def test_an_inequality_counts_only_where_it_is_broken():
    targets = Targets(np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.0]), np.array([0, 0, 1, 1, -1, -1]), np.ones(6))
    residual = targets.residual(np.array([0.0, 3.0, 0.0, 3.0, 0.0, 3.0]))
    assert residual.tolist() == [-1, 2, 0, 2, -1, 0]
    assert targets.cost(residual) == pytest.approx(0.5 * (1 + 4 + 4 + 1) / 6)


def test_bounds_are_met_where_they_can_be(problem):
    _, X, y, start = problem
    X, y = X[:100], y[:100]
    sense = np.where(np.arange(100) % 2, 1, -1)
    loose = np.where(sense > 0, 1.2 * y, 0.8 * y)
    model = FixedRankPSDRegressor(5, init=start, tol=1e-9, max_iter=3000).fit(X, loose, sense)
    # The cost is half the mean square of what is missed.
    assert np.max(sense * (model.predict(X) - loose)) < np.sqrt(2 * 100 * model.cost_history_[-1]) + 1e-12
    assert model.cost_history_[-1] < 1e-6


def test_weights_count_like_repeated_rows(problem):
    _, X, y, start = problem
    X, y = X[:150], y[:150] * (1 + 0.1 * np.random.RandomState(8).randn(150))
    weights = np.random.RandomState(9).randint(0, 3, 150)
    options = {"init": start, "tol": 0, "max_iter": 15}
    with pytest.warns(ConvergenceWarning):
        weighted = FixedRankPSDRegressor(5, **options).fit(X, y, sample_weight=weights)
    with pytest.warns(ConvergenceWarning):
        repeated = FixedRankPSDRegressor(5, **options).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.cost_history_, repeated.cost_history_, rtol=1e-8)


@pytest.mark.parametrize("geometry", ["flat", "polar"])
def test_a_pass_of_partial_fit_is_a_fit_of_one_epoch_in_the_same_order(problem, geometry):
    _, X, y, _ = problem
    model = FixedRankPSDRegressor(5, geometry=geometry, solver="online", epochs=1, shuffle=False, random_state=1)
    once = model.fit(X, y).components_
    again = FixedRankPSDRegressor(**model.get_params()).partial_fit(X, y)
    np.testing.assert_allclose(again.components_, once, rtol=1e-10, atol=1e-12)
    assert again.partial_fit(X, y).n_samples_seen_ == 2000
    assert np.linalg.norm(again.components_ - once) > 0


def test_online_steps_follow_equation_23(problem):
    _, X, y, start = problem
    model = FixedRankPSDRegressor(
        5, init=start, solver="online", epochs=2, shuffle=False, step=0.25, annealing=0.5, batch_size=100
    ).fit(X[:400], y[:400])
    G = start.copy()

    def gradient(G, part):
        A = X[part]
        return 2 * A.T @ ((((A @ G) ** 2).sum(axis=1) - y[part])[:, None] * (A @ G)) / len(A)

    parts = [slice(k, k + 100) for k in range(0, 400, 100)]
    mean_norm = np.mean([np.linalg.norm(gradient(G, part)) for part in parts])
    for t, part in enumerate(parts + parts):
        G = G - 0.25 / mean_norm * 200 / (200 + 100 * t) * gradient(G, part)
    np.testing.assert_allclose(model.components_.T, G, rtol=1e-10)


def test_mini_batches_bring_the_test_cost_lower_than_batch_descent_for_the_same_work():
    random = np.random.RandomState(0)
    G, X = random.randn(50, 10), random.randn(22_000, 50)
    y = ((X @ G) ** 2).sum(axis=1) * (1 + 0.1 * random.randn(22_000))
    online = FixedRankPSDRegressor(10, solver="online", epochs=3, random_state=1).fit(X[:20_000], y[:20_000])
    # A batch step is two products with the data and a search; three passes and their planning are worth four steps.
    with pytest.warns(ConvergenceWarning):
        batch = FixedRankPSDRegressor(10, max_iter=4, random_state=1).fit(X[:20_000], y[:20_000])
    error = {name: np.mean((m.predict(X[20_000:]) - y[20_000:]) ** 2) for name, m in (("o", online), ("b", batch))}
    assert error["o"] < 0.2 * error["b"]


def test_restarts_keep_the_best(problem):
    _, X, y, _ = problem
    X, y = X[:200], y[:200]
    costs = []
    random = np.random.RandomState(0)
    for _ in range(4):
        start = random.standard_normal((10, 2))
        start *= np.sqrt(np.sqrt(np.mean(y**2) / np.mean(((X @ start) ** 2).sum(axis=1) ** 2)))
        costs.append(FixedRankPSDRegressor(2, init=start, tol=1e-4).fit(X, y).cost_history_)
    best = FixedRankPSDRegressor(2, n_init=4, tol=1e-4, random_state=0).fit(X, y)
    assert best.cost_history_[-1] == pytest.approx(min(c[-1] for c in costs))
    assert best.cost_history_[-1] < max(c[-1] for c in costs)


@pytest.mark.parametrize(
    ("parameters", "data", "message"),
    [
        ({"rank": 11}, {}, "rank=11 exceeds the dimension 10"),
        ({"rank": 2, "init": np.ones((10, 3))}, {}, r"init has shape \(10, 3\)"),
        ({"rank": 2, "init": np.ones((10, 2))}, {}, "full column rank 2"),
        ({}, {"sense": np.full(20, 2)}, "sense must hold 20 numbers"),
        ({}, {"sample_weight": -np.ones(20)}, "not negative"),
        ({"solver": "online", "step": 1e6, "init": 100 * np.eye(10)}, {}, "diverged"),
        ({}, {"X": np.ones((20, 3, 4))}, "must be square"),
    ],
)
def test_bad_input_is_named(problem, parameters, data, message):
    _, X, y, _ = problem
    data = {"X": X[:20], "y": y[:20], **data}
    with pytest.raises(ValueError, match=message):
        FixedRankPSDRegressor(random_state=0, **parameters).fit(**data)
