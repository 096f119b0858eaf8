"""The graphical lasso with a penalty for every entry."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.covariance import graphical_lasso

from treatise.optimize import graphical_lasso_penalty_limit, logdet_prox, solve_graphical_lasso


def correlations(p, n, seed):
    rng = np.random.default_rng(seed)
    T = np.eye(p) * 1.5
    for i in range(p - 1):
        T[i, i + 1] = T[i + 1, i] = rng.uniform(-0.6, 0.6)
    X = rng.standard_normal((n, p)) @ np.linalg.cholesky(np.linalg.inv(T)).T
    return np.corrcoef(X.T)


def objective(S, penalty, T):
    price = np.where(np.isfinite(penalty), penalty, 0.0)
    return -np.linalg.slogdet(T)[1] + np.vdot(S, T) + (price * np.abs(T)).sum()


def kkt_violation(S, penalty, T):
    """Largest violation of S - inv(T) + penalty * sign(T) = 0, and of its interval where T is zero."""
    slope = S - np.linalg.inv(T)
    finite = np.isfinite(penalty)
    at_zero = np.maximum(np.abs(slope) - penalty, 0.0)
    elsewhere = np.abs(slope + np.where(finite, penalty, 0.0) * np.sign(T))
    return np.where(finite, np.where(T == 0, at_zero, elsewhere), np.where(T == 0, 0.0, np.inf)).max()


@pytest.mark.parametrize("n", [15, 200])
@pytest.mark.parametrize("seed", range(5))
def test_optimality_conditions_hold_for_a_price_on_every_entry(n, seed):
    S = correlations(20, n, seed)
    rng = np.random.default_rng(seed)
    penalty = rng.uniform(0.05, 0.3, (20, 20))
    penalty[rng.random((20, 20)) < 0.2] = np.inf
    penalty = np.maximum(penalty, penalty.T)
    np.fill_diagonal(penalty, rng.uniform(0, 0.1, 20))
    found = solve_graphical_lasso(S, penalty, tol=1e-12)
    # The gap is quadratic in the distance to the optimum, so a gap of 1e-12 leaves about 1e-6.
    assert kkt_violation(S, penalty, found.precision) < 1e-5
    np.testing.assert_allclose(found.covariance @ found.precision, np.eye(20), atol=1e-9)
    assert found.objective == pytest.approx(objective(S, penalty, found.precision), abs=1e-9)
    assert found.converged and found.gap <= 1e-12


def test_equals_scikit_learn_where_that_converges():
    S = correlations(15, 100, 3)
    theirs = graphical_lasso(S, 0.1, tol=1e-10, enet_tol=1e-10, max_iter=1000)[1]
    np.testing.assert_allclose(solve_graphical_lasso(S, 0.1).precision, theirs, atol=1e-4)


def test_no_neighbour_of_the_solution_is_better():
    S, penalty = correlations(3, 30, 1), np.array([[0.1, 0.2, 0.05], [0.2, 0.0, np.inf], [0.05, np.inf, 0.3]])

    def cost(entries):
        T = np.array([[entries[0], entries[3], entries[4]], [entries[3], entries[1], 0], [entries[4], 0, entries[2]]])
        return objective(S, penalty, T) if np.linalg.eigvalsh(T)[0] > 1e-9 else 1e9

    least = minimize(
        cost, [1, 1, 1, 0, 0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 9999}
    )
    # The simplex search is exact to its own tolerance on a kinked function.
    assert solve_graphical_lasso(S, penalty).objective == pytest.approx(least.fun, abs=1e-6)


def test_the_gap_bounds_the_distance_to_the_minimum():
    S = correlations(30, 20, 0)
    exact = solve_graphical_lasso(S, 0.1, tol=1e-12)
    for steps in range(1, 8):
        rough = solve_graphical_lasso(S, 0.1, max_iter=steps, tol=1e-12)
        assert rough.objective - exact.objective <= rough.gap + 1e-10
        assert not rough.converged or rough.gap <= 1e-12


def test_blocks_are_the_components_of_the_thresholded_covariance():
    S = np.eye(8)
    for first in (0, 4):
        block = correlations(4, 30, first)
        S[first : first + 4, first : first + 4] = block
    S[:4, 4:] = S[4:, :4] = 0.03
    found = solve_graphical_lasso(S, 0.05)
    assert (found.blocks[:4] != found.blocks[4]).all()
    assert not found.precision[:4, 4:].any()
    penalty = np.full((8, 8), 0.05)
    np.fill_diagonal(penalty, 0.0)
    assert kkt_violation(S, penalty, found.precision) < 1e-4


def test_a_start_saves_steps_and_does_not_change_the_solution():
    S = correlations(40, 60, 2)
    near = solve_graphical_lasso(S, 0.11)
    cold, warm = solve_graphical_lasso(S, 0.1), solve_graphical_lasso(S, 0.1, start=near.precision)
    assert warm.n_iter < cold.n_iter
    np.testing.assert_allclose(warm.precision, cold.precision, atol=1e-4)
    bad = solve_graphical_lasso(S, 0.1, start=-np.eye(40))
    np.testing.assert_allclose(bad.precision, cold.precision, atol=1e-4)


def test_at_the_limit_the_graph_is_empty_and_just_below_it_is_not():
    S = correlations(10, 50, 4)
    limit = graphical_lasso_penalty_limit(S)
    assert np.count_nonzero(solve_graphical_lasso(S, limit).precision) == 10
    assert np.count_nonzero(solve_graphical_lasso(S, 0.99 * limit).precision) > 10


def test_converges_on_a_singular_covariance_where_block_descent_does_not():
    X = np.random.default_rng(0).standard_normal((10, 60))
    X[:, 1] = X[:, 0]
    S = np.corrcoef(X.T)
    found = solve_graphical_lasso(S, 0.05)
    assert found.converged
    assert np.linalg.eigvalsh(found.precision)[0] > 0


def test_the_step_of_the_log_determinant_solves_its_equation():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((3, 6, 6))
    A = A + np.swapaxes(A, 1, 2)
    A[0] -= 1e6 * np.eye(6)
    steps = np.array([0.1, 1.0, 7.0])
    for X, a, step in zip(logdet_prox(A, steps), A, steps):
        assert np.linalg.eigvalsh(X)[0] > 0
        # X - A = step * inv(X); relative to the size of A, whose rounding enters.
        np.testing.assert_allclose(X - a, step * np.linalg.inv(X), atol=1e-9 * np.abs(a).max())
    np.testing.assert_allclose(logdet_prox(A[1], 1.0), logdet_prox(A, steps)[1])


def test_bad_matrices_and_penalties_are_refused():
    S = np.eye(3)
    with pytest.raises(ValueError, match="square"):
        solve_graphical_lasso(np.ones((2, 3)), 0.1)
    with pytest.raises(ValueError, match=r"symmetric; S\[0, 1\]=1"):
        solve_graphical_lasso(np.array([[1.0, 1.0], [0.0, 1.0]]), 0.1)
    with pytest.raises(ValueError, match="not finite"):
        solve_graphical_lasso(np.array([[np.nan]]), 0.1)
    with pytest.raises(ValueError, match="must not be negative"):
        solve_graphical_lasso(S, -0.1)
    with pytest.raises(ValueError, match="symmetric matrix of the shape"):
        solve_graphical_lasso(S, np.ones((2, 2)))
    with pytest.raises(ValueError, match="variable 1 has no variance"):
        solve_graphical_lasso(np.diag([1.0, 0.0, 1.0]), 0.1)
    with pytest.raises(ValueError, match="grows without end; raise the penalty"):
        solve_graphical_lasso(np.ones((2, 2)), 0.0)
