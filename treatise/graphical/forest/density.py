"""Forest density estimation (Liu, Xu, Gu, Gupta, Lafferty & Wasserman, JMLR 12:907)."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.invariants import finite, is_acyclic, is_array, is_count, within
from treatise._core.threads import over_ranges
from treatise.graphical.forest._loops import column_log_densities, draw_centres, pair_log_densities
from treatise.graphical.graph import UndirectedGraphMixin
from treatise.inference.spanning_forest import (
    maximum_spanning_forest,
    restricted_forest,
    root_forest,
    tree_partition,
)
from treatise.statistics.density_grids import FLOOR, DensityGrids, plug_in_bandwidths

FEWEST_ROWS = 10
MOST_TREE_SIZES = 100


class ForestDensity(UndirectedGraphMixin, DensityMixin, BaseEstimator):
    """Density of many continuous columns whose graph is a forest, by kernel densities of columns and pairs.

    Half of the rows give kernel densities of all columns and pairs, and their mutual informations; the forest that
    joins the most informative pairs is grown, and the other half decides how large it may be. No shape is assumed of
    any column or pair, and no density of more than two columns is ever estimated.

    Use it for tens to thousands of columns that are not Gaussian and whose dependence is mostly between pairs: for
    graphs that a person can read, for densities and outlier scores, for samples. Do not use it where a few common
    causes move all columns (returns of stocks) or the data are Gaussian: a graphical lasso is then better. Not for
    categories, nor for fewer than some fifty rows; transform heavy tails first (logarithms, ranks), since one bandwidth
    must serve the whole of a column.

    Costs ``p^2 / 2`` grids of ``grid_size^2`` points, about 0.13 ms each on one core at 128 points and 150 training
    rows: some 8 s for 500 columns on two cores; twice that for "heldout" and "restricted". Memory grows with the
    training rows times p. The density of a row takes p times the training rows.

    Parameters
    ----------
    structure : {"pruned", "heldout", "restricted", "tree"} or int, default="pruned"
        How the forest is chosen. "pruned": the maximum spanning tree of the mutual informations, its edges taken by
        falling weight as long as the held-out likelihood gains most (Section 3.2). "heldout": the spanning forest of
        what the training densities say of the held-out ones (Section 3.3); overfits unless there are many held-out
        rows. "restricted": small trees (Algorithm 3). "tree": all ``p - 1`` edges, and an integer: so many; for these
        two no rows are held out.
    max_tree_edges : int, array-like of int or None, default=None
        Most edges of a tree, for "restricted". Of several the one of least held-out risk is taken; None tries 0 to
        99, and ``p - 1``.
    marginals : {"pair", "univariate"}, default="pair"
        Bandwidth of the densities of single columns. "pair": that of the pairs, so that the density integrates to one
        and ``sample`` draws from it exactly. "univariate": their own, smaller one, as in the paper. That is no density
        outside the range of the training rows: pairs have the heavier tails, their ratio to the columns grows with
        the distance, and from four edges at a column on (at 400 training rows) the integral is infinite. Outliers then
        raise the likelihood, and edges that explain nothing but them are kept.
    bandwidth_factor : float, default=1.0
        Multiplies the plug-in bandwidths (:func:`treatise.statistics.plug_in_bandwidths`).
    mutual_information : {"fast", "medium", "slow"}, default="medium"
        The estimate, see :meth:`treatise.statistics.DensityGrids.mutual_information`.
    grid_size : int, default=128
        Points on each axis of the grids, over the range of the training rows.
    holdout : float or array-like of int, default=0.5
        Share of the rows to hold out, drawn at random; or the numbers of those rows.
    random_state : int, RandomState or None, default=None
        Draws the rows to hold out.

    Attributes
    ----------
    edges_ : ndarray of int, of shape (n_edges_, 2)
        The forest, in lexical order.
    edge_weights_ : ndarray of shape (n_edges_,)
        Mutual information of each edge, in nats.
    adjacency_ : ndarray of bool, of shape (n_features, n_features)
        The same as a matrix.
    n_edges_ : int
        Number of edges.
    ordered_edges_ : ndarray of int, of shape (n_ordered, 2)
        Edges in the order in which they joined; the first ``n_edges_`` are the forest, others were pruned.
    complexities_ : ndarray of int
        What the held-out rows chose among: numbers of edges, or of edges of a tree for "restricted".
    heldout_path_ : ndarray
        Mean held-out log-likelihood at each of ``complexities_`` (on the grid, Equation 9, for "restricted"). Absent
        where no rows are held out.
    complexity_ : int
        The one chosen.
    mutual_information_ : ndarray of shape (n_features, n_features)
        Of all pairs, in nats.
    training_rows_ : ndarray of shape (n_training, n_features)
        Centres of the kernels.
    bandwidths_, pair_bandwidths_ : ndarray of shape (n_features,)
        Of single columns and of pairs, in the units of the columns.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    plot_heldout_path : The held-out likelihood against the size of the forest.
    plot_pair_density : The density of two joined columns.

    Notes
    -----
    With ``marginals="univariate"`` it is the estimate of the paper, which truncates small densities inside logarithms:
    so do we on the grid (at 1e-12), and not at all at rows. The paper bounds the size of a tree by t nodes in one place
    and by t edges in another; here edges.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import ForestDensity
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 4))
    >>> X[:, 1] = X[:, 0] ** 2 + 0.2 * X[:, 1]
    >>> model = ForestDensity(random_state=0).fit(X)
    >>> model.edges_.tolist(), model.complexity_
    ([[0, 1]], 1)
    >>> model.score_samples([[1.0, 1.0, 0.0, 0.0], [1.0, -1.0, 0.0, 0.0]]).round(1)
    array([-4. , -8.4])

    References
    ----------
    .. [1] Paper v12-0907, Sections 3 and 5, Algorithms 1-3.
    """

    _parameter_constraints: dict = {
        "structure": [
            StrOptions({"pruned", "heldout", "restricted", "tree"}),
            Interval(Integral, 0, None, closed="left"),
        ],
        "max_tree_edges": [Interval(Integral, 0, None, closed="left"), "array-like", None],
        "marginals": [StrOptions({"univariate", "pair"})],
        "bandwidth_factor": [Interval(Real, 0, None, closed="neither")],
        "mutual_information": [StrOptions({"fast", "medium", "slow"})],
        "grid_size": [Interval(Integral, 2, None, closed="left")],
        "holdout": [Interval(Real, 0, 1, closed="neither"), "array-like"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        structure="pruned",
        *,
        max_tree_edges=None,
        marginals="pair",
        bandwidth_factor=1.0,
        mutual_information="medium",
        grid_size=128,
        holdout=0.5,
        random_state=None,
    ):
        self.structure = structure
        self.max_tree_edges = max_tree_edges
        self.marginals = marginals
        self.bandwidth_factor = bandwidth_factor
        self.mutual_information = mutual_information
        self.grid_size = grid_size
        self.holdout = holdout
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Estimate the densities, and choose the forest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of continuous columns, at least ten; none constant over the training rows.
        y : ignored

        Returns
        -------
        self : ForestDensity
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=FEWEST_ROWS)
        for attribute in ("complexities_", "complexity_", "heldout_path_"):
            self.__dict__.pop(attribute, None)  # of an earlier fit that held rows out
        self.training_rows_, heldout = self._split(X)
        self.bandwidths_, self.pair_bandwidths_ = self._bandwidths(self.training_rows_, "training")
        grids = self._grids(self.training_rows_, self.bandwidths_, self.pair_bandwidths_)
        self.mutual_information_ = grids.mutual_information(self.mutual_information)
        if self.structure == "heldout":
            cross = grids.cross_information(self._heldout_grids(heldout))
            self._keep_best(maximum_spanning_forest(cross, min_weight=0.0), heldout)
        elif self.structure == "restricted":
            self._keep_least_risk(grids, self._heldout_grids(heldout))
        else:
            self._keep_best(maximum_spanning_forest(self.mutual_information_), heldout)
        forest = np.zeros_like(self.mutual_information_, dtype=bool)
        i, j = self.ordered_edges_[: self.n_edges_].T
        forest[i, j] = forest[j, i] = True
        self._set_graph(self.mutual_information_, forest)
        return self

    def score_samples(self, X):
        """Log-density of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, in the units of the training rows.

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
        """
        columns, gains = self._log_terms(self._rows(X), self.ordered_edges_[: self.n_edges_])
        return columns.sum(axis=1) + gains.sum(axis=1)

    def score(self, X, y=None):
        """Mean log-density of the rows, larger is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : ignored

        Returns
        -------
        score : float
        """
        return float(self.score_samples(X).mean())

    def score_path(self, X):
        """Mean log-density of the rows under the forests of the first 0, 1, 2, ... of ``ordered_edges_``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_ordered + 1,)
            Without edges first; entry ``n_edges_`` is ``score(X)``.
        """
        return self._path(self._rows(X))

    def sample(self, n_samples=1, random_state=None):
        """Draw rows: the first column of each tree from its density, then each next one given its neighbour.

        Parameters
        ----------
        n_samples : int, default=1
            Number of rows.
        random_state : int, RandomState or None, default=None
            Draws them.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        generator, centres = check_random_state(random_state), self.training_rows_.T.copy()
        X = np.empty((len(centres), n_samples))
        order, parent = root_forest(len(centres), self.edges_)
        for column in order:
            above = parent[column]
            if above < 0:
                drawn, width = generator.randint(centres.shape[1], size=n_samples), self.bandwidths_[column]
            else:
                uniform, width = generator.uniform(size=n_samples), self.pair_bandwidths_[column]
                drawn = draw_centres(X[above], centres[above], self.pair_bandwidths_[above], uniform)
            X[column] = centres[column, drawn] + width * generator.standard_normal(n_samples)
        return np.ascontiguousarray(X.T)

    def _rows(self, X):
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, reset=False)

    def _split(self, X):
        """Training and held-out rows; None are held out where nothing is to be chosen."""
        n, p = X.shape
        if self.structure == "tree":
            return X, None
        if isinstance(self.structure, Integral):
            if self.structure > p - 1:
                raise ValueError(f"structure={self.structure} edges are too many: a forest of {p} columns has {p - 1}")
            return X, None
        heldout = np.zeros(n, dtype=bool)
        if isinstance(self.holdout, Real):
            size = min(max(round(n * self.holdout), 2), n - 2)
            heldout[check_random_state(self.random_state).permutation(n)[:size]] = True
        else:
            numbers = np.asarray(self.holdout)
            if numbers.dtype.kind not in "iu" or numbers.ndim != 1 or not ((-n <= numbers) & (numbers < n)).all():
                raise ValueError(f"holdout must be a share or the numbers of rows, 0 to {n - 1}; got {self.holdout!r}")
            heldout[numbers] = True
            if not 2 <= heldout.sum() <= n - 2:
                raise ValueError(f"holdout names {heldout.sum()} of {n} rows; two or more must be left on either side")
        return X[~heldout], X[heldout]

    def _bandwidths(self, rows, which):
        """Bandwidths of columns and of pairs, in the units of the rows."""
        own, pair = (self.bandwidth_factor * plug_in_bandwidths(rows, dimension=k) for k in (1, 2))
        constant = np.flatnonzero(pair == 0)
        if len(constant):
            names = ", ".join(str(k) for k in constant[:5]) + (", ..." if len(constant) > 5 else "")
            raise ValueError(f"constant over the {len(rows)} {which} rows, without a density: column {names}; drop it")
        return (pair if self.marginals == "pair" else own), pair

    def _invariants(self):
        p = self.n_features_in_
        yield "training rows have a number for each column", is_array(self.training_rows_, np.float64, None, p)
        yield "there are training rows, all finite", len(self.training_rows_) > 0 and finite(self.training_rows_)
        for name in ("bandwidths_", "pair_bandwidths_"):
            widths = getattr(self, name)
            yield (
                f"{name} has a width for each column",
                is_array(widths, np.float64, p) and within(widths, np.finfo(float).tiny, np.inf),
            )
        for name in ("edges_", "ordered_edges_"):
            edges = getattr(self, name)
            yield f"{name} joins columns", is_array(edges, np.int64, None, 2) and within(edges, 0, p)
        yield "edges are counted", is_count(self.n_edges_)
        yield "edges_ join no circle", is_acyclic(self.edges_, p)

    def _grids(self, rows, bandwidths, pair_bandwidths):
        """Densities of the rows on the grid over the range of the training rows."""
        low, span = self.training_rows_.min(axis=0), np.ptp(self.training_rows_, axis=0)
        return DensityGrids(
            (rows - low) / span,
            grid_size=self.grid_size,
            bandwidths=bandwidths / span,
            pair_bandwidths=pair_bandwidths / span,
        )

    def _heldout_grids(self, heldout):
        return self._grids(heldout, *self._bandwidths(heldout, "held-out"))

    def _keep_best(self, edges, heldout):
        """Keep as many of the ordered edges as the structure says."""
        self.ordered_edges_ = edges
        if heldout is None:
            self.n_edges_ = len(edges) if self.structure == "tree" else int(self.structure)
            return
        self.complexities_ = np.arange(len(edges) + 1)
        self.heldout_path_ = self._path(heldout)
        self.n_edges_ = int(np.argmax(self.heldout_path_)) if self.structure == "pruned" else len(edges)
        self.complexity_ = self.n_edges_

    def _keep_least_risk(self, grids, heldout_grids):
        """Of the forests of small trees, pruned on the held-out densities, that of the least risk (Algorithm 3)."""
        information, cross = self.mutual_information_, grids.cross_information(heldout_grids)
        p = len(information)
        tree = maximum_spanning_forest(information, min_weight=0.0)
        weights = information[tree[:, 0], tree[:, 1]]
        free = np.bincount(tree.ravel(), minlength=1).max()
        forests = []
        for size in self._tree_sizes(p):
            # From the largest degree on, the greedy stage of Algorithm 2 is that of the spanning tree.
            if size < free:
                edges = restricted_forest(information, size)
            else:
                edges = tree[tree_partition(p, tree, weights, size)]
            forests.append(edges[cross[edges[:, 0], edges[:, 1]] > 0])
        # Equation 9, less its sign; the columns' part is the same for all forests.
        step = 1.0 / (self.grid_size - 1)
        log_columns = np.log(np.maximum(grids.univariate, FLOOR)) - np.log(np.ptp(self.training_rows_, axis=0))[:, None]
        columns = (heldout_grids.univariate * log_columns).sum() * step
        self.complexities_ = self._tree_sizes(p)
        self.heldout_path_ = np.array([columns + cross[edges[:, 0], edges[:, 1]].sum() for edges in forests])
        best = int(np.argmax(self.heldout_path_))
        self.ordered_edges_, self.n_edges_ = forests[best], len(forests[best])
        self.complexity_ = int(self.complexities_[best])

    def _tree_sizes(self, p):
        """The numbers of edges of a tree to choose from, rising."""
        if self.max_tree_edges is None:
            return np.unique(np.append(np.arange(min(p, MOST_TREE_SIZES)), p - 1))
        sizes = np.unique(np.atleast_1d(self.max_tree_edges))
        if sizes.dtype.kind not in "iu" or sizes.size == 0 or sizes[0] < 0:
            raise ValueError(f"max_tree_edges must hold whole numbers, 0 or more; got {self.max_tree_edges!r}")
        return sizes

    def _path(self, X):
        columns, gains = self._log_terms(X, self.ordered_edges_)
        return np.cumsum(np.concatenate([[columns.sum(axis=1).mean()], gains.mean(axis=0)]))

    def _log_terms(self, X, edges):
        """Log-density of every column at every row, and what each edge adds to their sum."""
        (n, p), n_centres = X.shape, len(self.training_rows_)
        centres = self.training_rows_.T.copy()
        columns, pairs = np.empty((n, p)), np.empty((n, len(edges)))
        over_ranges(
            lambda first, last: column_log_densities(X, centres, self.bandwidths_, first, last, columns),
            n,
            cost=6.0 * n * p * n_centres,
        )
        over_ranges(
            lambda first, last: pair_log_densities(X, centres, self.pair_bandwidths_, edges, first, last, pairs),
            n,
            cost=7.0 * n * p * n_centres,
        )
        return columns, pairs - columns[:, edges[:, 0]] - columns[:, edges[:, 1]]
