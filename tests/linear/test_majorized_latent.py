"""Latent log-linear classification (Choromanska, 2014, Section 2.2.3)."""

import warnings

import numpy as np
import pytest
from scipy.special import logsumexp
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale

from treatise.linear import LatentLogLinearClassifier, MajorizedLogisticRegression


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return scale(X), y


@pytest.fixture(scope="module")
def exclusive_or():
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(300, 2)) + 0.3 * rng.normal(size=(300, 2))
    return X, np.where(X[:, 0] * X[:, 1] > 0, "same", "other")


@pytest.mark.parametrize("n_hidden", [1, 2, 3])
def test_objective_never_rises(iris, n_hidden):
    model = LatentLogLinearClassifier(n_hidden, max_iter=60, n_restarts=1, random_state=1).fit(*iris)
    assert len(model.objective_path_) > 5
    assert np.all(np.diff(model.objective_path_) <= 1e-10)


def test_one_part_a_class_is_logistic_regression(iris):
    X, y = iris
    latent = LatentLogLinearClassifier(1, n_restarts=1, max_iter=1000, tol=1e-7, random_state=0).fit(X, y)
    plain = MajorizedLogisticRegression(tol=1e-7).fit(X, y)
    # Both within a gradient of 1e-7 a row of the one optimum.
    assert latent.objective_path_[-1] == pytest.approx(plain.objective_path_[-1], rel=1e-9)
    np.testing.assert_allclose(latent.predict_proba(X), plain.predict_proba(X), atol=1e-4)


def test_one_part_of_two_classes_is_binary_logistic_regression(exclusive_or):
    X, y = exclusive_or
    X = X + (y == "same")[:, None]
    latent = LatentLogLinearClassifier(1, n_restarts=1, max_iter=1000, tol=1e-7, random_state=0).fit(X, y)
    plain = MajorizedLogisticRegression(tol=1e-7).fit(X, y)
    np.testing.assert_allclose(latent.decision_function(X), plain.decision_function(X), atol=1e-4)


def test_two_parts_a_class_learn_an_exclusive_or(exclusive_or):
    X, y = exclusive_or
    assert MajorizedLogisticRegression().fit(X, y).score(X, y) < 0.7
    assert LatentLogLinearClassifier(2, random_state=0).fit(X, y).score(X, y) > 0.98


def test_probabilities_are_those_of_the_summed_parts(iris):
    X, y = iris
    model = LatentLogLinearClassifier(2, n_restarts=1, max_iter=20, random_state=0).fit(X, y)
    parts = np.exp(X @ model.coef_.T + model.intercept_)
    by_class = np.stack([parts[:, 0:2].sum(axis=1), parts[:, 2:4].sum(axis=1), parts[:, 4:6].sum(axis=1)], axis=1)
    np.testing.assert_allclose(model.predict_proba(X), by_class / by_class.sum(axis=1, keepdims=True), atol=1e-10)
    log_likelihood = np.log(by_class[np.arange(len(y)), y]).sum() - logsumexp(np.log(parts), axis=1).sum()
    penalty = 0.5 * np.sum(model.coef_**2)
    assert model.objective_path_[-1] == pytest.approx(penalty - log_likelihood, rel=1e-9)


def test_more_starts_never_end_worse(exclusive_or):
    X, y = exclusive_or
    ends = [
        LatentLogLinearClassifier(2, n_restarts=n, max_iter=40, random_state=3).fit(X, y).objective_path_[-1]
        for n in (1, 4)
    ]
    assert ends[1] <= ends[0]


def test_accelerated_descent_converges_on_many_weights_and_says_when_not():
    X, y = load_digits(return_X_y=True)
    X, y = X[:400] / 16, y[:400]
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model = LatentLogLinearClassifier(random_state=0).fit(X, y)
    assert model.converged_ and np.all(np.diff(model.objective_path_) <= 0)
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        assert not LatentLogLinearClassifier(max_iter=3, random_state=0).fit(X, y).converged_


def test_accelerated_descent_ends_no_higher_than_plain_bounds():
    X, y = load_iris(return_X_y=True)
    # From the same starts; both end in local minima, the plain descent after many more iterations.
    fast = LatentLogLinearClassifier(random_state=0).fit(X, y)
    plain = LatentLogLinearClassifier(accelerate=False, max_iter=300, tol=1e-3, random_state=0).fit(X, y)
    assert fast.objective_path_[-1] <= plain.objective_path_[-1] * 1.001
