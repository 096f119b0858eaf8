"""Ground metric learning (Cuturi & Avis, JMLR 15:533)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import Classifier
from treatise._core.invariants import Invariants, finite, is_array, within
from treatise._core.progress import progress
from treatise.metric.ground._criterion import NeighbourCosts, weights_of_labels
from treatise.metric.ground._descent import descend
from treatise.metric.ground.distances import as_histograms
from treatise.metric.ground.nearest import is_metric, nearest_metric
from treatise.optimize import PairTransport


class GroundMetricLearner(Classifier, BaseEstimator):
    """Learn from labelled histograms how far bins are apart, so that the earth mover's distance agrees with the labels.

    The distance of two histograms is the least cost of moving the mass of one onto the other. What a move between two
    bins costs is learnt: a metric that brings each histogram near the nearest ones of its own class and away from the
    nearest ones of others. New histograms are classified by their nearest neighbours under it.

    Use it for some hundred histograms at most, of up to about a hundred bins that have something to do with one
    another: colours, words by topic, pixels, where plain distances see no difference between a bin next door and one
    far away. Do not use it before plain distances between histograms (Hellinger, chi-square) have been tried, nor on
    features that do not add up to something: rows must be shares of a whole.

    Costs one transport for each pair of rows and step, each starting from the last, and some hundred
    steps: the square of the rows counts. Memory 24 bytes for each pair of rows and bin, and 4 d^3.

    Parameters
    ----------
    n_neighbors : int, default=3
        Neighbours of each class that count, in learning and in prediction (the paper's k).
    step : float, default=0.1
        Length of the first step, where the distances of all bins add up to one; the q-th is step / sqrt(q).
    max_outer, max_inner, min_inner : int, default=20, 80 and 24
        Most times that the concave part is replaced by its tangent, and most and least steps for each.
    tol : float, default=0.0075
        Share of the criterion that the last eight steps, or a whole round, must gain to go on.
    init : {"uniform", "independence"} or array of shape (n_bins, n_bins), default="uniform"
        Where to start: all bins equally far apart, the metric nearest to what independent tables suggest (Section 5.3),
        or one of your own.
    projection : {"rescale", "exact"}, default="rescale"
        After each step go to the nearest metric and scale it to a total of one, as the paper does, or to the nearest
        metric of total one.
    normalize : bool, default=False
        Whether to divide rows by their totals, as for counts; a row of zeros is taken for one that is spread evenly.
        Otherwise rows that do not add up to one are refused.

    Attributes
    ----------
    metric_ : ndarray of shape (n_bins, n_bins)
        Learnt distances between bins; they add up to one.
    objective_path_ : ndarray
        The criterion at the start and after each round; the metric is that of the lowest.
    n_steps_ : int
        Steps taken.
    converged_ : bool
        Whether the last round gained less than ``tol``.
    classes_ : ndarray
        The classes.
    histograms_, codes_ : ndarray of shape (n_samples, n_bins) and (n_samples,)
        The rows that new ones are compared with, and their positions in ``classes_``.
    n_features_in_ : int
        Number of bins.
    feature_names_in_ : ndarray
        Their names, where X has names.

    Notes
    -----
    The criterion is not convex: the metric is a good one, not the best of all. Where bins are equally far apart many
    transports cost the same, so that the first steps depend on the order of the bins.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.metric import GroundMetricLearner
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(30) % 2
    >>> bins = rng.integers(0, 4, (30, 2)) + 4 * y[:, np.newaxis]  # a class has bins of its own, no two rows the same
    >>> X = np.array([np.bincount(row, minlength=8) / 2 for row in bins])
    >>> model = GroundMetricLearner().fit(X, y)
    >>> within, between = model.metric_[:4, :4].sum() / 12, model.metric_[:4, 4:].mean()
    >>> bool(within < 0.5 * between)
    True

    References
    ----------
    .. [1] Paper v15-0533, Algorithms 1 and 2, Sections 3 to 5.
    """

    _parameter_constraints: dict = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "step": [Interval(Real, 0, None, closed="neither")],
        "max_outer": [Interval(Integral, 0, None, closed="left")],
        "max_inner": [Interval(Integral, 1, None, closed="left")],
        "min_inner": [Interval(Integral, 8, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "init": [StrOptions({"uniform", "independence"}), "array-like"],
        "projection": [StrOptions({"rescale", "exact"})],
        "normalize": ["boolean"],
    }

    def __init__(
        self, n_neighbors=3, *, step=0.1, max_outer=20, max_inner=80, min_inner=24, tol=0.0075, init="uniform",
        projection="rescale", normalize=False,
    ):  # fmt: skip
        self.n_neighbors = n_neighbors
        self.step = step
        self.max_outer = max_outer
        self.max_inner = max_inner
        self.min_inner = min_inner
        self.tol = tol
        self.init = init
        self.projection = projection
        self.normalize = normalize

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Learn the distances between bins.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_bins)
            Histograms.
        y : array-like of shape (n_samples,)
            Their classes, two or more.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_features=2)
        self.codes_ = self._code_labels(y)
        self.histograms_ = as_histograms(X, normalize=self.normalize)
        weights = weights_of_labels(self.codes_, self.n_neighbors)
        alike = NeighbourCosts(self.histograms_, np.maximum(weights, 0.0), self.n_neighbors)
        unlike = NeighbourCosts(self.histograms_, np.minimum(weights, 0.0), self.n_neighbors)
        with progress("ground metric", self.max_outer) as advance:
            found = descend(
                alike, unlike, self._start(weights), step=self.step, max_outer=self.max_outer,
                max_inner=self.max_inner, min_inner=min(self.min_inner, self.max_inner), tol=self.tol,
                exact=self.projection == "exact", advance=advance,
            )  # fmt: skip
        self.metric_, self.objective_path_ = found.metric, np.array(found.path)
        self.n_steps_, self.converged_ = found.n_steps, found.converged
        if self.max_outer and not found.converged:
            warnings.warn(
                f"ground metric learning still gained after {self.max_outer} rounds; raise max_outer or tol",
                ConvergenceWarning, stacklevel=3,
            )  # fmt: skip
        return self

    def _start(self, weights):
        """The first metric, of total one."""
        d = self.n_features_in_
        uniform = (1.0 - np.eye(d)) / (d * (d - 1))
        if isinstance(self.init, str):
            return uniform if self.init == "uniform" else self._from_independence(weights, uniform)
        start = np.asarray(self.init, dtype=np.float64)
        if start.shape != (d, d) or not is_metric(start) or not start.sum() > 0:
            raise ValueError(f"init must be a metric between the {d} bins, not all zero; see nearest_metric")
        return start / start.sum()

    def _from_independence(self, weights, uniform):
        """Section 5.3: with independent tables for plans the criterion is linear, and this is its steepest descent."""
        near = np.zeros_like(weights)
        distances = 0.5 * np.abs(self.histograms_[:, np.newaxis] - self.histograms_).sum(axis=2)
        for side in (weights > 0, weights < 0):
            ranked = np.argsort(
                np.where(side & ~np.eye(len(near), dtype=bool), distances, np.inf), axis=1, kind="stable"
            )
            for i, nearest in enumerate(ranked[:, : self.n_neighbors]):
                near[i, nearest[side[i, nearest]]] = weights[i, nearest[side[i, nearest]]]
        np.fill_diagonal(near, 0.0)
        table = self.histograms_.T @ near @ self.histograms_
        found = nearest_metric(-table, tol=1e-3).metric
        return found / found.sum() if found.sum() > 0 else uniform

    def pairwise_distances(self, A, B=None):
        """Earth mover's distances under the learnt metric.

        Parameters
        ----------
        A : array-like of shape (n, n_bins)
            Histograms.
        B : array-like of shape (m, n_bins) or None, default=None
            Others; None is those that the metric was learnt from.

        Returns
        -------
        distances : ndarray of shape (n, m)
        """
        check_is_fitted(self)
        A = self._histograms(A)
        others = self.histograms_ if B is None else self._histograms(B)
        left, right = (part.ravel() for part in np.indices((len(A), len(others))))
        return PairTransport(A, others, left, right).solve(self.metric_).reshape(len(A), len(others))

    def kneighbors(self, X, n_neighbors=None):
        """Nearest of the histograms that the metric was learnt from.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_bins)
            Histograms.
        n_neighbors : int or None, default=None
            How many; None is the learner's own number.

        Returns
        -------
        distances, numbers : ndarray of shape (n_samples, n_neighbors)
            The nearest first.
        """
        distances = self.pairwise_distances(X)
        k = min(self.n_neighbors if n_neighbors is None else n_neighbors, distances.shape[1])
        nearest = np.argsort(distances, axis=1, kind="stable")[:, :k]
        return np.take_along_axis(distances, nearest, axis=1), nearest

    def predict_proba(self, X):
        """Share of each class among the nearest neighbours.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_bins)
            Histograms.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
        """
        _, nearest = self.kneighbors(X)
        votes = self.codes_[nearest][:, :, np.newaxis] == np.arange(len(self.classes_))
        return votes.mean(axis=1)

    def predict(self, X):
        """Class of most of the nearest neighbours; of equals, the first.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_bins)
            Histograms.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        codes = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[codes]

    def _histograms(self, X):
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return as_histograms(X, normalize=self.normalize)

    def _invariants(self) -> Invariants:
        bins, rows = self.n_features_in_, len(self.codes_)
        yield "the metric is a table of all bins", is_array(self.metric_, np.float64, bins, bins)
        yield "the metric holds numbers", finite(self.metric_)
        yield "there is a histogram for every label", is_array(self.histograms_, np.float64, rows, bins)
        yield "histograms hold shares", finite(self.histograms_) and within(self.histograms_, 0.0, 1.0 + 1e-9)
        yield "labels are among the classes", is_array(self.codes_, np.int64, rows)
        yield "labels are among the classes", within(self.codes_, 0, len(self.classes_))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
