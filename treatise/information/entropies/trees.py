"""Renyi's entropy from the length of a spanning tree of the rows."""

from functools import lru_cache

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree

from treatise._core.jit import compiled
from treatise.information._estimator import EntropyEstimator, registered
from treatise.information._parameters import COUNT_OR_NONE, SHARE
from treatise.information._radii import untied
from treatise.statistics import neighbour_distances, neighbour_graph

_MOST_SIMULATED = 2000
_SIMULATIONS = 5


@registered("renyi_tree", "Renyi entropy", cost="n^2, or n log n with neighbours", unit="nats")
class SpanningTreeRenyiEntropy(EntropyEstimator):
    """Renyi's entropy from the least tree that joins all rows: the sum of its edges to the power d (1 - alpha).

    ``neighbours=None`` takes the exact minimum spanning tree in O(n^2); a number takes the least forest of the graph of
    so many nearest neighbours, in O(n log n). The constant of the law of large numbers is found by simulation on the
    unit cube, with as many rows as X has (at most 2 000), and kept; ``constant=False`` leaves it out, where values are
    only compared in one dimension d. Rows that have an equal are left out with a warning, since an edge of length zero
    is none of a density; most rows must not.
    """

    alpha: float = 0.9
    neighbours: int | None = None
    constant: bool = True
    _parameter_constraints = {"alpha": SHARE, "neighbours": COUNT_OR_NONE, "constant": ["boolean"]}

    def _estimate(self, X):
        X = X[untied(neighbour_distances(X, k=1)[:, 0], 1, "X")]
        n, d = X.shape
        length = tree_length(X, d * (1.0 - self.alpha), self.neighbours)
        simulated = 0.0
        if self.constant:
            simulated = _simulated(min(n, _MOST_SIMULATED), d, self.alpha, self.neighbours)
        return (np.log(length) - self.alpha * np.log(n) - simulated) / (1.0 - self.alpha)


@lru_cache(maxsize=64)
def _simulated(n, d, alpha, neighbours):
    """log(length / n^alpha) of uniform rows, whose entropy is zero."""
    rng = np.random.default_rng(0)
    lengths = [tree_length(rng.random((n, d)), d * (1.0 - alpha), neighbours) for _ in range(_SIMULATIONS)]
    return float(np.log(np.mean(lengths)) - alpha * np.log(n))


def tree_length(X, power, neighbours=None):
    """Sum of the edges, to a power, of the minimum spanning tree, or of the forest of a neighbour graph."""
    if neighbours is None:
        return float(np.sum(tree_edges(X) ** power))
    indices, distances = neighbour_graph(X, neighbours)
    starts = np.arange(0, indices.size + 1, neighbours)
    graph = csr_array((distances.ravel(), indices.ravel(), starts), shape=(len(X), len(X)))
    return float(np.sum(minimum_spanning_tree(graph).data ** power))


@compiled
def tree_edges(X):
    """Lengths of the edges of the minimum spanning tree, by Prim's algorithm without a matrix of distances."""
    n, d = X.shape
    nearest, edges = np.full(n, np.inf), np.empty(n - 1)
    joined = np.zeros(n, np.bool_)
    current = 0
    for step in range(n - 1):
        joined[current] = True
        best = -1
        for j in range(n):
            if joined[j]:
                continue
            gap = 0.0
            for c in range(d):
                gap += (X[j, c] - X[current, c]) ** 2
            nearest[j] = min(nearest[j], gap)
            if best < 0 or nearest[j] < nearest[best]:
                best = j
        edges[step] = np.sqrt(nearest[best])
        current = best
    return edges
