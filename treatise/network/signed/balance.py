"""Whether a signed network is balanced, how nearly, and where it is not (Chiang et al., JMLR 15:1177, section 5.2)."""

from collections import deque
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.utils import check_random_state

from treatise._core.progress import progress
from treatise.network.signed.signs import signs_of_network

# Rows of the network whose common neighbours are counted at once.
BLOCK = 500
PATTERNS = {3: ("+++", "++-", "+--", "---"), 4: ("++++", "+++-", "++--", "+-+-", "+---", "----")}
"""Signs around a cycle, up to rotation and reflection."""


class Balance(NamedTuple):
    """Whether a network is balanced, and the proof."""

    balanced: bool
    camps: np.ndarray | None
    """Camp of each node, in the order of the network, if it is balanced."""
    cycle: list | None
    """Names of the nodes along a cycle that breaks the balance, if it is not."""


class CyclePattern(NamedTuple):
    """How often a pattern of signs is seen around cycles."""

    pattern: str
    balanced: bool
    share: float
    """Of all cycles of its length."""
    expected: float
    """Share when the signs are shuffled over the links."""
    surprise: float
    """Standard deviations that the count is above what shuffled signs would give."""


def is_balanced(graph):
    """Whether the nodes fall into two camps, all positive links inside and all negative ones between.

    Parameters
    ----------
    graph : array-like or sparse matrix of shape (n, n), or networkx Graph
        An undirected network of signs -1 and 1.

    Returns
    -------
    balance : Balance
        With the two camps, or with a cycle that has an odd number of negative links. Time O(links).

    Examples
    --------
    >>> from treatise.network import is_balanced
    >>> is_balanced([[0, 1, -1], [1, 0, -1], [-1, -1, 0]]).camps
    array([0, 0, 1])
    >>> is_balanced([[0, 1, 1], [1, 0, -1], [1, -1, 0]]).cycle
    [1, 0, 2]
    """
    A, nodes = signs_of_network(graph)
    camps, parents = np.full(A.shape[0], -1), np.full(A.shape[0], -1)
    for start in range(A.shape[0]):
        if camps[start] >= 0:
            continue
        camps[start], waiting = 0, deque([start])
        while waiting:
            i = waiting.popleft()
            for place in range(A.indptr[i], A.indptr[i + 1]):
                j, camp = A.indices[place], camps[i] if A.data[place] > 0 else 1 - camps[i]
                if camps[j] < 0:
                    camps[j], parents[j] = camp, i
                    waiting.append(j)
                elif camps[j] != camp:
                    return Balance(False, None, [nodes.tolist()[k] for k in _cycle(parents, i, j)])
    return Balance(True, camps, None)


def is_weakly_balanced(graph):
    """Whether the nodes fall into camps, any number, all positive links inside and all negative ones between.

    Parameters
    ----------
    graph : array-like or sparse matrix of shape (n, n), or networkx Graph
        An undirected network of signs -1 and 1.

    Returns
    -------
    balance : Balance
        With the camps, the connected parts of the positive links; or with a cycle that has one negative link.

    Examples
    --------
    >>> from treatise.network import is_balanced, is_weakly_balanced
    >>> three_foes = [[0, -1, -1], [-1, 0, -1], [-1, -1, 0]]
    >>> is_balanced(three_foes).balanced, is_weakly_balanced(three_foes).balanced
    (False, True)
    """
    A, nodes = signs_of_network(graph)
    positive = A.copy()
    positive.data = np.maximum(positive.data, 0.0)
    positive.eliminate_zeros()
    _, camps = connected_components(positive, directed=False)
    links = A.tocoo()
    wrong = np.flatnonzero((links.data < 0) & (camps[links.row] == camps[links.col]))
    if not len(wrong):
        return Balance(True, camps.astype(np.int64), None)
    i, j = int(links.row[wrong[0]]), int(links.col[wrong[0]])
    return Balance(False, None, [nodes.tolist()[k] for k in _path(positive, i, j)])


def _cycle(parents, i, j):
    """The cycle that the link (i, j) closes in a tree of parents."""
    lines = []
    for node in (i, j):
        line = [node]
        while parents[line[-1]] >= 0:
            line.append(parents[line[-1]])
        lines.append(line)
    first, second = lines
    while len(first) > 1 and len(second) > 1 and first[-2] == second[-2]:
        first.pop()
        second.pop()
    return first + second[-2::-1]


def _path(A, i, j):
    """A shortest path from i to j."""
    parents, waiting = {i: -1}, deque([i])
    while j not in parents:
        node = waiting.popleft()
        for other in A.indices[A.indptr[node] : A.indptr[node + 1]].tolist():
            if other not in parents:
                parents[other] = node
                waiting.append(other)
    path = [j]
    while parents[path[-1]] >= 0:
        path.append(parents[path[-1]])
    return path[::-1]


def balance_report(graph, *, orders=(3, 4), n_shuffles=10, random_state=None):
    """How often each pattern of signs is seen around short cycles, beside networks with shuffled signs.

    Parameters
    ----------
    graph : array-like or sparse matrix of shape (n, n), or networkx Graph
        An undirected network of signs -1 and 1.
    orders : sequence of {3, 4}, default=(3, 4)
        Lengths of cycles.
    n_shuffles : int, default=10
        Networks with shuffled signs that give the expected shares.
    random_state : int, RandomState instance or None, default=None
        Shuffles.

    Returns
    -------
    patterns : list of CyclePattern
        For each length the patterns, then all balanced ones together (``"balanced 3-cycles"``). Shares are NaN where
        the network has no such cycle.

    References
    ----------
    .. [1] Paper v15-1177, section 5.2 and Table 5.

    Examples
    --------
    >>> from treatise.network import balance_report
    >>> report = balance_report([[0, 1, -1], [1, 0, -1], [-1, -1, 0]], orders=[3], random_state=0)
    >>> report[2].pattern, report[2].share
    ('+--', 1.0)
    """
    A, _ = signs_of_network(graph)
    if not set(orders) <= set(PATTERNS):
        raise ValueError(f"orders={tuple(orders)} must be among 3 and 4")
    upper = sparse.coo_array(sparse.triu(A))
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
    seen, shuffled = _all_counts(A, orders), {order: [] for order in orders}
    with progress("shuffled signs", n_shuffles) as advance:
        for _ in range(n_shuffles):
            half = sparse.csr_array((rng.permutation(upper.data), (upper.row, upper.col)), shape=A.shape)
            for order, counts in _all_counts(sparse.csr_array(half + half.T), orders).items():
                shuffled[order].append(counts)
            advance(1)
    report = []
    for order in orders:
        names = [*PATTERNS[order], f"balanced {order}-cycles"]
        even = np.array([name.count("-") % 2 == 0 for name in PATTERNS[order]])
        for place, name in enumerate(names):
            which = np.arange(len(even)) == place if place < len(even) else even
            total = seen[order].sum()
            if not total:
                report.append(CyclePattern(name, bool(even[which].all()), np.nan, np.nan, np.nan))
                continue
            share = float(seen[order][which].sum() / total)
            expected = (
                float(np.mean([counts[which].sum() / total for counts in shuffled[order]])) if n_shuffles else np.nan
            )
            spread = np.sqrt(total * expected * (1.0 - expected))
            surprise = float(total * (share - expected) / spread) if spread > 0 else np.nan
            report.append(CyclePattern(name, bool(even[which].all()), share, expected, surprise))
    return report


def _all_counts(A, orders):
    """Numbers of cycles by pattern, for each length."""
    P, N = (sparse.csr_array((A * sign).maximum(0.0)) for sign in (1.0, -1.0))
    for matrix in (P, N):
        matrix.eliminate_zeros()
    found = {order: np.zeros(len(PATTERNS[order])) for order in orders}
    for first in range(0, A.shape[0], BLOCK):
        rows = slice(first, first + BLOCK)
        pp, pn, np_, nn = P[rows] @ P, P[rows] @ N, N[rows] @ P, N[rows] @ N
        if 3 in found:
            p, m = P[rows], N[rows]
            closed = [
                pp.multiply(p).sum() / 6,
                pp.multiply(m).sum() / 2,
                nn.multiply(p).sum() / 2,
                nn.multiply(m).sum() / 6,
            ]
            found[3] += closed
        if 4 in found:
            found[4] += _squares(pp, pn, np_, nn, first)
    return found


def _squares(pp, pn, np_, nn, first):
    """Cycles of four through two opposite nodes, the first of them in the block, from their common neighbours.

    A cycle has two pairs of opposite nodes, and each pair is met from both ends: a quarter of every sum counts.
    """
    totals = np.zeros(6)
    pp, pn, np_, nn = (_without_own(matrix, first) for matrix in (pp, pn, np_, nn))

    def choose(matrix):
        return float(np.sum(matrix.data * (matrix.data - 1.0)) / 2.0)

    mixed = pn + np_
    totals[0] = choose(pp)
    totals[1] = pp.multiply(mixed).sum()
    totals[2] = pp.multiply(nn).sum() + choose(pn) + choose(np_)
    totals[3] = pn.multiply(np_).sum()
    totals[4] = nn.multiply(mixed).sum()
    totals[5] = choose(nn)
    return totals / 4.0


def _without_own(counts, first):
    """Without the entries of nodes and themselves: a node is not opposite itself."""
    counts = sparse.coo_array(counts)
    others = counts.row + first != counts.col
    return sparse.csr_array((counts.data[others], (counts.row[others], counts.col[others])), shape=counts.shape)
