"""Codes of categorical columns: missing cells, bins, and values that the fit has not seen."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from treatise.statistics.category_columns import coded_columns, known_codes


class Reader(BaseEstimator):
    """An estimator that only reads."""


def test_missing_cells_get_minus_one_and_no_state():
    X = np.array([["a", 1.0], [None, np.nan], ["b", 3.0]], dtype=object)
    codes, states = coded_columns(Reader(), X, None, missing="mask")
    np.testing.assert_array_equal(codes, [[0, 0], [-1, -1], [1, 1]])
    assert states[0].tolist() == ["a", "b"] and states[1].tolist() == [1.0, 3.0]


def test_missing_cells_of_a_frame_are_those_of_its_values():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"u": pandas.array([1, None, 2], dtype="Int64"), "v": ["x", "y", None]})
    codes, _ = coded_columns(Reader(), frame, None, missing="mask")
    np.testing.assert_array_equal(codes, [[0, 0], [-1, 1], [1, -1]])
    with pytest.raises(ValueError, match="column 0 misses 1 of 3 values"):
        coded_columns(Reader(), frame, None)


def test_new_numbers_fall_into_the_bins_of_the_fit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    reader = Reader()
    codes, states = coded_columns(reader, X, 4)
    np.testing.assert_array_equal(known_codes(reader, X, states), codes)
    np.testing.assert_array_equal(known_codes(reader, [[-99.0, 99.0]], states), [[0, 3]])


def test_values_that_the_fit_has_not_seen_are_refused_by_name():
    reader = Reader()
    _, states = coded_columns(reader, [[0, 1], [2, 3]], None)
    with pytest.raises(ValueError, match=r"column 1 holds 7, which the fit did not see; it saw \[1, 3\]"):
        known_codes(reader, [[0, 7]], states)
    np.testing.assert_array_equal(known_codes(reader, [[np.nan, 3.0]], states, missing="mask"), [[-1, 1]])
