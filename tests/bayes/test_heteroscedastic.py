"""Heteroscedastic additive models against their definition, known curves and limits."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from treatise.bayes import HeteroscedasticAdditiveRegressor, plot_curves
from treatise.bayes.heteroscedastic._cycle import HeteroscedasticCycle, Smooths
from treatise.statistics import osullivan_basis


def waves(seed=0, n=500, slope=1.5):
    rng = np.random.default_rng(seed)
    x = rng.random(n)
    return x[:, None], np.sin(2 * np.pi * x) + np.exp(-2 + slope * x) * rng.standard_normal(n)


@pytest.fixture(scope="module")
def fitted():
    return HeteroscedasticAdditiveRegressor().fit(*waves())


def test_curves_of_mean_and_deviation_are_found(fitted):
    x = np.array([0.1, 0.5, 0.9])
    deviation, interval = fitted.predict_spread(x[:, None])
    np.testing.assert_allclose(deviation, np.exp(-2 + 1.5 * x), rtol=0.2)
    assert ((interval[:, 0] < deviation) & (deviation < interval[:, 1])).all()
    np.testing.assert_allclose(fitted.predict(x[:, None]), np.sin(2 * np.pi * x), atol=0.15)


def test_constant_noise_gives_a_flat_deviation():
    model = HeteroscedasticAdditiveRegressor().fit(*waves(slope=0.0))
    (low, high), _ = model.predict_spread([[0.05], [0.95]])
    assert abs(2 * np.log(high / low) / 0.9) < 0.3
    assert model.curvature_spread_[0] < 0.3 * model.curvature_mean_[0]


def test_bound_never_falls(fitted):
    assert fitted.converged_
    assert np.diff(fitted.lower_bound_trace_).min() > -1e-9 * abs(fitted.lower_bound_)


def plain_updates(C, y, splines, cycles):
    """The updates of the model as they are derived, without steps cut short or leaps."""
    d = C.shape[1]
    K = splines.stop - splines.start
    mean, gamma, S, T = np.zeros(d), np.zeros(d), np.eye(d), None
    variance, variance_h, a, b = 1.0, 1.0, 1.0, 1.0
    prior = np.full(d, 1e-10)
    T = np.linalg.inv(0.5 * C.T @ C + np.diag(np.where(np.arange(d) < splines.start, 1e-10, 1.0)))
    for _ in range(cycles):
        tau = np.exp(-C @ gamma + 0.5 * np.einsum("ij,jk,ik->i", C, T, C))
        prior[splines] = variance
        S = np.linalg.inv(C.T @ (tau[:, None] * C) + np.diag(prior))
        mean = S @ (C.T @ (tau * y))
        variance = (K + 1) / (2 * a + np.sum(mean[splines] ** 2 + np.diag(S)[splines]))
        a = 1 / (variance + 1e-10)
        e = (y - C @ mean) ** 2 + np.einsum("ij,jk,ik->i", C, S, C)
        prior[splines] = variance_h
        T = np.linalg.inv(0.5 * C.T @ ((tau * e)[:, None] * C) + np.diag(prior))
        gamma = gamma + T @ (0.5 * C.T @ (tau * e - 1) - prior * gamma)
        variance_h = (K + 1) / (2 * b + np.sum(gamma[splines] ** 2 + np.diag(T)[splines]))
        b = 1 / (variance_h + 1e-10)
    return mean, S, gamma, T, variance, variance_h


def test_fixed_point_is_that_of_the_plain_updates():
    X, y = waves(1, 150)
    model = HeteroscedasticAdditiveRegressor(6, tol=1e-8).fit(X, y)
    z, t = (X[:, 0] - X.mean()) / X.std(), (y - y.mean()) / y.std()
    C = np.column_stack([np.ones(150), z, osullivan_basis(z, 6)(z).T])
    mean, S, gamma, T, variance, variance_h = plain_updates(C, t, slice(2, 8), 3000)
    np.testing.assert_allclose(model.predict(X), y.mean() + y.std() * (C @ mean), atol=1e-5)
    np.testing.assert_allclose(model.predict_spread(X)[0], y.std() * np.exp(0.5 * C @ gamma), rtol=1e-5)
    assert model.curvature_mean_[0] == pytest.approx(variance**-0.5, rel=1e-4)
    assert model.curvature_spread_[0] == pytest.approx(variance_h**-0.5, rel=1e-3)
    noise = np.exp(C @ gamma + 0.5 * np.einsum("ij,jk,ik->i", C, T, C))
    total = y.std() * np.sqrt(np.einsum("ij,jk,ik->i", C, S, C) + noise)
    np.testing.assert_allclose(model.predict(X, return_std=True)[1], total, rtol=1e-5)


def test_bound_is_the_expected_log_density_and_the_entropies():
    """Against draws from the factors: log p(y, everything) - log q(everything), averaged."""
    from scipy.stats import invgamma, multivariate_normal

    X, y = waves(2, 40)
    z, t = (X[:, 0] - X.mean()) / X.std(), (y - y.mean()) / y.std()
    C = np.column_stack([np.ones(40), z, osullivan_basis(z, 3)(z).T])
    level, spread = (Smooths(C, [slice(2, 5)], 10.0, 2.0) for _ in range(2))
    cycle = HeteroscedasticCycle(t, level, spread)
    cycle.run(20, 1e-6)
    rng, n, terms = np.random.default_rng(0), 20_000, 0.0
    predictors = []
    for part in (level, spread):
        b = rng.multivariate_normal(part.mean, part.covariance, n)
        factor = part.variances[0]
        v_law = invgamma(factor.degrees / 2, scale=factor.spread[0, 0] / 2)
        a_law = invgamma(factor.auxiliary_shape, scale=factor.auxiliary_rate[0])
        v, a = v_law.rvs(n, random_state=rng), a_law.rvs(n, random_state=rng)
        terms = terms + multivariate_normal(cov=100.0 * np.eye(2)).logpdf(b[:, :2])
        terms = terms - 0.5 * (3 * np.log(2 * np.pi * v) + np.sum(b[:, 2:] ** 2, axis=1) / v)
        terms = terms + invgamma.logpdf(v, 0.5, scale=1 / a) + invgamma.logpdf(a, 0.5, scale=0.25)
        terms = terms - multivariate_normal(part.mean, part.covariance).logpdf(b) - v_law.logpdf(v) - a_law.logpdf(a)
        predictors.append(b @ C.T)
    mean, log_variance = predictors
    terms = terms - 0.5 * np.sum(np.log(2 * np.pi) + log_variance + (t - mean) ** 2 / np.exp(log_variance), axis=1)
    assert cycle.bound() == pytest.approx(terms.mean(), abs=4 * terms.std() / np.sqrt(n))


def test_intervals_hold_where_the_scatter_is_small_and_where_it_is_large():
    model = HeteroscedasticAdditiveRegressor().fit(*waves(3))
    X, y = waves(4, 4000)
    low, high = model.predict_interval(X, level=0.9).T
    held = (low <= y) & (y <= high)
    for part in (X[:, 0] < 0.3, X[:, 0] > 0.7):
        assert 0.85 < held[part].mean() < 0.95


def test_units_of_columns_and_target_change_only_the_units(fitted):
    X, y = waves()
    moved = HeteroscedasticAdditiveRegressor().fit(50 * X - 3, 1e3 * y + 1e4)
    np.testing.assert_allclose(moved.predict(50 * X - 3), 1e3 * fitted.predict(X) + 1e4, rtol=1e-6)
    np.testing.assert_allclose(moved.predict_spread(50 * X - 3)[0], 1e3 * fitted.predict_spread(X)[0], rtol=1e-5)
    assert moved.lower_bound_ == pytest.approx(fitted.lower_bound_ - len(y) * np.log(1e3), rel=1e-6)


def test_columns_that_do_not_vary_and_those_of_two_values_are_taken():
    X, y = waves()
    two = np.random.default_rng(5).integers(0, 2, len(y))
    model = HeteroscedasticAdditiveRegressor().fit(np.column_stack([X, np.full(len(y), 3.0), two]), y + two)
    assert np.isnan(model.curvature_mean_[1]) and model.curvature_mean_[2] == 0.0
    curve, _ = model.curve(2, [0.0, 1.0])
    assert curve[1] - curve[0] == pytest.approx(1.0, abs=0.1)


def test_beyond_the_range_curves_keep_their_last_value(fitted):
    X, _ = waves()
    np.testing.assert_allclose(fitted.predict([[9.0]]), fitted.predict([[X.max()]]))


def test_too_few_cycles_and_wrong_questions_are_told(fitted):
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        HeteroscedasticAdditiveRegressor(max_iter=2).fit(*waves())
    with pytest.raises(ValueError, match="column 1 does not exist"):
        fitted.curve(1, [0.0])
    with pytest.raises(ValueError, match="of='variance'"):
        fitted.curve(0, [0.0], of="variance")
    with pytest.raises(ValueError, match="level=0"):
        fitted.predict_interval([[0.5]], level=0)


def test_picture_has_a_mean_and_a_deviation_for_each_column(fitted):
    X, _ = waves()
    panels = plot_curves(fitted, X)
    assert len(panels) == 2
    np.testing.assert_allclose(panels[0].lines[0].get_ydata()[0], fitted.curve(0, [X.min()])[0][0])
