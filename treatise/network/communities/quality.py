"""How good a clustering of a graph is (van Laarhoven & Marchiori, JMLR 15:193, sections 5 and 6).

All functions but one are sums over clusters of one formula in the cluster's inner weight w (every edge counts in both
directions, a loop once), its volume v and its number of nodes n:

    w / S - c (v / S)^2 - d n^2    with    S = a + b v

so that a quality function is the four numbers (a, b, c, d).
"""

from numbers import Real
from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import connected_components
from sklearn.utils._param_validation import Interval, StrOptions, validate_params

from treatise.network.adjacency import adjacency_of, labels_of

FUNCTIONS = ("adaptive", "modularity", "fixed", "rb", "cpm", "ncut", "cut")
"""Quality functions that are sums over clusters."""


class ClusterTerms(NamedTuple):
    """What each cluster holds, and what it adds to the quality."""

    inner: np.ndarray
    """Weight inside (the paper's w)."""
    volume: np.ndarray
    """Sum of the degrees (v)."""
    size: np.ndarray
    """Nodes (n)."""
    term: np.ndarray
    """Part of the quality."""


def quality_form(function, total, *, M=0.0, gamma=2.0, resolution=1.0):
    """The four numbers (a, b, c, d) of a quality function on a graph of a given total volume.

    Parameters
    ----------
    function : {"adaptive", "modularity", "fixed", "rb", "cpm", "ncut", "cut"}
        See :func:`graph_quality`.
    total : float
        Volume of the whole graph.
    M, gamma, resolution : float
        See :func:`graph_quality`.

    Returns
    -------
    form : ndarray of shape (4,)
    """
    if function == "fixed" and M <= 0:
        raise ValueError(f"the fixed scale needs a positive M, such as the graph's volume {total:g}; got M={M}")
    if function == "adaptive" and M == 0 and gamma == 0:
        raise ValueError("the adaptive scale M + gamma v is zero for M=0 and gamma=0; make one of them positive")
    total = total or 1.0  # without an edge every quality by volume is zero, whatever the scale
    return np.array(
        {
            "adaptive": (M, gamma, 1.0, 0.0),
            "modularity": (total, 0.0, resolution, 0.0),
            "fixed": (M, 0.0, 1.0, 0.0),
            "rb": (1.0, 0.0, resolution / total, 0.0),
            "cpm": (1.0, 0.0, 0.0, resolution),
            "ncut": (0.0, 1.0, 1.0, 0.0),
            "cut": (1.0, 0.0, 0.0, 0.0),
        }[function],
        dtype=np.float64,
    )


def terms_of(adjacency, labels, form):
    """Per cluster of a checked graph: inner weight, volume, nodes, term."""
    count = int(labels.max()) + 1
    rows = np.repeat(labels, np.diff(adjacency.indptr))
    inside = rows == labels[adjacency.indices]
    w = np.bincount(rows[inside], weights=adjacency.data[inside], minlength=count)
    v = np.bincount(rows, weights=adjacency.data, minlength=count)
    n = np.bincount(labels, minlength=count)
    S = form[0] + form[1] * v
    S = np.where(S > 0, S, np.inf)  # a cluster without volume adds nothing where the scale is its volume
    return ClusterTerms(w, v, n, w / S - form[2] * (v / S) ** 2 - form[3] * n.astype(np.float64) ** 2)


def components_quality(adjacency, labels):
    """One where the clusters of a checked graph are its connected components, else zero (section 4.2)."""
    count, components = connected_components(adjacency, directed=False)
    pairs = len(set(zip(components.tolist(), labels.tolist())))
    return float(pairs == count == labels.max() + 1)


_SCALES = {name: [Interval(Real, 0, None, closed="left")] for name in ("M", "gamma", "resolution")}


@validate_params({"function": [StrOptions({*FUNCTIONS})], **_SCALES}, prefer_skip_nested_validation=True)
def cluster_terms(graph, labels, function="adaptive", *, M=0.0, gamma=2.0, resolution=1.0):
    """What every cluster adds to the quality of a clustering.

    Parameters
    ----------
    graph : array-like or sparse matrix of shape (n, n), or networkx Graph
        Weights of an undirected graph, zero or more.
    labels : array-like of shape (n,)
        A cluster's name for each node.
    function, M, gamma, resolution
        See :func:`graph_quality`.

    Returns
    -------
    terms : ClusterTerms
        Arrays ``inner``, ``volume``, ``size`` and ``term``, in the order of the sorted names; ``term`` sums to the
        quality.

    Examples
    --------
    >>> from treatise.network import cluster_terms
    >>> cluster_terms([[2, 1], [1, 2]], [0, 1], "modularity").term.round(4)
    array([0.0833, 0.0833])
    """
    adjacency, _ = adjacency_of(graph)
    labels = labels_of(labels, adjacency.shape[0])
    form = quality_form(function, float(adjacency.sum()), M=M, gamma=gamma, resolution=resolution)
    return terms_of(adjacency, labels, form)


@validate_params({"function": [StrOptions({*FUNCTIONS, "components"})], **_SCALES}, prefer_skip_nested_validation=True)
def graph_quality(graph, labels, function="adaptive", *, M=0.0, gamma=2.0, resolution=1.0):
    """Quality of a clustering of a weighted graph; more is better.

    Adaptive scale modularity keeps all six axioms of the paper for gamma of 2 and more: it never falls when edges
    inside clusters get stronger or edges between them weaker, and what is far away in the graph does not matter.
    Modularity breaks both rules, and merges small clusters of a large graph. Time O(edges).

    Parameters
    ----------
    graph : array-like or sparse matrix of shape (n, n), or networkx Graph
        Weights of an undirected graph, zero or more. Every edge counts in both directions, an entry on the diagonal
        once; loops of networkx count twice, as they do there.
    labels : array-like of shape (n,)
        A cluster's name for each node.
    function : str, default="adaptive"
        What is summed over clusters of inner weight w, volume v and n nodes, in a graph of volume V:

        - ``"adaptive"``: ``w / S - (v / S)^2`` with ``S = M + gamma v`` (section 6),
        - ``"modularity"``: ``w / V - resolution (v / V)^2``,
        - ``"fixed"``: ``w / M - (v / M)^2``, modularity at the scale M,
        - ``"rb"``: ``w - resolution v^2 / V`` (Reichardt and Bornholdt),
        - ``"cpm"``: ``w - resolution n^2``, the constant Potts model,
        - ``"ncut"``: ``w / v - 1``, the normalised cut with its sign turned,
        - ``"cut"``: ``w``, the weight that is not cut,
        - ``"components"``: 1 where the clusters are the connected components, else 0.
    M : float, default=0
        Scale in the unit of the edges' weights: clusters of a much smaller volume are merged. For "adaptive" and
        "fixed".
    gamma : float, default=2
        How much of a cluster's volume must be inside it; for "adaptive".
    resolution : float, default=1
        For "modularity", "rb" and "cpm".

    Returns
    -------
    quality : float

    References
    ----------
    .. [1] Paper v15-0193, equation (1) and sections 6 and 6.1.

    Examples
    --------
    >>> import networkx
    >>> from treatise.network import graph_quality
    >>> ring = networkx.ring_of_cliques(30, 5)
    >>> cliques = [node // 5 for node in ring]
    >>> pairs = [node // 10 for node in ring]
    >>> bool(graph_quality(ring, cliques, "modularity") < graph_quality(ring, pairs, "modularity"))
    True
    >>> bool(graph_quality(ring, cliques) > graph_quality(ring, pairs))
    True
    """
    adjacency, _ = adjacency_of(graph)
    labels = labels_of(labels, adjacency.shape[0])
    if function == "components":
        return components_quality(adjacency, labels)
    form = quality_form(function, float(adjacency.sum()), M=M, gamma=gamma, resolution=resolution)
    return float(terms_of(adjacency, labels, form).term.sum())
