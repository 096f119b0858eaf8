"""Polynomials of several signals: products of powers, or of Legendre polynomials, up to a total degree."""

from functools import lru_cache
from math import comb
from typing import NamedTuple

import numpy as np

BASES = ("legendre", "monomial")


class _Table(NamedTuple):
    """How each term follows from an earlier one."""

    parents: tuple[int, ...]
    """The term without the polynomial of its last signal; -1 where nothing is left."""
    powers: tuple[int, ...]
    """Degree of the polynomial of its last signal."""
    starts: tuple[int, ...]
    """First term whose last signal is the first one, the second one and so on, and the number of all terms."""


@lru_cache(maxsize=32)
def _table(n_signals, degree):
    parents, powers, totals, starts = [], [], [], [0]
    for _ in range(n_signals):
        for parent in range(-1, starts[-1]):
            for power in range(1, degree - (totals[parent] if parent >= 0 else 0) + 1):
                parents.append(parent)
                powers.append(power)
                totals.append(power + (totals[parent] if parent >= 0 else 0))
        starts.append(len(parents))
    return _Table(tuple(parents), tuple(powers), tuple(starts))


def n_polynomial_terms(n_signals, degree):
    """Number of terms of several signals up to a total degree, without the constant.

    Parameters
    ----------
    n_signals, degree : int

    Returns
    -------
    int

    Examples
    --------
    >>> from treatise.statistics import n_polynomial_terms
    >>> n_polynomial_terms(2, 7)
    35
    """
    return comb(n_signals + degree, degree) - 1


class PolynomialTerms:
    """All products of polynomials of several signals up to a total degree, without the constant.

    Signals are rows and times are columns, so that a term is one product of two contiguous rows. The terms of the first
    signals come first: one may add signals as they become known. Terms span the same polynomials in both bases, and in
    any linear mixture of the signals; of signals within -1 and 1, Legendre polynomials of a high degree stay small
    and differ from each other, where powers are all but equal.

    Costs one multiplication for each term and time.

    Parameters
    ----------
    n_signals : int
        Signals.
    degree : int
        Largest sum of degrees in a product.
    basis : {"legendre", "monomial"}, default="legendre"
        Polynomials of one signal: Legendre's, for signals within -1 and 1, or its powers.

    Attributes
    ----------
    n_terms : int
        Number of terms.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import PolynomialTerms
    >>> PolynomialTerms(2, 2, "monomial").evaluate(np.array([[2.0], [3.0]])).ravel()
    array([2., 4., 3., 9., 6.])
    """

    def __init__(self, n_signals, degree, basis="legendre"):
        if basis not in BASES:
            raise ValueError(f"basis={basis!r} must be 'legendre' or 'monomial'")
        if n_signals < 1 or degree < 1:
            raise ValueError(f"n_signals={n_signals} and degree={degree} must be at least 1")
        self.n_signals = n_signals
        self.degree = degree
        self.basis = basis
        self._table = _table(n_signals, degree)
        self.n_terms = self._table.starts[-1]

    def n_terms_of(self, n_first):
        """Number of terms that hold the first signals alone; they come first.

        Parameters
        ----------
        n_first : int
            Signals.
        """
        return self._table.starts[n_first]

    def add_signal(self, number, values, out):
        """Fill in the terms whose last signal is this one; those of earlier signals must be there.

        Parameters
        ----------
        number : int
            Number of the signal, from 0.
        values : ndarray of shape (n_times,)
            The signal.
        out : ndarray of shape (n_terms, n_times)
            Terms, changed in place.
        """
        table, ladder = self._table, self._polynomials_of(values)
        for term in range(table.starts[number], table.starts[number + 1]):
            parent, rung = table.parents[term], ladder[table.powers[term] - 1]
            if parent < 0:
                out[term] = rung
            else:
                np.multiply(out[parent], rung, out=out[term])

    def evaluate(self, signals):
        """All terms.

        Parameters
        ----------
        signals : ndarray of shape (n_signals, n_times)

        Returns
        -------
        ndarray of shape (n_terms, n_times)
        """
        out = np.empty((self.n_terms, signals.shape[1]))
        for number, values in enumerate(signals):
            self.add_signal(number, values, out)
        return out

    def _polynomials_of(self, x):
        """Polynomials of one signal of degree one and up."""
        ladder, before = [x], np.ones_like(x)
        for k in range(1, self.degree):
            if self.basis == "monomial":
                ladder.append(ladder[-1] * x)
            else:
                # Bonnet's recursion.
                following = ((2 * k + 1) * x * ladder[-1] - k * before) / (k + 1)
                before = ladder[-1]
                ladder.append(following)
        return ladder
