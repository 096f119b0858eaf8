"""The distribution of a weighted sum of chi-square variables (Davies, Applied Statistics 29:323, 1980)."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from treatise.statistics._quadratic_tail_loops import quadratic_tails_at

TOLERANCE = 1e-10


def weighted_chi2_cdf(x, weights, df=1.0, noncentrality=0.0, scale=0.0):
    r"""Probability that a weighted sum of independent chi-square variables is at most x.

    The sum is :math:`Q = \sum_j w_j \chi^2_{d_j}(\nu_j) + \sigma Z`, weights of either sign: any quadratic form in
    normal variables, such as the limit of many test statistics (kernel tests, score tests of variance components) or
    the logarithm of a ratio of two Gaussian densities. The inversion integral that Davies sums along the imaginary
    axis is taken along a contour through its saddle point, bent so that it does not oscillate. The trapezoid rule
    settles there to about ten digits of the smaller tail, however small, in some fifty points, each at a cost of the
    number of terms. Close to the end of the values that a sum of noncentral terms can take, digits are lost to the
    rounding of ``x - sum(weights * noncentrality)``. For a single term use :data:`scipy.stats.ncx2`, which is faster.

    Parameters
    ----------
    x : array-like
        Where to take the probability.
    weights : array-like of shape (n_terms,)
        Factors of the chi-square variables, positive or negative.
    df : float or array-like of shape (n_terms,), default=1.0
        Degrees of freedom, above zero; they need not be whole.
    noncentrality : float or array-like of shape (n_terms,), default=0.0
        Sums of squared means, zero or more.
    scale : float, default=0.0
        Standard deviation of a normal variable that is added.

    Returns
    -------
    p : ndarray of the shape of x
        With a :class:`~sklearn.exceptions.ConvergenceWarning` should the rule not have settled somewhere.

    See Also
    --------
    weighted_chi2_sf : The probability of more than x, exact where it is tiny.

    Examples
    --------
    >>> from treatise.statistics import weighted_chi2_cdf
    >>> weighted_chi2_cdf([0.1, 0.7, 2.0], [0.6, 0.3, 0.1]).round(4)
    array([0.0542, 0.4936, 0.876 ])

    References
    ----------
    .. [1] R. B. Davies, The distribution of a linear combination of chi-square random variables, Applied Statistics
       29:323-333, 1980 (algorithm AS 155), which paper v12-0069 rests on.
    """
    return _tails(x, weights, df, noncentrality, scale)[0]


def weighted_chi2_sf(x, weights, df=1.0, noncentrality=0.0, scale=0.0):
    """Probability that a weighted sum of independent chi-square variables is more than x.

    Parameters
    ----------
    x : array-like
        Where to take the probability.
    weights, df, noncentrality, scale
        As of :func:`weighted_chi2_cdf`.

    Returns
    -------
    p : ndarray of the shape of x
        To about ten digits, however small.

    Examples
    --------
    >>> from treatise.statistics import weighted_chi2_sf
    >>> f"{float(weighted_chi2_sf(200.0, [2.0, 1.0], df=2)):.6e}"
    '3.857500e-22'
    """
    return _tails(x, weights, df, noncentrality, scale)[1]


def _tails(x, weights, df, noncentrality, scale):
    x = np.asarray(x, dtype=np.float64)
    weights, df, noncentrality, scale = _checked_terms(weights, df, noncentrality, scale)
    if np.isnan(x).any():
        raise ValueError("x must not be NaN")
    # w (Z + m)^2 = w Z^2 + 2 w m Z + w m^2; the normal variable is a term of weight zero.
    a = np.append(weights, 0.0)
    b2 = np.append(4.0 * weights**2 * noncentrality, scale**2)
    shifted = np.ravel(x) - weights @ noncentrality
    below, above = np.empty(x.size), np.empty(x.size)
    finite = np.isfinite(shifted)
    below[~finite], above[~finite] = shifted[~finite] > 0, shifted[~finite] < 0
    inner = np.empty((2, finite.sum()))
    unsettled = quadratic_tails_at(shifted[finite], a, np.append(df, 0.0), b2, TOLERANCE, inner[0], inner[1])
    below[finite], above[finite] = inner
    if unsettled:
        warnings.warn(
            f"the inversion integral did not settle to {TOLERANCE:g} at {unsettled} of {x.size} points",
            ConvergenceWarning,
            stacklevel=3,
        )
    return below.reshape(x.shape), above.reshape(x.shape)


def _checked_terms(weights, df, noncentrality, scale):
    weights = np.atleast_1d(np.asarray(weights, dtype=np.float64))
    if weights.ndim != 1 or weights.size == 0 or not np.isfinite(weights).all():
        raise ValueError(f"weights must be a row of finite numbers, at least one; they have shape {weights.shape}")
    terms = []
    for name, values in (("df", df), ("noncentrality", noncentrality)):
        values = np.asarray(values, dtype=np.float64)
        if values.shape not in ((), weights.shape):
            raise ValueError(
                f"{name} has shape {values.shape}; give one number, or one for each of {weights.size} weights"
            )
        terms.append(np.broadcast_to(values, weights.shape))
    df, noncentrality = terms
    if not (np.isfinite(df).all() and df.min() > 0):
        raise ValueError(f"df must be above zero and finite; found {df[~(df > 0) | ~np.isfinite(df)][0]:g}")
    if not (np.isfinite(noncentrality).all() and noncentrality.min() >= 0):
        wrong = noncentrality[~(noncentrality >= 0) | ~np.isfinite(noncentrality)][0]
        raise ValueError(f"noncentrality must be zero or more and finite; found {wrong:g}")
    if not (np.isfinite(scale) and scale >= 0):
        raise ValueError(f"scale={scale} must be zero or more and finite")
    if not (weights.any() or scale > 0):
        raise ValueError("all weights are zero and so is scale: the sum is constant; give a weight that is not zero")
    return weights, df, noncentrality, float(scale)
