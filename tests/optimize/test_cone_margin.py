"""Column generation for l1 objectives under cones, against the whole programme and closed forms."""

import clarabel
import numpy as np
import pytest
from scipy import sparse

from treatise.optimize import NormCondition, minimize_l1_cone_margin


def whole_programme(direction, conditions):
    """All columns at once, with w = u - v, by Clarabel: objective and weights."""
    p, q = len(direction), len(conditions)
    cost = np.concatenate([np.ones(2 * p), np.zeros(q)])
    rows = [np.hstack([-np.eye(2 * p), np.zeros((2 * p, q))]), np.r_[-direction, direction, np.ones(q)][None]]
    rows.append(np.hstack([np.zeros((q, 2 * p)), -np.eye(q)]))
    right = [np.zeros(2 * p), [0.0], [-c.floor for c in conditions]]
    cones = [clarabel.NonnegativeConeT(2 * p + 1 + q)]
    for i, c in enumerate(conditions):
        F = c.scale * c.matrix
        block = np.zeros((len(F) + 1, 2 * p + q))
        block[0, 2 * p + i] = -1.0
        block[1:, : 2 * p] = np.hstack([-F, F])
        rows.append(block)
        right.append(np.zeros(len(block)))
        cones.append(clarabel.SecondOrderConeT(len(block)))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    left = sparse.csc_array(np.vstack(rows))
    empty = sparse.csc_array((2 * p + q, 2 * p + q))
    answer = clarabel.DefaultSolver(empty, cost, left, np.concatenate(right), cones, settings).solve()
    x = np.asarray(answer.x)
    return answer.status, x[:p] - x[p : 2 * p]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("p, m", [(5, 40), (60, 15), (200, 20)])
def test_solution_is_that_of_the_whole_programme(seed, p, m):
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=p)
    matrices = [rng.normal(size=(m, p)) / np.sqrt(m) for _ in range(3)]
    largest = np.sqrt(direction @ np.linalg.lstsq(sum(M.T @ M for M in matrices), direction, rcond=None)[0])
    scale = min(0.4 * largest, 2.0)
    conditions = [
        NormCondition(matrices[0], scale, 1.0), NormCondition(matrices[1], 0.7 * scale, 0.5),
        NormCondition(matrices[2], 0.1 * scale),
    ]  # fmt: skip
    status, w = whole_programme(direction, conditions)
    assert status == clarabel.SolverStatus.Solved
    found = minimize_l1_cone_margin(direction, conditions)
    assert found.converged and found.feasible
    assert found.objective == pytest.approx(np.abs(w).sum(), rel=1e-6)
    np.testing.assert_allclose(found.weights, w, atol=1e-4 * np.abs(w).max())
    assert found.violation <= 1e-8 and abs(found.gap) <= 1e-8
    assert found.lower_bound <= found.objective * (1 + 1e-10)
    np.testing.assert_allclose(found.terms, [c(found.weights) for c in conditions], rtol=1e-12)


def test_without_norms_the_largest_entry_takes_all():
    direction = np.array([0.3, -2.0, 1.9])
    found = minimize_l1_cone_margin(direction, [NormCondition(np.eye(3), 0.0, 1.0), NormCondition(np.eye(3), 0.0, 1.0)])
    np.testing.assert_allclose(found.weights, [0.0, -1.0, 0.0], atol=1e-9)
    assert found.objective == pytest.approx(1.0, abs=1e-9)


def test_what_cannot_be_met_is_told_and_what_just_can_is_solved():
    direction = np.array([1.0, 1.0])
    for scale, feasible in ((1.40, True), (1.42, False)):  # the largest ratio is the root of two
        found = minimize_l1_cone_margin(direction, [NormCondition(np.eye(2), scale, 1.0)])
        assert found.feasible is feasible
        assert np.isfinite(found.objective) is np.bool_(feasible)
    assert not minimize_l1_cone_margin(np.zeros(2), [NormCondition(np.eye(2), 1.0, 1.0)]).feasible


def test_columns_that_only_help_together_are_found():
    # Every column alone has too much spread; pairs of opposite spread cancel it. Most columns are not tried at first.
    rng = np.random.default_rng(0)
    half = rng.normal(size=(30, 200))
    matrix = np.hstack([half, -half]) + 0.01 * rng.normal(size=(30, 400))
    direction = 0.5 + 0.01 * rng.random(400)
    conditions = [NormCondition(matrix, 1.0, 1.0)]
    found = minimize_l1_cone_margin(direction, conditions)
    _, w = whole_programme(direction, conditions)
    assert found.converged and found.objective == pytest.approx(np.abs(w).sum(), rel=1e-6)


@pytest.mark.parametrize("unit", [1e-8, 1e8])
def test_units_scale_the_solution(unit):
    rng = np.random.default_rng(1)
    direction, matrix = rng.normal(size=50), rng.normal(size=(20, 50)) / 4
    plain = minimize_l1_cone_margin(direction, [NormCondition(matrix, 0.8, 1.0)])
    scaled = minimize_l1_cone_margin(unit * direction, [NormCondition(unit * matrix, 0.8, 1.0)])
    np.testing.assert_allclose(unit * scaled.weights, plain.weights, atol=1e-7 * np.abs(plain.weights).max())
    assert scaled.converged


def test_rounds_that_run_out_are_told():
    rng = np.random.default_rng(2)
    direction, matrix = rng.normal(size=300), rng.normal(size=(40, 300)) / 6
    found = minimize_l1_cone_margin(direction, [NormCondition(matrix, 20.0, 1.0)], max_iter=1)
    assert not found.converged
    assert minimize_l1_cone_margin(direction, [NormCondition(matrix, 20.0, 1.0)]).converged
