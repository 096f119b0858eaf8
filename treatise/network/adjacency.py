"""Any graph that users hold as one symmetric sparse matrix, with the names of its nodes."""

import numpy as np
from scipy import sparse

# Entries of a pair may differ by this share of the largest: a product of matrices is symmetric only so far.
ROUNDING = 1e-10


def adjacency_of(graph, *, signed=False):
    """The symmetric matrix of an undirected graph, and what its nodes are called.

    Parameters
    ----------
    graph : array-like or sparse matrix of shape (n, n), or networkx Graph
        Weights of the edges. An entry on the diagonal is a loop's weight, counted once; networkx counts a loop twice in
        the degree of its node, so its loops are doubled here.
    signed : bool, default=False
        Whether negative weights are allowed.

    Returns
    -------
    adjacency : csr_array of shape (n, n)
        Float, symmetric, with sorted indices and no stored zeros.
    nodes : ndarray of shape (n,)
        Names of the nodes: those of networkx, else 0, 1, ...
    """
    if hasattr(graph, "is_directed"):
        matrix, nodes = _from_networkx(graph, "undirected_signs(graph)" if signed else "graph.to_undirected()")
    else:
        matrix = _from_matrix(graph)
        nodes = np.arange(matrix.shape[0])
    if not matrix.shape[0]:
        raise ValueError("the graph has no nodes; there is nothing to do")
    if not np.isfinite(matrix.data).all():
        raise ValueError("the graph has a weight that is NaN or infinite; remove such edges first")
    if not signed and matrix.nnz and matrix.data.min() < 0:
        raise ValueError(
            f"the graph has a negative weight ({matrix.data.min():g}); this method takes weights of zero and more"
        )
    largest = float(np.abs(matrix.data).max()) if matrix.nnz else 0.0
    difference = abs(matrix - matrix.T).max() if matrix.nnz else 0.0
    if difference > ROUNDING * largest:
        without = "undirected_signs(A)" if signed else "A + A.T"
        raise ValueError(
            f"the matrix is not symmetric: entries (i, j) and (j, i) differ by up to {difference:g}; this method takes "
            f"undirected graphs, for a directed one pass {without}"
        )
    matrix = sparse.csr_array(matrix + matrix.T) * 0.5 if difference else matrix
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix, nodes


def _from_networkx(graph, undirected):
    import networkx

    if graph.is_directed():
        raise ValueError(f"the graph is directed; this method takes undirected ones, such as {undirected}")
    nodes = np.empty(graph.number_of_nodes(), dtype=object)
    nodes[:] = list(graph)
    if not len(nodes):
        return sparse.csr_array((0, 0)), nodes
    matrix = sparse.csr_array(networkx.to_scipy_sparse_array(graph, dtype=np.float64, format="csr"))
    return sparse.csr_array(matrix + sparse.diags_array(matrix.diagonal())), nodes


def _from_matrix(graph):
    if not sparse.issparse(graph):
        graph = np.asarray(graph)
        if graph.dtype == object or graph.dtype.kind not in "biuf":
            graph = graph.astype(np.float64)
        if graph.ndim != 2:
            raise ValueError(f"a graph is a square matrix of weights, this has the shape {graph.shape}")
    if graph.shape[0] != graph.shape[1]:
        raise ValueError(f"a graph is a square matrix of weights, this has the shape {graph.shape}")
    if np.issubdtype(graph.dtype, np.complexfloating):
        raise ValueError("the weights of a graph are real numbers, these are complex")
    return sparse.csr_array(graph, dtype=np.float64, copy=True)


def labels_of(labels, n_nodes):
    """Cluster numbers 0, 1, ... of the nodes.

    Parameters
    ----------
    labels : array-like of shape (n_nodes,)
        A cluster's name for each node.
    n_nodes : int
        Nodes of the graph.
    """
    labels = np.asarray(labels)
    if labels.shape != (n_nodes,):
        raise ValueError(f"labels have the shape {labels.shape}; the graph has {n_nodes} nodes and needs one for each")
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
