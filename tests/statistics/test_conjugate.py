"""Conjugate kits against integrals of other packages, and their compiled forms against the plain ones."""

import numpy as np
import pytest
from scipy import stats

from treatise._core.jit import compiled
from treatise.statistics.conjugate import LinearNormalPrior, NormalColumnsPrior
from treatise.statistics.conjugate._loops import (
    add_columns,
    add_linear,
    begin_linear,
    columns_log_density,
    columns_predictive,
    draw_columns,
    draw_linear,
    factor_in_place,
    finish_linear,
    linear_leverage,
    linear_log_evidence,
    log_normal_cdf,
)


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(7, 3)), rng.normal(size=7)
    A = rng.normal(size=(4, 4))
    return X, y, rng.normal(size=4), A @ A.T + np.eye(4)


@pytest.mark.parametrize("known", [False, True])
def test_evidence_of_a_linear_model_is_a_multivariate_student_density(problem, known):
    X, y, mean, precision = problem
    U = np.column_stack([np.ones(7), X])
    spread = np.eye(7) + U @ np.linalg.solve(precision, U.T)
    if known:
        prior = LinearNormalPrior.of(mean, precision)
        expected = stats.multivariate_normal.logpdf(y, U @ mean, spread)
    else:
        prior = LinearNormalPrior.of(mean, precision, shape=2.5, rate=0.7)
        expected = stats.multivariate_t.logpdf(y, U @ mean, spread * 0.7 / 2.5, df=5.0)
    assert prior.posterior(X, y).log_evidence == pytest.approx(expected, abs=1e-10)
    # The next target: what it adds to the evidence is its predictive density.
    df, location, scale = prior.posterior(X[:6], y[:6]).predict(X[6:])
    added = prior.posterior(X, y).log_evidence - prior.posterior(X[:6], y[:6]).log_evidence
    law = stats.norm(location, scale) if known else stats.t(df, location, scale)
    assert law.logpdf(y[6])[0] == pytest.approx(added, abs=1e-10)


@compiled
def compiled_linear(rng, prior, X, y, new, n_draws):
    d = X.shape[1] + 1
    root, pull = np.empty((d, d)), np.empty(d)
    begin_linear(prior, root, pull)
    square = 0.0
    for i in range(len(X)):
        square += add_linear(prior, X[i], y[i], root, pull)
    left, half_log_det = finish_linear(root, pull, square)
    drawn, variances = np.empty((n_draws, d)), np.empty(n_draws)
    for s in range(n_draws):
        variances[s] = draw_linear(rng, prior, len(X), root, pull, left, drawn[s])
    work = np.empty(d)
    leverage = linear_leverage(root, new, work)
    return linear_log_evidence(prior, len(X), left, half_log_det), pull, leverage, drawn, variances


@pytest.mark.parametrize("shape", [0.0, 2.5])
def test_compiled_linear_model_agrees_with_the_plain_one(problem, shape):
    X, y, mean, precision = problem
    prior = LinearNormalPrior.of(mean, precision, shape=shape, rate=0.7)
    plain = prior.posterior(X, y)
    rng = np.random.default_rng(0)
    evidence, shift, leverage, drawn, variances = compiled_linear(rng, prior, X, y, X[0], 40_000)
    assert evidence == pytest.approx(plain.log_evidence, abs=1e-10)
    np.testing.assert_allclose(prior.mean + shift, plain.mean, atol=1e-10)
    u = np.r_[1.0, X[0]]
    assert leverage == pytest.approx(u @ np.linalg.solve(plain.precision, u), abs=1e-10)
    variance = plain.rate / (plain.shape - 1) if shape else 1.0
    covariance = variance * np.linalg.inv(plain.precision)
    error = np.sqrt(np.diag(covariance) / len(drawn))
    assert (np.abs(drawn.mean(axis=0) - plain.mean) < 5 * error).all()
    np.testing.assert_allclose(np.cov(drawn.T), covariance, atol=0.04 * np.abs(covariance).max())
    assert variances.mean() == pytest.approx(variance, rel=0.02)


def test_evidence_of_columns_is_that_of_linear_models_without_columns():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(6, 2))
    prior = NormalColumnsPrior.of([0.3, -0.2], [0.25, 2.0], [2.0, 1.5], [1.0, 0.4], n_features=2)
    expected = sum(
        LinearNormalPrior.of([m], [c], shape=a, rate=b).posterior(np.empty((6, 0)), x).log_evidence
        for m, c, a, b, x in zip(*prior, X.T)
    )
    assert prior.log_evidence(X) == pytest.approx(expected, abs=1e-10)


@compiled
def compiled_columns(rng, prior, X, new, n_draws):
    p = X.shape[1]
    sums, squares, centre, inverse, power = np.zeros(p), np.zeros(p), np.empty(p), np.empty(p), np.empty(p)
    for i in range(len(X)):
        add_columns(prior, X[i], sums, squares)
    level = columns_predictive(prior, len(X), sums, squares, centre, inverse, power)
    predictive = level + columns_log_density(new, centre, inverse, power)
    drawn = np.empty(n_draws)  # densities at drawn parameters average to the predictive one
    tightness = np.empty(p)
    for s in range(n_draws):
        level = draw_columns(rng, prior, len(X), sums, squares, centre, tightness)
        drawn[s] = np.exp(level - 0.5 * np.sum(tightness * (new - centre) ** 2))
    return predictive, drawn


def test_compiled_columns_predict_what_evidence_says():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(8, 3))
    prior = NormalColumnsPrior.of([0.3, -0.2, 0.0], 0.25, [2.0, 1.5, 1.5], 1.0, n_features=3)
    predictive, drawn = compiled_columns(rng, prior, X[:7], X[7], 40_000)
    assert predictive == pytest.approx(prior.log_evidence(X) - prior.log_evidence(X[:7]), abs=1e-10)
    assert abs(drawn.mean() - np.exp(predictive)) < 5 * drawn.std() / np.sqrt(len(drawn))


def test_far_tails_of_the_normal_are_kept():
    for z in (-300.0, -40.0, -20.5, -19.5, -5.0, 0.0, 3.0, 9.0):
        assert log_normal_cdf(z) == pytest.approx(stats.norm.logcdf(z), rel=1e-8, abs=1e-300)


def test_factor_is_the_lower_one():
    A = np.array([[4.0, 99.0], [2.0, 3.0]])  # what is above the diagonal is not looked at
    factor_in_place(A)
    np.testing.assert_allclose(np.tril(A), np.linalg.cholesky([[4.0, 2.0], [2.0, 3.0]]))


@pytest.mark.parametrize(
    ("parts", "match"),
    [
        ({"mean": [0, 0], "precision": [1.0]}, "does not belong"),
        ({"mean": [0, 0], "precision": [1.0, 0.0]}, "not positive definite"),
        ({"mean": [0, 0], "precision": [[1.0, 0.5], [0.0, 1.0]]}, "not symmetric"),
        ({"mean": [0, np.nan], "precision": [1.0, 1.0]}, "NaN"),
        ({"mean": [0, 0], "precision": [1.0, 1.0], "shape": -1.0}, "shape=-1.0"),
    ],
)
def test_bad_linear_priors_are_refused(parts, match):
    with pytest.raises(ValueError, match=match):
        LinearNormalPrior.of(**parts)


def test_bad_column_priors_are_refused():
    with pytest.raises(ValueError, match=r"rate of the columns is -1\.0"):
        NormalColumnsPrior.of(0.0, 1.0, 2.0, -1.0, n_features=2)
    with pytest.raises(ValueError, match=r"mean of the columns has shape \(3,\)"):
        NormalColumnsPrior.of([0, 0, 0], 1.0, 2.0, 1.0, n_features=2)
