"""Reading a table from a file, whatever its format."""

import os
from pathlib import Path

from treatise._core.errors import TreatiseError
from treatise.io._delimited import DELIMITERS, read_delimited
from treatise.io._files import read_bytes, stem
from treatise.io._keel import is_keel, split_keel
from treatise.io._libsvm import is_libsvm, read_libsvm
from treatise.io._parquet import MAGIC, read_parquet
from treatise.io._table import Table
from treatise.io._text import plain_text

FORMATS = ("csv", "tsv", "libsvm", "parquet")


def read_table(source: str | os.PathLike[str], *, header: bool | None = None, format: str | None = None) -> Table:
    """Read a table from a file.

    Understood are text divided by commas, tabs, semicolons, bars or blanks, KEEL's ``.dat``, LIBSVM's
    ``label index:value ...`` and Parquet, each also compressed (gzip, bzip2, xz, Zstandard). The format, the
    delimiter and the header are told by the content. Missing values are an empty field, ``NA``, ``N/A``,
    ``NaN``, ``null`` or ``?``; blanks around a field that is not quoted are not part of it; a column is
    numeric, Boolean, or a date or time where every value in the file is, and text otherwise, also where
    numbers are written with leading zeros. The time grows with the bytes of the file, which is held in memory
    while it is read; a row may take 16 MiB and a table have 262 144 columns. For data beyond the memory, use
    the streaming readers.

    Parameters
    ----------
    source : str or path
        The file.
    header : bool or None, default=None
        Whether the first line of delimited text holds the column names. None takes it as a header where
        every cell of it could be a name and the lines beneath are of another kind.
    format : {"csv", "tsv", "libsvm", "parquet"} or None, default=None
        The format, where the content would be mistaken for another. ``"csv"`` is text with any delimiter.

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
    if format not in (None, *FORMATS):
        raise TreatiseError(f"{format!r} is no known format; the known ones: {', '.join(FORMATS)}")
    path = Path(source)
    try:
        return _read(path, header, format)
    except TreatiseError as error:
        raise TreatiseError(f"{path}: {error}") from None


def _read(path: Path, header: bool | None, format: str | None) -> Table:
    data = read_bytes(path)
    if format == "parquet" or (format is None and data.startswith(MAGIC)):
        return Table(stem(path), read_parquet(data), True, ())
    text, notes = plain_text(data)
    del data
    if format == "libsvm" or (format is None and is_libsvm(text)):
        labels, matrix, remarks = read_libsvm(text)
        return Table(stem(path), labels, False, notes + remarks, matrix)
    names: tuple[str, ...] = ()
    if format is None and is_keel(text):
        names, text = split_keel(text)
    endings = [ending.lower() for ending in path.suffixes]
    if format == "tsv" or (format is None and (".tsv" in endings or ".tab" in endings)):
        delimiters = "\t"
    else:
        # In a .csv file a blank is part of a name, not a delimiter.
        delimiters = DELIMITERS.replace(" ", "") if ".csv" in endings else DELIMITERS
    frame, named, remarks = read_delimited(text, delimiters=delimiters, header=header, names=names)
    return Table(stem(path), frame, named or bool(names), notes + remarks)
