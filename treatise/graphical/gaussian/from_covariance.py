"""Learners of Gaussian graphs that need no more of the rows than their covariance."""

from numbers import Integral

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils.validation import validate_data

from treatise.graphical.gaussian._correlations import correlations


class CovarianceLearnerMixin:
    """``fit`` and ``fit_covariance`` of a learner that has ``_learn(R, n_samples, scale, X)``.

    ``R`` are correlations, ``scale`` the deviations of the columns, and ``X`` the rows, None where only the covariance
    is known; ``location_`` is set before.
    """

    assume_centered = False

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Learn the graph of the columns of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : None
            Ignored.

        Returns
        -------
        self : object
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=self._least_rows())
        R, self.location_, scale = correlations(X, assume_centered=self.assume_centered)
        return self._learn(R, len(X), scale, X)

    @_fit_context(prefer_skip_nested_validation=True)
    def fit_covariance(self, covariance, n_samples):
        """Learn the graph from a covariance matrix, where the rows are far away, secret or too many.

        Parameters
        ----------
        covariance : array-like or data frame of shape (n_features, n_features)
            Symmetric, positive semidefinite; correlations will do. The names of a data frame's columns are kept.
        n_samples : int
            Number of rows behind it.

        Returns
        -------
        self : object
            Its ``location_`` is zero: new rows must be centred.
        """
        names = getattr(covariance, "columns", None)
        S, n_samples = checked_covariance(covariance, n_samples, self._least_rows())
        self.n_features_in_ = len(S)
        if names is not None and all(isinstance(name, str) for name in names):
            self.feature_names_in_ = np.asarray(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.location_ = np.zeros(len(S))
        # As among rows, a column that does not vary is uncorrelated and has deviation one.
        scale = np.sqrt(np.where(np.diag(S) > 0, np.diag(S), 1.0))
        R = S / np.outer(scale, scale)
        np.fill_diagonal(R, 1.0)
        return self._learn(R, n_samples, scale, None)

    def _least_rows(self):
        return 2


def checked_covariance(covariance, n_samples, least):
    """A covariance matrix, exactly symmetric, and the number of rows behind it; or an error that says what is wrong."""
    S = np.asarray(covariance, dtype=np.float64)
    if S.ndim != 2 or S.shape[0] != S.shape[1] or S.size == 0:
        raise ValueError(f"covariance must be a square matrix; its shape is {S.shape}")
    if not np.isfinite(S).all():
        raise ValueError("covariance has an entry that is not finite")
    size = np.abs(S).max()
    if np.abs(S - S.T).max() > 1e-8 * size:
        raise ValueError("covariance is not symmetric; average it with its transpose if that is noise")
    lowest = np.linalg.eigvalsh((S + S.T) / 2)[0]
    if lowest < -1e-8 * size:
        raise ValueError(f"covariance has the negative eigenvalue {lowest:g}; no rows have such a covariance")
    if not isinstance(n_samples, Integral) or n_samples < least:
        raise ValueError(f"n_samples={n_samples!r} must be a whole number of rows, at least {least}")
    return (S + S.T) / 2, int(n_samples)
