"""Partitioning around medoids (Kaufman & Rousseeuw), the one clusterer of Table 2 that scikit-learn does not have."""

import numpy as np
from scipy.spatial.distance import cdist


def around_medoids(X: np.ndarray, n_groups: int) -> np.ndarray:
    """Labels after the greedy build and swaps of a medoid for another row until none lowers the total distance."""
    D = cdist(X, X)
    medoids = _build(D, n_groups)
    while True:
        to_medoids = np.sort(D[:, medoids], axis=1)
        nearest, second = to_medoids[:, 0], to_medoids[:, 1] if n_groups > 1 else np.full(len(X), np.inf)
        owner = np.argmin(D[:, medoids], axis=1)
        best, change = None, -1e-12 * nearest.sum()
        for slot in range(n_groups):
            # Without this medoid its rows fall to their second; a new one takes what is nearer to it.
            left = np.where(owner == slot, second, nearest)
            totals = np.minimum(left, D).sum(axis=1) - nearest.sum()
            totals[medoids] = np.inf
            row = int(np.argmin(totals))
            if totals[row] < change:
                best, change = (slot, row), totals[row]
        if best is None:
            return owner
        medoids[best[0]] = best[1]


def _build(D: np.ndarray, n_groups: int) -> list[int]:
    medoids = [int(np.argmin(D.sum(axis=1)))]
    while len(medoids) < n_groups:
        nearest = D[:, medoids].min(axis=1)
        gain = np.maximum(nearest - D, 0.0).sum(axis=1)
        gain[medoids] = -1.0
        medoids.append(int(np.argmax(gain)))
    return medoids
