"""What both group-sparse regressors share: blocks of columns, the noise, the choice of the penalty."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.invariants import linear
from treatise._core.magnitudes import check_magnitudes
from treatise.linear._feature_groups import group_numbers

_GRID = np.geomspace(1e-2, 1e4, 30)
"""Penalties tried, in units of one over the common variance (section 4.2)."""
_LEAST_NOISE = 1e-10


def numbers_of(groups, n_columns):
    """The block of every column, 0..p-1: each column for itself, so many neighbours, labels, or lists of columns."""
    if groups is None:
        return np.arange(n_columns)
    if not isinstance(groups, Integral):
        return group_numbers(groups, n_columns)
    if n_columns % groups:
        raise ValueError(
            f"groups={groups} does not divide the {n_columns} features; give a label for each feature instead"
        )
    return np.arange(n_columns) // groups


def least_squares_noise(G, y, n_free):
    """Residual variance of least squares with ``n_free`` rows' worth of freedom; None where too little is left over."""
    if n_free < 2 * G.shape[1]:
        return None
    coefficients, _, rank, _ = np.linalg.lstsq(G, y, rcond=None)
    residual = y - G @ coefficients
    return float(residual @ residual) / (n_free - rank)


class GroupSparseRegressor(RegressorMixin, BaseEstimator):
    """A linear model with a variance for every block of coefficients; a subclass finds the variances.

    Attributes that every subclass sets: ``coef_``, ``intercept_``, ``variances_``, ``active_groups_``.
    """

    _parameter_constraints: dict = {
        "groups": [None, Interval(Integral, 1, None, closed="left"), "array-like"],
        "gamma": [Interval(Real, 0, None, closed="left"), StrOptions({"validation"})],
        "noise_var": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state"],
    }

    def _centred(self, X, y):
        """Columns in the order of the blocks and targets, centred if there is an intercept."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        y = y.astype(np.float64)
        check_magnitudes(X, "X")
        check_magnitudes(y, "y")
        self.groups_ = numbers_of(self.groups, X.shape[1])
        self._order = np.argsort(self.groups_, kind="stable")
        self._starts = np.append(0, np.cumsum(np.bincount(self.groups_)))
        self._center = X.mean(axis=0) if self.fit_intercept else np.zeros(X.shape[1])
        self._y_center = float(y.mean()) if self.fit_intercept else 0.0
        G, y = (X - self._center)[:, self._order], y - self._y_center
        # A constant column is its mean but for rounding, which no coefficient should explain.
        G[:, np.ptp(X, axis=0)[self._order] == 0] *= not self.fit_intercept
        return G, y

    def _noise(self, G, y):
        """The noise as given, or of least squares, but at least a share of y that keeps numbers finite; None, unknown.

        Gives the mean square of y as well.
        """
        scale = float(y @ y) / len(y) or 1.0
        if self.noise_var != "auto":
            return float(self.noise_var), scale
        noise = least_squares_noise(G, y, len(y) - bool(self.fit_intercept))
        return None if noise is None else max(noise, _LEAST_NOISE * scale), scale

    def _keep(self, coefficients, variances):
        self.coef_ = np.empty(len(coefficients))
        self.coef_[self._order] = coefficients + 0.0  # no minus before a zero
        self.intercept_ = self._y_center - float(self._center @ self.coef_)
        self.variances_ = variances
        self.active_groups_ = np.flatnonzero(variances)

    def _validated_gamma(self, G, y, scale, path):
        """The penalty with the least error on one half, of models of the other (section 4.2 of the paper).

        ``path`` gives the coefficients of all penalties for some rows; ``scale`` is the common variance of all blocks.
        """
        order = check_random_state(self.random_state).permutation(len(y))
        train, test = order[: len(y) // 2], order[len(y) // 2 :]
        if len(train) < 2:
            raise ValueError(f"gamma='validation' splits the rows in halves; {len(y)} rows are too few, 4 are enough")
        self.gammas_ = _GRID / scale
        rest = y[test] - np.array(path(G[train], y[train], self.gammas_)) @ G[test].T
        self.validation_errors_ = np.mean(rest**2, axis=1)
        return float(self.gammas_[int(np.argmin(self.validation_errors_))])

    def _invariants(self):
        yield from linear(self)

    def predict(self, X):
        """Values of new rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return X @ self.coef_ + self.intercept_
