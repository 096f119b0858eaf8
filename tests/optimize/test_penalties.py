"""Penalties and their proximal operators against their definitions, and one made here."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import minimize

from treatise.optimize import (
    BoxConstraint,
    ColumnNormPenalty,
    GroupPenalty,
    L1Penalty,
    L2Penalty,
    Penalty,
    minimize_on_subspace,
    project_columns_on_l1_ball,
    prox_column_norms,
    soft_threshold,
)
from treatise.optimize.penalties import kept_share, shrunk


@dataclass(frozen=True)
class NonNegativeL1(Penalty):
    """The sum of entries that may not be negative."""

    weight: float

    def value(self, x):
        return self.weight * x.sum() if np.all(x >= 0) else np.inf

    def prox(self, v, rho=1.0):
        return np.maximum(v - self.weight / rho, 0.0)


PENALTIES = [
    L1Penalty(0.6),
    L1Penalty(np.array([0.0, 0.2, 5.0, 0.6, 0.6, 0.1])),
    L2Penalty(0.7),
    GroupPenalty(0.6, np.array([0, 1, 4, 4, 6])),
    BoxConstraint(-0.3, 0.8),
    NonNegativeL1(0.4),
]


@pytest.mark.parametrize("penalty", PENALTIES, ids=lambda penalty: type(penalty).__name__)
@pytest.mark.parametrize("rho", [0.5, 3.0])
def test_no_direction_improves_the_operator_of_a_penalty(penalty, rho):
    rng = np.random.default_rng(0)
    for v in rng.standard_normal((5, 6)):
        best = penalty.prox(v, rho)
        least = penalty.value(best) + rho / 2 * np.sum((best - v) ** 2)
        assert np.isfinite(least)
        for _ in range(200):
            other = best + rng.standard_normal(6) * 10.0 ** rng.uniform(-6, 0)
            assert penalty.value(other) + rho / 2 * np.sum((other - v) ** 2) >= least - 1e-14


def test_column_norms_are_those_of_the_function():
    A = np.random.default_rng(0).standard_normal((6, 5))
    for q in (1, 2, np.inf):
        penalty = ColumnNormPenalty(0.8, q)
        assert penalty.value(A) == pytest.approx(0.8 * np.linalg.norm(A, ord=q, axis=0).sum())
        np.testing.assert_array_equal(penalty.prox(A, 2.0), prox_column_norms(A, 0.4, q))


def test_compiled_formulas_are_those_of_the_classes():
    for v in (-2.0, -0.6, -0.1, 0.0, 0.3, 0.6, 1.7):
        assert shrunk(v, 0.6) == L1Penalty(0.6).prox(np.array([v]))[0]
        one = GroupPenalty(0.6, np.array([0, 1])).prox(np.array([v]))[0]
        assert kept_share(abs(v), 0.6) * v == one == pytest.approx(shrunk(v, 0.6))


def test_a_new_penalty_is_one_class_that_a_proximal_solver_takes():
    """The nearest point to b with a price on its entries, none of which may be negative."""
    b, penalty = np.array([3.0, -1.0, 0.2, 1.0]), NonNegativeL1(0.5)

    def prox(v, rho):
        return np.stack([(b + rho * v[0]) / (1 + rho), penalty.prox(v[1], rho)])

    found = minimize_on_subspace(prox, lambda v: np.stack([v.mean(axis=0)] * 2), np.zeros((2, 4)), tol=1e-10)
    assert found.converged
    np.testing.assert_allclose(found.x[1], [2.5, 0.0, 0.0, 0.5], atol=1e-8)


def test_the_soft_threshold_is_the_best_entry_on_a_fine_grid():
    grid = np.linspace(-4, 4, 80001)
    for a in (-2.5, -0.3, 0.0, 0.7, 3.0):
        cost = (grid - a) ** 2 / 2 + 0.8 * np.abs(grid)
        # The grid's spacing is 1e-4.
        assert soft_threshold(a, 0.8) == pytest.approx(grid[cost.argmin()], abs=1e-4)
    assert not np.signbit(soft_threshold(np.array([-0.1]), 1.0)).any()


@pytest.mark.parametrize("q", [1, 2, np.inf])
@pytest.mark.parametrize("penalty", [0.0, 0.4, 1.5, 100.0])
def test_no_direction_improves_the_column_operator(q, penalty):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((6, 5))

    def cost(X):
        return ((X - A) ** 2).sum() / 2 + penalty * np.linalg.norm(X, ord=q, axis=0).sum()

    best = prox_column_norms(A, penalty, q)
    for _ in range(300):
        step = rng.standard_normal(A.shape) * 10.0 ** rng.uniform(-6, 0)
        assert cost(best + step) >= cost(best)
        assert cost(best * (1 + step[0, 0])) >= cost(best) - 1e-12
    if penalty == 100:
        assert (best == 0).all()
    if penalty == 0:
        np.testing.assert_allclose(best, A, atol=1e-15)


def test_columns_of_a_stack_are_treated_each_alone():
    A = np.random.default_rng(1).standard_normal((3, 4, 5))
    for q in (1, 2, np.inf):
        together = prox_column_norms(A, 0.7, q)
        for matrix, expected in zip(A, together):
            for column in range(5):
                one = prox_column_norms(matrix[:, [column]], 0.7, q)
                np.testing.assert_allclose(one[:, 0], expected[:, column], rtol=1e-14)


def test_the_projection_on_the_l1_ball_is_the_nearest_point():
    rng = np.random.default_rng(2)
    a = rng.standard_normal(4) * 2
    inside = project_columns_on_l1_ball(a[:, None], 1.3)[:, 0]
    split = minimize(
        lambda w: ((w[:4] - w[4:] - a) ** 2).sum(),
        np.full(8, 0.1),
        bounds=[(0, None)] * 8,
        constraints={"type": "ineq", "fun": lambda w: 1.3 - w.sum()},
        options={"ftol": 1e-14},
    ).x
    np.testing.assert_allclose(inside, split[:4] - split[4:], atol=1e-5)  # SLSQP's own precision
    assert np.abs(inside).sum() == pytest.approx(1.3)
    np.testing.assert_array_equal(project_columns_on_l1_ball([[0.1], [-0.2]], 1.0), [[0.1], [-0.2]])
    assert (project_columns_on_l1_ball([[0.1], [-0.2]], 0.0) == 0).all()


def test_an_unknown_norm_is_refused():
    with pytest.raises(ValueError, match="q=3"):
        prox_column_norms(np.eye(2), 1.0, 3)
