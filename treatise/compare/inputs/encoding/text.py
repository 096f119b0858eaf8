"""Free text: its words weighed by tf-idf, or a few directions of them for methods that take no sparse input."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.utils.extmath import randomized_svd

from treatise._core.invariants import Invariants, all_alike, is_array
from treatise.compare.inputs.columns import REDUCED_TEXT
from treatise.compare.inputs.encoding.base import ColumnsEncoder
from treatise.compare.inputs.encoding.frames import Known, codes_of

_WORD = r"\w\w+"
_ROWS_AT_ONCE = 50_000
_FEW_ROWS = 100


class Words(ColumnsEncoder):
    r"""One column of text: for each word :math:`(1 + \ln n) (1 + \ln \frac{1 + N}{1 + d})`, rows of length 1.

    Here :math:`n` is how often a text has the word, :math:`N` the number of texts in training and :math:`d` that of
    those with the word. Words are of two letters or digits at least, in small letters; those of one text alone are
    left out.

    Parameters
    ----------
    columns : list of str
        The name, alone.
    most : int, default=20000
        Most words; the commonest are kept.
    reduce : bool, default=False
        Whether to project the words on the 50 directions along which the texts of training vary most.
    random_state : int, default=0
        Seed of the search for those.
    """

    words_ = Known()

    def __init__(self, columns: list[str], most: int = 20_000, reduce: bool = False, random_state: int = 0) -> None:
        super().__init__(columns)
        self.most = most
        self.reduce = reduce
        self.random_state = random_state

    @property
    def mostly_zero(self) -> bool:  # type: ignore[override]
        """Whether the words themselves come out."""
        return not self.reduce

    def fit(self, frame: pl.DataFrame, y: np.ndarray | None) -> Self:
        """Learn the words, and the directions if there are to be some."""
        self.fit_transform(frame, y)
        return self

    def fit_transform(self, frame: pl.DataFrame, y: np.ndarray | None) -> Any:
        """Both, weighing the words once."""
        texts = frame.to_series()
        found = [words.group_by("word").len() for _, words in _words_of(texts)]
        counts = pl.concat(found).group_by("word").agg(pl.col("len").sum())
        counts = counts.sort("len", "word", descending=[True, False])
        least = 2 if len(texts) >= _FEW_ROWS else 1
        kept = counts.filter(pl.col("len") >= least).head(self.most).sort("word")
        self.words_ = kept["word"].to_list()
        self.rarity_ = 1 + np.log((1 + len(texts)) / (1 + kept["len"].to_numpy()))
        self.directions_: np.ndarray | None = None
        weights = self._weights(texts)
        if self.reduce and min(weights.shape) > REDUCED_TEXT:
            self.directions_ = randomized_svd(weights, REDUCED_TEXT, random_state=self.random_state)[2]
        return self._out(weights)

    def transform(self, frame: pl.DataFrame) -> Any:
        """The weights of the words, or their projections."""
        return self._out(self._weights(frame.to_series()))

    def names(self) -> list[str]:
        """``NAME: word``, or ``NAME: direction 1`` and on."""
        told = self.words_ or ["(no word)"]
        if self.directions_ is not None:
            told = [f"direction {i + 1}" for i in range(len(self.directions_))]
        return [f"{self.columns[0]}: {what}" for what in told]

    def _invariants(self) -> Invariants:
        words = len(self.words_)
        yield "words are texts", all_alike(self.words_, str) and len(set(self.words_)) == words
        yield "words have weights", is_array(self.rarity_, np.float64, words) and len(self.columns) == 1
        if self.directions_ is not None:
            yield "directions are of words", is_array(self.directions_, np.floating, None, max(1, words))

    def _out(self, weights: sparse.csr_matrix) -> Any:
        if self.directions_ is not None:
            return weights @ self.directions_.T
        return weights.toarray() if self.reduce else weights

    def _weights(self, texts: pl.Series) -> sparse.csr_matrix:
        known = self.words_
        width = max(1, len(known))
        rows, places, values = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0)]
        for first, words in _words_of(texts):
            place = codes_of(words["word"], known)
            met = place >= 0
            rows.append(first + words["row"].to_numpy()[met])
            places.append(place[met])
            values.append((1 + np.log(words["times"].to_numpy()[met])) * self.rarity_[place[met]])
        row, value = np.concatenate(rows), np.concatenate(values)
        length = np.sqrt(np.bincount(row, value**2, len(texts)))
        value = value / length[row]
        return sparse.csr_matrix((value, (row, np.concatenate(places))), shape=(len(texts), width))


def _words_of(texts: pl.Series) -> Iterator[tuple[int, pl.DataFrame]]:
    """How often each text has each word, some texts at a time, and the number of texts before them."""
    for first in range(0, max(1, len(texts)), _ROWS_AT_ONCE):
        part = texts[first : first + _ROWS_AT_ONCE].cast(pl.String)
        words = part.str.to_lowercase().str.extract_all(_WORD).alias("word")
        rows = pl.DataFrame([pl.Series("row", np.arange(len(part))), words]).explode("word").drop_nulls()
        yield first, rows.group_by("row", "word").agg(pl.len().alias("times"))
