"""Two Gaussian classes of which a chosen share of the features tells nothing."""

import numpy as np
from sklearn.utils import check_random_state


def make_mkl_toy(
    n_samples: int = 50,
    *,
    n_relevant: int = 50,
    n_features: int = 50,
    separation: float = 1.75,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Balanced classes with means at ``+-separation`` along a direction that some features share equally.

    The features have variance one, so that the Bayes error is that of a normal variable beyond ``separation``, however
    many features are relevant.

    Parameters
    ----------
    n_samples : int, default=50
        Number of rows, an even one.
    n_relevant : int, default=50
        Number of features that carry the difference; the first ones.
    n_features : int, default=50
        Number of features.
    separation : float, default=1.75
        Half the distance of the means.
    random_state : int, RandomState instance or None, default=None
        Source of the draws.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The rows.
    y : ndarray of shape (n_samples,)
        Classes -1 and 1.
    mean : ndarray of shape (n_features,)
        The mean of class 1; that of class -1 is its opposite.

    References
    ----------
    .. [1] Kloft, Brefeld, Sonnenburg & Zien, JMLR 12:953-997, 2011, Section 6.1.
    """
    if not 1 <= n_relevant <= n_features:
        raise ValueError(f"n_relevant={n_relevant} must lie between 1 and n_features={n_features}")
    if n_samples % 2:
        raise ValueError(f"n_samples={n_samples} must be even: the classes have the same size")
    rng = check_random_state(random_state)
    mean = np.where(np.arange(n_features) < n_relevant, separation / np.sqrt(n_relevant), 0.0)
    y = np.repeat([1, -1], n_samples // 2)
    return rng.standard_normal((n_samples, n_features)) + y[:, None] * mean, y, mean
