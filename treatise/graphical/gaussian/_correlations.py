"""Correlations of the columns of a table, where columns may be constant."""

import numpy as np


def correlations(X, *, assume_centered=False):
    """Correlation matrix, means and deviations; a constant column is uncorrelated and gets deviation one.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Rows.
    assume_centered : bool, default=False
        Whether the columns have mean zero already.

    Returns
    -------
    R : ndarray of shape (p, p)
    mean : ndarray of shape (p,)
    scale : ndarray of shape (p,)
    """
    mean = np.zeros(X.shape[1]) if assume_centered else X.mean(axis=0)
    centred = X - mean
    spread = np.sqrt((centred * centred).mean(axis=0))
    varies = spread > 1e-12 * np.maximum(np.abs(mean), 1e-300)
    scale = np.where(varies, spread, 1.0)
    rows = np.where(varies, centred / scale, 0.0)
    R = rows.T @ rows / len(rows)
    R = (R + R.T) / 2
    np.fill_diagonal(R, 1.0)
    return R, mean, scale
