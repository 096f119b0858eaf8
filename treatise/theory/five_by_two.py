"""The 5x2 cross-validation tests of Dietterich (1998) and Alpaydin (1999)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats


@dataclass(frozen=True)
class FiveByTwoTest:
    """Dietterich's t test (5 degrees of freedom) and Alpaydin's combined F test (10 and 5)."""

    mean: float
    t_statistic: float
    t_p_value: float
    f_statistic: float
    f_p_value: float


def five_by_two_test(scores_a: ArrayLike, scores_b: ArrayLike) -> FiveByTwoTest:
    """Compare two methods by five repetitions of two-fold cross-validation.

    With two folds the training sets of one repetition do not overlap, which makes the variance of a
    difference easier to judge; the two folds are still dependent, since each is the other's training set
    [1]_, so the level is approximate. Use it when a method can be fitted ten times and half the sample
    is enough to train on; else use :func:`corrected_ttest`. The F test is the steadier of the two:
    Dietterich's numerator is the first of ten differences alone, so its outcome depends on the order.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (5, 2)
        Scores of the two methods; rows are repetitions, columns the two folds.

    Returns
    -------
    FiveByTwoTest
        Mean difference ``a - b``, and both statistics with their p-values. Identical scores give p = 1.

    References
    ----------
    .. [1] Bengio & Grandvalet, JMLR 5:1089-1105, 2004, Section 8.2.
    .. [2] Dietterich, Neural Computation 10:1895-1923, 1998.
    .. [3] Alpaydin, Neural Computation 11:1885-1892, 1999.

    Examples
    --------
    >>> from treatise.theory import five_by_two_test
    >>> a = [[0.80, 0.84], [0.79, 0.81], [0.83, 0.82], [0.78, 0.80], [0.81, 0.83]]
    >>> b = [[0.77, 0.79], [0.77, 0.78], [0.78, 0.80], [0.77, 0.76], [0.78, 0.79]]
    >>> test = five_by_two_test(a, b)
    >>> print(f"t = {test.t_statistic:.2f}, F = {test.f_statistic:.2f}, p = {test.f_p_value:.4f}")
    t = 1.94, F = 4.92, p = 0.0464
    """
    a, b = np.asarray(scores_a, dtype=float), np.asarray(scores_b, dtype=float)
    for name, scores in (("scores_a", a), ("scores_b", b)):
        if scores.shape != (5, 2):
            raise ValueError(f"{name} has shape {scores.shape}; it must be (5, 2): five repetitions of two folds")
        if not np.isfinite(scores).all():
            raise ValueError(f"{name} holds values that are not finite; all ten fits must have succeeded")
    difference = a - b
    # The variance of one repetition from its two differences.
    variance = 0.5 * (difference[:, 0] - difference[:, 1]) ** 2
    if np.array_equal(a, b):
        return FiveByTwoTest(0.0, 0.0, 1.0, 0.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        t_statistic = float(difference[0, 0] / np.sqrt(variance.mean()))
        f_statistic = float((difference**2).sum() / (2.0 * variance.sum()))
    return FiveByTwoTest(
        mean=float(difference.mean()),
        t_statistic=t_statistic,
        t_p_value=float(2.0 * stats.t.sf(abs(t_statistic), 5)),
        f_statistic=f_statistic,
        f_p_value=float(stats.f.sf(f_statistic, 10, 5)),
    )
