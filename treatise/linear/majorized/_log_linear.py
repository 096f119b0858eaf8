"""What classifiers by log-linear models share: reading the data, and linear scores."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from treatise._core.classifier import SoftmaxScores
from treatise._core.invariants import linear


class LogLinearClassifier(SoftmaxScores, BaseEstimator):
    """Base of the classifiers that have a weight vector per class, or one where there are two classes."""

    _parameter_constraints: dict = {
        "C": [Interval(Real, 0, None, closed="right")],
        "fit_intercept": ["boolean"],
    }

    def _read(self, X, y, sample_weight):
        """Data, positions of the classes, weights; sets ``classes_``."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, order="C")
        labels = self._code_labels(y)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if weights.sum() <= 0.0:
            raise ValueError("sample_weight sums to 0; some row must count")
        return (sparse.csr_matrix(X) if sparse.issparse(X) else X), labels, weights

    def _keep(self, theta):
        """Split parameters into ``coef_`` and ``intercept_``."""
        if self.fit_intercept:
            self.coef_, self.intercept_ = theta[:, :-1].copy(), theta[:, -1].copy()
        else:
            self.coef_, self.intercept_ = theta, np.zeros(len(theta))

    def _keep_course(self, found):
        """How a descent went; one that fell short is told."""
        self.objective_path_, self.n_iter_, self.converged_ = found.path, len(found.path) - 1, found.converged
        if not found.converged:
            warnings.warn(
                f"stopped after max_iter={self.max_iter} iterations, before the gradient fell to tol={self.tol:g}; "
                "standardise the features, or raise max_iter",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _invariants(self):
        yield from linear(self, len(self.intercept_))

    def _scores(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_

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
