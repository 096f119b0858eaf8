"""What an observation says about one number of the field: the vocabulary of likelihoods."""

from abc import ABCMeta, abstractmethod
from copy import copy

import numpy as np

from treatise.bayes.latent_gaussian.likelihoods._quadrature import tilted_moments


class Likelihood(metaclass=ABCMeta):
    """The density of an observation y given a number u of the field, term by term.

    A subclass has the logarithm of the density and, if it is smooth, its derivatives; one that knows the integrals of
    its terms against normal laws overrides :meth:`tilted`. Everything takes ``y`` and ``u`` that broadcast.
    """

    smooth = True
    """Whether the log density has two derivatives, as Laplace's method needs."""

    def check(self, y):
        """Observations as the other methods take them; refuses what the likelihood cannot hold."""
        return y

    @abstractmethod
    def log_density(self, y, u):
        """``log p(y | u)``."""

    @abstractmethod
    def derivatives(self, y, u):
        """First and second derivative of the log density in u."""

    def tilted(self, y, mean, variance, power=1.0, n_quad=40):
        """Log integral, mean and variance of ``p(y | u)^power N(u; mean, variance)``.

        Parameters
        ----------
        y : ndarray of shape (n_terms,)
            Observations.
        mean, variance : ndarray of shape (n_terms,) or (n_terms, n_points)
            Of normal laws of u.
        power : float, default=1.0
            Power of the terms.
        n_quad : int, default=40
            Nodes, where quadrature is needed.

        Returns
        -------
        log_integral, mean, variance : ndarray of the shape of ``mean``
        """
        return tilted_moments(
            lambda u, rows: self._part(rows).log_density(_column(y[rows], u.ndim), u),
            lambda u, rows: self._part(rows).derivatives(_column(y[rows], u.ndim), u),
            mean, variance, power, n_quad,
        )  # fmt: skip

    def _part(self, rows):
        """The likelihood of some of the terms: parameters that each has for itself are theirs."""
        part = copy(self)
        for name, value in vars(self).items():
            if np.ndim(value) == 1:
                setattr(part, name, np.asarray(value)[rows])
        return part

    def support(self, y):
        """Ends of the interval of u outside of which the density is zero, for each y."""
        return np.full(len(y), -np.inf), np.full(len(y), np.inf)


def _column(values, n_axes):
    """One value for each term, beside arrays of so many axes."""
    return values.reshape(-1, *[1] * (n_axes - 1))


def matched(values, like):
    """Numbers of terms, or one for all, that broadcast with an array that has the terms along its first axis."""
    values = np.asarray(values, dtype=np.float64)
    return values if values.ndim == 0 else _column(values, np.ndim(like))


def parameter(value, name, n=None):
    """A positive number, or one for each of n terms."""
    value = np.asarray(value, dtype=np.float64)
    if value.ndim > 1 or not np.all(np.isfinite(value) & (value > 0)):
        raise ValueError(f"{name} must be a positive number, or one for each term; it is {value!r}")
    if n is not None and value.ndim == 1 and len(value) != n:
        raise ValueError(f"{name} has {len(value)} entries for {n} terms")
    return value
