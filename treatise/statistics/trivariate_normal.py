"""The cumulative distribution of three correlated normal variables."""

import numpy as np
from scipy.integrate import quad_vec
from scipy.special import ndtr

from treatise.statistics.bivariate_normal import bivariate_normal_cdf


def trivariate_normal_cdf(x, y, z, correlation):
    """Probability that three standard normal variables lie below x, y and z.

    The two weaker correlations grow from zero to their values, and the probability, known at zero, is followed by one
    integral over the angle whose sine they are (Plackett's identity in Genz's form), adaptively, for all points
    together. The absolute error is about 1e-13; infinite arguments are their limits.

    Parameters
    ----------
    x, y, z : array-like
        Upper ends.
    correlation : array-like of shape (3, 3)
        Correlation matrix, positive definite.

    Returns
    -------
    p : ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import trivariate_normal_cdf
    >>> half = 0.5 * (np.eye(3) + np.ones((3, 3)))
    >>> float(trivariate_normal_cdf(0.0, 0.0, 0.0, half).round(6))
    0.25

    References
    ----------
    .. [1] A. Genz, Numerical computation of rectangular bivariate and trivariate normal and t probabilities,
       Statistics and Computing 14, 2004, Section 2.2.
    """
    R = _checked_correlation(correlation)
    ends = np.broadcast_arrays(*(np.asarray(end, np.float64) for end in (x, y, z)))
    # Far ends change nothing beyond rounding, and keep the quadratic forms below finite.
    ends = [np.clip(end, -40.0, 40.0) for end in ends]
    # The strongest of the three correlations is the one that stays.
    alone = int(np.argmax(np.abs([R[1, 2], R[0, 2], R[0, 1]])))
    second, third = (k for k in range(3) if k != alone)
    h, a, b = ends[alone], ends[second], ends[third]
    kept, angle_a, angle_b = R[second, third], np.arcsin(R[alone, second]), np.arcsin(R[alone, third])

    def slope(t):
        return angle_a * _edge_density(h, a, b, t * angle_a, t * angle_b, kept) + angle_b * _edge_density(
            h, b, a, t * angle_b, t * angle_a, kept
        )

    start = ndtr(h) * bivariate_normal_cdf(a, b, kept)
    followed, _ = quad_vec(slope, 0.0, 1.0, epsabs=1e-14, epsrel=1e-12, norm="max")
    return np.clip(start + followed, 0.0, 1.0)


def _edge_density(h, a, b, angle_a, angle_b, kept):
    """Slope of the probability in ``angle_a``: the density of the first two ends times the third's conditional.

    The cosine that the change to the angle brings cancels the one in the density.
    """
    sine, cosine_squared = np.sin(angle_a), np.cos(angle_a) ** 2
    other = np.sin(angle_b)
    density = np.exp(-0.5 * (h * h + a * a - 2.0 * sine * h * a) / cosine_squared) / (2.0 * np.pi)
    variance = cosine_squared - other**2 - kept**2 + 2.0 * sine * other * kept
    mean = h * (other - sine * kept) + a * (kept - sine * other)
    return density * ndtr((b * cosine_squared - mean) / np.sqrt(cosine_squared * max(variance, 1e-300)))


def _checked_correlation(correlation):
    R = np.asarray(correlation, dtype=np.float64)
    if R.shape != (3, 3) or not np.isfinite(R).all() or not np.allclose(R, R.T) or not np.allclose(np.diag(R), 1.0):
        raise ValueError("correlation must be a finite, symmetric 3 x 3 matrix with ones on its diagonal")
    if np.linalg.eigvalsh(R)[0] <= 0:
        raise ValueError(f"correlation must be positive definite; its least eigenvalue is {np.linalg.eigvalsh(R)[0]:g}")
    return R
