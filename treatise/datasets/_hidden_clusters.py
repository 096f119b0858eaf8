"""Gaussian clusters in a few features, among others that are noise (Dy & Brodley, JMLR 5:845, Section 6.1)."""

import numpy as np
from sklearn.utils import check_random_state

_CENTRES = {"two": [(0.0, 0.0), (0.0, 3.0)], "four": [(0.0, 0.0), (1.0, 4.0), (5.0, 5.0), (5.0, 0.0)]}
# Numbered from one, as in the paper.
_RELEVANT = {
    "five": (1, 10, 18, 19, 20),
    "five-redundant": (1, 2, 3, 5, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 20),
}


def make_hidden_clusters(
    kind: str = "four",
    n_samples: int = 500,
    *,
    n_noise: int = 3,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Clusters of equal size in some features, and standard normal noise in the others.

    Parameters
    ----------
    kind : {"two", "four", "five", "five-redundant"}, default="four"
        Two or four clusters of unit covariance in the first two features (of "two" in the second alone); or five with
        means and variances at random in 5 or 15 of 20 features.
    n_samples : int, default=500
        Rows.
    n_noise : int, default=3
        Features of noise, for two or four clusters.
    random_state : int, RandomState instance or None, default=None
        Source of the draws.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The rows.
    y : ndarray of int of shape (n_samples,)
        Their clusters.
    relevant : ndarray of int
        The features that tell the clusters apart.

    Examples
    --------
    >>> from treatise.datasets import make_hidden_clusters
    >>> X, y, relevant = make_hidden_clusters("five", random_state=0)
    >>> X.shape, relevant
    ((500, 20), array([ 0,  9, 17, 18, 19]))
    """
    rng = check_random_state(random_state)
    if kind in _CENTRES:
        centres = np.array(_CENTRES[kind])
        y = np.arange(n_samples) % len(centres)
        X = np.hstack([centres[y] + rng.randn(n_samples, 2), rng.randn(n_samples, n_noise)])
        return X, y, np.flatnonzero(np.ptp(centres, axis=0))
    if kind not in _RELEVANT:
        raise ValueError(f"kind={kind!r} is none of {', '.join(map(repr, [*_CENTRES, *_RELEVANT]))}")
    relevant = np.array(_RELEVANT[kind]) - 1
    y = np.arange(n_samples) % 5
    means, variances = rng.uniform(-5.0, 5.0, (5, len(relevant))), rng.uniform(0.7, 1.5, (5, len(relevant)))
    X = rng.randn(n_samples, 20)
    X[:, relevant] = means[y] + np.sqrt(variances[y]) * X[:, relevant]
    return X, y, relevant
