"""Fields given by a dense covariance, as Gaussian processes are."""

from functools import cached_property

import numpy as np
from scipy.linalg import cho_solve, solve_triangular
from scipy.linalg.blas import dtrmm
from scipy.linalg.lapack import dpotrf, dtrtri

from treatise.bayes.latent_gaussian._fields import Field, Update

_CANCELS = 1e-3
"""A share of its variance that a site takes, below which a difference from one would lose digits."""
_SMALL = 64
"""Rows of a triangle that LAPACK inverts as fast as products would."""


class DenseField(Field):
    """A field with covariance K; terms look at all entries, or at linear maps of them.

    Constraints ``A x = e`` are folded into mean and covariance.

    Parameters
    ----------
    covariance : ndarray of shape (n, n)
        K.
    mean : ndarray of shape (n,)
        Its mean.
    linear : array or sparse matrix of shape (n_terms, n) or None
        U; None is the identity.
    constraints : tuple (A, e) or None
        Linear constraints.
    """

    def __init__(self, covariance, mean, linear=None, constraints=None):
        if constraints is not None:
            A, e = constraints
            across = covariance @ A.T
            gain = np.linalg.solve(A @ across, across.T).T
            mean = mean + gain @ (e - A @ mean)
            covariance = covariance - gain @ across.T
            covariance = 0.5 * (covariance + covariance.T)
        self.covariance, self.mean = covariance, mean
        self.n = len(mean)
        if linear is None:
            self.across, self.among, self.term_mean = covariance, covariance, mean
        else:
            self.across = np.ascontiguousarray((linear @ covariance).T)
            self.among = linear @ self.across
            self.among = 0.5 * (self.among + self.among.T)
            self.term_mean = linear @ mean

    def update(self, a, b):
        return DenseUpdate(self, a, b)


class DenseUpdate(Update):
    """A dense field times sites.

    With S the covariance of the terms, sites of positive precision go through the root of ``I + s S s`` with
    ``s = sqrt(a)``, which is as well conditioned as can be; those of negative precision, which are legal, then come
    off through the root of ``I - k S k``.
    """

    def __init__(self, field, a, b):
        super().__init__(field, a, b)
        S = field.among
        self._s = np.sqrt(np.maximum(a, 0.0))
        inner = self._s[:, None] * S
        inner *= self._s
        inner.flat[:: len(inner) + 1] += 1.0
        self._root = _root(inner)
        self.log_ratio = 2.0 * float(np.log(np.diag(self._root)).sum())
        self._negative = np.flatnonzero(a < 0)
        if len(self._negative):
            k = np.sqrt(-a[self._negative])
            thin = self._above_zero
            left = np.eye(len(k)) - k[:, None] * thin[np.ix_(self._negative, self._negative)] * k
            self._second, self._k = _root(left), k
            self.log_ratio += 2.0 * float(np.log(np.diag(self._second)).sum())
        start = b - a * field.term_mean
        if len(self._negative):
            self.pull = start - a * (self.term_covariance @ start)
        else:
            self.pull = start - self._weighted(S @ start)
        self.term_mean = field.term_mean + S @ self.pull

    def _weighted(self, vectors):
        """``(A^-1 + S)^-1`` times vectors: what the sites take from covariances."""
        if len(self._negative):
            a = self.a.reshape(-1, *[1] * (vectors.ndim - 1))
            return a * vectors - a * (self.term_covariance @ (a * vectors))
        s = self._s.reshape(-1, *[1] * (vectors.ndim - 1))
        return s * cho_solve((self._root, True), s * vectors, check_finite=False)

    @cached_property
    def _above_zero(self):
        """Covariance of the terms with the positive sites alone."""
        half = solve_triangular(self._root, self._s[:, None] * self.field.among, lower=True, check_finite=False)
        return self.field.among - half.T @ half

    @cached_property
    def term_covariance(self):
        """Covariance of the terms."""
        found = self._above_zero
        if len(self._negative):
            half = solve_triangular(
                self._second, self._k[:, None] * found[self._negative], lower=True, check_finite=False
            )
            found = found + half.T @ half
        return found

    @cached_property
    def term_variance(self):
        if len(self._negative):
            return np.diag(self.term_covariance).copy()
        # s V s = I - (I + s S s)^-1, and the diagonal of an inverse needs the root's alone: a third of the products.
        inverse = _inverse(self._root)
        taken = 1.0 - np.einsum("ij,ij->j", inverse, inverse)
        weak = np.flatnonzero(taken < _CANCELS)
        found = np.divide(taken, self.a, out=np.ones_like(taken), where=taken >= _CANCELS)
        if len(weak):
            among = self.field.among
            found[weak] = np.diag(among)[weak] - self._explained(among[:, weak])
        return found

    def _explained(self, across):
        half = solve_triangular(self._root, self._s[:, None] * across, lower=True, check_finite=False)
        return np.einsum("ij,ij->j", half, half)

    @cached_property
    def mean(self):
        return self.field.mean + self.field.across @ self.pull

    @cached_property
    def variance(self):
        if self.field.across is self.field.among:
            return self.term_variance
        return np.diag(self.field.covariance) - self.explained(self.field.across.T)

    def explained(self, across):
        """How much of the variance of entries the sites take, from their covariances with the terms, (n_terms, k)."""
        if len(self._negative):
            return np.einsum("ij,ij->j", across, self._weighted(across))
        return self._explained(across)

    def drawer(self):
        covariance = self.field.covariance - self.field.across @ self._weighted(self.field.across.T)
        values, vectors = np.linalg.eigh(0.5 * (covariance + covariance.T))
        half = (vectors * np.sqrt(np.maximum(values, 0.0))).T
        return lambda rng, n_draws: rng.standard_normal((n_draws, self.field.n)) @ half

    def beside(self, i):
        row = self.field.across[i]
        weighted = self._weighted(row)
        return self.mean[i], float(self.field.covariance[i, i] - row @ weighted), row - self.field.among @ weighted

    def pinned(self, i):
        mean, variance, beside = self.beside(i)
        covariance = self.term_covariance - np.outer(beside, beside) / variance

        def at(value):
            return DenseField(covariance, self.term_mean + beside * (value - mean) / variance)

        return at


def _root(matrix):
    """The lower Cholesky factor of a symmetric matrix, in its place."""
    root, failed = dpotrf(matrix.T, lower=1, clean=1, overwrite_a=1)
    # A NaN anywhere in a row of the factor is one on its diagonal.
    if failed or not np.isfinite(root.diagonal()).all():
        raise np.linalg.LinAlgError("the sites leave no positive definite covariance")
    return root


def _inverse(root):
    """The inverse of a lower triangle by halves: products of its parts, in half the time of LAPACK's."""
    n = len(root)
    if n <= _SMALL:
        return dtrtri(root, lower=1)[0]
    half = n // 2
    found = np.zeros((n, n), order="F")
    above, below = _inverse(root[:half, :half]), _inverse(root[half:, half:])
    found[:half, :half], found[half:, half:] = above, below
    across = dtrmm(-1.0, below, root[half:, :half], lower=1)
    found[half:, :half] = dtrmm(1.0, above, across, side=1, lower=1, overwrite_b=1)
    return found
