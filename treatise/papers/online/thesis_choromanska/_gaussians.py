"""Gaussians far apart, the usual hard start for k-means."""

import numpy as np
from sklearn.utils import check_random_state


def make_separated_gaussians(
    n_samples: int = 1000,
    *,
    n_centers: int = 25,
    n_features: int = 15,
    side: float = 500.0,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Gaussians of unit variance around centres drawn in a cube, the usual hard start for k-means.

    Parameters
    ----------
    n_samples : int, default=1000
        Rows, in random order.
    n_centers, n_features : int, default=25 and 15
        Size of the mixture.
    side : float, default=500.0
        Of the cube.
    random_state : int, RandomState instance or None, default=None
        Of centres and rows.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The rows.
    y : ndarray of shape (n_samples,)
        Number of the centre of each.

    Examples
    --------
    >>> from treatise.papers.online.thesis_choromanska._gaussians import make_separated_gaussians
    >>> X, y = make_separated_gaussians(random_state=0)
    >>> X.shape, len(set(y))
    ((1000, 15), 25)

    References
    ----------
    .. [1] D. Arthur and S. Vassilvitskii, k-means++: the advantages of careful seeding, SODA 2007, "Norm25".
    """
    rng = check_random_state(random_state)
    centers = side * rng.random_sample((n_centers, n_features))
    y = rng.randint(n_centers, size=n_samples)
    return centers[y] + rng.normal(size=(n_samples, n_features)), y
