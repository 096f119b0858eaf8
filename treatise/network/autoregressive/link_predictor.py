"""The next snapshot of a network whose features follow an autoregression (JMLR 15:565)."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import finite, is_array
from treatise.network.autoregressive._joint_fit import fit_jointly
from treatise.network.autoregressive._past import Past
from treatise.network.autoregressive._sliding_windows import DIRECTIONS, PAPER_DIRECTIONS, best_choice
from treatise.network.autoregressive.snapshots import matrix_of, read_snapshots, write_like


class AutoregressiveLinkPredictor(BaseEstimator):
    """Predicts the next snapshot of a network: a sparse autoregression of its features, and a sparse low-rank matrix.

    Features of a snapshot, such as degrees or its projections on the leading directions, follow from those of the
    snapshots before by a sparse matrix W; the next snapshot A is sparse, of low rank, not negative, and has the
    features that W foretells. Both are found together, as one convex problem, with a duality gap.

    Use it for networks, or tables of who bought what, that are seen at five times or more and change by a rule:
    fashions that move on, groups that take turns. Do not use it for a single network (:func:`likely_links`), nor where
    nearly all links of the last snapshot stay, which the sum of the snapshots predicts as well. Cost: a decomposition
    of a snapshot a step, ten to some hundred steps, and "auto" fits up to sixty times; dense matrices of the size of a
    snapshot. With ``rule="full"`` also a lasso for each of d features a step and memory d x d: some hundred nodes.

    Parameters
    ----------
    features : {"svd", "in_degree", "out_degree", "entries"}, default="svd"
        What follows the autoregression: projections of the rows on the leading right singular vectors of the sum of
        all snapshots, sums of columns, sums of rows, or all entries.
    n_directions : int or "auto", default="auto"
        Singular vectors of "svd". "auto" takes what predicts best of 1, 2, 5 and 20, or 5, the paper's, for the full
        rule.
    rule : {"shared", "full"}, default="shared"
        "shared": the features of a node follow from those of the same node, by one W for all nodes, as in the paper's
        own model of such networks (Section 4.2). "full": each feature of each node may follow from every other, the
        paper's estimate; with few snapshots it mostly fits noise.
    order : int, default=1
        Snapshots that the next one follows from.
    fit_intercept : bool, default=True
        Whether features have levels to which they return; the paper's have none.
    kappa, tau, gamma : float or "auto", default="auto"
        Prices of entries of W, of singular values of A and of entries of A. "auto" tries shares of the prices at which
        nothing is left, and takes those that predict the stronger half of the links of the last three known snapshots
        best from those before them, by the area under the ROC curve. Give all three or none.
    nonnegative : bool, default=True
        Whether A must not be negative.
    max_iter : int, default=2000
        Most steps.
    tol : float, default=1e-2
        Duality gap at which it ends, as a share of the squares of the features foretold (divided by d, as in the
        objective).

    Attributes
    ----------
    scores_ : ndarray of shape (n_rows, n_columns)
        The predicted snapshot. If all snapshots are undirected, so is this, the mean of both directions; if no node is
        ever linked with itself, the diagonal is zero.
    W_ : ndarray of shape (order * n, n)
        The autoregression of the n features of a node ("shared") or of all ("full"), the nearest snapshot first; not
        unique where there are fewer snapshots than features.
    intercept_ : ndarray of shape (n_features,)
        Levels of the features.
    predicted_features_ : ndarray of shape (n_features,)
        Those that are foretold, node by node.
    n_directions_ : int
        Singular vectors used.
    kappa_, tau_, gamma_ : float
        Prices used.
    objective_, gap_ : float
        What was minimised, and how much it is at most above the least.
    converged_ : bool
        Whether the gap is as small as asked for.
    n_iter_ : int
        Steps.
    nodes_ : ndarray of shape (n_rows,)
        Names of the nodes.

    See Also
    --------
    link_scores : Yardsticks from one network.
    treatise.optimize.denoise_sparse_low_rank : A sparse low-rank matrix near a given one, without time.

    Examples
    --------
    >>> from treatise.datasets import make_changing_network
    >>> from treatise.network import AutoregressiveLinkPredictor
    >>> snapshots = make_changing_network(20, 3, 12, random_state=0)
    >>> model = AutoregressiveLinkPredictor().fit(snapshots[:-1])
    >>> model.score(snapshots[-1]) > 0.9
    True

    References
    ----------
    .. [1] Paper v15-0565, Equation (3); the solver is our own, as the paper's Algorithm 1 ends above the optimum.
       ``AutoregressiveLinkPredictor(n_directions=5, rule="full", fit_intercept=False)`` is the paper's estimate.
    """

    _parameter_constraints: dict = {
        "features": [StrOptions({"svd", "in_degree", "out_degree", "entries"})],
        "n_directions": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "rule": [StrOptions({"shared", "full"})],
        "order": [Interval(Integral, 1, None, closed="left")],
        "fit_intercept": ["boolean"],
        "kappa": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "tau": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "gamma": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "nonnegative": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self, features="svd", *, n_directions="auto", rule="shared", order=1, fit_intercept=True, kappa="auto",
        tau="auto", gamma="auto", nonnegative=True, max_iter=2000, tol=1e-2,
    ):  # fmt: skip
        self.features = features
        self.n_directions = n_directions
        self.rule = rule
        self.order = order
        self.fit_intercept = fit_intercept
        self.kappa = kappa
        self.tau = tau
        self.gamma = gamma
        self.nonnegative = nonnegative
        self.max_iter = max_iter
        self.tol = tol

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, graphs, y=None):
        """Learn from snapshots in the order of time.

        Parameters
        ----------
        graphs : list of array-like, of sparse matrices or of networkx graphs
            Weights of links; matrices of one shape, or graphs whose nodes may come and go.
        y : ignored
            Present for scikit-learn's sake.

        Returns
        -------
        self
        """
        prices = self.kappa, self.tau, self.gamma
        n_given = sum(price != "auto" for price in prices)
        if n_given not in (0, 3):
            raise ValueError("kappa, tau and gamma are chosen together; give all three or leave all to 'auto'")
        seen = read_snapshots(graphs)
        self._check_snapshots(seen, chosen=not n_given)

        def past(end):
            return Past(
                seen.matrices[:end], features=self.features, order=self.order, rule=self.rule,
                constant=self.fit_intercept, nonnegative=self.nonnegative,
            )  # fmt: skip

        choice = best_choice(
            past, n_directions=self._directions(seen), given=prices if n_given else None, tol=self.tol,
            max_iter=self.max_iter, pairs=seen.pairs,
        )  # fmt: skip
        whole = past(None)
        if not n_given:
            prices = whole.prices(choice.n_directions, choice.share_W, choice.share_A)
        problem = whole.problem(choice.n_directions, *map(float, prices))
        found = fit_jointly(problem, tol=self.tol, max_iter=self.max_iter)
        if not found.converged:
            warnings.warn(
                f"the gap is {found.gap:.3g} of an objective of {found.objective:.3g} after max_iter={self.max_iter} "
                "steps; raise it, or tol",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.n_directions_ = min(choice.n_directions, whole.directions.shape[1])
        return self._keep(found, problem, seen)

    def _check_snapshots(self, seen, *, chosen):
        needed = self.order + 1 + self.fit_intercept + chosen
        if len(seen.matrices) < needed:
            raise ValueError(
                f"{len(seen.matrices)} snapshots are too few for order={self.order}; {needed} or more are needed"
                f"{' to choose the prices' if chosen else ''}"
            )
        if self.nonnegative and seen.least < 0:
            raise ValueError(f"a snapshot has a negative weight ({seen.least:g}); set nonnegative=False to allow them")
        if not any(A.max() > 0 or A.min() < 0 for A in seen.matrices):
            raise ValueError("no snapshot has a link; there is nothing to learn from")

    def _directions(self, seen):
        """Numbers of singular vectors to try."""
        most = min(seen.matrices[0].shape)
        if self.features != "svd":
            return [0]
        if self.n_directions != "auto":
            return [min(self.n_directions, most)]
        return sorted({min(count, most) for count in (DIRECTIONS if self.rule == "shared" else (PAPER_DIRECTIONS,))})

    def _keep(self, found, problem, seen):
        scores = (found.A + found.A.T) / 2.0 if seen.symmetric else found.A
        self.scores_ = np.where(seen.pairs, scores, 0.0)
        self.W_, self.intercept_ = found.W, found.b.ravel()
        self.predicted_features_ = (problem.last @ found.W + found.b).ravel()
        self.kappa_, self.tau_, self.gamma_ = problem.kappa, problem.tau, problem.gamma
        self.objective_, self.gap_ = found.objective, found.gap
        self.converged_, self.n_iter_ = found.converged, found.n_iter
        self.nodes_, self._columns, self._form = seen.rows, seen.columns, seen.form
        self._loops = bool(seen.pairs.all())
        return self

    def predict(self, pairs=None):
        """The next snapshot, or the scores of pairs of nodes in it.

        Parameters
        ----------
        pairs : array-like of shape (m, 2) or None, default=None
            Pairs of a row and a column by number, or of nodes by name for networkx graphs. None predicts all.

        Returns
        -------
        graph : of the kind that was given to ``fit``
            For None: weights of links. Or, for pairs, an ndarray of shape (m,).
        """
        check_is_fitted(self)
        if pairs is None:
            return write_like(self.scores_, self._form, self.nodes_)
        pairs = np.asarray(pairs)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise ValueError(
                f"pairs have the shape {pairs.shape}; two columns are needed, a row and a column of a link"
            )
        places = []
        for side, names in zip(pairs.T, (self.nodes_, self._columns)):
            numbers = {name: number for number, name in enumerate(names.tolist())}
            unknown = [name for name in side.tolist() if name not in numbers]
            if unknown:
                raise ValueError(f"{unknown[0]!r} is no node of the snapshots")
            places.append([numbers[name] for name in side.tolist()])
        return self.scores_[tuple(places)]

    def score(self, graph):
        """Area under the ROC curve of the links of the snapshot that came.

        Parameters
        ----------
        graph : array-like, sparse matrix or networkx graph
            The next snapshot, over the same nodes; a link is a weight above zero. The diagonal counts if
            snapshots had links there.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        if hasattr(graph, "is_directed"):
            strangers = set(graph) - set(self.nodes_.tolist())
            if strangers:
                raise ValueError(f"{next(iter(strangers))!r} is no node of the snapshots")
            matrix = matrix_of(graph, self.nodes_.tolist())
        else:
            (matrix,) = read_snapshots([graph]).matrices
        matrix = matrix.toarray() if sparse.issparse(matrix) else matrix
        if matrix.shape != self.scores_.shape:
            raise ValueError(f"the snapshot has the shape {matrix.shape}; those learnt from have {self.scores_.shape}")
        pairs = slice(None) if self._loops else ~np.eye(len(matrix), dtype=bool).ravel()
        links = matrix.ravel()[pairs] > 0
        if links.all() or not links.any():
            raise ValueError("the snapshot has all links or none; there is nothing to rank")
        return float(roc_auc_score(links, self.scores_.ravel()[pairs]))

    def _invariants(self):
        for names in (self.nodes_, self._columns):
            yield "nodes have names", isinstance(names, np.ndarray) and names.ndim == 1
        yield "nodes may be linked with themselves, or not", isinstance(self._loops, bool)
        shape = (len(self.nodes_), len(self._columns))
        yield "scores are a number for each pair", is_array(self.scores_, np.float64, *shape) and finite(self.scores_)
        yield "W is finite", finite(self.W_)
        yield "the form is one that can be written", self._form in ("array", "sparse", "graph", "digraph")
