"""Alternating directions against closed forms."""

import numpy as np
import pytest

from treatise.optimize import minimize_on_subspace, soft_threshold


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
