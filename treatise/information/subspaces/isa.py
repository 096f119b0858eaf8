"""Independent subspace analysis: independent groups of components instead of single ones."""

import warnings
from itertools import combinations, pairwise
from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.invariants import finite, is_array
from treatise.information._estimator import Estimator, named
from treatise.information.subspaces.grouping import improve_by_cost, spectral_groups, swap_groups
from treatise.information.subspaces.landmarks import landmark_spectral_clustering
from treatise.information.subspaces.rotation import independent_rotation

_MOST_WHOLE = 2000
_RANK_TOLERANCE = 1e-9
_SHUFFLED_PAIRS = 60
_TRACE = 0.1
"""Share of the largest dependence below which none is taken for a group where the number of groups is not given."""
COSTS = ("pairwise1d", "joint", "recursive", "entropies", "within", "pairwise")


class IndependentSubspaceAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Finds groups of directions such that the groups are independent, though directions within one are not.

    Mixtures of multidimensional sources: two-dimensional motions, colours, phases and amplitudes. By the separation
    principle, independent component analysis comes first, and its components are then grouped by how much they depend.
    Use it where single independent components leave dependence between some of them. Do not use it on Gaussian data,
    where no direction is special, nor with fewer than hundreds of rows for each dependent pair.

    Components come from exact rotations of pairs, O(n p^2) for each of a dozen sweeps; their grouping costs one
    estimate of dependence for each of the p (p - 1) / 2 pairs. ``dependence="energy"`` takes a matrix product instead,
    and landmarks beyond 2 000 components.

    Parameters
    ----------
    dims : list of int or None, default=None
        Sizes of the groups if they are known; components are then exchanged between groups to the least cost.
    n_subspaces : int or None, default=None
        Number of groups, of any size, if only it is known. With both None it is read off the spectrum of the
        dependence beyond what shuffled components show, and beyond a tenth of the largest.
    dependence : str or estimator, default="shannon_ksg"
        A method of :func:`mutual_information` for two columns, such as "hsic" or "distance_correlation"; or
        ``"energy"``, the squared correlation of the components' squares: fastest, and blind to dependence without it.
    cost : {"pairwise1d", "joint", "recursive", "entropies", "within", "pairwise"}, default="pairwise1d"
        What the grouping of known sizes minimises: information between single components of different groups, between
        all groups jointly, between each group and those after it, the sum of the groups' entropies, minus the
        information within groups, or between pairs of groups. All but the first estimate anew for each exchange.
    n_restarts : int, default=10
        Starts of the exchange.
    max_iter : int, default=200
        Sweeps over all pairs of components; a dozen are usual.
    random_state : int, RandomState instance or None, default=None
        Starts the grouping, and shuffles; the components themselves have no chance in them.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Directions whose products with centred rows are the components, groups one after the other.
    mixing_ : ndarray of shape (n_features, n_components)
        Pseudo-inverse of ``components_``.
    mean_ : ndarray of shape (n_features,)
        Mean of the columns.
    subspaces_ : list of ndarray of int
        Positions of the components of each group, largest groups first.
    dependence_ : ndarray of shape (n_components, n_components) or None
        Dependence of each pair of components, zero on the diagonal; None where landmarks were used.
    noise_level_ : float
        Largest dependence of shuffled components.
    residual_ : float
        Largest dependence between components of different groups: near the noise where the analysis succeeded.
    n_iter_ : int
        Sweeps of the rotation.
    converged_ : bool
        Whether the rotation came to rest. If not, a warning says what dependence is left between the groups.

    See Also
    --------
    AutoregressiveISA : For sources that follow one another in time.
    PostNonlinearISA : For mixtures seen through a curve in each sensor.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.information import IndependentSubspaceAnalysis
    >>> rng = np.random.default_rng(0)
    >>> angle, radius = rng.uniform(0, 2 * np.pi, (2, 2000)), 1 + 0.1 * rng.normal(size=(2, 2000))
    >>> rings = np.column_stack([radius[0] * np.cos(angle[0]), radius[0] * np.sin(angle[0]),
    ...                          radius[1] * np.cos(angle[1]), radius[1] * np.sin(angle[1])])
    >>> model = IndependentSubspaceAnalysis(random_state=0).fit(rings @ rng.normal(size=(4, 4)))
    >>> [len(group) for group in model.subspaces_]
    [2, 2]

    References
    ----------
    .. [1] Paper v15-0283, Section 2, "Modularity" and "ISA Objectives and Optimization".
    """

    _parameter_constraints: dict = {
        "dims": ["array-like", None],
        "n_subspaces": [Interval(Integral, 1, None, closed="left"), None],
        "dependence": [str, Estimator],
        "cost": [StrOptions(set(COSTS))],
        "n_restarts": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        dims=None,
        *,
        n_subspaces=None,
        dependence="shannon_ksg",
        cost="pairwise1d",
        n_restarts=10,
        max_iter=200,
        random_state=None,
    ):
        self.dims = dims
        self.n_subspaces = n_subspaces
        self.dependence = dependence
        self.cost = cost
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Find the components and their groups.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Mixed signals, a row for each moment.
        y : None
            Not used.

        Returns
        -------
        self
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=4)
        self._separate(X)
        return self

    def transform(self, X):
        """Components of rows, groups one after the other.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Mixed signals.

        Returns
        -------
        S : ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return (X - self.mean_) @ self.components_.T

    def inverse_transform(self, S):
        """Mixed signals from components.

        Parameters
        ----------
        S : array-like of shape (n_samples, n_components)
            Components; set those of a group to zero to remove it.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return np.asarray(S, np.float64) @ self.mixing_.T + self.mean_

    def _separate(self, X, kept=None):
        """Whiten, unmix and group centred rows; ``kept`` limits the number of components."""
        rng = check_random_state(self.random_state)
        self.mean_ = X.mean(axis=0)
        whitening = _whitening(X - self.mean_, kept)
        white = (X - self.mean_) @ whitening.T
        rotation, self.n_iter_, ended = independent_rotation(white, self.max_iter)
        sources = white @ rotation.T
        labels = self._groups(sources, rng)
        groups = sorted((np.flatnonzero(labels == g) for g in np.unique(labels)), key=lambda g: (-len(g), g[0]))
        order = np.concatenate(groups)
        self.components_ = (rotation @ whitening)[order]
        self.mixing_ = np.linalg.pinv(self.components_)
        ends = np.cumsum([0, *(len(group) for group in groups)])
        self.subspaces_ = [np.arange(a, b) for a, b in pairwise(ends)]
        self._judge(labels, order, ended)

    def _judge(self, labels, order, ended):
        between = labels[:, np.newaxis] != labels
        if self.dependence_ is None:
            self.residual_, self.converged_ = 0.0, bool(ended)
            return
        self.residual_ = float(self.dependence_[between].max(initial=0.0))
        self.dependence_ = self.dependence_[np.ix_(order, order)]
        self.converged_ = bool(ended)
        if not self.converged_:
            warnings.warn(
                f"the rotation did not come to rest in {self.max_iter} sweeps; dependence of {self.residual_:.3g} is "
                f"left between the groups, where shuffled components show {self.noise_level_:.3g}. If it is much more, "
                "raise max_iter",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _groups(self, sources, rng):
        p = sources.shape[1]
        dims = None if self.dims is None else _checked_dims(self.dims, p)
        if self.n_subspaces is not None and self.n_subspaces > p:
            raise ValueError(f"n_subspaces={self.n_subspaces} exceeds the {p} components of X; choose at most as many")
        self.dependence_, self.noise_level_ = None, 0.0
        if p > _MOST_WHOLE:
            return self._landmark_groups(sources, rng)
        self.dependence_ = pairwise_dependence(sources, self.dependence)
        self.noise_level_ = _noise_level(sources, self.dependence, rng)
        if dims is None:
            # Components are not separated perfectly, so that strong groups leave a trace in others.
            floor = max(self.noise_level_, _TRACE * float(self.dependence_.max(initial=0.0)))
            excess = np.maximum(self.dependence_ - floor, 0.0)
            return spectral_groups(excess, self.n_subspaces, rng)
        labels = swap_groups(self.dependence_, dims, self.n_restarts, rng)
        if self.cost == "pairwise1d" or len(dims) == 1:
            return labels
        return improve_by_cost(labels, GroupingCost(self.cost, sources))[0]

    def _landmark_groups(self, sources, rng):
        if self.dependence != "energy" or self.n_subspaces is None:
            raise ValueError(
                f"{sources.shape[1]} components have too many pairs; take dependence='energy' and give n_subspaces"
            )
        energies = sources.T**2
        energies -= energies.mean(axis=1, keepdims=True)
        return landmark_spectral_clustering(energies, self.n_subspaces, random_state=rng)

    @property
    def _n_features_out(self):
        return len(self.components_)

    def _invariants(self):
        shape = self.components_.shape
        yield "components are a matrix", is_array(self.components_, np.float64, shape[0], self.n_features_in_)
        yield "the mixing matrix leads back", is_array(self.mixing_, np.float64, self.n_features_in_, shape[0])
        yield "the mean has the width of a row", is_array(self.mean_, np.float64, self.n_features_in_)
        yield "all are finite", finite(self.components_) and finite(self.mixing_) and finite(self.mean_)


def pairwise_dependence(S, dependence):
    """Dependence of each pair of columns, zero on the diagonal and where an estimate is negative."""
    p = S.shape[1]
    if isinstance(dependence, str) and dependence == "energy":
        if p == 1:
            return np.zeros((1, 1))
        squares = np.corrcoef(S**2, rowvar=False) ** 2
        np.fill_diagonal(squares, 0.0)
        return squares
    estimator = named("mutual_information", dependence, {})
    matrix = np.zeros((p, p))
    for i, j in combinations(range(p), 2):
        matrix[i, j] = matrix[j, i] = max(0.0, estimator.estimate(S[:, i], S[:, j]))
    return matrix


def _noise_level(sources, dependence, rng):
    """Largest dependence of shuffled components, over enough shuffles for sixty pairs."""
    p, ordered = sources.shape[1], np.sort(sources, axis=0)  # sorted, so that the order of the rows does not matter
    shuffles = -(-_SHUFFLED_PAIRS // max(1, p * (p - 1) // 2))
    level = 0.0
    for _ in range(shuffles if p > 1 else 0):
        shuffled = np.column_stack([rng.permutation(column) for column in ordered.T])
        level = max(level, float(pairwise_dependence(shuffled, dependence).max()))
    return level


class GroupingCost:
    """A cost of the paper over groupings of components, with the groups' own terms remembered."""

    def __init__(self, kind, sources):
        self.kind, self.sources = kind, sources
        self._known: dict = {}

    def __call__(self, labels):
        groups = [tuple(np.flatnonzero(labels == g)) for g in np.unique(labels)]
        if self.kind == "entropies":
            return sum(self._term("H", g) for g in groups)
        if self.kind == "within":
            return -sum(self._term("I", *((i,) for i in g)) for g in groups if len(g) > 1)
        if self.kind == "pairwise":
            return sum(self._term("I", a, b) for a, b in combinations(groups, 2))
        if self.kind == "recursive":
            return sum(self._term("I", g, sum(groups[m + 1 :], ())) for m, g in enumerate(groups[:-1]))
        return self._term("I", *groups)

    def _term(self, kind, *groups):
        key = (kind, frozenset(groups))
        if key not in self._known:
            columns = [self.sources[:, list(group)] for group in groups]
            if kind == "H":
                self._known[key] = named("entropy", "shannon_knn", {}).estimate(columns[0])
            else:
                estimator = named("mutual_information", "shannon_ksg", {})
                self._known[key] = estimator.estimate(np.hstack(columns), dims=[c.shape[1] for c in columns])
        return self._known[key]


def _whitening(X, kept):
    if not np.any(X.std(axis=0) > 0):
        raise ValueError("all rows of X are equal; there is nothing to separate")
    _, s, V = np.linalg.svd(X, full_matrices=False)
    rank = int(np.sum(s > _RANK_TOLERANCE * s[0]))
    if kept is not None and kept > rank:
        raise ValueError(f"{kept} components are more than the rank {rank} of X; choose at most as many")
    count = rank if kept is None else kept
    V = V[:count]
    V = V * np.sign(V[np.arange(count), np.argmax(np.abs(V), axis=1)])[:, np.newaxis]  # not by chance of the solver
    return V * (np.sqrt(len(X)) / s[:count, np.newaxis])


def _checked_dims(dims, p):
    dims = [int(width) for width in dims]
    if min(dims, default=0) < 1 or sum(dims) != p:
        raise ValueError(f"dims={dims} must be positive sizes that sum to the {p} components of X")
    return dims
