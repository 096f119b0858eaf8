"""Sticks broken by kernel logistic regressions of the place (section 2.1), under a variational posterior.

A row takes the first stick whose break holds it. ``"reached"`` sums out the breaks beyond the first that holds, so that
a stick learns from the rows that reach it. ``"independent"`` keeps a factor for every break of every row, as Appendix A
has it; rows that were taken before then teach later sticks what these believe already.
"""

from copy import copy
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve, cholesky
from scipy.linalg.blas import dtrmm
from scipy.linalg.lapack import dtrtri
from scipy.special import digamma, entr, expit, gammaln, log_expit, logsumexp, softmax

_LEAST_REACH = 1e-8
"""Rows of which a smaller share reaches a stick teach it nothing that a bound of doubles would show."""


class Places(NamedTuple):
    """Squared distances of places from kernel centres, (n_places, n_centres), in units that widths share."""

    squares: np.ndarray

    def features(self, width: float, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """A constant, and a kernel around each centre."""
        squares = self.squares[rows]
        found = np.empty((len(squares), squares.shape[1] + 1))
        found[:, 0] = 1.0
        np.divide(squares, -width, out=found[:, 1:])
        np.exp(found[:, 1:], out=found[:, 1:])
        return found


def curvature(eta: np.ndarray) -> np.ndarray:
    """f of equation 7, tanh(eta / 2) / (4 eta), and 1 / 8 at zero."""
    small = np.abs(eta) < 1e-4
    safe = np.where(small, 1.0, eta)
    return np.where(small, 0.125 - eta**2 / 96.0, np.tanh(0.5 * safe) / (4.0 * safe))


class Stick:
    """One logistic regression: weights under a normal posterior, their precisions under gammas.

    Parameters
    ----------
    n_weights : int
        A constant and one for each centre.
    width : float
        Of the kernel.
    a0, b0 : float
        Shape and rate of the precisions a priori.
    """

    def __init__(self, n_weights: int, width: float, a0: float, b0: float) -> None:
        self.width, self.a0, self.b0 = width, a0, b0
        self.mean = np.zeros(n_weights)
        self.clear()

    def clear(self) -> None:
        """The posterior of a stick that no row has reached."""
        size = len(self.mean)
        self.mean = np.zeros(size)
        # Where the updates of a stick without rows lead: variance and mean precision agree.
        self.rate = np.full(size, self.b0 + 0.5 * self.b0 / self.a0)
        self.variance = np.full(size, self.b0 / self.a0)
        self.root = np.diag(np.full(size, np.sqrt(self.a0 / self.b0)))
        self.inverse = np.diag(np.full(size, np.sqrt(self.b0 / self.a0)))

    def moments(self, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean of the regression at places, and the root of its mean square (equation 7's best eta)."""
        return regression_moments(features, self.mean, self.inverse)

    def update(self, features: np.ndarray, reached: np.ndarray, taken: np.ndarray, eta: np.ndarray) -> None:
        """Posterior of weights and precisions, given shares of rows that reach the stick and that take it."""
        scaled = features * np.sqrt(2.0 * reached * curvature(eta))[:, np.newaxis]
        precision = scaled.T @ scaled
        precision[np.diag_indices_from(precision)] += (self.a0 + 0.5) / self.rate
        self.root = cholesky(precision, lower=True, overwrite_a=True, check_finite=False)
        self.mean = cho_solve((self.root, True), features.T @ (taken - 0.5 * reached), check_finite=False)
        self.inverse = inverse_of_root(self.root)
        self.variance = np.einsum("ij,ij->j", self.inverse, self.inverse)
        self.rate = self.b0 + 0.5 * (self.variance + self.mean**2)

    def penalty(self) -> float:
        """Kullback-Leibler divergence of weights and precisions from their prior."""
        shape = self.a0 + 0.5
        log_precision, precision = digamma(shape) - np.log(self.rate), shape / self.rate
        squares = self.variance + self.mean**2
        # The terms of log 2 pi cancel between prior and entropy.
        prior = 0.5 * (log_precision - precision * squares) + (self.a0 - 1.0) * log_precision - self.b0 * precision
        prior += self.a0 * np.log(self.b0) - gammaln(self.a0)
        entropy = shape - np.log(self.rate) + gammaln(shape) + (1.0 - shape) * digamma(shape) + 0.5
        return float(-(prior + entropy).sum() + np.log(np.diag(self.root)).sum())


class Sticks:
    """All breaks of one data set, ``n_sticks - 1`` regressions; the last stick takes what is left.

    Parameters
    ----------
    places : Places
        Of the rows.
    widths : ndarray
        Kernel widths to choose from, ascending.
    n_sticks : int
        Sticks.
    a0, b0 : float
        Prior of the precisions of weights.
    breaks : {"reached", "independent"}
        Which breaks of a row have a factor of their own.
    """

    def __init__(
        self, places: Places, widths: np.ndarray, n_sticks: int, a0: float, b0: float, breaks: str = "reached"
    ) -> None:
        self.places, self.widths, self.independent = places, widths, breaks == "independent"
        n, n_centres = places.squares.shape
        width = float(widths[len(widths) // 2])
        self.sticks = [Stick(n_centres + 1, width, a0, b0) for _ in range(n_sticks - 1)]
        # A regression as it stands before the first look at the data.
        self.means, self.etas = np.zeros((n, n_sticks - 1)), np.ones((n, n_sticks - 1))
        self.rho = np.full((n, n_sticks - 1), 0.5)
        self._features: dict[float, np.ndarray] = {}
        self._settled: frozenset[int] = frozenset()
        """Sticks that no row reached in the last cycle, with which there is nothing to do."""

    def features(self, width: float) -> np.ndarray:
        """Features of all rows, kept for the widths in use alone."""
        if width not in self._features:
            used = {stick.width for stick in self.sticks}
            self._features = {own: kept for own, kept in self._features.items() if own in used}
            self._features[width] = self.places.features(width)
        return self._features[width]

    def believe(self, shares: np.ndarray) -> None:
        """Start the breaks from shares of the rows; those that would be certain are left a doubt."""
        chances = shares[:, :-1] / np.maximum(reaching(shares)[:, :-1], 1e-300)
        self.rho = np.clip(chances, 0.01, 0.99)

    def learn(self, shares: np.ndarray) -> None:
        """Update every regression once, given the rows' shares in each stick."""
        reached = reaching(shares)
        for k, stick in enumerate(self.sticks):
            features = self.features(stick.width)
            if self.independent:
                stick.update(features, np.ones(len(shares)), self.rho[:, k], self.etas[:, k])
            else:
                rows = np.flatnonzero(reached[:, k] > _LEAST_REACH)
                if len(rows) == 0:
                    if k in self._settled:
                        continue
                    stick.clear()
                    self._settled = self._settled | {k}
                else:
                    self._settled = self._settled - {k}
                    stick.update(features[rows], reached[rows, k], shares[rows, k], self.etas[rows, k])
            self.means[:, k], self.etas[:, k] = stick.moments(features)

    def assign(self, log_likelihood: np.ndarray) -> tuple[np.ndarray, float]:
        """Shares of the rows in each stick, and what the rows add to the bound with them."""
        if self.independent:
            return self._assign_independent(log_likelihood)
        logs = log_likelihood + log_stick_weights(self.means, self.etas)
        norms = logsumexp(logs, axis=1)
        return np.exp(logs - norms[:, np.newaxis]), float(norms.sum())

    def _assign_independent(self, log_likelihood):
        """Breaks of each row by turns (Appendix A), then what is left of the stick for each."""
        n_breaks = len(self.sticks)
        ahead = np.ones(len(log_likelihood))
        for k in range(n_breaks):
            # What a row is worth where it is passed on, from the last stick back.
            worth = log_likelihood[:, n_breaks]
            for later in range(n_breaks - 1, k, -1):
                worth = self.rho[:, later] * log_likelihood[:, later] + (1.0 - self.rho[:, later]) * worth
            self.rho[:, k] = expit(self.means[:, k] + ahead * (log_likelihood[:, k] - worth))
            ahead = ahead * (1.0 - self.rho[:, k])
        shares = stick_shares(self.rho)
        lower = self.rho * self.means + log_expit(self.etas) - 0.5 * (self.means + self.etas)
        entropy = entr(self.rho) + entr(1.0 - self.rho)
        return shares, float((shares * log_likelihood).sum() + lower.sum() + entropy.sum())

    def choose_widths(self, shares: np.ndarray, rng: np.random.Generator | None = None) -> None:
        """Give each regression the most probable width (section 4.2), or one drawn by its probability.

        The most probable one never lowers the bound of ``"reached"`` breaks: it is equation 8 to the letter.
        """
        reached = reaching(shares)
        for k, stick in enumerate(self.sticks):
            rows = np.flatnonzero(reached[:, k] > _LEAST_REACH)
            if len(rows) == 0 or len(self.widths) == 1:
                continue
            logs = np.empty(len(self.widths))
            for j, width in enumerate(self.widths):
                mean, eta = stick.moments(self.places.features(width, rows))
                taken = log_expit(eta) + 0.5 * (mean - eta)
                logs[j] = reached[rows, k] @ taken - (reached[rows, k] - shares[rows, k]) @ mean
            chances = softmax(logs)
            chosen = int(logs.argmax()) if rng is None else int(rng.choice(len(chances), p=chances))
            if self.widths[chosen] != stick.width:
                stick.width = float(self.widths[chosen])
                self.means[:, k], self.etas[:, k] = stick.moments(self.features(stick.width))

    def without(self, dropped: list[int]) -> "Sticks":
        """A copy with some sticks taken out and as many empty ones at the end."""
        other = copy(self)
        other._settled = frozenset()
        kept = [k for k in range(len(self.sticks)) if k not in dropped]
        n_new = len(self.sticks) - len(kept)
        other.sticks = [copy(self.sticks[k]) for k in kept]
        for _ in range(n_new):
            empty = copy(self.sticks[0])
            empty.clear()
            other.sticks.append(empty)
        fill = np.zeros((len(self.means), n_new))
        other.means, other.etas = np.hstack([self.means[:, kept], fill]), np.hstack([self.etas[:, kept], fill + 1.0])
        other.rho = np.hstack([self.rho[:, kept], fill + 0.5])
        return other

    def penalty(self) -> float:
        """Divergence of all regressions from their prior."""
        return sum(stick.penalty() for stick in self.sticks)


def inverse_of_root(root: np.ndarray) -> np.ndarray:
    """Inverse of the lower factor of a precision."""
    inverse, failed = dtrtri(root, lower=1)
    if failed:
        raise np.linalg.LinAlgError("a precision of weights is singular")
    return np.asarray(inverse)


def regression_moments(features: np.ndarray, mean: np.ndarray, inverse: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and root mean square of regressions whose weights have a mean and an inverse factor of their precision."""
    center = features @ mean
    spread = dtrmm(1.0, inverse, features.T, lower=1)
    return center, np.sqrt(center**2 + np.einsum("ij,ij->j", spread, spread))


def stick_shares(rho: np.ndarray) -> np.ndarray:
    """Shares of sticks from chances that each is taken when it is reached."""
    left = np.cumprod(1.0 - rho, axis=1)
    ones = np.ones((len(rho), 1))
    return np.hstack([rho, ones]) * np.hstack([ones, left])


def reaching(shares: np.ndarray) -> np.ndarray:
    """Shares of rows that reach each stick: those that take it or a later one."""
    return np.cumsum(shares[:, ::-1], axis=1)[:, ::-1]


def log_stick_weights(means: np.ndarray, etas: np.ndarray) -> np.ndarray:
    """Expected log weights of sticks (lower bounds by equation 7), from moments of their regressions."""
    taken = log_expit(etas) + 0.5 * (means - etas)
    left = np.cumsum(taken - means, axis=1)
    zeros = np.zeros((len(means), 1))
    return np.hstack([taken, zeros]) + np.hstack([zeros, left])
