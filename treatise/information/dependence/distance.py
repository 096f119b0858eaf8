"""Distance covariance and correlation: zero for independent columns alone."""

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from treatise.information._estimator import DependenceEstimator, registered
from treatise.information._parameters import POSITIVE
from treatise.information.dependence._distance_loops import distance_totals, product_of_distances

_BLOCK = 1 << 21


class DistanceProducts(NamedTuple):
    """Squared distance covariance of two samples, and the squared distance variances of each."""

    covariance: float
    x_variance: float
    y_variance: float

    @property
    def correlation(self) -> float:
        """Squared distance correlation; zero if one of the samples is constant."""
        scale = np.sqrt(self.x_variance * self.y_variance)
        return max(self.covariance, 0.0) / scale if scale > 0 else 0.0


class LineDistances:
    """One column, sorted once, whose distance covariance with others costs O(n log n) each."""

    def __init__(self, x):
        self.order = np.argsort(x, kind="stable")
        # Centred and of unit width, so that sums of products lose no digits whatever the units.
        self.width = max(float(np.ptp(x)), np.finfo(float).tiny)
        self.values = (x[self.order] - x.mean()) / self.width
        self.totals = np.empty(len(x))
        self.totals[self.order] = distance_totals(self.values)

    def covariance_with(self, other, order=None):
        """Squared distance covariance with another column, whose rows may be taken in another order."""
        n = len(self.values)
        y = np.empty(n)
        y[other.order] = other.values
        totals = other.totals
        if order is not None:
            y, totals = y[order], totals[order]
        paired = product_of_distances(self.values, y[self.order]) / n**2
        means = self.totals.mean() * other.totals.mean() / n**2
        value = paired - 2.0 * (self.totals @ totals) / n**3 + means
        return value * self.width * other.width

    def variance(self):
        """Squared distance variance: |x_i - x_j|^2 sums without a loop over pairs."""
        n, x = len(self.values), self.values
        squares = 2.0 * (np.mean(x**2) - np.mean(x) ** 2)
        value = squares - 2.0 * (self.totals @ self.totals) / n**3 + (self.totals.mean() / n) ** 2
        return value * self.width**2


def distance_products(X, Y, alpha=1.0) -> DistanceProducts:
    """Squared distance covariance and variances: O(n log n) for single columns at alpha = 1, else O(n^2) in blocks."""
    if X.shape[1] == Y.shape[1] == 1 and alpha == 1.0:
        x, y = LineDistances(X[:, 0]), LineDistances(Y[:, 0])
        return DistanceProducts(x.covariance_with(y), x.variance(), y.variance())
    n, width = len(X), max(1, _BLOCK // len(X))
    sums, of_x, of_y = np.zeros(3), np.empty(n), np.empty(n)
    for start in range(0, n, width):
        a, b = cdist(X[start : start + width], X), cdist(Y[start : start + width], Y)
        if alpha != 1.0:
            a, b = a**alpha, b**alpha
        sums += np.vdot(a, b), np.vdot(a, a), np.vdot(b, b)
        of_x[start : start + width], of_y[start : start + width] = a.sum(axis=1), b.sum(axis=1)
    rows = np.array([of_x @ of_y, of_x @ of_x, of_y @ of_y])
    totals = np.array([of_x.sum() * of_y.sum(), of_x.sum() ** 2, of_y.sum() ** 2])
    return DistanceProducts(*(sums / n**2 - 2.0 * rows / n**3 + totals / n**4))


class _DistanceDependence(DependenceEstimator):
    _refuses_constants = False
    _most_parts = 2
    alpha: float = 1.0

    def _products(self, parts):
        if not self.alpha < 2:
            raise ValueError(f"alpha={self.alpha:g} must be below 2; at 2 the distance sees straight lines alone")
        return distance_products(*parts, self.alpha)


@registered("distance_covariance", "distance covariance", cost="n^2, n log n for two columns")
class DistanceCovariance(_DistanceDependence):
    """Distance covariance of two groups of columns, with distances to the power alpha in (0, 2).

    Zero in the limit if and only if the groups are independent; nothing to choose. ``squared=True`` gives its square,
    which is the statistic of a test.
    """

    alpha: float = 1.0
    squared: bool = False
    _parameter_constraints = {"alpha": POSITIVE, "squared": ["boolean"]}

    def _estimate(self, parts):
        square = self._products(parts).covariance
        return square if self.squared else np.sqrt(max(square, 0.0))


@registered("distance_correlation", "distance correlation", cost="n^2, n log n for two columns")
class DistanceCorrelation(_DistanceDependence):
    """Distance correlation of two groups of columns, between 0 and 1; zero if one of them is constant.

    The value of independent samples is above zero and falls with n: compare with permuted rows
    (:func:`independence_test`), not with zero.
    """

    alpha: float = 1.0
    _parameter_constraints = {"alpha": POSITIVE}

    def _estimate(self, parts):
        return np.sqrt(self._products(parts).correlation)
