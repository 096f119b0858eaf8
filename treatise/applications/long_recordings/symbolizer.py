"""A long recording as a few weighted prototypes of its segments (Syed & Guttag, JMLR 12:999, section 3.1)."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import is_array, is_number
from treatise.applications.long_recordings._farthest_loops import farthest_first
from treatise.applications.long_recordings.knee import knee
from treatise.statistics import dtw_pairwise
from treatise.statistics.warping import packed_series
from treatise.statistics.warping.distance import checked_cost, checked_window

KNEE_SYMBOLS = 100
"""Symbols among which the knee of the radii is looked for."""


class SegmentSymbolizer(ClusterMixin, BaseEstimator):
    """Symbols of a long recording: prototype segments, and how often each kind occurs.

    The first segment is the first symbol; then the segment that is farthest from all symbols, by the cost of aligning
    it (:func:`treatise.statistics.dtw`), becomes the next one, until every segment is near a symbol. Symbols are
    segments of the recording, so that rare kinds are kept however rare they are.

    Use it for hours of segments of one kind (heart beats, machine cycles, steps) to compare recordings by their
    symbols with :func:`symbolic_mismatch`. Segments must be cut beforehand. Do not use it to average segments: one
    noisy segment becomes a symbol of its own. Costs symbols x segments alignments at most, of which bounds spare many
    (``spared_``); memory is that of the segments.

    Parameters
    ----------
    theta : float or "knee", default="knee"
        Every segment ends nearer to its symbol than this. "knee" takes as many symbols as there are before the curve of
        radii bends, out of 100 at most.
    n_symbols : int or None, default=None
        Number of symbols instead, fewer where the recording has no more different segments.
    max_symbols : int or None, default=None
        Most symbols that ``theta`` may lead to; None sets no limit for a number, 100 for "knee".
    window : int or None, default=None
        How many places matched values may be apart in an alignment, besides what lengths differ by.
    cost : {"squared", "absolute"}, default="squared"
        Of matching two values.
    normalize : bool, default=False
        Whether costs are divided by the sum of the lengths.
    start : {"first", "random"}, default="first"
        The first symbol: the first segment, as in the paper, or any.
    random_state : int, RandomState instance or None, default=None
        Seed of a random start.

    Attributes
    ----------
    centroids_ : list of ndarray
        The symbols, in the order in which they were found.
    frequencies_ : ndarray of shape (n_symbols_,)
        Share of the segments that belong to each.
    labels_ : ndarray of int of shape (n_segments,)
        Symbol of each segment.
    centroid_places_ : ndarray of int of shape (n_symbols_,)
        Which segment each symbol is.
    distances_ : ndarray of shape (n_segments,)
        Cost of aligning each segment with its symbol.
    radius_curve_ : ndarray
        The largest of these after each symbol; it never rises. With "knee" it goes beyond the symbols that were kept.
    radius_ : float
        The largest at the end: no segment is farther from its symbol.
    n_symbols_ : int
        Number of symbols.
    spared_ : float
        Share of the alignments that a bound made needless, wholly or in part.

    Examples
    --------
    >>> from treatise.applications import SegmentSymbolizer
    >>> from treatise.datasets import make_beat_recordings
    >>> recordings, risky = make_beat_recordings(2, n_risky=1, random_state=0)
    >>> symbols = SegmentSymbolizer(theta=1.0, window=6).fit(recordings[int(risky.argmax())])
    >>> bool(symbols.radius_ < 1.0), symbols.n_symbols_ < 40
    (True, True)

    References
    ----------
    .. [1] Paper v12-0999, section 3.1.
    """

    _parameter_constraints: dict = {
        "theta": [Interval(Real, 0, None, closed="left"), StrOptions({"knee"})],
        "n_symbols": [Interval(Integral, 1, None, closed="left"), None],
        "max_symbols": [Interval(Integral, 1, None, closed="left"), None],
        "window": [Interval(Integral, 0, None, closed="left"), None],
        "cost": [StrOptions({"squared", "absolute"})],
        "normalize": ["boolean"],
        "start": [StrOptions({"first", "random"})],
        "random_state": ["random_state"],
    }

    def __init__(
        self, theta="knee", *, n_symbols=None, max_symbols=None, window=None, cost="squared", normalize=False,
        start="first", random_state=None,
    ):  # fmt: skip
        self.theta = theta
        self.n_symbols = n_symbols
        self.max_symbols = max_symbols
        self.window = window
        self.cost = cost
        self.normalize = normalize
        self.start = start
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, segments, y=None):
        """Find the symbols of one recording.

        Parameters
        ----------
        segments : list of arrays of shape (length,)
            Its segments in order, of any lengths.
        y : None
            Not used.

        Returns
        -------
        self
        """
        packed = packed_series(segments, "segments")
        n = len(packed.lengths)
        first = 0 if self.start == "first" else check_random_state(self.random_state).randint(n)
        by_knee = self.theta == "knee" and self.n_symbols is None
        most = min(n, self.n_symbols or self.max_symbols or (KNEE_SYMBOLS if by_knee else n))
        theta = 0.0 if self.n_symbols is not None or by_knee else float(self.theta)
        found = self._traverse(packed, first, most, theta)
        if by_knee:
            curve = found[3]
            kept = knee(curve) + 1
            if kept < len(curve):
                found = (*self._traverse(packed, first, kept, 0.0)[:3], curve, found[4])
        self.distances_, self.labels_, self.centroid_places_, self.radius_curve_, self.spared_ = found
        self.n_symbols_ = len(self.centroid_places_)
        self.radius_ = float(self.distances_.max())
        self.centroids_ = [packed.one(place).copy() for place in self.centroid_places_]
        self.frequencies_ = np.bincount(self.labels_, minlength=self.n_symbols_) / n
        return self

    def _traverse(self, packed, first, most, theta):
        """Distances, labels, symbols, radii and the share of alignments spared."""
        n = len(packed.lengths)
        distances, labels = np.empty(n), np.zeros(n, dtype=np.int64)
        chosen, radii, counts = np.empty(most, dtype=np.int64), np.empty(most), np.zeros(3, dtype=np.int64)
        found = farthest_first(
            *packed, first, most, theta, checked_window(self.window), checked_cost(self.cost), bool(self.normalize),
            distances, labels, chosen, radii, counts,
        )  # fmt: skip
        spared = float((counts[1] + counts[2]) / max(counts[0], 1))
        return distances, labels, chosen[:found], radii[:found], spared

    def predict(self, segments):
        """The nearest symbol of each segment.

        Parameters
        ----------
        segments : list of arrays of shape (length,)
            Segments of the same kind.

        Returns
        -------
        labels : ndarray of int of shape (n_segments,)
        """
        check_is_fitted(self)
        packed = packed_series(segments, "segments")
        costs = dtw_pairwise(packed, self.centroids_, window=self.window, cost=self.cost, normalize=self.normalize)
        return costs.argmin(axis=1)

    def _invariants(self):
        yield "there is a symbol", isinstance(self.centroids_, list) and len(self.centroids_) > 0
        yield "symbols are numbers in a row", all(is_array(each, np.floating, None) for each in self.centroids_)
        yield "symbols are not empty", all(len(each) > 0 for each in self.centroids_)
        yield "every symbol has a share", is_array(self.frequencies_, np.floating, len(self.centroids_))
        yield "radius_ is a number", is_number(self.radius_)
