"""Sparse Cholesky factors and selected inverses against dense ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from treatise.optimize import CholeskyPlan, fill_reducing_order


def second_order_grid(rows, columns, ridge=1e-2):
    """The square of a grid's Laplacian, and a little on the diagonal."""

    def line(n):
        return sparse.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])

    laplacian = sparse.kron(line(rows), sparse.eye_array(columns)) + sparse.kron(sparse.eye_array(rows), line(columns))
    return sparse.csr_array(laplacian @ laplacian + ridge * sparse.eye_array(rows * columns))


def random_positive(n, density, seed):
    A = sparse.random_array((n, n), density=density, rng=np.random.default_rng(seed))
    return sparse.csr_array(A @ A.T + sparse.eye_array(n))


def band(n, width):
    off = [np.full(n - k, -1.0) for k in range(1, width + 1)]
    upper = sparse.diags_array(off, offsets=range(1, width + 1))
    return sparse.csr_array(upper + upper.T + (2 * width + 1) * sparse.eye_array(n))


def arrow(n):
    """A coefficient that all observations share: its row is full."""
    matrix = sparse.lil_array(sparse.eye_array(n) * n)
    matrix[n // 2, :] = matrix[:, n // 2] = 0.5
    matrix[n // 2, n // 2] = n
    return sparse.csr_array(matrix)


MATRICES = {
    "grid": second_order_grid(12, 17),
    "no edges": sparse.csr_array(np.diag(np.arange(1.0, 6.0))),
    "all edges": sparse.csr_array(np.ones((70, 70)) + np.eye(70)),
    "one": sparse.csr_array([[4.0]]),
    "band": band(150, 3),
    "arrow": arrow(400),
    "two parts": sparse.block_diag([second_order_grid(4, 4), band(9, 2)], format="csr"),
}


def assert_equals_dense(matrix, plan=None):
    dense = matrix.toarray()
    plan = CholeskyPlan(matrix) if plan is None else plan
    factor, inverse = plan.factor(matrix), np.linalg.inv(dense)
    right = np.random.default_rng(1).normal(size=(len(dense), 3))
    scale = np.abs(inverse).max()
    np.testing.assert_allclose(factor.solve(right), inverse @ right, atol=1e-10 * scale * len(dense))
    np.testing.assert_allclose(factor.solve(right[:, 0]), inverse @ right[:, 0], atol=1e-10 * scale * len(dense))
    np.testing.assert_allclose(factor.log_determinant, np.linalg.slogdet(dense)[1], rtol=1e-11, atol=1e-11)
    half = factor.color(np.eye(len(dense)))
    np.testing.assert_allclose(half @ half.T, inverse, atol=1e-11 * scale)
    selected = factor.selected_inverse()
    np.testing.assert_allclose(selected.diagonal(), np.diag(inverse), atol=1e-11 * scale)
    np.testing.assert_allclose(selected.on_pattern(), inverse[plan.rows, plan.columns], atol=1e-11 * scale)


@pytest.mark.parametrize("name", list(MATRICES))
def test_everything_equals_dense_algebra(name):
    assert_equals_dense(MATRICES[name])


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 60), st.floats(0.0, 0.3), st.integers(0, 10_000))
def test_random_patterns_equal_dense_algebra(n, density, seed):
    assert_equals_dense(random_positive(n, density, seed))


def test_the_order_names_every_variable_once_and_any_order_gives_the_same_numbers():
    matrix = MATRICES["grid"]
    for seed in range(3):
        shuffled = np.random.default_rng(seed).permutation(matrix.shape[0])
        assert_equals_dense(matrix, CholeskyPlan(matrix, shuffled))
    order = fill_reducing_order(matrix)
    np.testing.assert_array_equal(np.sort(order), np.arange(matrix.shape[0]))


def test_a_plan_serves_other_values_in_the_same_places():
    matrix = MATRICES["grid"]
    plan = CholeskyPlan(matrix)
    for seed in range(3):
        extra = sparse.diags_array(np.random.default_rng(seed).random(matrix.shape[0]))
        assert_equals_dense(sparse.csr_array(matrix + extra), plan)
    assert_equals_dense(sparse.csr_array(sparse.diags_array(matrix.diagonal())), plan)  # fewer entries


def test_the_inverse_of_a_grid_of_900_cells_is_exact_to_ten_digits():
    matrix = second_order_grid(30, 30)
    found = CholeskyPlan(matrix).factor(matrix).selected_inverse().diagonal()
    np.testing.assert_allclose(found, np.diag(np.linalg.inv(matrix.toarray())), rtol=0, atol=1e-10)


@pytest.mark.parametrize("matrix", [second_order_grid(60, 60), band(3000, 1), band(2000, 4)], ids=["grid", "1", "4"])
def test_the_selected_inverse_needs_at_most_three_times_the_memory_of_the_factor(matrix):
    plan = CholeskyPlan(matrix)
    # What it stores, and what waits while it is made.
    assert plan.n_stored + plan.n_working <= 3 * plan.n_entries


def entries_of_factor(matrix):
    """Entries of a dense factor in the order of the rows as they come."""
    return np.count_nonzero(np.abs(np.linalg.cholesky(matrix.toarray())) > 0)


def test_the_order_fills_fewer_zeros_than_rows_as_they_come_and_counts_are_those_of_a_dense_factor():
    matrix = second_order_grid(24, 24)
    plan = CholeskyPlan(matrix)
    in_order = CholeskyPlan(matrix, np.arange(matrix.shape[0]))
    assert in_order.n_entries == entries_of_factor(matrix)
    assert plan.n_entries < 0.7 * in_order.n_entries
    # A star and a path fill nothing at all.
    for thin in (arrow(400), band(500, 1)):
        assert CholeskyPlan(thin).n_entries == (thin.nnz + thin.shape[0]) // 2


def test_a_matrix_that_is_not_positive_definite_is_refused_with_the_variable():
    matrix = sparse.csr_array(np.diag([1.0, 2.0, -1.0, 3.0]))
    with pytest.raises(np.linalg.LinAlgError, match="variable 2"):
        CholeskyPlan(matrix).factor(matrix)
    singular = sparse.csr_array(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        CholeskyPlan(singular).factor(singular)


def test_entries_outside_of_the_pattern_and_wrong_shapes_are_refused():
    matrix = MATRICES["two parts"]
    plan = CholeskyPlan(matrix)
    with pytest.raises(ValueError, match=r"\(20, 1\) is not among"):
        plan.factor(matrix).selected_inverse().entries([20], [1])
    with pytest.raises(ValueError, match="is not among those of the factor"):
        plan.factor(sparse.csr_array(np.ones((25, 25))))
    with pytest.raises(ValueError, match="square"):
        CholeskyPlan(sparse.csr_array(np.ones((2, 3))))
    with pytest.raises(ValueError, match="each of the numbers 0 to 24 once"):
        CholeskyPlan(matrix, np.zeros(25))
    with pytest.raises(ValueError, match="the pattern has"):
        plan.factor(np.ones(3))
