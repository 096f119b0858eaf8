"""The tables that come with scikit-learn, under their names."""

import os
from typing import Any

import numpy as np
import polars as pl
from sklearn import datasets

from treatise.io import Table, read_table


def _classes(data: Any) -> pl.Series:
    return pl.Series(np.asarray(data.target_names).astype(str)[data.target])


def _iris() -> Table:
    return _table("iris", "species", datasets.load_iris(), _classes)


def _wine() -> Table:
    return _table("wine", "cultivar", datasets.load_wine(), _classes)


def _breast_cancer() -> Table:
    return _table("breast_cancer", "diagnosis", datasets.load_breast_cancer(), _classes)


def _digits() -> Table:
    return _table("digits", "digit", datasets.load_digits(), _classes)


def _diabetes() -> Table:
    return _table("diabetes", "progression", datasets.load_diabetes(scaled=False), lambda data: pl.Series(data.target))


def _table(name: str, target: str, data: Any, outcome: Any) -> Table:
    columns = {column: values for column, values in zip(data.feature_names, data.data.T)}
    return Table(name, pl.DataFrame({**columns, target: outcome(data)}), True, (), target=target)


BUNDLED = {"iris": _iris, "wine": _wine, "breast_cancer": _breast_cancer, "digits": _digits, "diabetes": _diabetes}
"""Name of every bundled table, with the function that makes it."""


def load_table(source: str | os.PathLike[str], **kwargs: Any) -> Table:
    """A bundled table by its name, or else the table in a file."""
    if isinstance(source, str) and source in BUNDLED:
        return BUNDLED[source]()
    return read_table(source, **kwargs)
