"""Tests of columns for values: what features are made of, and the rows in which they hold as bits."""

from collections.abc import Sequence

import numpy as np

MOST_VALUES = 64
"""Of a column: the values at which a test holds are the bits of one word."""

Values = int | tuple[int, ...]
Feature = tuple[tuple[int, Values], ...]
"""Tests in the order of the columns: a column and the value, or the values, at which its test holds; the feature is 1
where all of them hold."""


def narrowed(tests: Feature, column: int, value: int, equal: bool, n_values: int) -> Feature:
    """Tests together with one more: that a column has a value, or that it has another one."""
    before = dict(tests).get(column)
    left = range(n_values) if before is None else (before,) if isinstance(before, int) else before
    left = tuple(v for v in left if (v == value) == equal)
    narrow = left[0] if len(left) == 1 else left
    if before is None:
        return (*tests, (column, narrow))
    return tuple((other, narrow if other == column else values) for other, values in tests)


def table_of_values(X, n_values):
    """A table of codes, and the number of values of each column.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Whole numbers from 0.
    n_values : sequence of int or None
        Number of values of each column; None takes the largest code of each column and one more, two at least.

    Returns
    -------
    X : ndarray of uint8
    n_values : ndarray of int
    """
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"X must be a table of rows and columns; its shape is {X.shape}")
    if not np.issubdtype(X.dtype, np.number) and X.dtype != bool:
        raise ValueError("X must hold codes 0, 1, 2, ...; DecisionTreeMarkovNetwork takes text")
    if n_values is None:
        top = X.max(axis=0, initial=1)
        n_values = np.where((top >= 0) & (top < MOST_VALUES), top, 1).astype(np.int64) + 1
    n_values = np.asarray(n_values, dtype=np.int64)
    if n_values.shape != (X.shape[1],) or n_values.min(initial=1) < 1 or n_values.max(initial=1) > MOST_VALUES:
        raise ValueError(f"n_values must be 1 to {MOST_VALUES} for each of {X.shape[1]} columns; it is {n_values}")
    with np.errstate(invalid="ignore"):  # NaN is refused below
        codes = X.astype(np.uint8, order="C")
    strange = (codes != X) | (codes >= n_values)
    if strange.any():
        r, j = np.argwhere(strange)[0]
        held = "zeros and ones" if n_values[j] == 2 else f"whole numbers from 0 to {n_values[j] - 1}"
        raise ValueError(f"column {j} of X must hold {held}; it holds {X[r, j]:g}")
    return codes, n_values


def splitting_tests(n_values) -> list[tuple[int, int]]:
    """The tests (column, value) that a tree may ask: of two values the second, of more each."""
    return [(j, v) for j, k in enumerate(n_values) for v in (range(k) if k > 2 else range(1, k))]


def packed_tests(X, tests: Sequence[tuple[int, Values]]):
    """Rows in which each test holds, as words of 64 rows; the bits beyond the last row are zero."""
    columns = np.ascontiguousarray(X.T)
    holds = np.empty((len(tests), len(X)), dtype=bool)
    for k, (column, values) in enumerate(tests):
        if isinstance(values, tuple):
            holds[k] = np.isin(columns[column], values)
        else:
            np.equal(columns[column], values, out=holds[k])
    return packed(holds)


def packed(bits):
    """Rows of zeros and ones as words of 64, the bits beyond the last one zero."""
    packed = np.packbits(bits, axis=1, bitorder="little")
    words = -(-packed.shape[1] // 8)
    padded = np.zeros((len(packed), 8 * words), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view("<u8").astype(np.uint64, copy=False)
