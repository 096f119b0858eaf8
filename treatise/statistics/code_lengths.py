"""Lengths of codes, in bits: universal codes of whole numbers, and which of several things are meant.

A code of length L(i) that can be read without marks between words has the sum of 2^-L(i) at most one (Kraft), so that
a length is minus the logarithm of a probability. Lengths need not be whole.
"""

import numpy as np
from scipy.special import gammaln


def log_star(i):
    """Iterated logarithm lg i + lg lg i + ..., as long as the terms are positive: Rissanen's length of a number.

    Parameters
    ----------
    i : array-like of int
        Whole numbers from one on.

    Returns
    -------
    bits : float or ndarray
        Zero for one.

    Examples
    --------
    >>> from treatise.statistics import log_star
    >>> log_star([1, 2, 4, 16]).tolist()
    [0.0, 1.0, 3.0, 7.0]
    """
    term = np.array(i, dtype=np.float64)
    if not np.all(term >= 1) or np.any(term != np.floor(term)):
        raise ValueError("log_star is the length of a whole number from one on; zero, fractions and NaN have no code")
    total = np.zeros_like(term)
    while np.any(term > 1):
        term = np.log2(np.maximum(term, 1.0))  # one stands for the end: its logarithm adds nothing
        total += term
    return total if total.ndim else float(total)


def integer_code_constant(largest):
    """Bits that complete ``log_star`` to a code of the numbers from one to ``largest`` that wastes nothing.

    Parameters
    ----------
    largest : int
        The largest number that is ever sent.

    Returns
    -------
    bits : float
        The constant c with a sum of 2^-(log_star(i) + c) of one.

    Examples
    --------
    >>> from treatise.statistics import integer_code_constant
    >>> round(integer_code_constant(1000), 3)
    1.199
    """
    return float(np.log2(np.sum(2.0 ** -log_star(np.arange(1, largest + 1)))))


def subset_code_length(size, n_items):
    """Bits that say which ``size`` of ``n_items`` are meant, one or more: their number first, then which.

    Parameters
    ----------
    size : array-like of int
        Size of the subset, from one to ``n_items``.
    n_items : int
        Number of items to choose from.

    Returns
    -------
    bits : float or ndarray

    Examples
    --------
    >>> from treatise.statistics import subset_code_length
    >>> subset_code_length(1, 1)
    0.0
    >>> subset_code_length([1, 10, 20], 20).round(1).tolist()
    [5.4, 24.4, 8.7]
    """
    size = np.asarray(size)
    if np.any(size > n_items):
        raise ValueError(f"a subset of {np.max(size)} cannot be taken from {n_items} items")
    choices = (gammaln(n_items + 1) - gammaln(size + 1) - gammaln(n_items - size + 1)) / np.log(2.0)
    bits = log_star(size) + integer_code_constant(n_items) + choices
    return bits if np.ndim(bits) else float(bits)
