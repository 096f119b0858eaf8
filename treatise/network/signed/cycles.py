"""Scores and features of node pairs by the signed cycles they would close (Chiang et al., JMLR 15:1177, section 3)."""

import itertools

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import eigsh, norm

from treatise._core.threads import over_ranges
from treatise.network.signed._cycle_loops import walk_counts
from treatise.network.signed.signs import pairs_of, signs_of_network

# Source nodes whose walks are followed at once; each needs a few vectors of as many numbers as there are nodes.
BLOCK = 64


def signed_katz(graph, pairs, *, beta=None, tol=1e-12):
    """Signed Katz measure of pairs: walks of all lengths, discounted, even numbers of negative steps less odd ones.

    It is the measure of imbalance of all orders (MOI-infinity): positive where a positive link would leave more cycles
    balanced. Time O(edges) a step for each different first node, some sixty steps.

    Parameters
    ----------
    graph : array-like or sparse matrix of shape (n, n), or networkx Graph
        An undirected network of signs -1 and 1.
    pairs : array-like of shape (m, 2)
        Pairs of nodes.
    beta : float or None, default=None
        Discount, below one over the spectral norm; None is 0.9 of that.
    tol : float, default=1e-12
        Relative residual of the equations.

    Returns
    -------
    scores : ndarray of shape (m,)
        Entries of ``(I - beta A)^-1 - I - beta A``.

    Examples
    --------
    >>> from treatise.network import signed_katz
    >>> A = [[0, 1, 0], [1, 0, -1], [0, -1, 0]]
    >>> bool(signed_katz(A, [[0, 2]])[0] < 0)  # a friend's enemy
    True
    """
    A, nodes = signs_of_network(graph)
    sources, targets = pairs_of(pairs, nodes)
    largest = spectral_norm(A)
    beta = 0.9 / largest if beta is None and largest else beta or 0.0
    if not 0 <= beta * largest < 1:
        raise ValueError(f"beta={beta:g} must be below {1 / largest:g}, one over the spectral norm of the network")

    def solve(E):
        # What is asked solves the same equations with walks of two steps on the right, and may be far less than one.
        return _conjugate_gradients(A, beta, beta * (A @ (beta * (A @ E))), tol)

    return _by_source(solve, A.shape[0], sources, targets)


def imbalance_score(graph, pairs, *, order=10, beta=None):
    """Measure of imbalance up to an order (MOI-l): ``sum over t = 3 to l of beta^(t-1) (A^(t-1))_ij``.

    Parameters
    ----------
    graph : array-like or sparse matrix of shape (n, n), or networkx Graph
        An undirected network of signs -1 and 1.
    pairs : array-like of shape (m, 2)
        Pairs of nodes.
    order : int, default=10
        Longest cycles, 3 or more.
    beta : float or None, default=None
        Discount; None is 0.9 over the spectral norm.

    Returns
    -------
    scores : ndarray of shape (m,)
        Positive where a positive link would leave more cycles balanced.

    Examples
    --------
    >>> from treatise.network import imbalance_score
    >>> imbalance_score([[0, 1, 0], [1, 0, 1], [0, 1, 0]], [[0, 2]], order=3, beta=1.0)
    array([1.])
    """
    A, nodes = signs_of_network(graph)
    sources, targets = pairs_of(pairs, nodes)
    if order < 3:
        raise ValueError(f"order={order} must be 3 or more: two nodes are on no shorter cycle")
    beta = beta if beta is not None else 0.9 / (spectral_norm(A) or 1.0)

    def add(E):
        walk, total = beta * (A @ E), np.zeros_like(E)
        for _ in range(order - 2):
            walk = beta * (A @ walk)
            total += walk
        return total

    return _by_source(add, A.shape[0], sources, targets)


def cycle_features(graph, pairs, *, order=3, directed=False):
    """Counts of walks between the nodes of pairs, by the signs and directions of their steps (HOC-l).

    A pair's own link is left out of its walks, so that the features of known links may train a classifier. Time for
    order 3 the degrees of the two nodes, for 4 and 5 the links of their neighbours.

    Parameters
    ----------
    graph : array-like or sparse matrix of shape (n, n), or networkx Graph
        A network of signs -1 and 1.
    pairs : array-like of shape (m, 2)
        Pairs of nodes.
    order : {3, 4, 5}, default=3
        Longest cycles; walks have one step less.
    directed : bool, default=False
        Whether links have a direction. Then a step is of one of four kinds (sign, and along or against the link), and
        there are 16 features of order 3, 64 more of order 4 and 256 of order 5; else a pattern of signs and its reverse
        are one feature: 3, 6 and 10.

    Returns
    -------
    features : ndarray of shape (m, n_features)
        The order of :func:`cycle_patterns`.

    Examples
    --------
    >>> from treatise.network import cycle_features
    >>> A = [[0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, -1], [0, 1, -1, 0]]
    >>> cycle_features(A, [[0, 3]])
    array([[1., 1., 0.]])
    """
    A, nodes = signs_of_network(graph, directed=directed)
    sources, targets = pairs_of(pairs, nodes)
    if order not in (3, 4, 5):
        raise ValueError(f"order={order} must be 3, 4 or 5")
    if order > 3 and not directed:
        sources, targets = _cheaper_first(A, sources, targets)
    indptr, neighbours, kinds, turned = _kinds_of_steps(A, directed)
    K = len(turned)
    counts = np.zeros((len(sources), sum(K**length for length in range(2, order))))
    degree = len(neighbours) / max(A.shape[0], 1)
    over_ranges(
        lambda first, last: walk_counts(
            indptr, neighbours, kinds, turned, sources, targets, order, counts, first, last
        ),
        len(sources),
        cost=5.0 * len(sources) * max(degree, 1.0) ** (order - 2),
    )
    return counts if directed else counts @ _folded(order)


def cycle_patterns(order=3, *, directed=False):
    """Names of the features of :func:`cycle_features`: signs of the steps, with ``<`` for one against its link.

    Parameters
    ----------
    order : {3, 4, 5}, default=3
        Longest cycles.
    directed : bool, default=False
        Whether links have a direction.

    Returns
    -------
    names : list of str

    Examples
    --------
    >>> from treatise.network import cycle_patterns
    >>> cycle_patterns(4)
    ['++', '+-', '--', '+++', '++-', '+-+', '+--', '-+-', '---']
    """
    steps = ["+", "-", "+<", "-<"] if directed else ["+", "-"]
    walks = [walk for length in range(2, order) for walk in itertools.product(steps, repeat=length)]
    if not directed:
        walks = [walk for walk in walks if walk <= walk[::-1]]
    return ["".join(walk) for walk in walks]


def spectral_norm(A):
    """Largest absolute eigenvalue of a symmetric sparse matrix."""
    if not A.nnz:
        return 0.0
    if A.shape[0] < 50:
        return float(np.abs(np.linalg.eigvalsh(A.toarray())).max())
    start = np.random.default_rng(0).random(A.shape[0])
    return float(min(abs(eigsh(A, k=1, which="LM", return_eigenvectors=False, v0=start)[0]), norm(A)))


def _by_source(solve, n, sources, targets):
    """Entries (source, target) of a symmetric operator, from its columns of the different sources."""
    scores = np.zeros(len(sources))
    different, place = np.unique(sources, return_inverse=True)
    for first in range(0, len(different), BLOCK):
        block = different[first : first + BLOCK]
        E = np.zeros((n, len(block)))
        E[block, np.arange(len(block))] = 1.0
        found = solve(E)
        asked = np.flatnonzero((place >= first) & (place < first + BLOCK))
        scores[asked] = found[targets[asked], place[asked] - first]
    return scores


def _conjugate_gradients(A, beta, B, tol):
    """Solve ``(I - beta A) X = B``, all columns side by side; the matrix is positive for a beta that is allowed."""
    X, R = B.copy(), beta * (A @ B)
    P, size = R.copy(), np.einsum("ij,ij->j", R, R)
    enough = tol**2 * np.einsum("ij,ij->j", B, B)
    for _ in range(10 * A.shape[0] + 100):
        if (size <= enough).all():
            break
        Q = P - beta * (A @ P)
        pace = size / np.maximum(np.einsum("ij,ij->j", P, Q), np.finfo(float).tiny)
        X += pace * P
        R -= pace * Q
        after = np.einsum("ij,ij->j", R, R)
        P = R + after / np.maximum(size, np.finfo(float).tiny) * P
        size = after
    return X


def _cheaper_first(A, sources, targets):
    """Pairs turned so that the first node has the fewer links of neighbours, which are followed for every pair.

    Without directions a walk and its reverse are one feature.
    """
    degree = np.diff(A.indptr).astype(np.float64)
    reach = sparse.csr_array((np.ones(A.nnz), A.indices, A.indptr), shape=A.shape) @ degree
    turn = reach[targets] < reach[sources]
    return np.where(turn, targets, sources), np.where(turn, sources, targets)


def _kinds_of_steps(A, directed):
    """Every node's neighbours with the kind of step to them, and each kind seen from the other end."""
    kinds = sparse.csr_array(A)
    kinds.data = np.where(A.data > 0, 1.0, 2.0)  # stored numbers may not be zero
    if not directed:
        return _rows(kinds, np.array([0, 1]))
    back = sparse.csr_array(kinds.T)
    back.data = back.data + 2.0
    forth = kinds.tocoo(), back.tocoo()
    rows, columns, data = (np.concatenate([getattr(part, name) for part in forth]) for name in ("row", "col", "data"))
    order = np.lexsort([data, columns, rows])
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=A.shape[0]))]).astype(np.int64)
    return indptr, columns[order].astype(np.int64), data[order].astype(np.int64) - 1, np.array([2, 3, 0, 1])


def _rows(kinds, turned):
    return kinds.indptr.astype(np.int64), kinds.indices.astype(np.int64), kinds.data.astype(np.int64) - 1, turned


def _folded(order):
    """The matrix that adds each pattern of signs and its reverse."""
    names = cycle_patterns(order)
    walks = ["".join(walk) for length in range(2, order) for walk in itertools.product("+-", repeat=length)]
    fold = np.zeros((len(walks), len(names)))
    for row, walk in enumerate(walks):
        fold[row, names.index(min(walk, walk[::-1]))] = 1.0
    return fold
