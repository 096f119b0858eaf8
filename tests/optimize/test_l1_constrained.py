"""Any loss under an l1 bound: against the penalised problem, limits, and the conditions for the optimum."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from treatise.optimize import (
    ExponentialLoss,
    HingeLoss,
    LogisticLoss,
    SquaredLoss,
    l1_constrained_path,
)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 8))
    return X, np.where(X[:, 0] - X[:, 1] + rng.normal(size=50) > 0, 1.0, -1.0)


@pytest.mark.parametrize("loss", [LogisticLoss(), ExponentialLoss(), SquaredLoss()])
def test_every_solution_satisfies_the_conditions_for_the_optimum(table, loss):
    X, y = table
    bounds = [0.05, 0.3, 1.0, 2.0]
    path = l1_constrained_path(X, y, loss, bounds)
    assert path.converged
    for bound, coef, penalty, value in zip(bounds, path.coef, path.penalties, path.losses):
        slopes = X.T @ loss.derivative(y, X @ coef) / len(y)
        assert value == pytest.approx(np.mean(loss.value(y, X @ coef)))
        if np.abs(coef).sum() < bound - 1e-6:
            np.testing.assert_allclose(slopes, 0.0, atol=1e-5)
            continue
        assert np.abs(slopes).max() == pytest.approx(penalty)
        used = coef != 0
        # The gap is at most 1e-9 of the loss, so slopes agree to about its root.
        np.testing.assert_allclose(-slopes[used] * np.sign(coef[used]), penalty, rtol=1e-4, atol=1e-5)


def test_the_bounded_problem_is_the_penalised_one(table):
    X, y = table
    path = l1_constrained_path(X, y, LogisticLoss(), [0.5, 1.5], tol=1e-12)
    for coef, penalty in zip(path.coef, path.penalties):
        peer = LogisticRegression(
            l1_ratio=1.0, C=1 / (penalty * len(y)), solver="liblinear", fit_intercept=False, tol=1e-10, max_iter=10_000
        )
        np.testing.assert_allclose(coef, peer.fit(X, y).coef_[0], atol=1e-5)


def test_a_loose_bound_leaves_the_free_optimum_and_dependent_columns_do_no_harm(table):
    X, y = table
    wide = np.column_stack([X, X[:, 0], X[:, 0] + X[:, 1], np.zeros(50)])
    path = l1_constrained_path(wide, y, SquaredLoss(), [0.5, 100.0])
    free = X @ np.linalg.lstsq(X, y, rcond=None)[0]
    assert path.converged and np.abs(wide @ path.coef[1] - free).max() < 1e-4


def test_too_few_steps_are_told_and_bad_input_is_refused(table):
    X, y = table
    assert not l1_constrained_path(X, y, LogisticLoss(), [2.0], max_iter=1).converged
    with pytest.raises(ValueError, match="has kinks"):
        l1_constrained_path(X, y, HingeLoss(), [1.0])
    with pytest.raises(ValueError, match="must be positive"):
        l1_constrained_path(X, y, SquaredLoss(), [0.0, 1.0])
    with pytest.raises(ValueError, match="one value for each of its rows"):
        l1_constrained_path(X, y[:-1], LogisticLoss(), [1.0])
