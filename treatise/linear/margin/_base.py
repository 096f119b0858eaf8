"""Classifiers with one linear score for each class, trained on a multi-category loss."""

import warnings
from abc import ABCMeta, abstractmethod
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from treatise._core.classifier import ScoreClassifier
from treatise._core.invariants import is_array, linear
from treatise._core.threads import few_rows_in_one_thread
from treatise.linear._column_widths import gradient_unit, mean_and_variance
from treatise.optimize import minimize_lbfgs

# Widths over which the kink of a hinge is rounded, each solution starting the next.
HINGE_WIDTHS = (1.0, 0.1, 0.01, 0.001)


class MulticategoryClassifier(ScoreClassifier, BaseEstimator, metaclass=ABCMeta):
    """Minimises the mean loss plus ``alpha / 2`` times the squared norm of the weights."""

    _parameter_constraints: dict = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
    }

    @abstractmethod
    def _loss(self, width):
        """Function of scores, labels, weights and a place for the gradient that gives the weighted sum of losses."""

    @abstractmethod
    def _link(self, scores):
        """Class probabilities from scores."""

    def _has_link(self):
        """Whether scores tell probabilities."""
        return True

    @abstractmethod
    def _fit_rows(self, X, y, sample_weight):
        """Validate the rows and learn the scores."""

    @_fit_context(prefer_skip_nested_validation=True)
    @few_rows_in_one_thread
    def fit(self, X, y, sample_weight=None):
        """Learn the scores.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows; sparse ones for linear scores only.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the rows.

        Returns
        -------
        self
        """
        return self._fit_rows(X, y, sample_weight)

    def _widths(self):
        """Roundings of the loss to pass through."""
        return (0.0,)

    def _start(self, n_classes):
        """Intercepts to start from."""
        return np.zeros(n_classes)

    def _labels_and_weights(self, y, sample_weight, X):
        labels = self._code_labels(y)
        self.class_costs_ = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
        if not np.all(self.class_costs_ > 0):
            raise ValueError(f"class_weight={self.class_weight!r}: the cost of each class must be positive")
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if not weights.sum() > 0:
            raise ValueError("all sample weights are zero; at least one must be positive")
        return labels, weights / weights.sum()

    def _minimize(self, features, labels, weights):
        """Weights of shape (n_features, n_classes) and intercepts of the least regularised mean loss."""
        k, p = len(self.classes_), features.shape[1]
        weights = weights * self.class_costs_[labels]
        mean, variance = mean_and_variance(features, weights)
        if not self.fit_intercept:
            mean, variance = np.zeros(p), variance + np.square(mean)
        diagonal, unit = np.repeat(np.append(0.5 * variance + self.alpha, 0.5), k), gradient_unit(variance)
        slopes, ones, thin = np.empty((features.shape[0], k)), np.ones(features.shape[0]), sparse.issparse(features)
        point = np.zeros((p + 1, k))
        if self.fit_intercept:
            point[p] = self._start(k)
        self.n_iter_, self.converged_ = 0, True
        for width in self._widths():
            loss = self._loss(width)

            def objective(flat, loss=loss):
                at = flat.reshape(p + 1, k)
                # Features are taken off their mean, which the free intercept makes good: that rounds the valley.
                scores = features @ at[:p]
                scores += at[p] - mean @ at[:p]
                value = loss(scores, labels, weights, slopes) + 0.5 * self.alpha * np.vdot(at[:p], at[:p])
                gradient = np.zeros((p + 1, k))
                total = ones @ slopes
                # Rows of X are contiguous: the product from the left is twice as fast.
                gradient[:p] = features.T @ slopes if thin else (slopes.T @ features).T
                gradient[:p] += self.alpha * at[:p] - np.outer(mean, total)
                if self.fit_intercept:
                    gradient[p] = total
                return value, gradient.ravel()

            end = minimize_lbfgs(
                objective, point.ravel(), diagonal=diagonal, max_iter=self.max_iter,
                gradient_tolerance=self.tol * unit,
            )  # fmt: skip
            point = end.w.reshape(p + 1, k)
            self.n_iter_ += end.iteration
            self.objective_ = end.value
            if end.status == "running":
                self.converged_ = False
                warnings.warn(
                    f"stopped after max_iter={self.max_iter} iterations with a gradient of "
                    f"{np.abs(end.gradient).max() / unit:.2g} (tol={self.tol:g}); raise max_iter, alpha or tol",
                    ConvergenceWarning,
                    stacklevel=3,
                )
        return point[:p], point[p] - mean @ point[:p]

    def _invariants(self):
        yield "classes have costs", is_array(self.class_costs_, np.floating, len(self.classes_))

    @abstractmethod
    def _scores(self, X):
        """Scores of shape (n_samples, n_classes)."""

    @available_if(lambda self: self._has_link())
    def predict_proba(self, X):
        """Probabilities of the classes, by the link of the loss; not for the hinge.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities.
        """
        # Costs act as if class c were a_c times as frequent (Proposition 4); the probabilities are those without them.
        q = self._link(self._scores(X)) / self.class_costs_
        return q / q.sum(axis=1, keepdims=True)


class LinearScores(MulticategoryClassifier):
    """Scores that are linear in the features."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _fit_rows(self, X, y, sample_weight):
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        weights, intercepts = self._minimize(X, *self._labels_and_weights(y, sample_weight, X))
        self.coef_, self.intercept_ = np.ascontiguousarray(weights.T), intercepts.copy()
        return self

    def _invariants(self):
        yield from linear(self, len(self.classes_))

    def _scores(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return X @ self.coef_.T + self.intercept_
