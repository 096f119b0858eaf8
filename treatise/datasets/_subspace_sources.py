"""Independent sources of two dimensions each, and a mixture of them."""

from typing import NamedTuple

import numpy as np


class SubspaceSources(NamedTuple):
    """A mixture ``X = S @ mixing.T`` and what it is made of."""

    X: np.ndarray
    S: np.ndarray
    mixing: np.ndarray
    groups: list[np.ndarray]


def make_subspace_sources(
    n_samples: int = 5000, n_sources: int = 3, *, random_state: int | None = None
) -> SubspaceSources:
    """Independent sources of two dimensions, mixed by a random rotation.

    A ring, four clumps on the corners of a square, and a parabola, in turn; each coordinate has mean zero and unit
    variance.

    Parameters
    ----------
    n_samples : int, default=5000
        Rows.
    n_sources : int, default=3
        Sources of two columns each.
    random_state : int or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, 2 * n_sources)
        The mixture.
    S : ndarray of shape (n_samples, 2 * n_sources)
        The sources.
    mixing : ndarray of shape (2 * n_sources, 2 * n_sources)
        The rotation.
    groups : list of ndarray of int
        Columns of S that belong to one source.

    Examples
    --------
    >>> from treatise.datasets import make_subspace_sources
    >>> X, S, mixing, groups = make_subspace_sources(100, 2, random_state=0)
    >>> X.shape, [group.tolist() for group in groups]
    ((100, 4), [[0, 1], [2, 3]])
    """
    rng = np.random.default_rng(random_state)
    makers = (_ring, _clumps, _parabola)
    S = np.hstack([makers[i % 3](n_samples, rng) for i in range(n_sources)])
    S = (S - S.mean(axis=0)) / S.std(axis=0)
    mixing = np.linalg.qr(rng.normal(size=(2 * n_sources, 2 * n_sources)))[0]
    return SubspaceSources(S @ mixing.T, S, mixing, list(np.arange(2 * n_sources).reshape(-1, 2)))


def _ring(n: int, rng: np.random.Generator) -> np.ndarray:
    angle, radius = rng.uniform(0, 2 * np.pi, n), 1.0 + 0.05 * rng.normal(size=n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _clumps(n: int, rng: np.random.Generator) -> np.ndarray:
    corners = 1.5 * np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    return corners[rng.integers(0, 4, n)] + 0.15 * rng.normal(size=(n, 2))


def _parabola(n: int, rng: np.random.Generator) -> np.ndarray:
    x = rng.uniform(-1.0, 1.0, n)
    return np.column_stack([x, x**2 + 0.05 * rng.normal(size=n)])
