"""Likelihoods of counts and amounts, and of a density of the user's own."""

import numpy as np
from scipy.special import gammaln, log_ndtr

from treatise.bayes.latent_gaussian.likelihoods.base import Likelihood, matched, parameter
from treatise.bayes.latent_gaussian.likelihoods.binary import normal_ratio

_LOG_TWO_PI = np.log(2 * np.pi)


class Poisson(Likelihood):
    """Counts with mean ``exposure * exp(u)``.

    Parameters
    ----------
    exposure : float or array of shape (n_terms,), default=1.0
        Area, time or population behind each count.
    """

    def __init__(self, exposure=1.0):
        self.exposure = exposure

    def check(self, y):
        parameter(self.exposure, "exposure", len(y))
        if np.any((y < 0) | (y != np.round(y))):
            raise ValueError(f"y holds {y[(y < 0) | (y != np.round(y))][0]:g}; counts are whole numbers from 0")
        return y

    def log_density(self, y, u):
        exposure = matched(self.exposure, u)
        with np.errstate(over="ignore"):
            return y * (u + np.log(exposure)) - exposure * np.exp(u) - gammaln(y + 1.0)

    def derivatives(self, y, u):
        with np.errstate(over="ignore"):
            rate = matched(self.exposure, u) * np.exp(u)
        return y - rate, -rate


class Normal(Likelihood):
    """Amounts that are u and normal noise.

    Parameters
    ----------
    variance : float or array of shape (n_terms,), default=1.0
        Of the noise.
    """

    def __init__(self, variance=1.0):
        self.variance = variance

    def check(self, y):
        parameter(self.variance, "variance", len(y))
        return y

    def log_density(self, y, u):
        noise = matched(self.variance, u)
        return -0.5 * ((y - u) ** 2 / noise + np.log(noise) + _LOG_TWO_PI)

    def derivatives(self, y, u):
        noise = matched(self.variance, u)
        return (y - u) / noise, np.broadcast_to(-1.0 / noise, np.broadcast_shapes(np.shape(y), np.shape(u)))

    def tilted(self, y, mean, variance, power=1.0, n_quad=40):
        y, noise = y.reshape(-1, *[1] * (np.ndim(mean) - 1)), matched(self.variance, mean)
        # N(y; u, s)^p is N(y; u, s / p) times a constant.
        thin = noise / power
        total = variance + thin
        log_integral = -0.5 * ((y - mean) ** 2 / total + np.log(total) + _LOG_TWO_PI)
        log_integral += 0.5 * (np.log(thin) + _LOG_TWO_PI) - 0.5 * power * (np.log(noise) + _LOG_TWO_PI)
        return log_integral, mean + variance * (y - mean) / total, variance * thin / total


class StochasticVolatility(Likelihood):
    """Returns that are normal with mean zero and variance ``exp(u)``: the field is the log of the volatility."""

    def log_density(self, y, u):
        with np.errstate(over="ignore", invalid="ignore"):
            return -0.5 * (_LOG_TWO_PI + u + np.where(y == 0, 0.0, y * y * np.exp(-u)))

    def derivatives(self, y, u):
        with np.errstate(over="ignore", invalid="ignore"):
            part = 0.5 * np.where(y == 0, 0.0, y * y * np.exp(-u))
        return part - 0.5, -part


class DoubleExponential(Likelihood):
    """Laplace's law: ``exp(-|y - u| / scale) / (2 scale)``.

    As noise it shrugs off outliers; with ``y = 0`` it is a prior that drives numbers of the field to zero. It has a
    kink, so that only expectation propagation can use it.

    Parameters
    ----------
    scale : float or array of shape (n_terms,), default=1.0
        Mean absolute deviation.
    """

    smooth = False

    def __init__(self, scale=1.0):
        self.scale = scale

    def check(self, y):
        parameter(self.scale, "scale", len(y))
        return y

    def log_density(self, y, u):
        scale = matched(self.scale, u)
        return -np.abs(y - u) / scale - np.log(2 * scale)

    def derivatives(self, y, u):
        slope = np.sign(y - u) / matched(self.scale, u)
        return slope, np.zeros_like(slope)

    def tilted(self, y, mean, variance, power=1.0, n_quad=40):
        y, scale = y.reshape(-1, *[1] * (np.ndim(mean) - 1)), matched(self.scale, mean)
        root, steep, away = np.sqrt(variance), power / scale, mean - y
        # Each side of the kink is a normal law moved towards it, cut off there.
        sides = []
        for sign in (1.0, -1.0):
            center = away - sign * steep * variance
            z = sign * center / root
            ratio = normal_ratio(z)
            sides.append((
                -sign * steep * away + 0.5 * steep**2 * variance + log_ndtr(z),
                center + sign * root * ratio,
                variance * np.maximum(1.0 - ratio * (z + ratio), 1e-300),
            ))  # fmt: skip
        (right, upper, wide), (left, lower, narrow) = sides
        log_integral = np.logaddexp(right, left)
        share = np.exp(right - log_integral)
        center = share * upper + (1 - share) * lower
        spread = share * wide + (1 - share) * narrow + share * (1 - share) * (upper - lower) ** 2
        return log_integral - power * np.log(2 * scale), center + y, spread


class DensityFunction(Likelihood):
    """A log density of the user's own, ``function(y, u)``; derivatives are taken by differences.

    Parameters
    ----------
    function : callable
        Takes arrays of observations and numbers of the field that broadcast; gives log densities.
    """

    def __init__(self, function):
        self.function = function

    def log_density(self, y, u):
        return np.asarray(self.function(y, u), dtype=np.float64)

    def derivatives(self, y, u):
        h = 1e-4 * np.maximum(1.0, np.abs(u))
        up, at, down = (self.log_density(y, u + s * h) for s in (1.0, 0.0, -1.0))
        return (up - down) / (2 * h), (up - 2 * at + down) / h**2
