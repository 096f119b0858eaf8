"""How well a Gaussian graph explains rows, and what its edges cost: likelihood and extended BIC."""

import numpy as np

from treatise.optimize import covariance_selection


def gaussian_log_likelihood(S, precision):
    """Mean log-likelihood of rows with second moments S under a centred Gaussian.

    Parameters
    ----------
    S : ndarray of shape (p, p)
        Second moments of the rows about the model's mean.
    precision : ndarray of shape (p, p)
        Inverse covariance; minus infinity is returned where it is not positive definite.

    Returns
    -------
    mean : float
        Natural logarithm of the density, for one row.
    """
    return float(_log_det(precision) - np.vdot(S, precision) - len(S) * np.log(2 * np.pi)) / 2


def gaussian_ebic(S, precision, n_samples, *, gamma=0.5, n_edges=None):
    """Extended Bayesian information criterion of a Gaussian graph (Foygel and Drton 2010); smaller is better.

    ``-n (log det T - tr(S T)) + |E| log n + 4 gamma |E| log p``. With ``gamma=0`` it is the BIC; larger values keep
    false edges out where the variables are many.

    Parameters
    ----------
    S : ndarray of shape (p, p)
        Covariance of the rows.
    precision : ndarray of shape (p, p)
        The graph's inverse covariance.
    n_samples : int
        Number of rows behind S.
    gamma : float, default=0.5
        Between 0 and 1.
    n_edges : int or None, default=None
        Number of edges to pay for; None counts the non-zeros above the diagonal.

    Returns
    -------
    ebic : float

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import gaussian_ebic
    >>> round(gaussian_ebic(np.eye(3), np.eye(3), 10), 6)
    30.0
    """
    p = len(S)
    if n_edges is None:
        n_edges = int(np.count_nonzero(np.triu(precision, 1)))
    return float(
        -n_samples * (_log_det(precision) - np.vdot(S, precision))
        + n_edges * (np.log(n_samples) + 4 * gamma * np.log(max(p, 2)))
    )


def graph_ebic(S, precision, n_samples, *, gamma=0.5, start=None):
    """EBIC of the graph of a precision matrix, by the most likely Gaussian with that graph.

    The criterion is meant for it: with the entries of a penalised estimate it would buy edges only to undo their
    shrinkage. Where that Gaussian does not exist, as with more neighbours than rows, the estimate itself serves.

    Parameters
    ----------
    S : ndarray of shape (p, p)
        Covariance of the rows.
    precision : ndarray of shape (p, p)
        The penalised estimate, whose zeros are the graph's.
    n_samples : int
        Number of rows behind S.
    gamma : float, default=0.5
        Weight of the extended term.
    start : ndarray of shape (p, p) or None, default=None
        A positive definite covariance near the solution, for singular S.

    Returns
    -------
    ebic : float
    """
    joined = precision != 0
    n_edges = int(np.count_nonzero(np.triu(joined, 1)))
    if joined.sum(axis=0).max() < n_samples:
        covariance = covariance_selection(S, joined, start=None if n_samples > len(S) else start, tol=1e-4)
        if covariance is not None:
            precision = np.linalg.inv(covariance)
    return gaussian_ebic(S, precision, n_samples, gamma=gamma, n_edges=n_edges)


def _log_det(precision):
    """Logarithm of the determinant, minus infinity where the matrix is not positive definite."""
    try:
        return 2 * np.log(np.diag(np.linalg.cholesky(precision))).sum()
    except np.linalg.LinAlgError:
        return -np.inf
