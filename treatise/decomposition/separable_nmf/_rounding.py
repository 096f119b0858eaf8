"""Ellipsoidal rounding: the rows that touch the smallest ellipsoid around the data (Algorithm 1 of v15-1011)."""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import svds

from treatise.optimize import minimum_volume_ellipsoid

_WHOLE = 1500
"""Rows or columns up to which a dense Gram matrix is decomposed; Lanczos steps serve larger data."""
_SQUARED = 1e-6
"""Share of the largest singular value down to which one can be read off a Gram matrix."""


class Rounding(NamedTuple):
    """What touches the ellipsoid, and the ellipsoid."""

    active: np.ndarray
    directions: np.ndarray
    """Leading right singular vectors of the data, one per column; the ellipsoid lives in their span."""
    matrix: np.ndarray
    gap: float


def leading_directions(X, rank):
    """Right singular vectors of the ``rank`` largest singular values, one per column; fewer where X has a lower rank.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    rank : int

    Returns
    -------
    ndarray of shape (n_features, at most rank)
    """
    smaller = min(X.shape)
    rank = min(rank, smaller)
    if smaller > _WHOLE and rank < smaller // 4:
        start = np.ones(smaller) / np.sqrt(smaller)
        _, values, rows = svds(X, rank, v0=start, return_singular_vectors="vh", solver="arpack")
        order = np.argsort(-values)
        return rows[order[: np.count_nonzero(values > _SQUARED * values.max())]].T
    wide = X.shape[0] < X.shape[1]
    gram = X @ X.T if wide else X.T @ X
    gram = gram.toarray() if sparse.issparse(gram) else gram
    squares, vectors = eigh(gram, subset_by_index=(smaller - rank, smaller - 1))
    if squares[0] < _SQUARED**2 * squares[-1]:
        # Squaring lost the smallest values.
        _, values, rows = np.linalg.svd(X.toarray() if sparse.issparse(X) else X, full_matrices=False)
        kept = np.count_nonzero(values > max(X.shape) * np.finfo(float).eps * values[0])
        return rows[: min(rank, kept)].T
    vectors = vectors[:, ::-1]
    return (X.T @ vectors) / np.sqrt(squares[::-1]) if wide else vectors


def ellipsoidal_rounding(X, directions, tol):
    """Steps 1 and 2 of Algorithm 1, with the directions given.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    directions : ndarray of shape (n_features, rho)
        Leading right singular vectors.
    tol : float
        Duality gap of the ellipsoid.
    """
    ellipsoid = minimum_volume_ellipsoid(X @ directions, tol=tol)
    return Rounding(ellipsoid.active, directions, ellipsoid.matrix, ellipsoid.gap)
