"""Statistics of one series, and histograms of one sequence of times."""

import numpy as np
from sklearn.utils.validation import check_array

from treatise.applications.event_log._series_loops import PER_SERIES, STATISTICS, whole_series
from treatise.applications.event_log.blocks import GAP_EDGES
from treatise.applications.event_log.blocks import STATISTICS as NAMES


def series_statistics(values) -> dict[str, dict[str, float]]:
    """Summarise a series, its rises and its falls, zeros dropped from each.

    Parameters
    ----------
    values : array-like of shape (n_times,)
        A count or ratio for each window of time.

    Returns
    -------
    statistics : dict of str to dict of str to float
        Of "value", "rise" and "fall": "count" of those that are not zero, "mean", "max", "sum", "squares" (sum of) and
        "std".

    Examples
    --------
    >>> from treatise.applications import series_statistics
    >>> found = series_statistics([0, 2, 0, 0, 3, 1])
    >>> found["value"]["count"], found["value"]["squares"], found["rise"]["sum"], found["fall"]["sum"]
    (3.0, 14.0, 5.0, 4.0)

    References
    ----------
    .. [1] Paper v15-0099, Section 7.1.
    """
    series = check_array(values, ensure_2d=False, dtype=np.float64)
    if series.ndim != 1:
        raise ValueError(f"a series has one dimension; got {series.ndim}")
    into = np.zeros(PER_SERIES)
    whole_series(series, into)
    return {
        kind: dict(zip(NAMES, into[i * STATISTICS : (i + 1) * STATISTICS].tolist()))
        for i, kind in enumerate(("value", "rise", "fall"))
    }


def gap_histogram(times, edges=GAP_EDGES, *, day=86_400.0) -> np.ndarray:
    """Count the gaps between times that follow one another, by intervals that hold their right edge.

    Parameters
    ----------
    times : array-like of shape (n_events,)
        Seconds, in any order.
    edges : sequence of float, default=(5, 10, 20, 30, ..., 300)
        Right edges in rising order.
    day : float or None, default=86400.0
        Only gaps within such a stretch count: the first event of a day has none. None counts all.

    Returns
    -------
    counts : ndarray of int of shape (n_edges + 1,)
        The last counts gaps beyond the last edge.

    Examples
    --------
    >>> from treatise.applications import gap_histogram
    >>> gap_histogram([0, 5, 11, 400], edges=[5, 10, 300])
    array([1, 1, 0, 1])

    References
    ----------
    .. [1] Paper v15-0099, Section 6.1.2 and Table 21.
    """
    times = np.sort(check_array(times, ensure_2d=False, dtype=np.float64))
    edges = np.asarray(edges, dtype=np.float64)
    if times.ndim != 1 or edges.ndim != 1 or (np.diff(edges) <= 0).any():
        raise ValueError("times have one dimension, and edges rise")
    gaps = np.diff(times)
    if day is not None:
        gaps = gaps[np.diff(np.floor(times / day)) == 0]
    return np.bincount(np.searchsorted(edges, gaps, side="left"), minlength=len(edges) + 1)
