"""What sparse rules from moments share: how much to promise, the selection, prediction, and the words for failure."""

import warnings
from abc import abstractmethod
from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import ScoreClassifier
from treatise._core.documentation import InheritsDocumentation
from treatise._core.invariants import linear
from treatise._core.magnitudes import check_magnitudes
from treatise.optimize import minimize_l1_cone_margin
from treatise.selection.moments._promise import largest_distance
from treatise.statistics.half_spaces import accuracy_of_distance, distance_of_accuracy

FARTHEST = 3.0
"""Distance in deviations, a promise of 0.9, beyond which more distance follows the sample rather than the classes."""


_RIDGE = 0.01
"""Share of its deviation added to every feature's, so that "auto" does not ask for what only huge weights give."""
_NO_DISTANCE = 1e-6


class SparsePlane(InheritsDocumentation, SelectorMixin, ScoreClassifier, BaseEstimator):
    """Base of the linear rules for two classes with few weights.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        Weights, most of them zero.
    intercept_ : ndarray of shape (1,)
        Score of the origin.
    selected_ : ndarray of int
        Features with a weight, those of the largest absolute weight first.
    support_ : ndarray of bool, of shape (n_features,)
        The same as a mask.
    objective_ : float
        Value of the problem.
    duality_gap_ : float
        What it may be above the least value at most, as a share of it.
    converged_ : bool
        Whether the gap reached ``tol``.
    classes_ : ndarray of shape (2,)
        The classes; scores above 0 speak for the second.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.
    """

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Find the plane from the rows of two classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_magnitudes(X, "X")
        self._fit_codes(X, self._code_labels(y))
        return self

    @abstractmethod
    def _fit_codes(self, X, codes):
        """Find the plane from rows and the numbers 0 and 1 of their classes."""

    def _keep(self, weights, threshold):
        """Store a plane ``weights @ x = threshold`` and what it selects."""
        self.coef_, self.intercept_ = weights[np.newaxis], np.array([-threshold])
        self.support_ = weights != 0.0
        order = np.argsort(-np.abs(weights), kind="stable")
        self.selected_ = order[: np.count_nonzero(weights)]

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.support_

    def _invariants(self):
        yield from linear(self, 1)

    def _scores(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return (X @ self.coef_[0] + self.intercept_[0])[:, np.newaxis]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.target_tags.required = True
        return tags


class Promising(InheritsDocumentation):
    """Rules that promise an accuracy ``eta`` that no distribution with the classes' moments undercuts.

    Parameters
    ----------
    eta : float in [0, 1) or "auto", default="auto"
        Accuracy to be promised: more asks for more features. It can be at most ``eta_max_``, that of the best rule
        with all features. "auto" asks for a plane at a distance from the means, in deviations, of ``reach`` times the
        largest possible, which counts as at most 3 (a promise of 0.9). What
        only large weights that cancel one another reach counts for less.
    reach : float in [0, 1), default=0.95
        For ``eta="auto"``: towards 1 as accurate as moments allow, towards 0 a single feature.
    tol : float, default=1e-7
        Largest duality gap, as a share of the objective.

    Attributes
    ----------
    eta_ : float
        Accuracy promised.
    eta_max_ : float
        Largest that could be; 1 where some direction without spread tells the classes apart, as with more features than
        rows.
    class_accuracies_ : ndarray of shape (2,)
        What the plane promises to each class, at least ``eta_``.
    """

    _promise_constraints: dict = {
        "eta": [Interval(Real, 0, 1, closed="left"), StrOptions({"auto"})],
        "reach": [Interval(Real, 0, 1, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
    }

    def _distance_asked(self, difference, spreads, losses=()):
        """The distance kappa(eta), once the moments are known to allow for it."""
        largest = largest_distance(difference, spreads, losses) if difference.any() else 0.0
        if largest <= _NO_DISTANCE and not (losses and difference.any()):
            raise ValueError(
                "the means of the two classes coincide; a rule from means and covariances needs them to differ: add "
                "features in which they do, or use a kernel in whose space they do"
            )
        if largest <= _NO_DISTANCE:
            raise ValueError(
                f"mean_radius={self.mean_radius:g} leaves no plane between the means, whatever eta; choose less"
            )
        self.eta_max_ = float(promised(largest))
        if self.eta == "auto":
            distance = self.reach * min(largest_distance(difference, spreads, losses, ridge=_RIDGE), FARTHEST)
            self.eta_ = float(promised(distance))
            return distance
        self.eta_ = float(self.eta)
        distance = float(distance_of_accuracy(self.eta, "any"))
        if distance > largest:
            raise ValueError(
                f"eta={self.eta_:g} cannot be promised: the largest that the classes' moments allow is "
                f"eta_max={self.eta_max_:.6g}; choose a smaller eta or 'auto', or add features"
            )
        return distance

    def _least_weights(self, difference, conditions):
        """The weights that meet the conditions with the least sum of absolute values."""
        solution = minimize_l1_cone_margin(difference, conditions, tol=self.tol)
        if not solution.feasible:
            raise ValueError(
                f"eta={self.eta_:g} cannot be promised in double precision: the moments allow for "
                f"eta_max={self.eta_max_:.6g}, but only by weights that cancel one another to many digits; choose a "
                "smaller eta or reach, or leave out features that nearly follow from others"
            )
        self.objective_, self.duality_gap_ = solution.objective, max(float(solution.gap), solution.violation)
        self.converged_ = solution.converged
        if not self.converged_:
            warnings.warn(
                f"the duality gap is {self.duality_gap_:.2g} of the objective, above tol={self.tol:g}; raise tol, "
                f"choose an eta farther below eta_max={self.eta_max_:.6g}, or bring the features to one scale",
                ConvergenceWarning,
                stacklevel=5,
            )
        return solution.weights


def promised(distances):
    """Accuracy that a distance in deviations promises, 1 at an infinite one."""
    return accuracy_of_distance(np.minimum(distances, 1e100), "any")


def distances_of(margins, deviations):
    """Margins in deviations, infinite where there is no deviation."""
    return np.divide(margins, deviations, out=np.full(len(margins), np.inf), where=deviations > 0)
