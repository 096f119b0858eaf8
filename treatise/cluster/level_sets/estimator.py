"""Spectral clustering on a level set of the density (Pelletier & Pudlo, JMLR 12:385)."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy.sparse.csgraph import connected_components
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.invariants import finite, is_array, is_number
from treatise.cluster.level_sets._graph import neighbor_scale, similarities, similarity_graph
from treatise.cluster.level_sets._groups import by_size, count_groups, partition
from treatise.cluster.level_sets._spectrum import leading_spectrum
from treatise.cluster.level_sets.density import default_neighbors, fitted_density, retained_rows

# A scale is widened by this until no more components are left than groups are asked for.
_WIDER = 1.25


class LevelSetSpectralClustering(ClusterMixin, BaseEstimator):
    """Dense groups of any shape, with stray rows set aside as noise (label -1).

    Use it where groups are regions of high density and rows lie between them: rows of low density are set aside first,
    then the rest is clustered by the leading eigenvectors of a random walk that reaches only as far as ``scale``.
    Unlike connected components (DBSCAN) it bears a scale somewhat too large: groups that a few links join are still
    told apart. The number of groups is found from the spectrum, and may be one.

    Do not use it in more than some ten dimensions, where no density is estimated well, nor for groups that differ only
    in their centres and overlap (a Gaussian mixture is for those), nor for groups of very different density, of which
    the thin ones would be set aside (HDBSCAN).

    Costs O(n log n + edges) for the density and the graph in few dimensions, and a few hundred products with the graph
    for its eigenvectors; memory is the edges. In more than twelve dimensions the graph takes O(n^2 p).

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        Number of groups. ``"auto"`` takes the connected components of the graph, and more where the eigenvalues show
        groups that are only weakly joined.
    level : float or None, default=None
        Rows with a density below it are noise; in the unit of the density, one over that of the volume. 0 keeps all.
        None takes ``keep_fraction``.
    keep_fraction : float, default=0.9
        Share of the rows above the level, where ``level`` is None.
    scale : float or "auto", default="auto"
        Reach h of the kernel ``(1 - |x - y|^2 / h^2)^3``. ``"auto"`` is 1.5 times what reaches ``2 log n`` neighbours
        from nearly every retained row, and more where more components were left than ``n_clusters``.
    density : {"knn", "gaussian"} or estimator, default="knn"
        ``"knn"`` takes the distance to the ``2 log n``-th neighbour. ``"gaussian"`` is a kernel estimate by Scott's
        rule, O(n^2). Or any estimator with ``score_samples``, the logarithm of the density, as scikit-learn's
        ``KernelDensity(bandwidth=...)``.
    min_cluster_size : int or float, default=0.02
        Components of the graph with fewer rows, or a smaller share of the retained ones, are noise too. 1 keeps every
        component, as in the paper.
    max_clusters : int, default=10
        Most groups that ``"auto"`` looks for beyond the components.
    max_restarts : int, default=5000
        Most restarts of Lanczos' steps; a ``ConvergenceWarning`` tells that they were too few.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
        Group of each row, by falling size from 0; -1 is noise.
    n_clusters_ : int
        Number of groups.
    log_density_ : ndarray of shape (n_samples,)
        Logarithm of the density at each row.
    log_level_ : float
        Logarithm of the level.
    retained_ : ndarray of bool of shape (n_samples,)
        Rows at or above the level.
    scale_ : float
        Reach of the kernel.
    n_connected_components_ : int
        Components of the graph on the retained rows, small ones too.
    eigenvalues_ : ndarray
        Leading eigenvalues of the random walk, descending; 1 once for each component that is not noise.
    embedding_ : ndarray of shape (n_kept, n_clusters_)
        Leading eigenvectors at ``kept_rows_``.
    kept_rows_ : ndarray of shape (n_kept, n_features)
        Rows that are not noise.
    centers_ : ndarray of shape (n_clusters_, n_clusters_)
        Centre of each group in the embedding.
    converged_ : bool
        Whether all eigenvectors were found.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has them.

    See Also
    --------
    level_set_components : Connected components alone.
    plot_level_set : Picture of the groups, the noise and the spectrum.

    Notes
    -----
    The paper leaves open which eigenvectors to take and how to partition: here they have unit length in the inner
    product of the degrees, and k-means starts from rows that are far apart, so that nothing is drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_moons
    >>> from treatise.cluster import LevelSetSpectralClustering
    >>> X, y = make_moons(500, noise=0.05, random_state=0)
    >>> X = np.vstack([X, np.random.default_rng(0).uniform([-2, -1.5], [3, 2], (50, 2))])
    >>> model = LevelSetSpectralClustering().fit(X)
    >>> model.n_clusters_
    2
    >>> model.predict([[0.0, 1.0], [1.0, -0.5], [2.9, 1.9]])
    array([ 0,  1, -1])

    References
    ----------
    .. [1] Paper v12-0385, Section 2.2; out of sample by Proposition 1.
    """

    _parameter_constraints = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "level": [Interval(Real, 0, None, closed="left"), None],
        "keep_fraction": [Interval(Real, 0, 1, closed="right")],
        "scale": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "density": [StrOptions({"knn", "gaussian"}), HasMethods(["fit", "score_samples"])],
        "min_cluster_size": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0, 1, closed="neither")],
        "max_clusters": [Interval(Integral, 2, None, closed="left")],
        "max_restarts": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters="auto",
        *,
        level=None,
        keep_fraction=0.9,
        scale="auto",
        density="knn",
        min_cluster_size=0.02,
        max_clusters=10,
        max_restarts=5000,
    ):
        self.n_clusters = n_clusters
        self.level = level
        self.keep_fraction = keep_fraction
        self.scale = scale
        self.density = density
        self.min_cluster_size = min_cluster_size
        self.max_clusters = max_clusters
        self.max_restarts = max_restarts

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Set the noise aside and group the rest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : None
            Ignored.

        Returns
        -------
        self
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        self.density_estimator_ = fitted_density(self.density, X)
        self.log_density_ = np.asarray(self.density_estimator_.score_samples(X), dtype=np.float64)
        self.retained_, self.log_level_ = retained_rows(self.log_density_, self.level, self.keep_fraction)
        wanted = None if self.n_clusters == "auto" else int(self.n_clusters)
        n_retained = int(self.retained_.sum())
        if wanted is not None and wanted > n_retained:
            raise ValueError(f"n_clusters={wanted} exceeds the {n_retained} rows above the level; choose at most those")
        graph, part_of = self._joined(X[self.retained_], wanted)
        kept = part_of >= 0
        rows = X[self.retained_][kept]
        labels = self._group(graph[kept][:, kept], part_of[kept], wanted, rows)
        self.labels_ = np.full(len(X), -1, dtype=np.int64)
        self.labels_[np.flatnonzero(self.retained_)[kept]] = labels
        self.kept_rows_ = rows
        return self

    def _joined(self, rows, wanted):
        """The graph on retained rows, and for each its component, by falling size, or -1 where that is too small."""
        share = not isinstance(self.min_cluster_size, Integral)
        least = int(np.ceil(self.min_cluster_size * len(rows))) if share else int(self.min_cluster_size)
        self.scale_ = neighbor_scale(rows, default_neighbors(len(rows))) if self.scale == "auto" else float(self.scale)
        while True:
            graph = similarity_graph(rows, self.scale_)
            self.n_connected_components_, part_of = connected_components(graph, directed=False)
            sizes = np.bincount(part_of)
            n_large = int(np.sum(sizes >= least))
            if self.scale != "auto" or n_large <= (wanted or n_large) or n_large == 1:
                break
            self.scale_ *= _WIDER
        if n_large == 0:
            raise ValueError(
                f"no component of the graph has min_cluster_size={self.min_cluster_size} rows: the largest has "
                f"{sizes.max()} of {len(rows)}; widen scale={self.scale_:g} or lower min_cluster_size"
            )
        if wanted is not None and n_large > wanted:
            warnings.warn(
                f"the graph at scale={self.scale_:g} has {n_large} components, more than n_clusters={wanted}: only the "
                "largest are kept, the others are noise; widen the scale to join them",
                UserWarning,
                stacklevel=4,
            )
        largest = np.argsort(-sizes, kind="stable")[: min(n_large, wanted or n_large)]
        rank = np.full(len(sizes), -1)
        rank[largest] = np.arange(len(largest))
        return graph, rank[part_of]

    def _group(self, graph, part_of, wanted, rows):
        n_parts, n = int(part_of.max()) + 1, len(part_of)
        # A step after the last group is seen only with one eigenvalue more.
        n_values = wanted if wanted is not None else min(n_parts + self.max_clusters, n)
        found = leading_spectrum(graph, part_of, n_parts, max(n_values, n_parts), max_restarts=self.max_restarts)
        self.eigenvalues_, self.converged_ = found.eigenvalues, found.converged
        if not found.converged:
            warnings.warn(
                f"not all eigenvectors were found in max_restarts={self.max_restarts}; raise it, or widen "
                f"scale={self.scale_:g}",
                ConvergenceWarning,
                stacklevel=4,
            )
        groups = wanted or count_groups(found.eigenvalues, n_parts)
        self.n_clusters_ = min(groups, found.vectors.shape[1])
        self.embedding_ = found.vectors[:, : self.n_clusters_]
        if self.n_clusters_ == n_parts:
            labels, centers = part_of, np.array([self.embedding_[part_of == k][0] for k in range(n_parts)])
        else:
            labels, centers = partition(self.embedding_, self.n_clusters_)
        ranks = by_size(labels, rows)
        self.centers_ = centers[np.argsort(ranks)]
        return ranks[labels]

    def predict(self, X):
        """Group of new rows: -1 where the density is below the level, or no kept row within reach.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of int of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        labels = np.full(len(X), -1, dtype=np.int64)
        dense = np.flatnonzero(np.asarray(self.density_estimator_.score_samples(X)) >= self.log_level_)
        if len(dense) == 0:
            return labels
        near = similarities(X[dense], self.kept_rows_, self.scale_)
        degrees = np.asarray(near.sum(axis=1)).ravel()
        reached = degrees > 0.0
        # Proposition 1: an eigenvector extends to the space as the walk's mean of it, over its eigenvalue.
        places = (near[reached] @ self.embedding_) / degrees[reached, np.newaxis]
        places /= self.eigenvalues_[: self.n_clusters_]
        if reached.any():
            labels[dense[reached]] = pairwise_distances_argmin(places, self.centers_)
        return labels

    def _invariants(self):
        n, k = len(self.kept_rows_), self.n_clusters_
        yield "kept rows have a number for each feature", is_array(self.kept_rows_, np.float64, n, self.n_features_in_)
        yield "embedding is one of these rows", is_array(self.embedding_, np.float64, n, k)
        yield "each group has a centre in it", is_array(self.centers_, np.float64, k, k)
        walked = is_array(self.eigenvalues_, np.float64, None) and len(self.eigenvalues_) >= k
        yield "each of its dimensions has an eigenvalue", walked and bool((self.eigenvalues_[:k] != 0.0).all())
        yield "there is a density", hasattr(self.density_estimator_, "score_samples")
        yield "it has a level", isinstance(self.log_level_, (float, np.floating))
        yield "the reach is above zero", is_number(self.scale_) and self.scale_ > 0
        yield "all are finite", finite(self.kept_rows_) and finite(self.embedding_) and finite(self.centers_)
        yield "so are the eigenvalues", finite(self.eigenvalues_)
