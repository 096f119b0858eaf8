"""Divergences from means of a kernel, or of distances, over pairs of rows."""

from math import isqrt
from typing import Any

import numpy as np

from treatise.information._estimator import DivergenceEstimator, registered
from treatise.information._mean_kernel import distance_sums, kernel_sums
from treatise.information._parameters import KERNEL, POSITIVE, TOLERANCE, kernel_or_gaussian
from treatise.information.divergences.neighbours import root

_KERNEL = {"kernel": KERNEL, "tolerance": TOLERANCE}


class _KernelDivergence(DivergenceEstimator):
    """A divergence of means of a kernel, the Gaussian one of the median distance of the pooled rows by default.

    ``tolerance`` above zero takes an incomplete Cholesky factor with so small a share of the trace left: O(n r^2).
    """

    _refuses_constants = False
    kernel: Any = None
    tolerance: float = 0.0

    def _sums(self, X, Y):
        return kernel_sums(kernel_or_gaussian(self.kernel, np.vstack([X, Y])), X, Y, self.tolerance)


@registered("mmd", "maximum mean discrepancy", cost="n^2, or n r^2 with a tolerance")
class MaximumMeanDiscrepancy(_KernelDivergence):
    """Distance of the mean embeddings of two samples in a kernel's space (MMD).

    ``unbiased=True`` leaves out pairs of a row with itself, and the square may be negative, then the distance is zero;
    ``squared=True`` keeps the sign. Use it to compare samples in any dimension; :func:`two_sample_test` judges it.
    """

    kernel: Any = None
    unbiased: bool = False
    squared: bool = False
    tolerance: float = 0.0
    _parameter_constraints = {**_KERNEL, "unbiased": ["boolean"], "squared": ["boolean"]}

    def _estimate(self, X, Y):
        sums = self._sums(X, Y)
        xx, yy, xy = sums.without_diagonal if self.unbiased else sums.with_diagonal
        return root(xx + yy - 2.0 * xy, self.squared)


@registered("mmd_linear", "maximum mean discrepancy", cost="n")
class LinearTimeMMD(_KernelDivergence):
    """Squared MMD from pairs of consecutive rows of two samples: one pass, any length, but a larger variance."""

    kernel: Any = None
    _parameter_constraints = {"kernel": KERNEL}

    def _estimate(self, X, Y):
        n = min(len(X), len(Y)) // 2 * 2
        kernel = kernel_or_gaussian(self.kernel, np.vstack([X[:n], Y[:n]]))
        first, second, third, fourth = (
            kernel.prepare(np.ascontiguousarray(rows)) for rows in (X[0:n:2], X[1:n:2], Y[0:n:2], Y[1:n:2])
        )
        return np.mean(
            _paired(kernel, first, second)
            + _paired(kernel, third, fourth)
            - _paired(kernel, first, fourth)
            - _paired(kernel, second, third)
        )


def _paired(kernel, A, B, width=256):
    """k(a_i, b_i), from the diagonals of small blocks."""
    return np.concatenate(
        [np.diagonal(kernel.block(A[i : i + width], B[i : i + width])) for i in range(0, len(A), width)]
    )


@registered("mmd_blocks", "maximum mean discrepancy", cost="n^1.5")
class BlockMMD(_KernelDivergence):
    """Squared unbiased MMD averaged over blocks of about sqrt(n) rows (the B-test's statistic)."""

    kernel: Any = None
    _parameter_constraints = {"kernel": KERNEL}

    def _estimate(self, X, Y):
        n = min(len(X), len(Y))
        kernel = kernel_or_gaussian(self.kernel, np.vstack([X[:n], Y[:n]]))
        base = MaximumMeanDiscrepancy(kernel, unbiased=True, squared=True)
        blocks = np.array_split(np.arange(n), max(1, n // max(2, isqrt(n))))
        return np.mean([base._estimate(X[rows], Y[rows]) for rows in blocks])


@registered("cauchy_schwarz", "Cauchy-Schwarz divergence", cost="n^2, or n r^2 with a tolerance", unit="nats")
class CauchySchwarzDivergence(_KernelDivergence):
    """``log(mean k(x, x') mean k(y, y') / (mean k(x, y))^2)``: minus twice the log cosine of two kernel densities."""

    kernel: Any = None
    tolerance: float = 0.0
    _parameter_constraints = _KERNEL

    def _estimate(self, X, Y):
        xx, yy, xy = self._sums(X, Y).with_diagonal
        if not xy > 0:
            raise ValueError("the two samples do not overlap within the width of the kernel; take a wider one")
        return np.log(xx) + np.log(yy) - 2.0 * np.log(xy)


@registered("euclidean", "Euclidean distance based divergence", cost="n^2, or n r^2 with a tolerance")
class EuclideanDivergence(_KernelDivergence):
    """Integral of the squared difference of two kernel densities, up to the kernel's constant.

    The squared MMD with pairs of a row with itself; the two names come from two fields.
    """

    kernel: Any = None
    tolerance: float = 0.0
    _parameter_constraints = _KERNEL

    def _estimate(self, X, Y):
        xx, yy, xy = self._sums(X, Y).with_diagonal
        return xx + yy - 2.0 * xy


@registered("energy", "energy distance", cost="n^2, n log n for one column")
class EnergyDistance(DivergenceEstimator):
    """``2 E|X - Y| - E|X - X'| - E|Y - Y'|``, with distances to the power alpha in (0, 2).

    Zero for equal laws alone, and without a width to choose. Costs O(n log n) for one column.
    """

    alpha: float = 1.0
    _refuses_constants = False
    _parameter_constraints = {"alpha": POSITIVE}

    def _estimate(self, X, Y):
        if not self.alpha < 2:
            raise ValueError(f"alpha={self.alpha:g} must be below 2; at 2 the distance sees the means alone")
        xx, yy, xy = distance_sums(X, Y, self.alpha).with_diagonal
        return 2.0 * xy - xx - yy
