"""Means and covariances of two classes: from rows, or as handed over by somebody who keeps the rows."""

import numpy as np
from scipy.linalg import eigh

_ROUNDING = 1e-12
"""Share of a value by which sums of many such may be off."""


def moments(X):
    """Mean and covariance of the rows, the latter with 1 / n."""
    mean = X.mean(axis=0)
    centred = X - mean
    return mean, centred.T @ centred / len(X)


def mean_and_factor(X):
    """Mean of the rows, and a matrix F of their shape whose F'F is their covariance with 1 / n.

    A column that is constant but for rounding has zeros in F.
    """
    mean = X.mean(axis=0)
    factor = (X - mean) / np.sqrt(len(X))
    factor[:, np.abs(factor).max(axis=0) <= _ROUNDING * np.abs(mean)] = 0.0
    return mean, factor


def difference_of(means):
    """Second mean less the first, zero where they agree but for rounding."""
    difference = means[1] - means[0]
    return np.where(np.abs(difference) <= _ROUNDING * np.abs(means).sum(axis=0), 0.0, difference)


def root_of(covariance):
    """A matrix F with F'F the covariance."""
    variances, axes = eigh(covariance)
    kept = variances > 1e-14 * variances.max(initial=0.0)
    return np.sqrt(variances[kept])[:, np.newaxis] * axes[:, kept].T


def checked_moments(means, covariances, classes):
    """Means, covariances and labels of two classes as arrays; refuses what cannot be such.

    Parameters
    ----------
    means : array-like of shape (2, n_features)
        Means of the classes.
    covariances : array-like of shape (2, n_features, n_features)
        Their covariances.
    classes : sequence of two labels
        What to call the classes.

    Returns
    -------
    means, covariances, classes : ndarray
    """
    means, covariances = np.asarray(means, np.float64), np.asarray(covariances, np.float64)
    if means.ndim != 2 or len(means) != 2 or covariances.shape != (2, means.shape[1], means.shape[1]):
        raise ValueError(
            f"means of shape {means.shape} and covariances of shape {covariances.shape} do not fit; "
            "for p features they must have shapes (2, p) and (2, p, p)"
        )
    if not (np.isfinite(means).all() and np.isfinite(covariances).all()):
        raise ValueError("means and covariances must be finite numbers; NaN or infinity is among them")
    if not np.allclose(covariances, covariances.transpose(0, 2, 1)):
        raise ValueError("the covariances must be symmetric")
    for covariance in covariances:
        slack = 1e-8 * np.trace(covariance) + np.finfo(np.float64).tiny
        try:
            np.linalg.cholesky(covariance + slack * np.eye(len(covariance)))
        except np.linalg.LinAlgError:
            least = float(np.linalg.eigvalsh(covariance)[0])
            raise ValueError(f"the covariances must have no negative eigenvalue; the least is {least:.3g}") from None
    classes = np.asarray(classes)
    if classes.shape != (2,) or classes[0] == classes[1]:
        raise ValueError(f"classes={classes.tolist()!r} must be two different labels")
    return means, covariances, classes
