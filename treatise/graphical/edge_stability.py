"""How often subsamples of the rows find the same edges, and the penalty at which they agree (StARS)."""

from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import _num_samples


@dataclass(frozen=True)
class EdgeStability:
    """What :func:`edge_stability` found.

    Attributes
    ----------
    frequency : ndarray of shape (n_features, n_features)
        Share of the subsamples that joined each pair; one such matrix per condition where there are several.
    edges : ndarray of int of shape (n_edges, 2)
        Pairs that some subsample joined; with arrows both directions of a pair count apart. With several conditions
        there are three columns, the condition first.
    of_edges : ndarray of shape (n_edges,)
        Their shares.
    instability : float
        Mean over all pairs, or all arrows, of ``2 f (1 - f)``: 0 where all subsamples agree, 1/2 where edges come and
        go like coins.
    """

    frequency: np.ndarray
    edges: np.ndarray
    of_edges: np.ndarray
    instability: float


def edge_stability(estimator, X, *, n_subsamples=20, size=None, n_jobs=None, random_state=None):
    """Fit a learner of graphs to subsamples of the rows and count how often each edge comes back.

    An edge that most subsamples find is a property of the data rather than of the rows that happened to be there. It
    says nothing of a bias that all subsamples share. Costs ``n_subsamples`` fits.

    Parameters
    ----------
    estimator : estimator
        A learner of graphs: after ``fit(X)`` it has ``adjacency_``. It is cloned.
    X : array-like of shape (n_samples, n_features), or list of such
        Rows; a list of tables for learners of several conditions, from each of which rows are drawn.
    n_subsamples : int, default=20
        Number of subsamples.
    size : int or None, default=None
        Rows of a subsample of a table; None takes ``10 sqrt(n)`` (StARS's advice) where that is below 80 %, else 80 %.
    n_jobs : int or None, default=None
        Processes; the result does not depend on it.
    random_state : int, RandomState or None, default=None
        Draws the subsamples.

    Returns
    -------
    stability : EdgeStability

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import SparsePrecision, edge_stability
    >>> X = np.random.default_rng(0).standard_normal((300, 4))
    >>> X[:, 1] += X[:, 0]
    >>> edge_stability(SparsePrecision(0.2), X, random_state=0).frequency[0, 1]
    np.float64(1.0)
    """
    several = isinstance(X, (list, tuple)) and len(X) > 0 and np.ndim(X[0]) == 2
    tables = list(X) if several else [X]
    sizes = [_subsample_size(_num_samples(table), size) for table in tables]
    if n_subsamples < 2:
        raise ValueError(f"n_subsamples={n_subsamples} says nothing of stability; draw at least 2")
    generator = check_random_state(random_state)
    draws = [
        [np.sort(generator.choice(_num_samples(table), k, replace=False)) for table, k in zip(tables, sizes)]
        for _ in range(n_subsamples)
    ]

    def part(rows):
        parts = [_safe_indexing(table, these) for table, these in zip(tables, rows)]
        return parts if several else parts[0]

    found = Parallel(n_jobs=n_jobs)(delayed(_joined)(clone(estimator), part(rows)) for rows in draws)
    frequency = np.mean(found, axis=0, dtype=float)
    p = frequency.shape[-1]
    directed = any((joined != np.swapaxes(joined, -1, -2)).any() for joined in found)
    pairs = ~np.eye(p, dtype=bool) if directed else np.triu(np.ones((p, p), dtype=bool), 1)
    edges = np.argwhere(pairs & (frequency > 0))
    shares = frequency[..., pairs]
    return EdgeStability(
        frequency=frequency,
        edges=edges,
        of_edges=frequency[tuple(edges.T)],
        instability=float(np.mean(2 * shares * (1 - shares))) if shares.size else 0.0,
    )


def _subsample_size(n, size):
    """Rows to draw of n: as asked, or by StARS's advice."""
    if size is None:
        size = int(min(10 * np.sqrt(n), 0.8 * n))
    if not 1 < size <= n:
        raise ValueError(f"size={size} rows cannot be drawn from {n}; choose between 2 and {n}")
    return size


def stable_penalty(graphs, n_rows, limit, *, n_subsamples=20, random_state=None):
    """Place along a path of graphs, from sparse to dense, of the densest one that is stable (StARS).

    Liu, Roeder and Wasserman (2010): the instability of a graph is the mean over all pairs of ``2 f (1 - f)`` with f
    the share of subsamples that join the pair, made monotone along the path, since a graph so dense that all
    subsamples agree is no stable graph.

    Parameters
    ----------
    graphs : callable
        Of row numbers, gives the path's graphs on these rows: an array of bool of shape (length, p, p).
    n_rows : int
        Number of rows to draw from.
    limit : float
        Largest instability.
    n_subsamples : int, default=20
        Number of subsamples.
    random_state : int, RandomState or None, default=None
        Draws them.

    Returns
    -------
    place : int
        Index of the chosen graph; 0 where not even the first is stable.
    instability : ndarray of shape (length,)
        Along the path.
    """
    generator = check_random_state(random_state)
    size = max(2, int(min(10 * np.sqrt(n_rows), 0.8 * n_rows)))
    share = np.mean(
        [graphs(np.sort(generator.choice(n_rows, size, replace=False))) for _ in range(n_subsamples)],
        axis=0,
        dtype=float,
    )
    upper = np.triu_indices(share.shape[1], 1)
    pairs = share[:, upper[0], upper[1]]
    if not pairs.size:
        return 0, np.zeros(len(share))
    instability = np.maximum.accumulate((2 * pairs * (1 - pairs)).mean(axis=1))
    stable = np.flatnonzero(instability <= limit)
    return (int(stable[-1]) if len(stable) else 0), instability


def _joined(estimator, X):
    adjacency = estimator.fit(X).adjacency_
    return np.asarray(adjacency.toarray() if hasattr(adjacency, "toarray") else adjacency, dtype=bool)
