"""Preconditioned L-BFGS and OWL-QN."""

import numpy as np
import pytest

from treatise.optimize import minimize_lbfgs


def quadratic(d, seed=0, spread=100.0):
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.normal(size=(d, d)))[0]
    A = (basis * np.geomspace(1.0, spread, d)) @ basis.T
    b = rng.normal(size=d)
    return (lambda w: (0.5 * w @ A @ w - b @ w, A @ w - b)), A, b


def test_minimum_of_a_quadratic_is_that_of_the_linear_system():
    objective, A, b = quadratic(30)
    end = minimize_lbfgs(objective, np.zeros(30), gradient_tolerance=1e-10, max_iter=500)
    assert end.status == "gradient"
    # The least eigenvalue is 1, so that a gradient of 1e-10 leaves at most some 1e-10 in w.
    np.testing.assert_allclose(end.w, np.linalg.solve(A, b), atol=1e-9)


def test_objective_never_rises():
    objective, _, _ = quadratic(40, seed=3)
    end = minimize_lbfgs(objective, np.ones(40), max_iter=200)
    assert np.all(np.diff(end.path) <= 1e-13 * np.abs(end.path[:-1]))


def test_jacobi_preconditioner_saves_iterations_on_badly_scaled_coordinates():
    scales = np.geomspace(1e-3, 1e3, 50)
    objective = lambda w: (float(np.sum(np.log(np.cosh(scales * w - 1)))), scales * np.tanh(scales * w - 1))  # noqa: E731
    plain = minimize_lbfgs(objective, np.zeros(50), max_iter=2000)
    curved = scales**2 / np.cosh(1.0) ** 2
    preconditioned = minimize_lbfgs(objective, np.zeros(50), diagonal=curved, max_iter=2000)
    assert preconditioned.status == "gradient"
    assert preconditioned.iteration < 0.5 * plain.iteration


def test_first_step_has_the_length_that_the_curvature_says():
    objective, A, b = quadratic(5)
    seen = []
    along = lambda w, v: float(v @ A @ v)  # noqa: E731
    minimize_lbfgs(
        lambda w: (seen.append(w.copy()), objective(w))[1],
        np.zeros(5),
        diagonal=np.ones(5),
        curvature=along,
        max_iter=1,
    )
    # Along the gradient b from 0 the minimum is at b'b / b'Ab.
    np.testing.assert_allclose(seen[1], b * (b @ b) / (b @ A @ b), rtol=1e-12)


def test_run_taken_up_from_its_state_ends_in_the_same_bits():
    objective, _, _ = quadratic(25, seed=5)
    whole = minimize_lbfgs(objective, np.zeros(25), max_iter=20, memory=5)
    half = minimize_lbfgs(objective, np.zeros(25), max_iter=9, memory=5)
    resumed = minimize_lbfgs(objective, np.zeros(25), max_iter=20, memory=5, state=half)
    np.testing.assert_array_equal(resumed.w, whole.w)
    assert resumed.path == whole.path
    assert resumed.evaluations == whole.evaluations


def test_orthant_wise_form_meets_the_optimality_conditions_and_sets_weights_to_zero():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(80, 30)), rng.normal(size=80)
    l1 = np.full(30, 8.0)
    l1[:2] = 0.0
    objective = lambda w: (0.5 * float(np.sum((X @ w - y) ** 2)), X.T @ (X @ w - y))  # noqa: E731
    end = minimize_lbfgs(objective, np.zeros(30), l1=l1, gradient_tolerance=1e-8, max_iter=1000)
    gradient = objective(end.w)[1]
    zero = end.w == 0
    assert 5 < zero.sum() < 28
    assert not zero[:2].any()
    assert np.all(np.abs(gradient[zero]) <= l1[zero] + 1e-8)
    np.testing.assert_allclose(gradient[~zero], -(l1 * np.sign(end.w))[~zero], atol=1e-7)


def test_single_precision_memory_reaches_the_same_minimum():
    objective, A, b = quadratic(30)
    end = minimize_lbfgs(objective, np.zeros(30), gradient_tolerance=1e-9, max_iter=500, history_dtype=np.float32)
    assert end.steps[0].dtype == np.float32
    np.testing.assert_allclose(end.w, np.linalg.solve(A, b), atol=1e-8)


def test_kink_ends_the_run_instead_of_looping():
    end = minimize_lbfgs(lambda w: (float(np.abs(w).sum()), np.sign(w) + (w == 0)), np.array([1.0, -3.0]), max_iter=500)
    assert end.status in ("stalled", "running")
    assert end.value < 4.0


def test_start_without_a_finite_value_is_refused():
    with pytest.raises(ValueError, match="the objective is nan at the start"):
        minimize_lbfgs(lambda w: (np.nan, w), np.zeros(2))
