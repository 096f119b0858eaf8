"""The next snapshot of a network whose features follow an autoregression (JMLR 15:565)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import finite, is_array
from treatise.network.autoregressive._joint_fit import JointProblem, fit_jointly
from treatise.network.autoregressive.feature_maps import feature_map
from treatise.network.autoregressive.snapshots import read_snapshots, write_like

# Shares of the penalties at which nothing is left, that "auto" tries: of the regression, and of the next snapshot.
SHARES_W = (1e-2, 1e-3)
SHARES_A = (1e-3, 1e-4, 1e-5)
# Gap and steps of a trial, whose objective need not be exact.
TRIAL_TOL, TRIAL_STEPS = 5e-3, 200


class AutoregressiveLinkPredictor(BaseEstimator):
    """Predicts the next snapshot of a network: a sparse autoregression of its features, and a sparse low-rank matrix.

    Features of a snapshot, such as degrees or its projections on the leading directions, follow from those of the
    snapshots before by a sparse matrix W; the next snapshot A is sparse, of low rank, not negative, and has the
    features that W foretells. Both are found together, as one convex problem, with a duality gap.

    Use it for networks or tables of who bought what, seen at some ten times or more, that change by a rule: fashions
    that move on, groups that grow. Do not use it with fewer than five snapshots, where sums over time
    (:func:`link_scores`) are better, nor where links only come and stay. Cost: one decomposition of a snapshot and a
    lasso for each of d features a step, some hundred steps; memory d x d and a few snapshots, dense. Degrees have
    d = n, projections n times their number: up to a few hundred nodes.

    Parameters
    ----------
    features : {"svd", "in_degree", "out_degree", "entries"}, default="svd"
        What follows the autoregression: projections of the rows on the leading right singular vectors of the sum of
        all snapshots, sums of columns, sums of rows, or all entries.
    n_directions : int, default=5
        Singular vectors of "svd".
    order : int, default=1
        Snapshots that the next one follows from.
    kappa, tau, gamma : float or "auto", default="auto"
        Prices of entries of W, of singular values of A and of entries of A. "auto" tries six combinations, in shares
        of the prices at which nothing is left, and takes the one that predicts the stronger half of the links of the last
        known snapshot from those before it best, by the area under the ROC curve. Give all three or none.
    nonnegative : bool, default=True
        Whether A must not be negative.
    max_iter : int, default=1000
        Most steps.
    tol : float, default=5e-3
        Duality gap at which it ends, as a share of the objective.

    Attributes
    ----------
    scores_ : ndarray of shape (n_rows, n_columns)
        The predicted snapshot. If all snapshots are undirected, so is this, the mean of both directions.
    W_ : ndarray of shape (order * n_features, n_features)
        The autoregression, the nearest snapshot first; not unique where there are fewer snapshots than features.
    predicted_features_ : ndarray of shape (n_features,)
        What it foretells, ``W' w``; unique.
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
    >>> model = AutoregressiveLinkPredictor(n_directions=3).fit(snapshots[:-1])
    >>> model.score(snapshots[-1]) > 0.9
    True

    References
    ----------
    .. [1] Paper v15-0565, Equation (3); the solver is our own, as the paper's Algorithm 1 ends above the optimum.
    """

    _parameter_constraints: dict = {
        "features": [StrOptions({"svd", "in_degree", "out_degree", "entries"})],
        "n_directions": [Interval(Integral, 1, None, closed="left")],
        "order": [Interval(Integral, 1, None, closed="left")],
        "kappa": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "tau": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "gamma": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "nonnegative": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self, features="svd", *, n_directions=5, order=1, kappa="auto", tau="auto", gamma="auto", nonnegative=True,
        max_iter=1000, tol=5e-3,
    ):  # fmt: skip
        self.features = features
        self.n_directions = n_directions
        self.order = order
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
        given = [getattr(self, name) != "auto" for name in ("kappa", "tau", "gamma")]
        if any(given) and not all(given):
            raise ValueError("kappa, tau and gamma are chosen together; give all three or leave all to 'auto'")
        seen = read_snapshots(graphs)
        needed = self.order + (1 if all(given) else 2)
        if len(seen.matrices) < needed:
            raise ValueError(
                f"{len(seen.matrices)} snapshots are too few for order={self.order}; "
                f"{needed} or more are needed{'' if all(given) else ' to choose the penalties'}"
            )
        if self.nonnegative and seen.matrices.min() < 0:
            raise ValueError(
                f"a snapshot has a negative weight ({seen.matrices.min():g}); set nonnegative=False to allow them"
            )
        if all(given):
            penalties = float(self.kappa), float(self.tau), float(self.gamma)
        else:
            penalties = self._best_penalties(seen.matrices)
        problem = self._problem(seen.matrices, *penalties)
        found = fit_jointly(problem, tol=self.tol, max_iter=self.max_iter)
        self.kappa_, self.tau_, self.gamma_ = problem.kappa, problem.tau, problem.gamma
        self.scores_ = (found.A + found.A.T) / 2.0 if seen.symmetric else found.A
        self.W_, self.predicted_features_ = found.W, found.W.T @ problem.last
        self.objective_, self.gap_ = found.objective, found.gap
        self.converged_, self.n_iter_ = found.converged, found.n_iter
        self.nodes_, self._columns, self._form = seen.rows, seen.columns, seen.form
        if not found.converged:
            warnings.warn(
                f"the gap is {found.gap:.3g} of an objective of {found.objective:.3g} after max_iter={self.max_iter} "
                "steps; raise it, or tol",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _problem(self, matrices, kappa=0.0, tau=0.0, gamma=0.0):
        omega = feature_map(self.features, matrices.sum(axis=0), self.n_directions)
        seen = np.array([omega.apply(A) for A in matrices])
        p = self.order
        before = np.hstack([seen[p - 1 - lag : len(seen) - lag] for lag in range(p)])
        return JointProblem(
            before[:-1], seen[p:], before[-1], omega, matrices.shape[1:], kappa, tau, gamma, self.nonnegative
        )

    def _prices(self, matrices, share_W, share_A):
        """Penalties in shares of those at which W, or A beside the features as they were last, is nothing."""
        problem = self._problem(matrices)
        T, d = problem.X1.shape
        kappa = 2.0 / T * np.abs(problem.X0.T @ problem.X1).max()
        pull = 2.0 / d * problem.omega.adjoint(problem.X1[-1])
        tau, gamma = np.linalg.norm(pull, 2), np.abs(pull).max()
        return share_W * kappa, share_A * tau / 2.0, share_A * gamma / 2.0

    def _best_penalties(self, matrices):
        """What predicts the last snapshot best from those before; of equals the strongest."""
        earlier, last = matrices[:-1], matrices[-1]
        # The stronger half of the links, which are all where weights are equal.
        links = last >= np.median(last[last > 0]) if (last > 0).any() else np.zeros(last.shape, bool)
        best, chosen = -1.0, (SHARES_W[0], SHARES_A[0])
        if links.any() and not links.all():
            for share_A in SHARES_A:
                W = None
                for share_W in SHARES_W:
                    problem = self._problem(earlier, *self._prices(earlier, share_W, share_A))
                    found = fit_jointly(problem, tol=TRIAL_TOL, max_iter=min(TRIAL_STEPS, self.max_iter), start=W)
                    W = found.W
                    area = roc_auc_score(links.ravel(), found.A.ravel())
                    if area > best + 1e-9:
                        best, chosen = area, (share_W, share_A)
        return self._prices(matrices, *chosen)

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
            The next snapshot, over the same nodes; a link is a weight above zero. Of a matrix with the diagonal.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        if hasattr(graph, "is_directed"):
            import networkx

            strangers = set(graph) - set(self.nodes_.tolist())
            if strangers:
                raise ValueError(f"{next(iter(strangers))!r} is no node of the snapshots")
            graph = graph.copy()
            graph.add_nodes_from(self.nodes_.tolist())
            matrix = networkx.to_numpy_array(graph, nodelist=self.nodes_.tolist())
        else:
            matrix = read_snapshots([graph]).matrices[0]
        if matrix.shape != self.scores_.shape:
            raise ValueError(f"the snapshot has the shape {matrix.shape}; those learnt from have {self.scores_.shape}")
        links = matrix.ravel() > 0
        if links.all() or not links.any():
            raise ValueError("the snapshot has all links or none; there is nothing to rank")
        return float(roc_auc_score(links, self.scores_.ravel()))

    def _invariants(self):
        shape = (len(self.nodes_), len(self._columns))
        yield "scores are a number for each pair", is_array(self.scores_, np.float64, *shape) and finite(self.scores_)
        yield "W is finite", finite(self.W_)
        yield "the form is one that can be written", self._form in ("array", "sparse", "graph", "digraph")
