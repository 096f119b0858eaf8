"""Coding the cells of any table as states of discrete variables, the same in fitting and in prediction."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils import gen_batches

from treatise._core.invariants import all_alike, are_starts, finite, is_array
from treatise.bayesnet._tables.coding_loops import MISSING, code_cells, code_entries
from treatise.bayesnet._tables.number_states import (
    CELLS_AT_ONCE,
    class_cuts,
    dense_entries,
    distinct_integers,
    distinct_numbers,
    intervals_in_words,
    stored_and_zero,
    stored_entries,
    values_in_words,
    whole_units,
)
from treatise.bayesnet._tables.reading import (
    categories_of,
    column_arrays,
    declared_categories,
    in_order,
    is_categorical,
    is_numeric,
    is_plain,
    missing,
    numbers_of,
    plain,
)
from treatise.statistics._columns import is_frame
from treatise.statistics._counts import entropy_table
from treatise.statistics._encoding_loops import has_more_than_two_values


class TableCoder(BaseEstimator):
    """Gives every cell of a table the number of its state.

    Strings, Booleans and categorical columns have a state for each category; numbers have one for each interval
    or, without a discretizer, for each value. A missing cell has the code -1, a value of column i that no state
    covers the code ``n_states_[i]``. An estimator by descent alone: model files admit no other private classes.

    Parameters
    ----------
    discretizer : "mdl", transformer or None, default="mdl"
        What to do with numeric columns of more than two values: cut them by class entropy, ask the transformer, or
        take whole numbers for categories.
    allow_missing : bool, default=False
        Whether cells may be missing.

    Attributes
    ----------
    number_at_, category_at_ : ndarray of int
        Places of the numeric columns and of the others.
    points_, starts_, exact_ : ndarray
        For numeric column i, ``points_[starts_[i] : starts_[i + 1]]`` are its values if ``exact_[i]``, else its cuts.
    categories_ : list of list
        Values of each of the other columns.
    """

    def __init__(self, discretizer="mdl", allow_missing=False):
        self.discretizer = discretizer
        self.allow_missing = allow_missing

    def fit(self, X, labels=None, n_classes=0, weights=None):
        """Learn the states of every column of a table that was read, and of the rows' classes if cuts need them."""
        self.n_columns_ = X.shape[1]
        self.names_ = list(X.columns) if is_frame(X) else []
        numbers, categories = self._read(X, learn=True)
        self.categories_ = [
            in_order(declared_categories(X, place) | categories_of(values))
            for place, values in zip(self.category_at_, categories)
        ]
        q = len(self.number_at_)
        self.points_, self.starts_ = np.empty(0), np.zeros(q + 1, dtype=np.int64)
        self.exact_ = np.full(q, not isinstance(self.discretizer, str))
        self.discretizer_, self.cut_ = None, np.zeros(q, dtype=bool)
        if isinstance(self.discretizer, str):
            self._learn_cuts(numbers, labels, n_classes, weights)
            return self
        if self.discretizer is not None:
            self._fit_discretizer(numbers, labels)
        self._merge_points(*self._distinct(self._discretized(numbers)))
        return self

    @property
    def n_states_(self):
        """Number of states of each column, in the order of the table."""
        n_states = np.empty(self.n_columns_, dtype=np.int64)
        n_states[self.number_at_] = np.diff(self.starts_) + ~self.exact_
        n_states[self.category_at_] = [len(values) for values in self.categories_]
        return np.maximum(n_states, 1)

    @property
    def states_(self):
        """What the states of each column are: categories, numbers, or intervals written out."""
        states = [()] * self.n_columns_
        for place, values in zip(self.category_at_, self.categories_):
            states[place] = tuple(values)
        for place, begin, end, exact in zip(self.number_at_, self.starts_, self.starts_[1:], self.exact_):
            points = self.points_[begin:end].tolist()
            states[place] = values_in_words(points) if exact else intervals_in_words(points)
        return [own or ("missing",) for own in states]

    def _invariants(self):
        q = len(self.number_at_)
        places = np.concatenate([self.number_at_, self.category_at_])
        yield (
            "every column is of numbers or of categories",
            is_array(places, np.int64, self.n_columns_) and (np.sort(places) == np.arange(self.n_columns_)).all(),
        )
        yield "points are numbers", is_array(self.points_, np.float64, None) and finite(self.points_)
        yield (
            "columns are cut by a transformer, or none is",
            (self.discretizer_ is None or hasattr(self.discretizer_, "transform")),
        )
        yield "every column of numbers has its points", are_starts(self.starts_, q, len(self.points_))
        for name in ("exact_", "cut_"):
            yield f"{name} is true or false for each column of numbers", is_array(getattr(self, name), np.bool_, q)
        lists = isinstance(self.categories_, list) and len(self.categories_) == len(self.category_at_)
        yield "every other column has its categories", lists and all_alike(self.categories_, list)
        yield "every column has a name, or none", len(self.names_) in (0, self.n_columns_)

    def coded_rows(self, X):
        """Slices of rows of a dense table, each with its codes: int32, one row a row of the table."""
        numbers, categories = self._read(X)
        numbers = self._discretized(numbers)
        coded = [_codes_of(known, values) for known, values in zip(self.categories_, categories)]
        for rows in gen_batches(X.shape[0], max(1, CELLS_AT_ONCE // self.n_columns_)):
            block = np.ascontiguousarray(numbers[rows], dtype=np.float64)
            codes = np.empty(block.shape, dtype=np.int32)
            code_cells(block, self.points_, self.starts_, self.exact_, codes)
            if coded:
                numeric, codes = codes, np.empty((len(block), self.n_columns_), dtype=np.int32)
                codes[:, self.number_at_] = numeric
                for place, column in zip(self.category_at_, coded):
                    codes[:, place] = column[rows]
            yield rows, codes

    def coded(self, X):
        """Codes of all cells of a dense table at once."""
        return np.concatenate([codes for _, codes in self.coded_rows(X)])

    def coded_entries(self, X):
        """A sparse table in canonical form, the codes of its stored entries, and the code of a zero in each column."""
        X, _ = self._read(X)
        codes, zero = np.empty(X.nnz, dtype=np.int32), np.empty(X.shape[1], dtype=np.int32)
        code_entries(X.data.astype(np.float64), X.indices, self.points_, self.starts_, self.exact_, codes)
        every = np.arange(X.shape[1], dtype=X.indices.dtype)
        code_entries(np.zeros(X.shape[1]), every, self.points_, self.starts_, self.exact_, zero)
        return X, codes, zero

    def extend(self, X):
        """Add the categories and values of X that are new; returns for each column that grew its states' new codes."""
        numbers, categories = self._read(X)
        moved = {}
        for place, known, values in zip(self.category_at_, self.categories_, categories):
            merged = in_order({*known, *categories_of(values)})
            if len(merged) > len(known):
                number = {value: code for code, value in enumerate(merged)}
                moved[place] = np.array([number[value] for value in known], dtype=np.int64)
                known[:] = merged
        old_points, old_starts = self.points_, self.starts_
        self._merge_points(*self._distinct(self._discretized(numbers)))
        for i in np.flatnonzero(np.diff(self.starts_) > np.diff(old_starts)):
            known = old_points[old_starts[i] : old_starts[i + 1]]
            moved[self.number_at_[i]] = np.searchsorted(self.points_[self.starts_[i] : self.starts_[i + 1]], known)
        return moved

    def _read(self, X, learn=False):
        """The numeric columns as one array or CSR matrix, and the others as a list."""
        if not learn and X.shape[1] != self.n_columns_:
            raise ValueError(f"X has {X.shape[1]} columns; the model was fitted to {self.n_columns_}")
        if learn and is_plain(X):
            self.number_at_, self.category_at_ = np.arange(X.shape[1]), np.arange(0)
        if is_plain(X) and not len(self.category_at_):
            return (_canonical(X) if sparse.issparse(X) else X), []
        columns = column_arrays(X)
        if learn:
            numeric = np.array([is_numeric(values, self._name(i)) for i, values in enumerate(columns)], dtype=bool)
            numeric &= ~is_categorical(X)
            self.number_at_, self.category_at_ = np.flatnonzero(numeric), np.flatnonzero(~numeric)
        numbers = [numbers_of(columns[i], self._name(i)) for i in self.number_at_]
        categories = [columns[i] for i in self.category_at_]
        if not self.allow_missing:
            for place, values in zip([*self.number_at_, *self.category_at_], [*numbers, *categories]):
                if missing(values).any():
                    raise ValueError(
                        f"Input X contains NaN (or another missing value) in column {self._name(place)}; "
                        f"impute it, or make missing a category of its own"
                    )
        return (np.column_stack(numbers) if numbers else np.empty((X.shape[0], 0))), categories

    def _name(self, place):
        return repr(self.names_[place]) if self.names_ else str(place)

    def _distinct(self, numbers):
        """Distinct values of the columns that are coded by value: the column of each, and the value."""
        exact = np.flatnonzero(self.exact_)
        if sparse.issparse(numbers):
            by_column = numbers.tocsc()
            found = [distinct_numbers(stored_and_zero(by_column, i)) for i in exact]
        elif numbers.dtype.kind in "iu" and 0 < len(exact) == numbers.shape[1]:
            found = distinct_integers(numbers)
        else:
            found = [distinct_numbers(numbers[:, i]) for i in exact]
        columns = np.repeat(exact, [len(own) for own in found])
        values = np.concatenate([np.empty(0), *found])
        two_valued = np.bincount(columns, minlength=len(self.exact_)) <= 2
        wrong = (values != np.floor(values)) & ~two_valued[columns]
        if wrong.any():
            at = np.argmax(wrong)
            raise ValueError(
                f"column {self._name(self.number_at_[columns[at]])} of X is continuous (it holds {values[at]:.6g}): "
                f"choose a discretizer, or give its values as strings or categories"
            )
        return columns, values

    def _merge_points(self, columns, values):
        """Add values to those that are known of the numeric columns."""
        q = len(self.exact_)
        columns = np.concatenate([np.repeat(np.arange(q), np.diff(self.starts_)), columns])
        values = np.concatenate([self.points_, values])
        order = np.lexsort((values, columns))
        columns, values = columns[order], values[order]
        first = np.ones(len(values), dtype=bool)
        first[1:] = (columns[1:] > columns[:-1]) | (values[1:] > values[:-1])
        self.points_ = values[first]
        self.starts_ = np.concatenate([[0], np.cumsum(np.bincount(columns[first], minlength=q))])

    def _learn_cuts(self, numbers, labels, n_classes, weights):
        """Cut every numeric column: in two where it has two values, else as the classes ask for."""
        units = whole_units(weights, numbers.shape[0])
        table = entropy_table(int(units.sum()))
        labels = labels.astype(np.int32)
        if sparse.issparse(numbers):
            by_column, totals = numbers.tocsc(), np.bincount(labels, units, n_classes).astype(np.int64)
            entries = (stored_entries(by_column, i, labels, units, totals) for i in range(numbers.shape[1]))
        else:
            entries = (dense_entries(numbers, i, labels, units) for i in range(numbers.shape[1]))
        points = [class_cuts(*own, n_classes, table) for own in entries]
        self.points_ = np.concatenate([np.empty(0), *points])
        self.starts_ = np.concatenate([[0], np.cumsum([len(own) for own in points], dtype=np.int64)])

    def _fit_discretizer(self, numbers, labels):
        if sparse.issparse(numbers):
            raise ValueError(
                f"X is sparse, and discretizer={self.discretizer!r} wants dense columns; use discretizer='mdl' or None"
            )
        numbers = np.asarray(numbers, dtype=np.float64)
        has_more_than_two_values(np.ascontiguousarray(numbers.T), self.cut_)
        if self.cut_.any():
            self.discretizer_ = clone(self.discretizer).fit(numbers[:, self.cut_], labels)

    def _discretized(self, numbers):
        """Numbers with the columns that a transformer takes care of replaced by its bins."""
        if self.discretizer_ is None:
            return numbers
        numbers = np.array(numbers, dtype=np.float64)
        bins = self.discretizer_.transform(numbers[:, self.cut_])
        if sparse.issparse(bins) or np.shape(bins) != (len(numbers), np.count_nonzero(self.cut_)):
            raise ValueError(
                f"discretizer={self.discretizer!r} turned {np.count_nonzero(self.cut_)} columns into an output of "
                f"shape {np.shape(bins)}; it must give one dense column of integers for each "
                f"(KBinsDiscretizer: encode='ordinal')"
            )
        numbers[:, self.cut_] = np.asarray(bins)
        return numbers


def _codes_of(known, values):
    """Codes of one column of categories, given those that are known."""
    number = {value: code for code, value in enumerate(known)}
    if values.dtype.kind in "UTbiu":
        present, inverse = np.unique(values, return_inverse=True)
        return np.array([number.get(value, len(known)) for value in present.tolist()], dtype=np.int32)[inverse]
    codes = np.full(len(values), MISSING, dtype=np.int32)
    here = ~missing(values)
    codes[here] = [number.get(plain(value), len(known)) for value in values[here]]
    return codes


def _canonical(X):
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X
