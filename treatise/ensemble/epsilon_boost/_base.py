"""What classifier and regressor share: the walk, where to stop on it, its record, and scores at any step of it."""

import warnings
from abc import ABCMeta, abstractmethod
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.documentation import InheritsDocumentation
from treatise._core.invariants import Invariants, finite, is_array, is_number, within
from treatise._core.magnitudes import check_magnitudes
from treatise.ensemble.epsilon_boost._loops import Rows, Rule
from treatise.ensemble.epsilon_boost._paths import ColumnWalk, LearnerWalk, StumpWalk
from treatise.ensemble.epsilon_boost._record import member_table, norms_along

_FIRST_BLOCK = 100
"""Steps after which the held-out loss is looked at first; then whenever the path has doubled."""
_SETTLED, _SLOWER = 1e-3, 0.25
"""Shares of the first held-out loss, and of all that was gained, of which the second half of a path must gain one to go
on."""


class EpsilonBoost(InheritsDocumentation, BaseEstimator, metaclass=ABCMeta):
    """Coordinate descent over a dictionary in steps of one length.

    Parameters
    ----------
    dictionary : {"stumps", "columns"} or classifier, default="stumps"
        Of what the score is a sum. "stumps": 1 above a threshold of a column and -1 below, for all thresholds of all
        columns. "columns": the columns themselves, which makes the model linear; bring them to one scale. A
        classifier that takes ``sample_weight``, such as ``DecisionTreeClassifier(max_leaf_nodes=10)``, is fitted anew
        in every step, and its answers are -1 and 1.
    epsilon : float or "auto", default="auto"
        Length of a step, in units of the score. Half of it follows the path twice as closely, at twice the cost.
    n_steps : int, default=5000
        Length of the path in steps, at most.
    step : {"epsilon", "line_search"}, default="epsilon"
        "line_search" goes as far as the loss falls in every step, which is AdaBoost for the exponential loss.
    norm : {"l1", "l2"}, default="l1"
        Of the coefficients, along whose constraint the path goes. "l2" (columns only) takes the member with the
        largest slope relative to its coefficient, so that all are used before any is used twice.
    fit_intercept : bool, default=True
        Start from the best constant, which the norm does not count, take the mean from columns, and have the constant
        in the dictionary, so that later steps can shift it.
    early_stopping : bool, default=True
        Choose the step by cross-validation, and end the path where that is well behind; else the last step counts.
    cv : int, splitter or iterable of (train, test), default=5
        Folds of early stopping; a number of folds is drawn at random.
    random_state : int, RandomState or None, default=0
        Shuffles the folds, and seeds a classifier as dictionary.

    Attributes
    ----------
    n_steps_ : int
        Steps of the model that predicts.
    epsilon_ : float
        Length of a step.
    coef_ : ndarray of shape (n_members,)
        Coefficients of the model's members. Of "columns" there are as many as features; of "stumps" those used on the
        way, in the order of their first use.
    intercept_ : float
        The constant.
    stump_features_, stump_thresholds_ : ndarray of shape (n_members,)
        Column and threshold of each stump; minus infinity makes it the constant.
    estimators_ : list of classifiers
        Those fitted on the way.
    chosen_, increments_ : ndarray of shape (n_path_steps,)
        The whole path: the member of each step, and what was added to its coefficient.
    norm_path_ : ndarray of shape (n_path_steps + 1,)
        Sum of absolute coefficients before the first step and after each.
    loss_path_ : ndarray of shape (n_path_steps + 1,)
        Mean loss of the training rows.
    gap_path_ : ndarray of shape (n_path_steps + 1,)
        By how much, at most, the loss exceeds the least one under the same norm: the certificate of the path. For a
        classifier as dictionary NaN, as no one knows its steepest member.
    held_out_loss_ : ndarray of shape (n_path_steps + 1,)
        Cross-validated loss, where early stopping looked at it.
    monotone_until_ : float
        Norm at which the first coefficient turns back, infinite if none does. Up to there the path is that of the
        loss under an l1 constraint, as steps get short; later only near to it.
    converged_ : bool
        Whether the path reached its goal: more steps would hardly lower the held-out loss, or all steps were taken.
    """

    _parameter_constraints: dict = {
        "dictionary": [StrOptions({"stumps", "columns"}), HasMethods(["fit", "predict"])],
        "epsilon": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "n_steps": [Interval(Integral, 1, None, closed="left")],
        "step": [StrOptions({"epsilon", "line_search"})],
        "norm": [StrOptions({"l1", "l2"})],
        "fit_intercept": ["boolean"],
        "early_stopping": ["boolean"],
        "cv": ["cv_object"],
        "random_state": ["random_state"],
    }

    @abstractmethod
    def _constant(self, y, weights):
        """The best constant score."""

    @abstractmethod
    def _judgement(self):
        """How rows that are held out are judged."""

    def _check_settings(self):
        if self.norm == "l2" and not (isinstance(self.dictionary, str) and self.dictionary == "columns"):
            raise ValueError(
                f"norm='l2' compares the slopes of members with their coefficients, so it needs dictionary='columns'; "
                f"it is {self.dictionary!r}"
            )

    def _check_sizes(self, X):
        """Columns are summed and squared; stumps only ask for the order."""
        if self._is("columns"):
            check_magnitudes(X, "X")

    def _boost(self, X, y, weights, loss, folds):
        """Walk, stop, and keep what the walk left."""
        rule = Rule(loss.number, loss.parameter, 0.0 if self.step == "line_search" else self.epsilon_)
        n_steps = self.n_steps
        if folds:
            self.held_out_loss_ = self._held_out(X, y, weights, rule, folds)
            n_steps = len(self.held_out_loss_) - 1
        walk = self._begun(X, y, weights, rule, np.ones(len(y), dtype=bool))
        walk.go_on(n_steps)
        self._keep(walk)
        last = len(self.chosen_)
        self.n_steps_ = min(int(np.argmin(self.held_out_loss_)), last) if folds else last
        self.coef_, self.intercept_ = self.coef_at(self.n_steps_), self._start
        if self._is("columns"):
            self.coef_, constant = self.coef_[: X.shape[1]], self.coef_[X.shape[1] :].sum()
            self.intercept_ += float(constant - self._means @ self.coef_)
        self.converged_ = not folds or walk.ended or _settled(self.held_out_loss_)
        if not self.converged_:
            warnings.warn(
                f"the held-out loss still falls after n_steps={self.n_steps} steps of {self.epsilon_:.3g}; "
                "raise n_steps or epsilon",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _held_out(self, X, y, weights, rule, folds):
        """Mean held-out loss along the path, as far as it is worth going."""
        walks, shares = [], []
        for train, test in folds:
            learnt = np.zeros(len(y), dtype=bool)
            learnt[train] = True
            walks.append(self._begun(X, y, weights, rule, learnt))
            shares.append(weights[test].sum())
        length = 0
        while True:
            for walk in walks:
                walk.go_on(min(max(length, _FIRST_BLOCK), self.n_steps - length))
            length = min(walk.n_steps for walk in walks)
            losses = np.average([walk.trace.held_losses[: length + 1] for walk in walks], axis=0, weights=shares)
            if any(walk.ended for walk in walks) or length >= self.n_steps or _settled(losses):
                return losses

    def _begun(self, X, y, weights, rule, learnt):
        """A walk that learns from some rows and holds the others out."""
        start = float(self._constant(y[learnt], weights[learnt])) if self.fit_intercept else 0.0
        parts = []
        for chosen in (learnt & (weights > 0), ~learnt & (weights > 0)):
            own = weights[chosen]
            scores = np.full(len(own), start)
            parts += [X[chosen], Rows(y[chosen], own / max(own.sum(), np.finfo(float).tiny), scores, start)]
        X_learnt, rows, X_held, held = parts
        place = (X_learnt, rows, rule, X_held, held, self._judgement())
        if self._is("columns"):
            return ColumnWalk(*place, constant=self.fit_intercept, by_ratio=self.norm == "l2")
        if self._is("stumps"):
            return StumpWalk(*place, constant=self.fit_intercept)
        return LearnerWalk(*place, learner=self.dictionary, generator=np.random.default_rng(self._seed))

    def _is(self, dictionary):
        return isinstance(self.dictionary, str) and self.dictionary == dictionary

    def _keep(self, walk):
        """The record of a walk."""
        trace = walk.trace
        self._start = walk.rows.start
        self.chosen_, self.increments_ = trace.chosen, trace.increments
        if self._is("columns"):
            self._means, self._n_members = walk.means, len(walk.coef)
        elif self._is("stumps"):
            self.chosen_, self.stump_features_, self.stump_thresholds_ = member_table(walk)
            self._n_members = len(self.stump_features_)
        else:
            self.estimators_, self._n_members = walk.fitted, len(walk.fitted)
        self.norm_path_, self.monotone_until_ = norms_along(self.chosen_, self.increments_)
        self.loss_path_ = trace.losses
        # A bound that is zero may be below it by rounding.
        self.gap_path_ = np.maximum(self.norm_path_ * trace.steepest + trace.inner, 0.0)

    def coef_at(self, n_steps):
        """Coefficients of the members after some steps of the path.

        Parameters
        ----------
        n_steps : int
            From 0 to the length of the path.

        Returns
        -------
        coef : ndarray of shape (n_members,)
            Of "columns" with an intercept the constant's comes last.
        """
        check_is_fitted(self, "chosen_")
        self._check_steps([n_steps])
        return np.bincount(self.chosen_[:n_steps], self.increments_[:n_steps], minlength=self._n_members)

    def _check_steps(self, steps):
        if len(steps) and not 0 <= min(steps) <= max(steps) <= len(self.chosen_):
            raise ValueError(
                f"the path has {len(self.chosen_)} steps; {min(steps)} to {max(steps)} were asked for, from 0 on"
            )

    def _final_scores(self, X):
        """Scores of the model at the chosen step."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        if self._is("columns"):
            return X @ self.coef_ + self.intercept_
        scores = np.full(len(X), self.intercept_)
        if self._is("stumps"):
            for feature in np.unique(self.stump_features_):
                own = np.flatnonzero((self.stump_features_ == feature) & (self.coef_ != 0.0))
                own = own[np.argsort(self.stump_thresholds_[own])]
                coef = self.coef_[own]
                # With r thresholds below, the first r stumps say 1 and the others -1.
                levels = 2.0 * np.concatenate([[0.0], np.cumsum(coef)]) - coef.sum()
                scores += levels[np.searchsorted(self.stump_thresholds_[own], X[:, feature], side="left")]
            return scores
        for member, coef in zip(self.estimators_[: self.n_steps_], self.coef_):
            scores += coef * member.predict(X)
        return scores

    def _staged_scores(self, X, steps):
        """Scores after each of some steps, in rising order."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        steps = range(1, len(self.chosen_) + 1) if steps is None else sorted(int(step) for step in steps)
        self._check_steps(steps)
        scores, taken = np.full(len(X), self._start), 0
        for step in steps:
            for t in range(taken, step):
                scores += self.increments_[t] * self._member(X, self.chosen_[t])
            taken = step
            yield scores.copy()

    def _member(self, X, which):
        """One member of the dictionary at new rows."""
        if self._is("columns"):
            return X[:, which] - self._means[which] if which < len(self._means) else np.ones(len(X))
        if self._is("stumps"):
            return np.where(X[:, self.stump_features_[which]] > self.stump_thresholds_[which], 1.0, -1.0)
        return self.estimators_[which].predict(X).astype(np.float64)

    def _invariants(self) -> Invariants:
        steps = len(self.chosen_)
        yield "the steps of the path have their increments", is_array(self.increments_, np.float64, steps)
        yield (
            "members are numbered",
            is_array(self.chosen_, np.int64, steps) and within(self.chosen_, 0, self._n_members),
        )
        n_coef = self.n_features_in_ if self._is("columns") else self._n_members
        yield "members have coefficients", is_array(self.coef_, np.float64, n_coef) and finite(self.coef_)
        yield "the constant is a number", is_number(self.intercept_) and is_number(self._start)
        if self._is("columns"):
            yield "columns have means", is_array(self._means, np.float64, self.n_features_in_)
            yield "members are columns and the constant", 0 <= self._n_members - self.n_features_in_ <= 1
        elif self._is("stumps"):
            yield (
                "stumps have columns",
                is_array(self.stump_features_, np.int64, self._n_members)
                and within(self.stump_features_, 0, self.n_features_in_),
            )
            yield "stumps have thresholds", is_array(self.stump_thresholds_, np.float64, self._n_members)
        else:
            yield "every member is there", len(self.estimators_) == self._n_members


def _settled(losses):
    """Whether the second half of a path gains next to nothing, and little beside the first: short steps gain slowly."""
    later = losses[: (len(losses) + 1) // 2].min() - losses.min()
    return bool(later <= min(_SETTLED * losses[0], _SLOWER * (losses[0] - losses.min())))
