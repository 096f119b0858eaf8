"""Formulas against the matrices that they describe."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from treatise.statistics import FormulaColumns, parse_formula

TABLE = {
    "y": np.array([1.0, 2.0, 3.0, 4.0]),
    "x": np.array([1.0, 2.0, 4.0, 8.0]),
    "k": np.array(["a", "b", "c", "a"]),
    "g": np.array([7, 7, 9, 9]),
}


def matrix(text, data=TABLE):
    parsed = parse_formula(text)
    return FormulaColumns(data, {}, learn=True).matrix(parsed.terms, intercept=parsed.intercept)


def test_words_become_indicators_of_all_categories_but_the_first():
    names, X = matrix("y ~ log(x) + k")
    assert names == ["log(x)", "k[b]", "k[c]"]
    np.testing.assert_allclose(X, np.column_stack([np.log(TABLE["x"]), TABLE["k"] == "b", TABLE["k"] == "c"]))


def test_without_a_constant_the_first_categories_are_all_there():
    names, X = matrix("y ~ 0 + k + x")
    assert names == ["k[a]", "k[b]", "k[c]", "x"]
    np.testing.assert_array_equal(X[:, :3].sum(axis=1), 1.0)


def test_stars_are_both_columns_and_their_product():
    names, X = matrix("y ~ x * k")
    assert names == ["x", "k[b]", "k[c]", "x:k[b]", "x:k[c]"]
    np.testing.assert_allclose(X[:, 3], TABLE["x"] * (TABLE["k"] == "b"))


def test_numbers_name_categories_where_asked():
    assert matrix("y ~ C(g)")[0] == ["C(g)[9]"]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_equal_a_mapping(frame):
    np.testing.assert_array_equal(matrix("y ~ x * k", frame(TABLE))[1], matrix("y ~ x * k")[1])


def test_stated_order_of_categories_is_kept():
    frame = pd.DataFrame({"y": [0, 1], "k": pd.Categorical(["low", "high"], ["low", "high", "never"])})
    assert matrix("y ~ k", frame)[0] == ["k[high]"]


def test_random_parts_nest_cross_and_uncorrelate():
    random = parse_formula("y ~ 1 + (1 + x || g) + (0 + x | h) + (1 | a/b)").random
    assert [part.group for part in random] == [("g",), ("h",), ("a",), ("a", "b")]
    assert [part.intercept for part in random] == [True, False, True, True]
    assert [part.correlated for part in random] == [False, True, True, True]
    labels = FormulaColumns(TABLE, {}, learn=True).labels(("k", "g"))
    assert labels.tolist() == ["a:7", "b:7", "c:9", "a:9"]


def test_response_offsets_and_constant_are_read():
    formula = parse_formula("cbind(s, f) ~ x - 1 + offset(log(e))")
    assert (formula.response, formula.failures, formula.intercept, formula.offsets) == ("s", "f", False, ("log(e)",))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("y + x", "is no formula"),
        ("y ~ x +", "a term is missing"),
        ("y ~ x + (1 | g", "do not match"),
        ("y ~ x^2", "is not understood"),
        ("y ~ x - z", "only the constant"),
        ("y ~ (0 | g)", "no effect that varies"),
        ("y ~ (1 + x)", "random effects are written"),
    ],
)
def test_what_is_no_formula_is_told(text, words):
    with pytest.raises(ValueError, match=words):
        parse_formula(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("y ~ z", "no column 'z'; the columns are y, x, k, g"),
        ("y ~ log(k)", "where numbers are needed"),
        ("y ~ k:x", "write k\\*x"),
    ],
)
def test_columns_that_do_not_fit_are_told(text, words):
    with pytest.raises(ValueError, match=words):
        matrix(text)


def test_holes_and_new_categories_are_told():
    with pytest.raises(ValueError, match="1 missing values"):
        matrix("y ~ x", {"y": [1, 2], "x": [1.0, np.nan]})
    categories = {}
    FormulaColumns(TABLE, categories, learn=True).columns("k")
    with pytest.raises(ValueError, match="k = z was not among"):
        FormulaColumns({"k": np.array(["a", "z"])}, categories, learn=False).columns("k")
