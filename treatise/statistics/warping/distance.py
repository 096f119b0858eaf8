"""Dynamic time warping: how far two series are apart when time may run faster or slower."""

from typing import NamedTuple

import numpy as np

from treatise._core.threads import over_ranges
from treatise.statistics.warping._loops import NO_WINDOW, pair_costs

COSTS = ("squared", "absolute")
CELL_NANOSECONDS = 1.0


class Series(NamedTuple):
    """Series of any lengths in one array, each from its start to the next."""

    values: np.ndarray
    starts: np.ndarray

    @property
    def lengths(self):
        """Number of values of each."""
        return np.diff(self.starts)

    def one(self, place):
        """The values of one series."""
        return self.values[self.starts[place] : self.starts[place + 1]]


def packed_series(series, name="series"):
    """A list of series in one array; a clear error where one is empty, has no single axis or is not finite."""
    if isinstance(series, Series):
        return series
    if isinstance(series, np.ndarray) and series.ndim == 1 and series.dtype != object:
        raise ValueError(f"{name} is one array of {len(series)} numbers; give a list of arrays, one for each")
    arrays = [np.asarray(each, dtype=np.float64) for each in series]
    if not arrays:
        raise ValueError(f"{name} holds nothing; give at least one array of numbers")
    for place, each in enumerate(arrays):
        if each.ndim != 1:
            raise ValueError(f"number {place} of {name} has the shape {each.shape}; give arrays with one axis")
        if not len(each):
            raise ValueError(f"number {place} of {name} is empty; leave it out")
    starts = np.concatenate([[0], np.cumsum([len(each) for each in arrays])]).astype(np.int64)
    values = np.concatenate(arrays)
    if not np.isfinite(values).all():
        place = int(np.searchsorted(starts, np.flatnonzero(~np.isfinite(values))[0], side="right")) - 1
        raise ValueError(f"number {place} of {name} holds NaN or infinity; fill in or leave out what is missing")
    return Series(values, starts)


def checked_window(window):
    """The window as compiled loops take it."""
    if window is None:
        return NO_WINDOW
    if isinstance(window, bool) or int(window) != window or window < 0:
        raise ValueError(f"window={window!r} must be None or a whole number of steps, 0 or more")
    return int(window)


def checked_cost(cost):
    """Whether local costs are squares."""
    if cost not in COSTS:
        raise ValueError(f"cost={cost!r} is not known; choose 'squared' or 'absolute'")
    return cost == "squared"


def dtw(a, b, *, window=None, cost="squared", normalize=False):
    """Cost of the cheapest alignment of two series.

    Each value of one is matched with one or more neighbouring values of the other, in order; the cost is the sum over
    all matches. Use it for series that do the same at another pace; it is no metric, and a series that stands still
    costs nothing. Takes len(a) x len(b) steps, or a band of that with a window, and memory of one series.

    Parameters
    ----------
    a, b : array-like of shape (n,) and (m,)
        Two series.
    window : int or None, default=None
        How many steps matched values may be apart, besides what the lengths differ by (the band of Sakoe and Chiba).
    cost : {"squared", "absolute"}, default="squared"
        Of one match.
    normalize : bool, default=False
        Whether to divide by the sum of the lengths.

    Returns
    -------
    cost : float

    Examples
    --------
    >>> from treatise.statistics import dtw
    >>> dtw([0, 0, 1, 2], [0, 1, 2])
    0.0
    >>> dtw([1, 2, 3, 4], [2, 3, 4, 5])
    2.0

    References
    ----------
    .. [1] Paper v12-0999, section 3.1.
    """
    return float(dtw_pairwise([a], [b], window=window, cost=cost, normalize=normalize)[0, 0])


def dtw_pairwise(series, others=None, *, window=None, cost="squared", normalize=False):
    """Costs of the cheapest alignments of all pairs; see :func:`dtw`.

    Parameters
    ----------
    series : list of arrays of shape (n_i,)
        Series of any lengths.
    others : list of arrays or None, default=None
        What to align them with; None aligns each with every other, which takes half the time.
    window : int or None, default=None
        How many steps matched values may be apart, besides what the lengths differ by.
    cost : {"squared", "absolute"}, default="squared"
        Of one match.
    normalize : bool, default=False
        Whether to divide by the sum of the lengths.

    Returns
    -------
    costs : ndarray of shape (n_series, n_others)

    Examples
    --------
    >>> from treatise.statistics import dtw_pairwise
    >>> dtw_pairwise([[0, 1, 2], [0, 0, 1, 2], [3, 3]])
    array([[ 0.,  0., 14.],
           [ 0.,  0., 23.],
           [14., 23.,  0.]])

    References
    ----------
    .. [1] Paper v12-0999, section 3.1.
    """
    band, squared = checked_window(window), checked_cost(cost)
    first = packed_series(series)
    second = first if others is None else packed_series(others, "others")
    out = np.zeros((len(first.lengths), len(second.lengths)))
    same = others is None
    breadth = first.lengths.mean() if band < 0 else min(first.lengths.mean(), 2.0 * band + 1.0)
    cells = out.size * second.lengths.mean() * breadth

    def work(begin, end):
        pair_costs(*first, *second, band, squared, bool(normalize), same, begin, end, out)

    over_ranges(work, len(out), cost=cells * CELL_NANOSECONDS)
    return out + out.T if same else out
