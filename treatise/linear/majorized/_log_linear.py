"""What classifiers by log-linear models share: reading the data, and probabilities from scores."""

from numbers import Integral, Real

import numpy as np
from scipy import sparse
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data


class LogLinearClassifier(ClassifierMixin, BaseEstimator):
    """Base of the classifiers that have a weight vector per class, or one where there are two classes."""

    _parameter_constraints: dict = {
        "C": [Interval(Real, 0, None, closed="right")],
        "fit_intercept": ["boolean"],
    }

    def _read(self, X, y, sample_weight):
        """Data, positions of the classes, weights; sets ``classes_``."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, order="C")
        check_classification_targets(y)
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y holds one class only, {self.classes_[0]}; a classifier needs 2 classes at least")
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if weights.sum() <= 0.0:
            raise ValueError("sample_weight sums to 0; some row must count")
        return (sparse.csr_matrix(X) if sparse.issparse(X) else X), labels.astype(np.int64), weights

    def _keep(self, theta):
        """Split parameters into ``coef_`` and ``intercept_``."""
        if self.fit_intercept:
            self.coef_, self.intercept_ = theta[:, :-1].copy(), theta[:, -1].copy()
        else:
            self.coef_, self.intercept_ = theta, np.zeros(len(theta))

    def decision_function(self, X):
        """Score of the second of two classes, or one for each of several.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        scores = safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_
        return scores.ravel() if len(self.classes_) == 2 else scores

    def predict(self, X):
        """The most probable class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)]

    def predict_proba(self, X):
        """Probability of each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        return softmax(scores, axis=1)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


DESCENT_CONSTRAINTS: dict = {
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "tol": [Interval(Real, 0, None, closed="left")],
}
"""Of the parameters that every batch descent has."""


def inverse_penalty(C):
    """Factor of half the squared norm; infinite C is no penalty."""
    return 0.0 if np.isinf(C) else 1.0 / C
