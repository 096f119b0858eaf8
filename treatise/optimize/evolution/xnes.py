"""Exponential natural evolution strategies: a full covariance (Algorithms 4 and 5 of JMLR 15:949)."""

import numpy as np
from scipy.linalg import eigh
from scipy.special import ndtr

from treatise.optimize.evolution.base import EvolutionStrategy
from treatise.optimize.evolution.utilities import shared_utilities

GROWTH = 0.1
"""c' of Table 1."""
NORMALISED_EVERY = 100
"""Generations after which rounding is taken out of the determinant of the shape."""
MOST = 16_384
"""Coordinates at most: with more, the shape alone would take above 2 GiB, and a step several times as much."""


class XNES(EvolutionStrategy):
    """Search by a Gaussian cloud of full covariance that follows its natural gradient.

    Use it for functions of up to a few hundred coordinates that can be evaluated thousands of times and have no
    gradient: ask for trials, tell their values, or let :func:`treatise.search.minimize_nes` run it. Trials are
    ``mean + sigma * shape @ s`` for standard normal s. One generation costs ``O(d^2 popsize)`` beside the evaluations,
    and memory is ``O(d^2)``.

    Parameters
    ----------
    mean : array-like of shape (d,)
        Where the search starts.
    sigma : float, array-like of shape (d,) or (d, d), default=1.0
        Standard deviation of all coordinates, of each, or a factor A of the covariance ``A A'``.
    popsize : int or None, default=None
        Trials of a generation; None is ``4 + floor(3 ln d)``.
    adapt : bool, default=False
        Adaptation sampling (Algorithm 4): let the rate of sigma grow while larger steps prove better. Faster on simple
        functions, less robust on winding ones.
    eta_sigma, eta_shape : float or None, default=None
        Rates of the scale and of the shape; None is ``(9 + 3 ln d) / (5 d^1.5)``, at most 1 for the scale.
    bounds : None, pair, array-like of shape (d, 2) or scipy.optimize.Bounds, default=None
        Least and largest value of all coordinates, or of each. Trials outside are reflected into the box.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Attributes
    ----------
    mean, sigma, shape : ndarray of shape (d,), float, ndarray of shape (d, d)
        The search distribution; the determinant of the shape is 1.
    eta_sigma : float
        The rate in force.
    best_x, best_f : ndarray of shape (d,) and float
        The best trial so far and its value.
    generation, evaluations : int
        Generations and values told.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.search import XNES
    >>> search = XNES(np.ones(3), random_state=0)
    >>> for _ in range(300):
    ...     X = search.ask()
    ...     search.tell(X, (X**2).sum(axis=1))
    >>> bool(search.best_f < 1e-8)
    True

    References
    ----------
    .. [1] Paper v15-0949, Algorithm 5. In print the factor of the trials is transposed against that of the update;
       here both are ``shape``, without which the search does not converge.
    """

    _state = ("sigma", "shape", "eta_sigma", "eta_shape", "adapt", "_first_eta", "_last_sigma")

    def __init__(
        self, mean, sigma=1.0, *, popsize=None, adapt=False, eta_sigma=None, eta_shape=None, bounds=None,
        random_state=None,
    ):  # fmt: skip
        super().__init__(mean, popsize=popsize, bounds=bounds, random_state=random_state)
        d = self.dimension
        if d > MOST:
            raise ValueError(
                f"{d} coordinates would need a matrix of {8 * d**2 / 2**30:.3g} GiB; take SNES, which keeps one "
                f"deviation for each, or at most {MOST} coordinates"
            )
        factor = _factor(sigma, d)
        # The d-th root of the determinant, by logs: it neither overflows nor underflows.
        sign, logarithm = np.linalg.slogdet(factor)
        if sign == 0 or not np.isfinite(logarithm):
            raise ValueError("sigma is a factor without an inverse; give one of full rank")
        self.sigma = float(np.exp(logarithm / d))
        self.shape = factor / self.sigma
        rate = (9 + 3 * np.log(d)) / (5 * d * np.sqrt(d))
        self.eta_sigma = _rate(eta_sigma, min(rate, 1.0), "eta_sigma")
        self.eta_shape = _rate(eta_shape, rate, "eta_shape")
        self.adapt = bool(adapt)
        self._first_eta, self._last_sigma = self.eta_sigma, self.sigma

    @property
    def deviations(self):
        """Standard deviation of the trials in each coordinate."""
        return self.sigma * np.linalg.norm(self.shape, axis=1)

    def _points(self, trials):
        return self.mean + self.sigma * (trials @ self.shape.T)

    def _learn(self, values, ranks):
        trials, sigma = self._trials, self.sigma
        if self.adapt and sigma != self._last_sigma:
            self._adapt_rate(ranks)
        self._last_sigma = sigma
        utilities = shared_utilities(values, self._utilities)
        d = self.dimension
        # The utilities sum to zero, so that the identity in s s' - I drops out.
        growth = float(utilities @ np.einsum("kj,kj->k", trials, trials)) / d
        self.mean = self.mean + sigma * (self.shape @ (utilities @ trials))
        self.sigma = sigma * float(np.exp(0.5 * self.eta_sigma * growth))
        self.shape = times_exponential(self.shape, trials, utilities, 0.5 * self.eta_shape, growth)
        if self.generation % NORMALISED_EVERY == NORMALISED_EVERY - 1:
            sign, logarithm = np.linalg.slogdet(self.shape)
            if sign != 0 and np.isfinite(logarithm):  # not where trials have told nothing for so long that it is flat
                self.shape = self.shape / np.exp(logarithm / d)

    def _adapt_rate(self, ranks):
        """Algorithm 4: would a rate half as large again have given better trials? By the ranks of those at hand.

        The trials are weighted by how likely the larger scale makes them, and a Mann-Whitney test compares the ranks
        with and without the weights. In print the rate decays for p below rho, which lets it grow nearly always; the
        test is read as one at the level rho.
        """
        d, n = self.dimension, self.popsize
        log_ratio = 0.5 * np.log(self.sigma / self._last_sigma)
        squares = np.einsum("kj,kj->k", self._trials, self._trials)
        log_weights = -d * log_ratio - 0.5 * squares * np.expm1(-2.0 * log_ratio)
        weights = np.exp(np.minimum(log_weights, 230.0))
        total = weights.sum()
        statistic = weights @ (n - ranks + 0.5)
        score = (statistic - 0.5 * n * total) / np.sqrt(n * total * (n + total + 1) / 12)
        level = 0.5 - 1.0 / (3 * (d + 1))
        if ndtr(score) >= 1.0 - level:
            self.eta_sigma = min((1 + GROWTH) * self.eta_sigma, 1.0)
        else:
            self.eta_sigma = (1 - GROWTH) * self.eta_sigma + GROWTH * self._first_eta

    def _check(self):
        d = self.dimension
        numbers = (self.sigma, self.eta_sigma, self.eta_shape, self._first_eta, self._last_sigma)
        if self.shape.shape != (d, d) or not (np.isfinite(self.shape).all() and np.isfinite(self.mean).all()):
            raise ValueError("its shape is no matrix of finite numbers, as wide as its mean")
        if not all(np.isfinite(numbers)) or min(numbers) <= 0.0:
            raise ValueError("its scales and rates are not positive")


def times_exponential(shape, trials, utilities, rate, growth):
    """``shape @ expm(rate (sum_k u_k s_k s_k' - growth I))``.

    With fewer trials than coordinates the sum has a low rank: the exponential differs from a multiple of the identity
    in the span of the trials alone.
    """
    n, d = trials.shape
    if n < d:
        basis, triangle = np.linalg.qr(trials.T)
        roots, vectors = eigh((triangle * utilities) @ triangle.T, check_finite=False)
        inner = basis @ (vectors * np.expm1(rate * roots)) @ vectors.T
        shape = shape + (shape @ inner) @ basis.T
    else:
        roots, vectors = eigh(trials.T @ (utilities[:, np.newaxis] * trials), check_finite=False)
        shape = (shape @ (vectors * np.exp(rate * roots))) @ vectors.T
    return np.exp(-rate * growth) * shape


def _factor(sigma, d):
    sigma = np.asarray(sigma, dtype=float)
    if sigma.shape == (d, d) and d > 1:
        if not np.isfinite(sigma).all():
            raise ValueError("sigma has numbers that are not finite")
        return sigma
    return np.diag(checked_deviations(sigma, d))


def checked_deviations(sigma, d):
    """Standard deviations of each coordinate."""
    sigma = np.asarray(sigma, dtype=float)
    if sigma.shape not in ((), (1,), (d,), (1, 1)):
        raise ValueError(f"sigma has shape {sigma.shape}; give a number, or one for each of {d} coordinates")
    if not (np.isfinite(sigma).all() and (sigma > 0).all()):
        raise ValueError(f"sigma={sigma} must be positive and finite")
    return np.broadcast_to(sigma.reshape(-1), (d,)).astype(float)


def _rate(given, default, name):
    if given is None:
        return float(default)
    if not 0.0 < given <= 1.0:
        raise ValueError(f"{name}={given} is no rate; give one above 0, at most 1")
    return float(given)
