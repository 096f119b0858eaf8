"""Tables of categories as numbers of states and back, and their counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from scipy import sparse

from treatise.statistics._columns import is_frame

State = Any


def columns_of(X: Any, variables: Sequence[Any], wanted: Sequence[int]) -> dict[int, "Column"]:
    """The columns of X of the wanted variables; those that a frame lacks are left out.

    A frame has them by name. An array has them in order, or at their numbers where the names are numbers.
    """
    if is_frame(X):
        if not len(X):
            raise ValueError(f"X must be a table with at least one row; its shape is {X.shape}")
        names = list(X.columns)
        place = {v: names.index(variables[v]) for v in wanted if variables[v] in names}
        column = (lambda i: X.iloc[:, i]) if hasattr(X, "iloc") else (lambda i: X[:, i])
        return {v: Column.of(column(i), variables[v]) for v, i in place.items()}
    if sparse.issparse(X):
        raise ValueError("X is a sparse matrix; states are given in a dense array or a data frame")
    rows = np.asarray(X)
    if rows.ndim == 2 and rows.dtype.kind == "U" and not isinstance(X, np.ndarray):
        # A list of rows that mixes words and numbers must not turn the numbers into words.
        rows = np.array([list(row) for row in X], dtype=object)
    if rows.ndim != 2 or not len(rows):
        raise ValueError(f"X must be a table with at least one row; its shape is {rows.shape}")
    numbered = all(isinstance(name, int) and name >= 0 for name in variables)
    needed = max(variables) + 1 if numbered else len(variables)
    if rows.shape[1] < needed or (not numbered and rows.shape[1] != needed):
        raise ValueError(f"X has {rows.shape[1]} columns and the network {needed} variables; give one column for each, "
                         "in their order, or a data frame with their names")  # fmt: skip
    return {v: Column.of(rows[:, variables[v] if numbered else v], variables[v]) for v in wanted}


@dataclass(frozen=True)
class Column:
    """A column of X as distinct values and, for each row, the number of its value.

    ``seen`` marks the values that occur; categories of a data frame may not.
    """

    name: Any
    values: list[State]
    inverse: np.ndarray
    seen: np.ndarray
    categorical: bool = False

    @classmethod
    def of(cls, column: Any, name: Any) -> "Column":
        """The column of a frame or an array, of which no row may be missing."""
        if hasattr(column, "factorize") and hasattr(column, "iloc"):
            return cls._of_series(column, name)
        values = np.asarray(column)
        if values.dtype.kind not in "OUSbiuf":
            raise ValueError(f"the column {name!r} has the type {values.dtype}; give strings, integers or Booleans")
        if values.dtype.kind == "f" and np.isnan(values).any():
            raise _missing(int(np.argmax(np.isnan(values))), name)
        if values.dtype.kind in "biuf":
            distinct, inverse = np.unique(values, return_inverse=True)
            return cls(name, distinct.tolist(), inverse, np.ones(len(distinct), dtype=bool))
        listed = values.tolist()
        try:
            number = {value: i for i, value in enumerate(dict.fromkeys(listed))}
        except TypeError as error:
            raise ValueError(f"the column {name!r} holds a value that cannot be a state ({error})") from None
        for value in number:
            if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
                raise _missing(next(i for i, each in enumerate(listed) if each is value), name)
        inverse = np.fromiter(map(number.__getitem__, listed), np.int64, len(listed))
        return cls(name, list(number), inverse, np.ones(len(number), dtype=bool))

    @classmethod
    def _of_series(cls, column: Any, name: Any) -> "Column":
        """A column of pandas, which counts its values itself."""
        if column.dtype.kind in "mMc":
            raise ValueError(f"the column {name!r} has the type {column.dtype}; give strings, integers or Booleans")
        categorical = hasattr(column, "cat")
        if categorical:
            inverse, values = np.asarray(column.cat.codes, np.int64), column.cat.categories
        else:
            inverse, values = column.factorize()
        if np.any(inverse < 0):
            raise _missing(int(np.argmin(inverse)), name)
        seen = np.bincount(inverse, minlength=len(values)) > 0
        return cls(name, [_plain(value) for value in values.tolist()], inverse, seen, categorical)

    def states(self) -> tuple[State, ...]:
        """The values as states: in the order of the categories, or sorted, or of appearance where they do not sort."""
        if self.categorical:
            return tuple(self.values)
        between = [value for value in self.values if isinstance(value, float) and not value.is_integer()]
        if between:
            raise ValueError(f"the column {self.name!r} is continuous (it holds {between[0]:g}); cut it into states, "
                             "or name in states= the numbers that it may be")  # fmt: skip
        try:
            return tuple(sorted(self.values))
        except TypeError:
            return tuple(self.values)

    def codes(self, states: Sequence[State]) -> np.ndarray:
        """The number of each row's value among the states."""
        place = {state: i for i, state in enumerate(states)}
        numbers = np.array([place.get(value, -1) for value in self.values], np.int64)
        unknown = np.flatnonzero((numbers < 0) & self.seen)
        if len(unknown):
            known = ", ".join(repr(state) for state in states[:12]) + (", ..." if len(states) > 12 else "")
            raise ValueError(f"{self.values[unknown[0]]!r} is no state of {self.name!r}; its states: {known}")
        return numbers[self.inverse]


def _missing(row: int, name: Any) -> ValueError:
    return ValueError(f"row {row} of the column {name!r} is missing (NaN); fill it in, drop the row, or make missing a "
                      "state of its own")  # fmt: skip


def decoded(codes: np.ndarray, states: Sequence[Sequence[State]]) -> np.ndarray:
    """An array of states; of one type where all states are of one, of objects else."""
    columns = [np.array(own) for own in states]
    if len({column.dtype.kind for column in columns}) > 1 or columns[0].dtype.kind == "O":
        columns = [_objects(own) for own in states]
    return np.column_stack([column[codes[:, v]] for v, column in enumerate(columns)])


def conditional_table(codes: Sequence[np.ndarray], shape: tuple[int, ...], weight: Any, prior: float) -> np.ndarray:
    """Frequencies of the last column's states given the others', with ``prior`` rows spread evenly over the table."""
    place = np.ravel_multi_index(tuple(codes), shape)
    counts = np.bincount(place, weights=weight, minlength=prod(shape)).reshape(shape) + prior / prod(shape)
    totals = counts.sum(axis=-1, keepdims=True)
    return np.where(totals > 0, counts / np.where(totals > 0, totals, 1.0), 1.0 / shape[-1])


def _objects(states: Sequence[State]) -> np.ndarray:
    column = np.empty(len(states), dtype=object)
    column[:] = states
    return column


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
