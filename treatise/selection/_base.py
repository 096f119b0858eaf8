"""What selectors that count share: reading any table, coding it, and the bookkeeping of a selection."""

import warnings
from abc import abstractmethod

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import classes_and_codes
from treatise._core.invariants import are_distinct, is_array
from treatise.statistics._columns import is_frame, labels_beside, read_array, read_frame
from treatise.statistics._counts import DiscreteVariable
from treatise.statistics._encoding import encode

SLACK = 1e-12
"""Rounding of an information measure: two that differ by less are taken for equal."""


class DiscreteSelector(SelectorMixin, BaseEstimator):
    """Base of the selectors that work on discrete columns and a class.

    A subclass says in ``_select`` which columns of a coded table it keeps.
    """

    _parameter_constraints: dict = {"discretizer": [StrOptions({"mdl"}), HasMethods(["fit_transform"]), None]}

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Choose the features.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Numbers, strings, Booleans or categories, without missing values.
        y : array-like of shape (n_samples,)
            Class of each row.

        Returns
        -------
        self
        """
        columns, y = self._read(X, y)
        self.classes_, labels = classes_and_codes(y)
        target = DiscreteVariable(labels, len(self.classes_))
        self.selected_ = np.asarray(self._select(self._encode(columns, target), target), dtype=np.intp)
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[self.selected_] = True
        if not len(self.selected_):
            # Two frames up: scikit-learn wraps fit.
            warnings.warn(f"{type(self).__name__} kept no feature: {self._why_none()}", UserWarning, stacklevel=3)
        return self

    def _encode(self, columns, target):
        """The coded table."""
        return encode(columns, self.discretizer, target)

    @abstractmethod
    def _select(self, table, target):
        """Columns of the coded table to keep, best first."""

    def _why_none(self):
        """Why a selection may be empty, and what to do."""
        return "none tells anything about y on its own"

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.support_

    def _invariants(self):
        yield "support_ tells of each column whether it is kept", is_array(self.support_, np.bool_, self.n_features_in_)
        yield "selected_ names columns", are_distinct(self.selected_, self.n_features_in_)
        yield (
            "selected_ and support_ name the same columns",
            np.array_equal(np.sort(self.selected_), np.flatnonzero(self.support_)),
        )

    def _read(self, X, y):
        """Columns of X told apart into numbers and categories, and y checked."""
        if not is_frame(X):
            X, y = validate_data(self, X, y, accept_sparse="csc", dtype=None)
            return read_array(X), y
        validate_data(self, X, skip_check_array=True)
        y = labels_beside(X, y, self)
        return read_frame(X), y

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
