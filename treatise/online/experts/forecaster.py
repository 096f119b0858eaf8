"""Estimators mixed on a stream by the weights of a strategy for games with experts."""

from abc import ABC, abstractmethod

import numpy as np
from sklearn.base import (
    BaseEstimator,
    RegressorMixin,
    _fit_context,
    clone,
)
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d, get_tags
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import Classifier, codes_among
from treatise.online.experts._strategy import ExpertStrategy
from treatise.online.experts.adahedge import AdaHedge

# Smallest probability whose logarithm is charged, so that one sure and wrong expert does not end the game.
_LEAST_PROBABILITY = 1e-12


class ExpertForecaster(BaseEstimator, ABC):
    """Mixes estimators, and learns from each example which of them to trust.

    A concrete forecaster says what kind of estimator it mixes (``_kind``), what an expert advises on rows
    (``_advice``) and what that costs (``_charge``).
    """

    _parameter_constraints: dict = {"estimators": [list], "strategy": [ExpertStrategy, None]}
    _kind: str

    @abstractmethod
    def _advice(self, expert, X):
        """What an expert predicts for rows, in the form that is mixed."""

    @abstractmethod
    def _charge(self, advice, y):
        """Loss of each row's advice."""

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Fit a copy of every estimator on the same rows and trust all alike.

        The rows were seen by the experts, so that they are no evidence on whom to trust: weights move in
        :meth:`partial_fit`. Estimators fitted elsewhere are passed as ``FrozenEstimator(model)`` and stay as they are.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The examples.
        y : array-like of shape (n_samples,)
            Their labels or targets.

        Returns
        -------
        self : object
        """
        self._check_estimators()
        X, y = self._read(X, y, reset=True)
        self._begin(y, self._fit_experts(X, y))
        return self

    def _check_estimators(self):
        if not self.estimators:
            raise ValueError("estimators is empty; give at least one expert")
        for number, estimator in enumerate(self.estimators):
            made = hasattr(estimator, "__sklearn_tags__") and not isinstance(estimator, type)
            if not made or get_tags(estimator).estimator_type != self._kind:
                raise ValueError(f"estimators[{number}] is {estimator!r}, not a {self._kind}; give {self._kind}s alone")

    def _begin(self, y, experts):
        self.experts_ = experts
        self.strategy_ = (AdaHedge() if self.strategy is None else clone(self.strategy)).start(len(experts))

    def _invariants(self):
        self._check_estimators()
        yield "the experts can predict", all(hasattr(expert, "predict") for expert in self.experts_)
        yield (
            "a strategy weighs them",
            isinstance(self.strategy_, ExpertStrategy) and (len(self.strategy_.weights_) == len(self.experts_)),
        )

    def _play(self, X, y):
        losses = np.column_stack([self._charge(self._advice(expert, X), y) for expert in self.experts_])
        self.strategy_.partial_fit(losses)
        return self

    def _mix(self, X):
        check_is_fitted(self)
        X = self._read(X, reset=False)
        trusted = np.flatnonzero(self.strategy_.weights_)
        return sum(self.strategy_.weights_[k] * self._advice(self.experts_[k], X) for k in trusted)

    def _read(self, X, y="no_validation", *, reset):
        if hasattr(X, "columns"):
            # Experts may pick columns by their names, so that a data frame reaches them as it is.
            read = validate_data(self, X, y, reset=reset, skip_check_array=True)
            if isinstance(y, str):
                return read
            y = column_or_1d(y, warn=True)
            assert_all_finite(y, input_name="y")
            check_consistent_length(X, y)
            return X, y
        tags = get_tags(self).input_tags
        return validate_data(
            self, X, y, reset=reset, accept_sparse="csr" if tags.sparse else False,
            ensure_all_finite="allow-nan" if tags.allow_nan else True, dtype="numeric",
        )  # fmt: skip

    def _are_fitted(self):
        """Whether the experts can be taken as they are; raises where that holds for some of them only."""
        fitted = [_is_fitted(estimator) for estimator in self.estimators]
        # To train the others would be to train the fitted ones anew, unless they are frozen.
        lost = any(known and not isinstance(e, FrozenEstimator) for e, known in zip(self.estimators, fitted))
        if lost and not all(fitted):
            number = fitted.index(False)
            raise ValueError(
                f"estimators[{number}], {self.estimators[number]!r}, is not fitted, and others are: fit it, too, or "
                "call fit, which trains a copy of every one"
            )
        return all(fitted)

    def _fit_experts(self, X, y):
        return [clone(estimator).fit(X, y) for estimator in self.estimators]

    @property
    def weights_(self):
        """Trust in each expert for the next example."""
        return self.strategy_.weights_

    @property
    def regret_(self):
        """Cumulative weighted loss of the experts less that of the best."""
        return self.strategy_.regret_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        experts = [get_tags(estimator).input_tags for estimator in self.estimators]
        tags.input_tags.sparse = all(expert.sparse for expert in experts)
        tags.input_tags.allow_nan = all(expert.allow_nan for expert in experts)
        return tags


def _is_fitted(estimator):
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return False
    return True


class ExpertClassifier(Classifier, ExpertForecaster):
    """Mixes the class probabilities of several classifiers by how well each has done on a stream so far.

    Use it where models made elsewhere compete on live data and it is unknown which will hold up: the mixture's loss
    stays close to that of the best of them, whatever the data do. Not for a best model that keeps changing, nor as a
    stacking of models on their own training rows. A row costs one prediction by every expert.

    Parameters
    ----------
    estimators : list of classifiers
        The experts. :meth:`partial_fit` without an earlier :meth:`fit` takes them as they are if all are fitted.
    strategy : ExpertStrategy or None, default=None
        How weights follow from losses; None means :class:`AdaHedge`.
    loss : {"brier", "log", "zero_one"}, default="brier"
        What an expert pays for an example: the squared error of its probabilities, their negative logarithm at the
        true class, or one for a wrong label. The first two are convex, so that the guarantee on the weighted loss
        holds for the mixture. An expert without ``predict_proba`` counts as sure of its label.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    experts_ : list of classifiers
        The fitted experts.
    strategy_ : ExpertStrategy
        The game so far.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from treatise.online import ExpertClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> experts = [DummyClassifier().fit(X[:200], y[:200]), GaussianNB().fit(X[:200], y[:200])]
    >>> mixture = ExpertClassifier(experts).partial_fit(X[200:300], y[200:300])
    >>> mixture.weights_.round(3)
    array([0., 1.])
    >>> round(mixture.score(X[300:], y[300:]), 2)
    0.97

    References
    ----------
    .. [1] Paper v15-1281 (the strategies).
    """

    _parameter_constraints = {
        **ExpertForecaster._parameter_constraints,
        "loss": [StrOptions({"brier", "log", "zero_one"})],
    }
    _kind = "classifier"

    def __init__(self, estimators, *, strategy=None, loss="brier"):
        self.estimators = estimators
        self.strategy = strategy
        self.loss = loss

    @_fit_context(prefer_skip_nested_validation=False)
    def partial_fit(self, X, y, classes=None):
        """Charge every expert its loss on each row, in their order, and move the weights; the experts stay.

        A first call with experts that are not fitted yet is a :meth:`fit`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The next examples.
        y : array-like of shape (n_samples,)
            Their classes.
        classes : array-like or None, default=None
            Classes that may come besides those that the experts know.

        Returns
        -------
        self : object
        """
        first = not hasattr(self, "strategy_")
        if first:
            self._check_estimators()
        X, y = self._read(X, y, reset=first)
        check_classification_targets(y)
        if not first:
            return self._play(X, y)
        fitted = self._are_fitted()
        experts = list(self.estimators) if fitted else self._fit_experts(X, y)
        self._begin(experts[0].classes_ if classes is None else classes, experts)
        return self._play(X, y) if fitted else self

    def predict_proba(self, X):
        """The weighted mean of the experts' probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The examples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
        """
        return self._mix(X)

    def predict(self, X):
        """The class with the largest mixed probability.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The examples.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        probabilities = self.predict_proba(X)
        return self.classes_[np.argmax(probabilities, axis=1)]

    def _begin(self, y, experts):
        check_classification_targets(y)
        # An expert that was fitted elsewhere may know fewer classes, or more.
        self.classes_ = unique_labels(y, *(expert.classes_ for expert in experts))
        super()._begin(y, experts)

    def _invariants(self):
        yield "classes are sorted", np.all(self.classes_[:-1] < self.classes_[1:])
        known = [expert.classes_ for expert in self.experts_]
        yield "they hold those of the experts", np.isin(np.concatenate(known), self.classes_).all()

    def _advice(self, expert, X):
        """Probabilities of all classes, in the order of ``classes_``."""
        probabilities = np.zeros((X.shape[0], len(self.classes_)))
        if hasattr(expert, "predict_proba"):
            probabilities[:, np.searchsorted(self.classes_, expert.classes_)] = expert.predict_proba(X)
        else:
            probabilities[np.arange(X.shape[0]), np.searchsorted(self.classes_, expert.predict(X))] = 1.0
        return probabilities

    def _charge(self, advice, y):
        true = codes_among(y, self.classes_)
        rows = np.arange(len(y))
        if self.loss == "log":
            return -np.log(np.maximum(advice[rows, true], _LEAST_PROBABILITY))
        if self.loss == "zero_one":
            return (np.argmax(advice, axis=1) != true).astype(float)
        return np.sum(advice**2, axis=1) + 1.0 - 2.0 * advice[rows, true]


class ExpertRegressor(RegressorMixin, ExpertForecaster):
    """Mixes the predictions of several regressors by how well each has done on a stream so far.

    Use it to combine forecasts: the mixture's loss stays close to that of the best forecaster, whatever the series
    does and whatever the scale of its errors. Not for a best forecaster that keeps changing. A row costs one
    prediction by every expert.

    Parameters
    ----------
    estimators : list of regressors
        The experts. :meth:`partial_fit` without an earlier :meth:`fit` takes them as they are if all are fitted.
    strategy : ExpertStrategy or None, default=None
        How weights follow from losses; None means :class:`AdaHedge`.
    loss : {"squared", "absolute"}, default="squared"
        What an expert pays for an example. Both are convex, so that the guarantee on the weighted loss holds for
        the mixture.

    Attributes
    ----------
    experts_ : list of regressors
        The fitted experts.
    strategy_ : ExpertStrategy
        The game so far.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.dummy import DummyRegressor
    >>> from sklearn.linear_model import Ridge
    >>> from treatise.online import ExpertRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> experts = [DummyRegressor().fit(X[:200], y[:200]), Ridge(alpha=0.1).fit(X[:200], y[:200])]
    >>> mixture = ExpertRegressor(experts).partial_fit(X[200:300], y[200:300])
    >>> mixture.weights_.round(2)
    array([0., 1.])

    References
    ----------
    .. [1] Paper v15-1281 (the strategies).
    """

    _parameter_constraints = {
        **ExpertForecaster._parameter_constraints,
        "loss": [StrOptions({"squared", "absolute"})],
    }
    _kind = "regressor"

    def __init__(self, estimators, *, strategy=None, loss="squared"):
        self.estimators = estimators
        self.strategy = strategy
        self.loss = loss

    @_fit_context(prefer_skip_nested_validation=False)
    def partial_fit(self, X, y):
        """Charge every expert its loss on each row, in their order, and move the weights; the experts stay.

        A first call with experts that are not fitted yet is a :meth:`fit`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The next examples.
        y : array-like of shape (n_samples,)
            Their targets.

        Returns
        -------
        self : object
        """
        first = not hasattr(self, "strategy_")
        if first:
            self._check_estimators()
        X, y = self._read(X, y, reset=first)
        if not first:
            return self._play(X, y)
        fitted = self._are_fitted()
        self._begin(y, list(self.estimators) if fitted else self._fit_experts(X, y))
        return self._play(X, y) if fitted else self

    def predict(self, X):
        """The weighted mean of the experts' predictions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The examples.

        Returns
        -------
        predictions : ndarray of shape (n_samples,)
        """
        return self._mix(X)

    def _read(self, X, y="no_validation", *, reset):
        read = super()._read(X, y, reset=reset)
        return read if isinstance(y, str) else (read[0], np.asarray(read[1], dtype=float))

    def _advice(self, expert, X):
        advice = np.asarray(expert.predict(X), dtype=float)
        if advice.size != X.shape[0]:
            raise ValueError(
                f"{expert!r} predicts an array of shape {advice.shape} for {X.shape[0]} rows; an expert must predict "
                "one number for each"
            )
        return advice.ravel()

    def _charge(self, advice, y):
        error = advice - y
        return error**2 if self.loss == "squared" else np.abs(error)
