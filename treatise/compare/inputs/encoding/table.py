"""The encoder of whole tables: each column as its kind."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted

from treatise._core.errors import TreatiseError
from treatise._core.invariants import Invariants, all_alike
from treatise.compare.inputs.columns import kind_of
from treatise.compare.inputs.encoding.base import ColumnsEncoder
from treatise.compare.inputs.encoding.categories import Indicators
from treatise.compare.inputs.encoding.dates import Dates
from treatise.compare.inputs.encoding.frames import amounts_or_labels, as_frame
from treatise.compare.inputs.encoding.numbers import Numbers
from treatise.compare.inputs.encoding.target_means import TargetMeans
from treatise.compare.inputs.encoding.text import Words

MANY_INDICATORS = 256


class TableEncoder(TransformerMixin, BaseEstimator):
    """Turns a data frame into floats, each column as what it holds.

    =============  ====================================================================================================
    numbers        themselves, medians where they are missing, and a column that marks gaps if fitting saw any
    dates, times   days since the first one, the year, and month, day of week and hour as points on a circle, each if it
                   varies
    categories     an indicator column for each of the commonest values; zeros in all for others
    many of them   these, and the mean of the target (or the share of each class) in the category, cross-fitted in
                   ``fit_transform`` so that no training row is shown its own target
    free text      tf-idf of its words in a sparse matrix, or 50 directions of them in a dense one
    =============  ====================================================================================================

    Parameters
    ----------
    max_categories : int, default=50
        Most indicator columns for one column of categories; one that has more is a column of many.
    sparse : bool, default=False
        Whether the result may be a sparse matrix; it is one where there is free text or there are many indicators.
    scaling : {"none", "standard", "minmax"}, default="none"
        How numbers and dates are scaled where the result is sparse, as nothing behind could do so without filling the
        zeros. A dense result is never scaled.
    written : mapping of str to str or None, default=None
        How columns are written that may come as text: ``$1,234.5``, or ``day/month/year``; see
        :class:`treatise.io.Table`.
    random_state : int, default=0
        Seed of the cross-fitting and of the directions of text.

    Examples
    --------
    >>> import polars as pl
    >>> from treatise.compare import TableEncoder
    >>> frame = pl.DataFrame({"age": [30, None, 50], "town": ["Bern", "Chur", "Bern"]})
    >>> encoder = TableEncoder().fit(frame)
    >>> encoder.transform(frame)
    array([[30.,  0.,  1.,  0.],
           [40.,  1.,  0.,  1.],
           [50.,  0.,  1.,  0.]])
    >>> list(encoder.get_feature_names_out())
    ['age', 'age is missing', 'town = Bern', 'town = Chur']
    >>> encoder.unseen(pl.DataFrame({"age": [8], "town": ["Davos"]}))
    {'town': 1}
    """

    def __init__(
        self,
        max_categories: int = 50,
        *,
        sparse: bool = False,
        scaling: str = "none",
        written: Mapping[str, str] | None = None,
        random_state: int = 0,
    ) -> None:
        self.max_categories = max_categories
        self.sparse = sparse
        self.scaling = scaling
        self.written = written
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "TableEncoder":
        """Learn what each column holds.

        Parameters
        ----------
        X : data frame
            Polars, or anything Polars can take (pandas).
        y : array or None
            The target: amounts as floats, labels, or survival times. Without it, many categories have no means.
        """
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn, and encode the same rows, with cross-fitted means of the target.

        Parameters
        ----------
        X, y :
            As for :meth:`fit`.
        """
        frame = as_frame(X)
        y = y if y is None else amounts_or_labels(y)
        if frame.width == 0:
            raise TreatiseError("the table has no column to encode")
        self.columns_ = list(frame.columns)
        self.n_features_in_ = len(self.columns_)
        parts = list(self._parts(frame, y is not None))
        blocks = [part.fit_transform(_of(frame, part.columns), y) for part in parts]
        indicators = sum(block.shape[1] for part, block in zip(parts, blocks) if isinstance(part, Indicators))
        text = any(isinstance(part, Words) for part in parts)
        self.sparse_ = self.sparse and (text or indicators > MANY_INDICATORS)
        # In a sparse matrix the columns of numbers come first, all together, so that one scaler serves them.
        order = sorted(range(len(parts)), key=lambda i: self.sparse_ and parts[i].mostly_zero)
        self.parts_ = [parts[i] for i in order]
        self.scaler_ = None
        blocks = [blocks[i] for i in order]
        dense = [block for block in blocks if not sparse.issparse(block)]
        if self.sparse_ and dense and self.scaling != "none":
            self.scaler_ = StandardScaler() if self.scaling == "standard" else MinMaxScaler(clip=True)
            self.scaler_.fit(np.hstack(dense))
        return self._joined(blocks)

    def transform(self, X: Any) -> Any:
        """The frame as a float64 matrix.

        Parameters
        ----------
        X : data frame
            With the columns seen in fitting, in any order; further columns are left alone.
        """
        check_is_fitted(self)
        frame = self._frame(X)
        return self._joined([part.transform(_of(frame, part.columns)) for part in self.parts_])

    def unseen(self, X: Any) -> dict[str, int]:
        """How many values of each column are categories that fitting did not see; columns without any are left out.

        Parameters
        ----------
        X : data frame
            As for :meth:`transform`.
        """
        check_is_fitted(self)
        frame = self._frame(X)
        counts = {part.columns[0]: part.unseen(_of(frame, part.columns)) for part in self.parts_}
        return {name: count for name, count in counts.items() if count}

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns that come out."""
        check_is_fitted(self)
        return np.array([name for part in self.parts_ for name in part.names()], dtype=object)

    def _invariants(self) -> Invariants:
        yield "columns have names", all_alike(self.columns_, str) and len(self.columns_) == self.n_features_in_ > 0
        yield "each kind has its encoder", all_alike(self.parts_, ColumnsEncoder) and len(self.parts_) > 0
        yield "encoders are of these columns", all(set(part.columns) <= set(self.columns_) for part in self.parts_)
        yield "the result is sparse where it may be", isinstance(self.sparse_, bool) and self.sparse_ <= self.sparse
        scaled = sum(len(part.names()) for part in self.parts_ if not (self.sparse_ and part.mostly_zero))
        yield "numbers are scaled, or none is", self.scaler_ is None or self.scaler_.n_features_in_ == scaled

    def _frame(self, X: Any) -> pl.DataFrame:
        frame = as_frame(X)
        known = set(frame.columns)
        absent = next((name for name in self.columns_ if name not in known), None)
        if absent is not None:
            raise TreatiseError(f"the table lacks the column {absent!r} that the model was fitted with")
        return frame

    def _parts(self, frame: pl.DataFrame, has_target: bool) -> Iterator[ColumnsEncoder]:
        """Encoders of the columns, in their order; neighbours that hold numbers have one together."""
        kinds = [
            "number" if dtype.is_numeric() else kind_of(frame[name], self.max_categories)
            for name, dtype in zip(frame.columns, frame.dtypes)
        ]
        for kind, group in groupby(zip(frame.columns, kinds), key=lambda pair: pair[1]):
            names = [name for name, _ in group]
            known = {name: how for name, how in (self.written or {}).items() if name in names}
            if kind == "number":
                yield Numbers(names, known)
                continue
            for name in names:
                if kind == "date":
                    yield Dates([name], known)
                elif kind == "text":
                    yield Words([name], reduce=not self.sparse, random_state=self.random_state)
                else:
                    if kind == "many" and has_target:
                        yield TargetMeans([name], self.random_state)
                    yield Indicators([name], self.max_categories)

    def _joined(self, blocks: list[Any]) -> Any:
        if self.sparse_:
            dense = [block for block in blocks if not sparse.issparse(block)]
            numbers = np.hstack(dense) if dense else None
            if self.scaler_ is not None:
                numbers = self.scaler_.transform(numbers)
            thin = [block for block in blocks if sparse.issparse(block)]
            parts = thin if numbers is None else [sparse.csr_matrix(numbers), *thin]
            return sparse.csr_matrix(sparse.hstack(parts, format="csr"))
        if len(blocks) == 1 and not sparse.issparse(blocks[0]):
            return blocks[0]
        out = np.zeros((blocks[0].shape[0], sum(block.shape[1] for block in blocks)))
        at = 0
        for block in blocks:
            if sparse.issparse(block):
                rows = np.repeat(np.arange(block.shape[0]), np.diff(block.indptr))
                out[rows, at + block.indices] = block.data
            else:
                out[:, at : at + block.shape[1]] = block
            at += block.shape[1]
        return out


def _of(frame: pl.DataFrame, columns: list[str]) -> pl.DataFrame:
    return frame if frame.columns == columns else frame.select(columns)
