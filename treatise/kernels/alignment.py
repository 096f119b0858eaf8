"""How far Gram matrices agree with one another and with a target, and the mixture that agrees best."""

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls


def kernel_alignment(first, second):
    """Cosine of the angle between two Gram matrices, seen as vectors.

    1 for matrices that differ by a factor only. With ``np.outer(y, y)`` for labels of -1 and 1 as the second matrix it
    is the kernel-target alignment, a quick guess at a kernel's worth before anything is trained; where classes are
    unequal it mostly measures the larger one, so compare kernels on the same labels only. Cost n^2.

    Parameters
    ----------
    first, second : array-like of shape (n, m)
        The matrices.

    Returns
    -------
    alignment : float
        0 where a matrix is zero.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernels import kernel_alignment
    >>> K = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> round(kernel_alignment(K, 3 * K), 6), round(kernel_alignment(K, np.outer([1, -1], [1, -1])), 6)
    (1.0, 0.316228)

    References
    ----------
    .. [1] Paper v05-1435, Section 5.2.
    """
    first, second = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if first.ndim != 2 or first.shape != second.shape:
        raise ValueError(
            f"Gram matrices of shapes {first.shape} and {second.shape}; two of the same shape are expected"
        )
    lengths = np.linalg.norm(first) * np.linalg.norm(second)
    return float(np.vdot(first, second) / lengths) if lengths > 0 else 0.0


def align_kernels(grams, y, sigma=0.01):
    """Weights of a mixture of kernels that aligns best with the labels.

    Maximises ``sum_i w_i <K_i, yy'> - w'(A + ridge I) w`` over weights that are not negative, where
    ``A_ij = <K_i, K_j>``; without the ridge this is the mixture of the highest alignment with ``yy'``. In the paper the
    plain mean of good kernels did slightly better: try both. Cost q^2 n^2 for q kernels of n objects.

    Parameters
    ----------
    grams : list of array-like of shape (n, n)
        Gram matrices on the training objects, best normalised to unit diagonals.
    y : array-like of shape (n,)
        Labels of two classes.
    sigma : float, default=0.01
        Strength of the ridge, ``sigma / q^2 sum_ij A_ij``.

    Returns
    -------
    weights : ndarray of shape (q,)
        They sum to one; all equal where no kernel is aligned with the labels at all.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernels import align_kernels
    >>> good = np.kron(np.eye(2), np.ones((2, 2)))
    >>> align_kernels([np.eye(4), good], [0, 0, 1, 1]).round(3)
    array([0.012, 0.988])

    References
    ----------
    .. [1] Paper v05-1435, Section 5.2, after Kandola, Shawe-Taylor & Cristianini (2002).
    """
    grams = [np.asarray(gram, np.float64) for gram in grams]
    labels, codes = np.unique(np.asarray(y), return_inverse=True)
    n = len(codes)
    if not grams or any(gram.shape != (n, n) for gram in grams):
        raise ValueError(f"{len(grams)} Gram matrices of shapes {[g.shape for g in grams]}; shape {(n, n)} is expected")
    if len(labels) != 2:
        raise ValueError(f"y has {len(labels)} distinct labels; two are expected")
    if not sigma >= 0:
        raise ValueError(f"sigma={sigma!r} must not be negative")
    signs = 2.0 * codes - 1.0
    target = np.array([signs @ gram @ signs for gram in grams])
    products = np.array([[np.vdot(a, b) for b in grams] for a in grams])
    ridge = sigma * products.sum() / len(grams) ** 2
    # The smallest ridge that keeps repeated kernels from making the factor singular.
    ridge = max(ridge, 1e-12 * np.trace(products) / len(grams), np.finfo(float).tiny)
    factor = cholesky(products + ridge * np.eye(len(grams)), lower=True)
    weights, _ = nnls(factor.T, solve_triangular(factor, target / 2.0, lower=True))
    total = weights.sum()
    return weights / total if total > 0 else np.full(len(grams), 1.0 / len(grams))
