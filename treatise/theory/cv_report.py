"""What one cross-validation can say about its own variance, and what it cannot."""

import textwrap
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from treatise.theory.corrected_resampling import t_quantile

WARNING = (
    "No estimate of this variance from one cross-validation is unbiased for every distribution. V1 and V2 "
    "ignore the covariance between folds; where it is positive, as it mostly is, both are too small."
)


@dataclass(frozen=True)
class CVVarianceReport:
    """One cross-validation's mean, its naive and corrected variances, and the warning that goes with them.

    Attributes
    ----------
    n, n_folds : int
        Numbers of errors and of folds.
    mean : float
        The cross-validation estimate.
    s1, s2, s3 : float
        Mean square, mean product within folds, mean product between folds (equation 12); ``s2`` is NaN for
        leave-one-out.
    lambda1, lambda2 : float
        Estimates of the two eigenvalues that one run can estimate (Lemma 7); ``lambda2`` is n times ``v2``.
    v1 : float
        Sample variance of the errors over n: takes the errors for independent.
    v2 : float
        Variance of the mean from the spread of the folds: takes the folds for independent. Its bias is
        minus the covariance between folds.
    corrected : float
        Variance if fold means correlate by 1/K (the correction of Nadeau and Bengio), a convention.
    low, high : float
        Interval for the expected loss from ``corrected`` and K - 1 degrees of freedom.
    confidence : float
        Its level.
    correlation, variance_range : tuple of float or None
        The assumed least and greatest correlation between fold means, and the variances that they imply.
    warning : str
        Why none of these is the variance.
    """

    n: int
    n_folds: int
    mean: float
    s1: float
    s2: float
    s3: float
    lambda1: float
    lambda2: float
    v1: float
    v2: float
    corrected: float
    low: float
    high: float
    confidence: float
    correlation: tuple[float, float] | None
    variance_range: tuple[float, float] | None
    warning: str = WARNING

    def __str__(self) -> str:
        spreads = [
            ("independent errors (V1, naive)", f"{_root(self.v1):.4g}"),
            ("independent folds (V2, naive)", f"{_root(self.v2):.4g}"),
            (f"folds correlated by 1/{self.n_folds} (corrected)", f"{_root(self.corrected):.4g}"),
        ]
        if self.correlation is not None and self.variance_range is not None:
            (least, most), (low, high) = self.correlation, self.variance_range
            span = f"folds correlated by {least:g} to {most:g}"
            spreads.append((span, f"{_root(low):.4g} to {_root(high):.4g}"))
        lines = [
            f"Cross-validation of {self.n} examples in {self.n_folds} folds: mean {self.mean:.4g}",
            f"  {100 * self.confidence:g}% interval, corrected for overlap: [{self.low:.4g}, {self.high:.4g}]",
            "  standard error under each assumption",
            *(f"    {assumption:<42s}{spread}" for assumption, spread in spreads),
        ]
        warning = textwrap.fill(self.warning, 100, initial_indent="  ", subsequent_indent="  ")
        return "\n".join([*lines, warning])


def cv_variance_report(
    losses: ArrayLike,
    fold: ArrayLike,
    *,
    correlation: tuple[float, float] | None = None,
    confidence: float = 0.95,
) -> CVVarianceReport:
    r"""Report what the errors of one cross-validation say about the variance of their mean.

    Use it wherever a cross-validation score is printed: it sets the two naive standard errors beside a
    corrected one. None is the truth; the variance is :math:`E[V_2] + \gamma`, and the covariance
    :math:`\gamma` between folds cannot be had from the same run. If you are ready to assume a range for the
    correlation between fold means, pass it as ``correlation`` for the variances that it implies,
    :math:`V_2\,(1 + K\rho/(1-\rho))`. To learn the components, run it on many
    fresh samples, as the experiment of the paper does. It costs O(n).

    Parameters
    ----------
    losses : array-like of shape (n,)
        One error per example; for a paired comparison, differences of losses.
    fold : array-like of shape (n,)
        The fold that tested each example. Folds of unequal size get the weights of the unbalanced one-way
        layout, exact as long as all folds share the three moments.
    correlation : tuple of two floats or None, default=None
        Least and greatest correlation between the mean errors of two folds, in [-1/(K-1), 1).
    confidence : float, default=0.95
        Level of the interval.

    Returns
    -------
    CVVarianceReport
        Prints readably.

    References
    ----------
    .. [1] Bengio & Grandvalet, JMLR 5:1089-1105, 2004, Sections 3 to 6.
    .. [2] Nadeau & Bengio, Machine Learning 52:239-281, 2003 (the correction).

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from treatise.datasets import make_bengio_grandvalet
    >>> from treatise.theory import cross_val_losses, cv_variance_report
    >>> X, y = make_bengio_grandvalet(60, random_state=0)
    >>> losses, fold = cross_val_losses(LinearRegression(fit_intercept=False), X, y)
    >>> print(cv_variance_report(losses, fold, correlation=(0.0, 0.4)))
    Cross-validation of 60 examples in 10 folds: mean 1.718
      95% interval, corrected for overlap: [0.8403, 2.596]
      standard error under each assumption
        independent errors (V1, naive)            0.315
        independent folds (V2, naive)             0.2671
        folds correlated by 1/10 (corrected)      0.3881
        folds correlated by 0 to 0.4              0.2671 to 0.7395
      No estimate of this variance from one cross-validation is unbiased for every distribution. V1 and
      V2 ignore the covariance between folds; where it is positive, as it mostly is, both are too small.
    """
    errors, block, size = _as_blocks(losses, fold)
    n, K = len(errors), len(size)
    mean = float(errors.mean())
    block_mean = np.bincount(block, errors) / size
    within = float(((errors - block_mean[block]) ** 2).sum())
    between = float((size * (block_mean - mean) ** 2).sum())
    squares, sums = float((errors**2).sum()), np.bincount(block, errors)
    within_pairs = float((size * (size - 1)).sum())
    between_pairs = float(n * n - (size**2).sum())
    lambda1 = within / (n - K) if n > K else np.nan
    v2 = _between_fold_variance(lambda1, between / (K - 1), size)
    # Fold means that correlate by 1/K: K V2 (1/K + n_test/n_train), with n_test/n_train = 1/(K-1).
    corrected = _variance_at(v2, 1.0 / K, K)
    margin = t_quantile(confidence, K - 1) * _root(corrected)
    return CVVarianceReport(
        n=n, n_folds=K, mean=mean,
        s1=squares / n,
        s2=float((sums**2).sum() - squares) / within_pairs if within_pairs else np.nan,
        s3=float(sums.sum() ** 2 - (sums**2).sum()) / between_pairs,
        lambda1=lambda1, lambda2=n * v2,
        v1=(within + between) / (n * (n - 1)), v2=v2, corrected=corrected,
        low=mean - margin, high=mean + margin, confidence=confidence,
        correlation=correlation, variance_range=_variance_range(v2, correlation, K),
    )  # fmt: skip


def _between_fold_variance(mean_square_within: float, mean_square_between: float, size: np.ndarray) -> float:
    """The estimator V2, whose expectation is the variance of the mean less the covariance between folds.

    With unequal folds E MSB = lambda1 + m0 (omega - gamma) and theta - gamma = lambda1/n + sum w^2 (omega -
    gamma), where w are the folds' shares of the examples; with equal folds this is MSB / n.
    """
    n, K = size.sum(), len(size)
    if np.all(size == size[0]):
        return float(mean_square_between / n)
    shares = float(((size / n) ** 2).sum())
    m0 = n * (1.0 - shares) / (K - 1)
    return float(mean_square_within / n + (mean_square_between - mean_square_within) * shares / m0)


def _variance_at(v2: float, correlation: float, n_folds: int) -> float:
    """Variance of the mean when fold means correlate by this much; zero at -1/(K-1)."""
    return v2 * (1.0 + n_folds * correlation / (1.0 - correlation))


def _variance_range(v2: float, correlation: tuple[float, float] | None, n_folds: int) -> tuple[float, float] | None:
    if correlation is None:
        return None
    least, most = correlation
    if not -1.0 / (n_folds - 1) <= least <= most < 1.0:
        raise ValueError(
            f"correlation={correlation} is not feasible; with {n_folds} folds it must be an increasing pair "
            f"within [{-1.0 / (n_folds - 1):.3g}, 1)"
        )
    low, high = sorted((_variance_at(v2, least, n_folds), _variance_at(v2, most, n_folds)))
    return low, high


def _as_blocks(losses: ArrayLike, fold: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    errors, labels = np.asarray(losses, dtype=float), np.asarray(fold)
    if errors.ndim != 1 or labels.shape != errors.shape:
        raise ValueError(f"losses has shape {errors.shape} and fold {labels.shape}; both must be flat, of one length")
    broken = np.count_nonzero(~np.isfinite(errors))
    if broken:
        raise ValueError(f"losses holds {broken} values that are not finite; every example needs a finite loss")
    _, block, size = np.unique(labels, return_inverse=True, return_counts=True)
    if len(size) < 2:
        raise ValueError(f"fold names {len(size)} fold(s); a cross-validation has at least 2")
    return errors, block, size


def _root(variance: float) -> float:
    """Standard error; the unbalanced V2 may fall below zero by chance, and then is taken as zero."""
    return float(np.sqrt(max(variance, 0.0)))
