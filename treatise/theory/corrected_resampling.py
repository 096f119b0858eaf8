"""Intervals and tests from cross-validation scores that allow for the overlap of training sets.

Not in the paper of Bengio and Grandvalet, which proves that no exact answer exists, but the usual remedy
next to it: the corrected resampled t statistic of Nadeau and Bengio (2003).
"""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

# Scores that differ by less than this, relatively, differ by rounding alone.
_ROUNDING = 8.0 * np.finfo(float).eps


@dataclass(frozen=True)
class CorrectedInterval:
    """The mean score over splits and its corrected interval; NaN bounds where one split tells nothing."""

    mean: float
    standard_error: float
    low: float
    high: float
    n_splits: int


@dataclass(frozen=True)
class CorrectedTest:
    """The mean paired difference ``a - b``, its corrected interval, and the test that it is zero."""

    mean: float
    standard_error: float
    low: float
    high: float
    statistic: float
    p_value: float
    n_splits: int


def corrected_interval(
    scores: ArrayLike, *, n_train: float, n_test: float, confidence: float = 0.95
) -> CorrectedInterval:
    r"""Corrected resampled t interval for the mean of cross-validation scores.

    The scores of J splits of one sample are positively correlated, since their training sets overlap, so
    ``s / sqrt(J)`` is too small a standard error. This takes :math:`(1/J + n_{test}/n_{train})\,s^2` for
    the variance of the mean, and J - 1 degrees of freedom. Use it for repeated K-fold or repeated random
    splits; do not read it as exact: no variance estimate of one cross-validation is unbiased for every
    distribution [1]_. It costs O(J).

    Parameters
    ----------
    scores : array-like of shape (n_splits,)
        One score or loss per split; for repeated K-fold, all folds of all repetitions.
    n_train, n_test : float
        Examples in a training set and in a test set; their averages where splits differ in size.
    confidence : float, default=0.95
        Confidence level, between 0 and 1.

    Returns
    -------
    CorrectedInterval
        With one split the standard error and the bounds are NaN; with equal scores the interval is a point.

    References
    ----------
    .. [1] Bengio & Grandvalet, JMLR 5:1089-1105, 2004, Theorem 6.
    .. [2] Nadeau & Bengio, Inference for the generalization error, Machine Learning 52:239-281, 2003.

    Examples
    --------
    >>> from treatise.theory import corrected_interval
    >>> interval = corrected_interval([0.81, 0.79, 0.84, 0.80, 0.76], n_train=80, n_test=20)
    >>> print(f"{interval.mean:.3f} [{interval.low:.3f}, {interval.high:.3f}]")
    0.800 [0.746, 0.854]
    """
    values = _as_scores(scores, "scores")
    quantile = t_quantile(confidence, len(values) - 1)
    mean, standard_error = _corrected_mean(values, n_train, n_test, float(np.abs(values).max()))
    margin = quantile * standard_error
    return CorrectedInterval(mean, standard_error, mean - margin, mean + margin, len(values))


def corrected_ttest(
    scores_a: ArrayLike, scores_b: ArrayLike, *, n_train: float, n_test: float, confidence: float = 0.95
) -> CorrectedTest:
    """Corrected resampled t test that two methods score alike, from paired scores on the same splits.

    Use it to compare two methods by (repeated) K-fold or random splits. Under the null hypothesis the plain
    paired t test over folds rejects far too often; this one stays near its level, though it is not exact.
    Where several pairs are tested, pass the p-values through :func:`holm`. It costs O(J) for J splits.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (n_splits,)
        Scores of the two methods, in the same order of the same splits.
    n_train, n_test : float
        Examples in a training set and in a test set; their averages where splits differ in size.
    confidence : float, default=0.95
        Level of the interval for the mean difference, between 0 and 1.

    Returns
    -------
    CorrectedTest
        Two-sided. Identical scores give p = 1; differences that are constant and not zero give p = 0;
        one split with a difference gives NaN.

    References
    ----------
    .. [1] Nadeau & Bengio, Inference for the generalization error, Machine Learning 52:239-281, 2003.
    .. [2] Bengio & Grandvalet, JMLR 5:1089-1105, 2004, equation 4 (the paired statistic).

    Examples
    --------
    >>> from treatise.theory import corrected_ttest
    >>> test = corrected_ttest([0.81, 0.79, 0.84, 0.80], [0.78, 0.77, 0.80, 0.79], n_train=90, n_test=30)
    >>> print(f"{test.mean:.3f}, p = {test.p_value:.3f}")
    0.025, p = 0.085
    """
    a, b = _as_scores(scores_a, "scores_a"), _as_scores(scores_b, "scores_b")
    if len(a) != len(b):
        raise ValueError(f"scores_a has {len(a)} splits and scores_b has {len(b)}; both must come from the same splits")
    quantile = t_quantile(confidence, len(a) - 1)
    scale = float(max(np.abs(a).max(), np.abs(b).max()))
    difference = np.where(np.abs(a - b) <= _ROUNDING * scale, 0.0, a - b)
    mean, standard_error = _corrected_mean(difference, n_train, n_test, scale)
    if not difference.any():
        statistic, p_value = 0.0, 1.0
    elif standard_error == 0.0:
        statistic, p_value = float(np.copysign(np.inf, mean)), 0.0
    else:
        statistic = mean / standard_error
        p_value = float(2.0 * stats.t.sf(abs(statistic), len(a) - 1)) if len(a) > 1 else np.nan
    margin = quantile * standard_error
    return CorrectedTest(mean, standard_error, mean - margin, mean + margin, statistic, p_value, len(a))


def _corrected_mean(values: np.ndarray, n_train: float, n_test: float, scale: float) -> tuple[float, float]:
    """Mean and corrected standard error; a spread of mere rounding, relative to ``scale``, counts as none."""
    for name, size in (("n_train", n_train), ("n_test", n_test)):
        if not isinstance(size, Real) or not np.isfinite(size) or size <= 0:
            raise ValueError(f"{name}={size!r} must be a positive number of examples")
    mean = float(values.mean())
    if len(values) == 1:
        return mean, np.nan
    deviation = float(values.std(ddof=1))
    if deviation <= _ROUNDING * scale:
        return mean, 0.0
    return mean, deviation * float(np.sqrt(1.0 / len(values) + n_test / n_train))


def t_quantile(confidence: float, degrees: int) -> float:
    """Half-width of a central interval of Student's t; NaN where no degree of freedom is left."""
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence={confidence!r} must lie strictly between 0 and 1, such as 0.95")
    return float(stats.t.ppf(0.5 + 0.5 * confidence, degrees)) if degrees > 0 else np.nan


def _as_scores(scores: ArrayLike, name: str) -> np.ndarray:
    values = np.asarray(scores, dtype=float)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"{name} has shape {values.shape}; it must be one-dimensional, one score per split")
    missing = np.count_nonzero(~np.isfinite(values))
    if missing:
        raise ValueError(f"{name} holds {missing} values that are not finite; leave out the splits that failed")
    return values
