"""Dates, moments and times of day: their parts, and how long after the first of training they are."""

from collections.abc import Mapping
from typing import Self

import numpy as np
import polars as pl

from treatise._core.invariants import Invariants, is_number
from treatise.compare.inputs.encoding.base import ColumnsEncoder
from treatise.compare.inputs.encoding.frames import admit
from treatise.io.source import COMPACT, read_as, read_dates

_MOMENT = pl.Datetime("us")
_DAY = 86_400e6  # microseconds
_ROUND = {"month": 12.0, "day of week": 7.0, "hour": 24.0}
"""Parts that begin again: December lies beside January."""


class Dates(ColumnsEncoder):
    """One column: days since the first one, the year, and month, day of week and hour as points on a circle.

    A part that is the same in all training rows is left out. What is missing has the median of the days and the year,
    the middle of the circle, and a mark if fitting saw any. A moment with a time zone has the parts of its own place.

    Parameters
    ----------
    columns : list of str
        The name, alone.
    written : mapping of str to str or None, default=None
        How the dates are written where they come as text and not in ISO's manner.
    """

    def __init__(self, columns: list[str], written: Mapping[str, str] | None = None) -> None:
        super().__init__(columns)
        self.written = written

    def fit(self, frame: pl.DataFrame, y: np.ndarray | None) -> Self:
        """Learn the first moment, and which parts vary."""
        self.zone_: str | None = getattr(frame.to_series().dtype, "time_zone", None)
        self.time_only_ = frame.to_series().dtype == pl.Time
        moments = self._moments(frame)
        self.first_ = 0 if self.time_only_ else int(moments.dt.epoch("us").min() or 0)  # type: ignore[arg-type]
        self.marked_ = moments.null_count() > 0
        parts = _parts(moments)
        self.round_ = [name for name in _ROUND if parts[name].drop_nulls().n_unique() > 1]
        self.by_year_ = parts["year"].drop_nulls().n_unique() > 1
        self.middle_ = {name: _middle(values) for name, values in self._straight(moments).items()}
        return self

    def transform(self, frame: pl.DataFrame) -> np.ndarray:
        """The parts, a column each, or two for one that goes round."""
        moments = self._moments(frame)
        missing = moments.is_null().to_numpy()
        columns = [np.where(missing, self.middle_[name], of) for name, of in self._straight(moments).items()]
        parts = _parts(moments)
        for name in self.round_:
            angle = 2 * np.pi / _ROUND[name] * parts[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()
            columns += [np.where(missing, 0.0, np.sin(angle)), np.where(missing, 0.0, np.cos(angle))]
        if self.marked_:
            columns.append(missing.astype(float))
        return np.column_stack(columns)

    def names(self) -> list[str]:
        """``NAME in days``, ``NAME: year``, ``NAME: month (sine)`` and so on."""
        (name,) = self.columns
        since = "" if self.time_only_ else f" since {np.datetime64(self.first_, 'us')!s:.10}"
        days = f"{name} in days{since}"
        names = [days, f"{name}: year"] if self.by_year_ else [days]
        names += [f"{name}: {part} ({wave})" for part in self.round_ for wave in ("sine", "cosine")]
        return [*names, f"{name} is missing"] if self.marked_ else names

    def _invariants(self) -> Invariants:
        yield "dates are in one column", len(self.columns) == 1
        yield "there is a first moment", isinstance(self.first_, int) and abs(self.first_) < 2**62
        yield "what goes round is known", set(self.round_) <= set(_ROUND)
        known = {"days", "year"} if self.by_year_ else {"days"}
        yield (
            "the middle of each part is a number",
            set(self.middle_) == known and all(map(is_number, self.middle_.values())),
        )
        yield "a place has a time", len(pl.Series([0], dtype=_MOMENT).dt.replace_time_zone(self.zone_)) == 1

    def _straight(self, moments: pl.Series) -> dict[str, np.ndarray]:
        """The parts that do not go round."""
        since = (moments.dt.epoch("us") - self.first_).cast(pl.Float64).fill_null(float("nan")).to_numpy() / _DAY
        year = moments.dt.year().cast(pl.Float64).fill_null(float("nan")).to_numpy()
        return {"days": since, "year": year} if self.by_year_ else {"days": since}

    def _moments(self, frame: pl.DataFrame) -> pl.Series:
        """The clock on the wall, null where there is no date."""
        column = frame.to_series()
        found = self._dates(column)
        admit(found, column, "times of day" if self.time_only_ else "dates")
        return found

    def _dates(self, column: pl.Series) -> pl.Series:
        kind, how = column.dtype, (self.written or {}).get(column.name)
        if isinstance(kind, pl.Time) or (self.time_only_ and kind == pl.String):
            times = column if kind == pl.Time else column.str.to_time("%H:%M:%S%.f", strict=False)
            return times.cast(pl.Duration("us")).cast(pl.Int64).cast(_MOMENT)
        if kind == pl.String:
            found = read_as(column, how).cast(_MOMENT) if how else read_dates(column)
            if how:
                # A file may be written in ISO's manner by now.
                found = pl.select(pl.coalesce(found, read_dates(column))).to_series()
        elif how == COMPACT and kind.is_numeric():
            found = read_as(column.cast(pl.Int64, strict=False), how).cast(_MOMENT)
        elif isinstance(kind, pl.Datetime) and kind.time_zone is not None:
            return column.dt.convert_time_zone(self.zone_ or kind.time_zone).dt.replace_time_zone(None).cast(_MOMENT)
        elif kind.is_temporal() and not isinstance(kind, pl.Duration):
            found = column.cast(_MOMENT)
        else:
            return pl.Series(column.name, [None] * len(column), dtype=_MOMENT)
        if self.zone_ is not None:
            found = found.dt.replace_time_zone("UTC").dt.convert_time_zone(self.zone_).dt.replace_time_zone(None)
        return found


def _parts(moments: pl.Series) -> dict[str, pl.Series]:
    part = moments.dt
    return {
        "year": part.year(), "month": part.month() - 1, "day of week": part.weekday(),
        "hour": part.hour() + part.minute() / 60,
    }  # fmt: skip


def _middle(values: np.ndarray) -> float:
    present = values[~np.isnan(values)]
    return float(np.median(present)) if len(present) else 0.0
