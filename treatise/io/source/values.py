"""From columns of text to columns of numbers, truth values, dates and times, where every value agrees."""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import polars as pl

from treatise.io.source.written_dates import COMPACT, DATE, ORDERS, dates_of, is_compact, orders_of
from treatise.io.source.written_numbers import DECIMAL_COMMA, NUMBER, picture_of, plain_numbers

MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "<null>", "?")
"""How files write a value that is not there; ``<null>`` is KEEL's."""

_LEADING_ZERO = r"^[+-]?0[0-9]"
_INTEGER = r"^[+-]?[0-9]+$"
_PLAIN = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)$"
_DECIMAL_COMMA = r"^[+-]?[0-9]*,?[0-9]+([eE][+-]?[0-9]+)?$"
_DAY, _CLOCK = r"\d{4}-\d{2}-\d{2}", r"\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?"
_GLANCE = 100  # values tried before the whole column is


class Typed(NamedTuple):
    """Columns of the narrowest type that holds every value."""

    frame: pl.DataFrame
    notes: tuple[str, ...]
    """Sentences on what a reader may not expect."""
    written: dict[str, str]
    """How numbers and dates that are no plain ones are written: a picture of a number, or the order of day, month and
    year; see :func:`read_as`."""


def typed_frame(
    frame: pl.DataFrame,
    *,
    decimal_comma: bool = False,
    understood: frozenset[str] = frozenset(),
    written: Mapping[str, str] | None = None,
    as_text: frozenset[str] = frozenset(),
) -> Typed:
    """The same columns with missing values as nulls, and of the narrowest type that holds every value.

    A column without any value stays text.

    Parameters
    ----------
    frame : polars.DataFrame
        Columns of text, and others that have their type already.
    decimal_comma : bool, default=False
        Whether ``1,5`` may be a number wherever it is; so it is where fields are divided by semicolons.
    understood : frozenset of str, default=frozenset()
        Words for a missing value that became nulls before.
    written : mapping of str to str or None, default=None
        How columns are written, where that is known; it is believed of a column if all of its values bear it out.
    as_text : frozenset of str, default=frozenset()
        Columns that stay text whatever they hold.
    """
    text = [column.name for column in frame.iter_columns() if column.dtype == pl.String]
    frame, notes = _without_missing(frame, text, understood)
    text = [name for name in text if frame[name].null_count() < frame.height and name not in as_text]
    if not text:
        return Typed(frame, notes, {})
    known = {name: how for name, how in (written or {}).items() if name in text}
    typed = {name: column for name, how in known.items() if (column := _wholly(frame[name], how)) is not None}
    how_written = {name: known[name] for name in typed}
    text = [name for name in text if name not in typed]
    numbers = _numbers(frame, text)
    text = [name for name in text if name not in numbers]
    if decimal_comma:
        commas = _matching(frame, text, _DECIMAL_COMMA)
        pointed = _numbers(frame.with_columns(pl.col(commas).str.replace(",", ".", literal=True)), commas)
        numbers |= pointed
        how_written |= dict.fromkeys(pointed, DECIMAL_COMMA)
        text = [name for name in text if name not in pointed]
        notes += _note(list(pointed), "read with a comma as the decimal sign")
    padded = [name for name, any_ in _tested(frame, pl.col(list(numbers)).str.contains(_LEADING_ZERO).any()) if any_]
    floats = [name for name, column in numbers.items() if column.dtype == pl.Float64 and name not in padded]
    notes += _note(padded, "kept as text because of leading zeros")
    notes += _note(_matching(frame, floats, _INTEGER), "rounded to floating point: integers beyond 64 bits")
    typed |= {name: column for name, column in numbers.items() if name not in padded}
    for pattern, convert in _KINDS:
        for name in _matching(frame, [name for name in text if name not in typed], pattern):
            column = convert(frame[name])
            if column.null_count() == frame[name].null_count():
                typed[name] = column
    as_people_do = read_written(frame.select(name for name in text if name not in typed), decimal_comma=decimal_comma)
    typed |= {name: as_people_do.frame[name] for name in as_people_do.written}
    how_written |= as_people_do.written
    return Typed(
        frame.with_columns(typed.values()), notes + as_people_do.notes,
        {name: how for name, how in how_written.items() if name not in padded},
    )  # fmt: skip


def read_written(frame: pl.DataFrame, *, decimal_comma: bool = False) -> Typed:
    """Columns of text that hold numbers or dates as people write them, read as such; the others as they are.

    Numbers may have a currency or a unit, the same in every cell, marks between thousands, and brackets for a minus;
    dates any order of day, month and year that all cells allow and no other order does. Plain numbers that are text
    here are meant to be.

    Parameters
    ----------
    frame : polars.DataFrame
        Text, and columns of other types.
    decimal_comma : bool, default=False
        Whether ``1,500`` is one and a half.
    """
    text = [column.name for column in frame.iter_columns() if column.dtype == pl.String]
    text = [name for name in text if frame[name].null_count() < frame.height]
    found: dict[str, pl.Series] = {}
    written: dict[str, str] = {}
    notes: list[str] = []
    plain = _matching(frame, text, _PLAIN)
    for name in _matching(frame, [name for name in text if name not in plain], NUMBER):
        picture = picture_of(frame[name], decimal_comma=decimal_comma)
        numbers = None if picture is None else _wholly(frame[name], picture)
        if picture is not None and numbers is not None:
            found[name], written[name] = numbers, picture
            notes += _note([name], f"read as numbers written like {picture!r}")
    for name in _matching(frame, [name for name in text if name not in found], DATE):
        orders = orders_of(frame[name])
        if len(orders) == 1:
            found[name], written[name] = dates_of(frame[name], orders[0]), orders[0]
            notes += _note([name], f"read as dates, {orders[0]}")
        elif orders:
            doubt = f"holds dates that may be {' or '.join(orders)} and stays text; write them as 2024-01-31"
            notes += _note([name], doubt)
    return Typed(frame.with_columns(found.values()), tuple(notes), written)


def read_compact(frame: pl.DataFrame) -> Typed:
    """Columns of whole numbers such as 20240131 as days, where all of a column are; the others as they are."""
    names = [column.name for column in frame.iter_columns() if column.dtype.is_integer() and is_compact(column)]
    found = frame.with_columns(dates_of(frame[name], COMPACT) for name in names)
    return Typed(found, _note(names, f"read as dates, {COMPACT}"), dict.fromkeys(names, COMPACT))


def read_as(column: pl.Series, how: str) -> pl.Series:
    """A column of text read in one manner, null where a cell is something else.

    ``how`` is a picture of a number (see :mod:`~treatise.io.source.written_numbers`), or an order of day, month and
    year.
    """
    if how in (*ORDERS, COMPACT):
        return dates_of(column, how)
    return plain_numbers(column, how).cast(pl.Float64, strict=False).fill_nan(None)


def read_dates(column: pl.Series) -> pl.Series:
    """A column of text in ISO's manner as moments, those with a zone in UTC; null where a cell is none."""
    moments = [convert(column).cast(pl.Datetime("us")) for convert in (_date, _datetime)]
    moments.append(_zoned(column).dt.replace_time_zone(None).cast(pl.Datetime("us")))
    return pl.select(pl.coalesce(moments)).to_series().alias(column.name)


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
    touched = [name for name, some in _tested(frame, pl.col(names).is_in(MISSING).any()) if some]
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
        for part in _glanced(frame):
            values = part.select(pl.col(left).cast(kind, strict=False))
            if kind == pl.Float64:
                values = values.fill_nan(None)
            lost = zip(values.iter_columns(), part.select(left).iter_columns())
            left = [value.name for value, written in lost if value.null_count() == written.null_count()]
        found.update((name, values[name]) for name in left)
    return found


def _wholly(column: pl.Series, how: str) -> pl.Series | None:
    """The column read in one manner, integers if possible, if that loses no value."""
    if how in (*ORDERS, COMPACT):
        found = dates_of(column, how)
        return found if found.null_count() == column.null_count() else None
    return _numbers(plain_numbers(column, how).to_frame(), [column.name]).get(column.name)


def _matching(frame: pl.DataFrame, names: list[str], pattern: str) -> list[str]:
    """The columns among ``names`` of which every value that is there matches."""
    for part in _glanced(frame):
        names = [name for name, every in _tested(part, pl.col(names).str.contains(pattern).all()) if every]
    return names


def _glanced(frame: pl.DataFrame) -> tuple[pl.DataFrame, ...]:
    """A few rows, on which most columns are told, and then all of them."""
    return (frame.head(_GLANCE), frame) if frame.height > _GLANCE else (frame,)


def _tested(frame: pl.DataFrame, test: pl.Expr) -> zip:
    """Pairs of a column's name and what ``test`` says of it."""
    found = frame.select(test)
    return zip(found.columns, found.row(0) if found.width else ())


def _truth(column: pl.Series) -> pl.Series:
    return column.str.to_lowercase() == "true"


def _date(column: pl.Series) -> pl.Series:
    return column.str.to_date("%Y-%m-%d", strict=False)


def _time(column: pl.Series) -> pl.Series:
    return column.str.to_time("%H:%M:%S%.f", strict=False)


def _datetime(column: pl.Series) -> pl.Series:
    return _with_seconds(column).str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit=_unit(column), strict=False)


def _zoned(column: pl.Series) -> pl.Series:
    text = _with_seconds(column).str.replace(r"Z$| ?(UTC|GMT)$", "+00:00")
    text = text.str.replace(r" ?([+-]\d{2}):?(\d{2})$", "${1}:${2}")
    layout = "%Y-%m-%d %H:%M:%S%.f%:z"
    return text.str.to_datetime(layout, time_unit=_unit(column), time_zone="UTC", strict=False)


def _with_seconds(column: pl.Series) -> pl.Series:
    text = column.str.replace(r"^(.{10})T", "${1} ")
    return text.str.replace(r"^(.{10} \d{2}:\d{2})(Z| ?UTC| ?GMT| ?[+-].*)?$", "${1}:00${2}")


def _unit(column: pl.Series) -> Literal["ns", "us"]:
    return "ns" if column.str.contains(r"\.\d{7}").any() else "us"


# Text that is one of these throughout becomes it, unless a value does not exist, such as 30 February.
_KINDS: tuple[tuple[str, Callable[[pl.Series], pl.Series]], ...] = (
    (r"^(?i:true|false)$", _truth),
    (rf"^{_DAY}$", _date),
    (rf"^{_DAY}[T ]{_CLOCK}$", _datetime),
    (rf"^{_DAY}[T ]{_CLOCK}(Z| ?UTC| ?GMT| ?[+-]\d{{2}}:?\d{{2}})$", _zoned),
    (r"^\d{2}:\d{2}:\d{2}(\.\d{1,9})?$", _time),
)


def _note(names: list[str], remark: str) -> tuple[str, ...]:
    if not names:
        return ()
    shown = ", ".join(map(repr, names[:5]))
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return (f"column{'s' * (len(names) > 1)} {shown}{more} {remark}",)
