"""Gaussian rows whose precision matrix is that of a random graph."""

import numpy as np
from sklearn.utils import check_random_state


def make_random_gaussian_graph(
    n_samples: int, n_features: int, *, edge_probability: float | None = None, random_state: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Rows of a Gaussian whose graph is random, as the generators of CLIME's and the huge package's experiments do.

    The precision matrix is 0.3 times the adjacency matrix plus a diagonal that makes it positive definite with room to
    spare; the variables are rescaled to unit variance.

    Parameters
    ----------
    n_samples, n_features : int
        Size of the table.
    edge_probability : float or None, default=None
        Of every pair; None takes ``3 / n_features``.
    random_state : int, RandomState or None, default=None
        Draws graph and rows.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    precision : ndarray of shape (n_features, n_features)
        Of the rescaled variables.

    Examples
    --------
    >>> from treatise.datasets import make_random_gaussian_graph
    >>> X, precision = make_random_gaussian_graph(100, 10, random_state=0)
    >>> X.shape, bool((precision == precision.T).all())
    ((100, 10), True)

    References
    ----------
    .. [1] Paper v15-0489, section 4.
    """
    rng = check_random_state(random_state)
    p = n_features
    chance = min(1.0, 3 / p) if edge_probability is None else edge_probability
    upper = np.triu(rng.random_sample((p, p)) < chance, 1)
    precision = 0.3 * (upper + upper.T)
    precision += np.eye(p) * (abs(np.linalg.eigvalsh(precision)[0]) + 0.2)
    covariance = np.linalg.inv(precision)
    deviation = np.sqrt(np.diag(covariance))
    precision = precision * np.outer(deviation, deviation)
    precision = (precision + precision.T) / 2
    factor = np.linalg.cholesky(covariance / np.outer(deviation, deviation))
    return rng.standard_normal((n_samples, p)) @ factor.T, precision
