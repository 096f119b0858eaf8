"""Excel's workbooks, by Polars and fastexcel."""

import io
import logging
import os
import re
import zipfile
import zlib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import polars as pl

from treatise._core.errors import TreatiseError
from treatise.io.source import refuse_unfolding, typed_frame, unpacked_limit
from treatise.io.source.values import Typed
from treatise.io.tables.parquet import plain_column

# What fastexcel says of cells that it takes for text would reach the terminal otherwise.
logging.getLogger("fastexcel").addHandler(logging.NullHandler())
_ENDINGS = (".xlsx", ".xlsm")
_PART = "xl/workbook.xml"
# The attribute that says where a row or a cell is.
_REFERENCE = re.compile(rb"""\sr\s*=\s*["']\s*([A-Za-z]{0,7})([0-9]{1,12})""")
_BYTES_OF_CELL = 32


def workbook_and_sheet(source: str | os.PathLike[str]) -> tuple[Path, str | None]:
    """A file, and the sheet of it that is named behind ``#`` if the file is a workbook."""
    name, mark, sheet = os.fspath(source).rpartition("#")
    if mark and name.lower().endswith(_ENDINGS) and not Path(source).exists():
        return Path(name), sheet
    return Path(source), None


def is_workbook(data: bytes) -> bool:
    """Whether the content of a file is a workbook of Excel's, not any archive."""
    if not data.startswith(b"PK"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if _PART not in archive.namelist():
                return False
            refuse_unfolding(sum(part.file_size for part in archive.infolist()), unpacked_limit())
            return True
    except TreatiseError:
        raise
    # A damaged archive can fail anywhere; what it is then is told by those who read text.
    except Exception:
        return False


def _refuse_sprawl(data: bytes) -> None:
    """Raise for a workbook whose cells lie so far apart that the room between them would fill the memory.

    The reader lays out all cells up to the last row and column that are named, and ends the process where it cannot.
    """
    row = column = 0
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for part in archive.infolist():
                text = archive.read(part)  # no more than it declares: what unfolds to more fails its checksum
                if part.filename.lower().endswith(".xml") and b"\0" in text:
                    raise TreatiseError(f"the part {part.filename} of the workbook is not in UTF-8; save it anew")
                columns = set[bytes]()
                for letters, number in map(re.Match.groups, _REFERENCE.finditer(text)):
                    columns.add(letters)
                    row = max(row, int(number))
                column = max(column, *map(_column_number, columns), 0)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, zlib.error) as error:
        raise TreatiseError(f"the workbook is cut short or damaged ({error}); get it again") from None
    if row * column * _BYTES_OF_CELL > unpacked_limit():
        raise TreatiseError(
            f"the workbook has cells up to row {row} and column {column}, which would take "
            f"{row * column * _BYTES_OF_CELL / 2**30:.0f} GiB to lay out; save the sheet as CSV, or delete the cells "
            "that lie far from the others"
        )


def _column_number(letters: bytes) -> int:
    """The number of a column that is named A to Z, AA and so on; of none, 1."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return max(1, number)


def read_workbook(
    data: bytes, sheet: str | None, *, header: bool | None = None, written: Mapping[str, str] | None = None
) -> Typed:
    """The columns of a sheet, the first unless one is named; its first row names them unless ``header`` is False."""
    if find_spec("fastexcel") is None:
        raise TreatiseError(
            "this is an Excel workbook; pip install 'treatise[excel]' to read it, or save the sheet as CSV"
        )
    _refuse_sprawl(data)
    chosen = {"sheet_id": 1} if sheet is None else {"sheet_name": sheet}
    try:
        frame = pl.read_excel(
            io.BytesIO(data), engine="calamine", has_header=header is not False, raise_if_empty=False, **chosen
        )
    # Whatever is wrong inside a workbook, fastexcel says it in errors of its own.
    except Exception as error:
        told = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise TreatiseError(f"the sheet {sheet or 1!r} of the workbook cannot be read ({told})") from None
    if frame.width == 0 or frame.height == 0:
        raise TreatiseError("the sheet holds no rows; name another one behind a #, such as book.xlsx#Sheet2")
    if header is False:
        frame.columns = [f"column_{i}" for i in range(frame.width)]
    frame = pl.DataFrame([plain_column(column) for column in frame.iter_columns()])
    typed = typed_frame(frame, written=written)
    sentence = f"the {'first sheet' if sheet is None else f'sheet {sheet!r}'} of the workbook was read"
    return typed._replace(notes=(sentence, *typed.notes))
