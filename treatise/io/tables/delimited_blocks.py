"""Delimited text of any size: understood by its first rows, then one block of records after another."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import polars as pl

from treatise._core.errors import TreatiseError
from treatise.io.source import (
    DECIMAL_COMMA,
    MISSING,
    Records,
    find_format,
    line_blocks,
    plain_numbers,
    plain_text,
    possible_delimiters,
    records_of,
    refuse_wide,
)
from treatise.io.tables.delimited import delimited_table, read_delimited
from treatise.io.tables.keel import split_keel

_HEAD_BLOCKS = 8


class Head(NamedTuple):
    """The beginning of a text file."""

    text: bytes
    """As UTF-8."""
    notes: tuple[str, ...]
    raw: bytes
    whole: bool
    """Whether it is the whole file."""


def read_head(path: Path) -> Head:
    """The first 4 MiB of lines."""
    blocks = [block.tobytes() for block in islice(line_blocks(path, quoted=True), _HEAD_BLOCKS)]
    if not blocks:
        raise TreatiseError("the file is empty")
    refuse_wide(blocks[0])
    raw = b"".join(blocks)
    return Head(*plain_text(raw), raw, len(blocks) < _HEAD_BLOCKS)


def kinds_of(frame: pl.DataFrame) -> dict[str, str]:
    """What each column holds: numbers, truth values, text, or days and moments; others, times of day, are left out."""
    kinds = {}
    for column in frame.iter_columns():
        if column.dtype.is_numeric():
            kinds[column.name] = "number"
        elif column.dtype == pl.Boolean:
            kinds[column.name] = "truth"
        elif column.dtype == pl.String:
            kinds[column.name] = "text"
        elif isinstance(column.dtype, pl.Date | pl.Datetime):
            kinds[column.name] = "date"
    return kinds


def text_blocks(path: Path) -> Iterator[tuple[int, bytes]]:
    """Whole lines as UTF-8, with the number of lines before them."""
    before = 0
    for block in line_blocks(path, quoted=True):
        raw = block.tobytes()
        if not raw.isspace():
            try:
                text, _ = plain_text(raw)
            except TreatiseError as error:
                raise located(path, error, before) from None
            yield before, text
        before += raw.count(b"\n")


def located(path: Path, error: TreatiseError, before: int) -> TreatiseError:
    """The error of a block with the line counted from the file's beginning."""
    text, named = re.subn(r"\bline (\d+)", lambda found: f"line {before + int(found[1])}", str(error), count=1)
    return TreatiseError(f"{path}: {text}" if named else f"{path}, after line {before}: {text}")


class DelimitedBlocks:
    """A file of delimited text, by the rules of :func:`treatise.io.read_table` applied to its first rows.

    Parameters
    ----------
    path : Path
        The file.
    head : Head
        Its beginning.
    header, format, asked
        Whether the first line names the columns, "tsv" where tabs divide the fields, and names of columns that the
        user asked for; see :func:`read_delimited`.

    Attributes
    ----------
    frame : polars.DataFrame
        The first rows.
    head : Table
        The same with notes on how they were read.
    kinds : dict of str to str
        What each column holds, see :func:`kinds_of`.
    """

    def __init__(
        self,
        path: Path,
        head: Head,
        *,
        header: bool | None = None,
        format: str | None = None,
        asked: tuple[str, ...] = (),
    ) -> None:
        self.path = path
        self._declared, body = split_keel(head.text) if find_format(path, head.text) == "keel" else ((), head.text)
        found = read_delimited(
            body, delimiters=possible_delimiters(path, format), header=header, names=self._declared, asked=asked
        )
        self.frame, self.kinds = found.frame, kinds_of(found.frame)
        self.head = delimited_table(path, found, head.notes, declared=bool(self._declared))
        self._delimiter, self._header_records = found.delimiter, found.header_records
        numbers = [name for name, kind in self.kinds.items() if kind == "number"]
        # Beyond the first rows any number may have a decimal comma where fields are divided by semicolons.
        assumed = dict.fromkeys(numbers, DECIMAL_COMMA) if found.delimiter == ";" else {}
        self._pictures = assumed | {name: how for name, how in found.written.items() if name in numbers}

    def __iter__(self) -> Iterator[tuple[int, Records]]:
        """The records of each block, without a header, and the number of lines before them."""
        n_fields = None
        for before, text in text_blocks(self.path):
            try:
                if n_fields is None and self._declared:
                    declared, text = text, split_keel(text)[1]
                    before = declared[: -len(text)].count(b"\n")
                records = records_of(text, self._delimiter)
                if n_fields is not None and records.n_fields != n_fields:
                    raise TreatiseError(f"a row has {records.n_fields} fields where the first has {n_fields}")
                if n_fields is None and self._header_records:
                    before += self._header_records
                    records = records.without_first(self._header_records)
                n_fields = records.n_fields
                if records.n_records:
                    yield before, records
            except TreatiseError as error:
                raise located(self.path, error, before) from None

    def columns(self, records: Records, number: type[pl.DataType]) -> pl.DataFrame:
        """The cells of records: columns of numbers as such if all of them are, else as text, and text without missing
        words."""
        names = self.frame.columns
        wanted = [self.kinds.get(name, "text") == "number" and name not in self._pictures for name in names]
        wanted += [False] * (records.n_fields - len(names))
        try:
            frame = records.cells([number if is_number else pl.String for is_number in wanted])
        except TreatiseError:
            frame = records.cells([pl.String] * records.n_fields)
        frame = frame.select(frame.columns[: len(names)])
        frame.columns = names
        if b'"' in records.text:
            frame = frame.with_columns(pl.when(~pl.col(pl.String).is_in(MISSING)).then(pl.col(pl.String)))
        return frame.with_columns(plain_numbers(frame[name], how) for name, how in self._pictures.items())
