"""How far an estimated graph is from the true one."""

from typing import NamedTuple

import numpy as np


class GraphMetrics(NamedTuple):
    """What :func:`graph_metrics` found.

    Attributes
    ----------
    false_discovery_rate : float
        Share of the estimated edges that are wrong; 0 for a graph without edges.
    true_positive_rate : float
        Share of the true edges that were found.
    edit_distance : int
        Edges to delete and to add.
    weak_edge_discovery_rate : float
        Share of the true edges called weak that were found; NaN where none was named.
    n_edges : int
        Estimated edges.
    """

    false_discovery_rate: float
    true_positive_rate: float
    edit_distance: int
    weak_edge_discovery_rate: float
    n_edges: int


def graph_metrics(estimated, true, *, weak=None):
    """Compare an estimated graph with the true one.

    Parameters
    ----------
    estimated, true : array-like of shape (p, p)
        Adjacency matrices, or matrices that are zero off the edges; only the part above the diagonal counts.
    weak : array-like of bool of shape (p, p) or None, default=None
        Which true edges are weak.

    Returns
    -------
    metrics : GraphMetrics

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import graph_metrics
    >>> true, found = np.eye(4, k=1), np.eye(4, k=1)
    >>> found[2, 3], found[0, 3] = 0, 1
    >>> graph_metrics(found, true)[:3]
    (0.3333333333333333, 0.6666666666666666, 2)
    """
    found, real = np.triu(np.asarray(estimated) != 0, 1), np.triu(np.asarray(true) != 0, 1)
    if found.shape != real.shape:
        raise ValueError(f"the graphs have different shapes: {found.shape} and {real.shape}")
    frail = np.zeros_like(real) if weak is None else real & np.asarray(weak, dtype=bool)
    n_found, n_real, n_weak = int(found.sum()), int(real.sum()), int(frail.sum())
    return GraphMetrics(
        false_discovery_rate=int((found & ~real).sum()) / max(n_found, 1),
        true_positive_rate=int((found & real).sum()) / n_real if n_real else float("nan"),
        edit_distance=int((found != real).sum()),
        weak_edge_discovery_rate=int((found & frail).sum()) / n_weak if n_weak else float("nan"),
        n_edges=n_found,
    )
