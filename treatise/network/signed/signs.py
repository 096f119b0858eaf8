"""A signed network as users hold it: a matrix of -1, 0 and 1, and pairs of nodes."""

import numpy as np
from scipy import sparse

from treatise.network.adjacency import adjacency_of
from treatise.statistics.undirected_signs import without_directions


def signs_of_network(graph, *, directed=False):
    """The matrix of signs and the names of the nodes.

    Parameters
    ----------
    graph : array-like or sparse matrix of shape (n, n), or networkx Graph
        Entries -1 and 1, zero where nothing is known; the ``weight`` of networkx edges. Loops are not allowed.
    directed : bool, default=False
        Whether (i, j) and (j, i) may differ.

    Returns
    -------
    A : csr_array of shape (n, n)
    nodes : ndarray of shape (n,)
    """
    if directed:
        A, nodes = _directed(graph)
    else:
        A, nodes = adjacency_of(graph, signed=True)
    wrong = A.data[~np.isin(A.data, (-1.0, 1.0))]
    if len(wrong):
        raise ValueError(f"signs are -1 and 1, and 0 where none is known; the network has {wrong[0]:g}")
    if A.diagonal().any():
        raise ValueError("a node has a link to itself; set the diagonal to zero")
    return A, nodes


def _directed(graph):
    if hasattr(graph, "is_directed"):
        import networkx

        nodes = np.empty(graph.number_of_nodes(), dtype=object)
        nodes[:] = list(graph)
        graph = networkx.to_scipy_sparse_array(graph, dtype=np.float64)
    else:
        nodes = np.arange(graph.shape[0] if sparse.issparse(graph) else len(graph))
    A = sparse.csr_array(graph, dtype=np.float64, copy=True)
    if A.shape[0] != A.shape[1] or not A.shape[0]:
        raise ValueError(f"a network is a square matrix of signs with a node or more, this has the shape {A.shape}")
    A.sum_duplicates()
    A.eliminate_zeros()
    A.sort_indices()
    return A, nodes


def undirected_signs(graph):
    """A directed signed network without directions: pairs that contradict each other are left out.

    Parameters
    ----------
    graph : array-like or sparse matrix of shape (n, n), or networkx DiGraph
        Signs of directed links.

    Returns
    -------
    A : csr_array of shape (n, n)
        ``sign(A + A')``.
    """
    A, _ = signs_of_network(graph, directed=True)
    return without_directions(A)


def pairs_of(pairs, nodes):
    """Positions of pairs of nodes that are given by their names.

    Parameters
    ----------
    pairs : array-like of shape (m, 2)
        Names of the nodes: numbers 0, 1, ... for a matrix, those of networkx for its graphs.
    nodes : ndarray of shape (n,)
        All names, in order.

    Returns
    -------
    sources, targets : ndarray of int of shape (m,)
    """
    pairs = np.asarray(pairs, dtype=object if nodes.dtype == object else None)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"pairs have two columns, a node in each; these have the shape {pairs.shape}")
    if nodes.dtype == object:
        place = {name: i for i, name in enumerate(nodes.tolist())}
        unknown = next((name for name in pairs.ravel().tolist() if name not in place), None)
        if unknown is not None:
            raise ValueError(f"the network has no node {unknown!r}")
        found = np.array([place[name] for name in pairs.ravel().tolist()], dtype=np.int64).reshape(-1, 2)
    else:
        if pairs.size and pairs.dtype.kind not in "iu":
            raise ValueError(f"nodes of a matrix are whole numbers 0 to {len(nodes) - 1}")
        found = pairs.astype(np.int64)
        if found.size and (found.min() < 0 or found.max() >= len(nodes)):
            raise ValueError(
                f"nodes of the matrix are 0 to {len(nodes) - 1}; a pair has {found.min()} to {found.max()}"
            )
    return np.ascontiguousarray(found[:, 0]), np.ascontiguousarray(found[:, 1])
