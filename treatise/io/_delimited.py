"""Delimited text: commas, tabs, semicolons, bars or blanks between fields, with or without a header."""

import re
from collections import Counter
from typing import NamedTuple

import numpy as np
import polars as pl

from treatise._core.errors import TreatiseError
from treatise.io import _cell_loops as cells
from treatise.io import _delimited_loops as loops
from treatise.io._column_types import MISSING, is_number, typed_frame

_NAMES = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars", " ": "blanks"}
DELIMITERS = "".join(_NAMES)
_SAMPLE_BYTES, _SAMPLE_RECORDS, _SAMPLE_COLUMNS = 1 << 18, 200, 200
_LONGEST_RECORD = 1 << 24
_MOST_FIELDS = 1 << 18


class Canonical(NamedTuple):
    """Records that agree in their number of fields, as text that any reader of CSV takes alike."""

    text: bytes
    separator: str
    n_records: int
    n_fields: int
    head: int
    """Bytes of the first record."""


def read_delimited(
    text: bytes, *, delimiters: str = DELIMITERS, header: bool | None = None, names: tuple[str, ...] = ()
) -> tuple[pl.DataFrame, bool, tuple[str, ...]]:
    """The columns of delimited text, whether a header named them, and notes.

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
    """
    delimiter = find_delimiter(text, delimiters)
    records = canonical(text, delimiter)
    first = _parse(records, records.text[: records.head], 1).row(0)
    notes: tuple[str, ...] = ()
    if names:
        header = False
    elif header is None:
        header = _is_header(first, records, decimal_comma=delimiter == ";")
        if header:
            notes = ("the first line was taken as a header",)
    if header and records.n_records == 1:
        raise TreatiseError("there is a header but no row beneath it")
    body = records.text[records.head :] if header else records.text
    kinds, understood = _kinds(records, body)
    frame = _parse(records, body, records.n_records - header, kinds=kinds)
    frame.columns, naming = _column_names(first, records.n_fields, names, header)
    frame, typing = typed_frame(frame, decimal_comma=delimiter == ";", understood=understood)
    frame, dropped = _without_trailing_nothing(frame, named=bool(names or (header and first[-1])))
    return frame, header, notes + naming + typing + dropped


def canonical(text: bytes, delimiter: str) -> Canonical:
    """The records without blank lines and blanks around fields; raises where they do not agree."""
    if not text.endswith(b"\n"):
        text += b"\n"
    data = np.frombuffer(text, np.uint8)
    separator = "\t" if delimiter == " " else delimiter
    status = loops.UNTIDY
    if delimiter != " " and b'"' not in text:
        status, line, found, count, expected, written, head = loops.survey(data, ord(delimiter), _LONGEST_RECORD)
    if status == loops.UNTIDY:
        out = np.empty(len(text) + 3 * text.count(b'"'), np.uint8)
        status, line, found, count, expected, written, head = loops.rewrite(
            data, ord(delimiter), ord(separator), _LONGEST_RECORD, out
        )
        text = out[:written].tobytes()
    if status == loops.RAGGED:
        raise TreatiseError(
            f"line {line} has {_fields(found)} where the first has {expected} (divided by {_NAMES[delimiter]})"
        )
    if status == loops.UNCLOSED:
        raise TreatiseError(f"line {line} opens a quote that is never closed")
    if status == loops.TRAILING:
        raise TreatiseError(f"line {line} has text right after a closing quote; double the quotes inside a field")
    if status == loops.TOO_LONG:
        raise TreatiseError(f"line {line} is longer than {_LONGEST_RECORD >> 20} MiB, which no row of a table is")
    if expected > _MOST_FIELDS:
        raise TreatiseError(f"the first line has {expected} fields; a table may have up to {_MOST_FIELDS} columns")
    return Canonical(text, separator, count, expected, head)


def find_delimiter(text: bytes, delimiters: str = DELIMITERS) -> str:
    """The delimiter that divides the first records into equally many fields, with the cleanest cells."""
    sample = text[:_SAMPLE_BYTES].lstrip() or text.lstrip()[:_SAMPLE_BYTES]
    whole = len(text) <= _SAMPLE_BYTES
    data = np.frombuffer(sample, np.uint8)
    best, best_score = delimiters[0], (0.0, 0.0)
    for delimiter in delimiters:
        counts = np.empty(_SAMPLE_RECORDS, np.int64)
        found = loops.count_fields(data, ord(delimiter), counts)
        # The last record of a sample may be cut.
        counts = counts[: found if whole or found in (1, _SAMPLE_RECORDS) else found - 1]
        common, times = Counter(counts.tolist()).most_common(1)[0]
        # Blanks divide words, too: a first line of one word is no row of a table divided by blanks.
        if common == 1 or (delimiter == " " and counts[0] == 1):
            continue
        agreement = times / len(counts)
        score = (agreement, _cleanness(sample, delimiter, len(counts)))
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _cleanness(sample: bytes, delimiter: str, n_records: int) -> float:
    """Share of the cells in which no other delimiter is left, decimal commas aside."""
    clean = cells = 0
    others = [other for other in ",\t;|" if other != delimiter]
    for line in sample.decode("utf-8", "ignore").splitlines()[:n_records]:
        for cell in line.split() if delimiter == " " else line.split(delimiter):
            cell = cell.strip()
            number = delimiter == ";" and is_number(cell.replace(",", "."))
            cells += 1
            clean += number or cell.startswith('"') or not any(other in cell for other in others)
    return clean / max(cells, 1)


def _kinds(records: Canonical, text: bytes) -> tuple[list[type[pl.DataType]], frozenset[str]]:
    """The columns' types, text where in doubt, and the words met that stand for a missing value."""
    words = [word.encode() for word in MISSING]
    lengths = np.array([len(word) for word in words])
    letters = np.frombuffer(b"".join(word.ljust(lengths.max()) for word in words), np.uint8).reshape(len(words), -1)
    kinds, seen = np.zeros(records.n_fields, np.uint8), np.zeros(len(words), np.uint8)
    cells.classify(np.frombuffer(text, np.uint8), ord(records.separator), letters, lengths, kinds, seen)
    types: dict[int, type[pl.DataType]] = {cells.INTEGER: pl.Int64, cells.DECIMAL: pl.Float64}
    types[cells.INTEGER | cells.DECIMAL] = pl.Float64
    understood = frozenset(word for word, met in zip(MISSING, seen) if met)
    return [types.get(kind, pl.String) for kind in kinds.tolist()], understood


def _parse(
    records: Canonical,
    text: bytes,
    n_records: int,
    *,
    kinds: list[type[pl.DataType]] | None = None,
    limit: int | None = None,
) -> pl.DataFrame:
    """The cells, all as text unless ``kinds`` are told; ``limit`` reads that many of the ``n_records`` at most."""
    if text.startswith(b"x^"):
        # Polars would take these two letters for the start of a zlib stream.
        end = re.search(rb"\r?\n|" + re.escape(records.separator.encode()), text)
        assert end, "every record ends with a line feed"
        text = b'"' + text[: end.start()] + b'"' + text[end.start() :]
    try:
        frame = pl.read_csv(
            text,
            has_header=False,
            separator=records.separator,
            schema={f"column_{i}": kinds[i] if kinds else pl.String for i in range(records.n_fields)},
            null_values=list(MISSING) if kinds else None,
            n_rows=limit,
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise TreatiseError(f"the rows could not be parsed ({str(error).splitlines()[0]})") from None
    expected = n_records if limit is None else min(limit, n_records)
    if frame.shape != (expected, records.n_fields):
        raise TreatiseError(
            f"the rows could not be parsed: {expected} rows of {records.n_fields} fields became "
            f"{frame.height} of {frame.width}; is a quote out of place?"
        )
    return frame


def _is_header(first: tuple[str | None, ...], records: Canonical, *, decimal_comma: bool) -> bool:
    """Whether the first record names columns rather than holding values.

    Every cell must be a possible name, and something must set the record apart from those beneath it:
    a column of numbers, truth values or dates that its cell is not, or, where all is text, columns of few
    words among which its own never appear.
    """
    nameless = [i for i, cell in enumerate(first) if not cell]
    # A row index leaves the first name out, a delimiter at the end of every line the last.
    if len(nameless) == len(first) or not set(nameless) <= {0, len(first) - 1}:
        return False
    if any(cell in MISSING or is_number(cell) for cell in first if cell):
        return False
    if records.n_records == 1:
        return True
    sample = _parse(records, records.text, records.n_records, limit=_SAMPLE_RECORDS)
    if sample.width > 2 * _SAMPLE_COLUMNS:
        sample = sample.select(sample.columns[:_SAMPLE_COLUMNS] + sample.columns[-_SAMPLE_COLUMNS:])
        first = first[:_SAMPLE_COLUMNS] + first[-_SAMPLE_COLUMNS:]
    together, _ = typed_frame(sample, decimal_comma=decimal_comma)
    beneath, _ = typed_frame(sample.slice(1), decimal_comma=decimal_comma)
    typed = [(of_all == pl.String) for of_all, of_rest in zip(together.dtypes, beneath.dtypes) if of_rest != pl.String]
    if typed:
        return any(typed)
    values = [column.drop_nulls().to_list() for column in beneath.iter_columns()]
    apart = len(set(first)) == len(first) and all(cell not in cells for cell, cells in zip(first, values) if cell)
    return apart and any(len(set(cells)) < len(cells) for cells in values)


def _column_names(
    first: tuple[str | None, ...], n_fields: int, names: tuple[str, ...], header: bool
) -> tuple[list[str], tuple[str, ...]]:
    if names:
        if len(names) != n_fields:
            raise TreatiseError(f"{len(names)} attributes are declared, but the rows have {_fields(n_fields)}")
        given: tuple[str | None, ...] = names
    else:
        given = first if header else (None,) * n_fields
    chosen = [name or f"column_{i}" for i, name in enumerate(given)]
    repeated = [name for name, times in Counter(chosen).items() if times > 1]
    if repeated:
        raise TreatiseError(f"the header names {' and '.join(map(repr, repeated[:3]))} more than once; rename one")
    blank = [name for name, said in zip(chosen, given) if not said]
    if (header or names) and blank:
        return chosen, (f"the nameless column{'s' * (len(blank) > 1)} became {' and '.join(blank)}",)
    return chosen, ()


def _without_trailing_nothing(frame: pl.DataFrame, named: bool) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """A delimiter at the end of every line makes a last column without name and values."""
    last = frame.to_series(-1)
    if named or frame.width == 1 or last.null_count() < len(last):
        return frame, ()
    return frame.drop(last.name), ("an empty last column was dropped: every line ends with a delimiter",)


def _fields(count: int) -> str:
    return f"{count} field{'s' * (count != 1)}"
