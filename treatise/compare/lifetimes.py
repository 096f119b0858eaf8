"""The usual choices for survival times: Kaplan and Meier's curve, and Cox's model of scikit-survival.

A fitted model keeps plain arrays and nothing of the library, so that model files need it no more.
"""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.errors import TreatiseError
from treatise._core.invariants import Invariants, is_array
from treatise.statistics import kaplan_meier


def steps_at(times: np.ndarray, knots: np.ndarray, values: np.ndarray, first: float) -> np.ndarray:
    """A step function at times: ``values`` from each of the knots on, ``first`` before them all."""
    return np.concatenate([[first], values])[np.searchsorted(knots, times, side="right")]


class KaplanMeier(BaseEstimator):
    """The same survival curve for every row: what is known without looking at any column."""

    def fit(self, X: Any, y: Any) -> "KaplanMeier":
        """Estimate the curve from times and events."""
        self.n_features_in_ = X.shape[1]
        self.times_, self.survival_ = kaplan_meier(y)
        return self

    def _invariants(self) -> Invariants:
        yield "the curve has steps", is_array(self.times_, np.float64, len(self.survival_))
        yield "steps have heights", is_array(self.survival_, np.float64, None)

    def predict(self, X: Any) -> np.ndarray:
        """No row is better off than another."""
        check_is_fitted(self)
        return np.zeros(X.shape[0])

    def predict_survival_function(self, X: Any, times: Any) -> np.ndarray:
        """The curve at times, for each row."""
        check_is_fitted(self)
        return np.tile(steps_at(np.asarray(times), self.times_, self.survival_, 1.0), (X.shape[0], 1))


class CoxRegression(BaseEstimator):
    """Proportional hazards, with a penalty on squared weights that collinear columns need.

    Parameters
    ----------
    alpha : float, default=0.1
        Weight of the penalty.
    """

    def __init__(self, alpha: float = 0.1) -> None:
        self.alpha = alpha

    def fit(self, X: Any, y: Any) -> "CoxRegression":
        """Let scikit-survival find the weights and the baseline's hazard."""
        try:
            from sksurv.linear_model import CoxPHSurvivalAnalysis
        except ImportError as error:
            raise TreatiseError("Cox's model needs scikit-survival: pip install 'treatise[survival]'") from error
        X = validate_data(self, X, dtype=np.float64)
        fitted = CoxPHSurvivalAnalysis(alpha=self.alpha).fit(X, y)
        self.coef_ = np.asarray(fitted.coef_)
        hazard = fitted.cum_baseline_hazard_
        self.times_, self.hazard_ = np.asarray(hazard.x, np.float64), np.asarray(hazard.y, np.float64)
        return self

    def _invariants(self) -> Invariants:
        yield "columns have weights", is_array(self.coef_, np.floating, self.n_features_in_)
        yield "the hazard has steps", is_array(self.times_, np.float64, len(self.hazard_))
        yield "steps have heights", is_array(self.hazard_, np.float64, None)

    def predict(self, X: Any) -> np.ndarray:
        """Minus the logarithm of the relative hazard: the higher, the longer the life."""
        check_is_fitted(self)
        return -(validate_data(self, X, dtype=np.float64, reset=False) @ self.coef_)

    def predict_survival_function(self, X: Any, times: Any) -> np.ndarray:
        """Each row's curve at times."""
        # A hazard beyond any number leaves nobody alive.
        hazard = np.exp(np.minimum(-self.predict(X), 500.0))
        return np.exp(-np.outer(hazard, steps_at(np.asarray(times), self.times_, self.hazard_, 0.0)))
