"""Gaussian fields that observations look at: what sites of Gaussian form do to them.

A field x has a normal law; the terms look at ``u = U x``. Multiplied by sites ``exp(b u - a u^2 / 2)`` it is a normal
law again, an :class:`Update`. The same words serve the prior and, with one entry of x held fixed, the conditional laws
of the corrections; linear constraints on x belong to the field.
"""

from abc import ABCMeta, abstractmethod

import numpy as np


class Update(metaclass=ABCMeta):
    """A field multiplied by sites.

    Attributes
    ----------
    a, b : ndarray of shape (n_terms,)
        Precisions and shifts of the sites.
    term_mean : ndarray of shape (n_terms,)
        Mean of ``u``.
    pull : ndarray of shape (n_terms,)
        ``b - a u``: the mean of x is that of the field and its covariance with the terms times this.
    log_ratio : float
        ``log |V_0| - log |V|`` of the covariances before and after.
    """

    def __init__(self, field, a, b):
        self.field, self.a, self.b = field, a, b

    @property
    def log_normaliser(self):
        """Log of the integral of the field times the sites."""
        away = (self.term_mean - self.field.term_mean) @ self.pull
        height = self.b @ self.term_mean - 0.5 * self.a @ self.term_mean**2
        return float(height - 0.5 * away - 0.5 * self.log_ratio)

    @property
    @abstractmethod
    def term_variance(self):
        """Variances of ``u``."""

    @property
    @abstractmethod
    def mean(self):
        """Mean of x."""

    @property
    @abstractmethod
    def variance(self):
        """Variances of x."""

    @abstractmethod
    def drawer(self):
        """A function of a random generator and a number of draws: x less its mean, of shape (n_draws, n)."""

    @abstractmethod
    def beside(self, i):
        """Mean and variance of ``x_i``, and its covariances with ``u``."""

    @abstractmethod
    def pinned(self, i):
        """A function of a value of ``x_i`` that gives the field in which it has this value."""


class Field(metaclass=ABCMeta):
    """A normal law of x, perhaps on a plane, and the terms that look at it.

    Attributes
    ----------
    n : int
        Entries of x.
    term_mean : ndarray of shape (n_terms,)
        Mean of ``u``.
    """

    @abstractmethod
    def update(self, a, b):
        """The field times sites; :class:`numpy.linalg.LinAlgError` where that has no finite integral."""


def without_sites(field):
    """The field itself, as an update."""
    zeros = np.zeros(len(field.term_mean))
    return field.update(zeros, zeros)


def with_sites(field, a, b):
    """The field times sites, or the field itself where that has no finite integral."""
    try:
        return field.update(a, b)
    except np.linalg.LinAlgError:
        return without_sites(field)
