"""Numbers and truth values: medians for what is missing, and marks."""

from collections.abc import Mapping
from typing import Self

import numpy as np
import polars as pl

from treatise._core.invariants import Invariants, is_array
from treatise.compare.inputs.encoding.base import ColumnsEncoder
from treatise.compare.inputs.encoding.frames import admit
from treatise.io.source import read_as

_FEW_ROWS = 2000


class Numbers(ColumnsEncoder):
    """Any number of columns at once: each becomes itself, and a second one that marks gaps if fitting saw any.

    Parameters
    ----------
    columns : list of str
        Their names.
    written : mapping of str to str or None, default=None
        How those are written that may come as text.
    """

    def __init__(self, columns: list[str], written: Mapping[str, str] | None = None) -> None:
        super().__init__(columns)
        self.written = written

    def fit(self, frame: pl.DataFrame, y: np.ndarray | None) -> Self:
        """Learn medians, and which columns have gaps."""
        self._learn(*self._read(frame))
        return self

    def transform(self, frame: pl.DataFrame) -> np.ndarray:
        """The numbers, with marks behind those that have them."""
        return self._filled(*self._read(frame))

    def fit_transform(self, frame: pl.DataFrame, y: np.ndarray | None) -> np.ndarray:
        """Both, reading the frame once."""
        read = self._read(frame)
        self._learn(*read)
        return self._filled(*read)

    def names(self) -> list[str]:
        """The columns' own names, and ``NAME is missing``."""
        return [
            name
            for column, marked in zip(self.columns, self.marked_)
            for name in ([column, f"{column} is missing"] if marked else [column])
        ]

    def _invariants(self) -> Invariants:
        yield "columns are marked or not", is_array(self.marked_, np.bool_, len(self.columns))
        yield "columns have medians", is_array(self.medians_, np.float64, len(self.columns))

    def _read(self, frame: pl.DataFrame) -> tuple[np.ndarray, np.ndarray | None]:
        """The numbers column by column, and where they are missing if any is."""
        if any(kind != pl.Float64 for kind in frame.dtypes):
            frame = pl.DataFrame([self._number(column) for column in frame.iter_columns()])
        matrix = frame.to_numpy()
        missing = ~np.isfinite(matrix)
        return matrix, missing if missing.any() else None

    def _number(self, column: pl.Series) -> pl.Series:
        if column.dtype == pl.Float64:
            return column
        if isinstance(column.dtype, pl.Duration):
            return column.dt.total_microseconds().cast(pl.Float64) / 1e6
        how = (self.written or {}).get(column.name)
        text = column.dtype == pl.String and how is not None
        found = read_as(column, how) if text and how else column.cast(pl.Float64, strict=False)
        admit(found, column, "numbers")
        return found

    def _learn(self, matrix: np.ndarray, missing: np.ndarray | None) -> None:
        marked = False if missing is None else missing.any(axis=0)
        self.marked_ = np.broadcast_to(marked, matrix.shape[1]).copy()
        if missing is not None:
            matrix = np.where(missing, np.nan, matrix)
        self.medians_ = _medians(matrix)

    def _filled(self, matrix: np.ndarray, missing: np.ndarray | None) -> np.ndarray:
        if missing is not None:
            matrix = np.where(missing, self.medians_, matrix)
        if not self.marked_.any():
            return np.array(matrix, order="C")
        # Behind each column as many marks as stand before it, and its own.
        place = np.arange(matrix.shape[1]) + np.cumsum(self.marked_) - self.marked_
        out = np.zeros((len(matrix), matrix.shape[1] + int(self.marked_.sum())))
        out[:, place] = matrix
        if missing is not None:
            out[:, place[self.marked_] + 1] = missing[:, self.marked_]
        return out


def _medians(matrix: np.ndarray) -> np.ndarray:
    """Of each column, those that are not numbers left out; 0 for a column of nothing."""
    rows, columns = matrix.shape
    if rows <= _FEW_ROWS:
        # Sorting puts what is no number last, in all columns at once.
        ordered = np.sort(matrix, axis=0)
        count = rows - np.isnan(matrix).sum(axis=0)
        at = np.arange(columns)
        low, high = ordered[np.maximum(count - 1, 0) // 2, at], ordered[np.minimum(count // 2, rows - 1), at]
        return np.where(count > 0, (low + high) / 2, 0.0)
    medians = np.zeros(columns)
    for j in range(columns):
        column = matrix[:, j]
        present = column[~np.isnan(column)]
        medians[j] = np.median(present, overwrite_input=True) if len(present) else 0.0
    return medians
