"""Proximal operators against their definitions, and alternating directions against closed forms."""

import numpy as np
import pytest
from scipy.optimize import minimize

from treatise.optimize import (
    minimize_on_subspace,
    project_columns_on_l1_ball,
    prox_column_norms,
    soft_threshold,
)


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


@pytest.mark.parametrize("first_rho", [1e-4, 1.0, 1e4])
def test_alternation_finds_the_lasso_from_any_first_step_length(first_rho):
    """Lasso with an orthonormal design has a closed form; a bad first rho must be balanced away."""
    rng = np.random.default_rng(0)
    b = rng.standard_normal(50) * 100

    def prox(v, rho):
        return np.stack([(b + rho * v[0]) / (1 + rho), soft_threshold(v[1], 30.0 / rho)])

    found = minimize_on_subspace(
        prox, lambda v: np.stack([v.mean(axis=0)] * 2), np.zeros((2, 50)), rho=first_rho, tol=1e-9, max_iter=500
    )
    assert found.converged
    np.testing.assert_allclose(found.x[1], soft_threshold(b, 30.0), atol=1e-5)
    # Prices of the equations are minus the slopes of the functions at the solution.
    np.testing.assert_allclose(found.dual[0], b - found.x[0], atol=1e-4)


def test_a_solution_restarted_is_a_solution_and_a_short_run_says_so():
    b = np.array([3.0, -1.0, 0.2])

    def prox(v, rho):
        return np.stack([(b + rho * v[0]) / (1 + rho), soft_threshold(v[1], 0.5 / rho)])

    def project(v):
        return np.stack([v.mean(axis=0)] * 2)

    short = minimize_on_subspace(prox, project, np.zeros((2, 3)), tol=1e-10, max_iter=2)
    assert not short.converged
    assert short.n_iter == 2
    found = minimize_on_subspace(prox, project, np.zeros((2, 3)), tol=1e-10)
    again = minimize_on_subspace(prox, project, found.y, dual=found.dual, rho=found.rho, tol=1e-9)
    assert again.n_iter < 4 < found.n_iter
