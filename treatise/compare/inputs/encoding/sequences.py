"""Sequences of amounts, as a frame with a list in every cell, to what methods of sequences or methods of rows take."""

from typing import Any

import numpy as np
import polars as pl
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import Invariants, is_array
from treatise.compare.groups import SUMMARIES, summed_up
from treatise.compare.inputs.encoding.bags import rows_of_bags, sizes_of
from treatise.compare.inputs.encoding.frames import as_frame

NUMBER = "\0sequence"


class SequenceEncoder(TransformerMixin, BaseEstimator):
    """Brings the columns of sequences to one scale and fills their gaps.

    A frame has a row for each sequence and in each cell a list, with an item for each of its positions. A gap takes the
    value before it in its sequence, or else the one after it, or else the mean of the column.

    Parameters
    ----------
    summary : bool, default=False
        Whether to pass on a row for each sequence that sums it up, for methods of rows; else a list of arrays of shape
        (length, n_columns).
    """

    def __init__(self, summary: bool = False) -> None:
        self.summary = summary

    def fit(self, X: Any, y: Any = None) -> "SequenceEncoder":
        """Learn mean and deviation of each column over all positions."""
        positions = rows_of_bags(as_frame(X)).cast(pl.Float64).fill_nan(None)
        self.n_features_in_ = positions.width
        self.means_ = np.array([column.mean() for column in positions.iter_columns()], np.float64)
        spread = np.array([column.std(ddof=0) for column in positions.iter_columns()], np.float64)
        self.scales_ = np.where(spread > 0, spread, 1.0)
        return self

    def transform(self, X: Any) -> Any:
        """The sequences, or a row for each."""
        found = self.sequences(X)
        return summed_up(found) if self.summary else found

    def _invariants(self) -> Invariants:
        for name in ("means_", "scales_"):
            yield f"{name} has one for each column", is_array(getattr(self, name), np.float64, self.n_features_in_)

    def sequences(self, X: Any) -> list[np.ndarray]:
        """The sequences as arrays."""
        check_is_fitted(self)
        sizes = sizes_of(frame := as_frame(X))
        positions = rows_of_bags(frame).cast(pl.Float64).fill_nan(None)
        numbered = positions.with_columns(pl.Series(NUMBER, np.repeat(np.arange(len(sizes)), sizes)))
        filled = numbered.select(pl.all().exclude(NUMBER).forward_fill().backward_fill().over(NUMBER)).to_numpy()
        scaled = (np.where(np.isfinite(filled), filled, self.means_) - self.means_) / self.scales_
        return np.split(scaled, np.cumsum(sizes)[:-1])


def summaries_of(X: pl.DataFrame, sequences: list[np.ndarray]) -> pl.DataFrame:
    """What sums up each sequence, in columns named after those of the sequences."""
    return pl.DataFrame(summed_up(sequences), schema=[f"{word} {name}" for word in SUMMARIES for name in X.columns])
