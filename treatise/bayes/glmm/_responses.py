"""The three laws of a response, each by what variational message passing asks of it.

Of a row with a normal linear predictor of mean m and variance v, a response gives the expected log density, its slope
in m, and the weight, minus twice its slope in v, which is minus its second derivative in m.
"""

import numpy as np
from scipy.special import expit, gammaln, logit
from scipy.stats import binom, norm, poisson

from treatise._core.jit import compiled
from treatise.statistics import normal_expectation, normal_nodes


class PoissonResponse:
    """Counts with a logarithmic link: expectations are closed (Algorithm 1)."""

    noise = False

    def __init__(self, n_quad):
        self.n_quad = n_quad

    @staticmethod
    def checked(y, trials):
        if trials is not None:
            raise ValueError("trials are for family='binomial'; counts per exposure take offset=log(exposure)")
        _whole(y, "family='poisson' takes counts")
        return y

    def begin(self, y, trials):
        self.y = y
        self.constant = -float(gammaln(y + 1.0).sum())
        return np.log(y + 0.5)

    def moments(self, mean, variance):
        rate = np.exp(mean + 0.5 * variance)
        return float(self.y @ mean - rate.sum()) + self.constant, self.y - rate, rate

    def mean(self, mean, variance, trials=None):
        return np.exp(mean + 0.5 * variance)

    @staticmethod
    def at(eta, trials=None):
        return np.exp(eta)

    def spread(self, mean, variance, trials=None):
        rate = np.exp(mean + 0.5 * variance)
        return np.sqrt(rate + rate**2 * np.expm1(variance))

    def quantile(self, share, mean, variance, trials=None, noise=0.0):
        nodes, weights = normal_nodes(self.n_quad)
        rates = np.exp(mean[:, None] + np.sqrt(variance)[:, None] * nodes)
        high = poisson.ppf(share, rates.max(axis=1))
        return _whole_quantile(lambda k: poisson.cdf(k[:, None], rates) @ weights, share, high)

    def draw(self, eta, rng, trials=None, noise=0.0):
        return rng.poisson(np.exp(np.minimum(eta, 40.0))).astype(np.float64)


class BinomialResponse:
    """Successes among trials with a logistic link: expectations by Gauss-Hermite quadrature in one dimension."""

    noise = False

    def __init__(self, n_quad):
        self.n_quad = n_quad

    @staticmethod
    def checked(y, trials):
        _whole(y, "family='binomial' takes numbers of successes")
        trials = np.ones(len(y)) if trials is None else trials
        _whole(trials, "trials must be counts")
        over = np.flatnonzero(y > trials)
        if len(over):
            i = over[0]
            hint = "" if trials.max() > 1 else "; give trials for more than one a row"
            raise ValueError(f"row {i} has {y[i]:g} successes in {trials[i]:g} trials{hint}")
        return y

    def begin(self, y, trials):
        self.y, self.trials = y, np.ones(len(y)) if trials is None else trials
        self.constant = float((gammaln(self.trials + 1) - gammaln(y + 1) - gammaln(self.trials - y + 1)).sum())
        return logit((y + 0.5) / (self.trials + 1.0))

    def moments(self, mean, variance):
        nodes, weights = normal_nodes(self.n_quad)
        soft, first, second = (np.empty(len(mean)) for _ in range(3))
        logistic_moments(mean, variance, nodes, weights, soft, first, second)
        value = float(self.y @ mean - self.trials @ soft) + self.constant
        return value, self.y - self.trials * first, self.trials * second

    def mean(self, mean, variance, trials=None):
        share = normal_expectation(expit, mean, variance, self.n_quad)
        return share if trials is None else trials * share

    @staticmethod
    def at(eta, trials=None):
        return expit(eta) if trials is None else trials * expit(eta)

    def spread(self, mean, variance, trials=None):
        count = 1.0 if trials is None else trials
        share = normal_expectation(expit, mean, variance, self.n_quad)
        square = normal_expectation(lambda eta: expit(eta) ** 2, mean, variance, self.n_quad)
        return np.sqrt(np.maximum(count * (share - square) + count**2 * (square - share**2), 0.0))

    def quantile(self, share, mean, variance, trials=None, noise=0.0):
        nodes, weights = normal_nodes(self.n_quad)
        high = np.ones(len(mean)) if trials is None else np.asarray(trials, dtype=np.float64)
        shares = expit(mean[:, None] + np.sqrt(variance)[:, None] * nodes)
        return _whole_quantile(lambda k: binom.cdf(k[:, None], high[:, None], shares) @ weights, share, high)

    def draw(self, eta, rng, trials=None, noise=0.0):
        count = 1 if trials is None else np.asarray(trials, dtype=np.int64)
        return rng.binomial(count, expit(eta)).astype(np.float64)


class GaussianResponse:
    """Amounts with normal noise, whose variance has a factor of its own; conjugate, so that every step is exact."""

    noise = True

    def __init__(self, n_quad):
        self.precision = 1.0

    @staticmethod
    def checked(y, trials):
        if trials is not None:
            raise ValueError("trials are for family='binomial'")
        return y

    def begin(self, y, trials):
        self.y = y
        return y

    def moments(self, mean, variance):
        self.squares = float(np.sum((self.y - mean) ** 2) + variance.sum())
        # The expected log density itself is part of the bound of the noise's factor.
        return 0.0, self.precision * (self.y - mean), np.full(len(mean), self.precision)

    def mean(self, mean, variance, trials=None):
        return mean

    @staticmethod
    def at(eta, trials=None):
        return eta

    def quantile(self, share, mean, variance, trials=None, noise=0.0):
        return norm.ppf(share, mean, np.sqrt(variance + noise))

    def draw(self, eta, rng, trials=None, noise=0.0):
        return eta + np.sqrt(noise) * rng.standard_normal(np.shape(eta))


RESPONSES = {"poisson": PoissonResponse, "binomial": BinomialResponse, "gaussian": GaussianResponse}


def refuse_words(y, family):
    """Targets that are words have no place in a model of numbers; say how to write them."""
    words = [value for value in np.ravel(np.asarray(y, dtype=object)) if isinstance(value, (str, bytes))]
    if words:
        how = f"give 1 and 0, as in y == {words[0]!r}" if family == "binomial" else "give numbers"
        raise ValueError(f"family={family!r} takes numbers, and y holds the word {words[0]!r}; {how}")


def _whole(values, what):
    wrong = np.flatnonzero((values < 0) | (values != np.floor(values)))
    if len(wrong):
        raise ValueError(f"{what}, whole numbers from 0; row {wrong[0]} has {values[wrong[0]]:g}")


def _whole_quantile(distribution, share, high):
    """The smallest whole numbers at which a distribution reaches a share, by halving the range up to ``high``."""
    low, high = np.full(len(high), -1.0), np.maximum(high, 0.0)
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        reached = distribution(middle) >= share
        high, low = np.where(reached, np.maximum(middle, low + 1), high), np.where(reached, low, middle)
    return high


@compiled
def logistic_moments(mean, variance, nodes, weights, soft, first, second):
    """Expectations of ``log(1 + e^t)`` and its two derivatives for normal t, one row after another."""
    for i in range(len(mean)):
        deviation = np.sqrt(variance[i])
        total = slope = bend = 0.0
        for k in range(len(nodes)):
            t = mean[i] + deviation * nodes[k]
            small = np.exp(-abs(t))
            share = 1.0 / (1.0 + small) if t >= 0 else small / (1.0 + small)
            total += weights[k] * (max(t, 0.0) + np.log1p(small))
            slope += weights[k] * share
            bend += weights[k] * small / (1.0 + small) ** 2
        soft[i], first[i], second[i] = total, slope, bend
