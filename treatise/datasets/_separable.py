"""Matrices whose rows are mixtures of a few of them, with noise; and the swimmers."""

from itertools import product

import numpy as np
from sklearn.utils import check_random_state


def make_separable(
    n_samples: int = 5000,
    n_features: int = 250,
    n_components: int = 10,
    *,
    noise: float = 0.0,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Mixtures of uniform random parts, the pure parts among them, with normal noise (section 6.1 of v15-1011).

    Parameters
    ----------
    n_samples, n_features, n_components : int
        Rows, columns, and rows that are pure.
    noise : float, default=0.0
        Standard deviation of the noise on every entry, which may leave it below zero.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Rows in random order.
    pure : ndarray of int of shape (n_components,)
        Rows that are pure parts, ascending.
    """
    random = check_random_state(random_state)
    parts = random.random_sample((n_components, n_features))
    weights = random.dirichlet(random.random_sample(n_components), n_samples - n_components)
    order = random.permutation(n_samples)
    X = np.vstack([parts, weights @ parts])[order]
    return X + noise * random.standard_normal(X.shape), np.flatnonzero(order < n_components)


def make_near_separable(
    mixtures: str = "dirichlet",
    noise: str = "dense",
    level: float = 0.1,
    *,
    n_samples: int = 100,
    n_features: int = 50,
    n_components: int = 10,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Mixtures of parts with sum one, under noise whose largest row sum is given (section 6.1 of v15-1249).

    Parameters
    ----------
    mixtures : {"dirichlet", "middle_points"}
        All mixtures drawn from a Dirichlet distribution, with normal noise; or, first, the middle points of all pairs
        of parts, with noise that pushes every mixture away from the mean of the parts.
    noise : {"dense", "sparse", "pointwise"}
        On all entries, on a quarter of them, or on one entry of each row.
    level : float, default=0.1
        Largest sum of magnitudes of the noise in a row.
    n_samples, n_features, n_components : int
        Rows, columns, and rows that are pure.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Rows in random order.
    pure : ndarray of int of shape (n_components,)
        Rows that are pure parts, ascending.
    """
    random = check_random_state(random_state)
    parts = random.random_sample((n_components, n_features))
    parts /= parts.sum(axis=1, keepdims=True)
    weights = np.eye(n_components)
    if mixtures == "middle_points":
        pairs = np.triu_indices(n_components, 1)
        weights = np.vstack([weights, (weights[pairs[0]] + weights[pairs[1]]) / 2])
    elif mixtures != "dirichlet":
        raise ValueError(f"mixtures={mixtures!r} must be 'dirichlet' or 'middle_points'")
    if len(weights) > n_samples:
        raise ValueError(f"n_samples={n_samples} is below the {len(weights)} parts and middle points")
    more = random.dirichlet(random.random_sample(n_components), n_samples - len(weights))
    X = np.vstack([weights, more]) @ parts
    if mixtures == "dirichlet":
        added = random.standard_normal(X.shape)
    else:
        added = X - parts.mean(axis=0)
        added[:n_components] = 0.0
    added = _masked(added, noise, random)
    added *= level / np.abs(added).sum(axis=1).max()
    order = random.permutation(n_samples)
    return (X + added)[order], np.flatnonzero(order < n_components)


def _masked(added: np.ndarray, noise: str, random: np.random.RandomState) -> np.ndarray:
    if noise == "dense":
        return added
    if noise == "sparse":
        return np.where(random.random_sample(added.shape) < 0.25, added, 0.0)
    if noise == "pointwise":
        kept = random.randint(added.shape[1], size=len(added))
        return np.where(np.arange(added.shape[1]) == kept[:, np.newaxis], added, 0.0)
    raise ValueError(f"noise={noise!r} must be 'dense', 'sparse' or 'pointwise'")


def make_swimmer() -> np.ndarray:
    """The swimmers: pictures of a body with four limbs, each in one of four positions (Donoho & Stodden, 2003).

    Returns
    -------
    X : ndarray of shape (220, 256)
        A row for each of 20 x 11 pixels, a column for each picture; 1 where it is lit. Three pixels belong to each of
        the 16 positions of a limb, 14 to the body, and 158 to nothing. The rank is 13, the non-negative rank 16.
    """
    positions = np.array(list(product(range(4), repeat=4)))
    limbs = np.array([positions[:, limb] == position for limb in range(4) for position in range(4)], dtype=float)
    body = np.ones((14, len(positions)))
    return np.vstack([np.repeat(limbs, 3, axis=0), body, np.zeros((158, len(positions)))])
