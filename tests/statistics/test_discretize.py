"""Entropy-minimising discretisation against cuts found by trying all of them."""

import math

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, load_wine

from treatise.statistics import MDLDiscretizer
from treatise.statistics._columns import read_array
from treatise.statistics._counts import DiscreteVariable
from treatise.statistics._encoding import encode


def bits(labels):
    _, counts = np.unique(labels, return_counts=True)
    p = counts / len(labels)
    return -(p * np.log2(p)).sum()


def brute_force_cuts(x, y, encoding="values", depth=99):
    """The recursion of Fayyad and Irani, in its own words."""
    values = np.unique(x)
    middles = (values[1:] + values[:-1]) / 2
    if depth == 0 or len(middles) == 0 or len(np.unique(y)) < 2:
        return []
    n = len(y)
    after = [(bits(y[x <= m]) * np.sum(x <= m) + bits(y[x > m]) * np.sum(x > m)) / n for m in middles]
    cut = middles[int(np.argmin(np.round(after, 12)))]
    left, right = y[x <= cut], y[x > cut]
    k, k1, k2 = (len(np.unique(part)) for part in (y, left, right))
    delta = math.log2(3**k - 2) - (k * bits(y) - k1 * bits(left) - k2 * bits(right))
    places = len(middles) if encoding == "values" else n - 1
    if bits(y) - min(after) <= (math.log2(places) + delta) / n:
        return []
    below = brute_force_cuts(x[x <= cut], left, encoding, depth - 1)
    above = brute_force_cuts(x[x > cut], right, encoding, depth - 1)
    return [*below, cut, *above]


def test_two_pure_halves_are_cut_once_at_the_midpoint():
    discretizer = MDLDiscretizer().fit([[1.0], [2.0], [3.0], [5.0], [6.0], [7.0]], list("000111"))
    assert discretizer.cut_points_[0].tolist() == [4.0]
    np.testing.assert_array_equal(discretizer.transform([[0], [4.0], [4.1], [99]]), [[0], [0], [1], [1]])


def test_a_pure_class_a_constant_and_noise_get_one_bin():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.arange(60), np.full(60, 3.0), rng.normal(size=60)])
    assert MDLDiscretizer().fit(X, np.zeros(60)).n_bins_.tolist() == [1, 1, 1]
    assert MDLDiscretizer().fit(X, np.arange(60) % 2).n_bins_.tolist() == [1, 1, 1]


@pytest.mark.parametrize("encoding", ["values", "rows"])
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_cuts_equal_brute_force_on_real_measurements(load, encoding):
    X, y = load(return_X_y=True)
    found = MDLDiscretizer(encoding=encoding).fit(X, y)
    for i, x in enumerate(X.T):
        np.testing.assert_allclose(found.cut_points_[i], brute_force_cuts(x, y, encoding), rtol=1e-12)
    assert found.n_bins_.max() > 2


def test_cuts_equal_brute_force_with_ties_and_many_classes():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 6, 400)
    X = np.column_stack([np.round(y + rng.normal(scale=s, size=400), digits) for s in (0.3, 1.0) for digits in (0, 1)])
    found = MDLDiscretizer().fit(X, y)
    for i, x in enumerate(X.T):
        np.testing.assert_allclose(found.cut_points_[i], brute_force_cuts(x, y), rtol=1e-12)
    shallow = MDLDiscretizer(max_depth=1).fit(X, y)
    for i, x in enumerate(X.T):
        np.testing.assert_allclose(shallow.cut_points_[i], brute_force_cuts(x, y, depth=1), rtol=1e-12)
    assert found.n_bins_[0] >= 5 and shallow.n_bins_.max() == 2


def test_hundreds_of_classes_do_not_overflow():
    y = np.repeat(np.arange(800), 4)
    cuts = MDLDiscretizer().fit(np.arange(3200.0).reshape(-1, 1), y).cut_points_[0]
    assert np.isfinite(cuts).all() and len(cuts) > 0


def test_a_cut_between_neighbouring_floats_separates_them():
    low = 1.0 - 2**-53
    X = np.repeat([low, 1.0], 20).reshape(-1, 1)
    assert np.unique(MDLDiscretizer().fit_transform(X, np.repeat([0, 1], 20))).tolist() == [0, 1]


def test_blocks_of_columns_do_not_change_the_cuts(monkeypatch):
    X, y = load_wine(return_X_y=True)
    whole = MDLDiscretizer().fit(X, y)
    monkeypatch.setattr("treatise.statistics.discretize._VALUES_AT_ONCE", 500)
    pieces = MDLDiscretizer().fit(X, y)
    for a, b in zip(whole.cut_points_, pieces.cut_points_):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(whole.transform(X), pieces.transform(X))


def test_sparse_columns_are_cut_as_dense_ones_are():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 300)
    X = np.column_stack([y * rng.normal(1, 0.5, 300), -y + rng.normal(size=300), rng.integers(-3, 4, 300) + y])
    X[rng.random(X.shape) < 0.6] = 0.0
    target = DiscreteVariable(y, 3)
    dense, thin = encode(read_array(X), "mdl", target), encode(read_array(sparse.csc_matrix(X)), "mdl", target)
    expected = MDLDiscretizer().fit_transform(X, y)
    assert expected.max() > 0
    for i in range(3):
        for table in (dense, thin):
            codes = table.codes([i])[0]
            pairs = np.unique(np.column_stack([expected[:, i], codes]), axis=0)
            assert len(pairs) == len(np.unique(expected[:, i])) == len(np.unique(codes))


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="NaN"):
        MDLDiscretizer().fit([[1.0], [np.nan]], [0, 1])
    with pytest.raises(ValueError, match="Unknown label type"):
        MDLDiscretizer().fit([[1.0], [2.0]], [0.5, 1.7])
    with pytest.raises(ValueError, match="max_depth"):
        MDLDiscretizer(max_depth=0).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="encoding"):
        MDLDiscretizer(encoding="gaps").fit([[1.0], [2.0]], [0, 1])
