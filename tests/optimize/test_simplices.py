"""Projections on simplices against a quadratic program."""

from itertools import pairwise

import numpy as np
import pytest

from treatise.optimize import project_capped_simplex
from treatise.optimize.simplices import project_simplices


def by_bisection(values, total):
    """The threshold at which what is left above it sums to the total."""
    low, high = values.min() - total, values.max()
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if np.maximum(values - middle, 0).sum() > total else (low, middle)
    return np.maximum(values - high, 0)


@pytest.mark.parametrize("cap", [0.0, 0.3, 2.0, 50.0])
def test_the_nearest_point_has_no_negative_entry_and_at_most_the_sum(cap):
    values = np.random.default_rng(0).normal(size=40)
    found = project_capped_simplex(values, cap)
    expected = np.maximum(values, 0) if np.maximum(values, 0).sum() <= cap else by_bisection(values, cap)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_vectors_are_projected_each_by_itself():
    values = np.random.default_rng(1).normal(size=9) + 1.0
    starts = np.array([0, 4, 4, 9])
    found = project_capped_simplex(values, 1.0, starts=starts)
    each = [project_capped_simplex(values[a:b], 1.0) for a, b in pairwise(starts) if b > a]
    np.testing.assert_array_equal(found, np.concatenate(each))
    exact = values.copy()
    project_simplices(starts, exact)
    np.testing.assert_allclose(np.add.reduceat(exact, [0, 4]), 1.0)


def test_values_at_the_threshold_do_not_go_on_for_ever():
    # Rounding drops and takes up again a value at the threshold: 0.1 added up has such sums.
    for seed in range(200):
        rng = np.random.default_rng(seed)
        values = 0.1 * rng.integers(0, 4, 30) + rng.choice([0.0, 1e-17, 1e-16], 30)
        found = project_capped_simplex(values, 0.1 * rng.integers(1, 5))
        np.testing.assert_allclose(found.sum(), by_bisection(values, found.sum()).sum(), atol=1e-9)


@pytest.mark.parametrize(
    ("values", "cap", "starts", "message"),
    [
        ([[1.0]], 1.0, None, "one dimension"),
        ([np.nan], 1.0, None, "finite"),
        ([1.0], -1.0, None, "cap=-1"),
        ([1.0, 2.0], 1.0, [0, 1], "rise from 0 to the 2 values"),
    ],
)
def test_what_has_no_projection_is_refused(values, cap, starts, message):
    with pytest.raises(ValueError, match=message):
        project_capped_simplex(values, cap, starts=starts)
