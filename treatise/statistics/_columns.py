"""Reading tables of any kind into columns of numbers and columns of categories."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import assert_all_finite, column_or_1d

from treatise.statistics._counts import DiscreteVariable


@dataclass
class Columns:
    """A table whose columns are told apart.

    ``numbers`` has the numeric columns, ``number_at`` their places in the table; ``categories`` has for each
    other column its place and its coded values. ``names`` is empty where the table has none.
    """

    numbers: Any
    number_at: np.ndarray
    categories: list[tuple[int, DiscreteVariable]] = field(default_factory=list)
    names: Sequence[Any] = ()

    @property
    def n_samples(self) -> int:
        return self.numbers.shape[0]

    def name(self, column: int) -> str:
        """How messages call a column."""
        return repr(self.names[column]) if len(self.names) else str(column)


def is_frame(X: Any) -> bool:
    """Whether X is a data frame: pandas and polars both have named columns with types."""
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def labels_beside(X: Any, y: Any, estimator: Any) -> np.ndarray:
    """Labels checked beside a data frame as scikit-learn checks them beside an array."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_consistent_length(X, y)
    return y


def read_array(X: Any) -> Columns:
    """Columns of a checked two-dimensional array, or of a CSC matrix."""
    if sparse.issparse(X) or X.dtype.kind in "biuf":
        return Columns(X, np.arange(X.shape[1]))
    return _read([X[:, i] for i in range(X.shape[1])], [False] * X.shape[1], ())


def read_frame(X: Any) -> Columns:
    """Columns of a data frame: its categorical, string and Boolean columns are categories."""
    n_columns = X.shape[1]
    column: Callable[[int], Any] = (lambda i: X.iloc[:, i]) if hasattr(X, "iloc") else (lambda i: X[:, i])
    series = [column(i) for i in range(n_columns)]
    marked = [str(one.dtype).startswith(("category", "Categorical", "Enum")) for one in series]
    return _read([np.asarray(one) for one in series], marked, list(X.columns))


def _read(arrays: list[np.ndarray], marked: list[bool], names: Sequence[Any]) -> Columns:
    """Sort the columns into numbers and categories; ``marked`` ones are categories whatever they hold."""
    table = Columns(np.empty((len(arrays[0]) if arrays else 0, 0)), np.empty(0, dtype=np.intp), names=names)
    numbers, places = [], []
    for i, (values, category) in enumerate(zip(arrays, marked)):
        if values.dtype.kind in "mMcV":
            raise ValueError(
                f"column {table.name(i)} of X has the type {values.dtype}; "
                f"give numbers, strings, Booleans or categories"
            )
        if _has_missing(values):
            raise ValueError(
                f"Input X contains NaN (or another missing value) in column {table.name(i)}; "
                f"impute it, or make missing a category of its own"
            )
        if not category and _is_numeric(values):
            values = values.astype(np.float64) if values.dtype.kind == "O" else values
            if not np.isfinite(values).all():
                raise ValueError(f"Input X contains infinity in column {table.name(i)}; clip or remove it")
            numbers.append(values)
            places.append(i)
        else:
            table.categories.append((i, code_categories(values)))
    if numbers:
        table.numbers, table.number_at = np.column_stack(numbers), np.array(places)
    return table


def _is_numeric(values: np.ndarray) -> bool:
    if values.dtype.kind == "O":
        return all(isinstance(value, Real) and not isinstance(value, bool | np.bool_) for value in values)
    return values.dtype.kind in "iuf"


def _has_missing(values: np.ndarray) -> bool:
    if values.dtype.kind == "f":
        return bool(np.isnan(values).any())
    return values.dtype.kind == "O" and any(_is_missing(value) for value in values)


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def code_categories(values: np.ndarray) -> DiscreteVariable:
    """Codes of the values of one column, whatever they are."""
    if values.dtype.kind != "O":
        present, codes = np.unique(values, return_inverse=True)
        return DiscreteVariable(codes, len(present))
    number: dict[Any, int] = {}
    try:
        places = [number.setdefault(value, len(number)) for value in values]
    except TypeError:  # a value that cannot be hashed stands for what it prints as
        number = {}
        places = [number.setdefault(repr(value), len(number)) for value in values]
    return DiscreteVariable(np.array(places), len(number))
