"""Precisions of the priors that users of latent Gaussian models know."""

import numpy as np
from scipy import sparse


def _positive(value, name):
    if not (np.isfinite(value) and value > 0):
        raise ValueError(f"{name}={value} is out of range; choose a positive number")
    return float(value)


def _differences(n, order):
    found = sparse.eye_array(n, format="csr")
    for _ in range(order):
        m = found.shape[0]
        found = sparse.diags_array([-np.ones(m - 1), np.ones(m - 1)], offsets=[0, 1], shape=(m - 1, m)) @ found
    return sparse.csr_array(found)


def random_walk(n, *, order=1, precision=1.0, ridge=1e-5):
    """Precision of a random walk: differences of neighbours (or of differences) are independent.

    Parameters
    ----------
    n : int
        Length.
    order : {1, 2}, default=1
        1 is a walk, which data pull to a level; 2 walks in its slope and is smooth.
    precision : float, default=1.0
        Of a step: one over its variance.
    ridge : float, default=1e-5
        Precision of every number itself, which makes the prior proper: a walk alone says nothing about its level.

    Returns
    -------
    precision : sparse array of shape (n, n)

    Examples
    --------
    >>> from treatise.bayes import random_walk
    >>> random_walk(3, ridge=0.5).toarray()
    array([[ 1.5, -1. ,  0. ],
           [-1. ,  2.5, -1. ],
           [ 0. , -1. ,  1.5]])
    """
    if order not in (1, 2):
        raise ValueError(f"order={order} is not known; choose 1 or 2")
    if n <= order:
        raise ValueError(f"n={n} is too short for a random walk of order {order}; it needs {order + 1} at least")
    D = _differences(n, order)
    return sparse.csr_array(
        _positive(precision, "precision") * (D.T @ D) + _positive(ridge, "ridge") * sparse.eye_array(n)
    )


def autoregression(n, coefficient, *, precision=1.0, start_precision=None):
    """Precision of ``x_t = coefficient x_(t-1) + noise``.

    Parameters
    ----------
    n : int
        Length.
    coefficient : float
        Share of a number that stays in the next.
    precision : float, default=1.0
        Of the noise.
    start_precision : float or None, default=None
        Of the first number; None is that of the stationary law, for a coefficient between -1 and 1.

    Returns
    -------
    precision : sparse array of shape (n, n)

    Examples
    --------
    >>> from treatise.bayes import autoregression
    >>> autoregression(3, 0.5).toarray()
    array([[ 1.  , -0.5 ,  0.  ],
           [-0.5 ,  1.25, -0.5 ],
           [ 0.  , -0.5 ,  1.  ]])
    """
    if n < 1:
        raise ValueError(f"n={n} is out of range; choose 1 or more")
    precision = _positive(precision, "precision")
    if start_precision is None:
        if not abs(coefficient) < 1:
            raise ValueError(f"coefficient={coefficient} has no stationary law; give start_precision")
        start_precision = precision * (1.0 - coefficient**2)
    main = np.full(n, precision * (1.0 + coefficient**2))
    main[-1] = precision
    main[0] = _positive(start_precision, "start_precision") + (precision * coefficient**2 if n > 1 else 0.0)
    off = np.full(n - 1, -precision * coefficient)
    return sparse.csr_array(sparse.diags_array([off, main, off], offsets=[-1, 0, 1]))


def grid_field(shape, *, order=2, precision=1.0, ridge=1e-5):
    """Precision of a field on a grid of cells, row by row.

    Parameters
    ----------
    shape : (int, int)
        Rows and columns.
    order : {1, 2}, default=2
        1: differences of neighbouring cells; 2: each cell less the mean of its neighbours, as a thin plate.
    precision : float, default=1.0
        Of these differences.
    ridge : float, default=1e-5
        Precision of every cell itself, which makes the prior proper.

    Returns
    -------
    precision : sparse array of shape (n, n)

    Examples
    --------
    >>> from treatise.bayes import grid_field
    >>> grid_field((200, 200)).shape, grid_field((3, 3), order=1, ridge=1.0).diagonal()
    ((40000, 40000), array([3., 4., 3., 4., 5., 4., 3., 4., 3.]))
    """
    rows, columns = shape
    if min(rows, columns) < 2:
        raise ValueError(f"shape={shape} is no grid; it needs two rows and two columns at least")
    if order not in (1, 2):
        raise ValueError(f"order={order} is not known; choose 1 or 2")
    down, across = _differences(rows, 1), _differences(columns, 1)
    laplacian = sparse.kron(down.T @ down, sparse.eye_array(columns)) + sparse.kron(
        sparse.eye_array(rows), across.T @ across
    )
    structure = laplacian if order == 1 else laplacian.T @ laplacian
    return sparse.csr_array(
        _positive(precision, "precision") * structure + _positive(ridge, "ridge") * sparse.eye_array(rows * columns)
    )


def spatial_car(adjacency, *, precision=1.0, dependence=0.99):
    """Precision of a conditional autoregression on a map: regions resemble the mean of their neighbours.

    Parameters
    ----------
    adjacency : sparse matrix or array of shape (n, n)
        Positive weights of neighbouring regions, symmetric; the diagonal does not count.
    precision : float, default=1.0
        Of a region given its neighbours, for each of them.
    dependence : float, default=0.99
        How much of the neighbours' mean is expected, from 0 to below 1.

    Returns
    -------
    precision : sparse array of shape (n, n)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayes import spatial_car
    >>> spatial_car(np.array([[0, 1], [1, 0]]), dependence=0.5).toarray()
    array([[ 1. , -0.5],
           [-0.5,  1. ]])
    """
    W = sparse.csr_array(adjacency).astype(np.float64)
    if W.shape[0] != W.shape[1] or abs(W - W.T).max() > 0:
        raise ValueError("adjacency must be square and symmetric: if a neighbours b, b neighbours a")
    if W.nnz and W.data.min() < 0:
        raise ValueError(f"adjacency holds {W.data.min():g}; weights of neighbours are not negative")
    if not 0 <= dependence < 1:
        raise ValueError(f"dependence={dependence} is out of range; choose 0 to below 1")
    W = W - sparse.diags_array(W.diagonal())
    degree = np.asarray(W.sum(axis=1)).ravel()
    # A region without neighbours stands alone, with the precision of one of them.
    main = sparse.diags_array(np.where(degree > 0, degree, 1.0))
    return sparse.csr_array(_positive(precision, "precision") * (main - dependence * W))
