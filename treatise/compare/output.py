"""What commands leave in a folder: by one writer at a time, and tables that a spreadsheet can be handed."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from treatise._core.files import held, made_folder, replacing

_FORMULA, _NUMBER = r"^[=+\-@\t\r]", r"^[+-]?[0-9.]+$"


@contextmanager
def output_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A folder, made where it is not there yet, held until all files of one answer are in it.

    A second writer waits, so that page, picture and tables are always those of one answer.
    """
    folder = made_folder(path)
    with held(folder, wait=True):
        yield folder


def write_table(frame: pl.DataFrame, path: Path, *, spreadsheet: bool = False) -> None:
    """Write a table as CSV, as it is or for a spreadsheet."""
    with replacing(path) as temporary:
        (without_formulas(frame) if spreadsheet else frame).write_csv(temporary)


def without_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    """The same with an apostrophe before text that a spreadsheet would take for a formula and run."""
    text = pl.col(pl.String)
    risky = text.str.contains(_FORMULA) & ~text.str.contains(_NUMBER)
    frame = frame.with_columns(pl.when(risky).then("'" + text).otherwise(text).name.keep())
    return frame.rename(lambda name: f"'{name}" if re.match(_FORMULA, name) else name)
