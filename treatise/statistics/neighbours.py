"""Distances to nearest neighbours, within a sample and across two, and counts of rows within given radii."""

from typing import Literal

import numpy as np
from scipy.spatial import cKDTree

from treatise._core.jit import compiled

MOST_TREE_COLUMNS = 15
"""A KD-tree prunes little beyond this many columns; products of blocks of rows are then faster."""
_BLOCK = 1 << 21
_SPARE_CANDIDATES = 4

Metric = Literal["euclidean", "chebyshev"]
_POWERS = {"euclidean": 2.0, "chebyshev": np.inf}


def neighbour_distances(X, Y=None, k=1, *, metric: Metric = "euclidean") -> np.ndarray:
    """Distances of the rows of X to their k nearest rows of Y, or to their k nearest among the other rows of X.

    One call serves every estimate that needs the first to the k-th neighbour. Costs O(n k) after sorting in one
    dimension, O(n k log n) by a KD-tree in a few, O(n m p) by products of blocks of rows in many. Repeated rows are
    found once and counted, so that data with many ties cost no more than without; a row's own copies are neighbours at
    distance zero. Products lose the last digits of small differences, so the nearest candidates are measured again.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Rows that ask; a float64 array without missing values.
    Y : ndarray of shape (n_other, n_features) or None, default=None
        Rows that are found; None takes those of X except the one that asks.
    k : int, default=1
        Number of neighbours.
    metric : {"euclidean", "chebyshev"}, default="euclidean"
        Length of a difference: root of the sum of squares, or largest entry.

    Returns
    -------
    distances : ndarray of shape (n_samples, k)
        Rising along each row.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import neighbour_distances
    >>> x = np.array([[0.0], [1.0], [3.0], [3.0]])
    >>> neighbour_distances(x, k=2)
    array([[1., 3.],
           [1., 2.],
           [0., 2.],
           [0., 2.]])
    """
    _check(X, Y, k)
    within = Y is None
    if X.shape[1] == 1:
        return _on_a_line(X[:, 0], None if within else Y[:, 0], k)
    found = X if within else Y
    if not _has_copies(found):
        return _of_distinct(X, found, k, within, metric)
    distinct, where, counts = np.unique(found, axis=0, return_inverse=True, return_counts=True)
    asking = distinct if within else X
    k_distinct = min(k + within, len(distinct))
    reach, index = _tree_query(cKDTree(distinct), asking, k_distinct, metric)
    copies = counts[index]
    if within:
        copies[:, 0] = np.where(reach[:, 0] == 0.0, counts - 1, copies[:, 0])
    expanded = _repeated(reach, copies, k)
    return expanded[where.ravel()] if within else expanded


def neighbour_graph(X, k) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the k nearest other rows of each row, and their distances.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The rows.
    k : int
        Number of neighbours.

    Returns
    -------
    indices, distances : ndarray of shape (n_samples, k)
        Nearest first. Among copies of a row, which come first is left open.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import neighbour_graph
    >>> neighbour_graph(np.array([[0.0], [1.0], [3.0]]), 1)[0].ravel()
    array([1, 0, 1])
    """
    _check(X, None, k)
    distances, indices = cKDTree(X).query(X, k + 1)
    own = indices == np.arange(len(X))[:, np.newaxis]
    own[~own.any(axis=1), -1] = True  # so many copies that a row does not find itself: any one of them stands for it
    keep = ~own
    return indices[keep].reshape(len(X), k), distances[keep].reshape(len(X), k)


def counts_within(X, radii, *, metric: Metric = "euclidean") -> np.ndarray:
    """Number of rows of X, itself included, at most a radius away from each row.

    Costs O(n log n) in one dimension; a KD-tree counts in more.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The rows.
    radii : ndarray of shape (n_samples,)
        A radius for each row; a count of rows *nearer* than r asks for ``np.nextafter(r, 0)``.
    metric : {"euclidean", "chebyshev"}, default="euclidean"
        Length of a difference.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import counts_within
    >>> counts_within(np.array([[0.0], [1.0], [3.0]]), np.array([1.0, 1.0, 1.0]))
    array([2, 2, 1])
    """
    if X.shape[1] == 1:
        x = X[:, 0]
        order = np.sort(x)
        return np.searchsorted(order, x + radii, side="right") - np.searchsorted(order, x - radii, side="left")
    tree = cKDTree(X)
    return tree.query_ball_point(X, radii, p=_POWERS[metric], return_length=True)


def _check(X, Y, k):
    if k < 1:
        raise ValueError(f"k={k} is no number of neighbours; it must be at least 1")
    if Y is None and k >= len(X):
        raise ValueError(f"k={k} neighbours of a row among {len(X)} rows; choose k at most {len(X) - 1}")
    if Y is not None and k > len(Y):
        raise ValueError(f"k={k} neighbours among {len(Y)} rows; choose k at most {len(Y)}")
    if Y is not None and X.shape[1] != Y.shape[1]:
        raise ValueError(f"X has {X.shape[1]} columns but Y has {Y.shape[1]}; they must have as many")


def _has_copies(X):
    """Whether two rows are equal, up to accidents of the sums that stand for them, which cost time only."""
    weights = np.random.default_rng(0).normal(size=X.shape[1])
    sums = weights[0] * X[:, 0]
    for column, weight in zip(X.T[1:], weights[1:]):
        sums += weight * column
    sums.sort()
    return bool(np.any(sums[1:] == sums[:-1]))


def _of_distinct(X, found, k, within, metric):
    if metric == "euclidean" and X.shape[1] > MOST_TREE_COLUMNS:
        return _by_products(X, found, k, within)
    tree = cKDTree(found)
    if not within:
        return _tree_query(tree, X, k, metric)[0]
    # Asked in the tree's own order, neighbouring questions walk the same leaves.
    distances = np.empty((len(X), k))
    distances[tree.indices] = _tree_query(tree, X[tree.indices], k + 1, metric)[0][:, 1:]
    return distances


def _tree_query(tree, X, k, metric):
    distances, indices = tree.query(X, k, p=_POWERS[metric])
    return distances.reshape(len(X), -1), indices.reshape(len(X), -1)


def _repeated(reach, copies, k):
    """Distances of the first k rows where each distinct one stands for so many copies."""
    last = np.cumsum(copies, axis=1)
    wanted = np.arange(1, k + 1)
    place = (last[:, np.newaxis, :] < wanted[:, np.newaxis]).sum(axis=2)
    return np.take_along_axis(reach, place, axis=1)


def _by_products(X, found, k, within):
    centre = found.mean(axis=0)  # small numbers lose fewer digits in the products
    X, found = X - centre, found - centre
    squares = np.einsum("ij,ij->i", found, found)
    n_candidates = min(k + within + _SPARE_CANDIDATES, len(found) - 1)
    out = np.empty((len(X), k))
    width = max(1, _BLOCK // len(found))
    for start in range(0, len(X), width):
        rows = X[start : start + width]
        gaps = squares - 2.0 * (rows @ found.T)
        if within:
            gaps[np.arange(len(rows)), np.arange(start, start + len(rows))] = np.inf
        near = np.argpartition(gaps, n_candidates, axis=1)[:, : n_candidates + 1]
        exact = np.linalg.norm(found[near] - rows[:, np.newaxis, :], axis=2)
        if within:
            exact[near == np.arange(start, start + len(rows))[:, np.newaxis]] = np.inf
        out[start : start + width] = np.sort(exact, axis=1)[:, :k]
    return out


def _on_a_line(x, y, k):
    order = np.argsort(x)
    found = x[order] if y is None else np.sort(y)
    out = np.empty((len(x), k))
    out[order] = line_distances(x[order], found, k, y is None)
    return out


@compiled
def line_distances(x, y, k, within):
    """k nearest of the sorted y to each of the sorted x; within, row i of x is row i of y and does not count."""
    n, m = len(x), len(y)
    out = np.empty((n, k))
    right = 0
    for i in range(n):
        if within:
            right = i + 1
        else:
            while right < m and y[right] < x[i]:
                right += 1
        below, above = (i - 1 if within else right - 1), right
        for place in range(k):
            if below < 0 or (above < m and y[above] - x[i] <= x[i] - y[below]):
                out[i, place] = y[above] - x[i]
                above += 1
            else:
                out[i, place] = x[i] - y[below]
                below -= 1
    return out
