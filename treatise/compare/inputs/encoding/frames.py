"""Frames and columns of whatever a person brings."""

import json
import warnings
from typing import Any

import numpy as np
import polars as pl

from treatise._core.errors import TreatiseError
from treatise.io.source import refuse_patterns
from treatise.statistics import martingale_residuals

MISSING = "(missing)"
"""What stands for a category that is not there."""
MOST_UNFIT = 0.01
"""Share of a column's values that may be of another kind than in fitting, and are missing then."""


def as_frame(X: Any) -> pl.DataFrame:
    """A Polars frame of anything that is a table."""
    if hasattr(X, "columns"):
        refuse_patterns(map(str, X.columns))
    if isinstance(X, pl.DataFrame):
        return X
    if hasattr(X, "__array__") and not hasattr(X, "columns"):
        matrix = np.asarray(X)
        return pl.DataFrame(matrix, schema=[f"column_{i}" for i in range(matrix.shape[1])])
    return pl.DataFrame(pl.from_pandas(X) if hasattr(X, "iloc") else X)


class Known:
    """Values that fitting saw, kept as one text: of a list, a model file describes every item by itself."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._kept = f"{name}json_"

    def __get__(self, part: Any, owner: type | None = None) -> Any:
        if part is None:
            return self
        try:
            return json.loads(part.__dict__[self._kept])
        except KeyError:
            raise AttributeError(f"{type(part).__name__} is not fitted") from None

    def __set__(self, part: Any, values: list[str]) -> None:
        part.__dict__[self._kept] = json.dumps(values)


def as_texts(column: pl.Series) -> pl.Series:
    """A column of categories, with a word for what is missing."""
    return column.cast(pl.String).fill_null(MISSING)


def codes_of(texts: pl.Series, known: list[str]) -> np.ndarray:
    """The place of each text among those known, -1 for one that is not."""
    if not known:
        return np.full(len(texts), -1)
    places = texts.cast(pl.Enum(known), strict=False).to_physical()
    return places.cast(pl.Int64).fill_null(-1).to_numpy()


def admit(found: pl.Series, column: pl.Series, kind: str) -> None:
    """Raise where more than a few values of a column became nothing when it was read as its kind; warn of a few."""
    lost = found.null_count() - column.null_count()
    if lost <= 0:
        return
    offender = column.filter(found.is_null() & column.is_not_null())[0]
    if lost > MOST_UNFIT * (len(column) - column.null_count()):
        raise TreatiseError(f"column {column.name!r} holds {offender!r} where the model was fitted with {kind}")
    warnings.warn(
        f"{lost} of {len(column)} values of {column.name!r} are no {kind}, such as {offender!r}, and are taken as "
        "missing",
        UserWarning,
        stacklevel=2,
    )


def amounts_or_labels(y: Any) -> np.ndarray:
    """A target as columns are set beside it: survival times as one number each, larger for the longer lives; several
    targets as one amount."""
    y = np.asarray(y)
    if y.dtype.names is not None:
        return -martingale_residuals(y)
    return y if y.ndim == 1 else _leading(y)


def _leading(y: np.ndarray) -> np.ndarray:
    """Several targets as one amount: the direction in which amounts, or shares of classes, vary most together."""
    if y.dtype.kind != "f":
        y = np.column_stack([column[:, None] == np.unique(column)[1:] for column in y.T]).astype(float)
    centred = y - y.mean(axis=0)
    spread = centred.std(axis=0)
    scaled = centred / np.where(spread > 0, spread, 1.0)
    directions = np.linalg.eigh(scaled.T @ scaled)[1]
    return scaled @ directions[:, -1]
