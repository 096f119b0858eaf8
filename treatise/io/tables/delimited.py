"""Delimited text: commas, tabs, semicolons, bars or blanks between fields, with or without a header."""

from collections.abc import Mapping
from pathlib import Path
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
    stem,
    typed_frame,
)
from treatise.io.source import number_loops as cells
from treatise.io.tables.orange import OrangeHeader, orange_header
from treatise.io.tables.table import Table


class Delimited(NamedTuple):
    """Delimited text as it was understood."""

    frame: pl.DataFrame
    header: bool
    """Whether the first record holds the names."""
    delimiter: str
    notes: tuple[str, ...]
    written: dict[str, str]
    """How numbers and dates that are no plain ones are written."""
    orange: OrangeHeader | None
    """What a header of Orange says."""

    @property
    def header_records(self) -> int:
        """How many records are no rows."""
        return self.orange.records if self.orange else int(self.header)


def read_delimited(
    text: bytes,
    *,
    delimiters: str = DELIMITERS,
    header: bool | None = None,
    names: tuple[str, ...] = (),
    asked: tuple[str, ...] = (),
    written: Mapping[str, str] | None = None,
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
    written : mapping of str to str or None, default=None
        How columns are written, where that is known; see :func:`treatise.io.source.typed_frame`.
    """
    delimiter = find_delimiter(text, delimiters)
    decimal_comma = delimiter == ";"
    records = records_of(text, delimiter)
    first = records.first()
    notes: tuple[str, ...] = ()
    orange = None if names or header is False else orange_header(records)
    if names:
        header = False
    elif orange:
        header, names = True, tuple(name or f"column_{i}" for i, name in enumerate(orange.names))
        notes += ("the header was taken as one of Orange: names, types and roles",)
    elif header is None:
        header = is_header(records, decimal_comma=decimal_comma, asked=asked)
        if header:
            notes += ("the first line was taken as a header",)
    header_records = orange.records if orange else int(header)
    if records.n_records == header_records:
        raise TreatiseError("there is a header but no row beneath it")
    columns, naming = column_names(records, names, header)
    body = records.without_first(header_records) if header_records else records
    kinds, understood = _kinds(body)
    as_text = orange.as_text if orange else frozenset()
    undecided = as_text | (written or {}).keys()
    frame = body.cells([pl.String if name in undecided else kind for name, kind in zip(columns, kinds)])
    frame.columns = columns
    typed = typed_frame(
        frame, decimal_comma=decimal_comma, understood=understood, written=written, as_text=as_text
    )  # fmt: skip
    frame, dropped = _without_trailing_nothing(typed.frame, named=bool(names or (header and first[-1])))
    notes += naming + typed.notes + dropped + _padding(records, columns, frame)
    return Delimited(frame, header, delimiter, notes, typed.written, orange)


def delimited_table(path: Path, found: Delimited, notes: tuple[str, ...], *, declared: bool) -> Table:
    """The table of a file's rows; ``declared`` says whether its names were, ``notes`` what was said before."""
    return Table(
        stem(path), found.frame, found.header or declared, notes + found.notes, None,
        found.orange.target if found.orange else None, found.written, found.orange.asides if found.orange else {},
    )  # fmt: skip


def _padding(records: Records, columns: list[str], frame: pl.DataFrame) -> tuple[str, ...]:
    """A word on labels of which some lost blanks around them: " yes" and "yes" are the same from here on."""
    labels = [column.name for column in frame.iter_columns() if column.dtype == pl.String]
    return tuple(
        f"blanks around {lost} of {lost + whole} values of {columns[at]!r} were left out; those in quotes would stay"
        for at, (lost, whole) in records.padded.items()
        if columns[at] in labels and frame[columns[at]].n_unique() <= frame.height / 2
    )


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
