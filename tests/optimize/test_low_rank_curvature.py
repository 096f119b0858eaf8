"""A sum of outer products from above, as low rank plus diagonal (Choromanska, 2014, Algorithm 4)."""

import numpy as np
import pytest

from treatise.optimize import LowRankCurvature


@pytest.mark.parametrize("block", [1, 3, 50])
@pytest.mark.parametrize("rank", [1, 3, 6])
def test_never_falls_below_the_exact_sum(rank, block):
    rng = np.random.default_rng(rank)
    rows = rng.normal(size=(60, 8)) * 10.0 ** rng.uniform(-1, 1, size=8)
    curvature, exact = LowRankCurvature(np.full(8, 0.1), rank), 0.1 * np.eye(8)
    for first in range(0, len(rows), block):
        curvature.add(rows[first : first + block])
        exact += rows[first : first + block].T @ rows[first : first + block]
        # Rounding of sums of squares as large as the trace.
        assert np.linalg.eigvalsh(curvature.dense() - exact).min() >= -1e-12 * np.trace(exact)


def test_the_update_as_printed_is_no_bound_and_the_one_here_is():
    """Printed, the products of the row's part within the directions and its rest outside are dropped."""
    row, exact = np.array([1.0, 1.0]), np.ones((2, 2))
    inside, rest = np.array([1.0, 0.0]), np.array([0.0, 1.0])  # with V = (1, 0), S = 0 at the start
    printed = np.outer(rest, rest) + np.diag(1.0 * np.abs(inside).sum() * np.abs(inside))
    assert np.linalg.eigvalsh(printed - exact).min() < -0.9
    here = LowRankCurvature(np.zeros(2), rank=1)
    here.directions, here.values = inside[None], np.zeros(1)
    assert np.linalg.eigvalsh(here.add(row[None]).dense() - exact).min() >= -1e-12


def test_full_rank_is_exact_and_solves():
    rng = np.random.default_rng(1)
    rows, vector = rng.normal(size=(30, 6)), rng.normal(size=6)
    curvature = LowRankCurvature(np.full(6, 0.3), rank=6).add(rows)
    exact = rows.T @ rows + 0.3 * np.eye(6)
    np.testing.assert_allclose(curvature.dense(), exact, atol=1e-12)
    np.testing.assert_allclose(curvature.solve(vector), np.linalg.solve(exact, vector), rtol=1e-10)


@pytest.mark.parametrize("rank", [1, 4])
def test_solve_inverts_the_bound(rank):
    rng = np.random.default_rng(2)
    curvature = LowRankCurvature(np.ones(7), rank).add(rng.normal(size=(20, 7)))
    vector = rng.normal(size=7)
    np.testing.assert_allclose(curvature.dense() @ curvature.solve(vector), vector, atol=1e-11)


def test_rank_zero_is_refused():
    with pytest.raises(ValueError, match="rank=0"):
        LowRankCurvature(np.ones(2), 0)
