"""The losses and the exact minimum on which the privacy proofs stand."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

from treatise.datasets import make_logistic_sphere
from treatise.linear import PrivateLogisticRegression
from treatise.linear.private import _newton
from treatise.linear.private._erm import private_loss
from treatise.linear.private._newton import GRADIENT_TOLERANCE, minimise
from treatise.optimize.losses._loops import loss_at, loss_curvature

LOSSES = [
    private_loss("logistic"),
    private_loss("huber", 0.5),
    private_loss("huber", 0.1),
    private_loss("smooth_hinge", 0.3),
]
each_loss = pytest.mark.parametrize("loss", LOSSES, ids=str)


def printed(loss, z):
    """The losses as the paper writes them (Section 3.4)."""
    h, short = loss.parameter, 1 - z
    if loss.name == "logistic":
        return np.log(1 + np.exp(-z))
    if short < -h:
        return 0.0
    if short > h:
        return short
    if loss.name == "huber_hinge":
        return (1 + h - z) ** 2 / (4 * h)
    return -(short**4) / (16 * h**3) + 3 * short**2 / (8 * h) + short / 2 + 3 * h / 16


def compiled_at(loss, z):
    """Value, slope and curvature of a margin, as the solver has them."""
    formulas = loss.number, loss.parameter, 1.0, z
    return *loss_at(*formulas), loss_curvature(*formulas)


@each_loss
def test_losses_are_those_of_the_paper_with_their_derivatives(loss):
    step = 1e-6
    for z in np.linspace(-3, 4, 281) + 1e-3:  # off the corners of the second derivative
        value, slope, curvature = compiled_at(loss, z)
        assert value == pytest.approx(printed(loss, z), abs=1e-12)
        ahead, behind = (compiled_at(loss, z + sign * step) for sign in (1, -1))
        assert slope == pytest.approx((ahead[0] - behind[0]) / (2 * step), abs=1e-8)
        assert curvature == pytest.approx((ahead[1] - behind[1]) / (2 * step), abs=1e-4)


@each_loss
def test_slope_is_at_most_one_and_curvature_at_most_c_and_both_are_attained(loss):
    margins = np.concatenate([np.linspace(-800, 800, 4001), np.linspace(0.4, 1.6, 1201), [0.0]])
    _, slopes, curvatures = np.array([compiled_at(loss, z) for z in margins]).T
    assert np.all(slopes <= 0) and slopes.min() == pytest.approx(-1.0)
    assert np.all(curvatures >= 0) and curvatures.max() == pytest.approx(loss.curvature_bound, rel=1e-3)
    assert curvatures.max() <= loss.curvature_bound * (1 + 1e-12)


def gradient_at(rows, loss, penalty, linear, w):
    slopes = np.array([compiled_at(loss, z)[1] for z in np.asarray(rows @ w)])
    return rows.T @ slopes / rows.shape[0] + linear + penalty * w


@each_loss
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize(("penalty", "noise"), [(1.0, 0.1), (1e-2, 0.5), (1e-4, 0.02), (1e-7, 0.0), (1e-3, 200.0)])
def test_gradient_vanishes_at_the_minimum(loss, layout, penalty, noise):
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(3000, 12)) * (rng.random((3000, 12)) < 0.5)
    rows = layout(dense / np.maximum(np.linalg.norm(dense, axis=1, keepdims=True), 1e-9))
    linear = noise * rng.normal(size=12)
    w = minimise(rows, loss, penalty, linear, np.zeros(12))
    # Ten times for the other order of summation here.
    assert np.linalg.norm(gradient_at(rows, loss, penalty, linear, w)) <= 10 * GRADIENT_TOLERANCE * max(1, noise)


def test_a_hessian_from_some_rows_still_leads_to_the_minimum():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(20_000, 40))
    rows *= np.where(rng.random(20_000) < 0.9, 0.01, 1.0)[:, None] / np.linalg.norm(rows, axis=1, keepdims=True)
    for loss in LOSSES:
        w = minimise(rows, loss, 1e-4, 0.01 * rng.normal(size=40), np.zeros(40))
        assert np.all(np.isfinite(w))


@each_loss
def test_a_value_near_zero_does_not_stop_the_search_early(loss):
    """The perturbation can cancel the loss in the value, though not in its rounding."""
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(400, 5))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    for size in np.linspace(0.05, 0.6, 60):
        linear = size * np.ones(5) / np.sqrt(5)
        w = minimise(rows, loss, 0.02, linear, np.zeros(5))
        assert np.linalg.norm(gradient_at(rows, loss, 0.02, linear, w)) <= 10 * GRADIENT_TOLERANCE


@each_loss
def test_many_features_are_fitted_without_forming_the_hessian(loss):
    rng = np.random.default_rng(3)
    rows = sparse.random_array((300, 1500), density=0.01, format="csr", rng=rng)
    rows = sparse.csr_matrix(rows) / 4
    linear = 0.01 * rng.normal(size=1500)
    w = minimise(rows, loss, 0.01, linear, np.zeros(1500))
    assert np.linalg.norm(gradient_at(rows, loss, 0.01, linear, w)) <= 10 * GRADIENT_TOLERANCE


def test_the_minimum_is_that_of_a_general_optimiser():
    rng = np.random.default_rng(4)
    rows, linear = rng.normal(size=(200, 3)) / 3, np.array([0.1, -0.2, 0.05])
    for loss in LOSSES:

        def value(w, loss=loss):
            return np.mean([printed(loss, z) for z in rows @ w]) + linear @ w + 0.05 * w @ w

        found = minimise(rows, loss, 0.1, linear, np.zeros(3))
        best = minimize(
            value, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-13, "maxiter": 5000}
        )
        np.testing.assert_allclose(found, best.x, atol=1e-5)


def test_short_of_the_minimum_nothing_is_released(monkeypatch):
    monkeypatch.setattr(_newton, "_ITERATIONS", 2)
    X, y = make_logistic_sphere(200, random_state=0)
    learner = PrivateLogisticRegression(random_state=0)
    with pytest.raises(RuntimeError, match=r"after 2 steps the gradient exceeds 1e-10.*nothing is released"):
        learner.fit(X, y)
    assert not hasattr(learner, "coef_")
