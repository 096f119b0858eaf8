"""Mistakes that can be told before anything is computed: a path, a column or a measure that is not there.

Imports as little as each question needs, so that a command answers at once.
"""

import glob
import os
import tomllib
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

from treatise._core.errors import TreatiseError

SHEET = "#"


def refuse_early(
    data: Any, columns: Iterable[str | int | None], *, header: bool | None = None, task: str | None = None,
    metric: Any = None, others: Iterable[Any] = (),
) -> None:  # fmt: skip
    """Raise for a missing file, a column that its head does not have, or an unknown measure.

    Parameters
    ----------
    data : path, bundled name, or data in memory
        What is compared on; what is in memory is not looked at.
    columns : iterable of str, int or None
        The target and the columns with a role.
    header, task :
        As for :func:`compare_methods`.
    metric : str or other
        A name is looked up.
    others : iterable of path or other
        Further sources that must be there.

    Examples
    --------
    >>> from treatise.compare.early import refuse_early
    >>> refuse_early("nowhere/measured.csv", ["y"])
    Traceback (most recent call last):
        ...
    treatise._core.errors.TreatiseError: nowhere/measured.csv: no such file
    """
    for source in (data, *others):
        if isinstance(source, str | os.PathLike):
            _refuse_missing(source)
    if isinstance(metric, str):
        _refuse_unknown(metric, columns := list(columns))
    if isinstance(data, str | os.PathLike) and Path(data).is_file() and task != "sequence":
        _refuse_columns(Path(data), columns, header)


def is_file(source: str | os.PathLike[str]) -> bool:
    """Whether there is such a file; ``book.xlsx#sheet`` names a part of one, ``part-*.vw`` names several."""
    text = os.fspath(source)
    return Path(text).exists() or Path(text.partition(SHEET)[0]).is_file() or next(glob.iglob(text), None) is not None


def _refuse_missing(source: str | os.PathLike[str]) -> None:
    text = os.fspath(source)
    if is_file(source):
        return
    bundled, known = (_names(name) for name in ("bundled.toml", "files.toml"))
    if text in bundled or text in known:
        return
    beside = _beside(Path(text))
    hint = f"; did you mean {beside}?" if beside else ""
    if not hint and Path(text).name == text:
        hint = f"; tables that need no file: {', '.join(bundled)}"
    raise TreatiseError(f"{text}: no such file{hint}")


def _names(file: str) -> list[str]:
    """Names of the tables that a file of the datasets lists, without importing what loads them."""
    return list(tomllib.loads((files("treatise") / "datasets" / file).read_text(encoding="utf-8")))


def _beside(path: Path) -> str:
    """A file in the same folder whose name is close."""
    from difflib import get_close_matches

    try:
        names = [entry.name for entry in os.scandir(path.parent) if entry.is_file()]
    except OSError:
        return ""
    close = get_close_matches(path.name, names, 1)
    return repr(str(path.with_name(close[0]))) if close else ""


def _refuse_unknown(metric: str, columns: Iterable[str | int | None]) -> None:
    from treatise.compare.measures import METRICS

    name, _, column = metric.partition(" ")
    if metric not in METRICS and not (name in METRICS and column in columns):  # of one of several targets
        from treatise.compare.own_metric import own_metric

        own_metric(metric)


def _refuse_columns(path: Path, columns: Iterable[str | int | None], header: bool | None) -> None:
    wanted = [column for column in columns if column is not None]
    if not wanted:
        return
    from treatise.io import TableBlocks
    from treatise.io.source import is_sentences

    if is_sentences(path):
        return
    try:
        head = TableBlocks(path, header=header).head
    except TreatiseError:
        return  # what is wrong with the file is for its reader to say
    for column in wanted:
        head.column(column)
