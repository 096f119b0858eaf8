"""Survival curves: Kaplan and Meier's estimate, and the Brier score of predicted curves."""

import numpy as np

from treatise.statistics.survival_times import events_and_times


def kaplan_meier(y, times=None, *, weights=None, reverse=False):
    """Share that outlives each time, from outcomes of which some are censored on the right.

    Parameters
    ----------
    y : array-like or structured array
        Outcomes, events or censored on the right, in any form of :func:`survival_bounds`.
    times : array-like of shape (n_times,) or None, default=None
        Where the curve is wanted; None takes the distinct event times.
    weights : array-like of shape (n_samples,) or None, default=None
        Weights of the samples.
    reverse : bool, default=False
        The curve of the censoring instead: the share not yet censored, events at a time leaving before.

    Returns
    -------
    times, survival : ndarray of shape (n_times,)
        The curve steps down at its times.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import kaplan_meier
    >>> kaplan_meier([[1.0, 1.0], [2.0, np.inf], [3.0, 3.0]])
    (array([1., 3.]), array([0.66666667, 0.        ]))
    """
    event, time = events_and_times(y)
    weights = np.ones(len(time)) if weights is None else np.asarray(weights, np.float64)
    distinct, at = np.unique(time, return_inverse=True)
    ended = np.bincount(at, weights * event, len(distinct))
    gone = np.bincount(at, weights, len(distinct))
    at_risk = np.cumsum(gone[::-1])[::-1]
    leaving, at_risk = (gone - ended, at_risk - ended) if reverse else (ended, at_risk)
    share = np.divide(leaving, at_risk, out=np.zeros(len(distinct)), where=at_risk > 0)
    curve = np.cumprod(1.0 - share)
    if times is None:
        steps = leaving > 0
        return distinct[steps], curve[steps]
    times = np.asarray(times, np.float64)
    return times, np.append(1.0, curve)[np.searchsorted(distinct, times, side="right")]


def brier_curve(y, survival, times, *, reference=None):
    """Mean squared error of predicted survival at each time, censored outcomes made up for by weights.

    At a time, whoever ended before should have had probability zero, whoever lives one; who was censored before is
    left out, and the others stand for them, each weighted by one over the probability of not having been censored
    until then (Graf and others, Statistics in Medicine 18:2529).

    Parameters
    ----------
    y : array-like or structured array
        Outcomes, events or censored on the right, in any form of :func:`survival_bounds`.
    survival : array-like of shape (n_samples, n_times)
        Predicted probabilities of outliving the times.
    times : array-like of shape (n_times,)
        The times.
    reference : array-like or structured array or None, default=None
        Outcomes from which the censoring is estimated, such as those of the training samples; None takes ``y``.

    Returns
    -------
    scores : ndarray of shape (n_times,)
    """
    event, time = events_and_times(y)
    times, survival = np.asarray(times, np.float64), np.asarray(survival, np.float64)
    if survival.shape != (len(time), len(times)):
        raise ValueError(f"survival has shape {survival.shape}; {len(time)} samples at {len(times)} times are wanted")
    reference = y if reference is None else reference
    # Left limit: whoever is censored at the very time of an event was still seen then.
    at_end = kaplan_meier(reference, np.nextafter(time, -np.inf), reverse=True)[1]
    at_times = kaplan_meier(reference, times, reverse=True)[1]
    ended = (time[:, None] <= times) & event[:, None]
    alive = time[:, None] > times
    weights = np.zeros(survival.shape)
    np.divide(1.0, at_end[:, None], out=weights, where=ended & (at_end > 0)[:, None])
    np.divide(1.0, at_times[None, :], out=weights, where=alive & (at_times > 0))
    return np.mean(weights * (alive - survival) ** 2, axis=0)


def integrated_brier_score(y, survival, times, *, reference=None):
    """Brier score averaged over the times, by the trapezoidal rule.

    Parameters
    ----------
    y, survival, times, reference
        As in :func:`brier_curve`; at least two times, increasing.

    Returns
    -------
    score : float
        0 is perfect; a probability of one half everywhere has 0.25.

    Examples
    --------
    >>> from treatise.statistics import integrated_brier_score
    >>> integrated_brier_score([1.0, 3.0], [[0.0, 0.0], [1.0, 1.0]], [1.0, 2.0])
    0.0
    """
    times = np.asarray(times, np.float64)
    if len(times) < 2 or np.any(np.diff(times) <= 0):
        raise ValueError(f"times must increase and be at least two; they are {np.array2string(times, threshold=6)}")
    scores = brier_curve(y, survival, times, reference=reference)
    return float(np.trapezoid(scores, times) / (times[-1] - times[0]))
