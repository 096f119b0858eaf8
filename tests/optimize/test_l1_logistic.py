"""Logistic regression with a price on every coefficient."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from treatise.optimize import solve_l1_logistic, solve_l1_logistic_columns


def problem(n, p, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) * rng.uniform(0.2, 5.0, p)
    score = X[:, 0] / X[:, 0].std() - 2 * X[:, 1] / X[:, 1].std() + 0.5
    return X, (rng.random(n) < 1 / (1 + np.exp(-score))).astype(float)


def violation(X, y, weights, penalty, coef, intercept):
    weights = weights / weights.sum()
    residual = weights * (1 / (1 + np.exp(-(X @ coef + intercept))) - y)
    slope = X.T @ residual
    at_zero = np.maximum(np.abs(slope) - penalty, 0)
    return max(np.where(coef == 0, at_zero, np.abs(slope + penalty * np.sign(coef))).max(), abs(residual.sum()))


@pytest.mark.parametrize(("n", "p"), [(200, 5), (60, 150)])
@pytest.mark.parametrize("seed", range(4))
def test_conditions_of_the_optimum_hold_with_weights_and_a_price_per_feature(n, p, seed):
    X, y = problem(n, p, seed)
    rng = np.random.default_rng(seed + 100)
    weights, penalty = rng.uniform(0.1, 3, n), rng.uniform(0.02, 0.2, p)
    penalty[2] = 0.0 if p < n else 0.1
    found = solve_l1_logistic(X, y, penalty, sample_weight=weights, tol=1e-9)
    assert found.converged
    # The solver's own violation is computed the same way up to rounding.
    assert violation(X, y, weights, penalty, found.coef, found.intercept) < 2e-9


def test_equals_scikit_learn():
    X, y = problem(300, 8, 0)
    found = solve_l1_logistic(X, y, 0.05, tol=1e-9)
    theirs = LogisticRegression(l1_ratio=1.0, solver="saga", C=1 / (300 * 0.05), tol=1e-9, max_iter=50_000).fit(X, y)
    # Its solver stops on the change of the coefficients.
    np.testing.assert_allclose(found.coef, theirs.coef_[0], atol=1e-4)
    assert found.intercept == pytest.approx(theirs.intercept_[0], abs=1e-4)


def test_a_single_binary_feature_has_its_closed_form():
    # Counts of (feature, target): the score at zero is the covariance, and the optimum shifts the odds by the penalty.
    X = np.repeat([[0.0], [0.0], [1.0], [1.0]], [30, 10, 15, 45], axis=0)
    y = np.repeat([0.0, 1.0, 0.0, 1.0], [30, 10, 15, 45])
    edge = abs(np.mean((X[:, 0] - X.mean()) * y))
    assert solve_l1_logistic(X, y, edge * 1.0001).coef[0] == 0
    assert solve_l1_logistic(X, y, edge * 0.9999).coef[0] > 0
    free = solve_l1_logistic(X, y, 0.0, tol=1e-10)
    assert free.coef[0] == pytest.approx(np.log(45 / 15 * 30 / 10), abs=1e-6)


def test_an_infinite_price_leaves_a_feature_out():
    X, y = problem(200, 6, 1)
    penalty = np.full(6, 0.03)
    penalty[1] = np.inf
    without = solve_l1_logistic(np.delete(X, 1, axis=1), y, 0.03, tol=1e-9)
    found = solve_l1_logistic(X, y, penalty, tol=1e-9)
    assert found.coef[1] == 0
    # Both are exact to about their tolerance over the smallest curvature.
    np.testing.assert_allclose(np.delete(found.coef, 1), without.coef, atol=1e-6)


def test_every_column_equals_its_own_problem_and_a_start_does_not_change_it():
    rng = np.random.default_rng(0)
    X = (rng.random((150, 7)) < 0.4).astype(float)
    X[:, 3] = np.where(rng.random(150) < 0.8, X[:, 2], X[:, 3])
    together = solve_l1_logistic_columns(X, 0.02, tol=1e-9)
    again = solve_l1_logistic_columns(X, 0.02, columns=[3, 5], start=(np.full((2, 7), 0.1), np.zeros(2)), tol=1e-9)
    for s in range(7):
        price = np.full(7, 0.02)
        price[s] = np.inf
        alone = solve_l1_logistic(X, X[:, s], price, tol=1e-9)
        np.testing.assert_allclose(together.coef[s], alone.coef, atol=1e-7)
        assert together.intercept[s] == pytest.approx(alone.intercept, abs=1e-7)
    assert not together.coef.diagonal().any()
    # The start on a column itself must be dropped, not kept as a feature that explains itself.
    others = np.ones(7, dtype=bool)
    others[3] = False
    np.testing.assert_allclose(again.coef[0][others], together.coef[3][others], atol=1e-6)


def test_bad_input_is_refused():
    X, y = problem(20, 3, 0)
    with pytest.raises(ValueError, match="all targets are equal"):
        solve_l1_logistic(X, np.ones(20), 0.1)
    with pytest.raises(ValueError, match="must not be negative"):
        solve_l1_logistic(X, y, -1.0)
    with pytest.raises(ValueError, match="column 1 is constant"):
        solve_l1_logistic_columns(np.array([[0.0, 1.0], [1.0, 1.0]]), 0.1)
