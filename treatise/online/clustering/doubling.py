"""The doubling algorithm: k centres of a stream within eight times the best radius (Choromanska, 2014, Section 5.3)."""

import math
from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.invariants import finite, is_array, is_count, is_number
from treatise._core.jit import compiled
from treatise.online.clustering._window_loops import nearest


class DoublingKCenter(ClusterMixin, BaseEstimator):
    """Centres among the rows of a stream, none of whose rows lies farther than eight times the best possible radius.

    A row far from all centres becomes one; when there are too many, the threshold below which centres merge doubles.
    It is the standard that online clustering with experts is compared with.

    Use it where every row must have a centre near by, in one pass and the memory of k rows: summaries, covers,
    outliers that matter. Where the mean squared distance matters, :class:`OnlineClusteringExperts` or k-means do
    better, for centres here are rows at the rim of a group as often as in its middle. A row costs
    O(n_clusters * features).

    Parameters
    ----------
    n_clusters : int, default=8
        Most centres.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (<= n_clusters, n_features)
        The centres, each a row of the stream.
    threshold_ : float
        Centres are farther apart than this, and every row is within twice it of a centre; 0 while all distinct rows
        are centres. The best possible radius of ``n_clusters`` centres is no less than a quarter of it.
    labels_ : ndarray of shape (n_samples,)
        Nearest final centre of each row of ``fit``.
    n_seen_ : int
        Rows seen.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.online import DoublingKCenter
    >>> model = DoublingKCenter(2).fit(np.array([[0.0], [1.0], [10.0], [0.5], [11.0]]))
    >>> model.cluster_centers_.ravel().tolist(), model.threshold_
    ([0.0, 10.0], 2.0)

    References
    ----------
    .. [1] A. Choromanska, Selected machine learning reductions, PhD thesis, Columbia University, 2014, Section 5.3.
    .. [2] M. Charikar, C. Chekuri, T. Feder and R. Motwani, Incremental clustering and dynamic information retrieval,
       SIAM Journal on Computing 33, 2004.
    """

    _parameter_constraints: dict = {"n_clusters": [Interval(Integral, 1, None, closed="left")]}

    def __init__(self, n_clusters=8):
        self.n_clusters = n_clusters

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Forget everything and take the rows of X as a stream.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows, in their order.
        y : Ignored
            Not used.

        Returns
        -------
        self : object
        """
        X = validate_data(self, X, dtype=np.float64, order="C")
        self._begin(X.shape[1])
        self._feed(X)
        self.labels_ = pairwise_distances_argmin(X, self.cluster_centers_).astype(np.int64)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y=None):
        """Take further rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows, in their order.
        y : Ignored
            Not used.

        Returns
        -------
        self : object
        """
        first = not hasattr(self, "cluster_centers_")
        X = validate_data(self, X, dtype=np.float64, order="C", reset=first)
        if first:
            self._begin(X.shape[1])
        self._feed(X)
        return self

    def predict(self, X):
        """Nearest centre of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return pairwise_distances_argmin(X, self.cluster_centers_).astype(np.int64)

    def _invariants(self):
        centers = self.cluster_centers_
        yield "centres have a number for each feature", is_array(centers, np.float64, None, self.n_features_in_)
        yield "centres are no more than wanted, and finite", len(centers) <= self.n_clusters and finite(centers)
        yield "the threshold is a distance", is_number(self.threshold_) and self.threshold_ >= 0
        yield "rows seen are counted", is_count(self.n_seen_)

    def _begin(self, n_features):
        self.cluster_centers_ = np.empty((0, n_features))
        self.threshold_ = 0.0
        self.n_seen_ = 0

    def _feed(self, X):
        # One place more than centres are wanted, for the row that makes them too many.
        n_known = len(self.cluster_centers_)
        centers = np.empty((min(self.n_clusters, n_known + len(X)) + 1, X.shape[1]))
        centers[:n_known] = self.cluster_centers_
        n_centers, threshold = double(np.ascontiguousarray(X), centers, n_known, self.threshold_)
        self.cluster_centers_ = centers[:n_centers].copy()
        self.threshold_ = float(threshold)
        self.n_seen_ += len(X)


@compiled
def closest_pair(centers, n_centers):
    """Distance of the two centres closest to each other."""
    least = np.inf
    for c in range(1, n_centers):
        least = min(least, nearest(centers[:c], centers[c])[1])
    return math.sqrt(least)


@compiled
def merge(centers, n_centers, reach):
    """Each centre in turn swallows the later ones within reach; gives the number of those that remain."""
    n_kept = 0
    for c in range(n_centers):
        if n_kept == 0 or math.sqrt(nearest(centers[:n_kept], centers[c])[1]) > reach:
            centers[n_kept] = centers[c]
            n_kept += 1
    return n_kept


@compiled
def double(rows, centers, n_centers, threshold):
    """Take rows; ``centers`` has room for one more than are wanted. Gives the number of centres and the threshold."""
    for j in range(len(rows)):
        if n_centers > 0 and math.sqrt(nearest(centers[:n_centers], rows[j])[1]) <= 2.0 * threshold:
            continue
        centers[n_centers] = rows[j]
        n_centers += 1
        if n_centers == len(centers) and threshold == 0.0:
            threshold = closest_pair(centers, n_centers)
        # One centre too many: all are farther apart than the threshold, so the best radius exceeds half of it.
        while n_centers == len(centers):
            threshold *= 2.0
            n_centers = merge(centers, n_centers, threshold)
    return n_centers, threshold
