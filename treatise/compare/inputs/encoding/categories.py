"""Categories: an indicator for each of the commonest."""

from typing import Any, Self

import numpy as np
import polars as pl
from scipy import sparse

from treatise._core.invariants import Invariants, all_alike, is_count
from treatise.compare.inputs.encoding.base import ColumnsEncoder
from treatise.compare.inputs.encoding.frames import MISSING, Known, as_texts, codes_of


class Indicators(ColumnsEncoder):
    """One column: a one in the column of its value, zeros everywhere for a value that is rare or new.

    Parameters
    ----------
    columns : list of str
        The name, alone.
    most : int, default=50
        Most indicators.
    """

    mostly_zero = True
    values_ = Known()

    def __init__(self, columns: list[str], most: int = 50) -> None:
        super().__init__(columns)
        self.most = most

    def fit(self, frame: pl.DataFrame, y: np.ndarray | None) -> Self:
        """Learn the commonest values."""
        texts = as_texts(frame.to_series())
        counts = texts.alias("value").value_counts().sort("count", "value", descending=[True, False])
        # Ties by name, so that the encoding does not depend on the order of the rows.
        self.values_ = counts["value"].to_list()
        return self

    @property
    def indicated(self) -> list[str]:
        """The values that have a column."""
        return self.values_[: self.most]

    def _invariants(self) -> Invariants:
        yield "categories are texts", all_alike(self.values_, str) and len(set(self.values_)) == len(self.values_)
        yield "indicators are counted", is_count(self.most) and len(self.columns) == 1

    def transform(self, frame: pl.DataFrame) -> Any:
        """A sparse matrix of indicators."""
        codes = codes_of(as_texts(frame.to_series()), self.indicated)
        known = codes >= 0
        ends = np.concatenate([[0], np.cumsum(known)])
        shape = (len(codes), len(self.indicated))
        return sparse.csr_matrix((np.ones(ends[-1]), codes[known], ends), shape=shape)

    def names(self) -> list[str]:
        """``NAME = value``."""
        return [f"{self.columns[0]} = {value}" for value in self.indicated]

    def unseen(self, frame: pl.DataFrame) -> int:
        """Values that were not there in fitting, rare or not; a gap is none."""
        texts = as_texts(frame.to_series())
        return int(((codes_of(texts, self.values_) < 0) & (texts != MISSING).to_numpy()).sum())
