"""The usual choice for several targets: a model for each, as if the others were not there."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import Invariants, all_alike


class PerTarget(BaseEstimator):
    """Base: fits a clone of :meth:`_single` to each column of the targets."""

    def fit(self, X: Any, Y: Any) -> Self:
        """Fit each target by itself.

        Parameters
        ----------
        X : matrix of shape (n_samples, n_features)
            Columns to predict from.
        Y : array of shape (n_samples, n_targets)
            Targets.
        """
        Y = np.asarray(Y)
        single = self._single()
        self.n_features_in_ = X.shape[1]
        self.estimators_ = [self._fitted(clone(single), X, column) for column in Y.T]
        return self

    def predict(self, X: Any) -> np.ndarray:
        """A column for each target."""
        check_is_fitted(self)
        return np.column_stack([estimator.predict(X) for estimator in self.estimators_])

    def _invariants(self) -> Invariants:
        yield "targets have models", len(self.estimators_) > 0 and all_alike(self.estimators_, BaseEstimator)

    def _single(self) -> Any:
        """The unfitted model of one target."""
        raise NotImplementedError

    def _fitted(self, estimator: Any, X: Any, y: np.ndarray) -> Any:
        return estimator.fit(X, y)


class PerTargetClassifier(PerTarget):
    """Base of those that give probabilities; a target that has one class in a part of the rows is a constant there."""

    def predict_proba(self, X: Any) -> list[np.ndarray]:
        """Probabilities of the classes of each target."""
        check_is_fitted(self)
        return [estimator.predict_proba(X) for estimator in self.estimators_]

    @property
    def classes_(self) -> list[np.ndarray]:
        """Classes of each target."""
        return [estimator.classes_ for estimator in self.estimators_]

    def _fitted(self, estimator: Any, X: Any, y: np.ndarray) -> Any:
        return (estimator if len(np.unique(y)) > 1 else DummyClassifier()).fit(X, y)


class RidgePerTarget(PerTarget):
    """Ridge regression of each target.

    Parameters
    ----------
    alpha : float, default=1.0
        Weight of the penalty.
    """

    def __init__(self, alpha: float = 1.0) -> None:
        self.alpha = alpha

    def _single(self) -> Any:
        return Ridge(alpha=self.alpha)


class ForestPerTarget(PerTarget):
    """A random forest for each target.

    Parameters
    ----------
    min_samples_leaf : int, default=1
        Fewest rows of a leaf.
    random_state : int or None, default=None
        Seed.
    """

    def __init__(self, min_samples_leaf: int = 1, random_state: int | None = None) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def _single(self) -> Any:
        return RandomForestRegressor(min_samples_leaf=self.min_samples_leaf, random_state=self.random_state)


class BoostingPerTarget(PerTarget):
    """Gradient boosting for each target.

    Parameters
    ----------
    learning_rate : float, default=0.1
        Length of a step.
    random_state : int or None, default=None
        Seed.
    """

    def __init__(self, learning_rate: float = 0.1, random_state: int | None = None) -> None:
        self.learning_rate = learning_rate
        self.random_state = random_state

    def _single(self) -> Any:
        return HistGradientBoostingRegressor(learning_rate=self.learning_rate, random_state=self.random_state)


class LogisticPerTarget(PerTargetClassifier):
    """Logistic regression of each target.

    Parameters
    ----------
    C : float, default=1.0
        Inverse weight of the penalty.
    """

    def __init__(self, C: float = 1.0) -> None:
        self.C = C

    def _single(self) -> Any:
        return LogisticRegression(C=self.C, max_iter=1000)


class ForestClassifierPerTarget(PerTargetClassifier):
    """A random forest for each target.

    Parameters
    ----------
    min_samples_leaf : int, default=1
        Fewest rows of a leaf.
    random_state : int or None, default=None
        Seed.
    """

    def __init__(self, min_samples_leaf: int = 1, random_state: int | None = None) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def _single(self) -> Any:
        return RandomForestClassifier(min_samples_leaf=self.min_samples_leaf, random_state=self.random_state)


class BoostingClassifierPerTarget(PerTargetClassifier):
    """Gradient boosting for each target.

    Parameters
    ----------
    learning_rate : float, default=0.1
        Length of a step.
    random_state : int or None, default=None
        Seed.
    """

    def __init__(self, learning_rate: float = 0.1, random_state: int | None = None) -> None:
        self.learning_rate = learning_rate
        self.random_state = random_state

    def _single(self) -> Any:
        return HistGradientBoostingClassifier(learning_rate=self.learning_rate, random_state=self.random_state)
