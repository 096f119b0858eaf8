"""Clusters of a graph that maximise a quality function (van Laarhoven & Marchiori, JMLR 15:193)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.invariants import is_array, is_count, within
from treatise._core.progress import progress
from treatise.network.adjacency import adjacency_of, labels_of
from treatise.network.communities._search import climb, level_of
from treatise.network.communities.quality import FUNCTIONS, quality_form, terms_of

# Each scale of the annealing is a quarter of the one before.
COOLING = 0.25
# From one start; two or three suffice on real graphs.
MOST_CLIMBS = 100


class GraphCommunities(ClusterMixin, BaseEstimator):
    """Communities of a weighted graph: nodes that hang together more than with the rest.

    Use it where the communities may be small or of different sizes: adaptive scale modularity has no resolution limit
    and, at its defaults, nothing to tune. Do not use it for directed graphs or negative weights. Time is linear in the
    edges, about a second for a million; memory a few times the graph.

    Nodes move to the neighbouring cluster that raises the quality most; clusters are taken apart into parts, the parts
    become nodes of a smaller graph, and so on until nothing moves (Louvain's and Leiden's search, for any of the
    quality functions). At a small scale M nearly any merger of tiny clusters is a gain, and such a search ends badly:
    for "adaptive" it starts at the scale of the whole graph and goes down to M by factors of four.

    Parameters
    ----------
    function : {"adaptive", "modularity", "fixed", "rb", "cpm", "ncut", "cut"}, default="adaptive"
        Quality to maximise, see :func:`graph_quality`. "cut" and "ncut" are highest for one cluster of everything: they
        are here for a start that is given.
    M : float, default=0
        Scale in the unit of the edges' weights. 0 keeps small communities; a larger one merges those of a much smaller
        volume.
    gamma : float, default=2
        At 2 a community keeps its volume's larger part inside, roughly; more asks for less.
    resolution : float, default=1
        For "modularity", "rb" and "cpm".
    n_init : int, default=1
        Searches in other random orders; the best is kept.
    refine : bool, default=True
        Whether parts of clusters may move on their own; without, the search is faster and a little worse.
    random_state : int, RandomState instance or None, default=None
        Order of the nodes.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_nodes,)
        Community of each node, the largest community first.
    n_communities_ : int
        How many there are.
    quality_ : float
        Quality reached.
    history_ : ndarray
        Quality after each climb of the best search, at the scale that was asked for.
    nodes_ : ndarray of shape (n_nodes,)
        Names of the nodes, in the order of the labels.
    converged_ : bool
        Whether the search ended because nothing could be moved with profit.

    References
    ----------
    .. [1] Paper v15-0193, sections 5 and 6.

    Examples
    --------
    >>> import networkx
    >>> from treatise.network import GraphCommunities
    >>> ring = networkx.ring_of_cliques(30, 5)
    >>> GraphCommunities(random_state=0).fit(ring).n_communities_
    30
    >>> GraphCommunities("modularity", random_state=0).fit(ring).n_communities_ < 20
    True
    """

    _parameter_constraints: dict = {
        "function": [StrOptions(set(FUNCTIONS))],
        "M": [Interval(Real, 0, None, closed="left")],
        "gamma": [Interval(Real, 0, None, closed="left")],
        "resolution": [Interval(Real, 0, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "refine": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self, function="adaptive", *, M=0.0, gamma=2.0, resolution=1.0, n_init=1, refine=True, random_state=None
    ):
        self.function = function
        self.M = M
        self.gamma = gamma
        self.resolution = resolution
        self.n_init = n_init
        self.refine = refine
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, graph, y=None, *, start=None):
        """Find the communities.

        Parameters
        ----------
        graph : array-like or sparse matrix of shape (n, n), or networkx Graph
            Weights of an undirected graph, zero or more.
        y : ignored
            Present for scikit-learn's sake.
        start : array-like of shape (n,) or None, default=None
            Clusters to start from, such as those of another scale; the quality never falls below theirs. None starts
            with every node on its own.

        Returns
        -------
        self
        """
        adjacency, self.nodes_ = adjacency_of(graph)
        start = None if start is None else labels_of(start, adjacency.shape[0])
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        best = None
        with progress("communities", self.n_init) as advance:
            for _ in range(self.n_init):
                found = self._search(adjacency, start, rng)
                best = found if best is None or found[1][-1] > best[1][-1] else best
                advance(1)
        labels, history, self.converged_ = best
        order = np.argsort(-np.bincount(labels), kind="stable")
        self.labels_ = np.argsort(order)[labels]
        self.n_communities_, self.quality_, self.history_ = len(order), history[-1], np.array(history)
        if not self.converged_:
            warnings.warn(
                f"nodes still moved after {MOST_CLIMBS} climbs; fit again with start=labels_ to go on",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _invariants(self):
        yield "every node is in a community", is_array(self.labels_, np.integer, len(self.nodes_))
        yield "communities are counted", is_count(self.n_communities_) and within(self.labels_, 0, self.n_communities_)

    def _search(self, adjacency, start, rng):
        level, total = level_of(adjacency), float(adjacency.sum())
        form = self._form(total, self.M)
        labels = np.arange(adjacency.shape[0]) if start is None else start
        if start is None:
            for scale in self._scales(level.volumes, total):
                labels, _ = climb(level, self._form(total, scale), labels, rng, refine=self.refine)
        history = [float(terms_of(adjacency, labels, form).term.sum())]
        for _ in range(MOST_CLIMBS):
            labels, moves = climb(level, form, labels, rng, refine=self.refine)
            history.append(float(terms_of(adjacency, labels, form).term.sum()))
            if not moves or history[-1] <= history[-2]:
                return labels, history, True
        return labels, history, False

    def _form(self, total, scale):
        return quality_form(self.function, total, M=scale, gamma=self.gamma, resolution=self.resolution)

    def _scales(self, volumes, total):
        """From the whole graph's volume down to M, or to the least node's: a smaller scale changes nothing more."""
        if self.function != "adaptive":
            return []
        least = max(self.M, volumes[volumes > 0].min(initial=total))
        steps = int(np.ceil(np.log(total / least) / -np.log(COOLING))) if total > least > 0 else 0
        return [total * COOLING**k for k in range(steps)]

    def scan(self, graph, Ms):
        """Communities at several scales, from the largest down, each from its own start and from the one before.

        Parameters
        ----------
        graph : array-like or sparse matrix of shape (n, n), or networkx Graph
            Weights of an undirected graph, zero or more.
        Ms : array-like
            Scales, for "adaptive" and "fixed".

        Returns
        -------
        fitted : list of GraphCommunities
            One for each scale, in the order given.
        """
        from sklearn.base import clone

        Ms = [float(M) for M in np.atleast_1d(Ms)]
        found, before = {}, None
        for M in sorted(set(Ms), reverse=True):
            own = clone(self).set_params(M=M).fit(graph)
            warm = own if before is None else clone(self).set_params(M=M).fit(graph, start=before.labels_)
            found[M] = before = warm if warm.quality_ > own.quality_ else own
        return [found[M] for M in Ms]
