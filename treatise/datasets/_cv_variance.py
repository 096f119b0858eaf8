"""The regression on which Bengio and Grandvalet take cross-validation's variance apart."""

import numpy as np
from sklearn.utils import check_random_state

_INLIERS = 0.95
_OUTLIER_VARIANCE = 100.0


def make_bengio_grandvalet(
    n_samples: int,
    *,
    outliers: bool = False,
    n_features: int = 30,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    r"""Linear regression with Gaussian inputs, or with five per cent of examples ten times as far out.

    :math:`y = \sqrt{3/d}\sum_k x_k + \varepsilon` with unit variance inputs and noise, so that the inputs
    explain three quarters of the variance of y. With outliers an example is, with probability 0.05, one
    whose inputs and noise have 100 times the variance; coefficients and noise are scaled down together so
    that the variances of signal and noise stay 3 and 1 on average.

    Parameters
    ----------
    n_samples : int
        Number of examples.
    outliers : bool, default=False
        Whether to mix in outliers (Experiment 2 of the paper).
    n_features : int, default=30
        Number of inputs d.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)

    References
    ----------
    .. [1] Bengio & Grandvalet, JMLR 5:1089-1105, 2004, Experiments 1 and 2.

    Examples
    --------
    >>> from treatise.datasets import make_bengio_grandvalet
    >>> X, y = make_bengio_grandvalet(5000, random_state=0)
    >>> X.shape, round(float(y.var()), 1)
    ((5000, 30), 3.9)
    """
    if n_samples < 1 or n_features < 1:
        raise ValueError(f"n_samples={n_samples} and n_features={n_features} must both be at least 1")
    rng = check_random_state(random_state)
    X = rng.standard_normal((n_samples, n_features))
    noise = rng.standard_normal(n_samples)
    slope = np.sqrt(3.0 / n_features)
    if outliers:
        spread = np.where(rng.random_sample(n_samples) < _INLIERS, 1.0, np.sqrt(_OUTLIER_VARIANCE))
        X *= spread[:, None]
        shrink = 1.0 / np.sqrt(_INLIERS + _OUTLIER_VARIANCE * (1.0 - _INLIERS))
        return X, shrink * (slope * X.sum(axis=1) + spread * noise)
    return X, slope * X.sum(axis=1) + noise
