"""Bhattacharyya kernel of Gaussians in the feature space of a kernel (Kondor & Jebara, 2003; cited in JMLR 5:819)."""

from numbers import Real

import numpy as np

from treatise.kernels.base import Kernel, Prepared, count
from treatise.kernels.products.base import ProbabilityProductKernel, is_table
from treatise.kernels.products.gaussian import GaussianProductKernel, Gaussians
from treatise.kernels.vectors import Gaussian


class FeatureSpaceProductKernel(ProbabilityProductKernel):
    """Bhattacharyya kernel of sets, each a Gaussian among the images of its members under another kernel.

    The mean and the covariance of a set are taken in the kernel's feature space and never written down: both sets lie
    in the span of their members, and outside of it two covariances that are the ridge alone multiply the kernel by
    one. Use it for sets whose shape a Gaussian in the plain coordinates misses, such as the black pixels of a digit, or
    whose members are no vectors. One pair costs the third power of the number of members of both: for sets of up to a
    hundred; not for large sets, where :class:`MixtureProductKernel` is cheaper.

    Parameters
    ----------
    kernel : Kernel or None, default=None
        Kernel of the members; None is ``Gaussian()``.
    ridge : float, default=0.1
        Variance added to every direction of the feature space. It sets how finely sets are told apart: no pair
        resembles another as the ridge goes to zero.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernels import FeatureSpaceProductKernel
    >>> ring = np.array([[np.cos(t), np.sin(t)] for t in np.arange(6.0)])
    >>> cross = np.array([[1.4, 0.0], [-1.4, 0.0], [0.0, 1.4], [0.0, -1.4], [0.1, 0.0], [0.0, 0.1]])
    >>> gram = FeatureSpaceProductKernel()([ring, 1.02 * ring, cross])
    >>> bool(gram[0, 1] > 0.99 > gram[0, 2])
    True

    References
    ----------
    .. [1] Paper v05-0819, section 2.1, and R. Kondor and T. Jebara, A kernel between sets of vectors, ICML 2003.
    """

    rho = 0.5
    """Other powers leave the finite span: outside of it they multiply by no finite number."""

    def __init__(self, kernel=None, *, ridge=0.1):
        self.kernel = kernel
        self.ridge = ridge

    def prepare(self, X):
        kernel = self._kernel()
        if not isinstance(kernel, Kernel):
            raise ValueError(f"kernel={kernel!r} is no kernel object; give one such as Gaussian(0.5)")
        if not isinstance(self.ridge, Real) or not 0 < self.ridge < np.inf:
            raise ValueError(f"ridge={self.ridge!r} must be a positive number")
        if is_table(X):
            raise ValueError("each row of a table is one member, and a set holds several; give a list of sets")
        sets, grams = np.empty(len(X), object), np.empty(len(X), object)
        for number, members in enumerate(X):
            if count(members) == 0:
                raise ValueError(f"object {number} (counted from 0) is an empty set; leave such objects out")
            sets[number] = kernel.prepare(members)
            grams[number] = kernel.block(sets[number], sets[number])
        if len(sets) == 0:
            raise ValueError("the list of objects is empty; give at least one")
        return Prepared(sets, grams)

    def log_block(self, A, B):
        logs = np.empty((len(A), len(B)))
        for i in range(len(A)):
            # Sets with themselves: one triangle, then its mirror image.
            for j in range(i if A is B else 0, len(B)):
                logs[i, j] = self._log_product(A, i, B, j)
                if A is B:
                    logs[j, i] = logs[i, j]
        return logs

    def log_diagonal(self, A):
        return np.zeros(len(A))

    def _log_product(self, A, i, B, j):
        across = self._kernel().block(A.objects[i], B.objects[j])
        joint = np.block([[A.companions[0][i], across], [across.T, B.companions[0][j]]])
        values, vectors = np.linalg.eigh(joint)
        real = values > 1e-12 * max(values[-1], 1e-300)
        coordinates = vectors[:, real] * np.sqrt(values[real])
        models = [self._gaussian(part) for part in np.split(coordinates, [len(across)])]
        return GaussianProductKernel(rho=self.rho).log_block(*models)[0, 0]

    def _gaussian(self, members):
        centred = members - members.mean(axis=0)
        covariance = centred.T @ centred / len(members) + self.ridge * np.eye(members.shape[1])
        return Gaussians(members.mean(axis=0)[np.newaxis], covariance[np.newaxis])

    def _kernel(self):
        return Gaussian() if self.kernel is None else self.kernel
