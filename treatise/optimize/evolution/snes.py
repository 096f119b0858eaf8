"""Separable natural evolution strategies: a deviation for each coordinate (Algorithm 6 of JMLR 15:949)."""

import numpy as np

from treatise._core.jit import compiled
from treatise.optimize.evolution.base import EvolutionStrategy
from treatise.optimize.evolution.utilities import shared_utilities
from treatise.optimize.evolution.xnes import checked_deviations

BLOCK = 512
"""Coordinates that are worked on at once: their sums stay near the processor."""


@compiled
def placed(trials, mean, deviations, out):
    """``mean + deviations * s`` for every trial, in one pass."""
    for k in range(len(trials)):
        for j in range(len(mean)):
            out[k, j] = mean[j] + deviations[j] * trials[k, j]


@compiled
def follow(trials, utilities, mean, deviations, rate):
    """One step of Algorithm 6 in place: means by ``sum u s``, deviations by ``exp(rate sum u (s^2 - 1))``."""
    n, d = trials.shape
    first, second = np.empty(BLOCK), np.empty(BLOCK)
    for start in range(0, d, BLOCK):
        width = min(BLOCK, d - start)
        first[:width] = 0.0
        second[:width] = 0.0
        for k in range(n):
            part = trials[k, start : start + width]
            for j in range(width):
                weighted = utilities[k] * part[j]
                first[j] += weighted
                second[j] += weighted * part[j]
        for j in range(width):
            mean[start + j] += deviations[start + j] * first[j]
            deviations[start + j] *= np.exp(rate * second[j])


class SNES(EvolutionStrategy):
    """Search by a Gaussian cloud with a deviation for each coordinate: for very many coordinates.

    Use it from hundreds to a hundred thousand coordinates, or where they hardly interact; a valley that runs across
    the axes it follows slowly (:class:`XNES`). One generation costs ``O(d popsize)`` beside the evaluations, and so
    does memory.

    Parameters
    ----------
    mean : array-like of shape (d,)
        Where the search starts.
    sigma : float or array-like of shape (d,), default=1.0
        Standard deviation of all coordinates, or of each.
    popsize : int or None, default=None
        Trials of a generation; None is ``4 + floor(3 ln d)``.
    eta_sigma : float or None, default=None
        Rate of the deviations; None is ``(3 + ln d) / (5 sqrt(d))``.
    bounds : None, pair, array-like of shape (d, 2) or scipy.optimize.Bounds, default=None
        Least and largest value of all coordinates, or of each. Trials outside are reflected into the box.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Attributes
    ----------
    mean, deviations : ndarray of shape (d,)
        The search distribution.
    best_x, best_f : ndarray of shape (d,) and float
        The best trial so far and its value.
    generation, evaluations : int
        Generations and values told.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.search import SNES
    >>> search = SNES(np.ones(50), random_state=0)
    >>> for _ in range(1500):
    ...     X = search.ask()
    ...     search.tell(X, (X**2).sum(axis=1))
    >>> bool(search.best_f < 1e-8)
    True

    References
    ----------
    .. [1] Paper v15-0949, Algorithm 6.
    """

    _state = ("deviations", "eta_sigma")

    def __init__(self, mean, sigma=1.0, *, popsize=None, eta_sigma=None, bounds=None, random_state=None):
        super().__init__(mean, popsize=popsize, bounds=bounds, random_state=random_state)
        d = self.dimension
        self.deviations = checked_deviations(sigma, d)
        if eta_sigma is not None and not 0.0 < eta_sigma <= 1.0:
            raise ValueError(f"eta_sigma={eta_sigma} is no rate; give one above 0, at most 1")
        self.eta_sigma = float((3 + np.log(d)) / (5 * np.sqrt(d)) if eta_sigma is None else eta_sigma)

    @property
    def sigma(self):
        """Geometric mean of the deviations."""
        return float(np.exp(np.mean(np.log(self.deviations))))

    def _points(self, trials):
        out = np.empty_like(trials)
        placed(trials, self.mean, self.deviations, out)
        return out

    def _learn(self, values, ranks):
        # The utilities sum to zero, so that the one in s^2 - 1 drops out.
        utilities = shared_utilities(values, self._utilities)
        self.mean, self.deviations = self.mean.copy(), self.deviations.copy()
        follow(self._trials, utilities, self.mean, self.deviations, 0.5 * self.eta_sigma)

    def _check(self):
        if self.deviations.shape != self.mean.shape or not (np.isfinite(self.mean).all() and self.eta_sigma > 0):
            raise ValueError("its deviations are not as many as its means")
        if not (np.isfinite(self.deviations).all() and (self.deviations > 0).all()):
            raise ValueError("its deviations are not positive")
