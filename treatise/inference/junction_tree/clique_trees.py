"""Junction trees of plain graphs, with a bound on what neighbouring clusters may share."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treatise.inference.junction_tree._triangulation import (
    check_running_intersection,
    clique_forest,
    least_fill_cliques,
    maximal_cliques,
)


@dataclass(frozen=True)
class CliqueTree:
    """Clusters of vertices joined to a tree (a forest, where the graph falls apart).

    Attributes
    ----------
    clusters : tuple of tuple of int
        Vertices of each cluster, ascending.
    edges : tuple of (int, int)
        Pairs of numbers of neighbouring clusters.
    """

    clusters: tuple[tuple[int, ...], ...]
    edges: tuple[tuple[int, int], ...]

    def __post_init__(self):
        check_running_intersection(self.clusters, self.edges)

    @cached_property
    def separators(self):
        """What the two clusters of each edge share, in the order of ``edges``."""
        return tuple(tuple(sorted(set(self.clusters[a]) & set(self.clusters[b]))) for a, b in self.edges)

    @property
    def width(self):
        """Size of the largest cluster less one."""
        return max(map(len, self.clusters), default=0) - 1


def clique_tree(adjacency, *, max_separator=None):
    """A junction tree of an undirected graph, by the least-fill order of elimination.

    Again and again the vertex goes whose neighbours lack the fewest edges among them; the maximal ones of the cliques
    that arise are tied to a tree with the largest overlaps. Where neighbouring clusters share more than
    ``max_separator`` vertices they are merged. Neighbourhoods are bit sets, so that sparse graphs cost little more than
    their edges and even a complete graph of 1 000 vertices only seconds. For the exact probabilities of a model take
    :class:`JunctionTree`.

    Parameters
    ----------
    adjacency : array-like of bool of shape (p, p)
        The graph, symmetric; the diagonal is ignored.
    max_separator : int or None, default=None
        Most vertices that neighbouring clusters share; None leaves the cliques as they are.

    Returns
    -------
    tree : CliqueTree

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.inference import clique_tree
    >>> square = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]], dtype=bool)
    >>> tree = clique_tree(square)
    >>> tree.clusters, tree.separators
    (((0, 1, 3), (1, 2, 3)), ((1, 3),))
    >>> clique_tree(square, max_separator=1).clusters
    ((0, 1, 2, 3),)
    """
    around = _bit_sets(adjacency)
    cliques = maximal_cliques(least_fill_cliques(around, [1] * len(around)))
    edges, separators = clique_forest(cliques)
    if max_separator is None:
        return CliqueTree(tuple(cliques), tuple(edges))
    # What a cluster shares with a neighbour does not change when either is merged with others, so one pass is enough.
    home = list(range(len(cliques)))

    def find(c):
        while home[c] != c:
            home[c] = home[home[c]]
            c = home[c]
        return c

    for (child, parent), separator in zip(edges, separators):
        if len(separator) > max_separator:
            home[find(child)] = find(parent)
    merged: dict[int, set[int]] = {}
    for c, clique in enumerate(cliques):
        merged.setdefault(find(c), set()).update(clique)
    number = {root: k for k, root in enumerate(merged)}
    kept = [(number[find(a)], number[find(b)]) for a, b in edges if find(a) != find(b)]
    return CliqueTree(tuple(tuple(sorted(cluster)) for cluster in merged.values()), tuple(kept))


def _bit_sets(adjacency):
    """The neighbours of every vertex as the bits of an integer."""
    joined = np.array(adjacency, dtype=bool)
    if joined.ndim != 2 or joined.shape[0] != joined.shape[1] or (joined != joined.T).any():
        raise ValueError(f"an undirected graph needs a symmetric square matrix; this one has shape {joined.shape}")
    np.fill_diagonal(joined, False)
    packed = np.packbits(joined, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]
