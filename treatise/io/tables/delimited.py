"""Delimited text: commas, tabs, semicolons, bars or blanks between fields, with or without a header."""

from typing import NamedTuple

import numpy as np
import polars as pl

from treatise._core.errors import TreatiseError
from treatise.io.source import (
    DELIMITERS,
    MISSING,
    Records,
    column_names,
    find_delimiter,
    is_header,
    records_of,
    typed_frame,
)
from treatise.io.source import number_loops as cells


class Delimited(NamedTuple):
    """Delimited text as it was understood."""

    frame: pl.DataFrame
    header: bool
    """Whether the first record holds the names."""
    delimiter: str
    notes: tuple[str, ...]


def read_delimited(
    text: bytes,
    *,
    delimiters: str = DELIMITERS,
    header: bool | None = None,
    names: tuple[str, ...] = (),
    asked: tuple[str, ...] = (),
) -> Delimited:
    """The columns of delimited text, whether a header named them, the delimiter, and notes.

    Parameters
    ----------
    text : bytes
        UTF-8.
    delimiters : str
        What may divide the fields; a blank stands for any run of blanks.
    header : bool or None, default=None
        Whether the first record holds the names. None finds out.
    names : tuple of str, default=()
        Names that something before the records gave; there is no header then.
    asked : tuple of str, default=()
        Names of columns that the user asked for.
    """
    delimiter = find_delimiter(text, delimiters)
    decimal_comma = delimiter == ";"
    records = records_of(text, delimiter)
    first = records.first()
    notes: tuple[str, ...] = ()
    if names:
        header = False
    elif header is None:
        header = is_header(records, decimal_comma=decimal_comma, asked=asked)
        if header:
            notes = ("the first line was taken as a header",)
    if header and records.n_records == 1:
        raise TreatiseError("there is a header but no row beneath it")
    columns, naming = column_names(records, names, header)
    body = records.without_first() if header else records
    kinds, understood = _kinds(body)
    frame = body.cells(kinds)
    frame.columns = columns
    frame, typing = typed_frame(frame, decimal_comma=decimal_comma, understood=understood)
    frame, dropped = _without_trailing_nothing(frame, named=bool(names or (header and first[-1])))
    return Delimited(frame, header, delimiter, notes + naming + typing + dropped)


def _kinds(records: Records) -> tuple[list[type[pl.DataType]], frozenset[str]]:
    """The columns' types, text where in doubt, and the words met that stand for a missing value."""
    words = [word.encode() for word in MISSING]
    lengths = np.array([len(word) for word in words])
    letters = np.frombuffer(b"".join(word.ljust(lengths.max()) for word in words), np.uint8).reshape(len(words), -1)
    kinds, seen = np.zeros(records.n_fields, np.uint8), np.zeros(len(words), np.uint8)
    cells.classify(np.frombuffer(records.text, np.uint8), ord(records.separator), letters, lengths, kinds, seen)
    types: dict[int, type[pl.DataType]] = {cells.INTEGER: pl.Int64, cells.DECIMAL: pl.Float64}
    types[cells.INTEGER | cells.DECIMAL] = pl.Float64
    understood = frozenset(word for word, met in zip(MISSING, seen) if met)
    return [types.get(kind, pl.String) for kind in kinds.tolist()], understood


def _without_trailing_nothing(frame: pl.DataFrame, named: bool) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """A delimiter at the end of every line makes a last column without name and values."""
    last = frame.to_series(-1)
    if named or frame.width == 1 or last.null_count() < len(last):
        return frame, ()
    return frame.drop(last.name), ("an empty last column was dropped: every line ends with a delimiter",)
