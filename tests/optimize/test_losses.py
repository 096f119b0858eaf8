"""Losses: their derivatives, their compiled formulas, the steps that importance asks for, and one made here."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from treatise.optimize import (
    ExponentialLoss,
    HingeLoss,
    HuberHingeLoss,
    HuberLoss,
    LogisticLoss,
    Loss,
    PoissonLoss,
    QuantileLoss,
    SmoothHingeLoss,
    SquaredHingeLoss,
    SquaredLoss,
    make_loss,
    minimize_kernel_newton,
)
from treatise.optimize.losses._loops import invariant_step, loss_at, loss_curvature
from treatise.optimize.losses.logistic import logistic_update
from treatise.optimize.losses.named import LOSSES

PARAMETERS = {
    "huber": {"width": 0.3},
    "epsilon_insensitive": {"width": 0.3},
    "quantile": {"tau": 0.8},
    "huber_hinge": {"h": 0.3},
    "smooth_hinge": {"h": 0.3},
}
EVERY = [make_loss(name, **PARAMETERS.get(name, {})) for name in LOSSES]
EVERY.append(2.0 * HuberLoss(0.3))
ONLINE = [LogisticLoss(), HingeLoss(), SquaredHingeLoss(), SquaredLoss(), QuantileLoss(0.8), PoissonLoss()]
COMPILED = [*ONLINE, HuberHingeLoss(0.3), SmoothHingeLoss(0.3), ExponentialLoss()]
every_loss = pytest.mark.parametrize("loss", EVERY, ids=str)
SCORES = (-3.0, -0.2, 0.4, 2.5)


def labels_of(loss):
    """Some y that a loss takes."""
    if loss.of_labels:
        return -1.0, 1.0
    return (0.0, 4.0) if loss.name == "poisson" else (-2.0, 3.1)


CASES = [(loss, y, s) for loss in ONLINE for s in SCORES for y in labels_of(loss)]
by_case = pytest.mark.parametrize(("loss", "y", "s"), CASES, ids=str)


@every_loss
def test_one_sided_derivatives_and_curvature_are_those_of_the_loss(loss):
    s = np.linspace(-3.0, 3.0, 41)
    for y in labels_of(loss):
        labels = np.full(41, y)
        # First differences of a convex function bracket the derivative: 1e-6 is the size of the step.
        h = 1e-7
        below = (loss.value(labels, s) - loss.value(labels, s - h)) / h
        above = (loss.value(labels, s + h) - loss.value(labels, s)) / h
        np.testing.assert_allclose(loss.left(labels, s), below, atol=2e-6 * np.exp(3))
        np.testing.assert_allclose(loss.right(labels, s), above, atol=2e-6 * np.exp(3))
        smooth = np.abs(loss.left(labels, s + 1e-4) - loss.left(labels, s - 1e-4)) < 0.05
        numeric = (loss.derivative(labels, s + 1e-5) - loss.derivative(labels, s - 1e-5)) / 2e-5
        inner = smooth & (np.abs(loss.curvature(labels, s + 1e-4) - loss.curvature(labels, s - 1e-4)) < 0.1)
        np.testing.assert_allclose(loss.curvature(labels, s)[inner], numeric[inner], atol=1e-3)
        assert np.all(loss.curvature(labels, s) <= loss.curvature_bound * (1 + 1e-12))


@every_loss
def test_numbers_and_arrays_that_broadcast_give_the_same(loss):
    y = np.array(labels_of(loss))
    for method in (loss.value, loss.left, loss.right, loss.derivative, loss.curvature):
        table = method(y[:, None], np.array(SCORES))
        assert np.shape(table) == (2, 4)
        assert table[1, 2] == method(y[1], SCORES[2])


@every_loss
def test_at_a_kink_the_derivative_is_the_least_between_both_sides(loss):
    for y in labels_of(loss):
        for s in (-2.3, -1.7, -1.0, 0.0, 1.0, 2.7, 3.0, 3.3, *SCORES):
            left, right, between = loss.left(y, s), loss.right(y, s), loss.derivative(y, s)
            assert left <= between <= right
            assert between == (0.0 if left <= 0.0 <= right else min(left, right, key=abs))


@pytest.mark.parametrize("loss", COMPILED, ids=str)
def test_compiled_formulas_are_those_of_the_class(loss):
    for y in labels_of(loss):
        far = [] if loss.name in ("poisson", "exponential") else [-800.0, 800.0]
        for s in np.concatenate([np.linspace(-3, 3, 61), [y], far]):
            value, slope = loss_at(loss.number, loss.parameter, y, s)
            # A few roundings, in an order of their own.
            assert value == pytest.approx(float(loss.value(y, s)), rel=1e-14, abs=1e-15)
            assert slope == pytest.approx(float(loss.derivative(y, s)), rel=1e-14, abs=1e-15)
            bend = loss_curvature(loss.number, loss.parameter, y, s)
            assert bend == pytest.approx(float(loss.curvature(y, s)), rel=1e-13, abs=1e-15)


def test_numbers_of_compiled_losses_differ():
    assert len({loss.number for loss in COMPILED}) == len(COMPILED)
    with pytest.raises(ValueError, match="'modified_huber' has no compiled formulas"):
        _ = make_loss("modified_huber").number


@by_case
@pytest.mark.parametrize("rate", [0.01, 0.7, 5.0])
def test_invariant_step_follows_the_gradient_flow(loss, y, s, rate):
    q, n_steps = 1.7, 1000
    step = invariant_step(loss.number, loss.parameter, y, s, rate, q)
    if loss.smooth:
        flow = solve_ivp(lambda h, at: -q * loss.derivative(y, at), (0.0, rate), [s], rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(s - step * q, flow.y[0, -1], atol=1e-6)
        return
    at = s
    for _ in range(n_steps):
        at -= q * rate / n_steps * float(loss.derivative(y, at))
    # Small gradient steps come within one of them of the kink, where the flow rests.
    np.testing.assert_allclose(s - step * q, at, atol=q * rate / n_steps + 1e-12)


@by_case
def test_importance_two_equals_two_steps_of_importance_one(loss, y, s):
    rate, q = 0.3, 2.1

    def after(at, rate):
        return at - q * invariant_step(loss.number, loss.parameter, y, at, rate, q)

    np.testing.assert_allclose(after(s, 2 * rate), after(after(s, rate), rate), rtol=1e-12, atol=1e-12)


@by_case
def test_small_steps_are_gradient_steps(loss, y, s):
    slope = float(loss.derivative(y, s))
    step = invariant_step(loss.number, loss.parameter, y, s, 1e-9, 1.0)
    # The relative departure is the rate times the curvature, below 1e-7.
    np.testing.assert_allclose(step, 1e-9 * slope, rtol=1e-6)


@pytest.mark.parametrize("margin", [-800.0, -40.0, 30.0, 36.0, 800.0])
def test_logistic_step_neither_overflows_nor_passes_the_gradient_step(margin):
    step = invariant_step(LogisticLoss().number, 0.0, 1.0, margin, 2.0, 3.0)
    slope = float(LogisticLoss().derivative(1.0, margin))
    assert 2.0 * slope * (1 + 1e-12) <= step <= 0.0
    assert (step < 0) == (slope < 0)


def gain_by_newton(margin, reach):
    """The g with g + exp(margin) (exp(g) - 1) = reach, by Newton's method from a point where it overshoots once."""
    base = math.exp(margin)
    total = margin + base + reach
    gain = min(max((math.log(total) if total > 1.0 else total) - margin, 0.0), reach / (1.0 + base))
    for _ in range(30):
        change = (gain + base * math.expm1(gain) - reach) / (1.0 + math.exp(margin + gain))
        gain -= change
        if abs(change) <= 1e-8 * gain:
            break
    return gain


def test_logistic_update_is_the_loss_its_slope_and_its_step():
    rng = np.random.default_rng(0)
    # Margins to both ends of where exponentials hold, reaches from nothing to far beyond the loss's bend.
    for s, y, rate, q in zip(
        rng.uniform(-60, 60, 3000), rng.choice([-1.0, 1.0], 3000), 10 ** rng.uniform(-9, 4, 3000),
        10 ** rng.uniform(-6, 4, 3000),
    ):  # fmt: skip
        loss, slope, step = logistic_update(y, s, rate, q, True)
        assert loss == pytest.approx(float(LogisticLoss().value(y, s)), rel=1e-14)
        assert slope == pytest.approx(float(LogisticLoss().derivative(y, s)), rel=1e-14)
        margin = y * s
        expected = rate * math.exp(-margin) if margin > 35.0 else gain_by_newton(margin, rate * q) / q
        # Both solve the same equation to a relative 1e-12 or so of its right side.
        assert step == pytest.approx(-y * expected, rel=1e-11)
        assert logistic_update(y, s, rate, q, False)[2] == pytest.approx(rate * slope, rel=1e-15)


def test_unknown_losses_and_levels_are_refused():
    with pytest.raises(ValueError, match="'lazy' is unknown; it may be squared, huber, "):
        make_loss("lazy")
    with pytest.raises(ValueError, match=r"tau=1\.5"):
        make_loss("quantile", tau=1.5)
    with pytest.raises(ValueError, match="width=-1 of a loss must not be negative"):
        make_loss("huber", width=-1)
    with pytest.raises(ValueError, match="h=0 of a rounded hinge must be positive"):
        make_loss("smooth_hinge", h=0)
    with pytest.raises(ValueError, match="factor=0 of a loss must be positive"):
        0 * HingeLoss()


@dataclass(frozen=True)
class LogCoshLoss(Loss):
    """The logarithm of the hyperbolic cosine of the error: squared near zero, absolute far out."""

    name = "log_cosh"

    def value(self, y, s):
        e = np.abs(s - y)
        return e + np.log1p(np.exp(-2.0 * e)) - np.log(2.0)

    def derivative(self, y, s):
        return np.tanh(s - y)

    def curvature(self, y, s):
        return 1.0 - np.tanh(s - y) ** 2


def test_a_new_loss_is_one_class_that_every_solver_of_losses_takes():
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    y = 2.0 * x + 1.0 + 0.1 * rng.normal(size=60)
    y[:3] += 100.0
    loss = LogCoshLoss()
    fit = minimize_kernel_newton(np.outer(x, x), y, loss, 1e-6, basis=np.ones((60, 1)))
    assert fit.converged
    # The condition of the optimum, written out: 2 penalty a = -V' / n.
    np.testing.assert_allclose(2e-6 * fit.coef, -loss.derivative(y, fit.scores) / 60, atol=1e-11)
    # Three rows in sixty are off by 100 and pull with a slope of one each, the others with their error: some 0.05.
    assert x @ fit.coef == pytest.approx(2.0, abs=0.1)
    assert fit.free_coef[0] == pytest.approx(1.0, abs=0.1)
