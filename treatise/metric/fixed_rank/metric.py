"""Low-rank Mahalanobis distances from classes or pairs (Meyer, Bonnabel & Sepulchre, JMLR 12:593)."""

from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.decomposition import PCA
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import check_classes
from treatise.metric.fixed_rank._base import FixedRankLearner, checked_pairs, checked_targets
from treatise.metric.fixed_rank._measurements import PairMeasurements, RowMeasurements


class FixedRankMetricLearner(ClassNamePrefixFeaturesOutMixin, TransformerMixin, FixedRankLearner):
    """Learns a linear map after which rows of one class are near and rows of different classes far apart.

    Pairs of rows are drawn; the squared Mahalanobis distance ``(x - z)' W (x - z)`` of two rows of one class should be
    at most a small bound, that of two rows of different classes at least a large one. ``W = G G'`` has the rank you
    give, and `transform` maps x to ``G' x``, where the Euclidean distance is the learned one: put a nearest-neighbour
    classifier, a clustering or a search index behind it. Subspace and metric are learned together, which beats
    reducing the dimension first when the rank is small.

    Use it for labelled rows, or for pairs known to be alike or not, in tens to tens of thousands of features. Scale
    the features first. Do not use it where classes are made of scattered clusters: all pairs of a class are drawn
    together. Not convex below full rank; the start is the plane of the principal components. ``geometry="affine"``
    keeps that plane, as methods do that reduce the dimension first.

    A step costs n d r + m r for m pairs (the differences are never formed), an online pass m d r. Memory n d + m r.

    Parameters
    ----------
    rank : int or None, default=None
        Rank of W, the number of new features; None is all of them.
    init : {"pca", "identity", "random"} or ndarray of shape (n_features, rank), default="pca"
        Factor to start from. "pca" is the principal directions: the Euclidean distance at full rank.
    n_pairs : int, "auto" or "paper", default="auto"
        Pairs drawn by `fit`. "paper" is 40 c (c - 1) for c classes, which for two is 80 however many rows there are;
        "auto" is at least a thousand and twice the rows besides, but no more than 10 000 for their sake.
    bounds : tuple of two floats or "percentile", default="percentile"
        Squared distances that pairs should keep below and above. "percentile" takes the 5th and the 95th percentile
        of the distances of the pairs at the start.

    Attributes
    ----------
    components_ : ndarray of shape (rank, n_features)
        The linear map.
    bounds_ : tuple of two floats
        Bounds in force.
    pairs_ : ndarray of shape (n_pairs, 2)
        Pairs learned from, as row numbers.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    plot_pair_distances : How well the learned distance tells alike from different.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from treatise.metric import FixedRankMetricLearner
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), FixedRankMetricLearner(2, random_state=0), KNeighborsClassifier())
    >>> bool(cross_val_score(model, X, y).mean() > 0.95)
    True

    References
    ----------
    .. [1] Paper v12-0593: Sections 9.2 and 10.3.
    """

    _parameter_constraints: dict = {
        **FixedRankLearner._parameter_constraints,
        "init": [StrOptions({"pca", "identity", "random"}), "array-like"],
        "n_pairs": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto", "paper"})],
        "bounds": [StrOptions({"percentile"}), tuple],
    }

    def __init__(
        self,
        rank=None,
        *,
        geometry="flat",
        subspace_weight=0.5,
        solver="batch",
        init="pca",
        n_init=1,
        n_pairs="auto",
        bounds="percentile",
        tol=1e-5,
        max_iter=1000,
        batch_size=32,
        epochs=5,
        shuffle=True,
        step="auto",
        annealing="auto",
        random_state=None,
    ):
        super().__init__(
            rank,
            geometry=geometry,
            subspace_weight=subspace_weight,
            solver=solver,
            init=init,
            n_init=n_init,
            tol=tol,
            max_iter=max_iter,
            batch_size=batch_size,
            epochs=epochs,
            shuffle=shuffle,
            step=step,
            annealing=annealing,
            random_state=random_state,
        )
        self.n_pairs = n_pairs
        self.bounds = bounds

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Learn from classes, by pairs that are drawn.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array of shape (n_samples,)
            Their classes.

        Returns
        -------
        self : FixedRankMetricLearner
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        classes = np.unique(y)
        check_classes(classes, who="a distance that tells classes apart")
        count = self._pairs_to_draw(len(classes), len(y))
        pairs = random_pairs(X.shape[0], count, check_random_state(self.random_state))
        return self._fit(X, pairs, y[pairs[:, 0]] == y[pairs[:, 1]])

    @_fit_context(prefer_skip_nested_validation=True)
    def fit_pairs(self, X, pairs, alike):
        """Learn from pairs of rows that are known to be alike or different.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Rows.
        pairs : array of int of shape (n_pairs, 2)
            Row numbers of each pair.
        alike : array of bool, or of 1 and -1, of shape (n_pairs,)
            Whether the pair should be near.

        Returns
        -------
        self : FixedRankMetricLearner
        """
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2)
        pairs = checked_pairs(pairs, X.shape[0])
        return self._fit(X, pairs, _checked_alike(alike, len(pairs)))

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit_pairs(self, X, pairs, alike):
        """One online pass over more pairs; the first call sets start, bounds and steps.

        Parameters
        ----------
        X, pairs, alike
            As for :meth:`fit_pairs`.

        Returns
        -------
        self : FixedRankMetricLearner
        """
        first = not hasattr(self, "components_")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=first, ensure_min_samples=2)
        pairs = checked_pairs(pairs, X.shape[0])
        alike = _checked_alike(alike, len(pairs))
        if first:
            self._settle(X, pairs)
        self._advance(PairMeasurements(pairs, X.shape[0], X), self._pair_targets(alike))
        self.pairs_ = pairs
        return self

    def transform(self, X):
        """Rows mapped to where the Euclidean distance is the learned one.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        Z : ndarray of shape (n_samples, rank)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return np.asarray(X @ self.components_.T)

    def get_mahalanobis_matrix(self):
        """The matrix W of the distance, of shape (n_features, n_features)."""
        check_is_fitted(self)
        return self.components_.T @ self.components_

    @property
    def _n_features_out(self):
        return len(self.components_)

    def _fit(self, X, pairs, alike):
        self._settle(X, pairs)
        self._learn(PairMeasurements(pairs, X.shape[0], X), self._pair_targets(alike))
        self.pairs_ = pairs
        return self

    def _pairs_to_draw(self, n_classes, n_rows):
        if not isinstance(self.n_pairs, str):
            return self.n_pairs
        by_classes = 40 * n_classes * (n_classes - 1)
        return by_classes if self.n_pairs == "paper" else max(by_classes, 1000, min(2 * n_rows, 10_000))

    def _settle(self, X, pairs):
        """Find the principal directions and the bounds, which depend on the start."""
        rank = self._rank_within(X.shape[1])
        random = check_random_state(self.random_state)
        self._principal = _principal_directions(X, rank, random) if _is_name(self.init, "pca") else None
        if self.bounds == "percentile":
            G = self._start(X.shape[1], rank, random)
            measurements = PairMeasurements(pairs, X.shape[0], X)
            low, high = np.percentile(measurements.values(measurements.project(G)), (5, 95))
        else:
            numbers = len(self.bounds) == 2 and all(isinstance(bound, Real) for bound in self.bounds)
            if not numbers or not 0 <= self.bounds[0] <= self.bounds[1] < np.inf:
                raise ValueError(f"bounds={self.bounds} must be two numbers with 0 <= near <= far")
            low, high = self.bounds
        self.bounds_ = (float(low), float(high))

    def _start(self, dimension, rank, random):
        if _is_name(self.init, "pca"):
            return self._principal
        return super()._start(dimension, rank, random)

    def _pair_targets(self, alike):
        low, high = self.bounds_
        return checked_targets(np.where(alike, low, high), np.where(alike, 1, -1), None)


def random_pairs(n, count, random):
    """Pairs of different numbers below n, drawn with replacement."""
    first = random.randint(0, n, count)
    second = (first + random.randint(1, n, count)) % n
    return np.column_stack([first, second])


def _principal_directions(X, rank, random):
    n, d = X.shape
    if rank == d:
        return np.eye(d)
    if rank > n:
        raise ValueError(f"rank={rank} exceeds the {n} principal directions of {n} rows; take init='random'")
    solver = "auto" if not sparse.issparse(X) else "arpack" if rank < min(n, d) else "covariance_eigh"
    # Rows that are all alike have directions too, but no variance to share out.
    with np.errstate(invalid="ignore"):
        return np.ascontiguousarray(PCA(rank, svd_solver=solver, random_state=random).fit(X).components_.T)


def _checked_alike(alike, count):
    alike = np.asarray(alike)
    if alike.shape != (count,) or not np.isin(alike, (-1, 0, 1)).all():
        raise ValueError(
            f"alike must hold {count} Booleans, or 1 and -1, one for each pair; its shape is {alike.shape}"
        )
    return alike > 0


def _is_name(value, name):
    return isinstance(value, str) and value == name


def pair_distances(learner, X, pairs):
    """Squared learned distances of pairs of rows.

    Parameters
    ----------
    learner : FixedRankMetricLearner
        A fitted one.
    X : array or sparse matrix of shape (n_samples, n_features)
        Rows.
    pairs : array of int of shape (n_pairs, 2)
        Row numbers.

    Returns
    -------
    distances : ndarray of shape (n_pairs,)

    Examples
    --------
    >>> from treatise.metric import FixedRankMetricLearner, pair_distances
    >>> X = [[0.0, 0.0], [0.0, 3.0], [1.0, 0.0], [1.0, 3.0]]
    >>> learner = FixedRankMetricLearner().fit_pairs(X, [[0, 1], [2, 3], [0, 2], [1, 3]], [1, 1, -1, -1])
    >>> near, far = pair_distances(learner, X, [[0, 1], [0, 2]])
    >>> bool(near < 1.01), bool(far > 8.99)
    (True, True)
    """
    Z = learner.transform(X)
    pairs = checked_pairs(pairs, len(Z))
    return RowMeasurements(None).values(Z[pairs[:, 0]] - Z[pairs[:, 1]])
