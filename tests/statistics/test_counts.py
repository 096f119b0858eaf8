"""Sums over joint counts, in every way of storing columns, against tables counted by hand."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import gammaln

from treatise.statistics._columns import read_array
from treatise.statistics._counts import (
    CodeColumns,
    CountTable,
    DiscreteVariable,
    PlaneColumns,
    SparseColumns,
    entropy_table,
    joint_variable,
)
from treatise.statistics._counts_loops import popcount
from treatise.statistics._encoding import encode


def counted(x, z, f):
    """Sum of f over the cells of the joint table of two columns."""
    _, counts = np.unique(np.column_stack([x, z]), axis=0, return_counts=True)
    return f(counts.astype(float)).sum()


def xlogx(counts):
    return counts * np.log2(counts)


# 130 rows: two whole words and a partial one. Columns of 1, 2, 3, 9 (planes), 10, 200 and 300 values.
N = 130


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    columns = [np.zeros(N), rng.integers(0, 2, N), rng.integers(0, 3, N), np.arange(N) % 9]
    columns += [np.arange(N) % 10, rng.integers(0, 200, N), 7 * rng.permutation(N)]
    return np.column_stack(columns).astype(np.int64)


def variable(x):
    values, codes = np.unique(x, return_inverse=True)
    return DiscreteVariable(codes, len(values))


def test_popcount_counts_the_ones_of_words():
    words = np.random.default_rng(1).integers(0, 2**64, size=100, dtype=np.uint64)
    words = np.append(words, np.array([0, 1, 2**63, 2**64 - 1], dtype=np.uint64))
    assert [int(popcount(word)) for word in words] == [int(word).bit_count() for word in words]


@pytest.mark.parametrize("z_values", [1, 2, 5, 64, 65, 130])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_joint_sums_equal_sums_over_counted_tables(X, z_values, layout):
    z = variable(np.random.default_rng(2).integers(0, z_values, N))
    table = encode(read_array(X if layout == "dense" else sparse.csc_matrix(X)))
    f = entropy_table(N)
    columns = np.array([6, 0, 3, 5, 1, 4, 2])
    # Both are sums of N numbers of at most N log2 N = 900; rounding stays near 1e-13.
    expected = [counted(X[:, i], z.codes, xlogx) for i in columns]
    np.testing.assert_allclose(table.joint_sums(z, f, columns) * f.unit, expected, atol=1e-10)
    np.testing.assert_allclose(table.sums(f) * f.unit, [counted(x, 0 * x, xlogx) for x in X.T], atol=1e-10)


def test_joint_sums_take_any_function_of_the_count(X):
    # Log-gamma, as Bayesian scores of networks want it; f(0) = 0 by subtraction.
    counts = np.arange(N + 1.0)
    f = CountTable.of(gammaln(counts + 0.5) - gammaln(0.5))
    z = variable(X[:, 3])
    expected = [counted(x, z.codes, lambda c: gammaln(c + 0.5) - gammaln(0.5)) for x in X.T]
    np.testing.assert_allclose(encode(read_array(X)).joint_sums(z, f) * f.unit, expected, atol=1e-9)


def test_columns_are_stored_by_their_number_of_values(X):
    table = encode(read_array(X))
    kinds = [type(table._storages[part]) for part in table._part]
    assert kinds == [PlaneColumns] * 4 + [CodeColumns] * 3
    widths = [table._storages[part]._codes.dtype for part in table._part[4:]]
    assert widths == [np.uint8, np.uint8, np.uint8]
    wide = encode(read_array(np.arange(1000).reshape(-1, 1)))
    assert wide._storages[0]._codes.dtype == np.uint16
    assert isinstance(encode(read_array(sparse.csc_matrix(X)))._storages[0], SparseColumns)


@pytest.mark.parametrize("make", [np.asarray, sparse.csc_matrix], ids=["dense", "sparse"])
def test_codes_tell_the_values_of_a_column_apart_and_no_more(X, make):
    table = encode(read_array(make(X)))
    for i, codes in enumerate(table.codes(np.arange(X.shape[1]))):
        pairs = np.unique(np.column_stack([X[:, i], codes]), axis=0)
        assert len(pairs) == len(np.unique(X[:, i])) == len(np.unique(codes))
        np.testing.assert_array_equal(table.variable(i).codes, codes)
    assert (table.n_values >= [len(np.unique(x)) for x in X.T]).all()


def test_sparse_columns_without_a_zero_and_with_stored_zeros():
    dense = np.array([[1, 0], [2, 3], [1, 0], [2, 0]])
    stored = sparse.csc_matrix(dense)
    stored.data[-1] = 0  # the 3 becomes a stored zero
    table = encode(read_array(stored))
    f = entropy_table(4)
    np.testing.assert_allclose(table.sums(f) * f.unit, [2 + 2, 4 * 2])
    z = variable(dense[:, 0])
    np.testing.assert_allclose(table.joint_sums(z, f) * f.unit, [2 + 2, 2 + 2])


def test_sparse_duplicates_are_added_without_touching_the_matrix():
    rows, columns, data = [0, 0, 1], [0, 0, 0], [1.0, 1.0, 2.0]
    matrix = sparse.csc_matrix(sparse.coo_matrix((data, (rows, columns)), shape=(3, 1)).tocsc())
    doubled = sparse.csc_matrix((np.array(data), np.array(rows), np.array([0, 3])), shape=(3, 1))
    table = encode(read_array(doubled))
    np.testing.assert_array_equal(table.codes([0]), encode(read_array(matrix)).codes([0]))
    assert doubled.nnz == 3


def test_fixed_point_sums_do_not_depend_on_the_labels(X):
    f, rng = entropy_table(N), np.random.default_rng(3)
    relabelled = np.column_stack([rng.permutation(1000)[x] for x in X.T])
    z = variable(X[:, 2])
    swapped = DiscreteVariable(np.array([2, 0, 1])[z.codes], 3)
    first = encode(read_array(X)).joint_sums(z, f)
    np.testing.assert_array_equal(encode(read_array(relabelled)).joint_sums(swapped, f), first)


def test_joint_variable_has_a_code_for_every_tuple_that_occurs(X):
    joint = joint_variable(variable(X[:, 1]), variable(X[:, 2]), variable(X[:, 3]))
    tuples, codes = np.unique(X[:, 1:4], axis=0, return_inverse=True)
    assert joint.n_values == len(tuples)
    assert len(np.unique(np.column_stack([codes.ravel(), joint.codes]), axis=0)) == len(tuples)


def test_integers_too_wide_for_a_table_are_ranked_all_the_same():
    ends = np.array([[np.iinfo(np.int64).min], [np.iinfo(np.int64).max], [0], [0], [2**62]])
    np.testing.assert_array_equal(encode(read_array(ends)).codes([0]), [[0, 3, 1, 1, 2]])
    huge = np.array([[1e300], [-1e300], [0.0], [1e300]])
    np.testing.assert_array_equal(encode(read_array(huge)).codes([0]), [[2, 0, 1, 2]])
