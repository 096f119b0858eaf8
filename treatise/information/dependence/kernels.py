"""Dependence seen by kernels: HSIC, kernel canonical correlation and generalised variance, quadratic information."""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from treatise.information._estimator import DependenceEstimator, registered
from treatise.information._parameters import KERNEL, POSITIVE, TOLERANCE, kernel_or_gaussian
from treatise.kernels import KernelFactor
from treatise.kernels.base import count

_BLOCK = 1 << 21
_LEAST_RANK = 64
_RANK_SHARE = 16


class GramMoments(NamedTuple):
    """Means over all pairs of rows of two kernels: of the product, of each, and of the products of row means."""

    joint: float
    x: float
    y: float
    crossed: float

    @property
    def covariance(self) -> float:
        """HSIC: the squared length of the covariance operator of the two kernels."""
        return self.joint - 2.0 * self.crossed + self.x * self.y


def gram_moments(K, A, L, B) -> GramMoments:
    """Moments of two Gram matrices of prepared objects, in blocks of rows."""
    n = count(A)
    joint, of_x, of_y = 0.0, np.empty(n), np.empty(n)
    width = max(1, _BLOCK // n)
    for start in range(0, n, width):
        left, right = K.block(A[start : start + width], A), L.block(B[start : start + width], B)
        joint += float(np.vdot(left, right))
        of_x[start : start + width], of_y[start : start + width] = left.sum(axis=1), right.sum(axis=1)
    return GramMoments(joint / n**2, of_x.sum() / n**2, of_y.sum() / n**2, float(of_x @ of_y) / n**3)


def centred_features(kernel, X, tolerance, *, max_rank=None):
    """Centred features of the rows whose products are the centred Gram matrix, or None if there are too many."""
    objects = kernel.prepare(X)
    factor = KernelFactor.on_demand(kernel, objects, tolerance=tolerance, max_rank=max_rank)
    whole = float(kernel.diagonal(objects).sum())
    if max_rank is not None and whole - np.sum(factor.features**2) > max(tolerance, 1e-12) * whole:
        return None
    return factor.features - factor.features.mean(axis=0)


def worthwhile_rank(n):
    """Rank above which blocks of the whole matrix are faster than a factor."""
    return max(_LEAST_RANK, n // _RANK_SHARE)


class _KernelDependence(DependenceEstimator):
    """Kernels are Gaussian with the median distance of each group's rows unless one is given for all."""

    _refuses_constants = False
    kernel: Any = None
    tolerance: float = 1e-6

    def _kernels(self, parts):
        return [kernel_or_gaussian(self.kernel, part) for part in parts]

    def _features(self, parts):
        return [centred_features(kernel, part, self.tolerance) for kernel, part in zip(self._kernels(parts), parts)]


@registered("hsic", "Hilbert-Schmidt independence criterion", cost="n r^2, at most n^2")
class HSIC(_KernelDependence):
    """Hilbert-Schmidt independence criterion: squared length of the covariance of two groups in kernels' spaces.

    Zero in the limit for independent groups alone, if the kernel is characteristic as the Gaussian is. Of more than two
    groups, the sum over all pairs. From incomplete Cholesky factors that leave a share ``tolerance`` of the trace;
    where they would be wide, from blocks of the whole matrices.
    """

    kernel: Any = None
    tolerance: float = 1e-6
    _parameter_constraints = {"kernel": KERNEL, "tolerance": TOLERANCE}

    def _estimate(self, parts):
        n, kernels = len(parts[0]), self._kernels(parts)
        features = [
            centred_features(kernel, part, self.tolerance, max_rank=worthwhile_rank(n))
            for kernel, part in zip(kernels, parts)
        ]
        total = 0.0
        for j in range(len(parts)):
            for i in range(j):
                total += _pair_hsic(kernels, parts, features, i, j)
        return total


def _pair_hsic(kernels, parts, features, i, j):
    if features[i] is not None and features[j] is not None:
        return float(np.sum((features[i].T @ features[j]) ** 2)) / len(parts[i]) ** 2
    A, B = kernels[i].prepare(parts[i]), kernels[j].prepare(parts[j])
    return gram_moments(kernels[i], A, kernels[j], B).covariance


def _regularised_correlations(features, kappa):
    """The matrix R of the correlations of all groups' kernel components, shrunk by kappa; identity on its diagonal."""
    parts = []
    for F in features:
        U, s, _ = np.linalg.svd(F, full_matrices=False)
        U, s = U[:, s > 1e-10 * max(s[0], 1e-300)], s[s > 1e-10 * max(s[0], 1e-300)]
        parts.append(U * (s**2 / (s**2 + len(F) * kappa)))
    whole = np.hstack(parts)
    R = whole.T @ whole
    starts = np.cumsum([0, *(part.shape[1] for part in parts)])
    for a, b in pairwise(starts):
        R[a:b, a:b] = np.eye(b - a)
    return R


_SHRUNK = {"kernel": KERNEL, "tolerance": TOLERANCE, "kappa": POSITIVE}


@registered("kcca", "kernel canonical correlation analysis", cost="n r^2", unit="nats")
class KernelCanonicalCorrelation(_KernelDependence):
    """``-log(least eigenvalue) / 2`` of the kernel correlations: how well functions of the groups can be aligned.

    ``kappa`` shrinks directions of little variance; the larger, the smoother the functions.
    """

    kernel: Any = None
    kappa: float = 1e-2
    tolerance: float = 1e-6
    _parameter_constraints = _SHRUNK

    def _estimate(self, parts):
        R = _regularised_correlations(self._features(parts), self.kappa)
        return -0.5 * np.log(np.linalg.eigvalsh(R)[0])


@registered("kgv", "kernel generalised variance", cost="n r^2", unit="nats")
class KernelGeneralisedVariance(_KernelDependence):
    """``-log det / 2`` of the kernel correlations: the mutual information of Gaussian variables in kernels' spaces."""

    kernel: Any = None
    kappa: float = 1e-2
    tolerance: float = 1e-6
    _parameter_constraints = _SHRUNK

    def _estimate(self, parts):
        return -0.5 * np.linalg.slogdet(_regularised_correlations(self._features(parts), self.kappa))[1]


class _QuadraticInformation(_KernelDependence):
    _most_parts = 2

    def _moments(self, parts):
        K, L = self._kernels(parts)
        return gram_moments(K, K.prepare(parts[0]), L, L.prepare(parts[1]))


@registered("qmi_cauchy_schwarz", "Cauchy-Schwarz quadratic mutual information", cost="n^2", unit="nats")
class CauchySchwarzInformation(_QuadraticInformation):
    """Cauchy-Schwarz divergence of the joint kernel density from the product of the two."""

    kernel: Any = None
    _parameter_constraints = {"kernel": KERNEL}

    def _estimate(self, parts):
        moments = self._moments(parts)
        return np.log(moments.joint) + np.log(moments.x * moments.y) - 2.0 * np.log(moments.crossed)


@registered("qmi_euclidean", "Euclidean distance based quadratic mutual information", cost="n^2")
class EuclideanInformation(_QuadraticInformation):
    """Squared L2 distance of the joint kernel density from the product of the two, up to the kernels' constants.

    The same number as HSIC of two groups with the same kernels, from whole matrices.
    """

    kernel: Any = None
    _parameter_constraints = {"kernel": KERNEL}

    def _estimate(self, parts):
        return self._moments(parts).covariance
