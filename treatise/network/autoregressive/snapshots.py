"""A network at several times as users hold it, in and out: arrays, sparse matrices, networkx graphs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse


@dataclass(frozen=True)
class Snapshots:
    """The same nodes at several times, and the form they came in."""

    matrices: np.ndarray
    """Of shape (n_snapshots, rows, columns)."""
    rows: np.ndarray
    """Names of the rows."""
    columns: np.ndarray
    """Names of the columns: the same nodes for square snapshots."""
    form: str
    """"array", "sparse", "graph" or "digraph"."""

    @property
    def symmetric(self):
        """Whether all snapshots are undirected."""
        square = self.matrices.shape[1] == self.matrices.shape[2]
        return square and all(np.array_equal(A, A.T) for A in self.matrices)


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
    dense = [graph.toarray() if sparse.issparse(graph) else np.asarray(graph) for graph in graphs]
    shapes = {matrix.shape for matrix in dense}
    if len(shapes) > 1 or dense[0].ndim != 2 or not dense[0].size:
        raise ValueError(f"snapshots have the shapes {sorted(shapes)}; all must be matrices of one shape, with a node")
    if any(np.iscomplexobj(matrix) for matrix in dense):
        raise ValueError("the weights of links are real numbers, these are complex")
    matrices = np.array(dense, dtype=np.float64)
    _check(matrices)
    rows, columns = (np.arange(size) for size in matrices.shape[1:])
    return Snapshots(matrices, rows, columns, form)


def _read_networkx(graphs):
    import networkx

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
    matrices = np.zeros((len(graphs), len(names), len(names)))
    for matrix, graph in zip(matrices, graphs):
        padded = graph.copy()
        padded.add_nodes_from(seen)
        matrix[:] = networkx.to_numpy_array(padded, nodelist=list(seen), dtype=np.float64)
    _check(matrices)
    return Snapshots(matrices, names, names, "digraph" if directed.pop() else "graph")


def _check(matrices):
    if not np.isfinite(matrices).all():
        raise ValueError("a snapshot has a weight that is NaN or infinite; remove such links first")


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
