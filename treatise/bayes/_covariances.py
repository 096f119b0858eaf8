"""Variances and covariance matrices of random effects: half-Cauchy priors and their variational factors.

A variance has the prior of paper v15-1351: a deviation is half-Cauchy, written with an auxiliary variable as two
inverse gammas. A matrix has its extension by Huang and Wand (2013): an inverse Wishart with one auxiliary for each
deviation, which are then half-t, and for ``nu = 2`` all correlations have a flat prior. With one row and ``nu = 1`` it
is the former.
"""

import numpy as np
from scipy.special import gammaln, multigammaln
from scipy.stats import invgamma, invwishart

_LOG_TWO_PI = np.log(2 * np.pi)
_LEAST_SHAPE = 1.25
"""Of a widened law of a variance: below one its root has no deviation."""


class CovarianceFactor:
    """The factor of the covariance of effects that several levels share, and of its auxiliary variables.

    Parameters
    ----------
    size : int
        Rows of the matrix.
    levels : int
        Independent effects that have it.
    scale : float
        Scale A of the prior of a deviation.
    start : float, default=1.0
        First expectation of the precisions.
    """

    def __init__(self, size, levels, scale, start=1.0):
        self.size, self.levels, self.scale = size, levels, scale
        self.nu = 1.0 if size == 1 else 2.0
        self.prior_degrees = self.nu + size - 1
        self.degrees = self.prior_degrees + levels
        self.auxiliary_shape = (self.nu + size) / 2
        self.spread = np.eye(size) * self.degrees / start
        # So that the expectation of 1 / a is one at first, as in Algorithm 1.
        self.auxiliary_rate = np.full(size, self.auxiliary_shape)
        self._inverted, self._precision = None, None
        self._constant = self._bound_constant()

    @property
    def precision(self):
        """Expectation of the inverse matrix, of shape (size, size)."""
        if self._inverted is not self.spread:  # updates make new arrays
            inverse = np.linalg.inv(self.spread)
            self._inverted, self._precision = self.spread, self.degrees * (inverse + inverse.T) / 2
        return self._precision

    def logarithm(self):
        """The logarithm of the matrix that the factor is about, its upper triangle: a place without borders."""
        values, vectors = np.linalg.eigh(self.spread)
        return ((vectors * np.log(values)) @ vectors.T)[np.triu_indices(self.size)]

    def move(self, logarithm):
        """Move to where the matrix has another logarithm, the auxiliaries to their optimum there."""
        matrix = np.zeros((self.size, self.size))
        matrix[np.triu_indices(self.size)] = logarithm
        values, vectors = np.linalg.eigh(matrix, UPLO="U")
        self.spread = (vectors * np.exp(values)) @ vectors.T
        self._update_auxiliary()

    def state(self):
        """What :meth:`restore` needs; updates make new arrays and leave these alone."""
        return self.spread, self.auxiliary_rate

    def restore(self, state):
        """Return to a state."""
        self.spread, self.auxiliary_rate = state

    def update(self, second_moment):
        """Both factors at their optimum in turn; ``second_moment`` is the expected sum of ``u u'`` over the levels."""
        weight = self.auxiliary_shape / self.auxiliary_rate
        self.spread = second_moment + 2 * self.nu * np.diag(weight)
        self._update_auxiliary()

    def _update_auxiliary(self):
        self.auxiliary_rate = self.nu * np.diag(self.precision) + self.scale**-2

    def bound(self, second_moment):
        """What effects, covariance and auxiliaries add to the lower bound, less the entropy of the effects."""
        precision, weight = self.precision, self.auxiliary_shape / self.auxiliary_rate
        effects = -0.5 * np.sum(precision * second_moment)
        prior = -self.nu * np.diag(precision) @ weight
        _, log_spread = np.linalg.slogdet(self.spread)
        auxiliary = -weight.sum() / self.scale**2 - self.auxiliary_shape * np.log(self.auxiliary_rate).sum()
        return float(self._constant + effects + prior - 0.5 * self.degrees * log_spread + auxiliary)

    def _bound_constant(self):
        """What the bound holds of normalisers that never change."""
        d, k0, kq, shape = self.size, self.prior_degrees, self.degrees, self.auxiliary_shape
        prior = 0.5 * k0 * d * np.log(self.nu) - multigammaln(k0 / 2, d)
        entropy = 0.5 * kq * d * (1 + np.log(2)) + multigammaln(kq / 2, d)
        auxiliary = d * (gammaln(shape) + shape - gammaln(0.5) - np.log(self.scale))
        return float(prior + entropy + auxiliary - 0.5 * self.levels * d * _LOG_TWO_PI)


def variance_law(degrees, spread):
    """The inverse gamma of one variance in an inverse Wishart of one row."""
    return invgamma(degrees / 2, scale=float(spread) / 2)


def covariance_law(degrees, spread):
    """The inverse Wishart of a matrix."""
    return invwishart(degrees, spread)


def marginal_variance_laws(degrees, spread):
    """The inverse gammas of the variances on the diagonal of an inverse Wishart."""
    size = len(spread)
    return [variance_law(degrees - size + 1, spread[k, k]) for k in range(size)]


def widened_law(degrees, spread, widening):
    """The inverse Wishart whose logarithms vary ``widening`` times as much, its mean deviations the same."""
    extra = len(spread) - 1
    shape = (degrees - extra) / 2
    fewer = max(shape / max(widening, 1.0), min(shape, _LEAST_SHAPE))
    root = np.exp(gammaln(shape - 0.5) - gammaln(shape) - gammaln(fewer - 0.5) + gammaln(fewer))
    return 2 * fewer + extra, spread * root**2


def mean_covariance(degrees, spread):
    """Expectation of a matrix; the mode where too few levels leave no expectation."""
    size = len(spread)
    return spread / (degrees - size - 1 if degrees > size + 1 else degrees + size + 1)
