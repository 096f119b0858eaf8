"""The dual of machines with an offset, against a general solver and scikit-learn."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC, SVR, OneClassSVM

from treatise.kernels import Gaussian, GramRows
from treatise.optimize import SVMDualProblem, solve_svm_dual

KERNEL = Gaussian(0.5)


@pytest.fixture
def data():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(120, 3))
    return X, np.where(X[:, 0] * X[:, 1] + 0.5 * generator.normal(size=120) > 0, 1.0, -1.0)


def rows_of(X, **limit):
    return GramRows(KERNEL, KERNEL.prepare(X), **limit)


def test_small_problem_equals_a_general_quadratic_program():
    generator = np.random.default_rng(1)
    X = generator.normal(size=(12, 2))
    y = np.where(generator.random(12) < 0.5, -1.0, 1.0)
    upper = generator.uniform(0.2, 2.0, 12)
    Q = KERNEL(X) * np.outer(y, y)
    reference = minimize(
        lambda a: 0.5 * a @ Q @ a - a.sum(),
        np.zeros(12),
        jac=lambda a: Q @ a - 1,
        bounds=[(0, u) for u in upper],
        constraints=LinearConstraint(y, 0, 0),
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    solution = solve_svm_dual(rows_of(X), SVMDualProblem.classification(y, upper), tol=1e-10)
    # SLSQP stops at about the square root of double precision in the variables.
    assert solution.objective == pytest.approx(reference.fun, abs=1e-8)
    assert solution.alpha @ y == pytest.approx(0, abs=1e-12)
    assert np.all(solution.alpha <= upper) and np.all(solution.alpha >= 0)


def test_classification_equals_svc_with_sample_weights(data):
    X, y = data
    weights = np.random.default_rng(2).uniform(0.1, 3.0, len(y))
    peer = SVC(C=2.0, gamma=0.5, tol=1e-8).fit(X, y, sample_weight=weights)
    solution = solve_svm_dual(rows_of(X), SVMDualProblem.classification(y, 2.0 * weights), tol=1e-8)
    # Both stop at a violation of 1e-8 in the scores.
    np.testing.assert_allclose(solution.scores + solution.offset, peer.decision_function(X), atol=1e-5)


def test_regression_equals_svr(data):
    X, _ = data
    target = np.sin(X[:, 0]) + X[:, 2]
    peer = SVR(C=3.0, gamma=0.5, epsilon=0.1, tol=1e-8).fit(X, target)
    solution = solve_svm_dual(rows_of(X), SVMDualProblem.regression(target, 3.0, 0.1), tol=1e-8)
    np.testing.assert_allclose(solution.scores + solution.offset, peer.predict(X), atol=1e-5)
    # No object is pulled up and down at once.
    assert np.all(np.minimum(solution.alpha[:120], solution.alpha[120:]) == 0)


def test_one_class_equals_scikit_learn(data):
    X, _ = data
    peer = OneClassSVM(nu=0.3, gamma=0.5, tol=1e-8).fit(X)
    solution = solve_svm_dual(rows_of(X), SVMDualProblem.one_class(120, 0.3), tol=1e-8)
    np.testing.assert_allclose(solution.scores + solution.offset, peer.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("shrinking", [True, False])
@pytest.mark.parametrize("cache_rows", [2, 40, 400])
def test_solution_depends_neither_on_the_cache_nor_on_shrinking(shrinking, cache_rows):
    generator = np.random.default_rng(3)
    X = generator.normal(size=(400, 2))
    y = np.where(generator.random(400) < 0.5, -1.0, 1.0)
    problem = SVMDualProblem.classification(y, 50.0)
    whole = solve_svm_dual(rows_of(X), problem, tol=1e-6, shrinking=False)
    rows = rows_of(X, cache_bytes=cache_rows * 400 * 8)
    solution = solve_svm_dual(rows, problem, tol=1e-6, shrinking=shrinking)
    assert solution.converged and solution.violation <= 1e-6
    # Two points with violation 1e-6 differ in value by at most that times the summed bounds.
    assert solution.objective == pytest.approx(whole.objective, rel=1e-8)
    np.testing.assert_allclose(solution.scores, KERNEL(X) @ solution.beta, atol=1e-8)


def test_warm_start_from_the_solution_moves_nothing(data):
    X, y = data
    first = solve_svm_dual(rows_of(X), SVMDualProblem.classification(y, 1.0), tol=1e-6)
    again = solve_svm_dual(rows_of(X), SVMDualProblem.classification(y, 1.0, start=first.alpha), tol=1e-6)
    assert again.n_iter == 0
    assert again.offset == pytest.approx(first.offset, abs=1e-6)


def test_callback_sees_rounds_and_can_end_the_work(data):
    X, y = data
    seen = []
    solution = solve_svm_dual(
        rows_of(X),
        SVMDualProblem.classification(y, 1e6),
        tol=1e-9,
        callback=lambda steps, violation: seen.append((steps, violation)) or len(seen) == 2,
    )
    assert [steps for steps, _ in seen] == [1000, 2000]
    assert not solution.converged and solution.n_iter == 2000


def test_most_steps_are_kept(data):
    X, y = data
    solution = solve_svm_dual(rows_of(X), SVMDualProblem.classification(y, 1e6), tol=1e-9, max_iter=17)
    assert solution.n_iter == 17 and not solution.converged


@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_where_one_class_alone_has_a_weight_the_offset_is_its_label(data, label):
    X, y = data
    solution = solve_svm_dual(rows_of(X), SVMDualProblem.classification(y, (y == label).astype(float)))
    # No pair can move, and any offset beyond the label has no slack: the nearest is taken.
    assert not solution.beta.any() and solution.converged
    assert solution.offset == label


def test_wrong_number_of_variables_and_negative_bounds_are_refused(data):
    X, y = data
    with pytest.raises(ValueError, match="119 variables for 120 objects"):
        solve_svm_dual(rows_of(X), SVMDualProblem.classification(y[1:], 1.0))
    with pytest.raises(ValueError, match="must not be negative"):
        solve_svm_dual(rows_of(X), SVMDualProblem.classification(y, -1.0))
    with pytest.raises(ValueError, match="signs must be -1 and 1"):
        solve_svm_dual(rows_of(X), SVMDualProblem.classification(y > 0, 1.0))


def test_targets_of_any_size_are_solved_to_rounding():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=60)
    gram = rbf_kernel(X)
    plain, large = (
        solve_svm_dual(
            GramRows.precomputed(gram),
            SVMDualProblem.regression(unit * y, unit * 10.0, unit * 0.1),
            tol=1e-13,
            max_iter=100_000,
        )
        for unit in (1.0, 1e8)
    )
    assert plain.converged and large.converged and large.n_iter < 10 * plain.n_iter
    np.testing.assert_allclose(large.scores / 1e8, plain.scores, atol=1e-9)
