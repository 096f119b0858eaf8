"""What the selectors by description length share: bits that a feature saves, and the fitted linear model."""

import warnings
from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.documentation import InheritsDocumentation
from treatise._core.invariants import Invariants, finite, is_array
from treatise.optimize.forward_selection import EXACT

ONE_ROW = 0.5
"""Share of a centred column's squares that one row may have: the coefficient of another would rest on that row."""
SLACK = 1e-9
"""Bits within which two descriptions are taken for equally long."""


class DescriptionLengthSelector(InheritsDocumentation, SelectorMixin, BaseEstimator):
    """Base of the selectors that add a feature as long as it saves more bits than it takes to name it.

    Parameters
    ----------
    coef_bits : float or "bic", default=2.0
        Bits to send one coefficient. The paper's two bits favour prediction; "bic" takes log2(n), which finds the true
        features in the limit and keeps fewer.
    noise : {"previous", "current"}, default="previous"
        Variance of the noise in the code of the residuals: that before the new feature, as in the paper, which bounds
        what a feature can save, or that after it, which keeps a few more and may run on where rows are few.

    Attributes
    ----------
    support_ : ndarray of bool of shape (n_features,)
        Features that any response uses.
    bits_path_ : ndarray
        Description length of residuals and model in bits, first of the intercepts alone, then after each feature added.
        It falls at every step. Residuals are coded as Gaussian with their own variance, in the units of y, so that
        only differences mean anything.
    total_bits_ : float
        Description length of the fitted model.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.
    """

    _parameter_constraints: dict = {
        "coef_bits": [Interval(Real, 0, None, closed="neither"), StrOptions({"bic"})],
    }

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.support_

    def _bits_of_coefficient(self, n_samples):
        return float(np.log2(n_samples)) if self.coef_bits == "bic" else float(self.coef_bits)

    def _tell_of_nothing(self, search):
        """Warn where a response varies, and no feature was worth its bits: the model is then a constant."""
        if np.any(search.total > 0) and not self.support_.any():
            warnings.warn(
                f"none of the {self.n_features_in_} features saves the bits that name it, so that every row is "
                "predicted alike. Where many features carry a little each, as often with far more features than rows, "
                "take ridge or l2 logistic regression; else screen the features, or give more rows",
                UserWarning,
                stacklevel=4,
            )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class DescriptionLengthRegressor(RegressorMixin, DescriptionLengthSelector):
    """Base of the regressors: least squares on the features of each response.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_responses, n_features)
        Coefficients, zero for features that were not selected; one row for each response where y has several.
    intercept_ : float or ndarray of shape (n_responses,)
        Intercepts.
    """

    def predict(self, X):
        """Responses of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_responses)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return X @ self.coef_.T + self.intercept_

    def _keep(self, coef, intercept, several):
        """Store the model in the shape of y."""
        self.coef_, self.intercept_ = (coef, intercept) if several else (coef[0], float(intercept[0]))
        self.support_ = np.any(coef != 0, axis=0)

    def _invariants(self) -> Invariants:
        features = self.n_features_in_
        shape = (None, features) if np.ndim(self.coef_) == 2 else (features,)
        yield "there is a coefficient for every feature", is_array(self.coef_, np.float64, *shape)
        yield "there is an intercept for every response", np.shape(self.intercept_) == self.coef_.shape[:-1]
        yield "coefficients are numbers", finite(self.coef_) and finite(self.intercept_)
        yield "every feature is selected or not", is_array(self.support_, np.bool_, features)


def savings(drops, rss, n_samples, noise="previous"):
    """Bits by which the residuals' code shortens where a squared error of ``rss`` drops (Section 3.1.1)."""
    share = np.divide(drops, rss, out=np.zeros(np.broadcast(drops, rss).shape), where=np.asarray(rss) > 0)
    if noise == "previous":
        return n_samples / (2.0 * np.log(2.0)) * share
    # A fit without error would save bits without end.
    return -n_samples / 2.0 * np.log2(np.maximum(1.0 - share, EXACT))


def residual_bits(rss, search, n_samples):
    """Length of the Gaussian code of the residuals, with the variance that makes it shortest; none for constants."""
    varies = search.total > 0
    # What is left of a fit without error is rounding, whose size says nothing.
    variance = np.maximum(rss, EXACT * search.total)[varies] / n_samples
    return float(n_samples / 2.0 * np.sum(np.log2(2.0 * np.pi * np.e * variance) + 2.0 * np.log2(search.unit[varies])))
