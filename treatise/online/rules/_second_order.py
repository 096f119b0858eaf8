"""What the second-order learners share: a Gaussian belief about the weights."""

from abc import abstractmethod

import numpy as np
from sklearn.utils._param_validation import StrOptions

from treatise._core.invariants import is_array
from treatise.online.rules._base import OnlineClassifier

_LARGEST = 2 << 30  # bytes
_FEW = 100  # weights up to which a full covariance costs microseconds for each example


class SecondOrderClassifier(OnlineClassifier):
    """Online classifier with a mean and a covariance of the weights.

    A concrete learner names its rule and the rule's one or two parameters in ``_rule``. A rule is a compiled function
    in the learner's file, listed in ``_gaussian_loops``, where the walks over the rows are that all rules share.

    Parameters
    ----------
    covariance : {"auto", "full", "diagonal"}, default="auto"
        Whether the weights may depend on one another, as in the paper ("full": n_features² numbers, and as many
        operations for each example with a loss; refused beyond 2 GiB), or are taken as independent ("diagonal": a pass
        costs the non-zeros, memory two vectors). "auto" is full for up to 100 weights.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights (the mean of the belief); one row where there are two classes.
    covariance_ : ndarray
        Variances of the weights, or their covariance matrix; with more than two classes one that they share, or one
        for each where each has a learner against the rest.
    """

    _parameter_constraints: dict = {
        **OnlineClassifier._parameter_constraints,
        "covariance": [StrOptions({"auto", "diagonal", "full"})],
    }

    def __init__(self, *, covariance="auto", **shared):
        super().__init__(**shared)
        self.covariance = covariance

    @abstractmethod
    def _rule(self):
        """The compiled rule, and its parameters, at most two."""

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
        if self.covariance == "diagonal" or (self.covariance == "auto" and width > _FEW):
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

    def _invariants(self):
        width, n_learners = len(self._weights), self._n_learners
        variances = is_array(self._spread, np.float64, n_learners, width)
        matrices = is_array(self._spread, np.float64, n_learners, width, width)
        yield "learners have variances or covariances of their weights", variances or matrices

    def _walk(self, stream, positive, learner, scores, updated):
        from treatise.online.rules import _gaussian_loops as loops  # which reads the rules of all learners

        walk = loops.diagonal_belief if self._spread.ndim == 2 else loops.full_belief
        mean, spread, state = self._weights[:, learner], self._spread[learner], self._state[learner]
        walk(stream, positive, *self._numbered_rule(loops.RULES), mean, spread, state, scores, updated)

    def _walk_classes(self, stream, predicted, updated):
        from treatise.online.rules import _gaussian_loops as loops

        walk = loops.multiclass_diagonal_belief if self._spread.ndim == 2 else loops.multiclass_full_belief
        spread, state = self._spread[0], self._state[0]
        walk(stream, *self._numbered_rule(loops.RULES), self._weights, spread, state, predicted, updated)

    def _numbered_rule(self, rules):
        """The rule as a walk takes it: its number and two parameters."""
        rule, first, second = (*self._rule(), 0.0)[:3]
        return rules.index(rule), float(first), float(second)
