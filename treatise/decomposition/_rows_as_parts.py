"""What the factorisations share whose parts are rows of the data themselves."""

from abc import ABC, abstractmethod

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.documentation import InheritsDocumentation
from treatise._core.invariants import are_distinct, finite, is_array
from treatise._core.magnitudes import check_magnitudes
from treatise.decomposition._products import data_by, error_norm
from treatise.optimize import nonnegative_least_squares


class RowsAsParts(InheritsDocumentation, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, ABC):
    """Factorisation ``X = weights @ components`` whose components are chosen rows of X.

    Attributes
    ----------
    components_indices_ : ndarray of int of shape (n_components_,)
        The rows of X that are the parts, in the order they were chosen.
    components_ : ndarray of shape (n_components_, n_features)
        These rows.
    n_components_ : int
        Number of parts.
    reconstruction_err_ : float
        Frobenius norm of ``X - weights @ components_``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has them.
    """

    def fit(self, X, y=None):
        """Choose the rows that are the parts.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Data; each row is a candidate for a part. Entries are zero or more; those below are taken for noise.
        y : None
            Ignored.

        Returns
        -------
        self
        """
        self.fit_transform(X)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def fit_transform(self, X, y=None):
        """Choose the rows that are the parts, and return the weights with which they make up all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Data; each row is a candidate for a part. Entries are zero or more; those below are taken for noise.
        y : None
            Ignored.

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
        """
        X = self._checked(X, reset=True)
        if not (X.data if sparse.issparse(X) else X).any():
            raise ValueError(f"all {X.shape[0]} rows of X are zero: there is nothing to choose from")
        self.components_indices_ = self._choose(X)
        self.n_components_ = len(self.components_indices_)
        rows = X[self.components_indices_]
        self.components_ = rows.toarray() if sparse.issparse(rows) else rows
        weights = self._weights(X)
        self.reconstruction_err_ = float(error_norm(X, weights, self.components_))
        return np.ascontiguousarray(weights.T)

    @abstractmethod
    def _choose(self, X):
        """Rows of checked X that are the parts, as distinct numbers; at least one."""

    def _invariants(self):
        shape = (self.n_components_, self.n_features_in_)
        yield "components have a number for each feature", is_array(self.components_, np.floating, *shape)
        yield "components are finite", finite(self.components_)
        yield "components are different rows", are_distinct(self.components_indices_, 2**62)

    def transform(self, X):
        """Non-negative weights with which the parts come closest to each row, in the sense of least squares.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Data.

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
        """
        check_is_fitted(self)
        return np.ascontiguousarray(self._weights(self._checked(X, reset=False)).T)

    def inverse_transform(self, X):
        """Data that weights stand for.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_components_)
            Weights.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        weights = check_array(X, accept_sparse=("csr", "csc"), dtype=np.float64)
        if weights.shape[1] != self.n_components_:
            raise ValueError(f"X has {weights.shape[1]} columns; there are {self.n_components_} parts to weigh")
        return weights @ self.components_

    @property
    def _n_features_out(self):
        return self.n_components_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _checked(self, X, *, reset):
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)
        check_magnitudes(X, "X")
        return X

    def _weights(self, X):
        gram = self.components_ @ self.components_.T
        return nonnegative_least_squares(gram, data_by(self.components_, X))
