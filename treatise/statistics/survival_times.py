"""Outcomes that are known only in part: event times, and times censored on the right, on the left or between."""

import numpy as np


def survival_bounds(y):
    """Lower and upper bound of every outcome, from any of the forms in which times come.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, 2), or structured array
        Either a structured array of an event flag and a time, as scikit-survival makes them; or numbers, all of them
        events; or two columns of a lower and an upper bound: equal for an event, an upper bound of infinity for a time
        censored on the right, a lower bound of zero or minus infinity for one censored on the left, and otherwise an
        interval.

    Returns
    -------
    lower, upper : ndarray of shape (n_samples,)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import survival_bounds
    >>> y = np.array([(True, 3.0), (False, 5.0)], dtype=[("event", bool), ("time", float)])
    >>> survival_bounds(y)
    (array([3., 5.]), array([ 3., inf]))
    """
    y = np.asarray(y)
    if y.dtype.names is not None:
        event, time = _fields(y)
        lower, upper = time, np.where(event, time, np.inf)
    elif y.ndim == 2 and y.shape[1] == 2:
        lower, upper = np.asarray(y, np.float64).T
    elif y.ndim == 1 or (y.ndim == 2 and y.shape[1] == 1):
        lower = upper = np.asarray(y, np.float64).ravel()
    else:
        raise ValueError(
            f"y of shape {y.shape} is no set of times; give one number a sample, two bounds a sample, or a structured "
            "array of an event flag and a time"
        )
    if np.any(np.isnan(lower)) or np.any(np.isnan(upper)):
        raise ValueError(
            f"y contains NaN: a time is missing in sample {int(np.argmax(np.isnan(lower) | np.isnan(upper)))}; "
            "leave the sample out, or give it the bounds 0 and infinity"
        )
    exact = lower == upper
    if np.any(exact & np.isinf(lower)) or np.any(lower == np.inf):
        raise ValueError("y contains infinity as a time; an infinite upper bound is for times censored on the right")
    if np.any(lower > upper):
        i = int(np.argmax(lower > upper))
        raise ValueError(f"sample {i} has the lower bound {lower[i]:g} above its upper bound {upper[i]:g}")
    # Nothing ends before time zero begins: a lower bound of zero with a larger upper one says nothing.
    lower = np.where((lower == 0) & ~exact & np.isfinite(upper), -np.inf, lower)
    return lower, np.array(upper, np.float64)


def martingale_residuals(y):
    """Events less those to be expected of a sample seen for so long: one number for what a time and its end say.

    Positive where the end came early. They sum to zero; the expectation is Nelson and Aalen's cumulative hazard.

    Parameters
    ----------
    y : array-like or structured array
        Times, events or censored on the right, in any form of :func:`survival_bounds`.

    Returns
    -------
    residuals : ndarray of shape (n_samples,)

    Examples
    --------
    >>> from treatise.statistics import martingale_residuals
    >>> martingale_residuals([1.0, 2.0]).round(2)
    array([ 0.5, -0.5])
    """
    event, time = events_and_times(y)
    distinct, at = np.unique(time, return_inverse=True)
    at_risk = np.cumsum(np.bincount(at)[::-1])[::-1]
    return event - np.cumsum(np.bincount(at, event, len(distinct)) / at_risk)[at]


def _fields(y):
    """The event flag and the time of a structured array."""
    if len(y.dtype.names) != 2:
        raise ValueError(f"y has the fields {', '.join(y.dtype.names)}; an event flag and a time are wanted")
    first, second = y.dtype.names
    if y[second].dtype == bool:
        first, second = second, first
    if y[first].dtype != bool:
        raise ValueError(
            f"y has the fields {first!r} and {second!r}, and none is boolean: which says whether it ended?"
        )
    return y[first], np.asarray(y[second], np.float64)


def events_and_times(y):
    """Event flags and observed times of outcomes that are events or censored on the right."""
    lower, upper = survival_bounds(y)
    event = lower == upper
    if np.any(~event & np.isfinite(upper)):
        i = int(np.argmax(~event & np.isfinite(upper)))
        raise ValueError(
            f"sample {i} lies between {lower[i]:g} and {upper[i]:g}; here a time is an event or censored on the right"
        )
    return event, lower
