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


SPECTRA = {
    "clip": lambda values: np.where(values > 0.0, 1.0, 0.0),
    "flip": np.sign,
    "square": lambda values: values,
}
"""What multiplies each eigenvalue to make it no longer negative."""


def clip_spectrum(M, *, mode="clip", return_transform=False):
    """A positive semidefinite matrix in place of a symmetric one, by its eigenvalues.

    Clipping puts zero for negative eigenvalues, which gives the nearest positive semidefinite matrix (in the Frobenius
    norm). Use it where similarities or dissimilarities that are no kernel must go into a method that needs one. Of
    dissimilarities it changes the diagonal and may leave negative entries. Costs n^3.

    Parameters
    ----------
    M : array-like of shape (n, n)
        Symmetric matrix.
    mode : {"clip", "flip", "shift", "square"}, default="clip"
        Negative eigenvalues become zero or positive, all eigenvalues are raised until the least is zero, or squared.
    return_transform : bool, default=False
        Whether to return what rows of new objects, of their likeness to the n old ones, are multiplied with.

    Returns
    -------
    clipped : ndarray of shape (n, n)
    transform : ndarray of shape (n, n)
        Only with ``return_transform``. Rows of M itself become those of ``clipped``, but for the mode "shift", which
        changes nothing but what each object has with itself.

    Examples
    --------
    >>> from treatise.kernels import clip_spectrum
    >>> clip_spectrum([[0.0, 1.0], [1.0, 0.0]]).round(6)
    array([[0.5, 0.5],
           [0.5, 0.5]])

    References
    ----------
    .. [1] Paper v12-0999, section 3.3.
    """
    M = _symmetric(M)
    if mode not in (*SPECTRA, "shift"):
        raise ValueError(f"mode={mode!r} is not known; choose 'clip', 'flip', 'shift' or 'square'")
    values, vectors = np.linalg.eigh(M)
    if mode == "shift":
        clipped, transform = M + max(0.0, -values[0]) * np.eye(len(M)), np.eye(len(M))
    elif mode == "clip" and values[0] >= 0.0:
        clipped, transform = M, np.eye(len(M))
    else:
        factors = SPECTRA[mode](values)
        clipped, transform = (vectors * (factors * values)) @ vectors.T, (vectors * factors) @ vectors.T
    clipped = (clipped + clipped.T) / 2.0
    return (clipped, transform) if return_transform else clipped


def _symmetric(K):
    K = np.asarray(K, np.float64)
    if K.ndim != 2 or K.shape[0] != K.shape[1] or not len(K):
        raise ValueError(f"a matrix of shape {K.shape}; a square one is expected")
    if not np.isfinite(K).all():
        raise ValueError("the matrix holds NaN or infinity")
    if not np.allclose(K, K.T, rtol=1e-8, atol=1e-12 * np.abs(K).max()):
        raise ValueError("the matrix is not symmetric")
    return (K + K.T) / 2.0
