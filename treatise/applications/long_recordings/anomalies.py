"""Unusual recordings among many, from how unlike they are (Syed & Guttag, JMLR 12:999, section 4)."""

from numbers import Integral, Real

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.base import BaseEstimator, OutlierMixin, _fit_context
from sklearn.svm import OneClassSVM
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import finite, is_array, is_number, within
from treatise.applications.long_recordings.knee import knee
from treatise.kernels import clip_spectrum

FEWEST = 3


class SimilarityAnomalyDetector(OutlierMixin, BaseEstimator):
    """Flags what is unlike the rest, given how unlike every two are.

    Use it on the mismatches of recordings (:func:`symbolic_mismatch`) or on any other symmetric dissimilarities: no
    labels and no features are needed. What is unusual need not be what is harmful. Costs n^3 for clipping, else n^2.

    Parameters
    ----------
    method : {"knn", "ocsvm", "hierarchical"}, default="knn"
        The sum of the dissimilarities to the nearest neighbours; a one-class support vector machine on
        ``exp(-dissimilarity / sigma)``; or average linkage, cut where the heights of its merges bend, which flags what
        is outside of the largest group, be it few or many.
    n_neighbors : int, default=7
        Neighbours of "knn"; the paper's best.
    contamination : float, default=0.25
        Share that "knn" flags, and "ocsvm" at most. With a share near or below that of the unusual ones the boundary of
        the machine passes through all of them, and it flags none: give it more than is expected.
    clip : bool, default=True
        Whether negative eigenvalues are set to zero first (:func:`treatise.kernels.clip_spectrum`): of the
        dissimilarities, or for "ocsvm" of the similarities, which else are no kernel.
    sigma : float or None, default=None
        Scale of the similarities; None takes the median dissimilarity.

    Attributes
    ----------
    scores_ : ndarray of shape (n_recordings,)
        How unusual each one is, larger for more. With "hierarchical", the mean dissimilarity to the largest group.
    labels_ : ndarray of int of shape (n_recordings,)
        -1 for those flagged, 1 for the others.
    offset_ : float
        ``predict`` flags what has a score above its negative.
    negative_share_ : float
        Sum of the sizes of negative eigenvalues, as a share of the sum of all sizes: what clipping takes away.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.applications import SimilarityAnomalyDetector
    >>> places = np.array([0.0, 0.1, 0.2, 0.3, 5.0])
    >>> apart = np.abs(places[:, None] - places)
    >>> SimilarityAnomalyDetector(n_neighbors=2, contamination=0.2).fit(apart).labels_
    array([ 1,  1,  1,  1, -1])

    References
    ----------
    .. [1] Paper v12-0999, sections 3.3 and 4.
    """

    _parameter_constraints: dict = {
        "method": [StrOptions({"knn", "ocsvm", "hierarchical"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "contamination": [Interval(Real, 0, 0.5, closed="right")],
        "clip": ["boolean"],
        "sigma": [Interval(Real, 0, None, closed="neither"), None],
    }

    def __init__(self, method="knn", *, n_neighbors=7, contamination=0.25, clip=True, sigma=None):
        self.method = method
        self.n_neighbors = n_neighbors
        self.contamination = contamination
        self.clip = clip
        self.sigma = sigma

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, dissimilarities, y=None):
        """Score every recording against the others.

        Parameters
        ----------
        dissimilarities : array-like of shape (n_recordings, n_recordings)
            Symmetric and not negative. The diagonal counts for clipping alone.
        y : None
            Not used.

        Returns
        -------
        self
        """
        D = self._checked(dissimilarities)
        self.n_recordings_ = len(D)
        off = D[~np.eye(len(D), dtype=bool)]
        self.sigma_ = float(self.sigma or np.median(off) or off.mean() or 1.0)
        matrix = np.exp(-D / self.sigma_) if self.method == "ocsvm" else D
        values = np.linalg.eigvalsh(matrix)
        self.negative_share_ = float(np.clip(-values, 0.0, None).sum() / max(np.abs(values).sum(), 1e-300))
        self._transform = None
        if self.clip:
            matrix, self._transform = clip_spectrum(matrix, return_transform=True)
        if self.method == "hierarchical":
            return self._fit_groups(matrix)
        if self.method == "ocsvm":
            self._machine = OneClassSVM(kernel="precomputed", nu=self.contamination, tol=1e-8).fit(matrix)
            self.scores_ = -self._machine.decision_function(matrix)
        else:
            self.scores_ = _nearest(matrix, self.n_neighbors, own=True)
        # As many as the share says, at least one.
        flagged = max(1, round(self.contamination * len(D)))
        order = np.sort(self.scores_)
        self.offset_ = -float((order[-flagged - 1] + order[-flagged]) / 2.0)
        self.labels_ = np.where(self.scores_ > -self.offset_, -1, 1)
        return self

    def _fit_groups(self, matrix):
        apart = np.clip(matrix, 0.0, None)
        tree = linkage(squareform(apart, checks=False), "average")
        # Merges up to the bend join what belongs together; those after it would join what does not.
        height = tree[knee(tree[:, 2]), 2]
        groups = fcluster(tree, height, "distance")
        self.main_group_ = groups == np.bincount(groups).argmax()
        self.scores_ = _mean_to(apart, self.main_group_, own=True)
        self.labels_, self.offset_ = np.where(self.main_group_, 1, -1), -float(height)
        return self

    def _checked(self, dissimilarities):
        D = np.asarray(dissimilarities, dtype=np.float64)
        if D.ndim != 2 or D.shape[0] != D.shape[1]:
            raise ValueError(
                f"dissimilarities have the shape {D.shape}; give a square matrix, a row for each recording"
            )
        if len(D) < FEWEST:
            raise ValueError(f"{len(D)} recordings leave nothing to compare with; give {FEWEST} or more")
        _check_amounts(D)
        if not np.allclose(D, D.T, rtol=1e-8, atol=1e-12 * np.abs(D).max()):
            raise ValueError("dissimilarities are not symmetric; give (D + D.T) / 2 if that is what is meant")
        if self.method == "knn" and self.n_neighbors >= len(D):
            raise ValueError(f"n_neighbors={self.n_neighbors} of {len(D)} recordings; choose {len(D) - 1} or fewer")
        return (D + D.T) / 2.0

    def score_samples(self, dissimilarities):
        """How usual new recordings are, by their dissimilarities to those that were fitted.

        Parameters
        ----------
        dissimilarities : array-like of shape (n_new, n_recordings)
            Not negative.

        Returns
        -------
        scores : ndarray of shape (n_new,)
            Smaller for more unusual ones.
        """
        check_is_fitted(self)
        D = np.asarray(dissimilarities, dtype=np.float64)
        if D.ndim != 2 or D.shape[1] != self.n_recordings_:
            raise ValueError(
                f"dissimilarities have the shape {D.shape}; give a column for each of the {self.n_recordings_}"
            )
        _check_amounts(D)
        rows = np.exp(-D / self.sigma_) if self.method == "ocsvm" else D
        if self._transform is not None:
            rows = rows @ self._transform
        if self.method == "ocsvm":
            return self._machine.decision_function(rows)
        if self.method == "hierarchical":
            return -_mean_to(np.clip(rows, 0.0, None), self.main_group_, own=False)
        return -_nearest(rows, self.n_neighbors, own=False)

    def decision_function(self, dissimilarities):
        """Scores less the threshold: negative for what is flagged.

        Parameters
        ----------
        dissimilarities : array-like of shape (n_new, n_recordings)
            Not negative.

        Returns
        -------
        scores : ndarray of shape (n_new,)
        """
        return self.score_samples(dissimilarities) - self.offset_

    def predict(self, dissimilarities):
        """Whether new recordings are flagged, by their dissimilarities to those that were fitted.

        Parameters
        ----------
        dissimilarities : array-like of shape (n_new, n_recordings)
            Not negative.

        Returns
        -------
        labels : ndarray of int of shape (n_new,)
            -1 for those flagged, 1 for the others.
        """
        return np.where(self.decision_function(dissimilarities) < 0.0, -1, 1)

    def fit_predict(self, dissimilarities, y=None):
        """Flags of the recordings themselves.

        Parameters
        ----------
        dissimilarities : array-like of shape (n_recordings, n_recordings)
            Symmetric and not negative.
        y : None
            Not used.

        Returns
        -------
        labels : ndarray of int of shape (n_recordings,)
            -1 for those flagged, 1 for the others.
        """
        return self.fit(dissimilarities).labels_

    def _invariants(self):
        n = self.n_recordings_
        yield "recordings have scores", is_array(self.scores_, np.floating, n)
        yield "recordings have labels", is_array(self.labels_, np.integer, n) and within(np.abs(self.labels_), 1, 2)
        yield "offset_ is a number", is_number(self.offset_)
        yield "there are as many neighbours", self.method != "knn" or self.n_neighbors < n
        if self._transform is not None:
            yield "rows can be clipped", is_array(self._transform, np.floating, n, n) and finite(self._transform)
        if self.method == "ocsvm":
            yield "there is a machine", isinstance(self._machine, OneClassSVM)
            yield "similarities have a scale", is_number(self.sigma_) and self.sigma_ > 0
        if self.method == "hierarchical":
            yield "a group is the largest", is_array(self.main_group_, np.bool_, n) and bool(self.main_group_.any())


def _check_amounts(D):
    if not np.isfinite(D).all():
        raise ValueError("dissimilarities hold NaN or infinity")
    if D.size and D.min() < 0.0:
        raise ValueError(f"dissimilarities hold {D.min():g}; they are 0 or more (for similarities give their costs)")


def _nearest(rows, k, *, own):
    """Sum of the k smallest entries of each row, its own place left out where the rows are those of the fit."""
    rows = rows.copy()
    if own:
        np.fill_diagonal(rows, np.inf)
    return np.partition(rows, k - 1, axis=1)[:, :k].sum(axis=1)


def _mean_to(rows, group, *, own):
    """Mean of each row over a group, its own place left out where the rows are those of the fit."""
    counted = np.broadcast_to(group, rows.shape).copy()
    if own:
        np.fill_diagonal(counted, False)
    return (rows * counted).sum(axis=1) / np.maximum(counted.sum(axis=1), 1)
