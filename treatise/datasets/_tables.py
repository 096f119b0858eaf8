"""Tables by name: those that come with scikit-learn, those of the data home, and files."""

import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn import datasets

from treatise._core.errors import TreatiseError
from treatise.datasets._home import known_files, locate
from treatise.io import Table, read_table

_RECIPES: dict[str, dict[str, Any]] = tomllib.loads(
    (files("treatise.datasets") / "bundled.toml").read_text(encoding="utf-8")
)

BUNDLED = tuple(_RECIPES)
"""Names of the tables that need no file."""


def load_table(
    source: str | os.PathLike[str],
    *,
    header: bool | None = None,
    format: str | None = None,
    written: Mapping[str, str] | None = None,
    asked: Iterable[str] = (),
) -> Table:
    """A bundled table by its name, a table of the data home by its path there, or else the table in a file.

    Parameters
    ----------
    source : str or path
        One of :data:`BUNDLED`, such as ``"iris"``; a known file of the data home, such as ``"keel/sonar.dat"``; or a
        file of yours. A file that has the name of one of the former is read as ``./iris``.
    header, format, written, asked
        For a file, as :func:`treatise.io.read_table` takes them.

    Returns
    -------
    Table
        A bundled one knows its ``target``, and so do most of the data home; :meth:`~treatise.io.Table.arrays` makes
        features and target of it.

    Examples
    --------
    >>> from treatise.datasets import load_table
    >>> table = load_table("iris")
    >>> table.target, table.frame.shape
    ('species', (150, 5))
    """
    if isinstance(source, str) and source in _RECIPES:
        return _bundled(source)
    if isinstance(source, str) and source in known_files():
        return _collected(source, header, format)
    try:
        return read_table(source, header=header, format=format, written=written, asked=asked)
    except TreatiseError as error:
        if Path(source).exists() or Path(source).name != str(source):
            raise
        raise TreatiseError(f"{error}; tables that need no file: {', '.join(BUNDLED)}") from None


def _collected(name: str, header: bool | None, format: str | None) -> Table:
    known = known_files()[name]
    table = read_table(locate(name), header=known.get("header", header), format=format)
    return replace(table, target=table.column(known["target"]) if "target" in known else None)


def _bundled(name: str) -> Table:
    recipe = _RECIPES[name]
    data = getattr(datasets, recipe["loader"])(**recipe.get("options", {}))
    names = recipe.get("columns") or map(_plain_name, data.feature_names)
    columns = {column: _whole(values) for column, values in zip(names, data.data.T)}
    outcome = np.array(recipe["classes"])[data.target] if "classes" in recipe else data.target
    return Table(name, pl.DataFrame({**columns, recipe["target"]: outcome}), True, (), target=recipe["target"])


def _plain_name(name: str) -> str:
    return name.removesuffix(" (cm)").replace(" ", "_").replace("/", "_")


def _whole(values: np.ndarray) -> np.ndarray:
    """Integers as such, as a file would hold them."""
    return values.astype(np.int64) if np.all(values == np.rint(values)) else values
