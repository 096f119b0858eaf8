"""Bounds on log Z from trees that precondition the matrix of couplings (chapter 3 of the thesis)."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree

from treatise.inference import FactorGraph, belief_propagation

_KINDS = ("spanning_tree", "support_tree")


@dataclass(frozen=True)
class PreconditionerBounds:
    """Bounds on ``log Z`` by a tree matrix B with ``lower x'Bx <= x'Ax <= upper x'Bx``.

    Attributes
    ----------
    lower, upper : float
        Bounds on ``log Z``.
    eigenvalues : tuple of float
        The least and the largest generalised eigenvalue of (A, B).
    kind : str
        The tree.
    """

    lower: float
    upper: float
    eigenvalues: tuple[float, float]
    kind: str


def preconditioner_log_partition(graph, *, kind="spanning_tree"):
    """Bounds on ``log Z`` without iteration: one eigenproblem and two passes over a tree.

    The energy of a binary model whose couplings repel is the quadratic form of a graph Laplacian A. A tree matrix B has
    a partition function that is easy, and the generalised eigenvalues of (A, B) bound the one energy by the other for
    every assignment. A diagnostic: the spanning tree gives a good lower bound and a very loose upper one, the support
    tree the better upper bound; :func:`tree_reweighted` is tighter. Costs n^3 for n variables.

    Parameters
    ----------
    graph : FactorGraph
        Binary variables in pairs, such that flipping the states of some variables makes all couplings repulsive (every
        model on a grid whose couplings have one sign, with fields of one sign or none).
    kind : {"spanning_tree", "support_tree"}, default="spanning_tree"
        Vaidya's maximum spanning tree, or the tree of Gremban and Miller: halves of halves of the variables, with an
        inner node that is the average of its variables.

    Returns
    -------
    bounds : PreconditionerBounds

    Examples
    --------
    >>> from treatise.inference import FactorGraph
    >>> from treatise.graphical import preconditioner_log_partition
    >>> ring = FactorGraph.ising([0, 0, 0, 0], [[0, 1], [1, 2], [2, 3], [3, 0]], [-0.3, -0.2, -0.3, -0.4])
    >>> bounds = preconditioner_log_partition(ring)
    >>> round(bounds.lower, 3), round(ring.brute_force().log_partition, 3), round(bounds.upper, 3)
    (2.739, 2.965, 5.594)

    References
    ----------
    .. [1] Thesis thesis-ravikumar, sections 3.2-3.4, Lemma 2 and equation 3.5.
    """
    if kind not in _KINDS:
        raise ValueError(f"kind={kind!r} must be one of {', '.join(map(repr, _KINDS))}")
    constant, fields, edges, couplings = graph.ising_parameters()
    n = len(graph)
    if fields.any():
        # A field is the coupling to one more spin; by symmetry that spin doubles the sum.
        held = np.flatnonzero(fields)
        edges = np.vstack([edges, np.column_stack([held, np.full(len(held), n)])])
        couplings = np.concatenate([couplings, fields[held]])
        constant -= np.log(2)
        n += 1
    kept = couplings != 0
    edges, couplings = edges[kept], couplings[kept]
    _require_balanced(n, edges, couplings)
    # J x_s x_t with J < 0 is w (x_s - x_t)^2 - 2 w with w = -J / 2; flipped variables make every coupling repel.
    weights = np.abs(couplings) / 2
    constant -= 2 * weights.sum()
    A = _laplacian(n, edges, weights)
    if kind == "spanning_tree":
        chosen = _heaviest_forest(n, edges, weights)
        B = _laplacian(n, edges[chosen], weights[chosen])

        def log_partition(scale):
            tree = FactorGraph.ising(np.zeros(n), edges[chosen], -2 * scale * weights[chosen])
            return belief_propagation(tree).log_partition + 2 * scale * weights[chosen].sum()
    else:
        halves = _Half(np.arange(n), A)
        B = halves.matrix(n)

        def log_partition(scale):
            return halves.log_partition(scale)

    low, high = _generalised_eigenvalues(A, B)
    lower, upper = float(constant + log_partition(low)), float(constant + log_partition(high))
    return PreconditionerBounds(lower, upper, (low, high), kind)


class _Half:
    """A part of the variables, divided again and again; its value is the average of its variables.

    An edge to a part weighs the total weight that leaves the part. The energy depends on the variables only through the
    number of ones in each part, so that sums over all assignments take n^2 steps.
    """

    def __init__(self, members, A):
        self.members = members
        inside = A[np.ix_(members, members)].sum()
        # Rows of a Laplacian sum to zero, so what is left of a block is what leaves it.
        self.weight = max(float(inside), 0.0)
        self.children = []
        if len(members) > 1:
            self.children = [_Half(part, A) for part in _bisect(members, A)]

    def matrix(self, n):
        """The quadratic form of all edges below, in the original variables."""
        B = np.zeros((n, n))
        own = self._average(n)
        for child in self.children:
            edge = child._average(n) - own
            B += child.weight * np.outer(edge, edge) + child.matrix(n)
        return B

    def _average(self, n):
        average = np.zeros(n)
        average[self.members] = 1.0 / len(self.members)
        return average

    def log_partition(self, scale):
        """Log of the sum over all assignments of the exponential of ``scale`` times the form."""
        return float(np.logaddexp.reduce(self._by_count(scale)))

    def _by_count(self, scale):
        """Log sums over the assignments of the part with 0, 1, ... ones."""
        size = len(self.members)
        if not self.children:
            return np.zeros(2)
        first, second = self.children
        count_1, count_2 = np.arange(len(first.members) + 1)[:, None], np.arange(len(second.members) + 1)[None, :]
        value = 2 * (count_1 + count_2) / size - 1
        energy = first.weight * (2 * count_1 / len(first.members) - 1 - value) ** 2
        energy = energy + second.weight * (2 * count_2 / len(second.members) - 1 - value) ** 2
        terms = first._by_count(scale)[:, None] + second._by_count(scale)[None, :] + scale * energy
        found = np.full(size + 1, -np.inf)
        np.logaddexp.at(found, (count_1 + count_2).ravel(), terms.ravel())
        return found


def _bisect(members, A):
    """Two halves by the second eigenvector of the part's own Laplacian."""
    links = -A[np.ix_(members, members)]
    np.fill_diagonal(links, 0.0)
    own = np.diag(links.sum(axis=1)) - links
    order = np.argsort(np.linalg.eigh(own)[1][:, 1], kind="stable")
    half = len(members) // 2
    return np.sort(members[order[:half]]), np.sort(members[order[half:]])


def _require_balanced(n, edges, couplings):
    """Raise unless flipping some variables makes all couplings negative, which is a colouring by breadth first."""
    neighbors: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for (s, t), coupling in zip(edges.tolist(), couplings):
        sign = 1 if coupling < 0 else -1
        neighbors[s].append((t, sign))
        neighbors[t].append((s, sign))
    flipped = np.zeros(n, np.int64)
    for root in range(n):
        if flipped[root]:
            continue
        flipped[root], queue = 1, [root]
        for s in queue:
            for t, sign in neighbors[s]:
                if flipped[t] == 0:
                    flipped[t] = flipped[s] * sign
                    queue.append(t)
                elif flipped[t] != flipped[s] * sign:
                    raise ValueError(
                        f"the couplings around a loop through variable {t} cannot all be made repulsive by flipping "
                        "states, so that they form no Laplacian; take mean_field and tree_reweighted"
                    )


def _laplacian(n, edges, weights):
    matrix = np.zeros((n, n))
    np.add.at(matrix, (edges[:, 0], edges[:, 1]), -weights)
    np.add.at(matrix, (edges[:, 1], edges[:, 0]), -weights)
    np.fill_diagonal(matrix, -matrix.sum(axis=1))
    return matrix


def _heaviest_forest(n, edges, weights):
    rank = np.empty(len(edges))
    rank[np.argsort(-weights, kind="stable")] = np.arange(1, len(edges) + 1)
    links = coo_array((rank, tuple(edges.T)), shape=(n, n)).tocsr()
    return np.isin(rank, minimum_spanning_tree(links).tocoo().data)


def _generalised_eigenvalues(A, B):
    """Extreme values of ``x'Ax / x'Bx``, rounded outwards, where the two have the same null space."""
    values, vectors = np.linalg.eigh(B)
    scale = max(values[-1], 1e-300)
    basis = vectors[:, values > 1e-11 * scale]
    if basis.shape[1] == 0:
        return 1.0, 1.0
    found = eigh(basis.T @ A @ basis, basis.T @ B @ basis, eigvals_only=True)
    return float(found[0]) * (1 - 1e-10), float(found[-1]) * (1 + 1e-10)
