"""Where a method errs: planted errors are found, accidents are not."""

from math import comb

import numpy as np
import polars as pl
import pytest

from treatise.compare.explaining import Rows, error_segments
from treatise.compare.inputs import FoldPredictions


def fold(actual, predicted, numbers=None):
    numbers = np.arange(len(actual)) if numbers is None else numbers
    return FoldPredictions(numbers, actual, predicted, None, None, np.zeros(len(actual)))


def classes_of(frame, y):
    return Rows(frame, y, "binary", np.array([0, 1]), tuple(frame.columns))


def amounts_of(frame, y):
    return Rows(frame, y, "regression", np.array([]), tuple(frame.columns))


def test_a_range_of_numbers_with_more_mistakes_is_found_and_named():
    x = np.arange(500.0)
    y = np.random.default_rng(0).integers(0, 2, 500)
    wrong = (x >= 400) & (x % 2 == 0)
    found = error_segments("k", "M", classes_of(pl.DataFrame({"x": x}), y), [fold(y, np.where(wrong, 1 - y, y))])
    assert [(s.column, s.words, s.rows, s.error) for s in found.segments] == [("x", "400 to 499", 100, 0.5)]
    assert (found.overall, found.rows, found.tried) == (0.1, 500, 5)
    assert found.measure == "share of wrong labels"


def test_the_chance_of_so_many_mistakes_is_exact():
    # Of 60 rows, 6 are wrong and 5 of those stand among the 20 of one value.
    frame = pl.DataFrame({"v": ["a"] * 20 + ["b"] * 40})
    y = np.zeros(60, int)
    predicted = y.copy()
    predicted[[0, 1, 2, 3, 4, 30]] = 1
    found = error_segments("k", "M", classes_of(frame, y), [fold(y, predicted)])
    by_hand = sum(comb(20, k) * comb(40, 6 - k) for k in (5, 6)) / comb(60, 6)
    (segment,) = found.segments
    assert segment.words == "a"
    assert segment.p_value == pytest.approx(2 * by_hand)  # Holm: the smaller of two


def test_larger_errors_of_amounts_are_found_by_ranks_against_all_divisions():
    rng = np.random.default_rng(1)
    town = np.array(["a"] * 25 + ["b"] * 25)
    errors = rng.exponential(size=50) * np.where(town == "a", 4.0, 1.0)
    errors[40] = 1e6  # one huge error sways no rank
    y = np.zeros(50)
    found = error_segments("k", "M", amounts_of(pl.DataFrame({"t": town}), y), [fold(y, errors)])
    assert found.measure == "mean absolute error"
    # The mean of b is huge and its ranks are low: b is not found. The mean of a is below that of all rows.
    assert found.segments == ()
    errors[40] = 1.0
    found = error_segments("k", "M", amounts_of(pl.DataFrame({"t": town}), y), [fold(y, errors)])
    (segment,) = found.segments
    assert segment.words == "a"
    ranks = errors.argsort().argsort()
    sums = np.array([ranks[rng.permutation(50)[:25]].sum() for _ in range(20_000)])
    drawn = (sums >= ranks[:25].sum()).mean()
    assert segment.p_value / 2 == pytest.approx(drawn, abs=0.002)


@pytest.mark.parametrize("amounts", [False, True])
def test_accidents_are_reported_in_few_runs(amounts):
    rng = np.random.default_rng(2)
    alarms = 0
    for _ in range(120):
        frame = pl.DataFrame({f"x{i}": rng.normal(size=150) for i in range(6)})
        y = np.zeros(150) if amounts else np.zeros(150, int)
        told = rng.standard_cauchy(150) if amounts else (rng.random(150) < 0.15).astype(int)
        rows = amounts_of(frame, y) if amounts else classes_of(frame, y)
        alarms += bool(error_segments("k", "M", rows, [fold(y, told)]).segments)
    # Five in a hundred are allowed; 13 of 120 would happen once in a hundred such tests.
    assert alarms <= 13


def test_missing_values_are_a_segment_and_rare_ones_are_not():
    x = pl.Series("x", [None] * 40 + ["a"] * 150 + ["rare"] * 10)
    y = np.zeros(200, int)
    wrong = np.r_[np.tile([1, 0], 20), np.zeros(150, int), np.ones(10, int)]
    found = error_segments("k", "M", classes_of(pl.DataFrame({"x": x}), y), [fold(y, wrong)])
    assert [segment.words for segment in found.segments] == ["missing"]


def test_folds_in_any_order_and_a_sample_of_the_rows_are_matched_by_number():
    x = np.arange(300.0)
    y = np.zeros(300, int)
    wrong = (x >= 240).astype(int)
    order = np.random.default_rng(3).permutation(300)
    parts = [fold(y[part], wrong[part], part) for part in np.array_split(order, 5)]
    frame = pl.DataFrame({"x": x})
    whole = error_segments("k", "M", classes_of(frame, y), parts)
    assert [segment.words for segment in whole.segments] == ["240 to 299"]
    numbers = np.arange(1, 300, 2)
    sample = Rows(frame[numbers], y[numbers], "binary", np.array([0, 1]), ("x",), numbers)
    found = error_segments("k", "M", sample, parts)
    assert (found.rows, found.overall) == (150, 0.2)
    assert [segment.words for segment in found.segments] == ["241 to 299"]


def test_the_worst_come_first_and_few_rows_say_nothing():
    rng = np.random.default_rng(4)
    towns = rng.choice(["a", "b", "c", "d"], 2000)
    y = np.zeros(2000, int)
    chance = np.select([towns == t for t in "abc"], [0.6, 0.4, 0.05], 0.05)
    frame = pl.DataFrame({"town": towns, "noise": rng.normal(size=2000)})
    found = error_segments("k", "M", classes_of(frame, y), [fold(y, (rng.random(2000) < chance).astype(int))])
    assert [segment.words for segment in found.segments] == ["a", "b"]
    assert error_segments("k", "M", classes_of(frame[:30], y[:30]), [fold(y[:30], y[:30])]) is None
    assert error_segments("k", "M", classes_of(frame, y), []) is None
