"""Excel's workbooks, by Polars and fastexcel."""

import io
import os
import zipfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import polars as pl

from treatise._core.errors import TreatiseError
from treatise.io.source import refuse_unfolding, typed_frame, unpacked_limit
from treatise.io.source.values import Typed
from treatise.io.tables.parquet import plain_column

_ENDINGS = (".xlsx", ".xlsm")
_PART = "xl/workbook.xml"


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


def read_workbook(
    data: bytes, sheet: str | None, *, header: bool | None = None, written: Mapping[str, str] | None = None
) -> Typed:
    """The columns of a sheet, the first unless one is named; its first row names them unless ``header`` is False."""
    if find_spec("fastexcel") is None:
        raise TreatiseError(
            "this is an Excel workbook; pip install 'treatise[excel]' to read it, or save the sheet as CSV"
        )
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
