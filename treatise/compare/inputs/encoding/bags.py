"""Bags of rows, as a frame with a list in every cell, to what methods of bags or methods of rows take."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import Invariants
from treatise.compare.inputs.encoding.frames import as_frame
from treatise.compare.inputs.encoding.table import TableEncoder


class BagEncoder(TransformerMixin, BaseEstimator):
    """Encodes the rows of all bags as a table, and passes the bags on.

    A frame has a row for each bag and in each cell a list, with an item for each of the bag's rows.

    Parameters
    ----------
    summary : bool, default=False
        Whether to pass on a row for each bag, the mean, the least and the largest of every encoded column, for methods
        of rows; else :class:`treatise.applications.Bags`.
    written : mapping of str to str or None, default=None
        As for :class:`TableEncoder`.
    random_state : int, default=0
        As for :class:`TableEncoder`.
    """

    def __init__(
        self, summary: bool = False, *, written: Mapping[str, str] | None = None, random_state: int = 0
    ) -> None:
        self.summary = summary
        self.written = written
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "BagEncoder":
        """Learn what each column holds from the rows of all bags, each with the label of its bag."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Both, of the same bags."""
        frame = as_frame(X)
        sizes = sizes_of(frame)
        labels = None if y is None else np.repeat(np.asarray(y), sizes)
        self.encoder_ = TableEncoder(written=dict(self.written or {}), random_state=self.random_state)
        return self._passed(self.encoder_.fit_transform(rows_of_bags(frame), labels), sizes)

    def transform(self, X: Any) -> Any:
        """The bags, or a row for each."""
        check_is_fitted(self)
        frame = as_frame(X)
        return self._passed(self.encoder_.transform(rows_of_bags(frame)), sizes_of(frame))

    def unseen(self, X: Any) -> dict[str, int]:
        """How many values of each column are categories that fitting did not see."""
        check_is_fitted(self)
        return self.encoder_.unseen(rows_of_bags(as_frame(X)))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the encoded columns, or of what is said of them."""
        names = self.encoder_.get_feature_names_out()
        if not self.summary:
            return names
        said = ("mean of", "least", "largest")
        return np.array([f"{word} {name}" for word in said for name in names], dtype=object)

    def _invariants(self) -> Invariants:
        yield "rows are encoded", isinstance(self.encoder_, TableEncoder)

    def _passed(self, rows: np.ndarray, sizes: np.ndarray) -> Any:
        # Imported here: comparisons of other kinds need none of the methods of bags, nor do their processes.
        from treatise.applications import Bags

        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        bags = Bags(rows, starts)
        if not self.summary:
            return bags
        least, largest = (ufunc.reduceat(rows, starts[:-1], axis=0) for ufunc in (np.minimum, np.maximum))
        return np.hstack([bags.means(), least, largest])


def bags_of_rows(frame: pl.DataFrame, numbers: np.ndarray) -> pl.DataFrame:
    """A row for each bag with a list in every cell; bags are numbered in the order in which they first appear."""
    number = "\0bag"
    grouped = frame.with_columns(pl.Series(number, numbers)).group_by(number, maintain_order=True).agg(pl.all())
    return grouped.drop(number)


def rows_of_bags(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of all bags, those of a bag together."""
    return frame.explode(frame.columns)


def sizes_of(frame: pl.DataFrame) -> np.ndarray:
    """How many rows each bag has."""
    return frame.to_series(0).list.len().to_numpy().astype(np.int64)
