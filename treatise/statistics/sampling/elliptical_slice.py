"""Elliptical slice sampling (Murray, Adams and MacKay, 2010): a normal prior times any likelihood, nothing to tune."""

import math

import numpy as np


class EllipticalSlice:
    """A chain over a vector with a normal prior, for :func:`~treatise.statistics.run_chains`.

    A draw from the prior and the present state span an ellipse; the next state is a point of it, the angle drawn from
    a bracket that shrinks until the likelihood is high enough. Every step moves. It is the reference by which faster
    approximations are judged; with thousands of strongly correlated numbers it takes long chains.

    Parameters
    ----------
    rng : numpy.random.Generator
        Random numbers.
    draw_prior : callable (rng) -> ndarray of shape (n,)
        A draw from the prior, less its mean.
    log_likelihood : callable (ndarray) -> float
        Log likelihood of a state.
    mean : ndarray of shape (n,) or None, default=None
        Mean of the prior; None is zero.
    start : ndarray of shape (n,) or None, default=None
        The first state; None is a draw from the prior.

    Examples
    --------
    A standard normal number seen with noise of variance one half:

    >>> import numpy as np
    >>> from treatise.statistics import ChainPlan, EllipticalSlice, run_chains
    >>> def chain(rng):
    ...     return EllipticalSlice(rng, lambda rng: rng.standard_normal(1), lambda x: -((x[0] - 1.5) ** 2))
    >>> draws = run_chains(chain, ChainPlan(2, 100, 4000), np.random.RandomState(0), "Noise").pooled("x")
    >>> bool(abs(draws.mean() - 1.0) < 0.05), bool(abs(draws.var() - 1 / 3) < 0.05)
    (True, True)
    """

    def __init__(self, rng, draw_prior, log_likelihood, mean=None, start=None):
        self.rng, self.draw_prior, self.log_likelihood = rng, draw_prior, log_likelihood
        first = draw_prior(rng) if start is None else np.asarray(start, dtype=np.float64)
        self.mean = np.zeros(len(first)) if mean is None else np.asarray(mean, dtype=np.float64)
        self.x = first + self.mean if start is None else first.copy()
        self.height = float(log_likelihood(self.x))
        while not math.isfinite(self.height) and start is None:
            self.x = self.mean + draw_prior(rng)
            self.height = float(log_likelihood(self.x))
        if not math.isfinite(self.height):
            raise ValueError("the first state has likelihood zero; begin where it is positive")

    def sweep(self, n_sweeps):
        """Take so many steps."""
        for _ in range(n_sweeps):
            self._step()

    def _step(self):
        now, other = self.x - self.mean, self.draw_prior(self.rng)
        floor = self.height + math.log(self.rng.random())
        angle = self.rng.uniform(0.0, 2.0 * math.pi)
        low, high = angle - 2.0 * math.pi, angle
        while True:
            x = self.mean + now * math.cos(angle) + other * math.sin(angle)
            height = float(self.log_likelihood(x))
            if height > floor or high - low < 1e-12:
                self.x, self.height = x, height
                return
            if angle < 0:
                low = angle
            else:
                high = angle
            angle = self.rng.uniform(low, high)

    def draw(self):
        """The state, by the name "x"."""
        return {"x": self.x}
