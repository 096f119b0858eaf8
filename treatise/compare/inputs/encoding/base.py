"""What a kind of column is to the encoder."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
import polars as pl
from sklearn.base import BaseEstimator

from treatise._core.invariants import Invariants, all_alike


class ColumnsEncoder(BaseEstimator):
    """Turns columns of one kind into numbers.

    Parameters
    ----------
    columns : list of str
        Their names; the frames that come are those columns, in this order.
    """

    mostly_zero: bool = False
    """Whether what comes out is worth keeping as a sparse matrix."""

    def __init__(self, columns: list[str]) -> None:
        self.columns = columns

    def _invariants(self) -> Invariants:
        yield (
            "columns have names",
            isinstance(self.columns, list) and len(self.columns) > 0 and all_alike(self.columns, str),
        )

    @abstractmethod
    def fit(self, frame: pl.DataFrame, y: np.ndarray | None) -> Self:
        """Learn from training rows."""

    @abstractmethod
    def transform(self, frame: pl.DataFrame) -> Any:
        """A matrix with a row for each: dense, or sparse if :attr:`mostly_zero`."""

    def fit_transform(self, frame: pl.DataFrame, y: np.ndarray | None) -> Any:
        """Both, of the same rows."""
        return self.fit(frame, y).transform(frame)

    @abstractmethod
    def names(self) -> list[str]:
        """Of the columns that come out."""

    def unseen(self, frame: pl.DataFrame) -> int:
        """How many values are categories that fitting did not see."""
        return 0
