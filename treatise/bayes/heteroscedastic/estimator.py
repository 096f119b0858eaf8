"""Additive models whose mean and spread both follow smooth curves (Wand; JMLR 15:1351, section 5.2)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.invariants import are_distinct, finite, is_array, is_number
from treatise._core.magnitudes import check_magnitudes
from treatise.bayes.heteroscedastic._cycle import HeteroscedasticCycle, Smooths
from treatise.statistics import OSullivanBasis, osullivan_basis
from treatise.statistics.predictive_intervals import NormalIntervals, normal_intervals

_ROWS_A_SPLINE = 3
_FEWEST_LINES = 3
"""From here on a common variance of slopes can be learned."""


class HeteroscedasticAdditiveRegressor(NormalIntervals, RegressorMixin, BaseEstimator):
    """Sum of smooth curves for the mean, and another for the log variance: predictions whose intervals fit each row.

    Every column has a curve in the mean and a curve in the logarithm of the variance, each as bent as the data ask
    for: there is nothing to tune. Use it where the scatter of y changes with the columns and intervals matter, or to
    see which column drives it. Do not use it where columns act together (it has no interactions), for heavy tails, with
    fewer than some thirty rows for each column (the curves of the variance then follow the rows, and intervals come out
    too narrow), or for more than some fifty columns: a cycle costs ``n (p K)^2`` for K splines a curve, memory ``n p
    K`` numbers.

    Parameters
    ----------
    n_splines : int, default=18
        O'Sullivan splines of each curve, beside a line (the paper's number); fewer for a column of few different
        values, and where the rows are fewer than three for each of all splines.
    shrink_lines : bool, default=True
        Whether the slopes of all lines of a predictor have a common variance that is learned, where there are three or
        more: many columns then do not wear down the log variance. False is the flat prior of the paper.
    sigma_beta : float, default=1e5
        Prior deviation of constants, and of lines that are not shrunk, of standardised columns and target.
    half_cauchy_scale : float, default=1e5
        Scale of the half-Cauchy prior of the deviations of spline coefficients.
    tol : float, default=1e-3
        Largest distance to the fixed point, in posterior deviations of a coefficient and as a share of a variance.
    max_iter : int, default=2000
        Cycles at most.

    Attributes
    ----------
    lower_bound_, lower_bound_trace_ : float and ndarray
        Lower bound on the logarithm of the marginal likelihood, at the end and after every cycle.
    curvature_mean_, curvature_spread_ : ndarray of shape (n_features,)
        Posterior mean deviation of the spline coefficients of every curve; near zero is a straight line, and a column
        that does not vary has NaN.
    distance_ : float
        Distance to the fixed point when it stopped.
    n_iter_ : int
        Cycles.
    converged_ : bool
        Whether ``distance_`` is within ``tol``.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayes import HeteroscedasticAdditiveRegressor
    >>> rng = np.random.default_rng(0)
    >>> x = rng.random(500)
    >>> y = np.sin(2 * np.pi * x) + np.exp(-2 + 1.5 * x) * rng.standard_normal(500)
    >>> model = HeteroscedasticAdditiveRegressor().fit(x[:, None], y)
    >>> mean, deviation = model.predict([[0.1], [0.9]], return_std=True)
    >>> deviation.round(1)
    array([0.1, 0.5])

    References
    ----------
    .. [1] Paper v15-1351, section 5.2, equations 12 to 14.
    """

    _parameter_constraints: dict = {
        "n_splines": [Interval(Integral, 2, None, closed="left")],
        "shrink_lines": ["boolean"],
        "sigma_beta": [Interval(Real, 0, None, closed="neither")],
        "half_cauchy_scale": [Interval(Real, 0, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self, n_splines=18, *, shrink_lines=True, sigma_beta=1e5, half_cauchy_scale=1e5, tol=1e-3, max_iter=2000
    ):
        self.n_splines = n_splines
        self.shrink_lines = shrink_lines
        self.sigma_beta = sigma_beta
        self.half_cauchy_scale = half_cauchy_scale
        self.tol = tol
        self.max_iter = max_iter

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Fit all curves.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Columns; one that does not vary has no curve.
        y : array-like of shape (n_samples,)
            Targets.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        y = y.astype(np.float64)
        check_magnitudes(X, "X")
        check_magnitudes(y, "y")
        spread = X.std(axis=0)
        varies = spread > 1e-12 * np.maximum(np.abs(X).max(axis=0), np.finfo(float).tiny)
        self._center, self._scale = X.mean(axis=0), np.where(varies, spread, 1.0)
        self._columns = np.flatnonzero(varies)
        self._y_center, unit = float(y.mean()), float(y.std())
        self._y_scale = unit if unit > 1e-12 * max(abs(self._y_center), np.finfo(float).tiny) else 1.0
        Z = (X - self._center) / self._scale
        splines = min(self.n_splines, max(2, len(y) // (_ROWS_A_SPLINE * max(1, len(self._columns)))))
        bases = [osullivan_basis(Z[:, j], splines) for j in self._columns]
        self._knots, self._turns = [basis.knots for basis in bases], [basis.turn for basis in bases]
        sizes = [len(turn) for turn in self._turns]
        self._starts = np.cumsum([1 + len(self._columns), *sizes]).astype(np.int64)
        C, blocks = self._design(Z), [slice(a, b) for a, b in zip(self._starts[:-1], self._starts[1:])]
        kept = [part for part in blocks if part.stop > part.start]
        lines = [slice(1, 1 + len(self._columns))] if self.shrink_lines and len(self._columns) >= _FEWEST_LINES else []
        level, log_spread = (Smooths(C, [*kept, *lines], self.sigma_beta, self.half_cauchy_scale) for _ in range(2))
        cycle = HeteroscedasticCycle((y - self._y_center) / self._y_scale, level, log_spread)
        trace, self.distance_ = cycle.run(self.max_iter, self.tol)
        self._keep(cycle, trace, len(y), blocks)
        return self

    def _keep(self, cycle, trace, n, blocks):
        self._mean, self._mean_covariance = cycle.level.mean, cycle.level.covariance
        self._log_variance, self._log_variance_covariance = cycle.spread.mean, cycle.spread.covariance
        self.lower_bound_trace_ = np.array(trace) - n * np.log(self._y_scale)
        self.lower_bound_, self.n_iter_ = float(self.lower_bound_trace_[-1]), len(trace)
        found = np.full((2, self.n_features_in_), np.nan)
        for row, smooths in zip(found, (cycle.level, cycle.spread)):
            deviations = iter(smooths.variances)
            for j, part in zip(self._columns, blocks):
                row[j] = float(next(deviations).precision[0, 0]) ** -0.5 if part.stop > part.start else 0.0
        self.curvature_mean_, self.curvature_spread_ = found
        self.converged_ = bool(self.distance_ <= self.tol)
        if not self.converged_:
            warnings.warn(
                f"after {self.n_iter_} cycles coefficients are some {self.distance_:.1g} deviations from their fixed "
                f"point, not tol={self.tol:g}; raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=3,
            )

    def predict(self, X, return_std=False):
        """Means of new rows; beyond the range of the training rows a curve keeps its last value.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        return_std : bool, default=False
            Whether to give the deviations of new targets as well: scatter and what is not known of the mean.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
        deviation : ndarray of shape (n_samples,)
            Only if asked for.
        """
        C = self._rows(X)
        mean = self._y_center + self._y_scale * (C @ self._mean)
        if not return_std:
            return mean
        unknown = _forms(C, self._mean_covariance)
        scatter = np.exp(C @ self._log_variance + 0.5 * _forms(C, self._log_variance_covariance))
        return mean, self._y_scale * np.sqrt(unknown + scatter)

    def predict_spread(self, X, *, level=0.95):
        """Deviation of the noise at some rows, with a credible interval.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        level : float, default=0.95
            Probability of the interval.

        Returns
        -------
        deviation : ndarray of shape (n_samples,)
            Posterior median.
        interval : ndarray of shape (n_samples, 2)
        """
        C = self._rows(X)
        mean, half = C @ self._log_variance, np.sqrt(_forms(C, self._log_variance_covariance))
        ends = normal_intervals(mean, half, level)
        return self._y_scale * np.exp(0.5 * mean), self._y_scale * np.exp(0.5 * ends)

    def curve(self, feature, points, *, of="mean", level=0.95):
        """What one column contributes, the others at their means, as in Figure 2 of the paper.

        Parameters
        ----------
        feature : int
            Number of the column.
        points : array-like of shape (n_points,)
            Its values.
        of : {"mean", "spread"}, default="mean"
            The mean of y, or the deviation of its noise.
        level : float, default=0.95
            Probability of the interval.

        Returns
        -------
        curve : ndarray of shape (n_points,)
        interval : ndarray of shape (n_points, 2)
        """
        check_is_fitted(self)
        if not 0 <= feature < self.n_features_in_:
            raise ValueError(f"column {feature} does not exist: there are {self.n_features_in_}, numbered from 0")
        rows = np.tile(self._center, (len(points), 1))
        rows[:, feature] = points
        if of == "spread":
            return self.predict_spread(rows, level=level)
        if of != "mean":
            raise ValueError(f"of={of!r} is not known; choose 'mean' or 'spread'")
        C = self._design((rows - self._center) / self._scale)
        mean, half = C @ self._mean, np.sqrt(_forms(C, self._mean_covariance))
        ends = normal_intervals(mean, half, level)
        return self._y_center + self._y_scale * mean, self._y_center + self._y_scale * ends

    def _rows(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        check_magnitudes(X, "X")
        return self._design((X - self._center) / self._scale)

    def _design(self, Z):
        """A constant, the columns that vary, clipped to their range at the fit, and their splines."""
        lines, splines = [np.ones(len(Z))], []
        for j, knots, turn in zip(self._columns, self._knots, self._turns):
            basis = OSullivanBasis(knots, turn)
            low, high = basis.range
            x = np.clip(Z[:, j], low, high)
            lines.append(x)
            splines.append(basis(x))
        return np.column_stack([*lines, *(part.T for part in splines)])

    def _invariants(self):
        d = int(self._starts[-1])
        yield (
            "the coefficients belong to the splines",
            (
                is_array(self._mean, np.float64, d)
                and is_array(self._log_variance, np.float64, d)
                and is_array(self._mean_covariance, np.float64, d, d)
                and is_array(self._log_variance_covariance, np.float64, d, d)
            ),
        )
        yield (
            "every column that varies has splines",
            (
                are_distinct(self._columns, self.n_features_in_)
                and len(self._knots) == len(self._turns) == len(self._columns) == len(self._starts) - 1
            ),
        )
        yield (
            "knots are sorted, each end four times",
            all(
                is_array(knots, np.float64, None)
                and len(knots) >= 8
                and finite(knots)
                and bool((np.diff(knots) >= 0).all())
                for knots in self._knots
            ),
        )
        yield (
            "functions are made of the splines they are counted for",
            all(
                is_array(turn, np.float64, int(size), len(knots) - 4)
                for turn, size, knots in zip(self._turns, np.diff(self._starts), self._knots)
            ),
        )
        yield "the units are numbers", is_number(self._y_center) and is_number(self._y_scale)
        yield (
            "every column has a centre",
            (is_array(self._center, np.float64, self.n_features_in_) and finite(self._center)),
        )


def _forms(C, covariance):
    """``c' covariance c`` of every row."""
    return np.einsum("ij,ij->i", C @ covariance, C)
