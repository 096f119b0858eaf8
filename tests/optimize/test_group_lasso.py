"""The group lasso."""

import numpy as np
import pytest

from treatise.optimize import group_lasso_path, group_logistic_path, group_penalty_limit


def orthonormal_groups(n, widths, seed):
    rng = np.random.default_rng(seed)
    shared = rng.standard_normal(n)
    blocks = []
    for width in widths:
        block = rng.standard_normal((n, width)) + 0.7 * shared[:, None]
        block -= block.mean(axis=0)
        blocks.append(np.linalg.qr(block)[0].T * np.sqrt(n) if width else np.empty((0, n)))
    return np.ascontiguousarray(np.vstack(blocks)), np.concatenate([[0], np.cumsum(widths)])


def conditions(Q, starts, slope, coef, penalty):
    """Largest failure of the conditions for the optimum over groups."""
    worst = 0.0
    for j in range(len(starts) - 1):
        part = slice(starts[j], starts[j + 1])
        pull, b = Q[part] @ slope / len(slope), coef[part]
        norm = np.linalg.norm(b)
        miss = np.linalg.norm(pull - penalty * b / norm) if norm > 0 else max(np.linalg.norm(pull) - penalty, 0)
        worst = max(worst, miss)
    return worst


@pytest.mark.parametrize("seed", range(3))
def test_the_conditions_of_the_optimum_hold_along_the_path(seed):
    Q, starts = orthonormal_groups(60, [3, 1, 4, 0, 2, 5, 3, 3, 3, 2, 6, 6, 6, 6, 6, 6], seed)
    y = 2 * Q[0] - Q[5] + np.random.default_rng(seed).standard_normal(60) + 7
    limit = group_penalty_limit(Q, starts, y)
    for found in group_lasso_path(Q, starts, y, np.geomspace(limit, 0.02 * limit, 12), tol=1e-12):
        residual = y - found.intercept - found.coef @ Q
        assert found.converged
        # The gap is quadratic in the distance: 1e-12 of the variance leaves about 1e-6.
        assert conditions(Q, starts, residual, found.coef, found.penalty) < 1e-5
        np.testing.assert_allclose(found.norms[3], 0.0)


@pytest.mark.parametrize("center", [True, False])
def test_groups_that_are_not_orthonormal_meet_the_same_conditions(center):
    rng = np.random.default_rng(5)
    widths = [3, 1, 0, 4, 5, 2, 2]
    starts = np.concatenate([[0], np.cumsum(widths)])
    Q = rng.standard_normal((17, 50)) * rng.uniform(0.1, 10, 17)[:, None] + rng.standard_normal(50)
    Q[4] = 0.0  # a feature that says nothing
    Q = Q - Q.mean(axis=1, keepdims=True) if center else Q + 1.0
    y = Q[0] / np.std(Q[0]) + rng.standard_normal(50) + 3
    options = {"tol": 1e-12, "orthonormal": False, "center": center, "max_iter": 100_000}
    path = group_lasso_path(Q, starts, y, [1.0, 0.3, 0.1], **options)
    for found in path:
        assert found.converged and (found.intercept == 0) != center
        residual = y - found.intercept - found.coef @ Q
        assert conditions(Q, starts, residual, found.coef, found.penalty) < 1e-4
    again = group_lasso_path(Q, starts, y, [0.1], start=path[-1].coef, **options)[0]
    np.testing.assert_allclose(again.coef, path[-1].coef, atol=1e-5)
    assert again.n_iter < path[-1].n_iter


def test_equals_celer():
    celer = pytest.importorskip("celer")
    Q, starts = orthonormal_groups(80, [4] * 30, 0)
    y = Q[1] + Q[9] + np.random.default_rng(0).standard_normal(80)
    penalty = 0.2 * group_penalty_limit(Q, starts, y)
    ours = group_lasso_path(Q, starts, y, [penalty], tol=1e-13)[0]
    theirs = celer.GroupLasso(groups=4, alpha=penalty, tol=1e-13, max_iter=1000).fit(np.asfortranarray(Q.T), y)
    np.testing.assert_allclose(ours.coef, theirs.coef_, atol=1e-6)


def test_the_gap_bounds_the_distance_to_the_minimum():
    Q, starts = orthonormal_groups(50, [3] * 20, 1)
    y = Q[0] + np.random.default_rng(0).standard_normal(50)
    penalty = 0.1 * group_penalty_limit(Q, starts, y)

    def objective(found):
        residual = y - found.intercept - found.coef @ Q
        return residual @ residual / 100 + penalty * found.norms.sum()

    exact = group_lasso_path(Q, starts, y, [penalty], tol=1e-14)[0]
    for tol in (1e-1, 1e-3, 1e-5):
        rough = group_lasso_path(Q, starts, y, [penalty], tol=tol)[0]
        assert objective(rough) - objective(exact) <= rough.gap + 1e-12


def test_at_the_limit_nothing_enters_and_just_below_one_group_does():
    Q, starts = orthonormal_groups(40, [2] * 6, 2)
    y = np.random.default_rng(3).standard_normal(40)
    limit = group_penalty_limit(Q, starts, y)
    above, below = group_lasso_path(Q, starts, y, [limit, 0.98 * limit])
    assert not above.coef.any() and np.count_nonzero(below.norms) == 1


def test_logistic_paths_meet_their_conditions_and_refuse_one_class():
    Q, starts = orthonormal_groups(120, [3] * 15, 4)
    y = (np.random.default_rng(0).random(120) < 1 / (1 + np.exp(-2 * Q[0] + Q[4]))).astype(float)
    limit = group_penalty_limit(Q, starts, y)
    for found in group_logistic_path(Q, starts, y, np.geomspace(limit, 0.1 * limit, 6), tol=1e-8):
        slope = y - 1 / (1 + np.exp(-(found.intercept + found.coef @ Q)))
        assert found.converged and abs(slope.mean()) < 1e-7
        assert conditions(Q, starts, slope, found.coef, found.penalty) < 2e-8
    with pytest.raises(ValueError, match="all targets are equal"):
        group_logistic_path(Q, starts, np.ones(120), [0.1])


def test_a_callback_may_end_the_path():
    Q, starts = orthonormal_groups(40, [2] * 6, 2)
    y = np.random.default_rng(3).standard_normal(40)
    penalties = np.geomspace(1, 0.01, 20) * group_penalty_limit(Q, starts, y)
    found = group_lasso_path(Q, starts, y, penalties, callback=lambda solution: solution.norms.any())
    assert 1 < len(found) < 20 and found[-1].norms.any()
