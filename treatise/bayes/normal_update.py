"""One step of non-conjugate variational message passing for a multivariate normal factor (paper v15-1351, eq. 7)."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve


def multivariate_normal_update(mean, covariance, slope, bend, step=1.0):
    """The next mean and covariance of a normal factor, from the derivatives of the expected log density.

    With ``s(mean, covariance)`` the expectation of the log of the joint density under the factor, its slope in the mean
    and its slope in the covariance, the full step is ``covariance = (-2 bend)^-1``, ``mean += covariance slope``. It is
    a step of natural-gradient ascent: a part of it mixes the natural parameters, and a small enough one always raises
    the lower bound. Use it to build a fixed point for a model of your own; a linear model with normal noise needs one
    step.

    Parameters
    ----------
    mean : array-like of shape (d,)
        Mean of the factor.
    covariance : array-like of shape (d, d) or None
        Its covariance; a full step needs none.
    slope : array-like of shape (d,)
        Derivative of s by the mean.
    bend : array-like of shape (d, d)
        Derivative of s by the covariance, symmetric and negative definite.
    step : float, default=1.0
        Share of the step, above 0 and at most 1.

    Returns
    -------
    mean : ndarray of shape (d,)
    covariance : ndarray of shape (d, d)

    Examples
    --------
    The mean of four measurements 1, 2, 3, 6 of variance 1, with a flat prior:

    >>> from treatise.bayes import multivariate_normal_update
    >>> multivariate_normal_update([0.0], None, slope=[12.0], bend=[[-2.0]])
    (array([3.]), array([[0.25]]))

    References
    ----------
    .. [1] Paper v15-1351, equation 7.
    """
    mean, slope = np.asarray(mean, dtype=np.float64), np.asarray(slope, dtype=np.float64)
    precision = -2.0 * np.asarray(bend, dtype=np.float64)
    if precision.shape != (len(mean), len(mean)) or slope.shape != mean.shape:
        raise ValueError(
            f"a mean of length {len(mean)} needs a slope of that length and a bend of {len(mean)} x {len(mean)}, not "
            f"of shapes {slope.shape} and {precision.shape}"
        )
    if not 0.0 < step <= 1.0:
        raise ValueError(f"step={step:g} is out of range; choose a share above 0 and at most 1")
    natural = slope + precision @ mean
    if step < 1.0:
        if covariance is None:
            raise ValueError(f"step={step:g} mixes the next factor with the last one; give the covariance of the last")
        before = cho_solve(cho_factor(np.asarray(covariance, dtype=np.float64)), np.eye(len(mean)))
        natural = (1 - step) * (before @ mean) + step * natural
        precision = (1 - step) * before + step * precision
    try:
        factor = cho_factor(precision)
    except np.linalg.LinAlgError:
        raise ValueError(
            "the bend is not negative definite, so that no covariance belongs to it; take a shorter step from a factor "
            "where it is"
        ) from None
    covariance = cho_solve(factor, np.eye(len(mean)))
    return cho_solve(factor, natural), (covariance + covariance.T) / 2
