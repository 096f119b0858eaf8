"""What all differentially private classifiers have in common: labels, budget and release."""

import warnings
from abc import ABC, abstractmethod
from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import ScoreClassifier, check_classes, codes_among, signs_of
from treatise.linear.private._erm import PrivateERM, sign_rows
from treatise.linear.private.accountant import PrivacyAccountant
from treatise.linear.private.mechanisms import MECHANISMS
from treatise.optimize import Loss

POSITIVE = Interval(Real, 0, None, closed="neither")


class SeededNoiseWarning(UserWarning):
    """Noise was drawn from a seed: whoever knows or guesses it can take the noise away."""


def warn_of_seed(estimator: BaseEstimator) -> None:
    """Warn where an estimator's noise can be drawn again."""
    if estimator.random_state is not None:
        warnings.warn(
            f"random_state={estimator.random_state!r} makes the noise of {type(estimator).__name__} one that anybody "
            "can draw again: this fit is not private. Leave random_state=None for data of real people",
            SeededNoiseWarning,
            stacklevel=4,  # past fit and what scikit-learn wraps around it
        )


class PrivateClassifier(ScoreClassifier, BaseEstimator, ABC):
    """A private classifier less its loss, its bounded rows and its scores."""

    _parameter_constraints: dict = {
        "epsilon": [POSITIVE],
        "alpha": [POSITIVE],
        "mechanism": [StrOptions(set(MECHANISMS))],
        "classes": ["array-like", None],
        "accountant": [PrivacyAccountant, None],
        "random_state": ["random_state"],
    }

    epsilon: float
    alpha: float
    mechanism: str
    classes: object
    accountant: PrivacyAccountant | None
    random_state: object

    @abstractmethod
    def _loss(self) -> Loss:
        """The loss."""

    @abstractmethod
    def _bounded(self, X):
        """Rows of norm at most one, made without a look at the other rows."""

    @abstractmethod
    def _keep(self, weights: np.ndarray) -> None:
        """Set the fitted attributes from the weights of the bounded rows."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Train a classifier that may be released.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            One row for each person.
        y : array-like of shape (n_samples,)
            Two labels.

        Returns
        -------
        self
            The fitted classifier. Nothing in it depends on the data but through the private weights.
        """
        rows = self._signed_rows(X, y)
        warn_of_seed(self)
        if self.accountant is not None:
            self.accountant.spend(self.epsilon, type(self).__name__)
        erm = self._erm(rows.shape[0])
        plan = erm.plan(rows.shape[0])
        self._keep(next(erm.releases(rows, 1, self.random_state)))
        self.noise_scale_ = 1.0 / plan.noise_rate
        self.noise_epsilon_ = plan.noise_epsilon
        self.extra_penalty_ = plan.extra_penalty
        return self

    def _erm(self, n_samples: int) -> PrivateERM:
        return PrivateERM(self._loss(), self.mechanism, self.epsilon, self._penalty(n_samples))

    def _penalty(self, n_samples: int) -> float:
        """The penalty; it may follow from the number of rows, which the guarantee takes as known to all."""
        return self.alpha

    def _signed_rows(self, X, y):
        """Rows of norm at most one, times their label -1 or 1."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        signs = self._signs(y)
        return sign_rows(self._bounded(X), signs)

    def _signs(self, y: np.ndarray) -> np.ndarray:
        if self.classes is None:
            check_classification_targets(y)
            check_classes(np.unique(y), why="; name both in classes if that can happen")
            codes = self._code_labels(y)
        else:
            self.classes_ = np.asarray(self.classes)
            if self.classes_.shape != (2,) or self.classes_[0] == self.classes_[1]:
                raise ValueError(f"classes={self.classes!r} must be two labels")
            codes = codes_among(y, self.classes_, where="of the parameter classes")
        return signs_of(codes, 2)[0]

    def _scores(self, X) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return self._projections(X)[:, None]

    @abstractmethod
    def _projections(self, X) -> np.ndarray:
        """Scores of validated rows."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags
