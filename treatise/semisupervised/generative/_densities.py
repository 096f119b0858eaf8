"""Densities of a class, as exponential families: all that a fit needs of the rows are weighted sums.

A density has its parameters in one unconstrained vector. It gives the log density of rows, the sums over rows that
the gradient needs (linear in the weights, which may be negative), the gradient from these sums, and a penalty that
keeps variances and probabilities away from zero. Gaussian rows come with columns of mean 0 and variance 1.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from scipy.special import expit, log_expit, log_softmax

Sums = tuple[np.ndarray, ...]


class Density(ABC):
    """Densities of k classes in d columns.

    Parameters
    ----------
    k, d : int
        Classes and columns.
    counts : ndarray of shape (k,)
        Labelled rows of each class.
    smoothing : float
        Rows of each class that a prior stands for.
    floor : float
        Least variance, as a share of the column's.
    """

    standardised = True
    """Whether rows come with columns of mean 0 and variance 1."""

    def __init__(self, k: int, d: int, counts: np.ndarray, smoothing: float, floor: float) -> None:
        self.k, self.d, self.counts, self.smoothing, self.floor = k, d, counts[:, np.newaxis], smoothing, floor

    @abstractmethod
    def start(self, sums: Sums, smoothing: float) -> np.ndarray:
        """Parameters of greatest penalised likelihood for labelled rows, with a smoothing that may be another."""

    @abstractmethod
    def log_density(self, theta: np.ndarray, X: Any) -> np.ndarray:
        """Of each row in each class, of shape (n, k)."""

    @abstractmethod
    def sums(self, X: Any, weights: np.ndarray) -> Sums:
        """Sums of the statistics of rows, for weights of shape (n, k)."""

    @abstractmethod
    def gradient(self, theta: np.ndarray, sums: Sums) -> np.ndarray:
        """Of the weighted sum of log densities."""

    @abstractmethod
    def penalty(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Log prior of the parameters, up to a constant, and its gradient."""

    @abstractmethod
    def curvature(self, theta: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """Rough size of the second derivatives for one row, of which each class has a share, by every step."""

    def moved(self, theta: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Parameters after a step, which a density may count in coordinates that suit it."""
        return theta + step

    def slope_of_step(self, theta: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """Slope by such a step, for a slope by the parameters."""
        return slope

    @abstractmethod
    def describe(self, theta: np.ndarray) -> dict[str, np.ndarray]:
        """The parameters by their names."""


class DiagonalGaussian(Density):
    """A normal density with a variance for each class and column: naive Bayes. Parameters: means, log variances."""

    def _split(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        means = theta[: self.k * self.d].reshape(self.k, self.d)
        return means, theta[self.k * self.d :].reshape(self.k, -1)

    def start(self, sums: Sums, smoothing: float) -> np.ndarray:
        total, first, second = sums
        means = first / total[:, np.newaxis]
        variances = second / total[:, np.newaxis] - means**2
        return np.concatenate([means.ravel(), self._start_of_spread(variances, smoothing).ravel()])

    def _start_of_spread(self, variances: np.ndarray, smoothing: float) -> np.ndarray:
        return np.log((self.counts * (variances + self.floor) + smoothing) / (self.counts + smoothing))

    def log_density(self, theta: np.ndarray, X: np.ndarray) -> np.ndarray:
        means, spread = self._split(theta)
        precision = np.broadcast_to(np.exp(-spread), means.shape)
        constant = np.sum(spread + means**2 * precision + np.log(2.0 * np.pi), axis=1)
        return X @ (means * precision).T - 0.5 * (np.square(X) @ precision.T) - 0.5 * constant

    def sums(self, X: np.ndarray, weights: np.ndarray) -> Sums:
        return weights.sum(axis=0), weights.T @ X, weights.T @ np.square(X)

    def _slopes(self, theta: np.ndarray, sums: Sums) -> tuple[np.ndarray, np.ndarray]:
        """By mean and log variance, of every class and column."""
        means, spread = self._split(theta)
        total, first, second = sums[0][:, np.newaxis], sums[1], sums[2]
        precision = np.exp(-spread)
        square = second - 2.0 * means * first + total * means**2
        return (first - total * means) * precision, 0.5 * (square * precision - total)

    def gradient(self, theta: np.ndarray, sums: Sums) -> np.ndarray:
        by_mean, by_spread = self._slopes(theta, sums)
        return np.concatenate([by_mean.ravel(), by_spread.ravel()])

    def penalty(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """An inverse gamma prior: rows of the column's own variance, and the floor added to every variance."""
        _, spread = self._split(theta)
        share = self.d / spread.shape[1]
        pull = (self.smoothing + self.floor * self.counts) * np.exp(-spread)
        value = -0.5 * share * np.sum(self.smoothing * spread + pull)
        slope = 0.5 * share * (pull - self.smoothing)
        return float(value), np.concatenate([np.zeros(self.k * self.d), slope.ravel()])

    def curvature(self, theta: np.ndarray, shares: np.ndarray) -> np.ndarray:
        means, spread = self._split(theta)
        by_mean = shares[:, np.newaxis] * np.broadcast_to(np.exp(-spread), means.shape)
        by_spread = shares[:, np.newaxis] * np.full(spread.shape, 0.5 * self.d / spread.shape[1])
        return np.concatenate([by_mean.ravel(), by_spread.ravel()])

    def describe(self, theta: np.ndarray) -> dict[str, np.ndarray]:
        means, spread = self._split(theta)
        return {"means_": means, "covariances_": np.broadcast_to(np.exp(spread), means.shape)}


class SphericalGaussian(DiagonalGaussian):
    """A normal density with one variance for each class. Parameters: means, log variances."""

    def _start_of_spread(self, variances: np.ndarray, smoothing: float) -> np.ndarray:
        return super()._start_of_spread(variances.mean(axis=1, keepdims=True), smoothing)

    def log_density(self, theta: np.ndarray, X: np.ndarray) -> np.ndarray:
        means, spread = self._split(theta)
        wide = np.broadcast_to(spread, means.shape)
        return DiagonalGaussian.log_density(self, np.concatenate([means.ravel(), wide.ravel()]), X)

    def gradient(self, theta: np.ndarray, sums: Sums) -> np.ndarray:
        by_mean, by_spread = self._slopes(theta, sums)
        return np.concatenate([by_mean.ravel(), by_spread.sum(axis=1)])


class FullGaussian(Density):
    """A normal density with a covariance matrix for each class.

    Parameters: means, then lower triangles R for which R'R is the inverse covariance. Steps are counted in units of
    the covariances at the start: else columns that go together would make them short.
    """

    def __init__(self, k: int, d: int, counts: np.ndarray, smoothing: float, floor: float) -> None:
        super().__init__(k, d, counts, smoothing, floor)
        self.lower = np.tril_indices(d)
        self.of_class = np.arange(k)
        """Which matrix each class has."""

    def _split(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        means = theta[: self.k * self.d].reshape(self.k, self.d)
        packed = theta[self.k * self.d :].reshape(-1, len(self.lower[0]))
        roots = np.zeros((len(packed), self.d, self.d))
        roots[:, *self.lower] = packed
        return means, roots

    def _joined(self, means: np.ndarray, roots: np.ndarray) -> np.ndarray:
        return np.concatenate([means.ravel(), roots[:, *self.lower].ravel()])

    def _pooled(self, values: np.ndarray) -> np.ndarray:
        """Sums over the classes that share a matrix."""
        return values

    def start(self, sums: Sums, smoothing: float) -> np.ndarray:
        total, first, second = sums
        means = first / total[:, np.newaxis]
        scatter = self._pooled(second - total[:, np.newaxis, np.newaxis] * np.einsum("ki,kj->kij", means, means))
        rows = self._pooled(self.counts)[..., np.newaxis]
        pull = (self.floor * rows + smoothing) * np.eye(self.d)
        # The inverse of the lower Cholesky factor of the covariance is lower, too.
        return self._joined(means, np.linalg.inv(np.linalg.cholesky((scatter + pull) / (rows + smoothing))))

    def log_density(self, theta: np.ndarray, X: np.ndarray) -> np.ndarray:
        means, roots = self._split(theta)
        logs = np.log(np.abs(np.diagonal(roots, axis1=1, axis2=2))).sum(axis=1)
        out = np.empty((len(X), self.k))
        for c, which in enumerate(self.of_class):
            white = (X - means[c]) @ roots[which].T
            out[:, c] = logs[which] - 0.5 * np.einsum("ij,ij->i", white, white)
        return out - 0.5 * self.d * np.log(2.0 * np.pi)

    def sums(self, X: np.ndarray, weights: np.ndarray) -> Sums:
        second = np.stack([(X * weights[:, c, np.newaxis]).T @ X for c in range(self.k)])
        return weights.sum(axis=0), weights.T @ X, second

    def gradient(self, theta: np.ndarray, sums: Sums) -> np.ndarray:
        means, roots = self._split(theta)
        total, first, second = sums
        cross = np.einsum("ki,kj->kij", first, means)
        around = np.einsum("k,ki,kj->kij", total, means, means)
        scatter = self._pooled(second - cross - cross.transpose(0, 2, 1) + around)
        precisions = (roots.transpose(0, 2, 1) @ roots)[self.of_class]
        by_mean = np.einsum("kij,kj->ki", precisions, first - total[:, np.newaxis] * means)
        return self._joined(by_mean, self._by_root(roots, self._pooled(total), scatter))

    def _by_root(self, roots: np.ndarray, rows: np.ndarray, scatter: np.ndarray) -> np.ndarray:
        """Slopes of rows log |det R| - trace(R scatter R')/2."""
        slopes = -(roots @ scatter)
        at = np.arange(self.d)
        slopes[:, at, at] += rows[:, np.newaxis] / roots[:, at, at]
        return slopes

    def penalty(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """An inverse Wishart prior: rows of the columns' own variances, and the floor added to every variance."""
        means, roots = self._split(theta)
        rows = np.full(len(roots), self.smoothing)
        pull = self.smoothing + self.floor * self._pooled(self.counts[:, 0])
        logs = np.log(np.abs(np.diagonal(roots, axis1=1, axis2=2))).sum(axis=1)
        value = float(np.sum(rows * logs - 0.5 * pull * np.sum(roots**2, axis=(1, 2))))
        by_root = self._by_root(roots, rows, pull[:, np.newaxis, np.newaxis] * np.eye(self.d))
        return value, self._joined(np.zeros_like(means), by_root)

    def moved(self, theta: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Means move by so many deviations, and a root R to (I + step) R."""
        (means, roots), (by, turns) = self._split(theta), self._split(step)
        shift = np.linalg.solve(roots[self.of_class], by[..., np.newaxis])[..., 0]
        return self._joined(means + shift, roots + turns @ roots)

    def slope_of_step(self, theta: np.ndarray, slope: np.ndarray) -> np.ndarray:
        (_, roots), (by_mean, by_root) = self._split(theta), self._split(slope)
        back = roots.transpose(0, 2, 1)
        by_shift = np.linalg.solve(back[self.of_class], by_mean[..., np.newaxis])[..., 0]
        return self._joined(by_shift, by_root @ back)

    def curvature(self, theta: np.ndarray, shares: np.ndarray) -> np.ndarray:
        by_turn = 1.0 + np.eye(self.d)
        by_mean = np.broadcast_to(shares[:, np.newaxis], (self.k, self.d))
        return self._joined(by_mean, self._pooled(shares)[:, np.newaxis, np.newaxis] * by_turn)

    def describe(self, theta: np.ndarray) -> dict[str, np.ndarray]:
        means, roots = self._split(theta)
        inverse = np.linalg.inv(roots)
        return {"means_": means, "covariances_": (inverse @ inverse.transpose(0, 2, 1))[self.of_class]}


class TiedGaussian(FullGaussian):
    """Normal densities with one covariance matrix for all classes, as in linear discriminant analysis."""

    def __init__(self, k: int, d: int, counts: np.ndarray, smoothing: float, floor: float) -> None:
        super().__init__(k, d, counts, smoothing, floor)
        self.of_class = np.zeros(k, dtype=np.int64)

    def _pooled(self, values: np.ndarray) -> np.ndarray:
        return values.sum(axis=0, keepdims=True)


class Multinomial(Density):
    """Counts, such as of words: the density is up to the number of orders of the words, which no class changes."""

    standardised = False

    def start(self, sums: Sums, smoothing: float) -> np.ndarray:
        smoothed = sums[1] + max(smoothing, 1e-3)
        return np.log(smoothed / smoothed.sum(axis=1, keepdims=True)).ravel()

    def log_density(self, theta: np.ndarray, X: Any) -> np.ndarray:
        return np.asarray(X @ log_softmax(theta.reshape(self.k, self.d), axis=1).T)

    def sums(self, X: Any, weights: np.ndarray) -> Sums:
        return weights.sum(axis=0), np.asarray((X.T @ weights).T)

    def gradient(self, theta: np.ndarray, sums: Sums) -> np.ndarray:
        shares = np.exp(log_softmax(theta.reshape(self.k, self.d), axis=1))
        return (sums[1] - sums[1].sum(axis=1, keepdims=True) * shares).ravel()

    def penalty(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Dirichlet: each word once more, for each row of smoothing."""
        logs = log_softmax(theta.reshape(self.k, self.d), axis=1)
        return float(self.smoothing * logs.sum()), (self.smoothing * (1.0 - self.d * np.exp(logs))).ravel()

    def curvature(self, theta: np.ndarray, shares: np.ndarray) -> np.ndarray:
        words = np.exp(log_softmax(theta.reshape(self.k, self.d), axis=1))
        return (shares[:, np.newaxis] * np.maximum(words, 1e-3 / self.d)).ravel()

    def describe(self, theta: np.ndarray) -> dict[str, np.ndarray]:
        return {"feature_log_prob_": log_softmax(theta.reshape(self.k, self.d), axis=1)}


class Bernoulli(Density):
    """Columns of zero and one."""

    standardised = False

    def start(self, sums: Sums, smoothing: float) -> np.ndarray:
        added = max(smoothing, 1e-3)
        chance = (sums[1] + added) / (sums[0][:, np.newaxis] + 2.0 * added)
        return (np.log(chance) - np.log1p(-chance)).ravel()

    def log_density(self, theta: np.ndarray, X: Any) -> np.ndarray:
        logits = theta.reshape(self.k, self.d)
        return np.asarray(X @ logits.T) - np.logaddexp(0.0, logits).sum(axis=1)

    def sums(self, X: Any, weights: np.ndarray) -> Sums:
        return weights.sum(axis=0), np.asarray((X.T @ weights).T)

    def gradient(self, theta: np.ndarray, sums: Sums) -> np.ndarray:
        return (sums[1] - sums[0][:, np.newaxis] * expit(theta.reshape(self.k, self.d))).ravel()

    def penalty(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """A one and a zero more in each column, for each row of smoothing."""
        value = -self.smoothing * np.sum(np.logaddexp(0.0, theta) + np.logaddexp(0.0, -theta))
        return float(value), self.smoothing * (1.0 - 2.0 * expit(theta))

    def curvature(self, theta: np.ndarray, shares: np.ndarray) -> np.ndarray:
        chance = expit(theta.reshape(self.k, self.d))
        return (shares[:, np.newaxis] * np.maximum(chance * (1.0 - chance), 1e-3)).ravel()

    def describe(self, theta: np.ndarray) -> dict[str, np.ndarray]:
        return {"feature_log_prob_": log_expit(theta.reshape(self.k, self.d))}


DENSITIES: dict[str, type[Density]] = {
    "diag": DiagonalGaussian,
    "spherical": SphericalGaussian,
    "full": FullGaussian,
    "tied": TiedGaussian,
    "multinomial": Multinomial,
    "bernoulli": Bernoulli,
}
