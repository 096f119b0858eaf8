"""The groups that rows belong to, beside the encoded table: for methods that learn from them."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.base import BaseEstimator, MetaEstimatorMixin, TransformerMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from treatise._core.errors import TreatiseError
from treatise._core.invariants import Invariants, is_array
from treatise.compare.inputs.encoding.frames import as_frame

NEW = -1
"""Number of a group that fitting did not see, and of no group."""


def names_of(column: pl.Series) -> pl.Series:
    """Names of groups as text, null where there is none: 7 and 7.0 are one group, however a file writes its numbers."""
    if column.dtype.is_float():
        column = column.fill_nan(None)
        whole = column.drop_nulls()
        if (whole == whole.round()).all():
            column = column.cast(pl.Int64, strict=False)
    return column.cast(pl.String)


class BesideGroups(TransformerMixin, BaseEstimator):
    """Encodes a table but for its column of groups, whose numbers come last.

    Groups are numbered in the order of their names. A row without one is a group by itself while fitting; later it
    is of a new group, as all rows are whose group fitting did not see.

    Parameters
    ----------
    column : str
        The column that names the groups.
    encoder : Pipeline
        What encodes the other columns.
    """

    def __init__(self, column: str, encoder: Any) -> None:
        self.column = column
        self.encoder = encoder

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn what the columns hold, and which groups there are."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> np.ndarray:
        """Both, of the same rows."""
        frame = as_frame(X)
        names = names_of(frame[self.column])
        self.groups_ = np.unique(names.drop_nulls().to_numpy().astype(str))
        self.encoder_ = clone(self.encoder)
        encoded = self.encoder_.fit_transform(frame.drop(self.column), y)
        numbers = self._numbers(names)
        alone = numbers == NEW
        numbers[alone] = len(self.groups_) + np.arange(alone.sum())
        return _beside(encoded, numbers)

    def transform(self, X: Any) -> np.ndarray:
        """The encoded columns, and the number of each row's group."""
        check_is_fitted(self)
        frame = as_frame(X)
        return _beside(self.encoder_.transform(frame), self._numbers(self._names(frame)))

    def _invariants(self) -> Invariants:
        groups = self.groups_
        yield "groups have names, in order", is_array(groups, np.str_, None) and bool(np.all(groups[:-1] < groups[1:]))
        yield "the column of groups has a name", isinstance(self.column, str)
        yield "other columns are encoded", isinstance(self.encoder_, Pipeline)

    def unseen(self, X: Any) -> dict[str, int]:
        """How many values of each column fitting did not see; rows without a group are none of them."""
        check_is_fitted(self)
        frame = as_frame(X)
        names = self._names(frame)
        new = int(((self._numbers(names) == NEW) & names.is_not_null().to_numpy()).sum())
        return self.encoder_["table"].unseen(frame) | ({self.column: new} if new else {})

    @property
    def written(self) -> Mapping[str, str] | None:
        """How columns of the table are written."""
        return self.encoder["table"].written

    def _names(self, frame: pl.DataFrame) -> pl.Series:
        if self.column not in frame.columns:
            raise TreatiseError(f"the table lacks the column {self.column!r}, which names the groups")
        return names_of(frame[self.column])

    def _numbers(self, names: pl.Series) -> np.ndarray:
        texts = names.fill_null("").to_numpy().astype(str)
        if len(self.groups_) == 0:
            return np.full(len(texts), NEW)
        places = np.minimum(np.searchsorted(self.groups_, texts), len(self.groups_) - 1)
        known = (self.groups_[places] == texts) & names.is_not_null().to_numpy()
        return np.where(known, places, NEW)


def _beside(encoded: Any, numbers: np.ndarray) -> np.ndarray:
    dense = encoded.toarray() if sparse.issparse(encoded) else np.asarray(encoded)
    return np.column_stack([dense, numbers])


def _classifies(model: "WithGroups") -> bool:
    return model.classes


class WithGroups(MetaEstimatorMixin, BaseEstimator):
    """A method that is handed the groups of rows apart; they come as the last column.

    Parameters
    ----------
    estimator : estimator
        Its ``fit`` and ``predict`` take ``groups``. A regressor learns two classes as 0 and 1, and predicts the
        probability of the second.
    classes : bool, default=False
        Whether the target holds classes.
    """

    def __init__(self, estimator: Any, *, classes: bool = False) -> None:
        self.estimator = estimator
        self.classes = classes

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows and their groups.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns + 1)
            The rows, the number of the group last.
        y : array
            Amounts, or labels.
        """
        y = np.asarray(y)
        if self.classes:
            self.classes_, y = np.unique(y, return_inverse=True)
        self.n_features_in_ = X.shape[1]
        self.estimator_ = clone(self.estimator).fit(X[:, :-1], y, groups=X[:, -1].astype(np.int64))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """An amount, or the most probable class."""
        check_is_fitted(self)
        if self.classes:
            return self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        return self._said(X, "predict")

    @available_if(_classifies)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes."""
        check_is_fitted(self)
        if hasattr(self.estimator_, "predict_proba"):
            return self._said(X, "predict_proba")
        second = self._said(X, "predict")
        return np.column_stack([1.0 - second, second])

    def _invariants(self) -> Invariants:
        yield "there is a method", isinstance(self.estimator_, BaseEstimator)
        if self.classes:
            yield "there are classes", isinstance(self.classes_, np.ndarray) and self.classes_.ndim == 1
            told = getattr(self.estimator_, "classes_", range(2))  # those of a regressor are two
            yield "the method tells so many apart", len(self.classes_) == len(told)

    def _said(self, X: Any, how: str) -> np.ndarray:
        return getattr(self.estimator_, how)(X[:, :-1], groups=X[:, -1].astype(np.int64))


def with_groups(pipeline: Pipeline, column: str, *, classes: bool) -> Pipeline:
    """A pipeline of a table as one that takes the column of groups besides, for a method that learns from it."""
    name, method = pipeline.steps[-1]
    before = BesideGroups(column, Pipeline(pipeline.steps[:-1]))
    return Pipeline([("table", before), (name, WithGroups(method, classes=classes))])
