"""The clusterers that a selection can be wrapped around, each giving memberships."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from treatise.statistics import MergeGaussianMixture


@dataclass(frozen=True)
class Clustering:
    """Memberships of the rows, the fitted clusterer, and whether its fit converged."""

    memberships: np.ndarray
    model: Any
    converged: bool

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return self.memberships.shape[1]


def by_mixture(X: np.ndarray, options: Any, seed: int) -> Clustering:
    """EM, with the number of clusters by merging, or given."""
    most, least = (options.max_clusters, 1) if options.n_clusters == "auto" else (options.n_clusters,) * 2
    model = MergeGaussianMixture(
        most, min_components=least, covariance="full", init=options.init, n_init=options.n_init, tol=options.tol,
        max_iter=options.max_iter, random_state=seed,
    )  # fmt: skip
    with warnings.catch_warnings():
        # Told once, of the clustering that is kept.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X)
    return Clustering(model.responsibilities_, model, model.converged_)


def by_k_means(X: np.ndarray, options: Any, seed: int) -> Clustering:
    """k-means, with the number of clusters by Pelleg and Moore's BIC, or given."""
    n_distinct = len(np.unique(X, axis=0))
    numbers = range(1, options.max_clusters + 1) if options.n_clusters == "auto" else [options.n_clusters]
    numbers = [k for k in numbers if k < n_distinct or k == 1]
    if not numbers:
        raise ValueError(f"n_clusters={options.n_clusters} is too many for the {n_distinct} distinct rows of X")
    models = [KMeans(k, n_init=options.n_init, max_iter=options.max_iter, random_state=seed).fit(X) for k in numbers]
    best = max(models, key=lambda model: _spherical_bic(X, model))
    return Clustering(one_hot(best.labels_), best, best.n_iter_ < options.max_iter)


def by_estimator(X: np.ndarray, options: Any, seed: int) -> Clustering:
    """Any clusterer of scikit-learn's kind; its labels are memberships, and rows of noise a cluster of their own."""
    model = clone(options.clusterer)
    if "random_state" in model.get_params(deep=False):
        model.set_params(random_state=seed)
    return Clustering(one_hot(model.fit_predict(X)), model, True)


def one_hot(labels: np.ndarray) -> np.ndarray:
    """Labels as memberships."""
    found, codes = np.unique(labels, return_inverse=True)
    return np.eye(len(found))[codes]


def _spherical_bic(X: np.ndarray, model: KMeans) -> float:
    """F of clusters that are spheres of one variance, rows in the nearest (Pelleg & Moore, 2000)."""
    n, d = X.shape
    sizes = np.bincount(model.labels_)
    k, sizes = len(sizes), sizes[sizes > 0]
    variance = max(model.inertia_ / (d * max(n - k, 1)), 1e-300)
    log_likelihood = float(sizes @ np.log(sizes / n)) - 0.5 * n * d * np.log(2.0 * np.pi * variance) - 0.5 * d * (n - k)
    return log_likelihood - 0.5 * ((k - 1) + k * d + 1) * np.log(n)
