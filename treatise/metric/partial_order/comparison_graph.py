"""Comparisons of pairs as a directed graph: contradictions out, repetitions out (McFee & Lanckriet, JMLR 12:491)."""

from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils import check_random_state

from treatise.metric.partial_order._loops import greedy_acyclic, needed_edges


class ComparisonGraph:
    """Comparisons "i and j are more alike than k and l" as edges between pairs of objects.

    Every embedding orders the distances of its pairs, so that comparisons which run in a circle cannot all hold, and
    one that follows from others need not be learnt. Both are properties of this graph, found without any data.
    Pairs are unordered: (i, j) and (j, i) are one vertex. Use it to clean answers of people before learning from
    them; answers given several times are worth a majority vote first, which this does not do.

    Each step returns a new graph. An acyclic subgraph costs a search between the ends of each edge that runs
    against the order so far; the reduction at worst vertices times edges; memory is linear in both.

    Parameters
    ----------
    comparisons : array-like of int, of shape (n_comparisons, 4) or (n_comparisons, 3)
        Rows (i, j, k, l), or (i, j, l) for "i is more like j than l". Repeated rows count once.

    Attributes
    ----------
    pairs : ndarray of shape (n_pairs, 2)
        The vertices, i < j.
    edges : ndarray of shape (n_edges, 2)
        Numbers of the nearer and the farther pair.

    Examples
    --------
    >>> from treatise.metric import ComparisonGraph
    >>> graph = ComparisonGraph([(0, 1, 2), (0, 2, 3), (0, 1, 3), (4, 5, 6), (4, 6, 5)])
    >>> graph.is_consistent()
    False
    >>> graph.remove_contradictions().transitive_reduction().to_array()
    array([[0, 1, 0, 2],
           [0, 2, 0, 3]])

    References
    ----------
    .. [1] Paper v12-0491, Section 2 and Algorithm 1, which is due to Berger & Shor.
    """

    def __init__(self, comparisons):
        quadruples = check_comparisons(comparisons)
        both = np.sort(quadruples.reshape(-1, 2), axis=1)
        self.pairs, vertex = np.unique(both, axis=0, return_inverse=True)
        self.edges = np.unique(vertex.reshape(-1, 2), axis=0)

    def __len__(self):
        return len(self.edges)

    def _with(self, keep):
        graph = object.__new__(ComparisonGraph)
        graph.pairs, graph.edges = self.pairs, self.edges[keep]
        return graph

    def to_array(self):
        """The comparisons as rows (i, j, k, l).

        Returns
        -------
        comparisons : ndarray of shape (n_comparisons, 4)
        """
        return self.pairs[self.edges].reshape(-1, 4)

    def is_consistent(self):
        """Whether some embedding satisfies all comparisons: whether the graph has no cycle.

        Returns
        -------
        consistent : bool
        """
        return bool(greedy_acyclic(*self._ends(), len(self.pairs))[0].all())

    def find_cycle(self):
        """A shortest cycle through one of the contradictory comparisons.

        Returns
        -------
        cycle : ndarray of shape (length, 4)
            Comparisons, each beginning with the pair that the one before ends with; empty if there is no cycle.
        """
        kept, _ = greedy_acyclic(*self._ends(), len(self.pairs))
        if kept.all():
            return np.empty((0, 4), dtype=np.int64)
        u, v = self.edges[np.flatnonzero(~kept)[0]]
        if u == v:
            return self.pairs[np.array([[u, u]])].reshape(-1, 4)
        matrix = self._matrix(kept)
        # Back from v to u breadth first; the edge (u, v) closes the circle.
        parent, queue = {int(v): -1}, [int(v)]
        for vertex in queue:
            for other in matrix.indices[matrix.indptr[vertex] : matrix.indptr[vertex + 1]]:
                if int(other) not in parent:
                    parent[int(other)] = vertex
                    queue.append(int(other))
        way = [int(u)]
        while way[-1] != v:
            way.append(parent[way[-1]])
        way = way[::-1]
        cycle = [(u, v), *pairwise(way)]
        return self.pairs[np.array(cycle)].reshape(-1, 4)

    def remove_contradictions(self):
        """Without comparisons whose opposite is there too; both go.

        Returns
        -------
        graph : ComparisonGraph
        """
        n = len(self.pairs)
        code = self.edges[:, 0] * n + self.edges[:, 1]
        opposite = self.edges[:, 1] * n + self.edges[:, 0]
        return self._with(~np.isin(code, opposite))

    def acyclic(self, random_state=None):
        """A largest set of comparisons without a cycle that a greedy pass in random order finds.

        It holds at least half as many as the largest of all, and no comparison left out can be put back.

        Parameters
        ----------
        random_state : int, RandomState instance or None, default=None
            Source of the order.

        Returns
        -------
        graph : ComparisonGraph
        """
        order = check_random_state(random_state).permutation(len(self.edges))
        tails, heads = self._ends()
        kept = np.zeros(len(self.edges), dtype=bool)
        kept[order] = greedy_acyclic(tails[order], heads[order], len(self.pairs))[0]
        return self._with(kept)

    def transitive_reduction(self):
        """Without comparisons that follow from others; the graph must be consistent.

        Returns
        -------
        graph : ComparisonGraph
        """
        kept, place = greedy_acyclic(*self._ends(), len(self.pairs))
        if not kept.all():
            raise ValueError("comparisons that contradict one another have no reduction; call acyclic() first")
        order = np.lexsort((place[self.edges[:, 1]], self.edges[:, 0]))
        indptr = np.searchsorted(self.edges[order, 0], np.arange(len(self.pairs) + 1))
        needed = np.zeros(len(self.edges), dtype=bool)
        needed[order] = needed_edges(indptr, self.edges[order, 1], place)
        return self._with(needed)

    def _ends(self):
        return np.ascontiguousarray(self.edges[:, 0]), np.ascontiguousarray(self.edges[:, 1])

    def _matrix(self, keep):
        tails, heads = self.edges[keep].T
        shape = (len(self.pairs), len(self.pairs))
        return csr_array((np.ones(len(tails)), (tails, heads)), shape=shape)


def embed_partial_order(comparisons, n_objects=None):
    """Points that satisfy every one of a consistent set of comparisons, without any features.

    Gives each pair the length of the longest chain of comparisons below it for a squared distance, and shifts all
    of them by a constant until they are Euclidean. This proves that consistent comparisons can be embedded; the
    points say nothing more, and need up to n - 1 dimensions.

    Parameters
    ----------
    comparisons : array-like of int, of shape (n_comparisons, 4) or (n_comparisons, 3)
        Comparisons without a contradiction.
    n_objects : int or None, default=None
        Number n of objects; None is one more than the largest index.

    Returns
    -------
    points : ndarray of shape (n, n - 1)
        The squared distance of the farther pair exceeds that of the nearer by one at least.

    Examples
    --------
    >>> from treatise.metric import embed_partial_order
    >>> points = embed_partial_order([(0, 1, 1, 2), (1, 2, 0, 2)])
    >>> bool(((points[0] - points[2]) ** 2).sum() - ((points[1] - points[2]) ** 2).sum() > 0.999)
    True

    References
    ----------
    .. [1] Paper v12-0491, Appendix A, Algorithm 5.
    """
    graph = ComparisonGraph(comparisons)
    n = int(graph.pairs.max()) + 1 if n_objects is None else n_objects
    if graph.pairs.max() >= n:
        raise ValueError(f"comparisons name the object {graph.pairs.max()}, but n_objects={n}")
    kept, place = greedy_acyclic(*graph._ends(), len(graph.pairs))
    if not kept.all():
        raise ValueError("comparisons contradict one another; clean them with ComparisonGraph(...).acyclic() first")
    level = np.ones(len(graph.pairs))
    for near, far in graph.edges[np.argsort(place[graph.edges[:, 0]], kind="stable")]:
        level[far] = max(level[far], level[near] + 1.0)
    squared = np.ones((n, n)) - np.eye(n)
    i, j = graph.pairs.T
    squared[i, j] = squared[j, i] = level
    centering = np.eye(n) - 1.0 / n
    values, vectors = np.linalg.eigh(-0.5 * centering @ squared @ centering)
    # A multiple of the identity adds the same to every squared distance.
    return (vectors * np.sqrt(values - values[0]))[:, 1:]


def check_comparisons(comparisons, n_objects=None):
    """Comparisons as rows of four, checked."""
    try:
        found = np.asarray(comparisons)
    except ValueError:
        raise ValueError("comparisons must have rows of equal length, (i, j, k, l) or (i, j, l)") from None
    if found.ndim != 2 or found.shape[1] not in (3, 4) or not len(found):
        raise ValueError(f"comparisons must have rows (i, j, k, l) or (i, j, l), at least one; got shape {found.shape}")
    if found.dtype.kind not in "iu":
        if found.dtype.kind != "f" or not np.array_equal(found, np.rint(found)):
            raise ValueError("comparisons must hold numbers of objects: integers")
        found = found.astype(np.int64)
    if found.shape[1] == 3:
        found = found[:, [0, 1, 0, 2]]
    if found.min() < 0 or (n_objects is not None and found.max() >= n_objects):
        limit = "" if n_objects is None else f" to {n_objects - 1}"
        raise ValueError(f"comparisons name objects from 0{limit}; these go from {found.min()} to {found.max()}")
    alone = (found[:, 0] == found[:, 1]) | (found[:, 2] == found[:, 3])
    if alone.any():
        raise ValueError(
            f"row {int(alone.argmax())} of comparisons, {found[alone.argmax()].tolist()}, pairs an object with itself"
        )
    return found.astype(np.int64)
