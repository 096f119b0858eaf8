"""Gaussian graphs of several conditions, learned together through their nodes (Mohan et al., JMLR 15:445)."""

import warnings
from abc import ABC, abstractmethod
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, Options
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.invariants import is_array, within
from treatise.graphical.node_based._couplings import PairDifferences, SharedColumns
from treatise.graphical.node_based._solver import solve_joint_graphs

_DEVIATIONS = 5.5
"""Of Table 1: how many standard deviations above the mean a node's score must be."""


class _NodeBasedGraphs(ABC, BaseEstimator):
    """What both learners share: tables in, precision matrices, graphs and scores of nodes out."""

    _parameter_constraints = {
        "lam1": [Interval(Real, 0, None, closed="left"), None],
        "lam2": [Interval(Real, 0, None, closed="left"), None],
        "q": [Options(Real, {1, 2, np.inf})],
        "screen": ["boolean"],
        "assume_centered": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    _lam1_per_row: float
    _lam2_per_row: float

    def __init__(self, lam1=None, lam2=None, *, q=2, screen=True, assume_centered=False, tol=1e-6, max_iter=5000):
        self.lam1 = lam1
        self.lam2 = lam2
        self.q = q
        self.screen = screen
        self.assume_centered = assume_centered
        self.tol = tol
        self.max_iter = max_iter

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, tables, y=None):
        """Learn one graph for each table.

        Parameters
        ----------
        tables : list of array-like of shape (n_samples, n_features)
            One table per condition, at least two, with the same columns. Their numbers of rows may differ.
        y : None
            Ignored.

        Returns
        -------
        self
        """
        tables = self._check_tables(tables, reset=True)
        self.location_ = np.stack(
            [np.zeros(self.n_features_in_) if self.assume_centered else table.mean(axis=0) for table in tables]
        )
        moments = [_second_moments(table - mean) for table, mean in zip(tables, self.location_)]
        return self._solve(np.stack(moments), np.array([len(table) for table in tables], dtype=np.float64))

    @_fit_context(prefer_skip_nested_validation=True)
    def fit_covariances(self, covariances, sizes):
        """Learn one graph for each covariance matrix.

        Parameters
        ----------
        covariances : array-like of shape (n_conditions, n_features, n_features)
            Symmetric, divided by the number of rows.
        sizes : array-like of shape (n_conditions,)
            Rows behind each.

        Returns
        -------
        self
        """
        S, n = _check_covariances(covariances, sizes)
        self.n_features_in_ = S.shape[-1]
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.location_ = np.zeros(S.shape[:2])
        return self._solve(S, n)

    def score(self, tables, y=None):
        """Fit to new rows: the sum over conditions of ``log det T^k - tr(S^k T^k)``, larger is better.

        Parameters
        ----------
        tables : list of array-like of shape (n_samples, n_features)
            One table per condition, in the order of ``fit``.
        y : None
            Ignored.

        Returns
        -------
        score : float
        """
        check_is_fitted(self, "precision_")
        tables = self._check_tables(tables, reset=False)
        if len(tables) != len(self.precision_):
            raise ValueError(
                f"{len(tables)} tables were given; the model was fitted to {len(self.precision_)} conditions"
            )
        return sum(
            heldout_fit(_second_moments(table - mean), precision)
            for table, mean, precision in zip(tables, self.location_, self.precision_)
        )

    def to_networkx(self, condition=None):
        """The graph of one condition for networkx; its edges carry partial correlations as ``weight``.

        Parameters
        ----------
        condition : int
            Number of the table; it must be given, since no condition stands for the others.

        Returns
        -------
        graph : networkx.Graph
            All columns are nodes, those without an edge too.
        """
        import networkx

        check_is_fitted(self, "precision_")
        K = len(self.precision_)
        if condition is None:
            raise ValueError(
                f"there is a graph for each of {K} conditions; choose one, as in plot_graph(model.to_networkx(0)), or "
                "draw all with plot_condition_graphs(model)"
            )
        if not -K <= condition < K:
            raise ValueError(f"condition={condition} does not exist; there are {K}, numbered from 0")
        names = getattr(self, "feature_names_in_", np.arange(self.n_features_in_)).tolist()
        T = self.precision_[condition]
        root = np.sqrt(np.diag(T))
        graph = networkx.Graph()
        graph.add_nodes_from(names)
        for i, j in self.edges_[condition].tolist():
            graph.add_edge(names[i], names[j], weight=float(-T[i, j] / (root[i] * root[j])))
        return graph

    def _invariants(self):
        p, K = self.n_features_in_, len(self.precision_)
        yield "columns have a location in every condition", is_array(self.location_, np.floating, K, p)
        for name in ("precision_", "covariance_"):
            yield f"{name} is of the columns", is_array(getattr(self, name), np.floating, K, p, p)
        yield "nodes have scores", is_array(self.node_scores_, np.floating, None, p) and len(self.node_scores_) > 0
        yield "every column of the graphs has its name", len(getattr(self, "feature_names_in_", range(p))) == p
        yield "every condition has its edges", len(self.edges_) == K
        for edges in self.edges_:
            yield "edges join columns", is_array(edges, np.integer, None, 2) and within(edges, 0, p)

    @abstractmethod
    def _coupling(self, n_conditions):
        """The penalty on nodes for so many conditions."""

    def _check_tables(self, tables, reset):
        if not isinstance(tables, (list, tuple)) and getattr(tables, "ndim", None) != 3:
            raise ValueError(
                f"tables must be a list with one table per condition, not one {type(tables).__name__}; for covariance "
                "matrices use fit_covariances"
            )
        if len(tables) < 2:
            raise ValueError(f"{len(tables)} table given; graphs are compared between at least two conditions")
        return [
            validate_data(self, table, dtype=np.float64, reset=reset and k == 0, ensure_min_samples=2 if reset else 1)
            for k, table in enumerate(tables)
        ]

    def _solve(self, S, n, start=None):
        lam1 = self._lam1_per_row * n.mean() if self.lam1 is None else float(self.lam1)
        lam2 = self._lam2_per_row * n.mean() if self.lam2 is None else float(self.lam2)
        self._check_bounded(S, lam1, lam2)
        coupling = self._coupling(len(S))
        found = solve_joint_graphs(
            S, n, lam1, lam2, coupling, q=self.q, screen=self.screen, tol=self.tol, max_iter=self.max_iter, start=start
        )
        if not found.converged:
            warnings.warn(
                f"after {found.n_iter} iterations the relative residuals are {found.primal_residual:.1e} and "
                f"{found.dual_residual:.1e}; tol={self.tol:g} asks for less: raise max_iter or tol, or bring the "
                "columns to one scale",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.lam1_, self.lam2_ = float(lam1), float(lam2)
        self.precision_, self.V_ = found.precision, found.V
        inverses = np.linalg.inv(found.precision)
        self.covariance_ = (inverses + np.swapaxes(inverses, 1, 2)) / 2
        self.node_scores_ = coupling.scores(found.V)
        self.objective_, self.gap_, self.n_iter_ = found.objective, found.gap, found.n_iter
        self.converged_ = bool(found.converged)
        self.blocks_ = found.blocks
        self.adjacency_ = found.precision != 0
        on = np.arange(S.shape[-1])
        self.adjacency_[:, on, on] = False
        self.edges_ = [np.argwhere(np.triu(joined, 1)) for joined in self.adjacency_]
        return self

    def _check_bounded(self, S, lam1, lam2):
        """Refuse problems whose objective has no minimum: some direction costs nothing and log det gains by it."""
        if lam1 > 0:
            return
        flat = (np.diagonal(S, axis1=1, axis2=2) <= 0).any(axis=0)
        if flat.any() and (lam2 == 0 or isinstance(self, CoHubGraphs)):
            raise ValueError(
                f"column {int(flat.argmax())} does not vary in some condition, so with lam1=0 its precision is "
                "infinite; leave it out or choose lam1 > 0"
            )
        free = S if lam2 == 0 else S.sum(axis=0)[None] if isinstance(self, NodePerturbationGraphs) else S[:0]
        if any(np.linalg.matrix_rank(A, hermitian=True) < len(A) for A in free):
            raise ValueError(
                "the covariance matrices are singular, so with lam1=0 the precision matrices grow without end; choose "
                "lam1 > 0"
            )

    def _flagged(self, threshold):
        check_is_fitted(self, "node_scores_")
        scores = self.node_scores_
        if isinstance(threshold, str):
            if threshold != "5.5 sd":
                raise ValueError(f"threshold={threshold!r} is unknown; give a number or '5.5 sd'")
            return scores > scores.mean(axis=1, keepdims=True) + _DEVIATIONS * scores.std(axis=1, keepdims=True)
        return scores > float(threshold)


class NodePerturbationGraphs(_NodeBasedGraphs):
    """Graphs of several conditions that differ in the links of a few nodes, and which nodes those are (PNJGL).

    Sparse precision matrices that maximise ``sum_k n_k (log det T^k - tr(S^k T^k)) - lam1 sum |T^k| - lam2 sum_{k<l}
    Omega_q(T^k - T^l)``, where the row-column overlap norm Omega charges a difference by whole nodes. Use it to find
    the variables behind a change (a gene that lost its regulation, a sensor that failed) from few rows. Do not use it
    where single links change here and there (``q=1`` is the fused graphical lasso for that), nor on columns of very
    different scale: both penalties act on the entries of the precision matrices, so standardise first.

    An iteration costs K eigendecompositions of p x p, within the largest block that screening leaves; sixty to a
    hundred iterations reach 1e-5. Two conditions of 100 variables take half a second, of 500 variables about ten
    seconds on one core. Memory is ``6 (2K + K(K-1)/2)`` matrices.

    Parameters
    ----------
    lam1 : float or None, default=None
        Price of an entry of a precision matrix, the diagonal too. The likelihood is summed over rows, so it grows with
        their number; None takes 0.1 times the mean number of rows, as in Figure 16.
    lam2 : float or None, default=None
        Price of a difference by a node. None takes 0.5 times the mean number of rows.
    q : {1, 2, inf}, default=2
        Norm over the links of a node. 1 selects links, 2 and infinity select nodes.
    screen : bool, default=True
        Whether to solve apart what the covariances show to be apart. The answer is the same.
    assume_centered : bool, default=False
        Whether the columns have mean zero already.
    tol : float, default=1e-6
        Relative residuals at which a solution stands.
    max_iter : int, default=5000
        Iterations at most, for each block.

    Attributes
    ----------
    precision_, covariance_ : ndarray of shape (n_conditions, n_features, n_features)
        Zeros of the precision matrices are exact, and entries in which conditions do not differ are equal.
    V_ : ndarray of shape (n_pairs, n_features, n_features)
        What each node, as a column, contributes to the difference of a pair: ``T^k - T^l = V + V'``.
    pairs_ : list of tuple
        The two conditions of each pair.
    node_scores_ : ndarray of shape (n_pairs, n_features)
        Length of each column of ``V_`` off the diagonal; exactly zero for most nodes.
    adjacency_ : ndarray of bool of shape (n_conditions, n_features, n_features)
        The graphs.
    edges_ : list of ndarray of shape (n_edges, 2)
        Their edges.
    objective_, gap_ : float
        Value that was minimised, and a bound on how far it is above its minimum.
    blocks_ : ndarray of shape (n_features,)
        Block of every variable.
    lam1_, lam2_, location_, n_iter_
        Penalties used, means of the columns of each table, iterations of the slowest block.
    converged_ : bool
        Whether all blocks reached ``tol``; else a warning says so.

    Examples
    --------
    >>> from treatise.datasets import make_perturbed_graphs
    >>> from treatise.graphical import NodePerturbationGraphs
    >>> data = make_perturbed_graphs(100, 30, n_perturbed=1, n_hubs=0, random_state=0)
    >>> model = NodePerturbationGraphs(10.0, 60.0).fit(data.tables)
    >>> data.perturbed, model.perturbed_nodes()
    (array([1]), array([1]))

    References
    ----------
    .. [1] Paper v15-0445, equation (6).
    """

    _lam1_per_row = 0.1
    _lam2_per_row = 0.5

    def _coupling(self, n_conditions):
        coupling = PairDifferences(n_conditions)
        self.pairs_ = coupling.pairs
        return coupling

    def perturbed_nodes(self, threshold=0.0):
        """Nodes whose links differ between some pair of conditions, largest score first.

        Parameters
        ----------
        threshold : float or "5.5 sd", default=0.0
            Score above which a node counts. Zero takes those that the penalty kept; "5.5 sd" is the rule of Table 1,
            mean plus 5.5 standard deviations, which by arithmetic alone flags nobody among fewer than 32 variables and
            never more than three of a hundred.

        Returns
        -------
        nodes : ndarray of int
        """
        return _ranked(self._flagged(threshold).any(axis=0), self.node_scores_.max(axis=0))


class CoHubGraphs(_NodeBasedGraphs):
    """Graphs of several conditions that have the same hubs, and which nodes those are (CNJGL).

    Sparse precision matrices that maximise ``sum_k n_k (log det T^k - tr(S^k T^k)) - lam1 sum |T^k| - lam2 Omega_q``,
    where the row-column overlap norm Omega of all matrices together, without their diagonals, charges edges by whole
    nodes. Use it where a few variables are linked to many others in every condition (regulators, market factors) and
    rows are few. Do not use it where edges are spread evenly: it will concentrate them. With ``q=1`` nothing ties the
    conditions together. Standardise columns of different scale first.

    An iteration costs K eigendecompositions of p x p, within the largest block that screening leaves; sixty to a
    hundred iterations reach 1e-5. Memory is 18K matrices.

    Parameters
    ----------
    lam1 : float or None, default=None
        Price of an entry of a precision matrix, the diagonal too. The likelihood is summed over rows, so it grows with
        their number; None takes 0.02 times the mean number of rows, as in Figure 16.
    lam2 : float or None, default=None
        Price of a hub. None takes 1.5 times the mean number of rows.
    q : {1, 2, inf}, default=2
        Norm over the links of a node in all conditions.
    screen : bool, default=True
        Whether to solve apart what the covariances show to be apart. The answer is the same.
    assume_centered : bool, default=False
        Whether the columns have mean zero already.
    tol : float, default=1e-6
        Relative residuals at which a solution stands.
    max_iter : int, default=5000
        Iterations at most, for each block.

    Attributes
    ----------
    precision_, covariance_ : ndarray of shape (n_conditions, n_features, n_features)
        Zeros of the precision matrices are exact.
    V_ : ndarray of shape (n_conditions, n_features, n_features)
        What each node, as a column, contributes to a matrix: ``T^k = V^k + (V^k)'`` off the diagonal.
    node_scores_ : ndarray of shape (n_conditions, n_features)
        Length of each column of ``V_``; exactly zero for nodes that are no hub.
    adjacency_ : ndarray of bool of shape (n_conditions, n_features, n_features)
        The graphs.
    edges_ : list of ndarray of shape (n_edges, 2)
        Their edges.
    objective_, gap_ : float
        Value that was minimised, and a bound on how far it is above its minimum.
    blocks_ : ndarray of shape (n_features,)
        Block of every variable.
    lam1_, lam2_, location_, n_iter_
        Penalties used, means of the columns of each table, iterations of the slowest block.
    converged_ : bool
        Whether all blocks reached ``tol``; else a warning says so.

    Examples
    --------
    >>> from treatise.datasets import make_perturbed_graphs
    >>> from treatise.graphical import CoHubGraphs
    >>> data = make_perturbed_graphs(100, 30, n_perturbed=0, n_hubs=1, random_state=1)
    >>> model = CoHubGraphs(2.0, 100.0).fit(data.tables)
    >>> data.hubs, model.hubs()
    (array([18]), array([18]))

    References
    ----------
    .. [1] Paper v15-0445, equation (7).
    """

    _lam1_per_row = 0.02
    _lam2_per_row = 1.5

    def _coupling(self, n_conditions):
        return SharedColumns(n_conditions)

    def hubs(self, threshold=0.0):
        """Nodes that are hubs in every condition, largest score first.

        Parameters
        ----------
        threshold : float or "5.5 sd", default=0.0
            Score that a node must exceed in every condition. Zero takes those that the penalty kept; "5.5 sd" is the
            rule of Table 1, which by arithmetic alone flags nobody among fewer than 32 variables and never more than
            three of a hundred.

        Returns
        -------
        nodes : ndarray of int
        """
        return _ranked(self._flagged(threshold).all(axis=0), self.node_scores_.max(axis=0))


def heldout_fit(S, precision):
    """``log det T - tr(S T)``; minus infinity where T is not positive definite."""
    sign, log_det = np.linalg.slogdet(precision)
    return float(log_det - np.vdot(S, precision)) if sign > 0 else -np.inf


def _second_moments(rows):
    return rows.T @ rows / len(rows)


def _ranked(chosen, scores):
    nodes = np.flatnonzero(chosen)
    return nodes[np.argsort(-scores[nodes], kind="stable")]


def _check_covariances(covariances, sizes):
    matrices = [np.asarray(S, dtype=np.float64) for S in covariances]
    if len(matrices) < 2:
        raise ValueError(
            f"{len(matrices)} covariance matrix given; graphs are compared between at least two conditions"
        )
    for k, S in enumerate(matrices):
        if S.ndim != 2 or S.shape[0] != S.shape[1]:
            raise ValueError(f"covariance matrix {k} must be square; its shape is {S.shape}")
        if S.shape != matrices[0].shape:
            raise ValueError(
                f"covariance matrix {k} is of {len(S)} variables, the first of {len(matrices[0])}; the conditions must "
                "have the same variables"
            )
        if not np.isfinite(S).all():
            raise ValueError(f"covariance matrix {k} has an entry that is not finite")
        if np.abs(S - S.T).max(initial=0.0) > 1e-10 * np.abs(S).max(initial=0.0):
            raise ValueError(f"covariance matrix {k} is not symmetric; average it with its transpose if that is noise")
        if (np.diag(S) < 0).any():
            raise ValueError(f"covariance matrix {k} has a negative variance, {np.diag(S).min():g}")
    n = np.asarray(sizes, dtype=np.float64)
    if n.shape != (len(matrices),) or not (np.isfinite(n) & (n > 0)).all():
        raise ValueError(f"sizes must be {len(matrices)} positive numbers, one per condition; got {sizes!r}")
    S = np.stack(matrices)
    return (S + np.swapaxes(S, 1, 2)) / 2, n
