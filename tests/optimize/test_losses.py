"""Losses: their derivatives, and the steps that importance asks for."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from treatise.optimize import Loss
from treatise.optimize._loss_loops import invariant_step

CASES = [
    (name, tau, p, y)
    for name, tau, labels in (
        ("logistic", 0.5, (-1.0, 1.0)), ("hinge", 0.5, (-1.0, 1.0)), ("squared_hinge", 0.5, (-1.0, 1.0)),
        ("squared", 0.5, (-2.0, 3.0)), ("quantile", 0.8, (-2.0, 3.0)), ("poisson", 0.5, (0.0, 4.0)),
    )
    for p in (-3.0, -0.2, 0.4, 2.5)
    for y in labels
]  # fmt: skip
by_case = pytest.mark.parametrize(("name", "tau", "p", "y"), CASES)


@by_case
def test_derivatives_are_those_of_the_value(name, tau, p, y):
    loss, h = Loss(name, tau), 1e-5
    slope = (loss.value(p + h, y) - loss.value(p - h, y)) / (2 * h)
    # Central differences of step h leave h^2 times the third derivative, below 1e-8 here, plus rounding / h.
    np.testing.assert_allclose(loss.derivative(p, y), slope, atol=1e-7)
    if loss.smooth:
        bend = (loss.derivative(p + h, y) - loss.derivative(p - h, y)) / (2 * h)
        np.testing.assert_allclose(loss.curvature(p, y), bend, atol=1e-7)


@by_case
@pytest.mark.parametrize("rate", [0.01, 0.7, 5.0])
def test_invariant_step_follows_the_gradient_flow(name, tau, p, y, rate):
    loss, q, n_steps = Loss(name, tau), 1.7, 1000
    step = invariant_step(loss.kind, tau, p, y, rate, q)
    if loss.smooth:
        flow = solve_ivp(lambda h, at: -q * loss.derivative(at, y), (0.0, rate), [p], rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(p - step * q, flow.y[0, -1], atol=1e-6)
        return
    at = p
    for _ in range(n_steps):
        at -= q * rate / n_steps * float(loss.derivative(at, y))
    # Small gradient steps come within one of them of the kink, where the flow rests.
    np.testing.assert_allclose(p - step * q, at, atol=q * rate / n_steps + 1e-12)


@by_case
def test_importance_two_equals_two_steps_of_importance_one(name, tau, p, y):
    kind, rate, q = Loss(name, tau).kind, 0.3, 2.1
    once = p - q * invariant_step(kind, tau, p, y, rate, q)
    twice = once - q * invariant_step(kind, tau, once, y, rate, q)
    np.testing.assert_allclose(p - q * invariant_step(kind, tau, p, y, 2 * rate, q), twice, rtol=1e-12, atol=1e-12)


@by_case
def test_small_steps_are_gradient_steps(name, tau, p, y):
    loss = Loss(name, tau)
    slope = float(loss.derivative(p, y))
    step = invariant_step(loss.kind, tau, p, y, 1e-9, 1.0)
    # The relative departure is the rate times the curvature, below 1e-7.
    np.testing.assert_allclose(step, 1e-9 * slope, rtol=1e-6)


@pytest.mark.parametrize("margin", [-800.0, -40.0, 30.0, 36.0, 800.0])
def test_logistic_step_neither_overflows_nor_passes_the_gradient_step(margin):
    step = invariant_step(Loss("logistic").kind, 0.5, margin, 1.0, 2.0, 3.0)
    slope = float(Loss("logistic").derivative(margin, 1.0))
    assert 2.0 * slope * (1 + 1e-12) <= step <= 0.0
    assert (step < 0) == (slope < 0)


def test_unknown_losses_and_levels_are_refused():
    with pytest.raises(ValueError, match="'huber' is unknown; it may be logistic"):
        Loss("huber")
    with pytest.raises(ValueError, match=r"tau=1\.5"):
        Loss("quantile", 1.5)
