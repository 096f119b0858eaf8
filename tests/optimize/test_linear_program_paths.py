"""Linear programs for all values of a parameter."""

import numpy as np
import pytest
from scipy.optimize import linprog

from treatise.optimize import l1_constraint_paths, parametric_simplex


def covariance(d, n, seed):
    rng = np.random.default_rng(seed)
    T = np.eye(d) + 0.3 * (np.eye(d, k=1) + np.eye(d, k=-1))
    return np.corrcoef((rng.standard_normal((n, d)) @ np.linalg.cholesky(np.linalg.inv(T)).T).T)


def by_highs(S, b, penalty):
    d = len(b)
    sides = np.concatenate([b + penalty, penalty - b])
    return linprog(np.ones(2 * d), A_ub=np.block([[S, -S], [-S, S]]), b_ub=sides)


@pytest.mark.parametrize(("d", "n"), [(12, 200), (40, 200), (40, 25)])
def test_the_path_is_optimal_and_feasible_wherever_it_is_asked(d, n):
    S = covariance(d, n, d + n)
    for column in (0, d // 2):
        b = np.eye(d)[column]
        path = l1_constraint_paths(S, b, lowest=0.04)
        for penalty in (0.7, 0.3, 0.1, 0.05):
            theirs = by_highs(S, b, penalty)
            if penalty < path.breakpoints[-1]:
                assert path.status == "infeasible" and theirs.status == 2
                continue
            x = path.at(penalty)
            # HiGHS works to 1e-7; ours to rounding times the condition of a basis.
            assert np.abs(x).sum() == pytest.approx(theirs.fun, rel=1e-7)
            assert np.abs(S @ x - b).max() <= penalty + 1e-9


def test_the_closed_form_of_two_variables():
    first, second = l1_constraint_paths(np.array([[1.0, 0.5], [0.5, 1.0]]))
    np.testing.assert_allclose(first.breakpoints, [1, 1 / 3, 0], atol=1e-12)
    for penalty in (0.9, 0.5, 0.34):
        np.testing.assert_allclose(first.at(penalty), [1 - penalty, 0], atol=1e-12)
    for penalty in (0.3, 0.1, 0.0):
        np.testing.assert_allclose(first.at(penalty), [4 / 3 - 2 * penalty, 2 * penalty - 2 / 3], atol=1e-12)
        np.testing.assert_allclose(second.at(penalty), first.at(penalty)[::-1], atol=1e-12)
    assert not first.at(1.0).any() and not first.at(5.0).any()


def test_the_end_of_the_path_is_the_inverse_and_the_identity_is_shrunk():
    S = covariance(15, 300, 0)
    ends = np.column_stack([path.at(0.0) for path in l1_constraint_paths(S)])
    np.testing.assert_allclose(ends, np.linalg.inv(S), atol=1e-8)
    for column, path in enumerate(l1_constraint_paths(np.eye(4))):
        np.testing.assert_allclose(path.at(0.3), 0.7 * np.eye(4)[column], atol=1e-12)


def test_every_breakpoint_has_its_certificate_and_the_path_is_continuous():
    for path in l1_constraint_paths(covariance(30, 60, 1), lowest=0.05):
        assert path.gap < 1e-9
        assert (np.diff(path.breakpoints) < 0).all()
        assert (np.diff(path.norms) >= -1e-9).all()
        # The norm is convex in the penalty: its slope falls as the penalty rises.
        slopes = np.diff(path.norms) / np.diff(path.breakpoints)
        assert (np.diff(slopes) <= 1e-6).all()
        for q in (1, len(path.breakpoints) // 2):
            at = path.breakpoints[q]
            np.testing.assert_allclose(path.at(at * (1 + 1e-10)), path.at(at * (1 - 1e-10)), atol=1e-6)


def test_repeated_and_dependent_variables_end_where_no_solution_is():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 30))
    X[:, 1] = X[:, 0]
    S = np.corrcoef(X.T)
    S = (S + S.T) / 2
    paths = l1_constraint_paths(S, lowest=0.02)
    # Two equal rows cannot be one and zero at once by less than a half.
    assert paths[0].status == "infeasible" and paths[0].breakpoints[-1] == pytest.approx(0.5)
    for column in (0, 5, 29):
        end = paths[column].breakpoints[-1]
        assert by_highs(S, np.eye(30)[column], 0.97 * end).status == 2
        assert by_highs(S, np.eye(30)[column], 1.03 * end).status == 0
        with pytest.raises(ValueError, match="no solution exists there"):
            paths[column].at(0.5 * end)


@pytest.mark.parametrize(("n", "d", "seed", "column"), [(100, 300, 0, 180), (150, 300, 2, 204)])
def test_the_path_ends_at_the_least_penalty_that_has_a_solution_when_columns_outnumber_rows(n, d, seed, column):
    # Up to the rank of S the basis grows; a pivot on rounding beyond it would lead anywhere.
    S = np.corrcoef(np.random.default_rng(seed).standard_normal((n, d)).T)
    S, b = (S + S.T) / 2, np.eye(d)[column]
    slack = np.ones((d, 1))
    least = linprog(
        np.append(np.zeros(2 * d), 1.0),
        A_ub=np.block([[S, -S, -slack], [-S, S, -slack]]),
        b_ub=np.concatenate([b, -b]),
    )
    path = l1_constraint_paths(S, b)
    assert path.status == "infeasible"
    assert path.breakpoints[-1] == pytest.approx(least.fun, abs=1e-10)
    assert path.gap < 1e-9


def test_random_programs_end_as_highs_says():
    rng = np.random.default_rng(0)
    seen = set()
    for number in range(200):
        m, n = rng.integers(1, 9, 2)
        A, b, c = rng.standard_normal((m, n)), rng.standard_normal(m) + rng.choice([0, 1]), rng.standard_normal(n)
        if number % 3 == 0:  # whole numbers make ties
            A, b, c = np.round(A), np.round(b), np.round(c)
        theirs = linprog(-c, A_ub=A, b_ub=b)
        ours = parametric_simplex(A, b, c)
        seen.add(ours.status)
        if theirs.status == 0:
            assert ours.status == "optimal"
            assert ours.objective(0.0) == pytest.approx(-theirs.fun, abs=1e-8)
            assert (A @ ours.at(0.0) <= b + 1e-8).all() and (ours.at(0.0) >= -1e-9).all()
        else:  # a program may be infeasible, and its dual too
            assert ours.status in ("infeasible", "unbounded")
    assert seen == {"optimal", "infeasible", "unbounded"}


def test_the_solution_is_optimal_for_every_value_of_the_parameter():
    rng = np.random.default_rng(1)
    A, b, c = rng.uniform(0, 1, (6, 5)), rng.standard_normal(6), rng.standard_normal(5)
    b_change, c_change = np.where(b < 0, 2.0, 0.5), np.where(c > 0, -1.0, 0.0)
    path = parametric_simplex(A, b, c, b_change, c_change)
    for parameter in (5.0, 1.0, 0.6, float(path.breakpoints[-1])):
        theirs = linprog(-(c + parameter * c_change), A_ub=A, b_ub=b + parameter * b_change)
        assert path.objective(parameter) == pytest.approx(-theirs.fun, abs=1e-8)


def test_bad_programs_are_refused():
    with pytest.raises(ValueError, match="b needs 1 entries and c 2"):
        parametric_simplex([[1.0, 2.0]], [1.0, 2.0], [1.0, 1.0])
    with pytest.raises(ValueError, match="must not be negative and c_change not positive"):
        parametric_simplex([[1.0]], [1.0], [1.0], b_change=[-1.0])
    with pytest.raises(ValueError, match="a negative b needs a positive b_change"):
        parametric_simplex([[1.0]], [-1.0], [1.0], b_change=[0.0])
    with pytest.raises(ValueError, match="symmetric"):
        l1_constraint_paths(np.array([[1.0, 2.0], [0.0, 1.0]]))
    with pytest.raises(ValueError, match="must not be negative"):
        l1_constraint_paths(np.eye(2), lowest=-1)
    with pytest.raises(ValueError, match=r"the path ends at .* infeasible"):
        parametric_simplex([[-1.0], [1.0]], [-2.0, 1.0], [1.0]).at(0.0)
