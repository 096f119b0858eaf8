"""Several fitted models as one: their predictions are averaged."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import Invariants, all_alike, is_number


class _Blended(BaseEstimator):
    """Models that are fitted already, and what each counts."""

    def __init__(self, models: Any = (), weights: Any = ()) -> None:
        self.models = models
        self.weights = weights

    def fit(self, X: Any, y: Any) -> Any:
        """Fit every model anew to the same rows.

        Parameters
        ----------
        X : data frame or array-like
            What each of the models takes.
        y : array-like of shape (n_rows,)
            Labels or values.
        """
        for model in self.models:
            model.fit(X, y)
        return self

    def _invariants(self) -> Invariants:
        yield "what is blended are models", all_alike(self.models, BaseEstimator)
        numbers = len(self.weights) == len(self.models) and all(map(is_number, self.weights))
        yield "each model has a weight", numbers and (sum(self.weights) > 0 or not self.models)

    def __sklearn_is_fitted__(self) -> bool:
        return len(self.models) > 0 and all(hasattr(model, "predict") for model in self.models)


class BlendedRegressor(RegressorMixin, _Blended):
    """The weighted mean of what several regressors predict.

    Parameters
    ----------
    models : sequence of estimators
        Fitted ones predict at once; :meth:`fit` fits them all anew.
    weights : sequence of float
        What each counts; they sum to one.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyRegressor
    >>> from treatise.compare import BlendedRegressor
    >>> models = [DummyRegressor(strategy="constant", constant=value) for value in (0.0, 4.0)]
    >>> BlendedRegressor(models, [0.75, 0.25]).fit([[0]], [0]).predict([[0], [1]])
    array([1., 1.])
    """

    def predict(self, X: Any) -> np.ndarray:
        """The weighted mean.

        Parameters
        ----------
        X : data frame or array-like
            What each of the models takes.
        """
        check_is_fitted(self)
        return np.average([model.predict(X) for model in self.models], axis=0, weights=self.weights)


class BlendedClassifier(ClassifierMixin, _Blended):
    """The weighted mean of the probabilities that several classifiers give.

    Parameters
    ----------
    models : sequence of estimators
        Each with ``predict_proba``. Fitted ones predict at once; :meth:`fit` fits them all anew.
    weights : sequence of float
        What each counts; they sum to one.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from treatise.compare import BlendedClassifier
    >>> models = [DummyClassifier(strategy="prior"), DummyClassifier(strategy="uniform")]
    >>> blend = BlendedClassifier(models, [0.5, 0.5]).fit([[0], [0], [0], [0]], [0, 1, 1, 1])
    >>> blend.predict_proba([[0]])
    array([[0.375, 0.625]])
    """

    @property
    def classes_(self) -> np.ndarray:
        """All classes that one of the models knows."""
        return np.unique(np.concatenate([np.asarray(model.classes_) for model in self.models]))

    def predict_proba(self, X: Any) -> np.ndarray:
        """The weighted mean of the probabilities, a column for each class.

        Parameters
        ----------
        X : data frame or array-like
            What each of the models takes.
        """
        check_is_fitted(self)
        classes = self.classes_
        total: Any = 0.0
        for model, weight in zip(self.models, self.weights, strict=True):
            found = np.asarray(model.predict_proba(X))
            columns = np.zeros((len(found), len(classes)))
            columns[:, np.searchsorted(classes, model.classes_)] = found
            total = total + weight * columns
        return total

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest mean.

        Parameters
        ----------
        X : data frame or array-like
            What each of the models takes.
        """
        likeliest = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[likeliest]
