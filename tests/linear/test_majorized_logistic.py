"""Logistic regression by bound majorisation (Choromanska, 2014, Algorithms 1, 2 and 4)."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import scale

from treatise.linear import MajorizedLogisticRegression
from treatise.linear.majorized._majorizer import Majorizer
from treatise.optimize import log_partition_bound


def standardised(load):
    X, y = load(return_X_y=True)
    return scale(X), y


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_same_model_as_scikit_learn(load, fit_intercept):
    X, y = standardised(load)
    peer = LogisticRegression(C=0.5, fit_intercept=fit_intercept, tol=1e-10, max_iter=10_000).fit(X, y)
    for accelerate in (True, False):
        here = MajorizedLogisticRegression(0.5, fit_intercept=fit_intercept, accelerate=accelerate, tol=1e-7).fit(X, y)
        # A gradient of 1e-7 a row and a penalty of 2 / n leave an error of about 1e-7 n / 2.
        np.testing.assert_allclose(here.coef_, peer.coef_, atol=5e-5)
        np.testing.assert_allclose(here.predict_proba(X), peer.predict_proba(X), atol=5e-5)


@pytest.mark.parametrize(("load", "optimum"), [(load_wine, 17.651263626), (load_iris, 56.620779886)])
def test_printed_algorithm_descends_to_the_optimum_within_two_hundred_steps(load, optimum):
    X, y = standardised(load)
    model = MajorizedLogisticRegression(C=100 / len(y), fit_intercept=False, accelerate=False, max_iter=200).fit(X, y)
    # The optimum is that of scikit-learn at C = 1 / (n lambda), lambda = 0.01, to ten digits.
    assert model.objective_path_[-1] == pytest.approx(optimum, rel=1e-6)
    assert np.all(np.diff(model.objective_path_) <= 1e-10)


def test_acceleration_takes_a_fraction_of_the_steps_and_never_rises():
    X, y = standardised(load_breast_cancer)
    plain = MajorizedLogisticRegression(accelerate=False).fit(X, y)
    fast = MajorizedLogisticRegression().fit(X, y)
    assert fast.n_iter_ < plain.n_iter_ / 4
    assert np.all(np.diff(fast.objective_path_) <= 0.0)
    assert fast.objective_path_[-1] == pytest.approx(plain.objective_path_[-1], rel=1e-6)


def test_block_curvature_equals_the_bound_over_explicit_features():
    rng = np.random.default_rng(0)
    X, labels, weights = rng.normal(size=(6, 3)), np.array([0, 1, 2, 3, 0, 1]), rng.gamma(1.0, size=6)
    problem = Majorizer(X, labels, weights, 4, 1, 0.7, False)
    theta = rng.normal(size=problem.shape)
    curvature, gradient = 0.7 * np.eye(12), 0.7 * theta.ravel()
    for x, label, weight in zip(X, labels, weights):
        features = np.kron(np.eye(4), x[None])
        bound = log_partition_bound(theta.ravel(), features)
        curvature += weight * bound.curvature
        gradient += weight * (bound.mean - features[label])
    scores = problem.scores(theta)
    np.testing.assert_allclose(problem.curvature(scores), curvature, atol=1e-12)
    np.testing.assert_allclose(problem.objective(scores, theta)[1].ravel(), gradient, atol=1e-12)


def test_gradient_is_that_of_the_objective():
    rng = np.random.default_rng(1)
    X, labels = rng.normal(size=(20, 3)), rng.integers(0, 2, 20)
    problem = Majorizer(X, labels, np.ones(20), 2, 3, 0.4, True)
    theta, eps = rng.normal(size=problem.shape), 1e-6
    gradient = problem.objective(problem.scores(theta), theta)[1]
    for index in np.ndindex(*problem.shape):
        move = np.zeros(problem.shape)
        move[index] = eps
        ahead, back = (problem.objective(problem.scores(theta + s * move), theta + s * move)[0] for s in (1, -1))
        # Central differences: rounding / eps and eps^2.
        assert gradient[index] == pytest.approx((ahead - back) / (2 * eps), abs=1e-7)


def test_shared_curvature_of_two_classes_is_the_hessian():
    rng = np.random.default_rng(5)
    X, labels, weights = rng.normal(size=(40, 3)), rng.integers(0, 2, size=40), rng.random(40)
    problem = Majorizer(X, labels, weights, 2, 1, 0.7, True)
    theta = rng.normal(size=problem.shape)
    p = 1.0 / (1.0 + np.exp(-problem.X @ theta[0]))
    hessian = (problem.X.T * (weights * p * (1.0 - p))) @ problem.X + np.diag([0.7, 0.7, 0.7, 0.0])
    gradient = rng.normal(size=problem.shape)
    found = problem.shared_preconditioner(problem.scores(theta))(gradient)
    np.testing.assert_allclose(found[0], np.linalg.solve(hessian, gradient[0]), rtol=1e-9)


def test_shared_curvature_of_several_classes_has_the_trace_of_the_hessian():
    rng = np.random.default_rng(6)
    X, labels = rng.normal(size=(30, 3)), rng.integers(0, 4, size=30)
    problem = Majorizer(X, labels, np.ones(30), 4, 1, 0.0, False)
    scores = problem.scores(rng.normal(size=problem.shape))
    solve = problem.shared_preconditioner(scores)
    shared = np.linalg.inv(np.array([solve(np.tile(e, (4, 1)))[0] for e in np.eye(3)]))
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    trace = np.sum((1.0 - np.sum(p**2, axis=1)) * np.sum(X**2, axis=1))
    # Three of the four directions over the states resist; all moving alike, nothing does.
    assert 3 * np.trace(shared) == pytest.approx(trace, rel=1e-9)


def test_full_rank_takes_the_steps_of_the_whole_matrix():
    X, y = standardised(load_iris)
    with pytest.warns(ConvergenceWarning):
        whole = MajorizedLogisticRegression(0.1, fit_intercept=False, accelerate=False, max_iter=5).fit(X, y)
    with pytest.warns(ConvergenceWarning):
        ranked = MajorizedLogisticRegression(0.1, fit_intercept=False, rank=12, max_iter=5).fit(X, y)
    np.testing.assert_allclose(ranked.objective_path_, whole.objective_path_, rtol=1e-10)


@pytest.mark.parametrize("rank", [1, 4])
def test_low_rank_steps_descend_to_the_same_optimum(rank):
    X, y = standardised(load_iris)
    # The thesis' penalties: lambda = 1, C = 1 / n.
    model = MajorizedLogisticRegression(1 / len(y), rank=rank, max_iter=3000, tol=1e-5).fit(X, y)
    peer = MajorizedLogisticRegression(1 / len(y)).fit(X, y)
    assert np.all(np.diff(model.objective_path_) <= 1e-10)
    assert model.objective_path_[-1] == pytest.approx(peer.objective_path_[-1], rel=1e-6)


def test_bounds_give_the_constrained_optimum():
    X, y = standardised(load_breast_cancer)
    X = X[:, :6]
    model = MajorizedLogisticRegression(bounds=(-1.0, [0.0, 0.0, 0.5, 1.0, np.inf, 0.2])).fit(X, y)
    signs = 2.0 * y - 1.0

    def objective(w):
        margins = signs * (X @ w[:6] + w[6])
        slope = -signs / (1 + np.exp(margins))
        value = np.logaddexp(0, -margins).sum() + 0.5 * w[:6] @ w[:6]
        return value, np.append(X.T @ slope + w[:6], slope.sum())

    limits = [*zip([-1.0] * 6, [0.0, 0.0, 0.5, 1.0, None, 0.2]), (None, None)]
    peer = minimize(objective, np.zeros(7), jac=True, bounds=limits, method="L-BFGS-B", options={"ftol": 1e-14})
    assert model.objective_path_[-1] == pytest.approx(peer.fun, rel=1e-8)
    np.testing.assert_allclose(model.coef_[0], peer.x[:6], atol=1e-4)
    assert np.all(np.diff(model.objective_path_) <= 1e-10)
    assert model.coef_.min() == -1.0


def test_weights_stand_for_repeated_rows():
    X, y = standardised(load_iris)
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = MajorizedLogisticRegression().fit(X, y, weights)
    repeated = MajorizedLogisticRegression().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    # Two descents to a gradient of 1e-6 a row.
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-3)


def test_without_a_penalty_dependent_columns_are_no_obstacle():
    X, y = standardised(load_iris)
    y = (y == 1).astype(int)
    alone = MajorizedLogisticRegression(np.inf).fit(X, y)
    doubled = MajorizedLogisticRegression(np.inf).fit(np.hstack([X, X]), y)
    np.testing.assert_allclose(doubled.predict_proba(np.hstack([X, X])), alone.predict_proba(X), atol=1e-4)


def test_wide_sparse_rows_use_the_diagonal_alone():
    rng = np.random.default_rng(0)
    X = sparse.random_array((150, 6000), density=0.01, format="csr", rng=rng)
    y = (X[:, :50].sum(axis=1) > np.median(X[:, :50].sum(axis=1))).astype(int)
    here = MajorizedLogisticRegression(10.0).fit(X, y)
    peer = LogisticRegression(C=10.0, tol=1e-8, max_iter=5000).fit(X, y)
    np.testing.assert_allclose(here.coef_, peer.coef_, atol=1e-3)


def test_badly_scaled_columns_need_no_more_steps():
    X, y = standardised(load_breast_cancer)
    scales = 10.0 ** np.linspace(0, -4, X.shape[1])
    ready = MajorizedLogisticRegression(np.inf, max_iter=5000, tol=1e-5).fit(X[:, :5], y)
    crooked = MajorizedLogisticRegression(np.inf, max_iter=5000, tol=1e-9).fit(X[:, :5] * scales[:5], y)
    assert crooked.n_iter_ <= 2 * ready.n_iter_ + 10
    assert crooked.objective_path_[-1] <= ready.objective_path_[-1] * (1 + 1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bounds": (1.0, 0.0)}, "bounds are empty"),
        ({"bounds": (0.0, [1.0, 2.0])}, r"bounds of shape \(2,\) do not fit"),
        ({"bounds": (0.0,)}, "bounds has 1 parts"),
        ({"bounds": (0.0, 1.0), "rank": 2}, "bounds and rank are both set"),
    ],
)
def test_wrong_options_are_refused(options, message):
    X, y = standardised(load_iris)
    with pytest.raises(ValueError, match=message):
        MajorizedLogisticRegression(**options).fit(X, y)


@pytest.mark.parametrize("options", [{"accelerate": False}, {"bounds": (0.0, 1.0)}])
def test_curvature_that_no_memory_holds_is_refused_with_its_size(options):
    X = sparse.random(6, 30_000, 0.001, format="csr", random_state=0)
    with pytest.raises(ValueError, match=r"curvature over 90003 weights would take 60 GiB"):
        MajorizedLogisticRegression(**options).fit(X, [0, 1, 2, 0, 1, 2])


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="one class only"):
        MajorizedLogisticRegression().fit(np.eye(3), [1, 1, 1])


def test_unfinished_descent_warns():
    X, y = standardised(load_iris)
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        MajorizedLogisticRegression(max_iter=2).fit(X, y)
