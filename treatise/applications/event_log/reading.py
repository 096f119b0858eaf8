"""Columns of a log as they come, and its times as whole microseconds."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl

MICROSECONDS = 1_000_000
FARTHEST = 2**62 // MICROSECONDS
"""Seconds from zero beyond which a number is no time."""


def names_of(chunk: Any) -> list[str]:
    """The columns of a chunk."""
    if isinstance(chunk, pl.LazyFrame):
        return chunk.collect_schema().names()
    if isinstance(chunk, Mapping):
        return list(chunk)
    for attribute in ("column_names", "columns"):  # Arrow's, and the others'
        if hasattr(chunk, attribute):
            return list(getattr(chunk, attribute))
    raise ValueError(f"a chunk of a log is a data frame or a mapping of columns; got {type(chunk).__name__}")


def frame_of(chunk: Any, columns: Iterable[str]) -> pl.DataFrame:
    """The named columns of a chunk as a frame of Polars."""
    columns, held = list(columns), names_of(chunk)
    missing = [name for name in columns if name not in held]
    if missing:
        raise ValueError(f"the log has no column {missing[0]!r}; it has {', '.join(map(str, held))}")
    if isinstance(chunk, pl.LazyFrame):
        return chunk.select(columns).collect()
    if isinstance(chunk, pl.DataFrame):
        return chunk.select(columns)
    if isinstance(chunk, Mapping):
        lengths = {name: len(chunk[name]) for name in columns}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"columns of a log have the same length; got {lengths}")
        return pl.DataFrame({name: pl.Series(name, _without_nan(chunk[name]), strict=False) for name in columns})
    if hasattr(chunk, "column_names"):
        return pl.DataFrame(pl.from_arrow(chunk.select(columns)))
    return pl.from_pandas(chunk[columns])


def _without_nan(values: Any) -> Any:
    """A column of mixed objects, in which NaN may stand for a missing word."""
    if not isinstance(values, np.ndarray) or values.dtype != object:
        return values
    return [None if value is None or value != value else value for value in values]


def present(column: pl.Series, role: str) -> None:
    """Refuse a column of entities or times with gaps."""
    gaps = column.is_null() | (column.is_nan() if column.dtype.is_float() else column.is_null())
    if column.dtype == pl.String:
        gaps = gaps | (column == "").fill_null(False)
    if gaps.any():
        raise ValueError(
            f"{int(gaps.sum())} of {len(column)} events have no {role} (column {column.name!r}), the first in row "
            f"{int(gaps.arg_max() or 0)}; fill it in, or drop these rows"
        )


def seconds_of(column: pl.Series) -> tuple[np.ndarray, str | None]:
    """Times in whole microseconds, and whether they were dates or numbers; neither where there are none."""
    if not len(column):
        return np.empty(0, dtype=np.int64), None
    present(column, "time")
    if column.dtype == pl.String:
        column = _read(column)
    if column.dtype == pl.Date:
        column = column.cast(pl.Datetime("us"))
    if isinstance(column.dtype, pl.Datetime):
        if column.dtype.time_zone is not None:
            column = column.dt.replace_time_zone(None)  # the clock on the wall decides what is night
        return column.cast(pl.Datetime("us")).to_physical().to_numpy().astype(np.int64), "date"
    if not column.dtype.is_numeric():
        raise ValueError(
            f"column {column.name!r} holds {column.dtype}, which is no time; use dates with times, text such as "
            "2024-05-01 12:30:00, or numbers of seconds"
        )
    numbers = column.to_numpy()
    far = ~(np.abs(numbers.astype(np.float64)) < FARTHEST)
    if far.any():
        raise ValueError(
            f"column {column.name!r} has the time {numbers[far][0]:g} in row {int(np.argmax(far))}; numbers are "
            "seconds, and must be finite"
        )
    if column.dtype.is_integer():
        return numbers.astype(np.int64) * MICROSECONDS, "number"
    return np.rint(numbers * MICROSECONDS).astype(np.int64), "number"


def _read(column: pl.Series) -> pl.Series:
    """Text as dates with times, or as seconds."""
    numbers = column.cast(pl.Float64, strict=False)
    if not numbers.null_count():
        return numbers
    best = None
    for format in (None, "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d"):
        try:
            dates = column.str.to_datetime(format, strict=False)
        except pl.exceptions.PolarsError:
            continue
        if not dates.null_count():
            return dates
        if best is None or dates.null_count() < best.null_count():
            best = dates
    bad = 0 if best is None else int(best.is_null().arg_max() or 0)
    raise ValueError(
        f"column {column.name!r} has {column[bad]!r} in row {bad}, which cannot be read as a time; write times "
        "as 2024-05-01 12:30:00, all alike, or as seconds"
    )
