"""Probability product kernel of mixtures (Jebara, Kondor & Howard, JMLR 5:819, section 4.1)."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.mixture import GaussianMixture

from treatise.kernels.base import Prepared
from treatise.kernels.products.base import (
    GroupedModels,
    ProbabilityProductKernel,
    is_table,
    joined_models,
    observation_sets,
)
from treatise.kernels.products.gaussian import GaussianProductKernel, Gaussians

_SKLEARN_NAMES = {"full": "full", "diagonal": "diag", "spherical": "spherical"}


@dataclass(frozen=True)
class Mixture:
    """A mixture of models of one family.

    Parameters
    ----------
    weights : array of shape (n_components,)
        Probabilities of the components.
    components : collection of models
        What the kernel of the components takes: a table of rates, :class:`Gaussians`, :class:`Gammas`.
    """

    weights: np.ndarray
    components: Any

    def __post_init__(self):
        weights = np.asarray(self.weights, np.float64)
        if weights.ndim != 1 or (weights < 0).any() or not np.isclose(weights.sum(), 1):
            raise ValueError(f"the weights of a mixture are probabilities that sum to 1, got {self.weights}")
        if len(weights) != len(self.components):
            raise ValueError(f"{len(weights)} weights for {len(self.components)} components; give one for each")
        object.__setattr__(self, "weights", weights)


class MixtureProductKernel(ProbabilityProductKernel):
    """Kernel of mixtures: the components' kernels, summed over all pairs with weights ``(w w')**rho``.

    Use it for sets of vectors with several clumps. For ``rho=1`` this is the product kernel of the mixtures; for other
    powers it is the paper's variant with the power inside the sum over the hidden component, also a valid kernel, but
    one that changes when a component is split in two equal ones: normalise it. One pair costs all pairs of components.

    Parameters
    ----------
    components : ProbabilityProductKernel or None, default=None
        Kernel of the components, whose ``rho`` is used; None is ``GaussianProductKernel(rho=1.0)``.
    n_components : int, default=2
        Components fitted to each set of observations, by expectation-maximisation; Gaussian components only. Objects
        may also be fitted :class:`sklearn.mixture.GaussianMixture` or :class:`Mixture` of any family.
    random_state : int or RandomState, default=0
        Start of the fits.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernels import Mixture, MixtureProductKernel, PoissonProductKernel
    >>> kernel = MixtureProductKernel(PoissonProductKernel(rho=1.0))
    >>> quiet, busy = np.array([[1.0], [2.0]]), np.array([[2.0], [9.0]])
    >>> kernel([Mixture([0.5, 0.5], quiet), Mixture([0.5, 0.5], busy)]).round(4)
    array([[0.2347, 0.1083],
           [0.1083, 0.0811]])

    References
    ----------
    .. [1] Paper v05-0819, section 4.1.
    """

    def __init__(self, components=None, *, n_components=2, random_state=0):
        self.components = components
        self.n_components = n_components
        self.random_state = random_state

    def prepare(self, X):
        kernel = self._kernel()
        if not isinstance(kernel, ProbabilityProductKernel):
            raise ValueError(f"components={kernel!r} is no kernel of models; give one such as GaussianProductKernel()")
        kernel._check_rho()
        if is_table(X):
            raise ValueError("each row of a table is one observation; a mixture needs several: give a list of arrays")
        if not isinstance(self.n_components, Integral) or self.n_components < 1:
            raise ValueError(f"n_components={self.n_components!r} must be a positive integer")
        mixtures = [each if isinstance(each, Mixture | GaussianMixture) else None for each in X]
        unfitted = [each for each, ready in zip(X, mixtures) if ready is None]
        if unfitted:
            fitted = iter([self._fitted(each) for each in observation_sets(unfitted)])
            mixtures = [next(fitted) if ready is None else ready for ready in mixtures]
        mixtures = [_as_mixture(each) if isinstance(each, GaussianMixture) else each for each in mixtures]
        if not mixtures:
            raise ValueError("the list of objects is empty; give at least one")
        components = kernel.prepare(joined_models([each.components for each in mixtures]))
        sizes = np.array([len(each.weights) for each in mixtures])
        with np.errstate(divide="ignore"):
            log_weights = kernel.rho * np.log(np.concatenate([each.weights for each in mixtures]))
        return GroupedModels(Prepared(components, log_weights), sizes)

    def log_block(self, A, B):
        logs = self._kernel().log_block(A.models.objects, B.models.objects)
        logs += A.models.companions[0][:, np.newaxis]
        logs += B.models.companions[0]
        rows, columns = A.starts, B.starts
        highest = np.maximum.reduceat(np.maximum.reduceat(logs, rows, axis=0), columns, axis=1)
        finite = np.where(np.isfinite(highest), highest, 0.0)
        logs -= np.repeat(np.repeat(finite, A.sizes, axis=0), B.sizes, axis=1)
        sums = np.add.reduceat(np.add.reduceat(np.exp(logs), rows, axis=0), columns, axis=1)
        with np.errstate(divide="ignore"):
            return np.log(sums) + finite

    def _kernel(self):
        return GaussianProductKernel(rho=1.0) if self.components is None else self.components

    def _fitted(self, observations):
        kernel = self._kernel()
        if not isinstance(kernel, GaussianProductKernel) or kernel.covariance not in _SKLEARN_NAMES:
            raise ValueError(
                "only mixtures of Gaussians with a covariance of their own are fitted here; give Mixture objects for "
                f"components of {kernel!r}"
            )
        if len(observations) < self.n_components:
            raise ValueError(f"{len(observations)} observations cannot carry n_components={self.n_components}")
        return GaussianMixture(
            self.n_components,
            covariance_type=_SKLEARN_NAMES[kernel.covariance],
            reg_covar=max(kernel.ridge, 1e-6),
            random_state=self.random_state,
        ).fit(observations)


def _as_mixture(fitted):
    covariances = fitted.covariances_
    if fitted.covariance_type == "tied":
        covariances = np.broadcast_to(covariances, (fitted.n_components, *covariances.shape))
    return Mixture(fitted.weights_, Gaussians(fitted.means_, covariances))
