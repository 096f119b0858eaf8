"""The encoder from tables to numbers."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone

from treatise._core.errors import TreatiseError
from treatise.catalog import Cost
from treatise.compare import TableEncoder, understand
from treatise.compare.candidates import all_candidates, find_candidate
from treatise.compare.inputs.encoding import table_pipeline
from treatise.io import Table, load_model, save_model


def frame():
    return pl.DataFrame({"n": [1.0, None, 3.0, 100.0], "b": [True, False, None, True], "t": ["u", "v", None, "u"]})


def test_numbers_get_medians_and_marks_and_texts_get_indicators():
    encoded = TableEncoder().fit_transform(frame())
    expected = np.array(
        [
            # n, n missing, b, b missing, t=u, t=(missing), t=v
            [1.0, 0, 1, 0, 1, 0, 0],
            [3.0, 1, 0, 0, 0, 0, 1],
            [3.0, 0, 1, 1, 0, 1, 0],
            [100.0, 0, 1, 0, 1, 0, 0],
        ]
    )
    np.testing.assert_array_equal(encoded, expected)


def test_medians_come_from_the_rows_of_fitting_alone():
    encoder = TableEncoder().fit(frame()[:3])
    new = pl.DataFrame(
        {"n": [None], "b": [None], "t": [None]}, schema={"n": pl.Float64, "b": pl.Boolean, "t": pl.String}
    )
    assert encoder.transform(new)[0, 0] == 2.0


def test_unseen_and_rare_values_are_zeros_everywhere():
    data = pl.DataFrame({"t": ["a"] * 3 + ["b"] * 2 + ["c"]})
    encoder = TableEncoder(max_categories=2).fit(data)
    assert list(encoder.get_feature_names_out()) == ["t = a", "t = b"]
    new = encoder.transform(pl.DataFrame({"t": ["c", "never seen", "b"]}))
    np.testing.assert_array_equal(new, [[0, 0], [0, 0], [0, 1]])


def test_the_encoding_does_not_depend_on_the_order_of_rows():
    data = pl.DataFrame({"t": list("abcdefgh")})
    encoder, reversed_ = TableEncoder(3).fit(data), TableEncoder(3).fit(data[::-1])
    assert list(encoder.get_feature_names_out()) == list(reversed_.get_feature_names_out())


def test_columns_are_found_by_name_and_further_ones_left_alone():
    encoder = TableEncoder().fit(frame())
    shuffled = frame().select("t", pl.lit(9).alias("extra"), "b", "n")
    np.testing.assert_array_equal(encoder.transform(shuffled), encoder.transform(frame()))


def test_a_missing_column_and_text_among_numbers_are_named():
    encoder = TableEncoder().fit(frame())
    with pytest.raises(TreatiseError, match="lacks the column 'b'"):
        encoder.transform(frame().drop("b"))
    with pytest.raises(TreatiseError, match="column 'n' holds 'tall'"):
        encoder.transform(frame().with_columns(n=pl.Series(["1", "tall", "2", "3"])))


def test_numbers_written_as_text_in_a_new_file_are_taken():
    encoder = TableEncoder().fit(frame())
    as_text = frame().with_columns(pl.col("n").cast(pl.String))
    np.testing.assert_array_equal(encoder.transform(as_text), encoder.transform(frame()))


def test_infinities_count_as_missing():
    encoder = TableEncoder().fit(pl.DataFrame({"n": [1.0, float("inf"), 3.0]}))
    np.testing.assert_array_equal(encoder.transform(pl.DataFrame({"n": [float("-inf")]})), [[2.0, 1.0]])


def test_pandas_frames_give_the_same():
    data = pd.DataFrame({"n": [1.0, np.nan, 3.0], "t": ["u", "v", None]})
    encoder = TableEncoder().fit(data)
    np.testing.assert_array_equal(encoder.transform(data), encoder.transform(pl.from_pandas(data)))


def test_clone_and_model_file_keep_it(tmp_path):
    encoder = TableEncoder(max_categories=2).fit(frame())
    save_model(encoder, tmp_path / "encoder.skops")
    again = load_model(tmp_path / "encoder.skops").model
    np.testing.assert_array_equal(again.transform(frame()), encoder.transform(frame()))
    assert clone(encoder).max_categories == 2


def test_a_selection_of_nothing_predicts_the_shares_of_the_classes(tmp_path):
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(rng.normal(size=(200, 3)), schema=["a", "b", "c"])
    y = np.where(np.arange(200) % 4 == 0, "rare", "usual")
    candidate = find_candidate("FCBF", all_candidates("binary"), "binary")
    for X, is_sparse in ((frame, False), (sparse.csr_matrix(frame.to_numpy()), True)):
        with pytest.warns(UserWarning, match="kept no feature"):
            fitted = table_pipeline(candidate, is_sparse, {}, seed=0).fit(X, y)
        # The intercept is free of penalty, so that the optimum is the share; the solver's tolerance is 1e-4.
        with pytest.warns(UserWarning, match="No features"):
            np.testing.assert_allclose(fitted.predict_proba(X), np.tile([0.25, 0.75], (200, 1)), atol=1e-3)
    save_model(fitted, tmp_path / "constant.skops", metadata={})
    with pytest.warns(UserWarning, match="No features"):
        assert set(load_model(tmp_path / "constant.skops").model.predict(X)) == {"usual"}


def test_very_many_columns_are_screened_for_dense_methods_inside_the_fold():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3000))
    y = np.where(X[:, 1234] + 0.1 * rng.normal(size=80) > 0, "a", "b")
    frame = pl.DataFrame(X, schema=[f"g{j}" for j in range(3000)]).with_columns(y=pl.Series(y))
    data = understand(Table("genes", frame, True, ()), "y")
    forest, linear = (
        find_candidate(name, data.candidates(), "binary") for name in ("HistGradientBoostingClassifier", "AROW")
    )
    # Whatever was measured: a quick method sees many columns, a slow one few.
    forest = replace(forest, compare=replace(forest.compare, seconds=Cost(1e-9)))
    assert data.columns_for(forest) == 2000
    assert data.columns_for(replace(forest, compare=replace(forest.compare, seconds=Cost(1.0, p=1)))) == 250
    assert data.columns_for(linear) == 3000
    screened = data.pipeline(forest, {}, 0)
    assert [name for name, _ in screened.steps] == ["table", "screen", "method"]
    kept = screened[:2].fit(data.X, data.y)["screen"].kept_
    assert len(kept) == 2000
    assert 1234 in kept
    assert "screen" not in data.pipeline(linear, {}, 0).named_steps
