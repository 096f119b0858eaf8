"""Kernel weights of l_p norm one: the closed-form step, its dual norm, and what the norm does to the error bound."""

import math

import numpy as np


def lp_kernel_weights(lengths, p):
    """Weights of kernels that are best for the lengths of a machine's parts in them.

    Minimises ``sum_m lengths[m]^2 / weights[m]`` over weights that are not negative and of p-norm at most one. A part
    of length zero (or below, by rounding) has weight zero.

    Parameters
    ----------
    lengths : array-like of shape (n_kernels,)
        Lengths of the parts, ``weights[m] * sqrt(b' K_m b)``.
    p : float
        At least one; ``inf`` gives every kernel weight one.

    Returns
    -------
    weights : ndarray of shape (n_kernels,)
        All equal where all lengths are zero.

    Examples
    --------
    >>> from treatise.kernel_methods import lp_kernel_weights
    >>> lp_kernel_weights([3.0, 1.0], 1.0)
    array([0.75, 0.25])

    References
    ----------
    .. [1] Paper v12-0953, Proposition 2.
    """
    lengths = np.maximum(np.asarray(lengths, np.float64), 0.0)
    if not p >= 1:
        raise ValueError(f"p={p!r} is no norm; it must be at least 1")
    if np.isinf(p):
        return np.ones(len(lengths))
    largest = lengths.max(initial=0.0)
    if largest == 0.0:
        return np.full(len(lengths), float(len(lengths)) ** (-1.0 / p))
    powers = (lengths / largest) ** (2.0 / (p + 1.0))
    return powers / (powers**p).sum() ** (1.0 / p)


def dual_norm(forms, p):
    """``||forms||_q`` with ``1 / p + 1 / q = 1``, of numbers that are not negative."""
    largest = float(forms.max())
    if np.isinf(p):
        return float(forms.sum())
    if p == 1.0 or largest == 0.0:
        return largest
    power = p / (p - 1.0)
    return largest * float(((forms / largest) ** power).sum()) ** (1.0 / power)


def lp_mkl_bound(n_kernels, n_samples, p, *, radius=1.0):
    """Bound of the Rademacher complexity of machines on mixtures of kernels of p-norm one.

    Tells how dear it is to offer more kernels: the bound grows like the root of ``log M`` near p = 1 and like
    ``M^(1/2 - 1/(2p))`` beyond. Times ``4 / margin`` it is the middle term of the bound of the error.

    Parameters
    ----------
    n_kernels, n_samples : int
        Sizes; at least two kernels.
    p : float
        The norm, at least one.
    radius : float, default=1.0
        Largest ``sqrt(k_m(x, x))``.

    Returns
    -------
    bound : float

    Examples
    --------
    >>> from treatise.kernel_methods import lp_mkl_bound
    >>> round(lp_mkl_bound(100, 10_000, 1.0), 4), round(lp_mkl_bound(100, 10_000, 2.0), 4)
    (0.0377, 0.0457)

    References
    ----------
    .. [1] Paper v12-0953, Corollaries 9 and 11.
    """
    if n_kernels < 2 or n_samples < 1 or not p >= 1 or not radius > 0:
        raise ValueError(
            f"n_kernels={n_kernels}, n_samples={n_samples}, p={p!r}, radius={radius!r}; they must be at least 2, 1, 1 "
            "and above 0"
        )
    dual = math.inf if p == 1 else (1.0 if math.isinf(p) else p / (p - 1.0))
    growth = n_kernels ** (1.0 / dual)
    norms = math.e * math.ceil(math.log(n_kernels))
    if math.isfinite(dual):
        norms = min(norms, math.ceil(dual))
    return math.sqrt(23.0 / 22.0 * growth * radius**2 * norms / n_samples)
