"""What the second-order learners share: a Gaussian belief about the weights."""

from abc import abstractmethod

import numpy as np
from sklearn.utils._param_validation import StrOptions

from treatise.online._base import OnlineClassifier
from treatise.online._gaussian_loops import (
    diagonal_belief,
    full_belief,
    multiclass_diagonal_belief,
    multiclass_full_belief,
)

_LARGEST = 2 << 30  # bytes


class SecondOrderClassifier(OnlineClassifier):
    """Online classifier with a mean and a covariance of the weights.

    A concrete learner names its rule and the rule's one or two parameters in ``_rule``.
    """

    _parameter_constraints: dict = {
        **OnlineClassifier._parameter_constraints,
        "covariance": [StrOptions({"diagonal", "full"})],
    }

    def __init__(self, *, covariance="diagonal", **shared):
        super().__init__(**shared)
        self.covariance = covariance

    @abstractmethod
    def _rule(self):
        """The rule's number and its two parameters."""

    def _first_variance(self):
        return 1.0

    @property
    def covariance_(self):
        """Covariance of the weights, or its diagonal."""
        spread = self._spread if self._spread.ndim == 2 else self._spread @ self._spread.swapaxes(1, 2)
        return spread[0] if len(spread) == 1 else spread

    def _begin_belief(self):
        # Variances of the weights, or a square root of their covariance.
        width, n_learners = len(self._weights), self._n_learners
        if self.covariance == "diagonal":
            self._spread = np.full((n_learners, width), self._first_variance())
            return
        needed = 8 * n_learners * width**2
        if needed > _LARGEST:
            raise ValueError(
                f"covariance='full' of {width} weights needs {needed / 2**30:.1f} GiB"
                + (f" for {n_learners} classes" if n_learners > 1 else "")
                + f", above the limit of {_LARGEST / 2**30:.0f} GiB; use covariance='diagonal'"
            )
        self._spread = np.zeros((n_learners, width, width))
        self._spread[:, np.arange(width), np.arange(width)] = np.sqrt(self._first_variance())

    def _walk(self, stream, positive, learner, scores, updated):
        walk = diagonal_belief if self._spread.ndim == 2 else full_belief
        mean, spread, state = self._weights[:, learner], self._spread[learner], self._state[learner]
        walk(stream, positive, *self._rule(), mean, spread, state, scores, updated)

    def _walk_classes(self, stream, predicted, updated):
        walk = multiclass_diagonal_belief if self._spread.ndim == 2 else multiclass_full_belief
        walk(stream, *self._rule(), self._weights, self._spread[0], predicted, updated)
