"""How much of a distribution lies on one side of a plane, as far as its mean and covariance tell."""

import numpy as np
from scipy.special import ndtr, ndtri


def accuracy_of_distance(kappa, distribution):
    """Least probability of the right side of a plane ``kappa`` deviations from the mean (Lemma 1; Equation 16)."""
    if distribution == "gaussian":
        return ndtr(kappa)
    squared = np.square(np.maximum(kappa, 0.0))
    return squared / (1.0 + squared)


def distance_of_accuracy(accuracy, distribution):
    """The inverse: how many deviations from the mean a plane must be to promise ``accuracy``."""
    if distribution == "gaussian":
        return ndtri(accuracy)
    return np.sqrt(accuracy / (1.0 - accuracy))


def worst_case_accuracy(normal, threshold, mean, covariance, *, distribution="any"):
    """Least probability that ``normal @ z >= threshold`` among distributions with a mean and a covariance.

    Parameters
    ----------
    normal : array-like of shape (p,)
        Normal of the plane, pointing to the class.
    threshold : float
        Where the plane lies along it.
    mean : array-like of shape (p,)
        Mean of the class.
    covariance : array-like of shape (p, p)
        Its covariance.
    distribution : {"any", "gaussian"}, default="any"
        Any distribution (the one-sided Chebyshev inequality, which is tight), or the Gaussian one.

    Returns
    -------
    float
        The probability.

    Examples
    --------
    >>> from treatise.statistics import worst_case_accuracy
    >>> round(worst_case_accuracy([1.0, 0.0], 1.0, [3.0, 0.0], [[4.0, 0.0], [0.0, 1.0]]), 6)
    0.5

    References
    ----------
    .. [1] Paper v05-1253: Lemma 1 and Equations (16) and (24)-(26).
    """
    if distribution not in ("any", "gaussian"):
        raise ValueError(f"distribution={distribution!r} must be 'any' or 'gaussian'")
    normal, covariance = np.asarray(normal, np.float64), np.asarray(covariance, np.float64)
    distance, variance = float(normal @ np.asarray(mean) - threshold), float(normal @ covariance @ normal)
    if variance < 0:
        raise ValueError(f"the covariance gives a variance of {variance:.3g} along the normal; it must not be negative")
    if variance == 0.0:
        return float(distance >= 0)
    return float(accuracy_of_distance(distance / np.sqrt(variance), distribution))
