"""Any learner of graphs on the small regions of a junction tree (JMLR 15:147)."""

from functools import partial
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from treatise.graphical.gaussian._separation_loops import weakest_partial_correlations
from treatise.graphical.gaussian.from_covariance import CovarianceLearnerMixin
from treatise.graphical.gaussian.graph import GaussianGraphMixin
from treatise.graphical.gaussian.pc_skeleton import fisher_thresholds, skeleton, smaller_neighbourhoods
from treatise.graphical.junction_tree._region_learners import (
    GraphicalLassoRegion,
    NeighborhoodRegion,
    PairwiseRegion,
    SeparationRegion,
    edge_threshold,
)
from treatise.graphical.junction_tree.region_decisions import decide_by_regions
from treatise.optimize import covariance_selection, solve_graphical_lasso


class JunctionTreeGraph(CovarianceLearnerMixin, GaussianGraphMixin, BaseEstimator):
    """Gaussian graph whose weak edges are found too, by learning it region by region of a junction tree.

    Tests of conditional independence screen the pairs; the pairs left form a graph whose junction tree has small
    clusters, and a learner decides the edges of each from its few variables alone, with a penalty of its own. So weak
    edges need not clear the bar that strong ones, or all the pairs of a large table, have set. Use it for sparse graphs
    of uneven strength. Where the screened graph is dense the tree has one cluster and nothing is gained; a true edge
    that screening loses stays lost and can bring false ones, which the last pruning is there to catch.

    Screening costs n p^2 and the tests of :class:`PCSkeleton`; each region the learner's cost on its variables.

    Parameters
    ----------
    base : {"glasso", "nlasso", "pc"} or callable, default="glasso"
        The learner of each region: the graphical lasso, adaptive neighbourhood selection or tests of conditional
        independence, each with a penalty by EBIC on the region; or a function of ``(X, candidates, allowed)``, the
        region's columns and two matrices of bool, of pairs to decide and of pairs that may be joined given these
        columns alone, that returns the matrix of pairs that it joins.
    super_graph : array-like or sparse matrix of shape (n_features, n_features) or None, default=None
        A graph known to hold all edges; None screens the pairs.
    order : int, default=1
        Most variables to condition on in screening; base "pc" takes one more.
    level : float or None, default=None
        Significance level of the tests of screening; None takes ``1 / (4 p)``, so that chance ties each column to a
        quarter of another: many more would melt the clusters of the junction tree into one.
    max_separator : int or None, default=None
        Most variables that neighbouring clusters share; None takes ``order + 1``.
    gamma : float, default=0.5
        Weight of the extended term of EBIC.
    small : int, default=8
        Regions of fewer variables test each pair given the others instead, at the price that EBIC asks for an edge
        among this many; so does the last pruning.
    prune : bool, default=True
        Whether to test all edges again at the end, given their neighbours in the graph found.
    n_jobs : int or None, default=None
        Threads for the regions of a level; the result does not depend on it.

    Attributes
    ----------
    adjacency_, edges_, edge_weights_ : ndarray
        The graph; the weights are partial correlations of the most likely Gaussian on it.
    super_graph_ : ndarray of bool of shape (n_features, n_features)
        The graph whose edges were decided.
    steps_ : list of dict
        The regions in the order in which they were solved: "round", "level", "variables", "candidates", "edges" and
        "penalty".
    pruned_ : ndarray of int of shape (n_pruned, 2)
        Edges that the last tests took away.
    precision_, covariance_ : ndarray of shape (n_features, n_features)
        Of the most likely Gaussian on the graph, in the units of the columns.
    location_ : ndarray of shape (n_features,)
        Means of the columns.

    Examples
    --------
    >>> from treatise.datasets import make_weak_edge_graph
    >>> from treatise.graphical import JunctionTreeGraph
    >>> rows = make_weak_edge_graph(1000, "chain", n_features=6, n_weak=3, random_state=0)
    >>> JunctionTreeGraph(order=0).fit(rows.X).edges_.tolist()
    [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]]

    References
    ----------
    .. [1] Paper v15-0147, Algorithms 1 to 4 and section 8.
    """

    _parameter_constraints = {
        "base": [StrOptions({"glasso", "nlasso", "pc"}), callable],
        "super_graph": ["array-like", "sparse matrix", None],
        "order": [Interval(Integral, 0, None, closed="left")],
        "level": [Interval(Real, 0, 1, closed="neither"), None],
        "max_separator": [Interval(Integral, 0, None, closed="left"), None],
        "gamma": [Interval(Real, 0, 1, closed="both")],
        "small": [Interval(Integral, 0, None, closed="left")],
        "prune": ["boolean"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        base="glasso",
        *,
        super_graph=None,
        order=1,
        level=None,
        max_separator=None,
        gamma=0.5,
        small=8,
        prune=True,
        n_jobs=None,
    ):
        self.base = base
        self.super_graph = super_graph
        self.order = order
        self.level = level
        self.max_separator = max_separator
        self.gamma = gamma
        self.small = small
        self.prune = prune
        self.n_jobs = n_jobs

    def _least_rows(self):
        return int(self.order) + 4

    def _learn(self, R, n_samples, scale, X):
        p = len(R)
        if self.super_graph is None:
            level = 1 / (4 * p) if self.level is None else self.level
            self.super_graph_ = skeleton(R, fisher_thresholds(n_samples, np.arange(self.order + 1), level))[0] != 0
        else:
            self.super_graph_ = _checked_graph(self.super_graph, p)
        bound = self.order + 1 if self.max_separator is None else self.max_separator
        pairwise = PairwiseRegion(self.gamma, self.small)
        if callable(self.base):
            if X is None:
                raise ValueError("a base of your own is given rows, and a covariance has none; use fit")
            learner = partial(_decide_by_rows, X, R, self.base, pairwise)
        else:
            learner = partial(_decide, R, n_samples, self._region_learner(), pairwise)
        decisions = decide_by_regions(self.super_graph_, learner, max_separator=bound, n_jobs=self.n_jobs)
        self.steps_, adjacency = decisions.steps, decisions.adjacency
        self.pruned_ = _frail_edges(R, n_samples, adjacency, pairwise) if self.prune else np.empty((0, 2), dtype=int)
        adjacency[self.pruned_[:, 0], self.pruned_[:, 1]] = adjacency[self.pruned_[:, 1], self.pruned_[:, 0]] = False
        precision, covariance = _gaussian_on_graph(R, n_samples, adjacency)
        self.precision_, self.covariance_ = precision / np.outer(scale, scale), covariance * np.outer(scale, scale)
        self._set_gaussian_graph(precision, adjacency)
        return self

    def _region_learner(self):
        if self.base == "glasso":
            return GraphicalLassoRegion(self.gamma)
        if self.base == "nlasso":
            return NeighborhoodRegion(self.gamma)
        return SeparationRegion(self.order + 1, self.gamma)


def _decide(R, n_samples, learner, pairwise, variables, candidates, allowed):
    chosen = pairwise if len(variables) < pairwise.least else learner
    return chosen(R[np.ix_(variables, variables)], n_samples, candidates, allowed)


def _decide_by_rows(X, R, base, pairwise, variables, candidates, allowed):
    if len(variables) < pairwise.least:
        return pairwise(R[np.ix_(variables, variables)], len(X), candidates, allowed)
    joined = np.asarray(base(X[:, variables], candidates.copy(), allowed.copy()))
    if joined.shape != candidates.shape:
        raise ValueError(f"base must return a matrix of the shape {candidates.shape}; it returned {joined.shape}")
    return joined != 0, float("nan")


def _checked_graph(graph, p):
    graph = graph.toarray() if sparse.issparse(graph) else np.asarray(graph)
    if graph.shape != (p, p):
        raise ValueError(f"super_graph has shape {graph.shape}; for {p} columns it must be ({p}, {p})")
    joined = graph != 0
    if (joined != joined.T).any():
        i, j = np.argwhere(joined != joined.T)[0]
        raise ValueError(f"super_graph must be symmetric; it joins {i} to {j} in one direction only")
    joined = joined.copy()
    np.fill_diagonal(joined, False)
    return joined


def _frail_edges(R, n_samples, adjacency, pairwise):
    """Edges that do not pay given the neighbours of the end that has fewer, in the graph found."""
    pairs = np.argwhere(np.triu(adjacency, 1))
    if not len(pairs):
        return pairs
    starts, members = smaller_neighbourhoods(adjacency, pairs)
    sizes = np.diff(starts)
    frail = np.zeros(len(pairs), dtype=bool)
    for size in np.unique(sizes):
        here = np.flatnonzero(sizes == size)
        lists = np.concatenate([members[starts[k] : starts[k + 1]] for k in here])
        ends = np.arange(len(here) + 1) * size
        found = weakest_partial_correlations(R, pairs[here], ends, lists, int(size), 0.0)
        frail[here] = np.abs(found) <= edge_threshold(n_samples, max(size + 2, pairwise.least), pairwise.gamma)
    return pairs[frail]


def _gaussian_on_graph(R, n_samples, adjacency):
    """Precision and covariance of the most likely Gaussian on a graph; with a little penalty where there is none."""
    p = len(R)
    if adjacency.sum(axis=0).max(initial=0) < n_samples - 1:
        covariance = covariance_selection(R, adjacency, start=None if n_samples > p else np.eye(p))
        if covariance is not None:
            precision = np.linalg.inv(covariance)
            precision = np.where(adjacency | np.eye(p, dtype=bool), (precision + precision.T) / 2, 0.0)
            return precision, covariance
    price = np.where(adjacency, np.sqrt(np.log(max(p, 2)) / n_samples), np.inf)
    np.fill_diagonal(price, 0.0)
    found = solve_graphical_lasso(R, price, tol=1e-6)
    return found.precision, found.covariance
