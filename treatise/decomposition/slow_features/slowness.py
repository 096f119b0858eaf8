"""How slowly a signal varies, and how long one must watch two signals to tell them apart by it."""

import numpy as np
from sklearn.utils import check_array

from treatise.statistics.time_windows import checked_lengths

SHORTEST, LONGEST = 1e-150, 1e150
"""Times from frame to frame whose squares are numbers."""


def delta_value(X, *, dt=1.0, lengths=None):
    """Mean squared change of signals brought to zero mean and unit variance: small is slow (section 2 of v15-0921).

    A constant has none, and gets NaN. White noise has about ``2 / dt**2``, a sine of n frames a period about
    ``(2 pi / n / dt)**2``. Costs O(n_times) for each signal.

    Parameters
    ----------
    X : array-like of shape (n_times,) or (n_times, n_signals)
        Signals over time.
    dt : float, default=1.0
        Time from frame to frame.
    lengths : array-like of int or None, default=None
        Frames of each of several sequences that lie one below the other; no change is taken across their ends. None
        is one sequence.

    Returns
    -------
    float or ndarray of shape (n_signals,)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.decomposition import delta_value
    >>> round(delta_value(np.sin(2 * np.pi * np.arange(1000) / 100)), 6)
    0.003943
    """
    X, dt = np.asarray(X), _checked_time(dt)
    signals = check_array(X[:, np.newaxis] if X.ndim == 1 else X, dtype=np.float64, ensure_min_samples=2)
    # In the unit of the largest value, whose square is a number however large or small the signal is.
    signals = signals / np.maximum(np.abs(signals).max(axis=0), np.finfo(float).tiny)
    lengths = checked_lengths(lengths, len(signals))
    changes = np.delete(np.diff(signals, axis=0), np.cumsum(lengths)[:-1] - 1, axis=0)
    if len(changes) == 0:
        raise ValueError("slowness needs two frames in a row: every sequence has a single frame")
    variances = signals.var(axis=0)
    constant = variances <= 1e-26
    with np.errstate(invalid="ignore", divide="ignore"):
        deltas = np.where(constant, np.nan, np.square(changes).mean(axis=0) / variances) / dt**2
    return float(deltas[0]) if X.ndim == 1 else deltas


def required_length(delta, other_delta, *, dt=1.0):
    """Frames that tell two signals apart by their slowness, to the order of magnitude (equation 17 of v15-0921).

    A signal of delta value D keeps its value for about 1 / sqrt(D), so that a record holds so many independent pieces;
    of these one needs (D / difference)^2.

    Parameters
    ----------
    delta, other_delta : float
        Delta values of the two signals.
    dt : float, default=1.0
        Time from frame to frame, in whose unit the delta values are.

    Returns
    -------
    float
        Infinite where both are equal.

    Examples
    --------
    >>> from treatise.decomposition import required_length
    >>> round(required_length(0.01, 0.0105))
    4000
    """
    if not (0 < delta < np.inf and 0 < other_delta < np.inf):
        raise ValueError(f"delta={delta} and other_delta={other_delta} must be above zero and finite")
    slower, dt = min(delta, other_delta), _checked_time(dt)
    difference = abs(delta - other_delta) / slower
    if difference == 0.0:
        return float("inf")
    return float(1.0 / (np.sqrt(slower) * dt * difference**2))


def resolvable_difference(delta, n_times, *, dt=1.0):
    """Least relative difference of delta values that a record of so many frames resolves (equation 17)."""
    return float(1.0 / np.sqrt(n_times * np.sqrt(max(delta, np.finfo(float).tiny)) * _checked_time(dt)))


def _checked_time(dt):
    if not SHORTEST <= dt <= LONGEST:
        raise ValueError(f"dt={dt!r} must be a time between {SHORTEST:g} and {LONGEST:g}; take another unit of it")
    return float(dt)
