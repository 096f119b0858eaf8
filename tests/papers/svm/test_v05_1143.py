"""The experiment of the error analysis of q-norm soft margins, and its bounds."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

from treatise.papers.svm.v05_1143.bounds import (
    comparison_constant,
    excess_error_bound,
    q_norm_minimal_risk,
    regularization_error_bound,
    separable_error_bound,
    tradeoff_cost,
)

POWERS = (1.2, 1.5, 2.0, 2.5, 3.0, 5.0)


def test_the_quick_form_reaches_what_it_should(quick):
    evidence = quick("v05-1143")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    rows = {row.quantity: row for row in evidence.rows}
    assert rows["q = 1: change of the machine by one label of 201"].verdict == "reached"
    conjecture = [row for quantity, row in rows.items() if row.place == "Conjecture 13"]
    assert len(conjecture) == 3 and all(-1.2 < float(row.here) < -0.7 for row in conjecture)
    assert sum("(41)" in quantity for quantity in rows) == 4
    assert evidence.figure is not None and not evidence.skipped


def test_least_risks_have_their_closed_values():
    # r = 0.6 is a probability of 0.8.
    np.testing.assert_allclose(
        [q_norm_minimal_risk(0.8, q) for q in (1.5, 2, 3)], [0.5487955, 0.64, 0.7111111], atol=1e-7
    )
    for q in POWERS:
        for p in (0.1, 0.35, 0.8):
            found = minimize_scalar(
                lambda f, p=p, q=q: p * max(0, 1 - f) ** q + (1 - p) * max(0, 1 + f) ** q,
                bounds=(-1, 1), method="bounded",
                options={"xatol": 1e-10},
            )  # fmt: skip
            assert q_norm_minimal_risk(p, q) == pytest.approx(found.fun, abs=1e-10)
            r = 2 * p - 1
            root = 1 / (q - 1)
            closed = 2 ** (q - 1) * (1 - r**2) / ((1 + r) ** root + (1 - r) ** root) ** (q - 1)
            assert q_norm_minimal_risk(p, q) == pytest.approx(closed)


def test_excess_error_is_bounded_by_excess_loss():
    rng = np.random.default_rng(0)
    for q in (1.0, *POWERS):
        for _ in range(200):
            mass, p = rng.dirichlet(np.ones(5)), rng.random(5)
            f = rng.normal(size=5) * rng.choice([0.05, 0.5, 2])
            loss = mass @ (p * np.maximum(0, 1 - f) ** q + (1 - p) * np.maximum(0, 1 + f) ** q)
            excess_loss = max(loss - mass @ q_norm_minimal_risk(p, q), 0)
            wrong = (f >= 0) != (p >= 0.5)
            assert mass[wrong] @ np.abs(2 * p[wrong] - 1) <= excess_error_bound(excess_loss, q) + 1e-12
    # Equality for q = 2 and a score of zero on the wrong side: excess error |r|, excess loss r^2.
    assert excess_error_bound(1 - q_norm_minimal_risk(0.8, 2), 2) == pytest.approx(0.6)
    assert excess_error_bound(0.3, 2, noise_free=True) == pytest.approx(0.3)
    assert [comparison_constant(q) for q in (1, 2, 3)] == [1, 1, pytest.approx(4 / 3)]


def test_tradeoff_cost_is_the_minimiser():
    for p, tau, alpha, m in ((1.0, 0.5, 0.5, 100), (0.3, 2.0, 1.0, 1e4), (0.5, 0.5, 1.0, 50)):
        C = tradeoff_cost(p, tau, alpha, m)

        def value(C, p=p, tau=tau, alpha=alpha, m=m):
            return C**-p + C**tau / m**alpha

        # The derivative vanishes: exact where a search in values would stop at half of the digits.
        assert -p * C ** (-p - 1) + tau * C ** (tau - 1) / m**alpha == pytest.approx(0, abs=1e-12)
        assert value(C) < min(value(0.99 * C), value(1.01 * C))
        ratio = p / tau
        constant = ratio ** (tau / (tau + p)) + ratio ** (-p / (tau + p))
        assert value(C) * m ** (alpha * p / (tau + p)) <= constant * (1 + 1e-9) or p == tau


def test_regularization_error_bound_covers_the_true_one():
    # Example 1: f = (x^2 - 1/16) / t for the best t, by quadrature; |f| < t on a share of at most 8 sqrt(2) t.
    for C in (1e3, 1e6):

        def total(log_t, C=C):
            t = np.exp(log_t)
            loss = quad(lambda x: max(0, 1 - abs(x * x - 1 / 16) / t) ** 2, -0.5, 0.5, points=[-0.25, 0.25], limit=200)
            return loss[0] + 1 / (2 * C * t * t)

        least = minimize_scalar(total, bounds=(-12, 0), method="bounded").fun
        assert least < regularization_error_bound(C, 1.0, constant=8 * np.sqrt(2))


def test_separable_bound_solves_its_equation():
    def log_covering(radius):
        return np.log1p(1 / radius)

    m, C, q, delta = 1e6, 1e9, 2.0, 0.1
    bound = separable_error_bound(m, C, q, log_covering, 1.0, delta=delta)
    approximation = regularization_error_bound(C, 1.0)
    epsilon = (bound - 8 * np.log(2 / delta) / m - 4 * approximation) / 2
    radius = epsilon / (q * 2 ** (q + 3) * np.sqrt(2 * C * (approximation + epsilon)))
    assert log_covering(radius) - 3 * m * epsilon / 2 ** (q + 9) == pytest.approx(np.log(delta / 2), rel=1e-6)
    assert separable_error_bound(10 * m, C, q, log_covering, 1.0) < separable_error_bound(m, C, q, log_covering, 1.0)


def test_errors_balance_at_the_exponent_of_example_1():
    assert regularization_error_bound(50**3, 1.0, constant=0.5) == pytest.approx(1 / 50)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="never negative"):
        excess_error_bound(-0.1, 2)
    with pytest.raises(ValueError, match="tau=-1 must be positive"):
        tradeoff_cost(1, -1, 1, 10)
    with pytest.raises(ValueError, match=r"q=0\.9 must be at least 1"):
        comparison_constant(0.9)
