"""Targets that are numbers: means, densities and intervals."""

import numpy as np
from sklearn.base import RegressorMixin, _fit_context
from sklearn.utils.validation import _num_samples, check_array, validate_data

from treatise._core.invariants import is_number
from treatise.bayes.enriched_dp._base import NestedMixture
from treatise.bayes.enriched_dp._predictive import densities_at, mean_of, moments_of
from treatise.statistics.predictive_intervals import interval_ends


class NestedMixtureRegressor(RegressorMixin, NestedMixture):
    """Regressor by a mixture of linear models."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Run the chains.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Columns.
        y : array-like of shape (n_samples,)
            Targets.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        return self._fit_chains(X, y.astype(np.float64), probit=False)

    def predict(self, X, return_std=False):
        """Predictive means of rows (equation 13).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        return_std : bool, default=False
            Whether to give the deviations of new targets as well.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
        deviation : ndarray of shape (n_samples,)
            Only if asked for.
        """
        Z = self._rows(X)
        if not return_std:
            return self._y_center + self._y_scale * self._drawn.average(Z, mean_of)
        mean, square = self._drawn.average(Z, moments_of).T
        deviation = np.sqrt(np.maximum(square - mean**2, 0.0))
        return self._y_center + self._y_scale * mean, self._y_scale * deviation

    def predict_density(self, X, y):
        """Predictive densities of rows over a grid of targets (equation 12).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_points,) or (n_samples, n_points)
            Targets at which the densities are wanted, of all rows or of each.

        Returns
        -------
        density : ndarray of shape (n_samples, n_points)
        """
        Z = self._rows(X)
        points = np.atleast_2d(check_array(y, dtype=np.float64, ensure_2d=False, input_name="y"))
        if points.shape[0] not in (1, len(Z)):
            raise ValueError(f"y has {points.shape[0]} rows of points; give one for all, or one for each of {len(Z)}")
        points = np.array(np.broadcast_to(points, (len(Z), points.shape[1])))
        return self._drawn.average(Z, densities_at((points - self._y_center) / self._y_scale)) / self._y_scale

    def log_density(self, X, y):
        """Log predictive density of the target of each row: the logarithmic score, higher is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Their targets.

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
        """
        y = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y")
        if y.shape != (n_rows := _num_samples(X),):
            raise ValueError(f"y has shape {y.shape}; give one target for each of {n_rows} rows")
        with np.errstate(divide="ignore"):
            return np.log(self.predict_density(X, y[:, np.newaxis])[:, 0])

    def predict_interval(self, X, *, level=0.95, of="target"):
        """Intervals that hold a new target, or its mean, with a given probability.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        level : float, default=0.95
            Probability.
        of : {"target", "mean"}, default="target"
            A new target of the row, scatter included; or its conditional mean, the paper's credible interval.

        Returns
        -------
        interval : ndarray of shape (n_samples, 2)
        """
        if of not in ("target", "mean"):
            raise ValueError(f"of={of!r} is not known; choose 'target' or 'mean'")
        Z, ends = self._rows(X), interval_ends(level)
        if of == "mean":
            return self._y_center + self._y_scale * self._credible_interval(Z, level)
        return self._y_center + self._y_scale * self._drawn.quantiles(Z, ends)

    def _invariants(self):
        yield "the target has a centre and a unit", is_number(self._y_center) and is_number(self._y_scale)
        yield "targets are numbers", self._y.ndim == 1
