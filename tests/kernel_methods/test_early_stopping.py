"""Early-stopped kernel regression: the rule's times and radii, both solvers, bounds, the ridge twin, bad input."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import r2_score
from sklearn.preprocessing import scale

from treatise.kernel_methods import (
    EarlyStoppedKernelRegressor,
    critical_radius,
    empirical_rademacher,
    matched_ridge,
    plot_error_path,
    stopping_time,
    sure_stopping_time,
)
from treatise.kernels import Gaussian
from treatise.papers.kernel_methods.v15_0335 import first_order_sobolev


def sobolev_design(n):
    x = np.arange(1, n + 1) / n
    return x[:, None], np.abs(x - 0.5) - 0.5


def eigenvalues(X, kernel=first_order_sobolev):
    return np.linalg.eigvalsh(kernel(X, X) / len(X))


PAPER = {"kernel": first_order_sobolev, "radius": 1.0, "fit_intercept": False}


@pytest.mark.parametrize(
    ("step", "times"),
    [(0.25, {50: 7, 100: 10, 200: 18, 300: 25, 1000: 57}), (1.0, {50: 1, 100: 2, 200: 4, 300: 6})],
)
def test_stopping_times_of_the_sobolev_kernel(step, times):
    # Worked out by the definition, t by t, once and independently of this code.
    for n, expected in times.items():
        values = eigenvalues(sobolev_design(n)[0])
        assert stopping_time(values, 1.0, step) == expected

        def complexity(radius, values=values):
            return np.sqrt(np.mean(np.minimum(values, radius**2)))

        brute = next(t for t in range(1, 500) if complexity((step * t) ** -0.5) > 1 / (2 * np.e * step * t)) - 1
        assert brute == expected


def test_critical_radius_is_where_complexity_meets_its_bound():
    for n, squared in ((100, 0.37162929), (300, 0.15783710)):
        values = eigenvalues(sobolev_design(n)[0])
        radius = critical_radius(values, 1.0)
        assert radius**2 == pytest.approx(squared, abs=1e-8)
        assert empirical_rademacher(values, radius) == pytest.approx(radius**2 / (2 * np.e), rel=1e-10)
        assert stopping_time(values, 1.0, 0.25) == int(4 / squared)


def test_complexity_from_the_largest_eigenvalues_and_the_trace_is_that_from_all():
    values = np.sort(eigenvalues(sobolev_design(80)[0]))[::-1]
    radii = np.geomspace(0.05, 2, 30)
    expected = [np.sqrt(np.mean(np.minimum(values, r * r))) for r in radii]
    np.testing.assert_allclose(empirical_rademacher(values, radii), expected, rtol=1e-12)
    enough = values[values > 0.04**2]
    np.testing.assert_allclose(empirical_rademacher(enough, radii, total=(values.sum(), 80)), expected, rtol=1e-10)


@pytest.mark.parametrize("n", [60, 400])
def test_closed_form_and_plain_steps_agree_and_interpolate_their_fitted_values(n):
    rng = np.random.default_rng(0)
    X, f = sobolev_design(n)
    y = f + 0.3 * rng.normal(size=n)
    options = {**PAPER, "stopping": "rademacher", "noise": 0.3, "step": 0.25}
    closed = EarlyStoppedKernelRegressor(solver="eigh", **options).fit(X, y)
    plain = EarlyStoppedKernelRegressor(solver="iterate", **options).fit(X, y)
    assert closed.n_iter_ == plain.n_iter_ > 10
    np.testing.assert_allclose(closed.predict(X), plain.predict(X), atol=1e-10)
    K, fitted = first_order_sobolev(X, X) / n, np.zeros(n)
    for _ in range(closed.n_iter_):
        fitted -= 0.25 * K @ (fitted - y)
    np.testing.assert_allclose(closed.predict(X), fitted, atol=1e-10)
    assert len(plain.eigenvalues_) == (32 if n == 400 else 60)


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (0.25, {50: 0.0422, 100: 0.0334, 200: 0.0239, 300: 0.0197}),
        (1.0, {50: 0.0484, 100: 0.0344, 200: 0.0244, 300: 0.0199}),
    ],
)
def test_error_at_the_stop_falls_at_the_published_rate(step, expected):
    rng = np.random.default_rng(0)
    errors = []
    for n, published in expected.items():
        X, f = sobolev_design(n)
        K = first_order_sobolev(X, X) / n
        smoother = np.eye(n) - np.linalg.matrix_power(
            np.eye(n) - step * K, stopping_time(np.linalg.eigvalsh(K), 1, step)
        )
        draws = smoother @ (f[:, None] + rng.normal(size=(n, 2000)))
        errors.append(np.mean((draws - f[:, None]) ** 2))
        assert errors[-1] == pytest.approx(published, rel=0.05)
    sizes = np.array(list(expected))
    correlation = np.corrcoef(sizes, np.array(errors) ** -1.5)[0, 1]
    assert correlation**2 > 0.99


def test_the_bounds_of_theorem_1_hold():
    rng = np.random.default_rng(1)
    n = 100
    X, f = sobolev_design(n)
    # The slope of |x - 1/2| - 1/2 is +-1, so that its norm is 1.
    K = first_order_sobolev(X, X) / n
    values = np.linalg.eigvalsh(K)
    end, radius = stopping_time(values, 1.0, 0.25), critical_radius(values, 1.0)
    noise, fitted = rng.normal(size=(n, 500)), np.zeros((n, 500))
    within = np.ones(500, bool)
    for t in range(1, end + 1):
        fitted -= 0.25 * K @ (fitted - f[:, None] - noise)
        within &= np.mean((fitted - f[:, None]) ** 2, axis=0) <= 4 / (np.e * 0.25 * t)
    assert within.mean() >= 0.99
    assert np.mean(np.mean((fitted - f[:, None]) ** 2, axis=0) <= 12 * radius**2) >= 0.99


def test_matched_ridge_is_kernel_ridge_and_the_smallest_of_its_kind():
    rng = np.random.default_rng(2)
    X, f = sobolev_design(90)
    y = f + rng.normal(size=90)
    K = first_order_sobolev(X, X)
    values, vectors = np.linalg.eigh(K / 90)
    nu = matched_ridge(values, 1.0)
    twin = KernelRidge(alpha=90 / nu, kernel="precomputed").fit(K, y).predict(K)
    np.testing.assert_allclose(vectors @ (values / (values + 1 / nu) * (vectors.T @ y)), twin, atol=1e-8)
    over = [empirical_rademacher(values, (c * nu) ** -0.5) > 1 / (4 * c * nu) for c in (0.999, 1.001)]
    assert over == [False, True]


def test_a_kernel_of_finite_rank_stops_later_with_more_rows():
    rng = np.random.default_rng(3)
    times = []
    for n in (50, 200, 800):
        X = rng.uniform(-1, 1, (n, 1))
        values = eigenvalues(X, lambda A, B: (1 + A @ B.T) ** 2)
        assert np.sum(values > 1e-12) == 3
        times.append(stopping_time(values, 1.0, 1 / values[-1]))
    assert times == sorted(set(times))


def test_no_noise_runs_to_the_limit_and_much_noise_does_not_start():
    X, f = sobolev_design(40)
    with pytest.warns(ConvergenceWarning, match="max_iter=200"):
        exact = EarlyStoppedKernelRegressor(stopping="rademacher", noise=1e-9, max_iter=200, **PAPER).fit(X, f)
    assert exact.n_iter_ == 200 and not exact.converged_
    nothing = EarlyStoppedKernelRegressor(stopping="rademacher", noise=1e6, **PAPER).fit(X, f)
    assert nothing.n_iter_ == 0 and (nothing.predict(X) == 0).all()
    # With the mean set aside, what is left is the mean.
    mean = EarlyStoppedKernelRegressor(first_order_sobolev, stopping="rademacher", noise=1e6).fit(X, f)
    np.testing.assert_allclose(mean.predict(X), f.mean())


def test_default_rule_predicts_like_a_tuned_ridge():
    X, y = load_diabetes(return_X_y=True)
    X = scale(X)
    train, test = np.arange(len(y)) % 2 == 0, np.arange(len(y)) % 2 == 1
    ours = EarlyStoppedKernelRegressor().fit(X[train], y[train])
    ridges = [KernelRidge(alpha, kernel="rbf", gamma=0.1) for alpha in (0.1, 1.0, 10.0)]
    mean = y[train].mean()
    best = max(r2_score(y[test], mean + r.fit(X[train], y[train] - mean).predict(X[test])) for r in ridges)
    assert ours.converged_ and ours.score(X[test], y[test]) > best - 0.02


def test_responses_that_are_all_alike_are_predicted_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = EarlyStoppedKernelRegressor().fit(sobolev_design(30)[0], np.full(30, 4.5))
    np.testing.assert_array_equal(model.predict([[0.3], [7.0]]), 4.5)


def test_sure_stops_at_the_first_rise_of_its_estimate():
    rng = np.random.default_rng(4)
    X, f = sobolev_design(80)
    y = f + rng.normal(size=80)
    K = first_order_sobolev(X, X) / 80
    values, vectors = np.linalg.eigh(K)

    def estimate(t):
        S = np.linalg.matrix_power(np.eye(80) - K, t)
        return 1 + y @ S @ S @ y / 80 - 2 * np.trace(S) / 80

    expected = next(t for t in range(500) if estimate(t + 1) > estimate(t))
    assert sure_stopping_time(values, vectors.T @ y, 1.0, 1.0) == expected > 0
    model = EarlyStoppedKernelRegressor(stopping="sure", noise=1.0, step=1.0, **PAPER).fit(X, y)
    assert model.n_iter_ == expected


def test_holdout_stops_somewhere_sensible_with_either_solver():
    rng = np.random.default_rng(5)
    X, f = sobolev_design(300)
    y = f + 0.1 * rng.normal(size=300)
    found = [
        EarlyStoppedKernelRegressor(stopping="holdout", solver=solver, random_state=0, **PAPER).fit(X, y)
        for solver in ("eigh", "iterate")
    ]
    assert found[0].n_iter_ == found[1].n_iter_ and 5 < found[0].n_iter_ < 5000
    assert np.mean((found[0].predict(X) - f) ** 2) < 0.1**2
    assert np.isnan(found[0].noise_)


def test_the_noise_is_estimated_in_one_and_in_several_dimensions():
    rng = np.random.default_rng(6)
    x = rng.uniform(0, 6, (500, 1))
    one = EarlyStoppedKernelRegressor().fit(x, np.sin(x.ravel()) + 0.3 * rng.normal(size=500))
    # The standard error of the level from 500 rows is about 4 per cent, times 1.2 for differences.
    assert one.noise_ == pytest.approx(0.3, rel=0.15)
    X = rng.normal(size=(500, 3))
    three = EarlyStoppedKernelRegressor().fit(X, X[:, 0] + np.sin(X[:, 1]) + 0.5 * rng.normal(size=500))
    assert three.noise_ == pytest.approx(0.5, rel=0.2)


def test_units_of_the_response_do_not_matter():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(120, 2))
    y = X[:, 0] + 0.2 * rng.normal(size=120)
    plain = EarlyStoppedKernelRegressor(stopping="rademacher", constant=1.0).fit(X, y)
    other = EarlyStoppedKernelRegressor(stopping="rademacher", constant=1.0).fit(X, 1000 * y + 50)
    assert plain.n_iter_ == other.n_iter_ > 0
    np.testing.assert_allclose(other.predict(X), 1000 * plain.predict(X) + 50, rtol=1e-8)
    assert other.critical_radius_ == pytest.approx(1000 * plain.critical_radius_)


def test_staged_predictions_are_fits_of_that_length_and_the_plot_marks_the_stop():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(80, 2))
    y = X[:, 0] ** 2 + 0.2 * rng.normal(size=80)
    model = EarlyStoppedKernelRegressor(constant=1.0).fit(X, y)
    stages = model.staged_predict(X[:5], [0, 3, 50])
    np.testing.assert_allclose(stages[0], y.mean())
    for row, t in zip(stages[1:], (3, 50)):
        fixed = EarlyStoppedKernelRegressor(stopping="none", max_iter=t).fit(X, y)
        np.testing.assert_allclose(row, fixed.predict(X[:5]), atol=1e-10)
    ax = plot_error_path(model, X, y, iterations=[1, 10, 100])
    np.testing.assert_allclose(
        ax.lines[0].get_ydata(), np.mean((model.staged_predict(X, [1, 10, 100]) - y) ** 2, axis=1)
    )
    assert ax.lines[1].get_xdata()[0] == model.n_iter_
    assert plot_error_path(model, X, y, ax=ax) is ax


def test_precomputed_sparse_and_kernel_objects_give_the_same_fit():
    rng = np.random.default_rng(9)
    X = np.where(rng.random((60, 4)) < 0.5, 0.0, rng.normal(size=(60, 4)))
    y = X[:, 0] + 0.1 * rng.normal(size=60)
    options = {"stopping": "rademacher", "noise": 0.1, "constant": 1.0}
    plain = EarlyStoppedKernelRegressor("rbf", gamma=0.5, **options).fit(X, y).predict(X)
    np.testing.assert_allclose(EarlyStoppedKernelRegressor(Gaussian(0.5), **options).fit(X, y).predict(X), plain)
    thin = sparse.csr_array(X)
    np.testing.assert_allclose(EarlyStoppedKernelRegressor(gamma=0.5, **options).fit(thin, y).predict(thin), plain)
    gram = Gaussian(0.5)(X)
    model = EarlyStoppedKernelRegressor("precomputed", **options).fit(gram, y)
    np.testing.assert_allclose(model.predict(gram), plain)
    with pytest.raises(ValueError, match="precomputed kernel is not kept"):
        model.staged_predict(gram, [1])


def test_repeated_rows_are_no_obstacle():
    X = np.repeat(np.linspace(0, 1, 10), 6)[:, None]
    y = np.sin(3 * X.ravel()) + 0.1 * np.random.default_rng(0).normal(size=60)
    model = EarlyStoppedKernelRegressor(stopping="rademacher", noise=0.1, constant=1.0).fit(X, y)
    assert model.n_iter_ > 5 and np.mean((model.predict(X) - np.sin(3 * X.ravel())) ** 2) < 0.02


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda X, y: EarlyStoppedKernelRegressor(step=1.0, kernel="linear").fit(100 * X, y), "exceeds min"),
        (lambda X, y: EarlyStoppedKernelRegressor(lambda A, B: -A @ B.T, noise=1.0).fit(X, y), "not positive semi"),
        (lambda X, y: EarlyStoppedKernelRegressor(stopping="sure", solver="iterate").fit(X, y), "all eigenvalues"),
        (lambda X, y: EarlyStoppedKernelRegressor(stopping="holdout").fit(X[:3], y[:3]), "at least 4 rows"),
        (lambda X, y: EarlyStoppedKernelRegressor(first_order_sobolev).fit(-X, y), "not negative only"),
        (lambda X, y: EarlyStoppedKernelRegressor().fit(X, y).staged_predict(X, [0.5]), "whole numbers"),
        (lambda X, y: stopping_time([1.0], 0.0, 1.0), "noise=0.0 must be positive"),
        (lambda X, y: critical_radius([1.0], np.inf), "noise=inf"),
        (lambda X, y: critical_radius([], 1.0), "at least one"),
        (lambda X, y: stopping_time([np.nan], 1.0, 1.0), "finite numbers"),
    ],
)
def test_bad_input_is_named(work, message):
    X, f = sobolev_design(30)
    with pytest.raises(ValueError, match=message):
        work(X, f)
