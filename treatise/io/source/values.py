"""From columns of text to columns of numbers, truth values, dates and times, where every value agrees."""

from collections.abc import Callable
from typing import Literal

import polars as pl

MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "<null>", "?")
"""How files write a value that is not there; ``<null>`` is KEEL's."""

_LEADING_ZERO = r"^[+-]?0[0-9]"
_INTEGER = r"^[+-]?[0-9]+$"
_DECIMAL_COMMA = r"^[+-]?[0-9]*,?[0-9]+([eE][+-]?[0-9]+)?$"
_DAY, _CLOCK = r"\d{4}-\d{2}-\d{2}", r"\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?"
_GLANCE = 100  # values tried before the whole column is


def typed_frame(
    frame: pl.DataFrame, *, decimal_comma: bool = False, understood: frozenset[str] = frozenset()
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The same columns with missing values as nulls, and of the narrowest type that holds every value.

    Parameters
    ----------
    frame : polars.DataFrame
        Columns of text, and others that have their type already.
    decimal_comma : bool, default=False
        Whether ``1,5`` may be a number; so it is where fields are divided by semicolons.
    understood : frozenset of str, default=frozenset()
        Words for a missing value that became nulls before.

    Returns
    -------
    frame : polars.DataFrame
        A column without any value stays text.
    notes : tuple of str
        Sentences on what a reader may not expect.
    """
    text = [column.name for column in frame.iter_columns() if column.dtype == pl.String]
    frame, notes = _without_missing(frame, text, understood)
    text = [name for name in text if frame[name].null_count() < frame.height]
    if not text:
        return frame, notes
    numbers = _numbers(frame, text)
    text = [name for name in text if name not in numbers]
    if decimal_comma:
        commas = _matching(frame, text, _DECIMAL_COMMA)
        pointed = _numbers(frame.with_columns(pl.col(commas).str.replace(",", ".", literal=True)), commas)
        numbers |= pointed
        text = [name for name in text if name not in pointed]
        notes += _note(list(pointed), "read with a comma as the decimal sign")
    padded = [name for name, any_ in _tested(frame, list(numbers), pl.all().str.contains(_LEADING_ZERO).any()) if any_]
    floats = [name for name, column in numbers.items() if column.dtype == pl.Float64 and name not in padded]
    notes += _note(padded, "kept as text because of leading zeros")
    notes += _note(_matching(frame, floats, _INTEGER), "rounded to floating point: integers beyond 64 bits")
    typed = {name: column for name, column in numbers.items() if name not in padded}
    for pattern, convert in _KINDS:
        for name in _matching(frame, [name for name in text if name not in typed], pattern):
            column = convert(frame[name])
            if column.null_count() == frame[name].null_count():
                typed[name] = column
    return frame.with_columns(typed.values()), notes


def is_number(text: str) -> bool:
    """Whether a cell reads as a number, as :func:`typed_frame` would have it."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def _without_missing(
    frame: pl.DataFrame, names: list[str], understood: frozenset[str]
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    touched = [name for name, some in _tested(frame, names, pl.all().is_in(MISSING).any()) if some]
    written = set(understood)
    for name in touched:
        written.update(frame[name].filter(frame[name].is_in(MISSING)).unique())
    if touched:
        frame = frame.with_columns(pl.when(~pl.col(touched).is_in(MISSING)).then(pl.col(touched)))
    words = sorted(written - {""})
    return frame, (f"missing values written as {' and '.join(map(repr, words))} were understood",) if words else ()


def _numbers(frame: pl.DataFrame, names: list[str]) -> dict[str, pl.Series]:
    """The columns among ``names`` that are numbers throughout: integers if possible, else floating point."""
    found: dict[str, pl.Series] = {}
    for kind in (pl.Int64, pl.UInt64, pl.Float64):
        left = [name for name in names if name not in found]
        for part in (frame.head(_GLANCE), frame):
            values = part.select(pl.col(left).cast(kind, strict=False))
            if kind == pl.Float64:
                values = values.fill_nan(None)
            lost = zip(values.iter_columns(), part.select(left).iter_columns())
            left = [value.name for value, written in lost if value.null_count() == written.null_count()]
        found.update((name, values[name]) for name in left)
    return found


def _matching(frame: pl.DataFrame, names: list[str], pattern: str) -> list[str]:
    """The columns among ``names`` of which every value that is there matches."""
    for part in (frame.head(_GLANCE), frame):
        names = [name for name, every in _tested(part, names, pl.all().str.contains(pattern).all()) if every]
    return names


def _tested(frame: pl.DataFrame, names: list[str], test: pl.Expr) -> zip:
    """Pairs of a column's name and what ``test`` says of it."""
    return zip(names, frame.select(names).select(test).row(0) if names else ())


def _truth(column: pl.Series) -> pl.Series:
    return column.str.to_lowercase() == "true"


def _date(column: pl.Series) -> pl.Series:
    return column.str.to_date("%Y-%m-%d", strict=False)


def _time(column: pl.Series) -> pl.Series:
    return column.str.to_time("%H:%M:%S%.f", strict=False)


def _datetime(column: pl.Series) -> pl.Series:
    return _with_seconds(column).str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit=_unit(column), strict=False)


def _zoned(column: pl.Series) -> pl.Series:
    text = _with_seconds(column).str.replace("Z", "+00:00", literal=True)
    text = text.str.replace(r"([+-]\d{2})(\d{2})$", "${1}:${2}")
    layout = "%Y-%m-%d %H:%M:%S%.f%:z"
    return text.str.to_datetime(layout, time_unit=_unit(column), time_zone="UTC", strict=False)


def _with_seconds(column: pl.Series) -> pl.Series:
    text = column.str.replace("T", " ", literal=True)
    return text.str.replace(r"^(.{10} \d{2}:\d{2})(Z|[+-].*)?$", "${1}:00${2}")


def _unit(column: pl.Series) -> Literal["ns", "us"]:
    return "ns" if column.str.contains(r"\.\d{7}").any() else "us"


# Text that is one of these throughout becomes it, unless a value does not exist, such as 30 February.
_KINDS: tuple[tuple[str, Callable[[pl.Series], pl.Series]], ...] = (
    (r"^(?i:true|false)$", _truth),
    (rf"^{_DAY}$", _date),
    (rf"^{_DAY}[T ]{_CLOCK}$", _datetime),
    (rf"^{_DAY}[T ]{_CLOCK}(Z|[+-]\d{{2}}:?\d{{2}})$", _zoned),
    (r"^\d{2}:\d{2}:\d{2}(\.\d{1,9})?$", _time),
)


def _note(names: list[str], remark: str) -> tuple[str, ...]:
    if not names:
        return ()
    shown = ", ".join(map(repr, names[:5]))
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return (f"column{'s' * (len(names) > 1)} {shown}{more} {remark}",)
