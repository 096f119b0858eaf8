"""The projection to given L1 and L2 norms, and Hoyer's sparseness."""

from itertools import combinations, product

import numpy as np
import pytest

from treatise.optimize import hoyer_sparseness, l1_of_unit_vector, project_l1_l2, project_sparseness


def closest_over_supports(x, l1, l2):
    """Brute force: the sphere of both norms on every support, keeping the closest non-negative point."""
    best, best_distance = None, np.inf
    for size in range(1, len(x) + 1):
        if l2**2 - l1**2 / size < -1e-15:
            continue
        for support in combinations(range(len(x)), size):
            inside = x[list(support)]
            away = inside - inside.mean()
            length = np.linalg.norm(away)
            point = np.zeros_like(x)
            stretch = np.sqrt(max(l2**2 - l1**2 / size, 0.0)) / length if length > 0 else 0.0
            point[list(support)] = l1 / size + stretch * away
            on_sphere = abs(np.linalg.norm(point) - l2) < 1e-9
            if on_sphere and point.min() >= -1e-12 and np.linalg.norm(point - x) < best_distance:
                best, best_distance = point, np.linalg.norm(point - x)
    return best


def printed_iteration(x, l1, l2):
    """The algorithm of section 3.3 to the letter, with the number of its passes."""
    n = len(x)
    s = x + (l1 - x.sum()) / n
    zeros = np.zeros(n, bool)
    for passes in range(1, n + 1):
        m = np.where(zeros, 0.0, l1 / (n - zeros.sum()))
        w = s - m
        a, b, c = w @ w, 2 * m @ w, m @ m - l2**2
        s = m + w * (-b + np.sqrt(b * b - 4 * a * c)) / (2 * a)
        if (s >= 0).all():
            return s, passes
        zeros |= s < 0
        s[zeros] = 0.0
        s[~zeros] -= (s.sum() - l1) / (n - zeros.sum())
    raise AssertionError("more passes than entries")


def test_projection_of_the_worked_example():
    projected = project_l1_l2([3.0, 1.0, 0.5, 0.2], 1.5, 1.0)
    np.testing.assert_allclose(projected, [0.92784902, 0.32198708, 0.17052159, 0.0796423], atol=1e-7)
    assert hoyer_sparseness(projected) == pytest.approx(0.5, abs=1e-14)


@pytest.mark.parametrize("n", range(2, 9))
def test_projection_equals_the_closest_point_over_all_supports(n):
    rng = np.random.default_rng(n)
    for _ in range(40):
        x = rng.standard_normal(n) * rng.choice([0.01, 1.0, 100.0])
        l2 = rng.uniform(0.1, 3.0)
        l1 = l2 * l1_of_unit_vector(n, rng.uniform(0.01, 0.99))
        # Double precision over a handful of operations, at the scale of the vector.
        np.testing.assert_allclose(project_l1_l2(x, l1, l2), closest_over_supports(x, l1, l2), atol=1e-10)


def test_projection_in_three_dimensions_equals_a_walk_around_the_circle():
    # In three dimensions both norms hold on a circle: walk around it and keep the closest non-negative point.
    angles = np.linspace(0, 2 * np.pi, 400_000)
    across = np.array([[1, -1, 0], [1, 1, -2]]) / np.sqrt([[2], [6]])
    rng = np.random.default_rng(0)
    for sparseness in (0.1, 0.5, 0.9):
        l1 = l1_of_unit_vector(3, sparseness)
        circle = l1 / 3 + np.sqrt(1 - l1**2 / 3) * np.stack([np.cos(angles), np.sin(angles)], 1) @ across
        circle = circle[circle.min(axis=1) >= 0]
        for x in rng.standard_normal((20, 3)):
            nearest = circle[np.linalg.norm(circle - x, axis=1).argmin()]
            # The walk takes steps of 1.6e-5.
            np.testing.assert_allclose(project_l1_l2(x, l1, 1.0), nearest, atol=2e-5)


@pytest.mark.parametrize("n", [5, 60, 1000])
def test_point_and_passes_equal_those_of_the_printed_iteration(n):
    rng = np.random.default_rng(n)
    for _ in range(30):
        x, sparseness = rng.standard_normal(n), rng.uniform(0.05, 0.95)
        l1 = 2.0 * l1_of_unit_vector(n, sparseness)
        projected, passes = project_l1_l2(x, l1, 2.0, return_n_iter=True)
        expected, expected_passes = printed_iteration(x, l1, 2.0)
        np.testing.assert_allclose(projected, expected, atol=1e-11)
        assert passes == expected_passes


@pytest.mark.parametrize("n", [2, 7, 1001, 100_000])
def test_projected_vectors_have_both_norms_and_no_negative_entry(n):
    rng = np.random.default_rng(n)
    for sparseness in (0.0, 0.2, 0.7, 0.99, 1.0):
        l1 = 5.0 * l1_of_unit_vector(n, sparseness)
        projected = project_l1_l2(rng.standard_normal((3, n)), l1, 5.0)
        np.testing.assert_allclose(projected.sum(axis=1), l1, rtol=1e-10)
        np.testing.assert_allclose(np.linalg.norm(projected, axis=1), 5.0, rtol=1e-10)
        assert projected.min() >= 0
        np.testing.assert_allclose(hoyer_sparseness(projected, axis=1), sparseness, atol=1e-10)


@pytest.mark.parametrize(
    "x",
    [
        np.ones(6),
        np.zeros(6),
        np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
        np.array([2.0, 2.0, 2.0, 1.0, 1.0, -3.0]),
        1.0 + np.array([0.0, 1e-16, 2e-16, 1e-15, 3e-16, 0.0]),
        1e8 + np.arange(6.0) * 1e-8,
    ],
)
@pytest.mark.parametrize("sparseness", [0.0, 0.3, 0.8, 1.0])
def test_equal_entries_still_give_a_feasible_point_as_close_as_any(x, sparseness):
    l1 = l1_of_unit_vector(6, sparseness)
    projected = project_l1_l2(x, l1, 1.0)
    assert projected.sum() == pytest.approx(l1, rel=1e-12)
    assert np.linalg.norm(projected) == pytest.approx(1.0, rel=1e-12)
    assert projected.min() >= 0
    nudged = closest_over_supports(x + 1e-7 * np.arange(6, 0, -1), l1, 1.0)
    # The nudge may change the distance by its own length.
    assert np.linalg.norm(projected - x) <= np.linalg.norm(nudged - x) + 1e-6


def test_of_equal_candidates_the_first_entry_becomes_the_peak():
    np.testing.assert_array_equal(project_l1_l2([0.0, 4.0, 4.0], 1.0, 1.0), [0.0, 1.0, 0.0])
    peaked = project_sparseness(np.full(5, 2.0), 0.5)
    assert peaked.argmax() == 0 and np.ptp(peaked[1:]) == 0.0


def test_ends_of_the_range_are_a_constant_vector_and_a_single_entry():
    x = np.random.default_rng(0).standard_normal(50)
    np.testing.assert_allclose(project_sparseness(x, 0.0, l2=1.0), np.full(50, 1 / np.sqrt(50)), rtol=1e-12)
    single = project_sparseness(x, 1.0, l2=3.0)
    assert np.flatnonzero(single).tolist() == [x.argmax()] and single.max() == pytest.approx(3.0)


def test_signed_projection_is_closest_over_all_signs():
    rng = np.random.default_rng(1)
    for _ in range(20):
        x = rng.standard_normal(4)
        l1 = l1_of_unit_vector(4, 0.6)
        signed = project_l1_l2(x, l1, 1.0, nonnegative=False)
        distances = [
            np.linalg.norm(np.array(signs) * project_l1_l2(np.array(signs) * x, l1, 1.0) - x)
            for signs in product([-1, 1], repeat=4)
        ]
        assert np.linalg.norm(signed - x) == pytest.approx(min(distances), abs=1e-12)
        assert np.abs(signed).sum() == pytest.approx(l1)


def test_any_axis_and_one_norm_per_vector():
    X = np.random.default_rng(2).standard_normal((4, 5, 3))
    l2 = np.arange(1.0, 13.0).reshape(4, 3)
    l1 = 1.7 * l2
    together, passes = project_l1_l2(X, l1, l2, axis=1, return_n_iter=True)
    assert together.shape == X.shape and passes.shape == (4, 3)
    for i, j in product(range(4), range(3)):
        np.testing.assert_array_equal(together[i, :, j], project_l1_l2(X[i, :, j], l1[i, j], l2[i, j]))


def test_input_is_left_alone_and_single_precision_is_widened():
    x = np.array([3.0, 1.0, 0.5], dtype=np.float32)
    before = x.copy()
    assert project_l1_l2(x, 1.2, 1.0).dtype == np.float64
    np.testing.assert_array_equal(x, before)


def test_large_batches_in_threads_equal_row_by_row():
    X = np.random.default_rng(3).standard_normal((64, 20_000))
    together = project_sparseness(X, 0.6)
    for i in (0, 31, 63):
        np.testing.assert_array_equal(together[i], project_sparseness(X[i], 0.6))


def test_ten_thousand_entries_from_0_1_to_0_9_take_few_passes():
    start = project_sparseness(np.random.default_rng(0).standard_normal((50, 10_000)), 0.1, l2=1.0)
    _, passes = project_l1_l2(start, l1_of_unit_vector(10_000, 0.9), 1.0, return_n_iter=True)
    assert passes.max() <= 15


def test_projection_keeps_the_length_unless_told_otherwise():
    X = np.random.default_rng(4).random((3, 8))
    kept = project_sparseness(X, 0.4)
    np.testing.assert_allclose(np.linalg.norm(kept, axis=1), np.linalg.norm(X, axis=1), rtol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(project_sparseness(X, 0.4, l2=[1, 2, 3]), axis=1), [1, 2, 3])


@pytest.mark.parametrize("l1, l2", [(0.9, 1.0), (2.1, 1.0), (1.0, -1.0), (np.nan, 1.0), (np.inf, np.inf)])
def test_norms_that_no_vector_has_are_refused(l1, l2):
    with pytest.raises(ValueError, match="no vector of 4 entries has"):
        project_l1_l2(np.ones(4), l1, l2)


def test_bad_input_is_refused_with_what_would_be_right():
    with pytest.raises(ValueError, match=r"l1 has the shape \(3,\); one norm per vector would be \(2,\)"):
        project_l1_l2(np.ones((2, 4)), [1.5, 1.5, 1.5], 1.0)
    with pytest.raises(ValueError, match="NaN"):
        project_l1_l2([1.0, np.nan], 1.2, 1.0)
    with pytest.raises(ValueError, match="at least one entry"):
        project_l1_l2(3.0, 1.0, 1.0)
    with pytest.raises(ValueError, match=r"sparseness=1\.5 lies outside"):
        project_sparseness([1.0, 2.0], 1.5)
    with pytest.raises(ValueError, match="at least 2 entries"):
        project_sparseness([1.0], 0.5)


def test_sparseness_follows_its_formula_and_ignores_scale_and_sign():
    x = np.random.default_rng(5).standard_normal((4, 9))
    expected = (3 - np.abs(x).sum(1) / np.linalg.norm(x, axis=1)) / 2
    np.testing.assert_allclose(hoyer_sparseness(x, axis=1), expected, rtol=1e-12)
    np.testing.assert_allclose(hoyer_sparseness(-7 * x, axis=1), expected, rtol=1e-12)
    assert hoyer_sparseness(x) == pytest.approx(hoyer_sparseness(x.ravel(), axis=0))


def test_sparseness_at_the_ends_of_its_range():
    np.testing.assert_array_equal(hoyer_sparseness([[2, -2, 2], [0, 5, 0], [0, 0, 0]], axis=1), [0.0, 1.0, 0.0])
    assert hoyer_sparseness([4.0]) == 0.0
    assert hoyer_sparseness(np.full(10_007, 0.1)) >= 0.0
