"""From a table as people keep it to a matrix of numbers, learnt inside each training fold, and on to a method."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted

from treatise._core.errors import TreatiseError
from treatise.compare.candidates import Candidate, instance

MISSING = "(missing)"


class TableEncoder(TransformerMixin, BaseEstimator):
    """Turns a data frame into floats: medians for missing numbers, indicator columns for categories.

    A numeric column becomes one column, and a second one that marks what was missing if anything was. A
    text column becomes one indicator column for each of its commonest values; values not seen in fitting
    give zeros in all of them.

    Parameters
    ----------
    max_categories : int, default=50
        Most indicator columns for one text column; rarer values share the row of zeros.

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
    """

    def __init__(self, max_categories: int = 50) -> None:
        self.max_categories = max_categories

    def fit(self, X: Any, y: Any = None) -> "TableEncoder":
        """Learn medians and categories.

        Parameters
        ----------
        X : data frame
            Polars, or anything Polars can take (pandas).
        y : ignored
        """
        frame = as_frame(X)
        self.columns_ = list(frame.columns)
        self.n_features_in_ = len(self.columns_)
        self.medians_: dict[str, float] = {}
        self.categories_: dict[str, list[str]] = {}
        self.has_missing_: dict[str, bool] = {}
        for name in self.columns_:
            column = frame[name]
            if column.dtype.is_numeric() or column.dtype == pl.Boolean:
                numbers = _numbers(column)
                self.has_missing_[name] = bool(np.isnan(numbers).any())
                self.medians_[name] = float(np.nanmedian(numbers)) if not np.isnan(numbers).all() else 0.0
            else:
                counts = _texts(column).value_counts(sort=True)
                values, seen = counts.get_column(name).to_list(), counts.get_column("count").to_list()
                # Ties by name, so that the encoding does not depend on the order of the rows.
                common = sorted(zip(values, seen), key=lambda pair: (-pair[1], pair[0]))[: self.max_categories]
                self.categories_[name] = [value for value, _ in common]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The frame as a float64 matrix.

        Parameters
        ----------
        X : data frame
            With the columns seen in fitting, in any order; further columns are left alone.
        """
        check_is_fitted(self)
        frame = as_frame(X)
        absent = [name for name in self.columns_ if name not in frame.columns]
        if absent:
            raise TreatiseError(f"the table lacks the column {absent[0]!r} that the model was fitted with")
        blocks: list[np.ndarray] = []
        for name in self.columns_:
            column = frame[name]
            if name in self.medians_:
                numbers = _numbers(column)
                missing = np.isnan(numbers)
                blocks.append(np.where(missing, self.medians_[name], numbers)[:, None])
                if self.has_missing_[name]:
                    blocks.append(missing.astype(float)[:, None])
            else:
                texts = _texts(column).to_numpy()
                blocks.append((texts[:, None] == np.array(self.categories_[name], dtype=object)).astype(float))
        return np.hstack(blocks)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns that come out."""
        names: list[str] = []
        for name in self.columns_:
            if name in self.medians_:
                names += [name, f"{name} is missing"] if self.has_missing_[name] else [name]
            else:
                names += [f"{name} = {value}" for value in self.categories_[name]]
        return np.array(names, dtype=object)


class Densify(TransformerMixin, BaseEstimator):
    """Passes a matrix on as a dense array, for methods that take no sparse input."""

    def fit(self, X: Any, y: Any = None) -> "Densify":
        """Nothing to learn."""
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The same numbers, dense."""
        return X.toarray() if sparse.issparse(X) else np.asarray(X)


class NeverEmpty(TransformerMixin, BaseEstimator):
    """Passes on the columns that a selection kept, or one of ones where it kept none.

    Whatever learns from that column alone predicts a constant, which is what a table without a relevant column allows.
    """

    def fit(self, X: Any, y: Any = None) -> "NeverEmpty":
        """Nothing to learn."""
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Any) -> Any:
        """The same columns, at least one."""
        return X if X.shape[1] else np.ones((X.shape[0], 1))


def table_pipeline(candidate: Candidate, sparse: bool, params: Mapping[str, Any], seed: int) -> Pipeline:
    """A candidate as an unfitted pipeline from a table, or from a sparse matrix, to the prediction.

    ``params`` are named as in the catalogue's search space: a parameter of the method, or ``head__NAME``
    for a transformer's head.
    """
    steps: list[tuple[str, Any]] = []
    takes_sparse = "sparse" in candidate.compare.input
    if not sparse:
        steps.append(("table", TableEncoder()))
    elif not takes_sparse:
        steps.append(("table", Densify()))
    scaler = _scaler(candidate.compare.scaling, sparse and takes_sparse)
    if scaler is not None:
        steps.append(("scale", scaler))
    steps.append(("method", candidate.method(seed)))
    if candidate.compare.head:
        steps.append(("kept", NeverEmpty()))
        steps.append(("head", instance(candidate.compare.head[candidate.task], {}, seed)))
    names = {name if name.startswith("head__") else f"method__{name}": value for name, value in params.items()}
    return Pipeline(steps).set_params(**names)


def _scaler(scaling: str, sparse: bool) -> Any:
    if scaling == "standard":
        return StandardScaler(with_mean=not sparse)
    if scaling == "minmax":
        # New rows may lie outside the range seen in training; a method that needs non-negative input must not see that.
        return MaxAbsScaler() if sparse else MinMaxScaler(clip=True)
    return None


def as_frame(X: Any) -> pl.DataFrame:
    """A Polars frame of anything that is a table."""
    if isinstance(X, pl.DataFrame):
        return X
    if hasattr(X, "__array__") and not hasattr(X, "columns"):
        matrix = np.asarray(X)
        return pl.DataFrame(matrix, schema=[f"column_{i}" for i in range(matrix.shape[1])])
    return pl.DataFrame(pl.from_pandas(X) if hasattr(X, "iloc") else X)


def _numbers(column: pl.Series) -> np.ndarray:
    """A column as floats with NaN for what is missing; text among numbers is an error."""
    numbers = column.cast(pl.Float64, strict=False)
    if numbers.null_count() > column.null_count():
        offender = column.filter(numbers.is_null() & column.is_not_null())[0]
        raise TreatiseError(f"column {column.name!r} holds {offender!r} where the model was fitted with numbers")
    out = numbers.fill_null(float("nan")).to_numpy().astype(float)
    out[np.isinf(out)] = np.nan
    return out


def _texts(column: pl.Series) -> pl.Series:
    return column.cast(pl.String).fill_null(MISSING)
