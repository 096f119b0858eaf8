"""The variance of the mean error over independent pairs of training and test sets."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class HoldoutVariance:
    """Mean error over K independent hold-outs, and two estimates of the variance of that mean.

    ``theta1`` takes all errors for independent and is too small; ``theta2`` allows for the errors that share
    a training set, and is right on average because separate pairs are independent.
    """

    mean: float
    theta1: float
    theta2: float


def holdout_variance(losses: ArrayLike) -> HoldoutVariance:
    """Variance of the mean test error of K independent training sets, each with its own test set.

    Use it only where every training set and every test set is a fresh sample; splits of one data set are
    not independent, and for them no such estimate exists: see :func:`cv_variance_report`. With a single
    pair the variance due to the choice of training set cannot be seen, and ``theta2`` is NaN. It costs O(K n).

    Parameters
    ----------
    losses : array-like of shape (n_pairs, n_test)
        Losses of the test examples of each pair.

    References
    ----------
    .. [1] Bengio & Grandvalet, JMLR 5:1089-1105, 2004, Experiment 1 and Section 8.1.

    Examples
    --------
    >>> from treatise.theory import holdout_variance
    >>> holdout_variance([[1.0, 1.0, 2.0], [3.0, 4.0, 4.0]])
    HoldoutVariance(mean=2.5, theta1=0.31666666666666665, theta2=1.3611111111111112)
    """
    L = np.asarray(losses, dtype=float)
    if L.ndim != 2 or L.size < 2:
        raise ValueError(f"losses has shape {L.shape}; it must be (n_pairs, n_test) with at least 2 losses")
    if not np.isfinite(L).all():
        raise ValueError("losses holds values that are not finite; every test example needs a finite loss")
    K, n = L.shape
    mean = L.mean()
    deviation = L - mean
    theta1 = (deviation**2).sum() / (K * n * (K * n - 1))
    theta2 = (deviation.sum(axis=1) ** 2).sum() / (K * (K - 1) * n**2) if K > 1 else np.nan
    return HoldoutVariance(float(mean), float(theta1), float(theta2))
