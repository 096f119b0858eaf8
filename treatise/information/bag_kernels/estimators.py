"""Kernels between the distributions of two samples."""

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from treatise.information._estimator import DistributionKernelEstimator, registered
from treatise.information._mean_kernel import kernel_sums
from treatise.information._mixture import mixture_rows
from treatise.information._parameters import (
    KERNEL,
    MEMBER,
    NEIGHBOURS,
    POSITIVE,
    SEED,
    TOLERANCE,
    kernel_or_gaussian,
    member_of,
    order_of,
)
from treatise.information._radii import OwnRadii, PairRadii
from treatise.information.divergences.neighbours import log_ratio
from treatise.information.entropies.composed import of_order


class _SampleKernel(DistributionKernelEstimator):
    """A kernel of samples, with its value of a sample with itself."""

    def self_value(self, X):
        """The kernel of a sample's distribution with itself; not of the rows with copies of themselves."""
        self._checked()
        return float(self._own(self._prepare(X)))

    @abstractmethod
    def _own(self, X): ...


@registered("expected", "expected kernel", cost="n^2, or n r^2 with a tolerance")
class ExpectedKernel(_SampleKernel):
    """Mean of a kernel of rows over all pairs from the two samples: the product of their mean embeddings.

    Positive semi-definite over any samples if the kernel is one and the same for all pairs of them.
    """

    kernel: Any = None
    tolerance: float = 0.0
    _refuses_constants = False
    _parameter_constraints = {"kernel": KERNEL, "tolerance": TOLERANCE}

    def _estimate(self, X, Y):
        return kernel_sums(kernel_or_gaussian(self.kernel, np.vstack([X, Y])), X, Y, self.tolerance).with_diagonal[2]

    def _own(self, X):
        return self._estimate(X, X)


@registered("bhattacharyya_knn", "Bhattacharyya kernel")
class KnnBhattacharyyaKernel(_SampleKernel):
    """Bhattacharyya's coefficient ``integral of sqrt(p q)``, one for equal laws."""

    k: int = 3
    _parameter_constraints = {"k": NEIGHBOURS}

    def _estimate(self, X, Y):
        return np.exp(log_ratio(PairRadii(X, Y, self.k), -0.5, 0.5))

    def _own(self, X):
        return 1.0


@registered("probability_product_knn", "probability product kernel")
class KnnProbabilityProduct(_SampleKernel):
    """The integral of ``p^rho q^rho``; Bhattacharyya's at one half, the product of densities at one."""

    rho: float = 0.5
    k: int = 3
    _parameter_constraints = {"k": NEIGHBOURS, "rho": POSITIVE}

    def _estimate(self, X, Y):
        return np.exp(log_ratio(PairRadii(X, Y, self.k), self.rho - 1.0, self.rho))

    def _own(self, X):
        return np.exp(OwnRadii(X, self.k).log_power_integral(2.0 * self.rho)) if self.rho != 0.5 else 1.0


@registered("jensen_shannon", "Jensen-Shannon kernel", cost="that of its member")
class JensenShannonKernel(_SampleKernel):
    """``log 2`` less the Jensen-Shannon divergence."""

    member: Any = None
    _parameter_constraints = {"member": MEMBER}

    def _estimate(self, X, Y):
        return np.log(2.0) - member_of("divergence", self.member, "jensen_shannon").estimate(X, Y)

    def _own(self, X):
        return np.log(2.0)


class _ExponentialKernel(_SampleKernel):
    _default = ""
    u: float = 1.0
    member: Any = None

    def _divergence(self):
        return member_of("divergence", self.member, self._default)

    def _estimate(self, X, Y):
        return np.exp(-self.u * self._divergence().estimate(X, Y))

    def _own(self, X):
        return 1.0


@registered("exponentiated_jensen_shannon", "exponentiated Jensen-Shannon kernel", cost="that of its member")
class ExponentiatedJensenShannon(_ExponentialKernel):
    """``exp(-u D)`` of the Jensen-Shannon divergence D."""

    u: float = 1.0
    member: Any = None
    _default = "jensen_shannon"
    _parameter_constraints = {"u": POSITIVE, "member": MEMBER}


class _OrderedExponential(_ExponentialKernel):
    alpha: float = 0.99

    def _divergence(self):
        return of_order(super()._divergence(), order_of(self.alpha))


@registered("exponentiated_jensen_renyi", "exponentiated Jensen-Renyi kernel", cost="that of its member")
class ExponentiatedJensenRenyi(_OrderedExponential):
    """``exp(-u D)`` of the Jensen-Renyi divergence D."""

    alpha: float = 0.99
    u: float = 1.0
    member: Any = None
    _default = "jensen_renyi"
    _parameter_constraints = {"alpha": POSITIVE, "u": POSITIVE, "member": MEMBER}


@registered("exponentiated_jensen_tsallis", "exponentiated Jensen-Tsallis kernel", cost="that of its member")
class ExponentiatedJensenTsallis(_OrderedExponential):
    """``exp(-u D)`` of the Jensen-Tsallis divergence D."""

    alpha: float = 0.99
    u: float = 1.0
    member: Any = None
    _default = "jensen_tsallis"
    _parameter_constraints = {"alpha": POSITIVE, "u": POSITIVE, "member": MEMBER}


@registered("jensen_tsallis", "Jensen-Tsallis kernel", cost="that of its member")
class JensenTsallisKernel(_SampleKernel):
    """``log_alpha(2)`` less the Jensen-Tsallis q-difference, whose parts are weighted by ``2^-alpha``."""

    alpha: float = 0.99
    member: Any = None
    random_state: Any = None
    _parameter_constraints = {"alpha": POSITIVE, "member": MEMBER, "random_state": SEED}

    def _estimate(self, X, Y):
        alpha, entropy = order_of(self.alpha), self._entropy()
        mixed = entropy.estimate(mixture_rows(X, Y, 0.5, check_random_state(self.random_state)))
        return _log_two(alpha) - mixed + 2.0**-alpha * (entropy.estimate(X) + entropy.estimate(Y))

    def _own(self, X):
        alpha = order_of(self.alpha)
        return _log_two(alpha) - (1.0 - 2.0 ** (1.0 - alpha)) * self._entropy().estimate(X)

    def _entropy(self):
        return of_order(member_of("entropy", self.member, "tsallis_knn"), self.alpha)


def _log_two(alpha):
    return np.expm1((1.0 - alpha) * np.log(2.0)) / (1.0 - alpha)


class _MixtureKernel(_SampleKernel):
    _default = ""
    alpha: float = 0.99
    u: float = 1.0
    member: Any = None
    random_state: Any = None

    def _entropy(self):
        return of_order(member_of("entropy", self.member, self._default), order_of(self.alpha))

    def _estimate(self, X, Y):
        mixed = mixture_rows(X, Y, 0.5, check_random_state(self.random_state))
        return np.exp(-self.u * self._entropy().estimate(mixed))

    def _own(self, X):
        return np.exp(-self.u * self._entropy().estimate(X))


@registered("mixture_renyi", "exponentiated Jensen-Renyi kernel", cost="that of its member")
class MixtureRenyiKernel(_MixtureKernel):
    """``exp(-u H)`` of the Renyi entropy H of the mixture of the two laws."""

    alpha: float = 0.99
    u: float = 1.0
    member: Any = None
    random_state: Any = None
    _default = "renyi_knn"
    _parameter_constraints = {"alpha": POSITIVE, "u": POSITIVE, "member": MEMBER, "random_state": SEED}


@registered("mixture_tsallis", "exponentiated Jensen-Tsallis kernel", cost="that of its member")
class MixtureTsallisKernel(_MixtureKernel):
    """``exp(-u H)`` of the Tsallis entropy H of the mixture of the two laws."""

    alpha: float = 0.99
    u: float = 1.0
    member: Any = None
    random_state: Any = None
    _default = "tsallis_knn"
    _parameter_constraints = {"alpha": POSITIVE, "u": POSITIVE, "member": MEMBER, "random_state": SEED}
