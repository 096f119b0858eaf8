"""Entropies and dependence measures against scikit-learn and against sums over all cells."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import mutual_info_score

from treatise.statistics import (
    conditional_mutual_information,
    entropy,
    mutual_information,
    su_matrix,
    symmetrical_uncertainty,
)


def plug_in_entropy(*columns):
    _, counts = np.unique(np.column_stack(columns), axis=0, return_counts=True)
    p = counts / counts.sum()
    return float(-(p * np.log2(p)).sum())


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    base = rng.integers(0, 4, 300)
    columns = [base, base // 2, np.where(rng.random(300) < 0.7, base, 0), rng.integers(0, 30, 300), np.zeros(300, int)]
    return np.column_stack(columns)


def test_symmetrical_uncertainty_is_normalised_mutual_information_of_scikit_learn(X):
    for x in X.T:
        for y in X.T:
            total = plug_in_entropy(x) + plug_in_entropy(y)
            expected = 2 * mutual_info_score(x, y) / math.log(2) / total if total else 0.0
            assert symmetrical_uncertainty(x, y) == pytest.approx(expected, abs=1e-12)
            assert mutual_information(x, y) == pytest.approx(mutual_info_score(x, y) / math.log(2), abs=1e-12)


def test_symmetrical_uncertainty_is_one_with_itself_zero_with_a_constant_and_symmetric(X):
    for x in X.T[:-1]:
        assert symmetrical_uncertainty(x, x) == 1.0
        assert symmetrical_uncertainty(x, np.full(len(x), 9)) == 0.0
        for y in X.T:
            assert symmetrical_uncertainty(x, y) == symmetrical_uncertainty(y, x)
    assert symmetrical_uncertainty([1, 1], ["a", "a"]) == 0.0


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=60))
def test_information_identities_hold_on_any_counts(rows):
    x, y, z = np.array(rows).T
    assert entropy(x) == pytest.approx(plug_in_entropy(x), abs=1e-12)
    shared = plug_in_entropy(x) + plug_in_entropy(y) - plug_in_entropy(x, y)
    assert mutual_information(x, y) == pytest.approx(shared, abs=1e-12)
    given_z = plug_in_entropy(x, z) + plug_in_entropy(y, z) - plug_in_entropy(x, y, z) - plug_in_entropy(z)
    assert conditional_mutual_information(x, y, z) == pytest.approx(given_z, abs=1e-12)
    assert 0.0 <= symmetrical_uncertainty(x, y) <= 1.0


def test_su_matrix_holds_every_pair_for_every_kind_of_table(X):
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    expected = np.array([[symmetrical_uncertainty(x, y) for y in X.T] for x in X.T])
    np.testing.assert_array_equal(su_matrix(X), expected)
    np.testing.assert_array_equal(su_matrix(sparse.csr_matrix(X)), expected)
    np.testing.assert_array_equal(su_matrix(X.astype(str)), expected)
    np.testing.assert_array_equal(su_matrix(X[:, :2], X), expected[:2])
    names = [f"column {i}" for i in range(X.shape[1])]
    frame = pandas.DataFrame(X, columns=names)
    frame["column 0"] = frame["column 0"].map(lambda value: "abcd"[value])
    frame["column 1"] = frame["column 1"].astype("category")
    np.testing.assert_array_equal(su_matrix(frame), expected)
    np.testing.assert_array_equal(
        su_matrix(polars.DataFrame(X, schema=names).cast({names[1]: polars.String})), expected
    )


def test_categories_of_fractions_are_categories():
    pandas = pytest.importorskip("pandas")
    grades = pandas.Series([0.5, 1.0, 1.5, 0.5], dtype="category")
    assert entropy(grades) == 1.5


def test_fractions_are_refused_by_name():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match=r"column 1 of X is continuous \(it holds 0\.25\)"):
        su_matrix(np.array([[0, 0.25], [1, 0.5], [2, 1.0]]))
    with pytest.raises(ValueError, match="column 'height' of X is continuous"):
        su_matrix(pandas.DataFrame({"a": ["x", "y", "z"], "height": [1.5, 2.5, 3.5]}))
    with pytest.raises(ValueError, match="column 2 of X is continuous"):
        su_matrix(sparse.csr_matrix(np.array([[1, 0.0, 0.5], [0, 0.5, 1.5], [2, 0.0, 0.0]])))


def test_two_values_are_categories_even_if_fractions():
    assert symmetrical_uncertainty([0.5, -1.25, 0.5], ["a", "b", "a"]) == 1.0


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_missing_values_are_refused(missing):
    with pytest.raises(ValueError, match="NaN"):
        entropy(np.array(["a", missing], dtype=object))
    with pytest.raises(ValueError, match="NaN"):
        entropy([1.0, float("nan")])


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        mutual_information([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="X has 2 rows but Y has 3"):
        su_matrix([[1], [2]], [[1], [2], [3]])
    with pytest.raises(ValueError, match="x has 2 columns; give one variable"):
        entropy([[1, 2], [3, 4]])


def test_dates_are_refused_with_their_type():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"when": pandas.to_datetime(["2020-01-01", "2021-01-01"]), "a": [1, 2]})
    with pytest.raises(ValueError, match="column 'when' of X has the type datetime64"):
        su_matrix(frame)


def test_another_base_is_another_unit_of_the_same_information(X):
    x, y, z = X.T[0], X.T[2], X.T[1]
    nat = math.log(2)
    assert entropy(x, base=math.e) == pytest.approx(plug_in_entropy(x) * nat, abs=1e-12)
    assert mutual_information(x, y, base=math.e) == pytest.approx(mutual_info_score(x, y), abs=1e-12)
    bits = conditional_mutual_information(x, y, z)
    assert bits > 0.1
    assert conditional_mutual_information(x, y, z, base=4) == pytest.approx(bits / 2, abs=1e-12)
    with pytest.raises(ValueError, match="base=1 is no base"):
        entropy(x, base=1)
