"""A network at several times as users hold it, in and out: arrays, sparse matrices, networkx graphs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse


@dataclass(frozen=True)
class Snapshots:
    """The same nodes at several times, and the form they came in."""

    matrices: list
    """ndarrays, or CSR arrays of sparse matrices and graphs."""
    rows: np.ndarray
    """Names of the rows."""
    columns: np.ndarray
    """Names of the columns: the same nodes for square snapshots."""
    form: str
    """"array", "sparse", "graph" or "digraph"."""

    @property
    def symmetric(self):
        """Whether all snapshots are undirected."""
        rows, columns = self.matrices[0].shape
        return rows == columns and all(abs(A - A.T).max() == 0.0 for A in self.matrices)

    @property
    def pairs(self):
        """Entries that can be links: not the diagonal of a network in which no node has a link with itself."""
        shape = self.matrices[0].shape
        bare = shape[0] == shape[1] and not any(A.diagonal().any() for A in self.matrices)
        return ~np.eye(*shape, dtype=bool) if bare else np.ones(shape, dtype=bool)

    @property
    def least(self):
        """The lowest weight, or zero."""
        return min(float(A.min()) for A in self.matrices)


def read_snapshots(graphs) -> Snapshots:
    """Matrices of weights of snapshots that have the same shape, or of networkx graphs with any of the nodes."""
    if (
        (isinstance(graphs, np.ndarray) and graphs.ndim == 2)
        or sparse.issparse(graphs)
        or hasattr(graphs, "is_directed")
    ):
        raise ValueError("one snapshot is given; a list of snapshots in the order of time is needed")
    graphs = list(graphs)
    if not graphs:
        raise ValueError("there are no snapshots; give a list of them in the order of time")
    if all(hasattr(graph, "is_directed") for graph in graphs):
        return _read_networkx(graphs)
    form = "sparse" if all(sparse.issparse(graph) for graph in graphs) else "array"
    given: list[Any] = [graph if sparse.issparse(graph) else np.asarray(graph) for graph in graphs]
    shapes = {matrix.shape for matrix in given}
    if len(shapes) > 1 or given[0].ndim != 2 or not all(given[0].shape):
        raise ValueError(f"snapshots have the shapes {sorted(shapes)}; all must be matrices of one shape, with a node")
    if any(np.iscomplexobj(matrix) for matrix in given):
        raise ValueError("the weights of links are real numbers, these are complex")
    if form == "sparse":
        matrices = [sparse.csr_array(matrix, dtype=np.float64) for matrix in given]
    else:
        matrices = [np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix, np.float64) for matrix in given]
    _check(matrices)
    rows, columns = (np.arange(size) for size in matrices[0].shape)
    return Snapshots(matrices, rows, columns, form)


def _read_networkx(graphs):
    directed = {graph.is_directed() for graph in graphs}
    if len(directed) > 1:
        raise ValueError("some snapshots are directed and some are not; make them all alike")
    seen: dict[Any, None] = {}
    for graph in graphs:
        seen.update(dict.fromkeys(graph))
    if not seen:
        raise ValueError("no snapshot has a node; there is nothing to predict")
    names = np.empty(len(seen), dtype=object)
    names[:] = list(seen)
    matrices = [matrix_of(graph, names) for graph in graphs]
    _check(matrices)
    return Snapshots(matrices, names, names, "digraph" if directed.pop() else "graph")


def matrix_of(graph, names):
    """Weights of the links of a networkx graph between nodes of these names, some of which it may not have."""
    import networkx

    padded = graph.copy()
    padded.add_nodes_from(names)
    return sparse.csr_array(networkx.to_scipy_sparse_array(padded, nodelist=list(names), dtype=np.float64))


def _check(matrices):
    for number, matrix in enumerate(matrices):
        if not np.isfinite(matrix.data if sparse.issparse(matrix) else matrix).all():
            raise ValueError(f"snapshot {number} has a weight that is NaN or infinite; remove such links first")


def write_like(matrix, form, rows):
    """A matrix of weights in the form the snapshots came in; links of weight zero are left out."""
    if form == "array":
        return matrix
    if form == "sparse":
        return sparse.csr_array(matrix)
    import networkx

    graph = networkx.from_numpy_array(
        matrix, create_using=networkx.DiGraph if form == "digraph" else networkx.Graph
    )  # fmt: skip
    return networkx.relabel_nodes(graph, dict(enumerate(rows)))
