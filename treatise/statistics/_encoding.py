"""From columns of numbers and categories to a table of discrete columns."""

import numpy as np
from scipy import sparse
from sklearn.base import clone

from treatise.statistics._columns import Columns, code_categories
from treatise.statistics._counts import (
    MOST_PLANES,
    CodeColumns,
    DiscreteTable,
    DiscreteVariable,
    PlaneColumns,
    SparseColumns,
    StoredColumns,
    pack_planes,
)
from treatise.statistics._encoding_loops import (
    count_values,
    group_stored,
    has_more_than_two_values,
    pack_bytes,
    rank_integers,
    rank_stored,
)
from treatise.statistics.discretize import bins_of, column_blocks, mdl_cuts, sparse_mdl_bins

_COLUMNS_AT_ONCE = 256
"""Columns packed together: a cache line of each row, and words that stay in the cache (70 ms for 266 million bytes)."""


def encode(columns: Columns, discretizer=None, target: DiscreteVariable | None = None) -> DiscreteTable:
    """A table of discrete columns.

    Parameters
    ----------
    columns : Columns
        Categories are coded as they are, and so are numeric columns of at most two values.
    discretizer : None, "mdl" or transformer, default=None
        What to do with the other numeric columns. None takes integers for categories and refuses
        fractions; "mdl" cuts them by the class; a transformer is cloned, fitted and must give one column
        of integers for each column.
    target : DiscreteVariable or None, default=None
        The class, for the discretizers that look at it.
    """
    if sparse.issparse(columns.numbers):
        return _encode_sparse(columns, discretizer, target)
    return _encode_dense(columns, discretizer, target)


class _DenseTable:
    """Gathers coded columns into bit planes or the narrowest integers."""

    def __init__(self, n_samples: int) -> None:
        self.n_samples = n_samples
        self._pieces: dict[str, list[tuple[np.ndarray, np.ndarray, np.ndarray]]] = {}

    def add(self, places: np.ndarray, codes: np.ndarray, n_values: np.ndarray) -> None:
        """Columns at the given places of the table, one a row of ``codes``."""
        few = n_values <= MOST_PLANES + 1
        if few.any():
            planes = pack_planes(codes[few], n_values[few])
            self._keep("planes", places[few], planes, codes[few], n_values[few])
        widths = np.array([np.min_scalar_type(int(count) - 1).name for count in n_values])
        for width in set(widths[~few]):
            chosen = ~few & (widths == width)
            narrow = codes[chosen].astype(width)
            self._keep(width, places[chosen], narrow, codes[chosen], n_values[chosen])

    def _keep(self, kind, places, stored, codes, n_values):
        starts = np.concatenate(([0], np.cumsum(n_values)))
        counts = np.zeros(starts[-1], dtype=np.int64)
        count_values(codes, starts, counts)
        self._pieces.setdefault(kind, []).append((places, stored, np.split(counts, starts[1:-1])))

    def table(self) -> DiscreteTable:
        parts: list[tuple[np.ndarray, StoredColumns]] = []
        for kind, pieces in self._pieces.items():
            places = np.concatenate([piece[0] for piece in pieces])
            stored = np.concatenate([piece[1] for piece in pieces])
            counts = [count for piece in pieces for count in piece[2]]
            starts = np.concatenate(([0], np.cumsum([len(count) for count in counts])))
            flat = np.concatenate(counts)
            if kind == "planes":
                parts.append((places, PlaneColumns(stored, flat, starts, self.n_samples)))
            else:
                parts.append((places, CodeColumns(stored, flat, starts)))
        return DiscreteTable(parts, self.n_samples)


def _encode_bits(X: np.ndarray) -> DiscreteTable | None:
    """A table of bytes, if all are zeros and ones: its bits as they are, column by column."""
    n, p = X.shape
    planes, ones = np.empty((p, -(-n // 64)), dtype=np.uint64), np.zeros(p, dtype=np.int64)
    if pack_bytes(np.ascontiguousarray(X).view(np.uint8), _COLUMNS_AT_ONCE, planes, ones) > 1:
        return None
    counts = np.column_stack([n - ones, ones]).ravel()
    return DiscreteTable([(np.arange(p), PlaneColumns(planes, counts, 2 * np.arange(p + 1), n))], n)


def _encode_dense(columns: Columns, discretizer, target) -> DiscreteTable:
    if columns.numbers.dtype.itemsize == 1 and not columns.categories:
        bits = _encode_bits(columns.numbers)
        if bits is not None:
            return bits
    dense = _DenseTable(columns.n_samples)
    for place, variable in columns.categories:
        dense.add(np.array([place]), variable.codes[np.newaxis], np.array([variable.n_values]))
    if discretizer is None and columns.numbers.dtype.kind in "iu":
        for block, values in column_blocks(columns.numbers, np.int64):
            _add_integers(dense, columns.number_at[block], values)
        return dense.table()
    left = []
    for block, values in column_blocks(columns.numbers):
        places = columns.number_at[block]
        many = np.empty(len(values), dtype=bool)
        has_more_than_two_values(values, many)
        two = values[~many]
        codes = (two != two[:, :1]).astype(np.int32)
        dense.add(places[~many], codes, 1 + codes.any(axis=1))
        if not many.any():
            continue
        if discretizer is None:
            _add_integers(dense, places[many], _whole(values[many], places[many], columns))
        elif isinstance(discretizer, str):
            cuts, starts = mdl_cuts(values[many], target.codes, target.n_values)
            dense.add(places[many], bins_of(values[many], cuts, starts), np.diff(starts) + 1)
        else:
            left.append(np.arange(block.start, block.stop)[many])
    if left:
        chosen = np.concatenate(left)
        bins = _bins_of_transformer(discretizer, columns.numbers[:, chosen], target)
        for block, values in column_blocks(bins, np.int64):
            _add_integers(dense, columns.number_at[chosen[block]], values)
    return dense.table()


def _add_integers(dense, places, values):
    codes, n_values = np.empty(values.shape, dtype=np.int32), np.empty(len(values), dtype=np.int64)
    rank_integers(values, codes, n_values)
    for wide in np.flatnonzero(n_values == 0):
        variable = code_categories(values[wide])
        codes[wide], n_values[wide] = variable.codes, variable.n_values
    dense.add(places, codes, n_values)


def _whole(values, places, columns):
    """Float columns as integers, or an error that names the first one that holds fractions."""
    fractional = values != np.floor(values)
    if fractional.any():
        row = int(np.flatnonzero(fractional.any(axis=1))[0])
        _refuse_fractions(columns, places[row], values[row][fractional[row]][0])
    if (np.abs(values) >= 2.0**63).any():  # whole, but too large for an integer: their ranks will do
        return np.stack([code_categories(row).codes for row in values]).astype(np.int64)
    return values.astype(np.int64)


def _refuse_fractions(columns, place, value):
    raise ValueError(
        f"column {columns.name(place)} of X is continuous (it holds {float(value):.6g}): discretise it first, with "
        f"MDLDiscretizer or discretizer='mdl', or give its values as strings or categories"
    )


def _bins_of_transformer(discretizer, X, target):
    bins = clone(discretizer).fit_transform(X, target.codes)
    if sparse.issparse(bins) or np.shape(bins) != X.shape:
        raise ValueError(
            f"discretizer={discretizer!r} turned {X.shape[1]} columns into an output of shape {np.shape(bins)}; "
            f"it must give one dense column of integers for each (KBinsDiscretizer: encode='ordinal')"
        )
    bins = np.asarray(bins)
    if (bins != np.floor(bins)).any():
        raise ValueError(f"discretizer={discretizer!r} left fractions; it must give integers")
    return bins.astype(np.int64)


def _encode_sparse(columns: Columns, discretizer, target) -> DiscreteTable:
    X = columns.numbers
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    n, p = X.shape
    data, indptr = X.data.astype(np.float64, copy=False), X.indptr.astype(np.int64, copy=False)
    rows = X.indices.astype(np.int32, copy=False)
    codes, n_distinct = np.empty(len(data), dtype=np.int32), np.empty(p, dtype=np.int64)
    order = _order_in_columns(data, indptr)
    rank_stored(data, indptr, order, codes, n_distinct)
    many = np.flatnonzero(n_distinct + (np.diff(indptr) < n) > 2)
    if len(many) and discretizer is None:
        _refuse_stored_fractions(columns, data, indptr, many)
    elif len(many) and isinstance(discretizer, str):
        n_distinct[many] = sparse_mdl_bins(data, rows, indptr, order, many, target, codes)
    elif len(many):
        raise ValueError(
            f"column {many[0]} of the sparse X has more than two values, and discretizer={discretizer!r} wants dense "
            f"columns; use discretizer='mdl' or None, or a dense X"
        )
    starts = np.concatenate(([0], np.cumsum(n_distinct + 1)))
    counts, grouped_indptr = np.zeros(starts[-1], dtype=np.int64), np.zeros(p + 1, dtype=np.int64)
    grouped_rows = np.empty(np.count_nonzero(codes), dtype=np.int32)
    group_stored(codes, rows, indptr, n, starts, counts, grouped_rows, grouped_indptr)
    storage = SparseColumns(grouped_rows, grouped_indptr, counts, starts, n)
    return DiscreteTable([(np.arange(p), storage)], n)


def _order_in_columns(data, indptr):
    """Order that sorts the stored entries of each column of a CSC matrix by value."""
    if len(data) == 0 or (data == data[0]).all():
        return np.arange(len(data))
    return np.lexsort((data, np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))))


def _refuse_stored_fractions(columns, data, indptr, many):
    fractional = np.flatnonzero(data != np.floor(data))
    for at in fractional:
        place = np.searchsorted(indptr, at, side="right") - 1
        if place in many:
            _refuse_fractions(columns, place, data[at])
