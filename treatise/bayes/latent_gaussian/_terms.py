"""The terms of a model, and what is left of them when their Gaussian approximations are divided out."""

import numpy as np


class Terms:
    """A likelihood and its observations.

    Parameters
    ----------
    likelihood : Likelihood
        Density of observations.
    y : ndarray of shape (n_terms,)
        Observations.
    n_quad : int
        Nodes of quadratures.
    """

    def __init__(self, likelihood, y, n_quad):
        self.likelihood, self.y, self.n_quad = likelihood, y, n_quad

    def _beside(self, u):
        return self.y.reshape(-1, *[1] * (np.ndim(u) - 1))

    def log_density(self, u):
        """Log of every term, of shape (n_terms,) or (n_terms, n_points)."""
        return self.likelihood.log_density(self._beside(u), u)

    def derivatives(self, u):
        """Its first and second derivatives."""
        return self.likelihood.derivatives(self._beside(u), u)

    def tilted(self, mean, variance, power=1.0):
        """Log integral, mean and variance of the terms times normal laws."""
        return self.likelihood.tilted(self.y, mean, variance, power, self.n_quad)

    def some(self, rows):
        """A few of the terms."""
        return Terms(self.likelihood._part(rows), self.y[rows], self.n_quad)


class Remainders:
    """``t(u) / exp(b u - a u^2 / 2)``: terms over their sites, which the corrections integrate.

    Under a normal law of precision above ``a`` this is again a term under a normal law, of another mean and variance,
    so that whatever a likelihood knows in closed form serves here too.

    Parameters
    ----------
    terms : Terms
        The terms.
    a, b : ndarray of shape (n_terms,)
        Their sites.
    """

    def __init__(self, terms, a, b):
        self.terms, self.a, self.b = terms, a, b

    def _sites(self, u):
        shape = (-1, *[1] * (np.ndim(u) - 1))
        return self.a.reshape(shape), self.b.reshape(shape)

    def log_density(self, u):
        a, b = self._sites(u)
        return self.terms.log_density(u) - b * u + 0.5 * a * u**2

    def derivatives(self, u):
        a, b = self._sites(u)
        slope, bend = self.terms.derivatives(u)
        return slope - b + a * u, bend + a

    def tilted(self, mean, variance, power=1.0):
        a, b = self._sites(mean)
        a, b = power * a, power * b
        left = 1.0 - a * variance
        if np.any(left <= 0):
            raise np.linalg.LinAlgError("a term over its site has no finite integral")
        wide, moved = variance / left, (mean - b * variance) / left
        log_integral, center, spread = self.terms.tilted(moved, wide, power)
        constant = -0.5 * np.log(left) + 0.5 * (mean * (a * mean - b) / left - b * moved)
        return log_integral + constant, center, spread

    def some(self, rows):
        return Remainders(self.terms.some(rows), self.a[rows], self.b[rows])
