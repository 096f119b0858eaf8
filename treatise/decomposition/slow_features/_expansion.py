"""The functions of the data among which slow ones are sought: polynomials of scaled columns, or a transformer's."""

from typing import NamedTuple

import numpy as np

from treatise._core.jit import compiled
from treatise.statistics import PolynomialTerms, n_polynomial_terms
from treatise.statistics.time_windows import time_blocks

MOST_TERMS = 10_000
"""Terms whose covariances a machine can be expected to hold and decompose."""
CONSTANT_COLUMN = 1e-12
"""Share of a column's largest value below which its deviation is rounding."""


class Scales(NamedTuple):
    """Middle and width of each column; the width is infinite where a column is constant."""

    centre: np.ndarray
    width: np.ndarray


@compiled
def add_to_range(X, share, mean, low, high):
    """Take a block of rows into mean, least and largest value of each column."""
    for i in range(X.shape[0]):
        for c in range(X.shape[1]):
            mean[c] += share * X[i, c]
            low[c] = min(low[c], X[i, c])
            high[c] = max(high[c], X[i, c])


@compiled
def add_squares(X, mean, per_unit, squares):
    """Take a block of rows into the sums of squared distances from the means, in a unit for each column."""
    for i in range(X.shape[0]):
        for c in range(X.shape[1]):
            squares[c] += ((X[i, c] - mean[c]) * per_unit[c]) ** 2


def scales_of(X, lengths, size, bounded):
    """Scale columns to lie within -1 and 1, or to zero mean and unit variance.

    Parameters
    ----------
    X : ndarray of shape (n_times, n_columns)
    lengths : ndarray of int
        Frames of each sequence.
    size : int
        Rows that are looked at together.
    bounded : bool
        Whether to scale by the range.

    Returns
    -------
    Scales
    """
    mean, squares = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    low, high = np.array(X[0]), np.array(X[0])
    for start, stop, _ in time_blocks(lengths, size):
        add_to_range(np.ascontiguousarray(X[start:stop]), 1.0 / len(X), mean, low, high)
    # In units of the largest distance from the mean, whose square neither overflows nor vanishes.
    unit = np.maximum(high - mean, mean - low)
    unit[unit <= 0.0] = 1.0
    for start, stop, _ in time_blocks(lengths, size):
        add_squares(np.ascontiguousarray(X[start:stop]), mean, 1.0 / unit, squares)
    deviation = unit * np.sqrt(squares / len(X))
    constant = deviation <= CONSTANT_COLUMN * np.maximum(np.abs(low), np.abs(high))
    centre, width = (low / 2 + high / 2, high / 2 - low / 2) if bounded else (mean, deviation)
    return Scales(centre, np.where(constant, np.inf, width))


def independent_pieces(X, lengths, size):
    """Pieces of a record that are about independent, each of the correlation time 1 / sqrt(delta) (section 5.1).

    The delta value is the median over the columns that vary; a piece is one frame at least.
    """
    centre, deviation = scales_of(X, lengths, size, bounded=False)
    varies = np.isfinite(deviation)
    changes, count = np.zeros(X.shape[1]), 0
    for start, _, reach in time_blocks(lengths, size):
        changes += np.square(np.diff((X[start:reach] - centre) / deviation, axis=0)).sum(axis=0)
        count += reach - start - 1
    if count == 0 or not varies.any():
        return len(X)
    return len(X) * min(1.0, float(np.sqrt(np.median(changes[varies] / count))))


class Expansion:
    """Functions of scaled columns.

    Parameters
    ----------
    scales : Scales
        Of the columns. With Legendre polynomials new values beyond the range are cut off.
    degree : int
        Of the polynomials.
    basis : {"legendre", "monomial"}
        Polynomials of one column.
    transformer : fitted estimator or None
        Makes the functions of the scaled columns instead.
    """

    def __init__(self, scales, degree, basis, transformer=None):
        self.scales = scales
        self.degree = degree
        self.transformer = transformer
        self._terms = None
        if transformer is None and degree > 1:
            self._terms = PolynomialTerms(len(scales.centre), degree, basis)

    @property
    def n_terms(self):
        """Number of functions."""
        if self.transformer is not None:
            return self._transformed(self.scales.centre[np.newaxis]).shape[1]
        return self._terms.n_terms if self._terms is not None else len(self.scales.centre)

    def signals(self, X):
        """The functions of some rows, as rows over time.

        Parameters
        ----------
        X : ndarray of shape (n_times, n_columns)

        Returns
        -------
        ndarray of shape (n_terms, n_times)
        """
        if self.transformer is not None:
            return np.ascontiguousarray(self._transformed(X).T)
        scaled = X - self.scales.centre
        scaled /= self.scales.width  # in place: a second array of the block would be new memory each time
        if self._terms is None:
            return scaled.T
        if self._terms.basis == "legendre":
            np.clip(scaled, -1.0, 1.0, out=scaled)
        return self._terms.evaluate(np.ascontiguousarray(scaled.T))

    def _transformed(self, X):
        terms = np.asarray(self.transformer.transform((X - self.scales.centre) / self.scales.width), dtype=np.float64)
        if terms.ndim != 2 or len(terms) != len(X):
            raise ValueError(f"expansion made an array of shape {terms.shape} of {len(X)} rows; it must have as many")
        if not np.isfinite(terms).all():
            raise ValueError("expansion made values that are not finite; choose another, or scale its input")
        return terms


def checked_terms(n_columns, degree):
    """Refuse polynomials whose covariances no machine is likely to hold."""
    n_terms = n_polynomial_terms(n_columns, degree)
    if n_terms > MOST_TERMS:
        raise ValueError(
            f"degree={degree} of {n_columns} columns makes {n_terms:,} terms, of which covariances are needed; choose "
            f"a lower degree or fewer columns, for at most {MOST_TERMS:,}"
        )


def largest_degree(n_signals, most_degree, most_terms):
    """The largest degree, of at least one, whose terms are not too many."""
    degree = 1
    while degree < most_degree and n_polynomial_terms(n_signals, degree + 1) <= most_terms:
        degree += 1
    return degree
