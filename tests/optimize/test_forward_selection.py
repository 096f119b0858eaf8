"""Forward selection against least squares from scratch."""

import numpy as np
import pytest

from treatise.optimize import ForwardSelection
from treatise.optimize.forward_selection import rises


def squared_error(X, y):
    A = np.column_stack([np.ones(len(X)), X])
    return float(np.sum((y - A @ np.linalg.lstsq(A, y)[0]) ** 2))


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 12)) @ rng.normal(size=(12, 12)) + 5.0
    return X, X[:, :3] @ rng.normal(size=(3, 4)) + rng.normal(size=(30, 4))


def test_drops_are_those_of_least_squares_from_scratch_after_any_entries(data):
    X, Y = data
    search = ForwardSelection(X, Y)
    for column, responses in ((2, [0, 1, 2, 3]), (7, [1]), (0, [0, 3]), (5, [1, 2]), (11, [0, 1])):
        search.add(column, responses)
        for t, columns in enumerate(search.sets):
            now = squared_error(X[:, columns], Y[:, t])
            np.testing.assert_allclose(search.rss[t] * search.unit[t] ** 2, now, rtol=1e-10)
            for j in range(12):
                drop = now - squared_error(X[:, [*columns, j]], Y[:, t])
                np.testing.assert_allclose(search.drops()[t, j] * search.unit[t] ** 2, drop, atol=1e-9 * now)


def test_coefficients_are_those_of_least_squares_in_the_units_of_the_data(data):
    X, Y = data
    search = ForwardSelection(X, Y)
    search.add(2, [0, 1])
    search.add(7, [1])
    coef, intercept, rss = search.least_squares()
    for t, columns in enumerate(([2], [2, 7], [], [])):
        A = np.column_stack([np.ones(30), X[:, columns]])
        fitted = np.linalg.lstsq(A, Y[:, t])[0]
        np.testing.assert_allclose([intercept[t], *coef[t, columns]], fitted, rtol=1e-9)
        assert np.count_nonzero(coef[t]) == len(columns)
    np.testing.assert_allclose(rss, search.rss, rtol=1e-10)


def test_a_branch_leaves_its_origin_as_it_was(data):
    X, Y = data
    search = ForwardSelection(X, Y)
    search.add(2, [0])
    before, rss = search.drops(), search.rss.copy()
    branch = search.branch(np.array([4, 2, 9]))
    np.testing.assert_allclose(branch.drops(), before[:, [4, 2, 9]])
    branch.add(0, [0])
    now = squared_error(X[:, [2, 4]], Y[:, 0])
    np.testing.assert_allclose(branch.rss[0] * branch.unit[0] ** 2, now, rtol=1e-10)
    np.testing.assert_array_equal(search.drops(), before)
    np.testing.assert_array_equal(search.rss, rss)


def test_what_adds_nothing_brings_no_drop():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 4))
    copied = np.column_stack([X, X[:, 0], X[:, 0] + 2 * X[:, 1] - 7, np.full(40, 0.1), np.full(40, 1e9 / 3)])
    Y = np.column_stack([X @ [1.0, 2, 3, 4], np.full(40, 1 / 3)])
    search = ForwardSelection(copied, Y)
    assert np.all(search.drops()[:, 6:] == 0) and np.all(search.drops()[1] == 0)
    assert search.total[1] == 0
    search.add(0, [0])
    search.add(1, [0])
    assert np.all(search.drops()[0, [0, 1, 4, 5]] == 0)
    search.add(2, [0])
    search.add(3, [0])
    assert search.rss[0] == 0 and np.all(search.drops() == 0)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_size_and_offset_of_the_data_do_not_matter(data, scale):
    X, Y = data
    plain, scaled = ForwardSelection(X, Y), ForwardSelection(scale * X, Y / scale)
    for search in (plain, scaled):
        search.add(3, [0, 2])
    np.testing.assert_allclose(scaled.drops() / scaled.total[:, np.newaxis], plain.drops() / plain.total[:, np.newaxis])
    shifted = ForwardSelection(X + 1e4, Y - 1e3)
    shifted.add(3, [0, 2])
    # Centring loses the digits of the offset.
    np.testing.assert_allclose(
        shifted.drops() * shifted.unit[:, np.newaxis] ** 2, plain.drops() * plain.unit[:, np.newaxis] ** 2, atol=1e-7
    )


def test_rises_are_those_of_least_squares_from_scratch(data):
    X, Y = data
    whole = squared_error(X[:, :5], Y[:, 0])
    expected = [squared_error(np.delete(X[:, :5], j, axis=1), Y[:, 0]) - whole for j in range(5)]
    np.testing.assert_allclose(rises(X[:, :5], Y[:, 0]), expected, rtol=1e-9)
