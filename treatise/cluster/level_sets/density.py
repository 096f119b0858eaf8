"""Logarithms of densities at rows: by the distance to a neighbour, by kernels, or by any estimator that has them."""

import math

import numpy as np
from scipy.spatial import cKDTree
from scipy.special import gammaln
from sklearn.base import BaseEstimator, clone
from sklearn.neighbors import KernelDensity

from treatise._core.invariants import finite, is_array, is_count, is_number

# Rows that coincide have a distance of zero; this share of the largest distance stands for it.
_COINCIDENT = 1e-9


class NeighborDensity(BaseEstimator):
    """``(k - 1) / (n V r^d)``, where r is the distance to the k-th of n rows and V the volume of the unit ball.

    A row that the density was fitted to is its own first neighbour, and that of a new row in its place, so that both
    have one density.
    """

    def __init__(self, n_neighbors):
        self.n_neighbors = n_neighbors

    def fit(self, X):
        self.rows_, self.least_ = X, 0.0
        distances = self._distances(X)
        if not distances.max() > 0.0:
            raise ValueError(
                f"every row of X has {self.n_neighbors - 1} others in the same place; a density needs rows that differ"
            )
        self.least_ = _COINCIDENT * float(distances.max())
        return self

    def score_samples(self, X):
        n, d = self.rows_.shape
        volume = 0.5 * d * math.log(math.pi) - gammaln(0.5 * d + 1.0)
        distances = np.maximum(self._distances(X), self.least_)
        return math.log((self.n_neighbors - 1) / n) - volume - d * np.log(distances)

    def _distances(self, X):
        distances, _ = cKDTree(self.rows_).query(X, k=[self.n_neighbors])
        return distances[:, 0]

    def _invariants(self):
        yield "rows are a table of numbers", is_array(self.rows_, np.float64, None, None) and finite(self.rows_)
        yield "there are as many neighbours", is_count(self.n_neighbors, 2) and self.n_neighbors <= len(self.rows_)
        yield "the least distance is a number", is_number(self.least_) and self.least_ > 0


def fitted_density(density, X):
    """The density that a name or an estimator stands for, fitted to X.

    Parameters
    ----------
    density : {"knn", "gaussian"} or estimator with ``score_samples``
        As :class:`LevelSetSpectralClustering` takes it.
    X : ndarray of shape (n_samples, n_features)
        Rows.
    """
    n, d = X.shape
    if density == "knn":
        return NeighborDensity(min(default_neighbors(n), n)).fit(X)
    if density == "gaussian":
        # Scott's rule, with one deviation for all columns so that the density turns with the rows.
        bandwidth = float(np.sqrt(X.var(axis=0).mean())) * n ** (-1.0 / (d + 4))
        if bandwidth == 0.0:
            raise ValueError(f"all {n} rows of X are equal; a density needs rows that differ")
        return KernelDensity(bandwidth=bandwidth).fit(X)
    if not hasattr(density, "score_samples"):
        raise ValueError(
            f"density={density!r} has no score_samples; give 'knn', 'gaussian' or an estimator of densities"
        )
    return clone(density).fit(X)


def default_neighbors(n):
    """Neighbours of the density and of the scale: few enough to see gaps, enough to see past single stray rows."""
    return max(5, math.ceil(2.0 * math.log(n)))


def retained_rows(log_densities, level, keep_fraction):
    """Rows of density at least the level, and the logarithm of the level.

    Parameters
    ----------
    log_densities : ndarray of shape (n_samples,)
        Logarithms of densities.
    level : float or None
        Density; None takes the one that a share of the rows reaches.
    keep_fraction : float
        That share.
    """
    if level is None:
        log_level = float(np.quantile(log_densities, 1.0 - keep_fraction, method="higher"))
    else:
        log_level = math.log(level) if level > 0.0 else -np.inf
    retained = log_densities >= log_level
    if not retained.any():
        raise ValueError(
            f"level={level:g} is above the density of every row, at most {math.exp(log_densities.max()):.3g}; choose a "
            "lower one, or keep_fraction"
        )
    return retained, log_level
