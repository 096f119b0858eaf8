"""Gaussian rows of sparse graphs in which the edges among the first columns are weak."""

from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state

KINDS = ("chain", "cycle", "hub", "neighborhood")
_CROSSING = 4
_WEAK_DEGREE, _STRONG_DEGREE = 6, 4


class WeakEdgeRows(NamedTuple):
    """Rows, the precision matrix behind them, and which of its entries are weak edges."""

    X: np.ndarray
    precision: np.ndarray
    weak: np.ndarray


def make_weak_edge_graph(
    n_samples: int,
    kind: str = "chain",
    *,
    n_features: int | None = None,
    n_weak: int | None = None,
    weak: float = 0.15,
    strong: float = 0.245,
    hub_sizes: tuple[int, int] = (8, 5),
    random_state: int | np.random.RandomState | None = None,
) -> WeakEdgeRows:
    """Rows of a Gaussian on a chain, a chain of cycles, stars or a graph of near places, weak among the first columns.

    The precision has a unit diagonal. Where the paper's text and its tables disagree the tables decide: the chain of
    cycles has a chord from every third column to the third after it (132 edges of 100 columns follow from the printed
    rates and counts, not the 194 of a chord from every column); columns left over after the large stars form a smaller
    one (81 edges); and the entries of a star are the inverse of its number of edges, since with the inverse of its
    number of vertices no method could find as many strong edges with as few false ones as are printed.

    Parameters
    ----------
    n_samples : int
        Number of rows; 0 for the precision alone.
    kind : {"chain", "cycle", "hub", "neighborhood"}, default="chain"
        The graph.
    n_features : int or None, default=None
        Number of columns; None takes the paper's, 100, and 300 for "neighborhood".
    n_weak : int or None, default=None
        Number of first columns whose edges are weak; None takes 20, and 30 for "neighborhood".
    weak, strong : float, default=0.15 and 0.245
        Entries of the precision along weak and strong edges; stars take the inverse of their number of edges instead.
    hub_sizes : (int, int), default=(8, 5)
        Vertices of a star among the first columns and among the others.
    random_state : int, RandomState or None, default=None
        Draws the rows, and the graph for "neighborhood".

    Returns
    -------
    rows : WeakEdgeRows
        ``X``, ``precision`` and ``weak``, a symmetric matrix of bool.

    Examples
    --------
    >>> from treatise.datasets import make_weak_edge_graph
    >>> rows = make_weak_edge_graph(50, "cycle", random_state=0)
    >>> rows.X.shape, int((rows.precision != 0).sum() - 100) // 2, int(rows.weak.sum()) // 2
    ((50, 100), 132, 25)

    References
    ----------
    .. [1] Paper v15-0147, section 8.1.
    """
    if kind not in KINDS:
        raise ValueError(f"kind={kind!r} is none of {', '.join(KINDS)}")
    p = n_features or (300 if kind == "neighborhood" else 100)
    p1 = n_weak or (30 if kind == "neighborhood" else 20)
    if not 1 < p1 <= p:
        raise ValueError(f"n_weak={p1} must lie between 2 and the {p} columns")
    generator = check_random_state(random_state)
    while True:
        upper, frail = np.zeros((p, p)), np.zeros((p, p), dtype=bool)
        if kind == "hub":
            for first, end, size in ((0, p1, hub_sizes[0]), (p1, p, hub_sizes[1])):
                for centre in range(first, end, size):
                    upper[centre, centre + 1 : min(centre + size, end)] = 1.0 / (size - 1)
            frail[:p1, :p1] = upper[:p1, :p1] != 0
        else:
            pairs = _near_pairs(p, p1, generator) if kind == "neighborhood" else _chain_pairs(p, kind == "cycle")
            within = np.array(pairs) < p1
            # Edges between the first columns of a random graph and the others are weak too; a chain's link is not.
            ends = np.count_nonzero(within, axis=1)
            least = 1 if kind == "neighborhood" else 2
            for (i, j), is_weak in zip(pairs, (ends >= least).tolist()):
                upper[i, j], frail[i, j] = (weak if is_weak else strong), is_weak
        precision = upper + upper.T + np.eye(p)
        if np.linalg.eigvalsh(precision)[0] > 1e-6:
            break
        if kind != "neighborhood":
            raise ValueError(f"weak={weak:g} and strong={strong:g} do not give a positive definite precision matrix")
    factor = np.linalg.cholesky(np.linalg.inv(precision))
    X = generator.standard_normal((n_samples, p)) @ factor.T
    return WeakEdgeRows(X, precision, frail | frail.T)


def _chain_pairs(p: int, cycles: bool) -> list[tuple[int, int]]:
    chords = [(i, i + 3) for i in range(0, p - 3, 3)] if cycles else []
    return [(i, i + 1) for i in range(p - 1)] + chords


def _near_pairs(p: int, p1: int, generator: np.random.RandomState) -> list[tuple[int, int]]:
    """Pairs of near places in the unit square within both parts, thinned to the largest degrees, and four across."""
    place = generator.random_sample((p, 2))
    square = ((place[:, None] - place[None]) ** 2).sum(axis=2)
    drawn = np.triu(generator.random_sample((p, p)) < np.exp(-4 * square) / np.sqrt(2 * np.pi), 1)
    drawn[:p1, p1:] = False
    # Which edges are deleted is not told. Kept in random order while both ends have room they are about as many as in
    # the paper (594 by Table 5); deleting every vertex's surplus in turn would leave half of that.
    pairs, degree, kept = np.argwhere(drawn), np.zeros(p, dtype=int), []
    room = np.where(np.arange(p) < p1, _WEAK_DEGREE, _STRONG_DEGREE)
    for i, j in pairs[generator.permutation(len(pairs))].tolist():
        if degree[i] < room[i] and degree[j] < room[j]:
            degree[[i, j]] += 1
            kept.append((i, j))
    across: set[tuple[int, int]] = set()
    while len(across) < min(_CROSSING, p1 * (p - p1)):
        across.add((int(generator.randint(p1)), int(generator.randint(p1, p))))
    return kept + sorted(across)
