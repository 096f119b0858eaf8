"""Missing links of a network from common neighbours, by the count that found held-out links best."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import sparse
from sklearn.metrics import roc_auc_score
from sklearn.utils import check_random_state

from treatise._core.progress import progress
from treatise.network.adjacency import adjacency_of

# Walks of length two in one block of rows.
BLOCK = 5_000_000
# Small networks hold links out several times, until so many have judged.
ENOUGH, MOST_ROUNDS = 300, 30


@dataclass(frozen=True)
class LikelyLinks:
    """Pairs without a link, the likeliest first.

    Attributes
    ----------
    pairs : ndarray of shape (n_links, 2)
        Names of the nodes, or their numbers.
    scores : ndarray of shape (n_links,)
        Of the count that was chosen.
    method : str
        The count.
    auc : dict of str to float
        For each count the chance that a held-out link has a higher score than a pair without a link.
    n_held_out : int
        Links that were held out, over all rounds.
    """

    pairs: np.ndarray
    scores: np.ndarray
    method: str
    auc: dict
    n_held_out: int


def likely_links(graph, n_links=100, *, method="auto", held_out=0.1, order=None, random_state=None):
    """Pairs of nodes that are likely to be linked though no link is seen.

    Nodes with many common neighbours tend to be linked. The counts differ in how much a neighbour with many links of
    its own says: "common" counts all alike, "adamic_adar" by one over the logarithm of its degree, "allocation" by one
    over its degree. A tenth of the links is held out, several times in a small network, to see which count tells them
    best from pairs without a link. Use it for social and other networks with many triangles; it says nothing about
    nodes more than two steps apart. It costs the walks of length two, the sum of squared degrees.

    Parameters
    ----------
    graph : array-like or sparse matrix of shape (n, n), or networkx Graph
        Undirected; weights other than zero are links.
    n_links : int, default=100
        Pairs to return, fewer where there are not as many.
    method : {"auto", "common", "adamic_adar", "allocation"}, default="auto"
        The count.
    held_out : float, default=0.1
        Share of the links that judge the counts; 0 judges none, and takes "allocation" for "auto".
    order : array-like of shape (n_links,) or None, default=None
        When the links came, those of the upper triangle in the order of the rows: the last ones are held out. None
        draws them.
    random_state : int, RandomState instance or None, default=None
        The links held out, and the pairs beside them.

    Returns
    -------
    found : LikelyLinks

    Examples
    --------
    >>> import networkx
    >>> from treatise.network import likely_links
    >>> found = likely_links(networkx.karate_club_graph(), 1, random_state=0)
    >>> found.pairs.tolist()
    [[2, 33]]
    """
    adjacency, nodes = adjacency_of(graph, signed=True)
    if method not in ("auto", *COUNTS):
        raise ValueError(f"method={method!r} is not one of auto, {', '.join(COUNTS)}")
    if not 0 <= held_out < 1:
        raise ValueError(f"held_out={held_out} must be at least 0 and below 1")
    if n_links < 0:
        raise ValueError(f"n_links={n_links} must not be negative")
    links = sparse.csr_array(adjacency != 0).astype(np.float64)
    links.setdiag(0.0)
    links.eliminate_zeros()
    auc, count = _judged(links, held_out, order, random_state)
    chosen = method if method != "auto" else max(auc, key=auc.__getitem__) if auc else "allocation"
    places, scores = _best(links, chosen, n_links)
    return LikelyLinks(nodes[places], scores, chosen, auc, count)


def _adamic_adar(degree):
    return 1.0 / np.log(np.maximum(degree, 2.0))


COUNTS = {
    "common": np.ones_like,
    "adamic_adar": _adamic_adar,
    "allocation": lambda degree: 1.0 / np.maximum(degree, 1.0),
}
"""How much a common neighbour of some degree counts."""


def _judged(links, held_out, order, random_state):
    """Each count's area under the ROC curve for links held out against random pairs without one."""
    upper = sparse.coo_array(sparse.triu(links, 1))
    count = int(held_out * upper.nnz)
    n = links.shape[0]
    if count < 5 or upper.nnz > 0.5 * n * (n - 1) / 2:
        return {}, 0
    if order is not None:
        order = np.asarray(order)
        if order.shape != (upper.nnz,):
            raise ValueError(f"order has the shape {order.shape}; the network has {upper.nnz} links")
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
    rounds = 1 if order is not None else min(-(-ENOUGH // count), MOST_ROUNDS)
    areas = [_areas(links, upper, count, order, rng) for _ in range(rounds)]
    return {name: float(np.mean([area[name] for area in areas])) for name in COUNTS}, rounds * count


def _areas(links, upper, count, order, rng):
    """The areas of one choice of held-out links: the last ones, or random ones."""
    hidden = rng.permutation(upper.nnz)[:count] if order is None else np.argsort(order, kind="stable")[-count:]
    kept = np.delete(np.arange(upper.nnz), hidden)
    half = sparse.csr_array((np.ones(len(kept)), (upper.row[kept], upper.col[kept])), shape=links.shape)
    seen = sparse.csr_array(half + half.T)
    others = rng.integers(0, links.shape[0], size=(8 * count + 50, 2))
    free = (others[:, 0] != others[:, 1]) & (np.asarray(links[others[:, 0], others[:, 1]]).ravel() == 0)
    pairs = np.concatenate([np.stack([upper.row[hidden], upper.col[hidden]], axis=1), others[free][: 2 * count]])
    truth, degree = np.arange(len(pairs)) < count, seen.sum(axis=1)
    return {name: roc_auc_score(truth, _scores(seen, weight(degree), pairs)) for name, weight in COUNTS.items()}


def _scores(links, weight, pairs):
    weighted = sparse.csr_array(links * weight)
    scores = np.empty(len(pairs))
    for start in range(0, len(pairs), 20_000):
        part = pairs[start : start + 20_000]
        scores[start : start + 20_000] = links[part[:, 0]].multiply(weighted[part[:, 1]]).sum(axis=1)
    return scores


def _best(links, method, n_links):
    """The pairs without a link of the highest scores, by blocks of rows."""
    degree = links.sum(axis=1)
    weighted = sparse.csr_array(links * COUNTS[method](degree))
    walks = np.cumsum(links @ degree)
    n = links.shape[0]
    edges = [0]
    while edges[-1] < n:
        before = walks[edges[-1] - 1] if edges[-1] else 0.0
        edges.append(max(int(np.searchsorted(walks, before + BLOCK, side="right")), edges[-1] + 1))
    best_pairs, best_scores = np.empty((0, 2), dtype=np.int64), np.empty(0)
    with progress("likely links", len(edges) - 1) as advance:
        for first, last in pairwise(edges):
            scores = sparse.coo_array(weighted[first:last] @ links)
            row, col = scores.row + first, scores.col
            above = row < col
            row, col, value = row[above], col[above], scores.data[above]
            known = np.asarray(links[row, col]).ravel() > 0 if len(row) else np.zeros(0, dtype=bool)
            row, col, value = row[~known], col[~known], value[~known]
            best_pairs = np.concatenate([best_pairs, np.stack([row, col], axis=1)])
            best_scores = np.concatenate([best_scores, value])
            order = np.lexsort((best_pairs[:, 1], best_pairs[:, 0], -best_scores))[:n_links]
            best_pairs, best_scores = best_pairs[order], best_scores[order]
            advance(1)
    return best_pairs, best_scores
