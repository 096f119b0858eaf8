"""Non-negative least squares for many columns."""

import warnings

import numpy as np
import pytest
from scipy.optimize import nnls
from sklearn.exceptions import ConvergenceWarning

from treatise.optimize import nonnegative_kkt_residual, nonnegative_least_squares


@pytest.mark.parametrize("n_coordinates", [1, 2, 7, 40])
def test_every_column_equals_the_active_set_solution(n_coordinates):
    rng = np.random.default_rng(n_coordinates)
    # 150 columns: more than two of the blocks that are swept together.
    a, b = rng.standard_normal((60, n_coordinates)), rng.standard_normal((60, 150))
    solution = nonnegative_least_squares(a.T @ a, a.T @ b)
    expected = np.array([nnls(a, column)[0] for column in b.T]).T
    # The normal equations square the condition number, which is about 10 here.
    np.testing.assert_allclose(solution, expected, atol=1e-11)


def test_correlated_coordinates_are_solved_exactly():
    rng = np.random.default_rng(0)
    a = rng.random((80, 30)) + 3.0
    b = a @ np.maximum(rng.standard_normal((30, 50)), 0) + rng.standard_normal((80, 50))
    solution = nonnegative_least_squares(a.T @ a, a.T @ b)
    slope = a.T @ (a @ solution - b)
    # Optimality: no slope points down, and none is left where the coordinate is positive.
    assert slope.min() > -1e-8 and np.abs(slope[solution > 0]).max() < 1e-8


def test_singular_problems_reach_the_lowest_error():
    rng = np.random.default_rng(1)
    a = rng.random((20, 4))
    a = np.column_stack([a, a[:, 0], a @ rng.random(4), np.zeros(20)])
    b = rng.random((20, 30))
    solution = nonnegative_least_squares(a.T @ a, a.T @ b)
    errors = np.linalg.norm(a @ solution - b, axis=0)
    np.testing.assert_allclose(errors, [nnls(a, column)[1] for column in b.T], rtol=1e-6)
    assert solution.min() >= 0


def test_large_batches_in_threads_equal_single_columns():
    rng = np.random.default_rng(2)
    a, b = rng.random((50, 20)), rng.random((50, 5000))
    together = nonnegative_least_squares(a.T @ a, a.T @ b)
    for i in (0, 2500, 4999):
        alone = nonnegative_least_squares(a.T @ a, a.T @ b[:, [i]])
        np.testing.assert_allclose(together[:, [i]], alone, atol=1e-10)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"gram has the shape \(2, 2\).*must be \(3, 3\)"):
        nonnegative_least_squares(np.eye(2), np.ones((3, 1)))


def test_columns_that_descent_leaves_short_are_finished_and_told_where_that_fails(monkeypatch):
    rng = np.random.default_rng(0)
    a = rng.normal(size=(40, 1)) + 0.1 * rng.normal(size=(40, 12))
    gram, cross = a.T @ a, a.T @ rng.normal(size=(40, 30))
    monkeypatch.setattr("treatise.optimize.nnls.pivot_columns", lambda *problem: None)  # as where it gives all up
    solution = nonnegative_least_squares(gram, cross, max_iter=1)
    assert nonnegative_kkt_residual(gram, cross, solution).max() < 1e-10

    def cycles(*problem):
        raise RuntimeError

    monkeypatch.setattr("treatise.optimize.nnls.nnls", cycles)
    with pytest.warns(ConvergenceWarning, match="8 columns .* neither descent nor active sets"):
        nonnegative_least_squares(gram, cross, max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nonnegative_least_squares(gram, cross, max_iter=10_000)


def test_many_more_coordinates_than_their_rank_are_solved():
    rng = np.random.default_rng(4)
    a, b = rng.random((8, 46)), rng.random((8, 100))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solution = nonnegative_least_squares(a.T @ a, a.T @ b)
    assert nonnegative_kkt_residual(a.T @ a, a.T @ b, solution).max() < 1e-6


def test_certificate_tells_optimal_columns_from_others():
    rng = np.random.default_rng(3)
    a = rng.standard_normal((30, 8))
    b = a @ rng.random((8, 20)) + rng.standard_normal((30, 20))  # so that no solution is zero
    gram, cross = a.T @ a, a.T @ b
    solution = nonnegative_least_squares(gram, cross)
    assert nonnegative_kkt_residual(gram, cross, solution).max() < 1e-12
    for wrong in (solution + 1e-3, 0.99 * solution, solution - 1e-3):
        assert nonnegative_kkt_residual(gram, cross, wrong).min() > 1e-5


def test_certificate_holds_for_any_of_several_solutions():
    a = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    gram, cross = a.T @ a, a.T @ np.array([[2.0, 2.0, 2.0], [-1.0, -1.0, -1.0]])
    several = np.array([[2.0, 0.0, 0.5], [0.0, 2.0, 1.5], [0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(nonnegative_kkt_residual(gram, cross, several), 0.0)
