"""The Gaussian process classifier against its model, differences, scikit-learn's and draws."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import ndtr
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from treatise.bayes import GPBinaryClassifier, LatentGaussianModel
from treatise.bayes.latent_gaussian._dense_field import DenseField
from treatise.bayes.latent_gaussian.gp_classifier import _EvidenceSearch
from treatise.kernels import Gaussian


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = np.where(X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.3 * rng.normal(size=90) > 0, "yes", "no")
    return X[:60], y[:60], X[60:], y[60:]


def test_probabilities_are_those_of_the_latent_model(rows):
    X, y, new, _ = rows
    model = GPBinaryClassifier(gamma=0.4, variance=5.0, tol=1e-9).fit(X, y)
    kernel = Gaussian(0.4)
    latent = LatentGaussianModel(covariance=5.0 * kernel(X)).fit(np.where(y == "yes", 1, -1))
    mean, variance = latent.predict_latent(5.0 * kernel(X, new), np.full(30, 5.0))
    np.testing.assert_allclose(model.predict_proba(new)[:, 1], ndtr(mean / np.sqrt(1 + variance)), atol=1e-7)
    assert model.log_evidence_ == pytest.approx(latent.log_evidence_, abs=1e-7)
    np.testing.assert_array_equal(model.predict(new), np.where(mean > 0, "yes", "no"))


def test_laplace_with_the_logit_equals_scikit_learn(rows):
    X, y, new, _ = rows
    theirs = GaussianProcessClassifier(ConstantKernel(5.0) * RBF(1.5), optimizer=None).fit(X, y)
    ours = GPBinaryClassifier(
        gamma=1 / (2 * 1.5**2), variance=5.0, likelihood="logit", inference="laplace", tol=1e-10
    ).fit(X, y)
    assert ours.log_evidence_ == pytest.approx(theirs.log_marginal_likelihood_value_, abs=1e-6)
    # They replace the logistic function by five error functions in the average, which is good to some thousandths.
    np.testing.assert_allclose(ours.predict_proba(new), theirs.predict_proba(new), atol=5e-3)


def test_variances_of_many_rows_are_those_of_the_definition():
    """Of so many rows the factor is inverted by halves."""
    rng = np.random.default_rng(3)
    X, a = rng.normal(size=(150, 2)), rng.gamma(1.0, 1.0, 150)
    a[:4] = 1e-9  # sites that take next to nothing of their variance
    K = 4.0 * Gaussian(0.5)(X)
    update = DenseField(K, np.zeros(150)).update(a, a)
    expected = K - K @ np.linalg.solve(K + np.diag(1 / a), K)
    np.testing.assert_allclose(update.term_variance, np.diag(expected), rtol=1e-8)


def test_sweeps_begin_from_the_last_factor_of_newtons_method(rows, monkeypatch):
    X, y, _, _ = rows
    factored, update = [], DenseField.update
    monkeypatch.setattr(DenseField, "update", lambda field, a, b: factored.append(a) or update(field, a, b))
    GPBinaryClassifier(gamma=0.4, variance=5.0).fit(X, y)
    assert len({a.tobytes() for a in factored}) == len(factored)


def test_corrected_probabilities_are_nearer_to_those_of_draws(rows):
    X, y, new, _ = rows
    model = GPBinaryClassifier(gamma=0.4, variance=50.0, correction="ep-fact").fit(X, y)
    plain = GPBinaryClassifier(gamma=0.4, variance=50.0).fit(X, y)
    everywhere = np.vstack([X, new[:8]])
    whole = LatentGaussianModel(
        covariance=50.0 * Gaussian(0.4)(everywhere) + 1e-7 * np.eye(68), linear=np.arange(60)
    ).fit(np.where(y == "yes", 1, -1))
    draws = whole.sample_posterior(8000, thin=2, random_state=0).pooled("x")[:, 60:]
    exact = ndtr(draws).mean(axis=0)
    gaps = [np.abs(fit.predict_proba(new[:8])[:, 1] - exact).mean() for fit in (model, plain)]
    assert gaps[0] < 0.012 and gaps[0] < gaps[1] + 0.003


@pytest.mark.parametrize("likelihood", ["probit", "logit"])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_the_slope_of_the_evidence_equals_differences(rows, kernel, likelihood):
    X, y, *_ = rows
    model = GPBinaryClassifier(kernel, likelihood=likelihood, tol=1e-9, max_iter=500)
    search = _EvidenceSearch(model, X, np.where(y == "yes", 1.0, -1.0))
    theta = np.log([3.0, 0.3])
    for _ in range(6):
        _, slope = search.value(theta)  # the sites go on from where they ended
    differences = approx_fprime(theta, lambda t: _converged(search, t), 1e-4)
    np.testing.assert_allclose(slope, differences, atol=2e-3)


def _converged(search, theta):
    for _ in range(6):
        value, _ = search.value(theta)
    return value


def test_the_evidence_is_highest_at_the_chosen_parameters(rows):
    X, y, *_ = rows
    best = GPBinaryClassifier().fit(X, y)
    assert best.converged_
    for factor in (0.6, 1.6):
        for gamma, variance in ((factor, 1.0), (1.0, factor)):
            other = GPBinaryClassifier(gamma=gamma * best.gamma_, variance=variance * best.variance_).fit(X, y)
            assert other.log_evidence_ < best.log_evidence_ + 1e-3
    assert best.score(rows[2], rows[3]) > 0.75


def test_many_rows_find_their_kernel_from_some_whatever_their_order(rows):
    X, y, new, _ = rows
    one = GPBinaryClassifier(max_evidence_rows=30).fit(X, y)
    order = np.random.default_rng(1).permutation(len(X))
    other = GPBinaryClassifier(max_evidence_rows=30).fit(X[order], y[order])
    np.testing.assert_allclose(other.predict_proba(new), one.predict_proba(new), atol=1e-4)


def test_wrong_corrections_are_refused(rows):
    X, y, *_ = rows
    with pytest.raises(ValueError, match="does not correct a fit by inference='ep'"):
        GPBinaryClassifier(correction="la-cm").fit(X, y)


def test_rows_far_from_zero_have_the_same_distances_and_so_the_same_probabilities():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(60, 2)), 3)
    y = X[:, 0] + 0.5 * rng.normal(size=60) > 0
    near, far = (GPBinaryClassifier(gamma=0.5, variance=4.0).fit(X + origin, y) for origin in (0.0, 1e9))
    # Sums of a thousandth and 1e9 are rounded at 1e-7.
    np.testing.assert_allclose(far.predict_proba(X[:9] + 1e9), near.predict_proba(X[:9]), atol=1e-6)
