"""Delimited text as records that agree, and their cells."""

import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import polars as pl

from treatise._core.errors import TreatiseError
from treatise.io.source import field_loops as loops
from treatise.io.source.delimiters import DELIMITER_NAMES
from treatise.io.source.values import MISSING

_LONGEST_RECORD = 1 << 24
_MOST_FIELDS = 1 << 18


class Records(NamedTuple):
    """Records that agree in their number of fields, as text that any reader of CSV takes alike."""

    text: bytes
    separator: str
    n_records: int
    n_fields: int
    head: int
    """Bytes of the first record."""
    padded: dict[int, tuple[int, int]] = {}
    """Of the fields of which some values but not all had blanks around them, which are gone: how many, and how many had
    none."""

    def without_first(self, number: int = 1) -> "Records":
        """The records beneath the first, or beneath the first few."""
        text = self.text[self.head :]
        if number > 1:
            data, at, ended = np.frombuffer(text, np.uint8), 0, 0
            while ended < number - 1:
                *_, at, end = loops.next_field(data, at, ord(self.separator))
                ended += end
            text = text[at:]
        return self._replace(text=text, n_records=self.n_records - number, head=0)

    def first(self) -> tuple[str | None, ...]:
        """The cells of the first record."""
        return _only_row(self.text[: self.head], self.separator, self.n_fields)

    def cells(self, kinds: list[type[pl.DataType]] | None = None, *, limit: int | None = None) -> pl.DataFrame:
        """The cells, all as text unless ``kinds`` are told; ``limit`` reads that many of the records at most.

        With ``kinds`` the words for a missing value become nulls.
        """
        text = self.text
        if text.startswith(b"x^"):
            # Polars would take these two letters for the start of a zlib stream.
            end = re.search(rb"\r?\n|" + re.escape(self.separator.encode()), text)
            assert end, "every record ends with a line feed"
            text = b'"' + text[: end.start()] + b'"' + text[end.start() :]
        try:
            frame = pl.read_csv(
                text,
                has_header=False,
                separator=self.separator,
                schema={f"column_{i}": kinds[i] if kinds else pl.String for i in range(self.n_fields)},
                null_values=list(MISSING) if kinds else None,
                n_rows=limit,
            )
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            raise TreatiseError(f"the rows could not be parsed ({str(error).splitlines()[0]})") from None
        expected = self.n_records if limit is None else min(limit, self.n_records)
        if frame.shape != (expected, self.n_fields):
            raise TreatiseError(
                f"the rows could not be parsed: {expected} rows of {self.n_fields} fields became "
                f"{frame.height} of {frame.width}; is a quote out of place?"
            )
        return frame


@lru_cache(maxsize=1)
def _only_row(text: bytes, separator: str, n_fields: int) -> tuple[str | None, ...]:
    """The cells of a single record; whoever looks for a header asks for them several times."""
    return Records(text, separator, 1, n_fields, len(text)).cells().row(0)


def records_of(text: bytes, delimiter: str) -> Records:
    """The records without blank lines and blanks around fields; raises where they do not agree."""
    if not text.endswith(b"\n"):
        text += b"\n"
    data = np.frombuffer(text, np.uint8)
    separator = "\t" if delimiter == " " else delimiter
    status = loops.UNTIDY
    padded: dict[int, tuple[int, int]] = {}
    if delimiter != " " and b'"' not in text:
        status, line, found, count, expected, written, head = loops.survey(data, ord(delimiter), _LONGEST_RECORD)
    if status == loops.UNTIDY:
        out = np.empty(len(text) + 3 * text.count(b'"'), np.uint8)
        padding = np.zeros((2, min(text.count(delimiter.encode()) + 1, _MOST_FIELDS)), np.int64)
        status, line, found, count, expected, written, head = loops.rewrite(
            data, ord(delimiter), ord(separator), _LONGEST_RECORD, out, padding
        )
        text = out[:written].tobytes()
        if delimiter != " ":
            padded = {int(at): (int(padding[0, at]), int(padding[1, at])) for at in np.flatnonzero(padding.all(axis=0))}
    if status == loops.RAGGED:
        raise TreatiseError(
            f"line {line} has {counted_fields(found)} where the first has {expected} "
            f"(divided by {DELIMITER_NAMES[delimiter]})"
        )
    if status == loops.UNCLOSED:
        raise TreatiseError(f"line {line} opens a quote that is never closed")
    if status == loops.TRAILING:
        raise TreatiseError(f"line {line} has text right after a closing quote; double the quotes inside a field")
    if status == loops.TOO_LONG:
        raise TreatiseError(f"line {line} is longer than {_LONGEST_RECORD >> 20} MiB, which no row of a table is")
    if expected > _MOST_FIELDS:
        raise TreatiseError(f"the first line has {expected} fields; a table may have up to {_MOST_FIELDS} columns")
    return Records(text, separator, count, expected, head, padded)


def counted_fields(count: int) -> str:
    """A number of fields in words."""
    return f"{count} field{'s' * (count != 1)}"
