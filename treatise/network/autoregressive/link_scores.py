"""Scores of pairs of nodes from one network alone: the usual yardsticks of link prediction."""

import numpy as np
from scipy import sparse

METHODS = ("adamic_adar", "common_neighbors", "katz", "preferential_attachment")


def link_scores(graph, method="katz", *, beta=None):
    """How likely a link is between any two nodes, by a formula on one network.

    Use it as a yardstick for a predictor that learns. Weights count: a walk is worth the product of its links. Costs
    O(n^3) for "katz", one product of the matrix with itself for the others; memory n x n.

    Parameters
    ----------
    graph : array-like or sparse matrix of shape (n, n), or networkx Graph
        Weights of links, not negative; for several snapshots their sum. A directed link counts in its direction.
    method : {"adamic_adar", "common_neighbors", "katz", "preferential_attachment"}, default="katz"
        Walks of length two, each divided by the logarithm of the degree of the node between, or plain; walks of any
        length, discounted; product of the degrees.
    beta : float or None, default=None
        Discount of "katz" for each link of a walk, below one over the spectral radius; None is half of that.

    Returns
    -------
    scores : ndarray of shape (n, n)
        Of the nodes in the order of the graph.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.network import link_scores
    >>> path = np.diag([1.0, 1.0], 1) + np.diag([1.0, 1.0], -1)
    >>> link_scores(path, "common_neighbors")
    array([[1., 0., 1.],
           [0., 2., 0.],
           [1., 0., 1.]])

    References
    ----------
    .. [1] Paper v15-0565, Section 5.1, baselines.
    """
    if hasattr(graph, "is_directed"):
        import networkx

        graph = networkx.to_numpy_array(graph)
    A = (graph.toarray() if sparse.issparse(graph) else np.asarray(graph)).astype(np.float64)
    if A.ndim != 2 or A.shape[0] != A.shape[1] or not len(A):
        raise ValueError(f"a network is a square matrix of weights with a node or more, this has the shape {A.shape}")
    if not np.isfinite(A).all() or A.min() < 0:
        raise ValueError("weights of links must be finite and not negative")
    if method == "common_neighbors":
        return A @ A
    if method == "adamic_adar":
        # Links of the node between, in either direction.
        degrees = A.sum(axis=0) if np.array_equal(A, A.T) else A.sum(axis=0) + A.sum(axis=1)
        logarithms = np.log(np.maximum(degrees, 1.0))
        return (A * np.where(logarithms > 0.0, 1.0 / np.where(logarithms > 0.0, logarithms, 1.0), 0.0)) @ A
    if method == "preferential_attachment":
        return np.outer(A.sum(axis=1), A.sum(axis=0))
    if method != "katz":
        raise ValueError(f"method={method!r} is not known; choose one of {', '.join(METHODS)}")
    radius = float(np.abs(np.linalg.eigvals(A)).max())
    beta = 0.5 / max(radius, 1e-300) if beta is None else beta
    if not 0.0 < beta * max(radius, 1e-300) < 1.0 and radius > 0.0:
        raise ValueError(f"beta={beta} must be above 0 and below {1.0 / radius:.4g}, one over the spectral radius")
    return np.linalg.inv(np.eye(len(A)) - beta * A) - np.eye(len(A)) if radius > 0.0 else np.zeros_like(A)
