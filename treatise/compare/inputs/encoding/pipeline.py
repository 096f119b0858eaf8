"""A method as a pipeline from a table, or from a sparse matrix, to the prediction."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse as thin
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_selection import f_classif, f_regression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from treatise._core.invariants import Invariants, are_distinct
from treatise.compare.candidates import Candidate, instance
from treatise.compare.inputs.encoding.frames import amounts_or_labels
from treatise.compare.inputs.encoding.table import TableEncoder


class Densify(TransformerMixin, BaseEstimator):
    """Passes a matrix on as a dense array, for methods that take no sparse input."""

    def fit(self, X: Any, y: Any = None) -> "Densify":
        """Nothing to learn."""
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The same numbers, dense."""
        return X.toarray() if thin.issparse(X) else np.asarray(X)


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


class Screen(TransformerMixin, BaseEstimator):
    """Keeps the columns whose linear relation to the target is strongest, one by one.

    Parameters
    ----------
    most : int, default=2000
        Columns to keep; all where there are no more.
    """

    def __init__(self, most: int = 2000) -> None:
        self.most = most

    def fit(self, X: Any, y: Any) -> "Screen":
        """Rank the columns by the F statistic of their classes, or of their regression."""
        self.n_features_in_ = X.shape[1]
        with np.errstate(all="ignore"):
            y = amounts_or_labels(y)
            found, _ = (f_regression if y.dtype.kind == "f" else f_classif)(X, y)
        # Constant columns have none.
        strength = np.nan_to_num(np.asarray(found), nan=-1.0)
        self.kept_ = np.sort(np.argsort(-strength, kind="stable")[: self.most])
        return self

    def transform(self, X: Any) -> Any:
        """Those columns."""
        return X[:, self.kept_]

    def _invariants(self) -> Invariants:
        yield "the columns that are kept are there", are_distinct(self.kept_, self.n_features_in_)


class Scale(TransformerMixin, BaseEstimator):
    """Scales an encoded table as a method wants it, unless it is sparse: then its encoder has scaled it.

    Parameters
    ----------
    scaling : {"standard", "minmax"}, default="standard"
        To mean 0 and variance 1, or to the interval from 0 to 1.
    """

    def __init__(self, scaling: str = "standard") -> None:
        self.scaling = scaling

    def fit(self, X: Any, y: Any = None) -> "Scale":
        """Learn the scales."""
        self.n_features_in_ = X.shape[1]
        self.scaler_ = None if thin.issparse(X) else _scaler(self.scaling, sparse=False).fit(X)
        return self

    def transform(self, X: Any) -> Any:
        """The scaled columns."""
        return X if self.scaler_ is None else self.scaler_.transform(X)

    def _invariants(self) -> Invariants:
        width = self.n_features_in_ if self.scaler_ is None else self.scaler_.n_features_in_
        yield "columns are scaled, or none is", width == self.n_features_in_


def table_pipeline(
    candidate: Candidate, sparse: bool, params: Mapping[str, Any], seed: int, written: Mapping[str, str] | None = None,
    most_columns: int | None = None,
) -> Pipeline:  # fmt: skip
    """A candidate as an unfitted pipeline from a table, or from a sparse matrix, to the prediction.

    ``params`` are named as in the catalogue's search space: a parameter of the method, or ``head__NAME``
    for a transformer's head; ``written`` tells how columns of the table are written. Of more than ``most_columns``,
    those that tell most of the target one by one are kept.
    """
    screen = [] if most_columns is None else [("screen", Screen(most_columns))]
    steps: list[tuple[str, Any]] = []
    takes_sparse, scaling = "sparse" in candidate.compare.input, candidate.compare.scaling
    if sparse:
        steps += screen
        if not takes_sparse:
            steps.append(("table", Densify()))
        if scaling != "none":
            steps.append(("scale", _scaler(scaling, takes_sparse)))
    else:
        # A matrix of columns by columns would not fit with all the words of a language for columns.
        many = takes_sparse and candidate.compare.bytes.p <= 1
        encoder = TableEncoder(sparse=many, scaling=scaling, written=dict(written or {}), random_state=seed)
        steps.append(("table", encoder))
        steps += screen
        if scaling != "none":
            steps.append(("scale", Scale(scaling)))
    steps.append(("method", candidate.method(seed)))
    if candidate.compare.head:
        steps.append(("kept", NeverEmpty()))
        steps.append(("head", instance(candidate.compare.head[candidate.task], {}, seed)))
    names = {name if name.startswith("head__") else f"method__{name}": value for name, value in params.items()}
    return Pipeline(steps).set_params(**names)


def _scaler(scaling: str, sparse: bool) -> Any:
    if scaling == "standard":
        return StandardScaler(with_mean=not sparse)
    # New rows may lie outside the range seen in training; a method that needs non-negative input must not see that.
    return MaxAbsScaler() if sparse else MinMaxScaler(clip=True)
