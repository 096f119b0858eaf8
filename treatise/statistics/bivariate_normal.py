"""The cumulative distribution of two correlated normal variables."""

import numpy as np
from scipy.special import ndtr, owens_t


def bivariate_normal_cdf(x, y, rho):
    """Probability that two standard normal variables of correlation ``rho`` lie below x and y.

    By Owen's function, exact to rounding and vectorised; infinite arguments are their limits.

    Parameters
    ----------
    x, y : array-like
        Upper ends.
    rho : float
        Correlation, between -1 and 1, both excluded.

    Returns
    -------
    p : ndarray

    Examples
    --------
    >>> from treatise.statistics import bivariate_normal_cdf
    >>> float(bivariate_normal_cdf(0.0, 0.0, 0.5).round(6))
    0.333333
    """
    if not -1 < rho < 1:
        raise ValueError(f"rho={rho} must lie between -1 and 1")
    x, y = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
    # Far ends change nothing beyond rounding, and keep the ratios below finite.
    x, y = np.clip(x, -40.0, 40.0), np.clip(y, -40.0, 40.0)
    root = np.sqrt((1.0 - rho) * (1.0 + rho))
    with np.errstate(divide="ignore", invalid="ignore"):
        slope_x = (y / x - rho) / root
        slope_y = (x / y - rho) / root
    # At zero the ratio is infinite with the sign of the other end; at the origin both are the tangent of the angle.
    slope_x = np.where(x == 0, np.where(y == 0, np.sqrt((1 - rho) / (1 + rho)), np.copysign(np.inf, y)), slope_x)
    slope_y = np.where(y == 0, np.where(x == 0, np.sqrt((1 - rho) / (1 + rho)), np.copysign(np.inf, x)), slope_y)
    apart = np.where((x * y < 0) | ((x * y == 0) & (x + y < 0)), 0.5, 0.0)
    p = 0.5 * (ndtr(x) + ndtr(y)) - owens_t(x, slope_x) - owens_t(y, slope_y) - apart
    return np.clip(p, 0.0, 1.0)
