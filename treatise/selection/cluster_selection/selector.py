"""Feature selection wrapped around clustering, FSSEM (Dy & Brodley, JMLR 5:845)."""

import warnings
from numbers import Integral, Real

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.invariants import are_distinct, is_array
from treatise.selection.cluster_selection._clusterings import by_estimator, by_k_means, by_mixture
from treatise.selection.cluster_selection.criteria import CRITERIA, cross_projected

SLACK = 1e-9
"""Relative rounding of a criterion: a gain of less is none."""


def _can_predict(selector):
    return not hasattr(selector, "clusterer_") or hasattr(selector.clusterer_, "predict")


class ClusterFeatureSelector(SelectorMixin, ClusterMixin, BaseEstimator):
    """Choose features, clusters and the number of clusters together, without labels (FSSEM).

    Features are added one by one. Each candidate subset is clustered anew, with its own number of clusters, and the
    best one by a criterion of its clusters is taken, if it beats the subset without: for that, each clustering is
    judged in the features of both, since a criterion means something else in another number of features.

    Use it for unlabelled continuous data with up to some tens of features, of which many may be noise that hides the
    clusters. Do not use it for hundreds of features, since every candidate is clustered anew, nor for columns of few
    different values. Do not use it for a hundred rows or two either: the search never goes back, and a cluster of few
    rows that one or two features show by chance ends it there; on parts of such a table it keeps other features and
    finds other clusters than on the whole, where k-means in all features is steadier. It finds structure, not the
    classes that you may have in mind.

    Costs up to p^2 / 2 clusterings, p for each feature kept and for the last try: 500 rows of 20 features, at most 10
    clusters, in some 5 seconds.

    Parameters
    ----------
    clusterer : "em", "kmeans" or estimator, default="em"
        Gaussian mixtures with full covariances, k-means, or any clusterer with ``fit_predict``, which then knows its
        number of clusters itself.
    criterion : {"trace", "likelihood"}, default="trace"
        Scatter between clusters in units of that within them, for well separated clusters, or the likelihood of a
        Gaussian mixture, for clusters that are Gaussian.
    n_clusters : "auto" or int, default="auto"
        Number of clusters; "auto" finds it anew in each subset, by BIC.
    max_clusters : int, default=10
        Largest number that "auto" looks at.
    normalize : bool, default=True
        Whether each clustering is judged in the features of both; without, the raw criteria are compared.
    standardize : bool, default=True
        Whether features are divided by their standard deviations, which the likelihood needs; the trace does not mind.
    max_features : int or None, default=None
        Most features to take.
    init : {"kmeans", "random", "subsample"}, default="kmeans"
        Where EM begins, as in :class:`treatise.statistics.MergeGaussianMixture`.
    n_init : int, default=10
        Starts of EM or of k-means.
    tol : float, default=1e-4
        Change of the log-likelihood at which EM ends.
    max_iter : int, default=500
        Most steps of EM or k-means.
    n_jobs : int or None, default=None
        Candidates clustered at a time, in threads.
    random_state : int, RandomState instance or None, default=None
        Draws the starts.

    Attributes
    ----------
    selected_ : ndarray of int
        Features kept, in the order in which they were taken.
    support_ : ndarray of bool of shape (n_features,)
        The same as a mask.
    n_clusters_ : int
        Clusters in them.
    labels_ : ndarray of int of shape (n_samples,)
        Most likely cluster of each row.
    responsibilities_ : ndarray of shape (n_samples, n_clusters)
        Memberships of the rows.
    clusterer_ : estimator
        The clusterer fitted to the kept features, divided by ``scale_``.
    scale_ : ndarray of shape (n_features,)
        What the features are divided by.
    path_ : dict of ndarray
        For every subset that was best of its size, the refused last one among them: the ``feature`` that it added, its
        ``n_clusters`` and raw ``criterion``, the normalised values of it and of the one before (``value`` and
        ``before``), and whether it was ``accepted``.
    converged_ : bool
        Whether the clustering that is kept converged.
    n_iter_ : int
        Steps that it took, of EM with its number of clusters or of k-means.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    treatise.statistics.MergeGaussianMixture : The clusterer alone.
    plot_cluster_path : The criterion over the features taken.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treatise.selection import ClusterFeatureSelector
    >>> X, _ = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ClusterFeatureSelector(criterion="likelihood", max_clusters=6, random_state=0).fit(X)
    >>> [X.columns[i] for i in selector.selected_[:2]], selector.n_clusters_
    (['petal length (cm)', 'petal width (cm)'], 3)

    References
    ----------
    .. [1] Paper v05-0845, Sections 2 to 5.
    """

    _parameter_constraints: dict = {
        "clusterer": [StrOptions({"em", "kmeans"}), HasMethods(["fit_predict", "get_params"])],
        "criterion": [StrOptions(set(CRITERIA))],
        "n_clusters": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "max_clusters": [Interval(Integral, 1, None, closed="left")],
        "normalize": ["boolean"],
        "standardize": ["boolean"],
        "max_features": [Interval(Integral, 1, None, closed="left"), None],
        "init": [StrOptions({"kmeans", "random", "subsample"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self, clusterer="em", *, criterion="trace", n_clusters="auto", max_clusters=10, normalize=True,
        standardize=True, max_features=None, init="kmeans", n_init=10, tol=1e-4, max_iter=500, n_jobs=None,
        random_state=None,
    ):  # fmt: skip
        self.clusterer = clusterer
        self.criterion = criterion
        self.n_clusters = n_clusters
        self.max_clusters = max_clusters
        self.normalize = normalize
        self.standardize = standardize
        self.max_features = max_features
        self.init = init
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Choose features and find the clusters in them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Continuous features.
        y : ignored

        Returns
        -------
        self
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        usable = self._usable(X)
        spread = X.std(axis=0)
        self.scale_ = np.where(spread > 0, spread, 1.0) if self.standardize else np.ones(X.shape[1])
        subset, clustering = self._search(X / self.scale_, usable)
        self.selected_ = np.array(subset, dtype=np.intp)
        self.support_ = np.zeros(X.shape[1], dtype=bool)
        self.support_[subset] = True
        self.clusterer_ = clustering.model
        self.responsibilities_, self.n_clusters_ = clustering.memberships, clustering.n_clusters
        self.labels_ = np.argmax(clustering.memberships, axis=1)
        self.converged_, self.n_iter_ = bool(clustering.converged), int(getattr(clustering.model, "n_iter_", 1))
        self._warn()
        return self

    def _search(self, table, usable):
        """Forward search: features in the order taken, and the clusters in them."""
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        named = {"em": by_mixture, "kmeans": by_k_means}
        cluster = named[self.clusterer] if isinstance(self.clusterer, str) else by_estimator
        judge = CRITERIA[self.criterion]

        def tried(features):
            clustering = cluster(np.ascontiguousarray(table[:, features]), self, seed)
            return judge(table[:, features], clustering.memberships), clustering

        subset, clustering, raw = [], None, -np.inf
        path = []
        most = len(usable) if self.max_features is None else min(self.max_features, len(usable))
        with Parallel(n_jobs=self.n_jobs, prefer="threads") as parallel:
            while len(subset) < most:
                left = [feature for feature in usable if feature not in subset]
                found = parallel(delayed(tried)([*subset, feature]) for feature in left)
                best = int(np.argmax([value for value, _ in found]))
                value, candidate = found[best]
                grown = [*subset, left[best]]
                before, after = self._compared(table, subset, clustering, raw, grown, candidate, value)
                accepted = not subset or after > before + SLACK * abs(before)
                path.append((left[best], candidate.n_clusters, value, after, before, accepted))
                if not accepted:
                    break
                subset, clustering, raw = grown, candidate, value
        names = ("feature", "n_clusters", "criterion", "value", "before", "accepted")
        self.path_ = {name: np.array(column) for name, column in zip(names, zip(*path))}
        return subset, clustering

    def _compared(self, table, subset, clustering, raw, grown, candidate, value):
        """Values of the subset so far and of the one that has grown, to be compared."""
        if not subset:
            return np.nan, value
        if not self.normalize:
            return raw, value
        return cross_projected(table, subset, clustering.memberships, grown, candidate.memberships, self.criterion)

    def _usable(self, X):
        """Features that vary; tells of those that do not, and of those with too few values."""
        constant = np.flatnonzero(np.ptp(X, axis=0) == 0)
        if len(constant) == X.shape[1]:
            raise ValueError("every feature of X is constant; there is nothing to cluster")
        if len(constant):
            warnings.warn(f"features {constant.tolist()} are constant and are left out", UserWarning, stacklevel=4)
        usable = np.setdiff1d(np.arange(X.shape[1]), constant)
        most = self.max_clusters if self.n_clusters == "auto" else self.n_clusters
        few = [int(j) for j in usable if len(np.unique(X[:, j])) <= min(most, len(X) - 1)]
        if few and isinstance(self.clusterer, str) and self.clusterer == "em":
            warnings.warn(
                f"features {few} have no more different values than clusters may be ({most}): each value can be a "
                "cluster of no width, and the likelihood means nothing there. Leave them out, or lower max_clusters",
                UserWarning,
                stacklevel=4,
            )
        return usable.tolist()

    def _warn(self):
        # Two frames up: scikit-learn wraps fit.
        if self.n_clusters_ == 1:
            warnings.warn(
                "one cluster only was found, in every feature alone and in what was added: the features kept mean "
                "nothing",
                UserWarning,
                stacklevel=4,
            )
        if not self.converged_:
            warnings.warn(
                f"the clustering that is kept did not converge in max_iter={self.max_iter} steps; raise it, or tol",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.support_

    def _invariants(self):
        p = self.n_features_in_
        yield "columns have scales", is_array(self.scale_, np.floating, p)
        yield (
            "the kept columns are those of the selection",
            are_distinct(self.selected_, p) and np.array_equal(np.sort(self.selected_), np.flatnonzero(self.support_)),
        )
        width = getattr(self.clusterer_, "n_features_in_", len(self.selected_))
        yield "clusters are of the kept columns", width == len(self.selected_)

    @available_if(_can_predict)
    def predict(self, X):
        """Cluster of each row, by the kept features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        labels : ndarray of int of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.clusterer_.predict(X[:, self.selected_] / self.scale_[self.selected_])
