"""Blocks of columns as users tell them, the noise, and what both group-sparse regressors share."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

_GRID = np.geomspace(1e-2, 1e4, 30)


def blocks_of(groups, n_columns):
    """Columns in the order of their blocks, where the blocks begin, and the blocks' names.

    Parameters
    ----------
    groups : None, int or array-like
        Every column for itself, blocks of so many neighbours, the name of every column's block, or a list of lists of
        columns.
    n_columns : int
        Columns.

    Returns
    -------
    order : ndarray of int of shape (n_columns,)
    starts : ndarray of int of shape (n_blocks + 1,)
    names : ndarray of shape (n_blocks,)
    """
    if groups is None:
        labels = np.arange(n_columns)
    elif isinstance(groups, Integral):
        if n_columns % groups:
            raise ValueError(f"groups={groups} does not divide the {n_columns} columns; name the block of every column")
        labels = np.arange(n_columns) // groups
    elif any(isinstance(part, (list, tuple, np.ndarray)) for part in groups):
        labels = _labels_of_lists(groups, n_columns)
    else:
        labels = np.asarray(groups)
        if labels.shape != (n_columns,):
            raise ValueError(f"groups name {labels.size} blocks for {n_columns} columns; give one for every column")
    names, codes = np.unique(labels, return_inverse=True)
    order = np.argsort(codes, kind="stable").astype(np.int64)
    return order, np.append(0, np.cumsum(np.bincount(codes))).astype(np.int64), names


def _labels_of_lists(groups, n_columns):
    labels = np.full(n_columns, -1)
    for name, columns in enumerate(groups):
        for column in columns:
            if not 0 <= column < n_columns:
                raise ValueError(f"groups name column {column}; X has {n_columns}, numbered from 0")
            if labels[column] >= 0:
                raise ValueError(
                    f"column {column} is in two groups, {labels[column]} and {name}; blocks must not overlap"
                )
            labels[column] = name
    if (labels < 0).any():
        raise ValueError(f"column {np.flatnonzero(labels < 0)[0]} is in no group; every column needs one")
    return labels


def least_squares_noise(G, y):
    """Residual variance of least squares; None where too few rows are left over to tell."""
    n, m = G.shape
    if n - 1 < 2 * m:
        return None
    coefficients, _, rank, _ = np.linalg.lstsq(G, y, rcond=None)
    residual = y - G @ coefficients
    return float(residual @ residual) / (n - 1 - rank)


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
        self._order, self._starts, self.group_names_ = blocks_of(self.groups, X.shape[1])
        self._center = X.mean(axis=0) if self.fit_intercept else np.zeros(X.shape[1])
        self._y_center = float(y.mean()) if self.fit_intercept else 0.0
        return (X - self._center)[:, self._order], y - self._y_center

    def _keep(self, coefficients, variances):
        self.coef_ = np.empty(len(coefficients))
        self.coef_[self._order] = coefficients
        self.intercept_ = self._y_center - float(self._center @ self.coef_)
        self.variances_ = variances
        self.active_groups_ = np.flatnonzero(variances)

    def _validated_gamma(self, G, y, scale, fit):
        """The penalty with the least error on one half, of models of the other (section 4.2 of the paper)."""
        order = check_random_state(self.random_state).permutation(len(y))
        train, test = order[: len(y) // 2], order[len(y) // 2 :]
        if len(train) < 2:
            raise ValueError(f"gamma='validation' splits the rows in halves; {len(y)} rows are too few")
        self.gammas_ = _GRID / scale
        errors = []
        for gamma in self.gammas_:
            rest = y[test] - G[test] @ fit(G[train], y[train], float(gamma))
            errors.append(float(rest @ rest) / len(test))
        self.validation_errors_ = np.array(errors)
        return float(self.gammas_[int(np.argmin(errors))])

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
