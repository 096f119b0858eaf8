"""Correntropy of two columns: similarity within a kernel's width, robust to outliers."""

from typing import Any

import numpy as np

from treatise.information._estimator import AssociationEstimator, registered
from treatise.information._mean_kernel import kernel_sums
from treatise.information._parameters import KERNEL, TOLERANCE, kernel_or_gaussian
from treatise.information.divergences.kernels import _paired

_KERNEL = {"kernel": KERNEL, "tolerance": TOLERANCE}


class _Correntropy(AssociationEstimator):
    """Means of a kernel of the values of two columns; Gaussian, of their median distance, unless one is given.

    ``tolerance`` is the share of the trace that the factor of the kernel may leave; zero takes all pairs.
    """

    _most_columns = 2
    kernel: Any = None
    tolerance: float = 1e-8

    def _means(self, X):
        """Mean of k(x_i, y_i) and the centred means of x with itself, y with itself and x with y."""
        x, y = np.ascontiguousarray(X[:, :1]), np.ascontiguousarray(X[:, 1:])
        kernel = kernel_or_gaussian(self.kernel, np.vstack([x, y]))
        A, B = kernel.prepare(x), kernel.prepare(y)
        own, other = float(np.mean(kernel.diagonal(A))), float(np.mean(kernel.diagonal(B)))
        paired = float(np.mean(_paired(kernel, A, B)))
        xx, yy, xy = kernel_sums(kernel, x, y, self.tolerance).with_diagonal
        return paired, own, own - xx, other - yy, paired - xy


@registered("correntropy", "correntropy", columns="two", cost="n")
class Correntropy(_Correntropy):
    """Correntropy ``mean k(x_i, y_i)``: how often two columns agree within the width of the kernel."""

    kernel: Any = None
    _parameter_constraints = {"kernel": KERNEL}

    def _estimate(self, X):
        return self._means(X)[0]


@registered("centred_correntropy", "centred correntropy", columns="two", cost="n r^2")
class CentredCorrentropy(_Correntropy):
    """Correntropy less its value for independent columns: zero if they are, whatever the kernel."""

    kernel: Any = None
    tolerance: float = 1e-8
    _parameter_constraints = _KERNEL

    def _estimate(self, X):
        return self._means(X)[4]


@registered("correntropy_coefficient", "correntropy coefficient", columns="two", cost="n r^2")
class CorrentropyCoefficient(_Correntropy):
    """Centred correntropy over the root of those of each column with itself: between -1 and 1."""

    kernel: Any = None
    tolerance: float = 1e-8
    _parameter_constraints = _KERNEL

    def _estimate(self, X):
        _, _, own, other, both = self._means(X)
        return both / np.sqrt(own * other)


@registered("correntropy_metric", "correntropy induced metric", columns="two", cost="n")
class CorrentropyMetric(_Correntropy):
    """Distance of two columns as vectors, in which large errors count no more than the kernel is high (CIM)."""

    kernel: Any = None
    _parameter_constraints = {"kernel": KERNEL}

    def _estimate(self, X):
        paired, peak, *_ = self._means(X)
        return np.sqrt(max(peak - paired, 0.0))


@registered("centred_correntropy_metric", "centred correntropy induced metric", columns="two", cost="n r^2")
class CentredCorrentropyMetric(_Correntropy):
    """Distance that follows from the centred correntropy as a product of columns."""

    kernel: Any = None
    tolerance: float = 1e-8
    _parameter_constraints = _KERNEL

    def _estimate(self, X):
        _, _, own, other, both = self._means(X)
        return np.sqrt(max(own + other - 2.0 * both, 0.0))
