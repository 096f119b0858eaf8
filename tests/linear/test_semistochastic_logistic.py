"""The semi-stochastic quadratic bound (Choromanska, 2014, Chapter 3)."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale

from treatise.linear import MajorizedLogisticRegression, SemiStochasticLogisticRegression
from treatise.linear.majorized.semistochastic import _conjugate_gradients


def test_whole_batches_solved_exactly_take_the_steps_of_the_batch_method():
    X, y = load_iris(return_X_y=True)
    X = scale(X)
    with pytest.warns(ConvergenceWarning):
        batch = MajorizedLogisticRegression(fit_intercept=False, accelerate=False, max_iter=4).fit(X, y)
    semi = SemiStochasticLogisticRegression(
        fit_intercept=False, step=1.0, first_batch=150, curvature_batch=150, n_inner=100, n_passes=4
    ).fit(X, y)
    np.testing.assert_allclose(semi.objective_path_, batch.objective_path_, rtol=1e-9)
    np.testing.assert_allclose(semi.coef_, batch.coef_, atol=1e-7)


def test_ten_passes_come_near_the_optimum_on_badly_scaled_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10_000, 50)) * 10.0 ** np.linspace(0, -1.5, 50)
    y = rng.random(10_000) < 1 / (1 + np.exp(-X @ (2 * rng.normal(size=50))))
    best = MajorizedLogisticRegression(fit_intercept=False).fit(X, y).objective_path_[-1] / 10_000
    model = SemiStochasticLogisticRegression(fit_intercept=False, n_passes=10, random_state=0).fit(X, y)
    excess = np.array(model.objective_path_) / 10_000 - best
    # Logistic loss starts log 2 above zero, so that 0.01 is a small share of it.
    assert excess[-1] < 1e-2
    assert excess.max() < 1.0
    assert model.passes_[-1] == pytest.approx(10, abs=0.1)


def test_mini_batches_grow_as_printed():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(1000, 3)), rng.integers(0, 2, 1000)
    model = SemiStochasticLogisticRegression(n_passes=1, growth=0.5, first_batch=5, random_state=0).fit(X, y)
    sizes = 5 + np.round(0.5 * np.arange(model.n_iter_))
    assert sizes.sum() >= 1000 > sizes[:-1].sum()


def test_conjugate_gradients_solve():
    rng = np.random.default_rng(2)
    A = rng.normal(size=(9, 6))
    target = rng.normal(size=(2, 3))
    solution = _conjugate_gradients(lambda v: (A.T @ A @ v.ravel()).reshape(2, 3), target, 50)
    np.testing.assert_allclose(A.T @ A @ solution.ravel(), target.ravel(), atol=1e-8)


def test_several_classes_are_learnt():
    X, y = load_iris(return_X_y=True)
    assert SemiStochasticLogisticRegression(n_passes=30, random_state=0).fit(scale(X), y).score(scale(X), y) > 0.93


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine, load_iris])
def test_defaults_end_near_the_optimum(load):
    X, y = load(return_X_y=True)
    best = MajorizedLogisticRegression().fit(scale(X), y).objective_path_[-1]
    model = SemiStochasticLogisticRegression(random_state=0).fit(scale(X), y)
    # Ten passes end up to two thirds above it.
    assert model.objective_path_[-1] < 1.1 * best
    assert model.converged_
