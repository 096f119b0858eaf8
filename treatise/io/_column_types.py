"""From columns of text to columns of numbers, truth values, dates and times, where every value agrees."""

from typing import Literal

import polars as pl

MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "<null>", "?")
"""How files write a value that is not there; ``<null>`` is KEEL's."""

_LEADING_ZERO = r"^[+-]?0[0-9]"
_INTEGER = r"^[+-]?[0-9]+$"
_DECIMAL_COMMA = r"^[+-]?[0-9]*,?[0-9]+([eE][+-]?[0-9]+)?$"
_DATE = r"^\d{4}-\d{2}-\d{2}$"
_DATETIME = r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?$"
_ZONED = r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$"
_TIME = r"^\d{2}:\d{2}:\d{2}(\.\d{1,9})?$"
_GLANCE = 100  # values tried before the whole column is


def typed_frame(frame: pl.DataFrame, *, decimal_comma: bool = False) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The same columns with missing values as nulls and the narrowest type that holds every value.

    Parameters
    ----------
    frame : polars.DataFrame
        Columns of text.
    decimal_comma : bool, default=False
        Whether ``1,5`` may be a number; so it is where fields are divided by semicolons.
    """
    frame, notes = _without_missing(frame)
    columns, kept, commas, rounded = [], [], [], []
    for column in frame.iter_columns():
        if column.null_count() == len(column):
            columns.append(column)
            continue
        typed = _number(column)
        if typed is None and decimal_comma and _all(column, _DECIMAL_COMMA):
            typed = _number(column.str.replace(",", ".", literal=True))
            if typed is not None:
                commas.append(column.name)
        if typed is None and _has_leading_zero(column):
            kept.append(column.name)
        if typed is not None and typed.dtype == pl.Float64 and _all(column, _INTEGER):
            rounded.append(column.name)
        columns.append(column if typed is None else typed)
        if typed is None:
            columns[-1] = _truth_or_moment(column)
    if kept:
        notes += (f"{_listed(kept)} kept as text because of leading zeros",)
    if commas:
        notes += (f"{_listed(commas)} read with a comma as the decimal sign",)
    if rounded:
        notes += (f"{_listed(rounded)} rounded to floating point: integers beyond 64 bits",)
    return pl.DataFrame(columns), notes


def is_number(text: str) -> bool:
    """Whether a cell reads as a number, as :func:`typed_frame` would have it."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def _without_missing(frame: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
    absent = pl.all().is_in(MISSING)
    present = frame.select(absent.any()).row(0)
    touched = [name for name, some in zip(frame.columns, present) if some]
    if not touched:
        return frame, ()
    written: set[str] = set()
    for name in touched:
        written.update(frame[name].filter(frame[name].is_in(MISSING)).unique())
    frame = frame.with_columns(pl.when(~pl.col(touched).is_in(MISSING)).then(pl.col(touched)))
    notes: tuple[str, ...] = ()
    if written - {""}:
        notes = (f"missing values written as {' and '.join(repr(w) for w in sorted(written - {''}))} were understood",)
    return frame, notes


def _number(column: pl.Series) -> pl.Series | None:
    """The column as integers, or else as floating point; None where some value is no number."""
    for kind in (pl.Int64, pl.UInt64, pl.Float64):
        numbers = _cast(column, kind)
        if numbers is not None:
            if _has_leading_zero(column):
                return None
            return numbers.fill_nan(None) if kind == pl.Float64 else numbers
    return None


def _cast(column: pl.Series, kind: type[pl.DataType]) -> pl.Series | None:
    for part in (column.head(_GLANCE), column):
        numbers = part.cast(kind, strict=False)
        if numbers.null_count() != part.null_count():
            return None
    return numbers


def _truth_or_moment(column: pl.Series) -> pl.Series:
    """Text that is a truth value, a date or a time throughout becomes one; other text stays."""
    if _all(column, r"^(?i:true|false)$"):
        return column.str.to_lowercase() == "true"
    moment: pl.Series | None = None
    if _all(column, _DATE):
        moment = column.str.to_date("%Y-%m-%d", strict=False)
    elif _all(column, _DATETIME):
        moment = _datetime(column, zoned=False)
    elif _all(column, _ZONED):
        moment = _datetime(column, zoned=True)
    elif _all(column, _TIME):
        moment = column.str.to_time("%H:%M:%S%.f", strict=False)
    if moment is None or moment.null_count() != column.null_count():
        return column
    return moment


def _datetime(column: pl.Series, *, zoned: bool) -> pl.Series:
    unit: Literal["ns", "us"] = "ns" if _any(column, r"\.\d{7}") else "us"
    text = column.str.replace("T", " ", literal=True)
    text = text.str.replace(r"^(.{10} \d{2}:\d{2})(Z|[+-].*)?$", "${1}:00${2}")
    if not zoned:
        return text.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit=unit, strict=False)
    text = text.str.replace("Z", "+00:00", literal=True).str.replace(r"([+-]\d{2})(\d{2})$", "${1}:${2}")
    return text.str.to_datetime("%Y-%m-%d %H:%M:%S%.f%:z", time_unit=unit, time_zone="UTC", strict=False)


def _all(column: pl.Series, pattern: str) -> bool:
    """Whether every value that is there matches."""
    return bool(column.head(_GLANCE).str.contains(pattern).all() and column.str.contains(pattern).all())


def _any(column: pl.Series, pattern: str) -> bool:
    return bool(column.str.contains(pattern).any())


def _has_leading_zero(column: pl.Series) -> bool:
    return _any(column, _LEADING_ZERO)


def _listed(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:5]))
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"{'columns' if len(names) > 1 else 'column'} {shown}{more}"
