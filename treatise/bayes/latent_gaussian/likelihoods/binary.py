"""Likelihoods of one of two outcomes."""

import numpy as np
from scipy.special import expit, log_expit, log_ndtr

from treatise.bayes.latent_gaussian.likelihoods.base import Likelihood, matched, parameter

_LOG_ROOT = 0.5 * np.log(2 * np.pi)


def signs(y, who):
    """Outcomes as -1 and 1; 0 and 1 or False and True are taken too."""
    values = np.unique(y)
    if np.isin(values, (-1.0, 1.0)).all():
        return y
    if np.isin(values, (0.0, 1.0)).all():
        return 2.0 * y - 1.0
    raise ValueError(f"y holds {values[:5]}; a {who} likelihood takes -1 and 1, or 0 and 1")


def normal_ratio(z):
    """``N(z) / Phi(z)``, without overflow far on the left."""
    return np.exp(-0.5 * z * z - _LOG_ROOT - log_ndtr(z))


class Probit(Likelihood):
    """``Phi(scale * y * u)`` for outcomes -1 and 1, with Phi the distribution function of a standard normal law.

    Parameters
    ----------
    scale : float or array of shape (n_terms,), default=1.0
        How sharply the outcome turns.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayes import Probit
    >>> Probit().log_density(np.array([1.0, -1.0]), np.zeros(2)).round(4)
    array([-0.6931, -0.6931])
    """

    def __init__(self, scale=1.0):
        self.scale = scale

    def check(self, y):
        parameter(self.scale, "scale", len(y))
        return signs(y, "probit")

    def log_density(self, y, u):
        return log_ndtr(matched(self.scale, u) * y * u)

    def derivatives(self, y, u):
        sharp = matched(self.scale, u) * y
        z = sharp * u
        ratio = normal_ratio(z)
        return sharp * ratio, -(sharp**2) * ratio * (z + ratio)

    def tilted(self, y, mean, variance, power=1.0, n_quad=40):
        if power != 1.0:
            return super().tilted(y, mean, variance, power, n_quad)
        sharp = matched(self.scale, mean) * y.reshape(-1, *[1] * (np.ndim(mean) - 1))
        wide = 1.0 + sharp**2 * variance
        z = sharp * mean / np.sqrt(wide)
        ratio = normal_ratio(z)
        moved = mean + sharp * variance * ratio / np.sqrt(wide)
        return log_ndtr(z), moved, variance - (sharp * variance) ** 2 * ratio * (z + ratio) / wide


class Logit(Likelihood):
    """``1 / (1 + exp(-y u))`` for outcomes -1 and 1."""

    def check(self, y):
        return signs(y, "logit")

    def log_density(self, y, u):
        return log_expit(y * u)

    def derivatives(self, y, u):
        other = expit(-y * u)
        return y * other, -other * (1.0 - other)


class Step(Likelihood):
    """One where u has the sign of y, zero elsewhere: the field must lie on the side that y tells.

    It has no derivatives, so that only expectation propagation can use it. The paper prints the sign of u, which is
    not a density; zero and one are meant.
    """

    smooth = False

    def check(self, y):
        return signs(y, "step")

    def log_density(self, y, u):
        return np.where(y * u >= 0, 0.0, -np.inf)

    def derivatives(self, y, u):
        return np.zeros(np.broadcast_shapes(np.shape(y), np.shape(u))), np.zeros(
            np.broadcast_shapes(np.shape(y), np.shape(u))
        )

    def tilted(self, y, mean, variance, power=1.0, n_quad=40):
        side, root = y.reshape(-1, *[1] * (np.ndim(mean) - 1)), np.sqrt(variance)
        z = side * mean / root
        ratio = normal_ratio(z)
        # For z far on the left 1 - ratio (z + ratio) cancels; the variance of the tail there is 1 / z^2 of its unit.
        share = np.where(z < -1e4, 1.0 / np.maximum(z * z, 1.0), 1.0 - ratio * (z + ratio))
        return log_ndtr(z), mean + side * root * ratio, variance * np.maximum(share, 1e-300)

    def support(self, y):
        return np.where(y > 0, 0.0, -np.inf), np.where(y > 0, np.inf, 0.0)
