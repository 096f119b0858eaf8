"""A Gaussian process whose kernel values are given: posterior, weight of a prior mean, expected improvement."""

import numpy as np
from scipy.linalg import cho_solve, solve_triangular
from scipy.special import ndtr

ROUNDING = 1e-10


class GaussianProcess:
    """Posterior of a function with prior variance one, seen at points whose kernel matrix is given.

    Parameters
    ----------
    K : array-like of shape (n, n)
        Kernel matrix, with ones on its diagonal; it need not be positive definite.
    y : array-like of shape (n,)
        What was seen.
    mean : array-like of shape (n,) or None, default=None
        Prior mean at the points, up to a factor that is estimated; None is zero.
    noise : float, default=1e-6
        Variance of what was seen.

    Attributes
    ----------
    beta : float
        The factor of the prior mean under which what was seen is likeliest; 0 without one.
    jitter : float
        What was added to the diagonal beside the noise to make the matrix positive definite; mostly 0.

    Examples
    --------
    >>> from treatise.rl import GaussianProcess
    >>> process = GaussianProcess([[1.0, 0.5], [0.5, 1.0]], [1.0, -1.0])
    >>> process.predict([[1.0, 0.5], [0.0, 0.0]])[0].round(3)
    array([1., 0.])

    References
    ----------
    .. [1] Paper v15-0253, sections 3.2 and 4.3; the minus sign of the first posterior mean is a misprint.
    """

    def __init__(self, K, y, *, mean=None, noise=1e-6):
        K, y = np.asarray(K, dtype=np.float64), np.asarray(y, dtype=np.float64)
        if K.shape != (len(y), len(y)):
            raise ValueError(f"the kernel matrix has the shape {K.shape}; {len(y)} values need ({len(y)}, {len(y)})")
        if not noise >= 0.0:
            raise ValueError(f"noise={noise} is a variance; give 0 or more")
        self.y, self.noise = y, float(noise)
        self._factor, self.jitter = _cholesky(0.5 * (K + K.T), self.noise)
        prior = np.zeros(len(y)) if mean is None else np.asarray(mean, dtype=np.float64)
        solved = cho_solve((self._factor, True), prior)
        length = prior @ solved
        self.beta = float(y @ solved / length) if length > 0.0 else 0.0
        self._solved = cho_solve((self._factor, True), y - self.beta * prior)

    def predict(self, rows, mean=0.0):
        """Mean and standard deviation at new points.

        Parameters
        ----------
        rows : array-like of shape (m, n)
            Kernel values of new points with those seen.
        mean : float or array-like of shape (m,), default=0.0
            Prior mean there, up to the same factor.

        Returns
        -------
        mean, deviation : ndarray of shape (m,)
        """
        rows = np.atleast_2d(np.asarray(rows, dtype=np.float64))
        explained = solve_triangular(self._factor, rows.T, lower=True)
        variance = np.maximum(1.0 - np.einsum("ij,ij->j", explained, explained), 0.0)
        return self.beta * np.asarray(mean) + rows @ self._solved, np.sqrt(variance)

    def log_evidence(self, beta, mean):
        """Log likelihood of what was seen under a factor of a prior mean.

        Parameters
        ----------
        beta : float
            The factor.
        mean : array-like of shape (n,)
            The prior mean.

        Returns
        -------
        log_evidence : float
        """
        gap = solve_triangular(self._factor, self.y - beta * np.asarray(mean), lower=True)
        logarithms = np.log(np.diag(self._factor)).sum()
        return float(-0.5 * gap @ gap - logarithms - 0.5 * len(gap) * np.log(2.0 * np.pi))


def _cholesky(K, noise):
    """Factor of the matrix with noise on its diagonal, and what more it takes to be positive definite."""
    noisy = K + noise * np.eye(len(K))
    if not np.isfinite(noisy).all():
        raise ValueError("the kernel matrix holds NaN or infinity")
    try:
        return np.linalg.cholesky(noisy), 0.0
    except np.linalg.LinAlgError:
        # The least eigenvalue is raised to the rounding of the largest.
        values = np.linalg.eigvalsh(noisy)
        jitter = float(-values[0] + ROUNDING * max(values[-1], 1.0))
        return np.linalg.cholesky(noisy + jitter * np.eye(len(K))), jitter


def expected_improvement(mean, deviation, best):
    """How much a normal quantity exceeds the best value so far, on average; 0 where nothing is uncertain.

    Parameters
    ----------
    mean, deviation : float or array-like
        Of the quantity.
    best : float
        The best value so far.

    Returns
    -------
    improvement : ndarray

    Examples
    --------
    >>> from treatise.rl import expected_improvement
    >>> expected_improvement(0.3, 0.7, 1.0).round(8)
    np.float64(0.05832083)

    References
    ----------
    .. [1] Paper v15-0253, section 3.1.
    """
    mean, deviation = np.asarray(mean, dtype=np.float64), np.asarray(deviation, dtype=np.float64)
    if (deviation < 0.0).any():
        raise ValueError(f"deviation holds {deviation.min():g}; give 0 or more")
    sure = deviation == 0.0
    u = (mean - best) / np.where(sure, 1.0, deviation)
    density = np.exp(-0.5 * u**2) / np.sqrt(2.0 * np.pi)
    return np.where(sure, 0.0, deviation * np.maximum(u * ndtr(u) + density, 0.0))
