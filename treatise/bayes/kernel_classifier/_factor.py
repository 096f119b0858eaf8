"""The active rows and everything that their likelihood needs, kept up to date as rows come and go."""

import math

import numpy as np
from scipy.linalg import LinAlgError
from scipy.linalg.lapack import dpotrf, dtrtri, dtrtrs

from treatise.bayes.kernel_classifier._factor_loops import drop, give_birth, try_birth, try_death

JITTER = 1e-8
"""Added to the diagonal of the kernel of the active rows, as a share of it: equal rows may both be active."""


class ActiveFactor:
    """Factors of equation 11 for a set of active rows; :mod:`._factor_loops` has the notation.

    Parameters
    ----------
    kernel : object with ``block``, ``column`` and ``corner``
        Kernel values of the training rows.
    active : sequence of int
        Positions of the active rows.
    eta, g : float
        Precisions of the intercept and of the process.
    S : ndarray of shape (n_scores, n)
        Latent scores; changed by whoever draws them.
    room : int
        Active rows at most.
    """

    def __init__(self, kernel, active, eta, g, S, room):
        n_scores, n = S.shape
        self.S, self.room = S, room
        self.W = np.empty((n, room + 2))
        self.L, self.R = np.zeros((room + 2, room + 2)), np.zeros((room + 1, room + 1))
        self.M = np.zeros((n_scores, room + 2))
        self._z, self._l, self._r = np.empty(n), np.empty(room + 2), np.empty(room + 1)
        self._x, self._cosines, self._sines = np.empty(room + 2), np.empty(room + 2), np.empty(room + 2)
        self.kernel, self.active, self.eta, self.g = kernel, list(active), eta, g
        self.rebuild()

    @property
    def size(self):
        """Columns in use: the intercept and one for each active row."""
        return len(self.active) + 1

    def rebuild(self):
        """All of it from the kernel, free of the rounding that changes leave."""
        k, size = self.size - 1, self.size
        F = np.ones((len(self.W), size))
        if k:
            K = self.kernel.block(self.active)
            inner = K[self.active]
            inner[np.diag_indices(k)] *= 1.0 + JITTER
            R = _lower(inner)
            F[:, 1:] = K @ _inverse(R).T
            self.R[:k, :k] = R
        inner = F.T @ F
        inner[np.diag_indices(size)] += self._precisions(self.eta, self.g)
        L = _lower(inner)
        self.L[:size, :size] = L
        self.W[:, :size] = F @ _inverse(L).T
        self.refresh_products()

    def refresh_products(self):
        """M anew, after the latent scores were set."""
        self.M[:, : self.size] = self.S @ self.W[:, : self.size]

    def with_kernel(self, kernel):
        """The same active rows under another kernel; None where its matrix cannot be factored."""
        try:
            return ActiveFactor(kernel, self.active, self.eta, self.g, self.S, self.room)
        except LinAlgError:
            return None

    def _precisions(self, eta, g):
        precisions = np.full(self.size, g)
        precisions[0] = eta
        return precisions

    def log_likelihood(self):
        """log p(S | active rows, eta, g), without the constant."""
        size = self.size
        log_det = 2.0 * np.log(np.diag(self.L)[:size]).sum() - math.log(self.eta) - (size - 1) * math.log(self.g)
        squares = np.sum(self.S**2) - np.sum(self.M[:, :size] ** 2)
        return -0.5 * len(self.S) * log_det - 0.5 * squares

    def try_birth(self, row):
        """Log ratio of likelihoods if a row became active."""
        column = self.kernel.column(row)
        corner = column[row] * (1.0 + JITTER)
        return try_birth(
            self.W, self.M, self.R, self.L, self.size, column[self.active], corner, column, self.S, self.g,
            0.1 * JITTER, self._z, self._l, self._r,
        )  # fmt: skip

    def give_birth(self, row):
        """Make the row active that was tried last."""
        give_birth(self.W, self.size, self._z, self._l, self.L[self.size, self.size])
        self.active.append(row)

    def try_death(self, place):
        """Log ratio of likelihoods if the active row at a place were none."""
        return try_death(self.M, self.R, self.L, self.size, place, self.g, self._x)

    def try_swap(self, row, place):
        """Log ratio of likelihoods if a row came for the active one at a place."""
        birth = self.try_birth(row)
        if birth == -np.inf:
            return birth
        return birth + try_death(self.M, self.R, self.L, self.size + 1, place, self.g, self._x)

    def drop(self, place):
        """Make the active row at a place none."""
        drop(self.W, self.M, self.R, self.L, self.size, place, self._cosines, self._sines)
        del self.active[place]

    def scale_law(self):
        """A function of (eta, g) that gives log p(S | active rows, eta, g) without the constant, in k^3 / 3."""
        size = self.size
        L = self.L[:size, :size]
        inner, products = L @ L.T, L @ self.M[:, :size].T

        def log_likelihood(eta, g):
            moved = inner.copy(order="F")
            moved[np.diag_indices(size)] += self._precisions(eta - self.eta, g - self.g)
            factor, failed = dpotrf(moved, lower=1, overwrite_a=1, clean=0)
            if failed:
                return -np.inf
            half = dtrtrs(factor, products, lower=1)[0]
            log_det = 2.0 * np.log(np.diag(factor)).sum() - math.log(eta) - (size - 1) * math.log(g)
            return 0.5 * np.sum(half**2) - 0.5 * len(self.S) * log_det

        return log_likelihood

    def rescale(self, eta, g):
        """Move to other precisions."""
        size = self.size
        L = self.L[:size, :size]
        inner = L @ L.T
        inner[np.diag_indices(size)] += self._precisions(eta - self.eta, g - self.g)
        new = _lower(inner)
        change = _inverse(new) @ L
        self.W[:, :size] = self.W[:, :size] @ change.T
        self.M[:, :size] = self.M[:, :size] @ change.T
        self.L[:size, :size] = new
        self.eta, self.g = eta, g

    def draw_theta(self, rng):
        """A draw of intercept and coefficients of Z given the latent scores, (n_scores,) and (k, n_scores)."""
        theta = self._theta(self.M[:, : self.size] + rng.standard_normal((len(self.S), self.size)))
        return theta[0], theta[1:]

    def _theta(self, whitened):
        return dtrtrs(self.L[: self.size, : self.size], whitened.T, lower=1, trans=1)[0]

    def draw_coefficients(self, rng):
        """A draw of intercept and coefficients (equation 9), and the scores that it gives the training rows.

        Returns
        -------
        intercept, coefficients, scores : ndarray of shape (n_scores,), (n_scores, k), (n_scores, n)
        """
        whitened = self.M[:, : self.size] + rng.standard_normal((len(self.S), self.size))
        theta = self._theta(whitened)
        return theta[0], self._dual(theta[1:]).T, whitened @ self.W[:, : self.size].T

    def mean_given_intercept(self, intercept):
        """Mean coefficients given latent scores and intercept, and the triangle T that gives their spread.

        The score of a new row with kernel values k is normal with the variance ``|T k|^2`` (section 4.2).
        """
        size = self.size
        L = self.L[:size, :size]
        inner = (L @ L.T)[1:, 1:]
        # F'(S - u 1), without the row of the intercept: F' 1 is the first column of L L', less eta on its diagonal.
        pull = (L @ self.M[:, :size].T)[1:] - np.outer((L @ L[0])[1:], intercept)
        root = _lower(inner) if size > 1 else np.zeros((0, 0))
        if size == 1:
            return np.zeros((len(self.S), 0)), root
        theta = dtrtrs(root, dtrtrs(root, pull, lower=1)[0], lower=1, trans=1)[0]
        k = size - 1
        return self._dual(theta).T, _inverse(root) @ _inverse(self.R[:k, :k])

    def _dual(self, theta):
        k = self.size - 1
        return dtrtrs(self.R[:k, :k], theta, lower=1, trans=1)[0] if k else theta


def _lower(matrix):
    factor, failed = dpotrf(matrix, lower=1, clean=1)
    if failed:
        raise LinAlgError("a kernel matrix is not positive definite")
    return factor


def _inverse(lower):
    return dtrtri(lower, lower=1)[0]
