"""Earth mover's distances between histograms, and what a histogram is."""

import numpy as np
from sklearn.utils import check_array

from treatise.metric.ground.nearest import is_metric
from treatise.optimize import PairTransport, solve_transport

WHOLE = 1e-6
"""Most by which the total of a histogram may differ from one, for rounding."""


def earth_movers_distance(r, c, M, *, return_plan=False):
    """Least cost of turning one histogram into another, where M says what moving a unit between bins costs.

    Parameters
    ----------
    r, c : array-like of shape (n_bins,)
        Histograms: not negative, of the same total.
    M : array-like of shape (n_bins, n_bins)
        Costs; a metric, or any others.
    return_plan : bool, default=False
        Whether to return how much goes from each bin to each, too.

    Returns
    -------
    distance : float
    plan : ndarray of shape (n_bins, n_bins)
        Only with ``return_plan``.

    Examples
    --------
    >>> from treatise.metric import earth_movers_distance
    >>> M = [[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]]
    >>> earth_movers_distance([60, 20, 14, 6], [13, 7, 56, 24], M)
    125.0
    """
    found = solve_transport(r, c, M)
    return (found.value, found.plan()) if return_plan else found.value


def earth_movers_distances(A, B=None, *, M):
    """Earth mover's distances between all histograms of two tables, or within one.

    Over a metric, what two histograms share stays in place, and the problems are half the size or less; other costs are
    solved in full. Time about d^2.5 a pair for d bins: 0.03 ms for 64 bins and a metric.

    Parameters
    ----------
    A : array-like of shape (n, n_bins)
        Histograms, not negative and of total one.
    B : array-like of shape (m, n_bins) or None, default=None
        Others; None is A.
    M : array-like of shape (n_bins, n_bins)
        Costs of moving a unit between bins.

    Returns
    -------
    distances : ndarray of shape (n, m)

    Examples
    --------
    >>> from treatise.metric import earth_movers_distances
    >>> earth_movers_distances([[1.0, 0.0], [0.5, 0.5]], M=[[0, 2], [2, 0]]).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    A = as_histograms(A)
    others = A if B is None else as_histograms(B)
    M = check_array(M, dtype=np.float64)
    if not A.shape[1] == others.shape[1] == len(M) == M.shape[1]:
        raise ValueError(f"histograms of {A.shape[1]} and {others.shape[1]} bins, and costs of the shape {M.shape}")
    if not is_metric(M):
        return np.array([[solve_transport(r, c / c.sum() * r.sum(), M).value for c in others] for r in A])
    if B is not None:
        left, right = (part.ravel() for part in np.indices((len(A), len(others))))
        return PairTransport(A, others, left, right).solve(M).reshape(len(A), len(others))
    left, right = np.triu_indices(len(A), 1)
    distances = np.zeros((len(A), len(A)))
    distances[left, right] = distances[right, left] = PairTransport(A, A, left, right).solve(M)
    return distances


def as_histograms(X, *, normalize=False):
    """Rows as histograms of total one; refuses what is none."""
    X = check_array(X, dtype=np.float64)
    if X.min() < 0:
        row = int(np.argmax(X.min(axis=1) < 0))
        # The first words are scikit-learn's own.
        raise ValueError(f"Negative values in data: row {row} of X holds {X[row].min():.4g}; bins hold zero or more")
    totals = X.sum(axis=1)
    if normalize:
        # Nothing was counted: every bin is as likely as another.
        X, totals = np.where(totals[:, np.newaxis] == 0, 1.0, X), np.where(totals == 0, X.shape[1], totals)
    if np.any(totals == 0):
        raise ValueError(f"row {int(np.argmax(totals == 0))} of X is all zeros, and no histogram; leave it out")
    if not normalize and np.abs(totals - 1.0).max() > WHOLE:
        row = int(np.argmax(np.abs(totals - 1.0)))
        raise ValueError(
            f"row {row} of X adds up to {totals[row]:.6g}; a histogram adds up to one: divide rows by their totals, or "
            "set normalize=True where the learner has it"
        )
    return X / totals[:, np.newaxis]
