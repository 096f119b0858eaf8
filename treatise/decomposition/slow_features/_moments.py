"""Covariances of signals and of their changes from frame to frame, and the slowest directions among them."""

import warnings
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from treatise.statistics import StreamingCovariance

CONSTANT = 1e-13
"""Share of a term's mean square below which its variance is rounding."""
BLOCK = 2**17
"""Numbers of a block of signals that are formed at once: few enough for a processor's cache, many for its products."""


class SlowMoments:
    """Covariances of signals, and mean products of their differences, from blocks.

    Parameters
    ----------
    dt : float
        Time from frame to frame.
    """

    def __init__(self, dt):
        self._dt = dt
        self._values = StreamingCovariance()
        self._products, self._n_differences = 0.0, 0

    def update(self, signals, n_values, first=0):
        """Take in a block, with one more frame than values where the next frame belongs to the sequence.

        Parameters
        ----------
        signals : ndarray of shape (n_signals, n_values or n_values + 1)
        n_values : int
            Frames that count as values.
        first : int, default=0
            Only products with the signals from this one on are wanted.
        """
        values = signals[:, :n_values]
        steps = np.diff(signals, axis=1)
        if first:
            self._values.update(values[first:], values)
            self._products = self._products + steps[first:] @ steps.T
        else:
            self._values.update(values)
            self._products = self._products + steps @ steps.T
        self._n_differences += steps.shape[1]

    @property
    def mean(self):
        """Means of the signals."""
        return self._values.mean_of_others

    @property
    def covariance(self):
        """Covariances, with 1 / n."""
        return self._values.covariance

    @property
    def slowness(self):
        """Mean products of differences, over the squared time from frame to frame."""
        if self._n_differences == 0:
            raise ValueError("slowness needs two frames in a row: every sequence has a single frame")
        return self._products / (self._n_differences * self._dt**2)


class SlowDirections(NamedTuple):
    """Directions of unit variance, uncorrelated, the slowest first."""

    weights: np.ndarray
    deltas: np.ndarray
    n_dropped: int


def slow_directions(covariance, slowness, eps):
    """Linear slow feature analysis: least ``w @ slowness @ w`` under ``w @ covariance @ w = 1`` (section 2).

    Parameters
    ----------
    covariance, slowness : ndarray of shape (n, n)
    eps : float
        Principal components of at most this variance are dropped.

    Returns
    -------
    SlowDirections
    """
    whitening = whitening_of(covariance, eps)
    deltas, turns = eigh(whitening @ slowness @ whitening.T)
    return SlowDirections(turns.T @ whitening, np.maximum(deltas, 0.0), len(covariance) - len(whitening))


def whitening_of(covariance, eps):
    """Rows that make signals uncorrelated with unit variance, without components of at most ``eps``."""
    if len(covariance) == 0:
        return np.zeros((0, 0))
    variances, axes = eigh(covariance)
    # A wide matrix has as many zero variances as it lacks rank; below this they are rounding.
    kept = variances > max(eps, 1e-14 * max(variances[-1], 0.0) * len(variances))
    return axes[:, kept].T / np.sqrt(variances[kept])[:, np.newaxis]


def unit_scales(covariance, mean):
    """What brings each signal to unit variance; zero for one that is constant but for rounding."""
    variances = np.diag(covariance)
    varies = variances > CONSTANT * (variances + mean**2)
    return np.where(varies, 1.0 / np.sqrt(np.where(varies, variances, 1.0)), 0.0)


def slow_terms(moments, eps):
    """Slow directions of terms that are first brought to unit variance, weights being of the terms as they are."""
    scales = unit_scales(moments.covariance, moments.mean)
    frame = scales[:, np.newaxis] * scales
    found = slow_directions(frame * moments.covariance, frame * moments.slowness, eps)
    return found._replace(weights=with_sign(found.weights) * scales)


def with_sign(weights):
    """Turn directions so that the largest weight of each is above zero."""
    largest = np.take_along_axis(weights, np.abs(weights).argmax(axis=1)[:, np.newaxis], axis=1)
    return np.where(largest < 0.0, -weights, weights)


def warn_of_noise(delta, n_terms, n_times, dt, stacklevel):
    """Tell the user if the slowest output is no slower than white noise makes it look.

    Of n_terms columns of white noise the symmetric part of the sample correlation between neighbouring frames has
    eigenvalues up to about sqrt(2 n_terms / n_times) (a semicircle), and the slowest output a value of two less that
    share. The largest of n_terms eigenvalues varies by a share of n_terms^(-2/3); three quarters of it are added, which
    in simulations with 1 to 100 terms left out one noise in a hundred.
    """
    share = np.sqrt(2.0 * n_terms / n_times) * (1.0 + 0.75 * n_terms ** (-2 / 3))
    if delta * dt**2 >= 2.0 * (1.0 - share):
        warnings.warn(
            f"the slowest output, of delta value {delta:.3g}, is no slower than what {n_terms} terms of white noise "
            f"over {n_times} frames would give: either X has no structure in time, or there are too few frames for "
            "so many terms; lower the degree, or give more or denser frames",
            UserWarning,
            stacklevel=stacklevel,
        )


def block_size(chunk_size, n_signals):
    """Frames of a block."""
    return chunk_size or max(256, BLOCK // max(n_signals, 1))
