"""Dynamic time warping against the table of all cells."""

import numpy as np
import pytest

from treatise.statistics import dtw, dtw_pairwise
from treatise.statistics.warping._loops import warped


def every_cell(a, b, window, cost):
    n, m = len(a), len(b)
    cells = np.full((n + 1, m + 1), np.inf)
    cells[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            if window is None or min(0, n - m) - window <= i - j <= max(0, n - m) + window:
                own = abs(a[i] - b[j]) ** (2 if cost == "squared" else 1)
                cells[i + 1, j + 1] = own + min(cells[i, j + 1], cells[i + 1, j], cells[i, j])
    return cells[n, m]


@pytest.mark.parametrize("cost", ["squared", "absolute"])
@pytest.mark.parametrize("window", [None, 0, 1, 3])
def test_costs_are_those_of_the_table_of_all_cells(window, cost):
    rng = np.random.default_rng(0)
    series = [rng.normal(size=length) for length in (1, 1, 2, 3, 5, 8, 9, 13, 13)]
    expected = [[every_cell(a, b, window, cost) for b in series] for a in series]
    np.testing.assert_allclose(dtw_pairwise(series, series, window=window, cost=cost), expected, rtol=1e-12)
    np.testing.assert_allclose(dtw_pairwise(series, window=window, cost=cost), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "cost"),
    [
        ([0, 1, 2], [0, 1, 2], 0),
        ([0, 0, 1, 2], [0, 1, 2], 0),
        ([1, 2, 3, 4], [2, 3, 4, 5], 2),
        ([0, 3, 1], [1, 1, 2, 0], 4),
    ],
)
def test_worked_alignments(a, b, cost):
    assert dtw(a, b) == cost


def test_normalised_costs_are_divided_by_the_sum_of_the_lengths():
    assert dtw([0.0, 0.0], [1.0, 1.0, 1.0], normalize=True) == pytest.approx(3.0 / 5.0)


def test_a_bound_is_kept_where_it_is_above_the_cost_and_ends_the_work_where_it_is_below():
    rng = np.random.default_rng(1)
    for _ in range(200):
        a, b = rng.normal(size=rng.integers(1, 10)), rng.normal(size=rng.integers(1, 10))
        cost, cells = dtw(a, b), np.empty(3 * (len(a) + 2))
        assert warped(a, b[::-1].copy(), -1, True, cost * (1 + 1e-9) + 1e-12, cells) == pytest.approx(cost)
        assert warped(a, b[::-1].copy(), -1, True, np.nextafter(cost, 0) * 0.5, cells) in (np.inf, pytest.approx(cost))


def test_many_pairs_by_threads_are_the_same_as_one_by_one():
    rng = np.random.default_rng(2)
    series = [rng.normal(size=rng.integers(40, 90)) for _ in range(60)]
    costs = dtw_pairwise(series, window=5)
    assert (costs == costs.T).all() and not costs.diagonal().any()
    for i, j in ((0, 1), (5, 58), (30, 31)):
        assert costs[i, j] == dtw(series[i], series[j], window=5)


@pytest.mark.parametrize(
    ("series", "options", "message"),
    [
        ([], {}, "holds nothing"), ([[1.0], []], {}, "number 1 of series is empty"), ([[1.0, np.nan]], {}, "NaN"),
        (np.ones(3), {}, "one array of 3 numbers"), ([np.ones((2, 2))], {}, "one axis"),
        ([[1.0]], {"window": -1}, "window=-1"), ([[1.0]], {"cost": "cubic"}, "'cubic'"),
    ],
)  # fmt: skip
def test_what_is_no_series_is_refused(series, options, message):
    with pytest.raises(ValueError, match=message):
        dtw_pairwise(series, **options)
