"""Profiles of columns: relations against their definition, and every kind of column that people have."""

import datetime
import json

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from treatise.compare.explaining import Rows, profile
from treatise.compare.explaining.pieces import histogram, quantile_codes
from treatise.report.record import to_plain


def rows_of(columns, y, classes=()):
    frame = pl.DataFrame(columns)
    task = "regression" if len(classes) == 0 else "binary" if len(classes) == 2 else "multiclass"
    return Rows(frame, np.asarray(y), task, np.asarray(classes), tuple(frame.columns))


def only(found):
    (column,) = found.columns
    return column


def share_by_hand(groups, targets):
    """One less the variance within groups over the variance, each with its degrees of freedom."""
    targets, names = np.asarray(targets, float), np.unique(groups)
    within = sum(np.square(targets[groups == g] - targets[groups == g].mean(axis=0)).sum() for g in names)
    whole = np.square(targets - targets.mean(axis=0)).sum()
    return 1 - within / (len(targets) - len(names)) / (whole / (len(targets) - 1))


def test_relation_to_an_amount_is_the_adjusted_correlation_ratio():
    rng = np.random.default_rng(0)
    town = rng.choice(["a", "b", "c"], 90)
    y = rng.normal(size=90) + (town == "b")
    assert only(profile(rows_of({"town": town}, y))).relation == pytest.approx(share_by_hand(town, y[:, None]))


def test_relation_to_classes_is_the_adjusted_tau_of_goodman_and_kruskal():
    rng = np.random.default_rng(1)
    town, y = rng.choice(["a", "b", "c"], 90), rng.choice(["u", "v", "w"], 90)
    y[town == "a"] = "u"
    found = only(profile(rows_of({"town": town}, y, ["u", "v", "w"])))
    assert found.relation == pytest.approx(share_by_hand(town, y[:, None] == np.array(["u", "v", "w"])))


def test_numbers_relate_by_tenths_whatever_the_shape():
    x = np.linspace(-1, 1, 1000)
    found = only(profile(rows_of({"x": x}, x**2)))
    tenths = np.minimum(np.searchsorted(np.sort(x)[np.arange(1, 10) * 100], x, side="right"), 9)
    assert found.relation == pytest.approx(share_by_hand(tenths, (x**2)[:, None]))
    assert found.relation > 0.9
    # Any rising change of the numbers leaves the tenths as they are.
    assert only(profile(rows_of({"x": np.exp(9 * x)}, x**2))).relation == pytest.approx(found.relation)


@pytest.mark.parametrize(
    "x",
    [
        np.r_[np.zeros(95), np.ones(5)],
        np.r_[np.zeros(5), np.ones(95)],
        np.r_[np.zeros(60), np.linspace(0.1, 9, 40)],
        np.r_[np.linspace(-9, -0.1, 40), np.zeros(60)],
        np.r_[np.full(5, np.nan), np.linspace(0, 1, 95)],
    ],
)
def test_a_value_that_many_rows_share_is_told_from_all_others(x):
    common = np.isnan(x) if np.isnan(x).any() else x == (1.0 if x[-1] == 1 and x[4] == 0 and x[5] == 1 else 0.0)
    assert only(profile(rows_of({"x": x}, common.astype(int), [0, 1]))).relation == pytest.approx(1.0)


def test_noise_explains_nothing_on_average():
    rng = np.random.default_rng(2)
    frame = {f"x{i}": rng.normal(size=200) for i in range(60)} | {
        f"t{i}": rng.integers(0, 20, 200).astype(str) for i in range(60)
    }
    found = profile(rows_of(frame, rng.integers(0, 2, 200), [0, 1]))
    # Unadjusted, 20 groups of 200 rows would explain a tenth.
    assert np.mean([column.relation for column in found.columns]) < 0.03


def test_a_constant_target_leaves_relations_open():
    assert only(profile(rows_of({"x": np.arange(30.0)}, np.full(30, 7.0)))).relation is None


def test_missing_infinite_and_different_values_are_counted():
    x = pl.Series("x", [1.0, None, float("nan"), float("inf"), 1.0, 2.0] * 10)
    found = only(profile(rows_of({"x": x}, np.arange(60.0))))
    assert found.missing == pytest.approx(1 / 3)
    assert found.distinct == 3
    assert [(bar.words, bar.rows) for bar in found.bins] == [("1", 20), ("2", 10), ("missing", 30)]


def test_categories_show_the_commonest_and_sum_the_others():
    words = [f"word {i:02d}" for i in range(30) for _ in range(30 - i)]
    found = only(profile(rows_of({"w": words}, np.arange(len(words)) * 1.0)))
    assert found.kind == "categories"
    assert [bar.words for bar in found.bins[:2]] == ["word 00", "word 01"]
    assert found.bins[-1].words == "others"
    assert sum(bar.rows for bar in found.bins) == len(words)
    assert found.bins[0].target == pytest.approx(14.5)


def test_a_value_named_like_our_own_words_stays_a_value():
    found = only(profile(rows_of({"w": ["others", "missing", None, "others"] * 10}, np.arange(40.0))))
    assert [(bar.words, bar.rows) for bar in found.bins] == [("others", 20), ("missing", 10), ("missing", 10)]


def test_dates_truth_values_and_long_texts_have_words():
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=i) for i in range(300)]
    found = profile(rows_of({"day": days, "yes": [True, False, None] * 100, "text": ["x" * 500, "y"] * 150},
                            np.arange(300.0)))  # fmt: skip
    kinds = {column.name: column for column in found.columns}
    assert {name: column.kind for name, column in kinds.items()} == {
        "day": "dates", "yes": "truth values", "text": "categories",
    }  # fmt: skip
    assert all(bar.words.startswith("20") for bar in kinds["day"].bins)
    assert [bar.words for bar in kinds["yes"].bins] == ["false", "true", "missing"]
    assert max(len(bar.words) for bar in kinds["text"].bins) == 60


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_histograms_have_round_ranges_and_hold_every_row_once(scale):
    values = scale * np.random.default_rng(3).normal(size=1000)
    pieces = histogram(values, "numbers", 12)
    counts = np.bincount(pieces.codes, minlength=len(pieces.words))
    assert counts.sum() == 1000
    assert counts[-1] == 0
    assert 5 <= len(pieces.words) - 1 <= 14
    assert len(set(pieces.words)) == len(pieces.words)


def test_one_wild_value_does_not_squeeze_a_histogram():
    values = np.r_[np.random.default_rng(4).uniform(0, 10, 999), 1e9]
    pieces = histogram(values, "numbers", 12)
    assert pieces.words[-2].endswith("and more")
    assert np.bincount(pieces.codes).max() < 200


def test_pieces_of_many_columns_are_those_of_each():
    matrix = np.random.default_rng(5).integers(0, 7, (80, 9)).astype(float)
    matrix[::7] = np.nan
    together = quantile_codes(matrix, 5)
    for column in range(9):
        np.testing.assert_array_equal(together[:, column], quantile_codes(matrix[:, [column]], 5)[:, 0])


def test_of_twenty_thousand_columns_the_most_related_are_listed():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(100, 20_000))
    frame = pl.DataFrame(X, schema=[f"gene {i}" for i in range(20_000)])
    found = profile(Rows(frame, (X[:, 777] > 0).astype(int), "binary", np.array([0, 1]), tuple(frame.columns)))
    assert (len(found.columns), found.unlisted) == (200, 19_800)
    assert found.columns[0].name == "gene 777"
    shares = [column.relation for column in found.columns]
    assert shares == sorted(shares, reverse=True)


def test_a_sparse_matrix_has_the_profile_of_its_columns():
    X = sparse.random(300, 40, 0.2, format="csr", random_state=7)
    y = (X[:, [11]].toarray().ravel() > 0).astype(int)
    names = tuple(str(i) for i in range(40))
    dense = profile(rows_of({name: X[:, [int(name)]].toarray().ravel() for name in names}, y, [0, 1]))
    found = profile(Rows(X, y, "binary", np.array([0, 1]), names))
    assert found == dense
    assert found.columns[0].name == "11"


def test_a_large_table_is_profiled_by_a_random_part_and_says_so():
    n = 250_000
    y = np.arange(n) % 2
    found = profile(rows_of({"x": np.r_[np.zeros(n // 2), np.ones(n // 2)]}, y, [0, 1]))
    assert found.rows == 100_000
    assert sum(bar.rows for bar in found.columns[0].bins) == 100_000
    # The file is sorted: a part from its beginning would hold zeros alone.
    assert found.columns[0].bins[1].rows == pytest.approx(50_000, abs=1500)
    assert found.columns[0].distinct == 2


def test_an_amount_is_profiled_too_and_all_of_it_is_json():
    found = profile(rows_of({"x": np.arange(50.0), "e": [None] * 25 + [1.5] * 25}, np.arange(50.0)))
    assert found.target is not None
    assert sum(bar.rows for bar in found.target.bins) == 50
    assert found.base == pytest.approx(24.5)
    json.dumps(to_plain(found), allow_nan=False)
