"""Fisher's discriminant as a promise, and with few features (Bhattacharyya, JMLR 5:1417, Section 3.1)."""

from typing import NamedTuple

import numpy as np

from treatise.optimize import NormCondition
from treatise.selection.moments._base import Promising, SparsePlane, distances_of, promised
from treatise.statistics.class_moments import checked_moments, difference_of, mean_and_factor


class SparseFisherDiscriminant(Promising, SparsePlane):
    """Fisher's linear discriminant with few features.

    A row of the second class less one of the first has the mean ``mu_2 - mu_1`` and the covariance ``S_1 + S_2``.
    Fisher's direction is the one in which that difference is positive with the largest worst-case probability; this
    rule asks for a probability ``eta`` and takes the weights with the least sum of absolute values that have it.

    Use it in place of linear discriminant analysis where few features should do. ``eta`` is about a pair of rows; what
    the plane promises to each class is in ``class_accuracies_``. Bring features to one scale first. Where the classes
    have unlike covariances, :class:`MomentSparseClassifier` promises more.

    Costs O(n p) for each of some ten rounds, and O(n p min(n, p)) once for ``eta_max_``.

    Parameters
    ----------
    eta : float in [0, 1) or "auto", default="auto"
        Least probability that a row of the second class scores above one of the first. It can be at most ``eta_max_``,
        that of Fisher's discriminant. "auto" asks for a difference of scores, in its deviations, of ``reach`` times the
        largest possible, which counts as at most 3.

    Attributes
    ----------
    eta_ : float
        Probability promised.
    class_accuracies_ : ndarray of shape (2,)
        What the plane promises to each class: the same, since (12) leaves the threshold open and it is set for that.

    See Also
    --------
    fisher_bound : The bound of Fisher's discriminant with all features.
    MomentSparseClassifier : A promise to each class.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from treatise.selection import SparseFisherDiscriminant
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SparseFisherDiscriminant(eta=0.8).fit(scale(X), y)
    >>> model.selected_
    array([27, 22])
    >>> round(model.eta_max_, 3)
    0.871

    References
    ----------
    .. [1] Paper v05-1417: Equations (9)-(12). Equation (12) is printed with the root of (1 - eta) / eta; that of
       eta / (1 - eta) follows from (11).
    """

    _parameter_constraints: dict = Promising._promise_constraints

    def __init__(self, eta="auto", *, reach=0.95, tol=1e-7):
        self.eta = eta
        self.reach = reach
        self.tol = tol

    def _fit_codes(self, X, codes):
        means, factors = zip(*(mean_and_factor(X[codes == code]) for code in (0, 1)))
        means, both = np.array(means), np.vstack(factors)
        difference = difference_of(means)
        distance = self._distance_asked(difference, [both])
        w = self._least_weights(difference, [NormCondition(both, distance, 1.0)])
        first, second = deviations = np.array([np.linalg.norm(F @ w) for F in factors])
        low, high = means @ w
        share = first / (first + second) if first + second > 0 else 0.5
        threshold = low + share * (high - low)
        self._keep(w, threshold)
        self.class_accuracies_ = promised(distances_of(np.array([threshold - low, high - threshold]), deviations))


class FisherBound(NamedTuple):
    """What Fisher's discriminant promises."""

    weights: np.ndarray
    """Its direction, scaled so that the means' scores differ by the squared distance."""
    squared_distance: float
    """The largest squared difference of scores over its variance; infinite without a spread in some direction."""
    eta: float
    """Least probability that a row of the second class scores above one of the first."""


def fisher_bound(means, covariances):
    """Distribution-free bound of Fisher's discriminant, from moments.

    Whatever the distributions of two classes with these means and covariances, a row of the second scores above a row
    of the first with a probability of at least ``eta``; no other direction promises more.

    Parameters
    ----------
    means : array-like of shape (2, n_features)
        Means of the classes.
    covariances : array-like of shape (2, n_features, n_features)
        Their covariances.

    Returns
    -------
    bound : FisherBound

    Examples
    --------
    >>> from treatise.selection import fisher_bound
    >>> bound = fisher_bound([[0, 0], [3, 0]], [[[1, 0], [0, 1]], [[2, 0], [0, 1]]])
    >>> bound.weights, round(bound.eta, 6)
    (array([1., 0.]), 0.75)

    References
    ----------
    .. [1] Paper v05-1417: Equation (10) and the bound below it.
    """
    means, covariances, _ = checked_moments(means, covariances, (0, 1))
    difference, total = means[1] - means[0], covariances.sum(axis=0)
    weights = np.linalg.lstsq(total, difference, rcond=1e-12)[0]
    outside = difference - total @ weights
    if np.linalg.norm(outside) > 1e-8 * np.linalg.norm(difference):
        return FisherBound(outside, np.inf, 1.0)
    squared = float(difference @ weights)
    return FisherBound(weights, squared, squared / (1.0 + squared))
