"""Numbers computed from a state: signals of its parts, and products of them."""

from itertools import combinations_with_replacement

import numpy as np

from treatise.rl.policy_search._loops import terms_of_rows

FUNCTIONS = ("identity", "cos", "sin", "1/cos", "above", "opposite")


class StateTerms:
    """Features of a state, declared rather than programmed, so that compiled loops can compute them.

    A signal is a function of one number of the state; a term is a product of signals. Linear policies and linear models
    are made of terms.

    Parameters
    ----------
    signals : int or list
        How many numbers to take as they are; or for each signal the place of its number, or ``(function, place)``,
        ``(function, place, scale)`` or ``(function, place, scale, shift)``: the function of ``scale * number + shift``.
        Functions are "identity", "cos", "sin", "1/cos", "above" (1 where it is positive, else 0) and "opposite" (pi
        less a positive angle, minus pi less a negative one).
    degree : int, default=1
        Terms are all products of up to this many signals.
    constant : bool, default=False
        Whether one is a term too; it comes first.
    products : list of tuple or None, default=None
        The terms, each as the places of its signals, in place of ``degree`` and ``constant``; ``()`` is one.

    Attributes
    ----------
    n_terms : int
        Number of terms.
    products : list of tuple
        The terms, as places of signals.

    Examples
    --------
    >>> from treatise.rl import StateTerms
    >>> terms = StateTerms([0, ("cos", 1)], degree=2)
    >>> terms([[2.0, 0.0], [3.0, 0.0]])
    array([[2., 1., 4., 2., 1.],
           [3., 1., 9., 3., 1.]])
    """

    def __init__(self, signals, degree=1, *, constant=False, products=None):
        signals = list(range(signals)) if isinstance(signals, (int, np.integer)) else list(signals)
        whole = [_whole(signal) for signal in signals]
        if products is None:
            if degree < 1:
                raise ValueError(f"degree={degree!r}: products have at least one signal")
            powers = range(0 if constant else 1, degree + 1)
            products = [term for d in powers for term in combinations_with_replacement(range(len(whole)), d)]
        self.products = [tuple(int(place) for place in term) for term in products]
        beyond = [term for term in self.products if term and not 0 <= min(term) <= max(term) < len(whole)]
        if beyond or not self.products:
            raise ValueError(
                f"products {beyond} name signals that are not there; give at least one term of existing ones"
            )
        self.n_terms = len(self.products)
        codes, places, scales, shifts = zip(*whole) if whole else ((), (), (), ())
        factors = [place for term in self.products for place in term]
        self._tables = (
            np.array(codes, dtype=np.int64), np.array(places, dtype=np.int64), np.array(scales, dtype=np.float64),
            np.array(shifts, dtype=np.float64), np.cumsum([0, *map(len, self.products)]),
            np.array(factors, dtype=np.int64),
        )  # fmt: skip

    def __call__(self, Z):
        """The terms of each row of numbers.

        Parameters
        ----------
        Z : array-like of shape (n, n_numbers)
            States, or what stands beside them.

        Returns
        -------
        terms : ndarray of shape (n, n_terms)
        """
        Z = np.ascontiguousarray(np.atleast_2d(np.asarray(Z, dtype=np.float64)))
        self.check_width(Z.shape[1])
        out = np.empty((len(Z), self.n_terms))
        terms_of_rows(self._tables, Z, out)
        return out

    def check_width(self, n_numbers):
        """Raise ValueError where a signal lies beyond the numbers there are.

        Parameters
        ----------
        n_numbers : int
            How many there are.
        """
        last = self._tables[1].max(initial=-1)
        if last >= n_numbers:
            raise ValueError(f"a signal is made of number {last}; there are {n_numbers}, counted from 0")


def _whole(signal):
    """Code, place, scale and shift of a signal."""
    if isinstance(signal, (int, np.integer)):
        signal = ("identity", signal)
    name, place, scale, shift = tuple(signal) + (1.0, 0.0)[len(signal) - 2 :]
    if name not in FUNCTIONS:
        raise ValueError(f"the function {name!r} is not known; there are {', '.join(FUNCTIONS)}")
    if place < 0:
        raise ValueError(f"the place {place} of a signal is negative; places count from 0")
    return FUNCTIONS.index(name), int(place), float(scale), float(shift)
