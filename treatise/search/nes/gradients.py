"""The plain search gradient and its natural form from samples, to be read and compared (Algorithms 2 and 3)."""

import numpy as np


def search_gradient_step(values, trials, mean, covariance, rate):
    """One step of Algorithm 2: the plain gradient of the mean value of a normal search distribution, downhill.

    For reading and for comparison: near a minimum its steps grow without bound as the distribution narrows, which is
    why the natural gradient replaces it.

    Parameters
    ----------
    values : array-like of shape (n,)
        Values of the trials, the lower the better.
    trials : array-like of shape (n, d)
        Draws from the search distribution.
    mean : array-like of shape (d,)
        Its mean.
    covariance : array-like of shape (d, d)
        Its covariance.
    rate : float
        Length of the step.

    Returns
    -------
    mean : ndarray of shape (d,)
    covariance : ndarray of shape (d, d)

    Examples
    --------
    >>> from treatise.search import search_gradient_step
    >>> mean, covariance = search_gradient_step([1.0, 0.0], [[1.0], [-1.0]], [0.0], [[1.0]], 0.1)
    >>> mean, covariance
    (array([-0.05]), array([[1.]]))
    """
    values, trials = np.asarray(values, dtype=float), np.asarray(trials, dtype=float)
    mean, covariance = np.asarray(mean, dtype=float), np.asarray(covariance, dtype=float)
    by_mean, by_covariance = normal_scores(trials, mean, covariance)
    n = len(values)
    return mean - rate * (values @ by_mean) / n, covariance - rate * np.tensordot(values, by_covariance, 1) / n


def normal_scores(trials, mean, covariance):
    """Derivatives of the log density at each trial, by the mean (n, d) and the covariance (n, d, d)."""
    solved = np.linalg.solve(covariance, (trials - mean).T).T
    return solved, 0.5 * (solved[:, :, np.newaxis] * solved[:, np.newaxis, :] - np.linalg.inv(covariance))


def canonical_nes_step(values, scores, parameters, rate):
    """One step of Algorithm 3: the gradient from samples, corrected by the Fisher matrix from the same samples.

    Parameters
    ----------
    values : array-like of shape (n,)
        Values of the trials, the lower the better.
    scores : array-like of shape (n, m)
        Derivatives of the log density by the parameters, at each trial.
    parameters : array-like of shape (m,)
        Parameters of the search distribution.
    rate : float
        Length of the step.

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.search import canonical_nes_step
    >>> canonical_nes_step([1.0, 0.0], [[1.0], [-1.0]], [0.0], 0.1)
    array([-0.05])
    """
    values, scores = np.asarray(values, dtype=float), np.asarray(scores, dtype=float)
    n = len(values)
    fisher = scores.T @ scores / n
    return np.asarray(parameters, dtype=float) - rate * (np.linalg.pinv(fisher, hermitian=True) @ (values @ scores / n))
