"""What all linear estimators of values have in common: checks, snapshots, divergence, prediction."""

import warnings
from abc import ABC, abstractmethod
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from treatise._core.documentation import InheritsDocumentation
from treatise._core.invariants import is_array, is_count, is_number
from treatise.rl.policy_evaluation.transitions import checked_features, checked_transitions, warn_of_heavy_traces

DIVERGED = 1e3
"""Values this many times greater than the greatest that the rewards allow have diverged."""


class LinearValueEstimator(InheritsDocumentation, BaseEstimator, ABC):
    """Linear estimate of the value of states under a policy.

    Parameters
    ----------
    discount : float, default=0.95
        What a reward is worth one step later, in [0, 1].
    trace_decay : float, default=0.0
        The methods' lambda: 0 looks one step ahead, 1 to the end of the episode. More reduces the bias of poor
        features, and adds variance.
    weighting : {"transition", "standard"}, default="transition"
        What the ratio of policies multiplies: the whole temporal difference of a step, or only what depends on the
        action. Both have one limit; the first has by far the smaller variance. On-policy they are the same.
    keep_every : int or None, default=None
        Keep the coefficients after every so many steps in ``path_``; None keeps none.
    initial : array-like of shape (n_features,) or None, default=None
        Coefficients to begin with; None begins with zeros.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights of the features: the value of a state is their product.
    n_seen_ : int
        Steps learned from.
    diverged_ : bool
        Whether the values have left all bounds; then a warning was given, and the coefficients are of no use.
    path_, path_steps_ : ndarray of shape (n_kept, n_features) and ndarray of int of shape (n_kept,)
        Coefficients on the way, and after how many steps.
    n_features_in_ : int
        Number of features.
    """

    _parameter_constraints: dict = {
        "discount": [Interval(Real, 0, 1, closed="both")],
        "keep_every": [Interval(Integral, 1, None, closed="left"), None],
        "initial": ["array-like", None],
    }

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, features, rewards, next_features, ratios=None, starts=None, ends=None):
        """Learn from steps in the order given, and from nothing before.

        Parameters
        ----------
        features : array-like of shape (n_steps, n_features)
            Of the state that each step leaves. TD, TDC, GTD and GTD2 take sparse matrices too, here and for
            ``next_features``.
        rewards : array-like of shape (n_steps,)
            What it earned.
        next_features : array-like of shape (n_steps, n_features)
            Of the state that it reached.
        ratios : array-like of shape (n_steps,) or None, default=None
            Probability of the action under the policy to be judged divided by that under the policy that acted; None
            is 1, for one policy.
        starts : array-like of bool of shape (n_steps,) or None, default=None
            True where an episode begins; traces begin anew there. None: at the first step, and after every end.
        ends : array-like of bool of shape (n_steps,) or None, default=None
            True where a step ends an episode for good: what it reached is worth nothing. None: nowhere.

        Returns
        -------
        self
        """
        return self._learn(features, rewards, next_features, ratios, starts, ends, first=True)

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, features, rewards, next_features, ratios=None, starts=None, ends=None):
        """Learn from further steps; without ``starts`` the first goes on with the last episode.

        Parameters
        ----------
        features, rewards, next_features, ratios, starts, ends : array-like
            As for ``fit``.

        Returns
        -------
        self
        """
        first = not hasattr(self, "coef_")
        return self._learn(features, rewards, next_features, ratios, starts, ends, first=first)

    def _learn(self, features, rewards, next_features, ratios, starts, ends, *, first, **second):
        steps = checked_transitions(
            features, rewards, next_features, ratios, starts, ends, first=first, takes_sparse=self._takes_sparse
        )
        if first:
            self._forget(steps)
        elif steps.features.shape[1] != self.n_features_in_:
            raise ValueError(
                f"features have {steps.features.shape[1]} columns; those learned from before had {self.n_features_in_}"
            )
        factor = self.discount * getattr(self, "trace_decay", 0.0)
        if factor > 0.0:
            warn_of_heavy_traces(steps.ratios, factor)
        every, seen = self.keep_every or 0, self.n_seen_
        n_kept = (seen + len(steps.rewards)) // every - seen // every if every else 0
        path = np.full((n_kept, self.n_features_in_), np.nan)
        done = self._advance(steps, every, seen, path, **second)
        self.n_seen_ += len(steps.rewards)
        if every:
            self.path_ = np.concatenate([self.path_, path])
            self.path_steps_ = np.arange(1, len(self.path_) + 1) * every
        self._judge(steps, done)
        return self

    def _forget(self, steps):
        """Begin with nothing learned."""
        self.n_features_in_ = steps.features.shape[1]
        self.coef_ = np.zeros(self.n_features_in_)
        if self.initial is not None:
            initial = np.asarray(self.initial, dtype=np.float64)
            if initial.shape != self.coef_.shape or not np.isfinite(initial).all():
                raise ValueError(
                    f"initial has the shape {initial.shape}; give a finite number for each of the "
                    f"{self.n_features_in_} features"
                )
            self.coef_ += initial
        self.n_seen_, self.diverged_, self._greatest = 0, False, 0.0
        self.path_, self.path_steps_ = np.zeros((0, self.n_features_in_)), np.zeros(0, dtype=np.int64)
        self._begin(steps)

    @abstractmethod
    def _begin(self, steps):
        """Set up what is carried from step to step."""

    @abstractmethod
    def _advance(self, steps, every, seen, path):
        """Learn from all steps; returns how many were done before divergence."""

    def _judge(self, steps, done):
        """Tell too few steps, and divergence: values far beyond what the rewards (and the first coefficients) allow."""
        if self._leaning is not None and self.n_seen_ < self.n_features_in_:
            warnings.warn(
                f"{self.n_seen_} steps are fewer than the {self.n_features_in_} features: the coefficients follow the "
                f"{self._leaning} more than the steps",
                stacklevel=4,
            )
        horizon = 1.0 / max(1.0 - self.discount, 1.0 / max(self.n_seen_, 1))
        allowed = float(np.abs(steps.rewards).max()) * horizon
        if self.initial is not None:
            allowed = max(allowed, float(np.abs(steps.features @ np.asarray(self.initial, dtype=np.float64)).max()))
        self._greatest = max(self._greatest, allowed)
        values = np.abs(steps.features[-1000:] @ self.coef_)
        if (
            done < len(steps.rewards)
            or not np.isfinite(self.coef_).all()
            or (self._greatest > 0.0 and values.max() > DIVERGED * self._greatest)
        ):
            self.diverged_ = True
        if self.diverged_:
            warnings.warn(f"{type(self).__name__} diverged: {self._mend}", ConvergenceWarning, stacklevel=4)

    _takes_sparse = False
    """Whether features may be sparse."""

    _leaning: str | None = None
    """What settles the coefficients of a least-squares method where steps are too few to."""

    _mend = "the estimate is of no use; take more steps or a stronger penalty"

    def predict(self, features):
        """Estimated values of states.

        Parameters
        ----------
        features : array-like or sparse matrix of shape (n_states, n_features)
            A row for each state.

        Returns
        -------
        values : ndarray of shape (n_states,)
        """
        check_is_fitted(self)
        features = checked_features("features", features, takes_sparse=True)
        if features.shape[1] != self.n_features_in_:
            raise ValueError(f"features have {features.shape[1]} columns; the estimate has {self.n_features_in_}")
        return features @ self.coef_

    def _invariants(self):
        p = self.n_features_in_
        yield "coef_ has a number for each feature", is_array(self.coef_, np.float64, p)
        yield (
            "path_ has a row of coefficients for each step kept",
            is_array(self.path_, np.float64, len(self.path_steps_), p),
        )
        yield "n_seen_ is a number of steps", is_count(self.n_seen_)
        yield "the greatest value is a number", is_number(self._greatest)
        yield "first coefficients are of the features", self.initial is None or np.shape(self.initial) == (p,)
