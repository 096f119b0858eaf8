"""Whether a matrix can be a Gram matrix, or that of squared distances, and a witness where it cannot."""

from typing import NamedTuple

import numpy as np


class Definiteness(NamedTuple):
    """Outcome of a test of a symmetric matrix ``K``."""

    holds: bool
    """Whether the form has the right sign for all vectors, up to rounding."""
    extreme: float
    """The worst value of ``c' K c`` over vectors of length one."""
    witness: np.ndarray
    """The vector ``c`` that gives it."""


def positive_definiteness(K, *, tolerance=1e-10):
    """Whether ``c' K c`` is never negative: the condition on a kernel's Gram matrix.

    One matrix can refute a kernel, not prove it. Cost n^3.

    Parameters
    ----------
    K : array-like of shape (n, n)
        Symmetric matrix.
    tolerance : float, default=1e-10
        Negative values up to this share of the largest eigenvalue are taken for rounding.

    Returns
    -------
    found : Definiteness
        ``holds``, the smallest eigenvalue as ``extreme``, its vector as ``witness``.

    Examples
    --------
    >>> from treatise.kernels import positive_definiteness
    >>> round(positive_definiteness([[0.0, 1.0], [1.0, 0.0]]).extreme, 6)  # edit distances of "" and "a"
    -1.0

    References
    ----------
    .. [1] Paper v05-1035, Definition 4.
    """
    K = _symmetric(K)
    values, vectors = np.linalg.eigh(K)
    return Definiteness(bool(values[0] >= -tolerance * np.abs(values).max()), float(values[0]), vectors[:, 0])


def negative_definiteness(D, *, tolerance=1e-10):
    """Whether ``c' D c`` is never positive for ``c`` that sum to zero: the condition on squared distances.

    It holds for a kernel ``D`` exactly where ``exp(-t D)`` is positive definite for all ``t > 0``, so that it tells
    whether a distance can go into a Gaussian kernel. Cost n^3.

    Parameters
    ----------
    D : array-like of shape (n, n)
        Symmetric matrix.
    tolerance : float, default=1e-10
        Positive values up to this share of the largest eigenvalue are taken for rounding.

    Returns
    -------
    found : Definiteness
        ``holds``, the largest value as ``extreme``, its vector, which sums to zero, as ``witness``.

    Examples
    --------
    >>> from treatise.kernels import negative_definiteness
    >>> negative_definiteness([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]).holds  # squares on a line
    True

    References
    ----------
    .. [1] Paper v05-1035, Definition 10 and Theorem 12.
    """
    D = _symmetric(D)
    n = len(D)
    if n == 1:
        return Definiteness(True, 0.0, np.zeros(1))
    # An orthogonal basis of the vectors that sum to zero.
    basis = np.linalg.qr(np.column_stack((np.ones(n), np.eye(n)[:, 1:])))[0][:, 1:]
    values, vectors = np.linalg.eigh(basis.T @ D @ basis)
    scale = max(np.abs(values).max(), np.abs(D).max())
    return Definiteness(bool(values[-1] <= tolerance * scale), float(values[-1]), basis @ vectors[:, -1])


def _symmetric(K):
    K = np.asarray(K, np.float64)
    if K.ndim != 2 or K.shape[0] != K.shape[1] or not len(K):
        raise ValueError(f"a matrix of shape {K.shape}; a square one is expected")
    if not np.isfinite(K).all():
        raise ValueError("the matrix holds NaN or infinity")
    if not np.allclose(K, K.T, rtol=1e-8, atol=1e-12 * np.abs(K).max()):
        raise ValueError("the matrix is not symmetric")
    return (K + K.T) / 2.0
