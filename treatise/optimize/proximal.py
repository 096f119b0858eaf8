"""Proximal operators of sums of norms: of entries, and of the columns of a matrix."""

import numpy as np


def soft_threshold(A, threshold):
    """The X that minimises ``||X - A||^2 / 2 + threshold * sum |X|``: every entry is moved towards zero.

    Parameters
    ----------
    A : array-like
        Any shape.
    threshold : float or array-like
        How far; not negative. Must broadcast against A.

    Returns
    -------
    X : ndarray of the shape of A
        Exactly zero where ``|A| <= threshold``.

    Examples
    --------
    >>> from treatise.optimize import soft_threshold
    >>> soft_threshold([-3.0, 0.5, 2.0], 1.0)
    array([-2.,  0.,  1.])
    """
    A = np.asarray(A, dtype=np.float64)
    # Adding zero turns the minus zeros of small negative entries into zeros.
    return A - np.clip(A, -threshold, threshold) + 0.0


def project_columns_on_l1_ball(A, radius):
    """The nearest matrix whose columns have absolute values that sum to at most ``radius``.

    Sorts every column; costs rows log(rows) for each.

    Parameters
    ----------
    A : array-like of shape (..., rows, columns)
        Leading axes count matrices, each treated alone.
    radius : float
        Not negative.

    Returns
    -------
    X : ndarray of the shape of A

    Examples
    --------
    >>> from treatise.optimize import project_columns_on_l1_ball
    >>> project_columns_on_l1_ball([[3.0, 0.2], [1.0, -0.1]], 2.0)
    array([[ 2. ,  0.2],
           [ 0. , -0.1]])
    """
    A = np.asarray(A, dtype=np.float64)
    size = np.abs(A)
    if not A.size:
        return A.copy()
    if radius <= 0:
        return np.zeros_like(A)
    falling = -np.sort(-size, axis=-2)
    excess = np.cumsum(falling, axis=-2) - radius
    count = np.arange(1, A.shape[-2] + 1)[:, None]
    # The largest number of entries that stay when all of them give up the same amount.
    last = np.sum(falling * count > excess, axis=-2, keepdims=True) - 1
    cut = np.take_along_axis(excess, last, axis=-2) / (last + 1)
    return soft_threshold(A, np.maximum(cut, 0.0))


def prox_column_norms(A, penalty, q):
    """The X that minimises ``||X - A||^2 / 2 + penalty * sum_j ||X_j||_q`` over matrices with columns ``X_j``.

    The operator of the l1/lq norm. With ``q=2`` or infinity whole columns become zero, which is what selects them;
    with ``q=1`` it is :func:`soft_threshold`.

    Parameters
    ----------
    A : array-like of shape (..., rows, columns)
        Leading axes count matrices, each treated alone.
    penalty : float
        Not negative.
    q : {1, 2, inf}
        Norm of a column.

    Returns
    -------
    X : ndarray of the shape of A

    Examples
    --------
    >>> from treatise.optimize import prox_column_norms
    >>> prox_column_norms([[3.0, 0.3], [4.0, 0.4]], 1.0, 2)
    array([[2.4, 0. ],
           [3.2, 0. ]])

    References
    ----------
    .. [1] Paper v15-0445, section 4.2.1, the operator T_q.
    """
    A = np.asarray(A, dtype=np.float64)
    if q == 1:
        return soft_threshold(A, penalty)
    if q == 2:
        length = np.sqrt(np.einsum("...ij,...ij->...j", A, A))[..., None, :]
        return A * np.maximum(1.0 - penalty / np.where(length > penalty, length, np.inf), 0.0) * (length > penalty)
    if q == np.inf:
        # Moreau: the operator of a norm is what the projection on the dual norm's ball leaves over.
        return A - project_columns_on_l1_ball(A, penalty)
    raise ValueError(f"q={q!r} is no norm of columns that can be treated here; choose 1, 2 or numpy.inf")
