"""What the rows of a segment look like: conjugate distributions of features, and what they add to the bound.

Every kind has the same four methods. ``update`` takes shares of the rows in each segment and sets the posteriors, with
the log evidence of the rows and the divergence from the prior; ``log_likelihood`` gives the expected log likelihood of
every row in every segment; ``predictive`` the log density of rows with parameters integrated out; ``arrays`` what a
fitted model shows.
"""

from abc import ABCMeta, abstractmethod
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import digamma, gammaln, multigammaln

LOG_2PI = float(np.log(2.0 * np.pi))


class Atoms(metaclass=ABCMeta):
    """Posteriors of the parameters of several segments."""

    evidence: np.ndarray
    """Log evidence of the rows of each segment, by their shares."""
    penalty: np.ndarray
    """Divergence of the posterior of each segment from its prior."""

    @abstractmethod
    def update(self, Y: np.ndarray, shares: np.ndarray) -> None:
        """Set the posteriors, given the rows and their shares in each segment, (n_rows, n_segments)."""

    @abstractmethod
    def log_likelihood(self, Y: np.ndarray) -> np.ndarray:
        """Expected log likelihood of each row in each segment."""

    @abstractmethod
    def predictive(self, Y: np.ndarray) -> np.ndarray:
        """Log density of each row in each segment, parameters integrated out."""

    @abstractmethod
    def arrays(self) -> dict[str, np.ndarray]:
        """The posteriors as arrays by name."""

    def _weigh(self, Y: np.ndarray, shares: np.ndarray, evidence: np.ndarray) -> None:
        # At its optimum a factor makes expected log likelihood less divergence equal to the log evidence.
        self.evidence, self.penalty = evidence, (shares * self.log_likelihood(Y)).sum(axis=0) - evidence


class GaussianAtoms(Atoms):
    """Means and precision matrices under normal-Wishart distributions.

    Parameters
    ----------
    mean : ndarray of shape (d,)
        Prior mean.
    scatter : ndarray of shape (d, d)
        Prior scatter, the inverse of the Wishart's scale.
    strength, freedom : float
        Rows that the prior mean counts for, and degrees of freedom, more than ``d - 1``.
    """

    def __init__(self, mean: np.ndarray, scatter: np.ndarray, strength: float, freedom: float) -> None:
        self.prior_mean, self.prior_scatter = mean, scatter
        self.prior_strength, self.prior_freedom = strength, freedom
        self.prior_log_z = self._log_z(np.linalg.cholesky(scatter)[np.newaxis], strength, freedom)[0]

    def update(self, Y, shares):
        """Set the posteriors."""
        count = shares.sum(axis=0)
        self.strength, self.freedom = self.prior_strength + count, self.prior_freedom + count
        total = shares.T @ Y
        self.mean = (self.prior_strength * self.prior_mean + total) / self.strength[:, np.newaxis]
        d, K = Y.shape[1], len(count)
        self.root = np.empty((K, d, d))
        for k in range(K):
            # Around the posterior mean, the rows and the prior's pull are sums of squares: nothing cancels.
            away = Y - self.mean[k]
            pull = self.mean[k] - self.prior_mean
            scatter = self.prior_scatter + (away * shares[:, k : k + 1]).T @ away
            scatter += self.prior_strength * np.outer(pull, pull)
            self.root[k] = np.linalg.cholesky(scatter)
        log_z = self._log_z(self.root, self.strength, self.freedom)
        self._weigh(Y, shares, log_z - self.prior_log_z - 0.5 * d * LOG_2PI * count)

    def _log_z(self, root, strength, freedom):
        d = root.shape[1]
        log_det = 2.0 * np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1)
        freedom = np.atleast_1d(freedom)
        gammas = np.array([multigammaln(0.5 * v, d) for v in freedom])
        return -0.5 * freedom * log_det + 0.5 * freedom * d * np.log(2.0) + gammas - 0.5 * d * np.log(strength)

    def _squares(self, Y, k):
        return (solve_triangular(self.root[k], (Y - self.mean[k]).T, lower=True, check_finite=False) ** 2).sum(axis=0)

    def log_likelihood(self, Y):
        """Expected log likelihood of each row in each segment."""
        n, d = Y.shape
        found = np.empty((n, len(self.mean)))
        places = np.arange(d)
        for k in range(len(self.mean)):
            log_det = -2.0 * np.log(np.diag(self.root[k])).sum()
            log_det += digamma(0.5 * (self.freedom[k] - places)).sum() + d * np.log(2.0)
            found[:, k] = 0.5 * (log_det - d * LOG_2PI - d / self.strength[k] - self.freedom[k] * self._squares(Y, k))
        return found

    def predictive(self, Y):
        """Log density of a Student-t distribution for each segment."""
        n, d = Y.shape
        found = np.empty((n, len(self.mean)))
        for k in range(len(self.mean)):
            v, shrink = self.freedom[k] - d + 1.0, self.strength[k] / (self.strength[k] + 1.0)
            log_det = 2.0 * np.log(np.diag(self.root[k])).sum() - d * np.log(shrink)
            constant = gammaln(0.5 * (v + d)) - gammaln(0.5 * v) - 0.5 * d * np.log(np.pi) - 0.5 * log_det
            found[:, k] = constant - 0.5 * (v + d) * np.log1p(shrink * self._squares(Y, k))
        return found

    def arrays(self):
        """Posterior mean, factor of the scatter, strength and freedom of each segment."""
        return {"mean": self.mean, "root": self.root, "strength": self.strength, "freedom": self.freedom}


class DiagonalAtoms(Atoms):
    """Means and precisions of each column apart, under normal-gamma distributions.

    Parameters
    ----------
    mean, scatter : ndarray of shape (d,)
        Prior means, and sums of squares that the prior counts for.
    strength, freedom : float
        Rows that the prior means count for, and those that the prior precisions do.
    """

    def __init__(self, mean: np.ndarray, scatter: np.ndarray, strength: float, freedom: float) -> None:
        self.prior_mean, self.prior_scatter = mean, scatter
        self.prior_strength, self.prior_freedom = strength, freedom
        self.prior_log_z = float(self._log_z(scatter[np.newaxis], np.array([strength]), np.array([freedom]))[0])

    def update(self, Y, shares):
        """Set the posteriors."""
        count = shares.sum(axis=0)
        self.strength, self.freedom = self.prior_strength + count, self.prior_freedom + count
        self.mean = (self.prior_strength * self.prior_mean + shares.T @ Y) / self.strength[:, np.newaxis]
        pull = self.prior_strength * (self.mean - self.prior_mean) ** 2
        around = np.array([shares[:, k] @ (Y - self.mean[k]) ** 2 for k in range(len(count))])
        self.scatter = self.prior_scatter + pull + around
        log_z = self._log_z(self.scatter, self.strength, self.freedom)
        self._weigh(Y, shares, log_z - self.prior_log_z - 0.5 * Y.shape[1] * LOG_2PI * count)

    @staticmethod
    def _log_z(scatter, strength, freedom):
        half = 0.5 * freedom[:, np.newaxis]
        gammas = gammaln(half) - half * np.log(0.5 * scatter) - 0.5 * np.log(strength)[:, np.newaxis]
        return gammas.sum(axis=1)

    def log_likelihood(self, Y):
        """Expected log likelihood of each row in each segment."""
        d = Y.shape[1]
        half = 0.5 * self.freedom[:, np.newaxis]
        log_precision = (digamma(half) - np.log(0.5 * self.scatter)).sum(axis=1)
        constant = 0.5 * (log_precision - d * LOG_2PI - d / self.strength)
        precision = self.freedom[:, np.newaxis] / self.scatter
        squares = np.array([(Y - mean) ** 2 @ own for mean, own in zip(self.mean, precision)])
        return (constant[:, np.newaxis] - 0.5 * squares).T

    def predictive(self, Y):
        """Log density of independent Student-t distributions for each segment."""
        found = np.empty((len(Y), len(self.mean)))
        for k, v in enumerate(self.freedom):
            shrunk = self.strength[k] / (self.strength[k] + 1.0) / self.scatter[k]
            constant = gammaln(0.5 * (v + 1.0)) - gammaln(0.5 * v) - 0.5 * np.log(np.pi) + 0.5 * np.log(shrunk)
            found[:, k] = (constant - 0.5 * (v + 1.0) * np.log1p(shrunk * (Y - self.mean[k]) ** 2)).sum(axis=1)
        return found

    def arrays(self):
        """Posterior mean, scatter, strength and freedom of each segment."""
        return {"mean": self.mean, "scatter": self.scatter, "strength": self.strength, "freedom": self.freedom}


class MultinomialAtoms(Atoms):
    """Chances of the words of one or several codebooks, each under a Dirichlet distribution.

    Parameters
    ----------
    sizes : sequence of int
        Words of each codebook; their counts stand side by side.
    """

    def __init__(self, sizes: Any) -> None:
        self.sizes = np.asarray(sizes, dtype=np.int64)
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]])
        self.prior = np.repeat(1.0 / self.sizes, self.sizes)

    def update(self, Y, shares):
        """Set the posteriors."""
        counts = shares.T @ Y
        self.alpha = self.prior + counts
        evidence = (gammaln(self.alpha) - gammaln(self.prior)).sum(axis=1)
        # The prior of a codebook sums to one.
        evidence -= gammaln(self._by_book(self.alpha)).sum(axis=1)
        self._weigh(Y, shares, evidence)

    def _by_book(self, values):
        return np.add.reduceat(values, self.starts, axis=1)

    def log_likelihood(self, Y):
        """Expected log likelihood of each row in each segment, without the multinomial coefficient."""
        totals = np.repeat(self._by_book(self.alpha), self.sizes, axis=1)
        return np.asarray(Y @ (digamma(self.alpha) - digamma(totals)).T)

    def predictive(self, Y):
        """Log chance of each row's counts in one order, under Dirichlet-multinomials."""
        found = np.empty((len(Y), len(self.alpha)))
        counts = self._by_book(Y)
        for k, alpha in enumerate(self.alpha):
            totals = self._by_book(alpha[np.newaxis])[0]
            found[:, k] = (gammaln(alpha + Y) - gammaln(alpha)).sum(axis=1)
            found[:, k] -= (gammaln(totals + counts) - gammaln(totals)).sum(axis=1)
        return found

    def word_chances(self):
        """Mean chances of the words in each segment."""
        return self.alpha / np.repeat(self._by_book(self.alpha), self.sizes, axis=1)

    def arrays(self):
        """The Dirichlet parameters of each segment."""
        return {"alpha": self.alpha}
