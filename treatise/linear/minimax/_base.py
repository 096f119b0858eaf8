"""What the linear and the kernel minimax probability machine share: parameters, the solution, prediction."""

import warnings
from abc import ABCMeta, abstractmethod
from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import ScoreClassifier
from treatise._core.threads import few_rows_in_one_thread
from treatise.statistics.moment_planes import TradeOff

_RADIUS = Interval(Real, 0, None, closed="left")


class MinimaxClassifier(ScoreClassifier, BaseEstimator, metaclass=ABCMeta):
    """Two classes, told apart by their means and covariances in some space of features."""

    _parameter_constraints: dict = {
        "criterion": [StrOptions({"minimum_error", "balanced", "guarantee"})],
        "guarantee": [dict, None],
        "priors": ["array-like", None],
        "distribution": [StrOptions({"any", "gaussian"})],
        "mean_radius": [_RADIUS, "array-like"],
        "covariance_radius": [_RADIUS, "array-like"],
    }

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    @abstractmethod
    def _fit_rows(self, X, rows):
        """Find the plane from rows, given the masks of the two classes."""

    @_fit_context(prefer_skip_nested_validation=True)
    @few_rows_in_one_thread
    def fit(self, X, y):
        """Find the plane from the rows of two classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        codes = self._code_labels(y)
        return self._fit_rows(X, (codes == 0, codes == 1))

    @abstractmethod
    def _projections(self, X):
        """Scores of validated rows."""

    def _scores(self, X):
        check_is_fitted(self)
        return self._projections(validate_data(self, X, dtype=np.float64, reset=False))[:, np.newaxis]

    def decision_function(self, X):
        """Score of each row: above 0 on the side of ``classes_[1]``, in units of the distance of the means' scores.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Scores.
        """
        return super().decision_function(X)

    def frontier(self, n_points=201):
        """Worst-case accuracies of the two classes along the curve of planes that cannot be bettered for both.

        Parameters
        ----------
        n_points : int, default=201
            Points of the curve, even in the accuracy of the first class.

        Returns
        -------
        ndarray of shape (n_points, 2)
            Accuracies promised, in the order of ``classes_``. The second falls strictly as the first grows (Lemma 8).
        """
        check_is_fitted(self, "frontier_")
        first, second = self.frontier_.T
        at = np.linspace(first[0], first[-1], n_points)
        return np.column_stack([at, np.interp(at, first, second)])

    def _pair(self, name):
        """A parameter that is one number for both classes, or a number for each."""
        values = np.asarray(getattr(self, name), np.float64)
        if (values.ndim and values.shape != (2,)) or not np.all(values >= 0):
            raise ValueError(f"{name}={getattr(self, name)!r} must be a number from 0 on, or two, one for each class")
        return np.broadcast_to(values, 2)

    def _priors(self, frequencies):
        if self.priors is None:
            return np.asarray(frequencies, np.float64)
        priors = np.asarray(self.priors, np.float64)
        if priors.shape != (2,) or not np.all(priors >= 0) or not np.isclose(priors.sum(), 1.0):
            raise ValueError(f"priors={self.priors!r} must be two numbers from 0 on with the sum 1, one for each class")
        return priors

    def _solve(self, means, covariances, frequencies):
        """Normal and threshold of the plane from the moments of the two classes, in the order of ``classes_``."""
        self.priors_ = self._priors(frequencies)
        radii = self._pair("mean_radius")
        # The curve's normals point from its second class to its first, and scores point to classes_[1].
        curve = TradeOff(means[::-1], covariances[::-1], radii[::-1], self.distribution)
        angle = self._angle(curve)
        normal, ridge_share = curve.plane(angle)
        self.distances_ = curve.distances([angle])[::-1, 0]
        self.class_accuracies_ = curve.accuracies([angle])[::-1, 0]
        self.worst_case_accuracy_ = float(self.priors_ @ self.class_accuracies_)
        along = curve.accuracies(curve.angles())[::-1].T
        kept = np.concatenate([np.diff(along[:, 0]) < 0, [True]])  # rounding repeats points at the ends
        self.frontier_ = np.ascontiguousarray(along[kept][::-1])
        empty = [repr(c) for c, share in zip(self.classes_.tolist(), ridge_share[::-1]) if share > 0.5]
        if empty:
            warnings.warn(
                f"there is hardly any spread of class {' and class '.join(empty)} along the plane's normal, so that "
                "the accuracies promised are those of a degenerate sample; set covariance_radius above 0 to allow for "
                "its error",
                RuntimeWarning,
                stacklevel=3,
            )
        deviation = self.distances_[0] * np.sqrt(max(normal @ covariances[0] @ normal, 0.0))
        other = self.distances_[1] * np.sqrt(max(normal @ covariances[1] @ normal, 0.0))
        # Both agree but for the ridge; the middle favours neither class.
        threshold = 0.5 * ((means[0] @ normal + deviation) + (means[1] @ normal - other))
        return normal, threshold

    def _angle(self, curve):
        if self.criterion == "balanced":
            return curve.balanced()
        if self.criterion == "minimum_error":
            return curve.least_error(self.priors_[::-1])
        labels = self.classes_.tolist()
        if not self.guarantee or len(self.guarantee) != 1 or next(iter(self.guarantee)) not in labels:
            raise ValueError(
                f"guarantee={self.guarantee!r} must name one of the classes {labels} and its accuracy, "
                f"as in {{{labels[0]!r}: 0.8}}"
            )
        label, accuracy = next(iter(self.guarantee.items()))
        if not 0 <= accuracy < 1:
            raise ValueError(f"guarantee={self.guarantee!r}: the accuracy must be from 0 to below 1")
        return curve.floored(1 - labels.index(label), accuracy)
