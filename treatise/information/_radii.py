"""Neighbour distances of one or two samples, found once and shared by all estimates that need them."""

import warnings
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from treatise.statistics import neighbour_distances

MOST_TIED = 0.5


def log_ball_volume(d: int) -> float:
    """Logarithm of the volume of the unit ball of d dimensions."""
    return 0.5 * d * np.log(np.pi) - float(gammaln(0.5 * d + 1.0))


class OwnRadii:
    """Logarithms of the distances to the k-th neighbour within a sample, of rows that are not tied.

    A distance of zero has no logarithm: a density is infinite where k + 1 rows are equal. Such rows are left out with a
    warning; if they are more than half, the data are discrete and an error says so.
    """

    def __init__(self, X, k):
        self.n, self.d = X.shape
        self.k = k
        distances = neighbour_distances(X, k=k)[:, -1]
        self.log_radius = np.log(_without_ties(distances, k, "X"))

    @property
    def log_volume(self):
        """Logarithm of the volume of the ball to the k-th neighbour, times n - 1."""
        return np.log(self.n - 1.0) + log_ball_volume(self.d) + self.d * self.log_radius

    def log_power_integral(self, alpha):
        """Logarithm of the integral of density ** alpha."""
        return power_integral(self.log_volume, alpha, self.k)


class PairRadii:
    """Distances to the k-th neighbour within and across two samples, each found when it is first asked for.

    ``own`` are of the rows of X among X, ``other`` of the same rows among Y; ``reverse`` swaps the samples.
    """

    def __init__(self, X, Y, k, reverse=None):
        self.X, self.Y, self.k = X, Y, k
        (self.n, self.d), self.m = X.shape, len(Y)
        self._reverse = reverse

    @cached_property
    def _both(self):
        own = neighbour_distances(self.X, k=self.k)[:, -1]
        other = neighbour_distances(self.X, self.Y, self.k)[:, -1]
        kept = untied(np.minimum(own, other), self.k, "X")
        return np.log(own[kept]), np.log(other[kept])

    @property
    def own(self):
        """Log distances of the rows of X among the other rows of X."""
        return self._both[0]

    @property
    def other(self):
        """Log distances of the rows of X among the rows of Y."""
        return self._both[1]

    @cached_property
    def reverse(self):
        """The same with X and Y exchanged."""
        return self._reverse or PairRadii(self.Y, self.X, self.k, self)

    @property
    def log_own_volume(self):
        """Logarithm of (n - 1) times the volume of the ball to the own neighbour: minus the log density, nearly."""
        return np.log(self.n - 1.0) + log_ball_volume(self.d) + self.d * self.own

    @property
    def log_other_volume(self):
        """Logarithm of m times the volume of the ball to the other neighbour."""
        return np.log(float(self.m)) + log_ball_volume(self.d) + self.d * self.other


def power_integral(log_volume, alpha, k):
    """Log of mean(volume ** (1 - alpha)) Gamma(k) / Gamma(k + 1 - alpha): of the mean of p^(alpha - 1)."""
    if k + 1 - alpha <= 0:
        raise ValueError(f"alpha={alpha:g} with k={k} has no finite constant; choose k above {alpha - 1:g}")
    return log_mean_exp((1.0 - alpha) * log_volume) + gammaln(k) - gammaln(k + 1.0 - alpha)


def log_mean_exp(values):
    """Logarithm of the mean of exponentials, safe from overflow."""
    top = values.max()
    return float(top + np.log(np.mean(np.exp(values - top))))


def _without_ties(distances, k, name):
    return distances[untied(distances, k, name)]


def untied(distances, k, name):
    """Which distances are not zero; others are warned of, or refused where they are most."""
    kept = distances > 0.0
    tied = int(np.sum(~kept))
    if tied == 0:
        return slice(None)
    if tied > MOST_TIED * len(distances):
        raise ValueError(
            f"{tied} of the {len(distances)} rows of {name} have {k} equal rows or more: the data are discrete and "
            "have no density. Count them (entropy and mutual_information have method='counts'), or take a larger k"
        )
    warnings.warn(
        f"{tied} of the {len(distances)} rows of {name} have {k} equal rows or more and are left out of the estimate",
        UserWarning,
        stacklevel=6,
    )
    return kept
