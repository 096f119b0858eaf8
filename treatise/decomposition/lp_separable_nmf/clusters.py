"""From weights of rows to a set of rows: near copies share one weight (Algorithm 4 of v15-1249)."""

import math

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils import check_array


def cluster_lp_weights(X, weights, noise, n_components=None):
    """Choose rows around which weight is heaped, as a linear program spreads it over near copies of a part.

    Balls around rows grow from twice the noise until as many of them hold almost a whole weight as there are parts;
    each takes the weight that it holds from all others. Costs O(n^2 p) and memory for n^2 distances.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data.
    weights : array-like of shape (n_samples,)
        Weight of each row, not negative: the diagonal of the linear program.
    noise : float
        Largest sum of magnitudes of the noise in a row.
    n_components : int or None, default=None
        Number of rows to choose; None is the sum of the weights, rounded up. Fewer where X has fewer rows.

    Returns
    -------
    ndarray of int
        The rows.

    Examples
    --------
    >>> from treatise.decomposition import cluster_lp_weights
    >>> X = [[1.0, 0.0], [1.0, 0.01], [0.0, 1.0], [0.5, 0.5]]
    >>> cluster_lp_weights(X, [0.6, 0.4, 0.9, 0.1], noise=0.02)
    array([0, 2])
    """
    X = check_array(X, dtype=np.float64)
    x = np.array(weights, dtype=np.float64)
    if x.shape != (len(X),) or (x < 0.0).any() or not x.any():
        raise ValueError(f"weights must be {len(X)} numbers, not negative and not all zero")
    if n_components is None:
        # A solver's rounding is no part of its own.
        r = max(math.ceil(x.sum() - 1e-6), 1)
    else:
        r = n_components
        x *= r / x.sum()
    r = min(r, len(X))
    distances = cdist(X, X, "cityblock")
    most = distances.max()
    apart = distances[distances > 0.0]
    whole = r / (r + 1.0)
    chosen = best = [int(k) for k in np.flatnonzero(x > whole)]
    radius = best_radius = max(2.0 * noise, apart.min() if len(apart) else 0.0)
    while len(chosen) < r and radius < most:
        chosen = _heaps(distances <= radius, x, whole, r)
        if len(chosen) > len(best):
            # The text has the assignment the other way round, and unions of balls below; it means intersections.
            best, best_radius = chosen, radius
        radius *= 2.0
    if len(best) < r:
        best = _spread_heaps(distances, best_radius, x, r)
    return np.sort(np.array(best[:r], dtype=np.intp))


def _heaps(near, x, whole, most):
    """Steps 9 to 15: centres of balls that hold a whole weight, the heaviest first."""
    held, chosen = near @ x, []
    while held.max() > whole and len(chosen) < most:
        k = int(np.argmax(held))
        chosen.append(k)
        held = held - near @ np.where(near[k], x, 0.0)
    return chosen


def _spread_heaps(distances, radius, x, r):
    """Steps 22 to 31, where the noise is beyond the theory: a ball takes weight from others by how near they are."""
    near, most = distances <= radius, max(distances.max(), np.finfo(float).tiny)
    shares = np.where(near, ((most - distances) / most) ** 0.1, 0.0) * x
    held, chosen = near @ x, []
    while len(chosen) < r:
        held[chosen] = -np.inf
        k = int(np.argmax(held))
        chosen.append(k)
        # Of the rows j in both balls, i loses its own share of x_j.
        held = held - shares @ near[k]
    return chosen
