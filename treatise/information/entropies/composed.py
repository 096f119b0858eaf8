"""Entropies built from other estimates."""

from typing import Any

import numpy as np
from scipy.linalg import qr
from sklearn.utils import check_random_state

from treatise.information._estimator import EntropyEstimator, registered
from treatise.information._parameters import COUNT, COUNT_OR_NONE, MEMBER, POSITIVE, SEED, member_of, order_of
from treatise.information.entropies.moments import GaussianShannonEntropy, _covariance


def real_and_imaginary(X, name="X"):
    """A complex table as a real one of twice the columns."""
    X = np.asarray(X)
    X = X.reshape(-1, 1) if X.ndim == 1 else X
    if not np.iscomplexobj(X):
        raise ValueError(f"{name} is real; the method 'complex' is for complex numbers, take its base for real ones")
    return np.hstack([X.real, X.imag])


@registered("complex", "complex entropy", cost="that of its member", columns="complex")
class ComplexEntropy(EntropyEstimator):
    """Entropy of complex rows: of their real and imaginary parts together."""

    member: Any = None
    _parameter_constraints = {"member": MEMBER}

    def estimate(self, X) -> float:
        """The estimate from complex rows of shape (n_samples, n_features)."""
        self._checked()
        return member_of("entropy", self.member, "shannon_knn").estimate(real_and_imaginary(X))

    def _estimate(self, X):
        raise NotImplementedError


@registered("ensemble", "an entropy", cost="that of its member")
class EnsembleEntropy(EntropyEstimator):
    """Mean of an estimate over groups of rows drawn at random: cheaper than one estimate of all for slow bases."""

    member: Any = None
    n_groups: int = 5
    random_state: Any = None
    _parameter_constraints = {"member": MEMBER, "n_groups": COUNT, "random_state": SEED}

    def _estimate(self, X):
        order = check_random_state(self.random_state).permutation(len(X))
        base = member_of("entropy", self.member, "shannon_knn")
        return np.mean([base.estimate(X[rows]) for rows in np.array_split(order, self.n_groups)])


@registered("projections", "an entropy of random projections", cost="that of its member")
class ProjectedEntropy(EntropyEstimator):
    """Mean of an estimate over orthogonal projections drawn at random, to ``n_components`` columns.

    Not the entropy of X, but a cheap stand-in for comparing rotations of one table.
    """

    member: Any = None
    n_components: int | None = None
    n_projections: int = 10
    random_state: Any = None
    _parameter_constraints = {
        "member": MEMBER, "n_components": COUNT_OR_NONE, "n_projections": COUNT, "random_state": SEED,
    }  # fmt: skip

    def _estimate(self, X):
        rng, base = check_random_state(self.random_state), member_of("entropy", self.member, "shannon_knn")
        kept = min(2, X.shape[1]) if self.n_components is None else self.n_components
        if kept > X.shape[1]:
            raise ValueError(f"n_components={kept} exceeds the {X.shape[1]} columns of X; choose at most as many")
        projections = (qr(rng.normal(size=(X.shape[1], kept)), mode="economic")[0] for _ in range(self.n_projections))
        return np.mean([base.estimate(X @ projection) for projection in projections])


@registered("shannon_from_gaussian", "Shannon entropy", unit="nats")
class ShannonFromGaussian(EntropyEstimator):
    """Entropy of the Gaussian law with the moments of X, less the divergence of X from a sample of that law."""

    member: Any = None
    random_state: Any = None
    _parameter_constraints = {"member": MEMBER, "random_state": SEED}

    def _estimate(self, X):
        rng, base = check_random_state(self.random_state), member_of("divergence", self.member, "kl_knn")
        root = np.linalg.cholesky(_covariance(X))
        sample = X.mean(axis=0) + rng.normal(size=X.shape) @ root.T
        return GaussianShannonEntropy()._estimate(X) - base.estimate(X, sample)


@registered("shannon_from_uniform", "Shannon entropy", unit="nats")
class ShannonFromUniform(EntropyEstimator):
    """Logarithm of the volume of the bounding box, less the divergence of X from a uniform sample of the box."""

    member: Any = None
    random_state: Any = None
    _parameter_constraints = {"member": MEMBER, "random_state": SEED}

    def _estimate(self, X):
        rng, base = check_random_state(self.random_state), member_of("divergence", self.member, "kl_knn")
        low, widths = X.min(axis=0), np.ptp(X, axis=0)
        return np.log(widths).sum() - base.estimate((X - low) / widths, rng.random(X.shape))


@registered("tsallis_from_renyi", "Tsallis entropy", cost="that of its member")
class TsallisFromRenyi(EntropyEstimator):
    """Tsallis' entropy from Renyi's of the same order: ``expm1((1 - alpha) H) / (1 - alpha)``.

    ``member`` is an estimator of Renyi's entropy; its order is set to alpha.
    """

    alpha: float = 0.99
    member: Any = None
    _parameter_constraints = {"alpha": POSITIVE, "member": MEMBER}

    def _estimate(self, X):
        alpha = order_of(self.alpha)
        base = of_order(member_of("entropy", self.member, "renyi_knn"), alpha)
        return np.expm1((1.0 - alpha) * base.estimate(X)) / (1.0 - alpha)


def of_order(estimator, alpha):
    """A copy of an estimator of the given order."""
    if "alpha" not in estimator.get_params(deep=False):
        raise ValueError(
            f"{type(estimator).__name__} has no order alpha; an estimator of Renyi or Tsallis type is needed"
        )
    return type(estimator)(**{**estimator.get_params(deep=False), "alpha": alpha})
