"""Reading a table from a file, whatever its format."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from treatise._core.errors import TreatiseError
from treatise.io.source import (
    PARQUET,
    TABLES,
    find_format,
    naming,
    plain_text,
    possible_delimiters,
    read_bytes,
    refuse_other_than_table,
    stem,
)
from treatise.io.tables.delimited import delimited_table, read_delimited
from treatise.io.tables.keel import split_keel
from treatise.io.tables.libsvm import read_libsvm
from treatise.io.tables.parquet import ordered_categories, read_parquet
from treatise.io.tables.table import Table
from treatise.io.tables.workbook import is_workbook, read_workbook, workbook_and_sheet


def read_table(
    source: str | os.PathLike[str],
    *,
    header: bool | None = None,
    format: str | None = None,
    written: Mapping[str, str] | None = None,
    asked: Iterable[str] = (),
) -> Table:
    """Read a table from a file.

    Understood are text divided by commas, tabs, semicolons, bars or blanks, Orange's ``.tab``, KEEL's ``.dat``,
    LIBSVM's ``label index:value ...`` and Parquet, each also compressed (gzip, bzip2, xz, Zstandard), and Excel's
    ``.xlsx`` where ``fastexcel`` is installed. The format, the delimiter and the header are told by the content.
    Missing values are an empty field, ``NA``, ``N/A``, ``NaN``, ``null`` or ``?``; blanks around a field that is not
    quoted are not part of it; a column is numeric, Boolean, or a date or time where every value in the file is, and
    text otherwise, also where numbers are written with leading zeros. Numbers may have a currency, a unit or a per cent
    sign (the same in all of the column), marks between thousands, and brackets for a minus; dates any order of day,
    month and year, if no other one fits the column. The time grows with the bytes of the file, which is held in memory
    while it is read; a row may take 16 MiB and a table have 262 144 columns. A compressed file may unfold to 4 GiB, or
    to as many as ``TREATISE_UNPACKED_GIB`` in the environment says. For data beyond the memory, use the streaming
    readers.

    Parameters
    ----------
    source : str or path
        The file; a sheet of a workbook other than the first is named behind ``#``: ``sales.xlsx#May``.
    header : bool or None, default=None
        Whether the first line of delimited text holds the column names. None takes it as a header where
        every cell of it could be a name and the lines beneath are of another kind.
    format : {"csv", "tsv", "libsvm", "parquet"} or None, default=None
        The format, where the content would be mistaken for another. ``"csv"`` is text with any delimiter.
    written : mapping of str to str or None, default=None
        How columns of delimited text are written, as the ``written`` of a :class:`Table` read before: a new file may be
        too short to tell 3 April from 4 March.
    asked : iterable of str, default=()
        Names that columns are known to have: a first line with one of them is a header, whatever lies beneath.

    Returns
    -------
    Table
        The columns, with notes on what was decided.

    Raises
    ------
    TreatiseError
        With the file, the line and what is wrong there, where the file is no table.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from treatise.io import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "fruit.csv")
    ...     _ = path.write_text("mass;kind\\n3,1;fig\\n?;plum\\n")
    ...     table = read_table(path)
    >>> table.frame.to_dict(as_series=False)
    {'mass': [3.1, None], 'kind': ['fig', 'plum']}
    >>> for note in table.notes:
    ...     print(note)
    the first line was taken as a header
    missing values written as '?' were understood
    column 'mass' read with a comma as the decimal sign
    """
    if format not in (None, *TABLES):
        raise TreatiseError(f"{format!r} is no known format; the known ones: {', '.join(TABLES)}")
    path, sheet = workbook_and_sheet(source)
    with naming(path):
        return _read(path, sheet, header, format, written, tuple(asked))


def _read(
    path: Path, sheet: str | None, header: bool | None, format: str | None, written: Mapping[str, str] | None,
    asked: tuple[str, ...],
) -> Table:  # fmt: skip
    data = read_bytes(path)
    if format == "parquet" or (format is None and data.startswith(PARQUET)):
        return Table(stem(path), read_parquet(data), True, (), levels=ordered_categories(data))
    if format is None and is_workbook(data):
        found = read_workbook(data, sheet, header=header, written=written)
        return Table(stem(path), found.frame, header is not False, found.notes, written=found.written)
    text, notes = plain_text(data)
    del data
    style = format or find_format(path, text)
    refuse_other_than_table(style)
    if style == "libsvm":
        labels, matrix, remarks = read_libsvm(text)
        return Table(stem(path), labels, False, notes + remarks, matrix)
    names: tuple[str, ...] = ()
    if style == "keel":
        names, text = split_keel(text)
    given = read_delimited(
        text, delimiters=possible_delimiters(path, format), header=header, names=names, written=written,
        asked=asked,
    )  # fmt: skip
    return delimited_table(path, given, notes, declared=bool(names))
