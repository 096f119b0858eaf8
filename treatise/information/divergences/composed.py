"""Divergences built from other estimates."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from treatise.information._estimator import DivergenceEstimator, registered
from treatise.information._mixture import mixture_rows
from treatise.information._parameters import MEMBER, POSITIVE, SEED, SHARE, member_of
from treatise.information.divergences.kernels import MaximumMeanDiscrepancy
from treatise.information.entropies.composed import of_order
from treatise.kernels import Distance

_MIXED = {"member": MEMBER, "weight": SHARE, "random_state": SEED}
_SPLIT = {"member": MEMBER, "random_state": SEED}


class _JensenDivergence(DivergenceEstimator):
    """Entropy of a mixture less the mean entropy of its parts.

    ``weight`` is the share of X in the mixture. Samples of other sizes than these shares are thinned at random.
    """

    _default = "shannon_knn"
    weight: float = 0.5
    member: Any = None
    random_state: Any = None

    def _entropy(self):
        return member_of("entropy", self.member, self._default)

    def _estimate(self, X, Y):
        entropy, w = self._entropy(), self.weight
        mixed = mixture_rows(X, Y, w, check_random_state(self.random_state))
        return entropy.estimate(mixed) - w * entropy.estimate(X) - (1.0 - w) * entropy.estimate(Y)


@registered("jensen_shannon", "Jensen-Shannon divergence", unit="nats")
class JensenShannonDivergence(_JensenDivergence):
    """Shannon entropy of the mixture less the mean of the two: between 0 and log 2 for equal weights."""

    weight: float = 0.5
    member: Any = None
    random_state: Any = None
    _parameter_constraints = _MIXED


@registered("jensen_renyi", "Jensen-Renyi divergence", unit="nats")
class JensenRenyiDivergence(_JensenDivergence):
    """Renyi entropy of the mixture less the mean of the two."""

    alpha: float = 0.99
    weight: float = 0.5
    member: Any = None
    random_state: Any = None
    _default = "renyi_knn"
    _parameter_constraints = {**_MIXED, "alpha": POSITIVE}

    def _entropy(self):
        return of_order(super()._entropy(), self.alpha)


@registered("jensen_tsallis", "Jensen-Tsallis divergence")
class JensenTsallisDivergence(_JensenDivergence):
    """Tsallis entropy of the mixture less the mean of the two."""

    alpha: float = 0.99
    weight: float = 0.5
    member: Any = None
    random_state: Any = None
    _default = "tsallis_knn"
    _parameter_constraints = {**_MIXED, "alpha": POSITIVE}

    def _entropy(self):
        return of_order(super()._entropy(), self.alpha)


@registered("j_distance", "J-distance", unit="nats")
class JDistance(DivergenceEstimator):
    """Kullback and Leibler's divergence in both directions: ``D(p, q) + D(q, p)``.

    It falls short where one law is wider than the other, as :class:`KnnKLDivergence` does from the wider to the
    narrower: of normal laws in three columns, one 1.3 times as wide and 0.3 away, 4000 rows miss about a quarter of it
    and 32 000 a tenth. ``member="kl_gaussian"`` has no such want where the laws are nearly normal.
    """

    member: Any = None
    _parameter_constraints = {"member": MEMBER}

    def _estimate(self, X, Y):
        base = member_of("divergence", self.member, "kl_knn")
        return base.estimate(X, Y) + base.estimate(Y, X)


def _to_the_middle(X, Y, base, rng):
    """D(p, (p + q) / 2): half of X stands for p, the other half and as much of Y for the mixture."""
    order = rng.permutation(len(X))
    half = len(X) // 2
    if half < 2:
        raise ValueError(f"{len(X)} rows cannot be halved; at least 4 are needed")
    return base.estimate(X[order[:half]], mixture_rows(X[order[half:]], Y, 0.5, rng))


@registered("k_divergence", "K divergence", unit="nats")
class KDivergence(DivergenceEstimator):
    """Lin's K divergence ``D(p, (p + q) / 2)``, from halves of X drawn at random: between 0 and log 2."""

    member: Any = None
    random_state: Any = None
    _parameter_constraints = _SPLIT

    def _estimate(self, X, Y):
        base = member_of("divergence", self.member, "kl_knn")
        return _to_the_middle(X, Y, base, check_random_state(self.random_state))


@registered("l_divergence", "L divergence", unit="nats")
class LDivergence(DivergenceEstimator):
    """Lin's L divergence: the K divergence in both directions, twice that of Jensen and Shannon."""

    member: Any = None
    random_state: Any = None
    _parameter_constraints = _SPLIT

    def _estimate(self, X, Y):
        base, rng = member_of("divergence", self.member, "kl_knn"), check_random_state(self.random_state)
        return _to_the_middle(X, Y, base, rng) + _to_the_middle(Y, X, base, rng)


@registered("f_divergence", "f-divergence", cost="that of its member")
class FDivergence(DivergenceEstimator):
    """``E_q f(p / q)`` to second order, for close laws: half of f''(1) times Pearson's divergence.

    ``f`` is a function of arrays with f(1) = 0; its curvature at one is taken numerically, by default that of
    ``t log t``, which is one.
    """

    f: Callable | None = None
    member: Any = None
    _parameter_constraints = {"f": [callable, None], "member": MEMBER}

    def _estimate(self, X, Y):
        curvature = 1.0 if self.f is None else _curvature_at_one(self.f)
        return 0.5 * curvature * member_of("divergence", self.member, "chi_square_knn").estimate(X, Y)


def _curvature_at_one(f, step=1e-3):
    low, middle, high = (float(f(np.array(t))) for t in (1.0 - step, 1.0, 1.0 + step))
    if not np.isfinite([low, middle, high]).all():
        raise ValueError("f is not finite near one; an f-divergence needs a smooth convex f there")
    return (low - 2.0 * middle + high) / step**2


@registered("energy_from_mmd", "energy distance", cost="n^2")
class EnergyFromMMD(DivergenceEstimator):
    """Twice the squared MMD: the energy distance, if the kernel is ``(|x| + |y| - |x - y|) / 2``, the default."""

    member: Any = None
    _refuses_constants = False
    _parameter_constraints = {"member": MEMBER}

    def _estimate(self, X, Y):
        base = self.member or MaximumMeanDiscrepancy(Distance(), squared=True)
        return 2.0 * member_of("divergence", base, "").estimate(X, Y)


@registered("kl_from_entropies", "Kullback-Leibler divergence", unit="nats")
class KLFromEntropies(DivergenceEstimator):
    """Cross-entropy of X and Y less the entropy of X."""

    member: Any = None
    cross: Any = None
    _parameter_constraints = {"member": MEMBER, "cross": MEMBER}

    def _estimate(self, X, Y):
        entropy = member_of("entropy", self.member, "shannon_knn")
        return member_of("cross_entropy", self.cross, "shannon_knn").estimate(X, Y) - entropy.estimate(X)


@registered("symmetric_bregman", "symmetric Bregman divergence", cost="that of its member")
class SymmetricBregman(DivergenceEstimator):
    """Bregman's divergence in both directions, divided by its order alpha."""

    member: Any = None
    _parameter_constraints = {"member": MEMBER}

    def _estimate(self, X, Y):
        base = member_of("divergence", self.member, "bregman_knn")
        return (base.estimate(X, Y) + base.estimate(Y, X)) / getattr(base, "alpha", 1.0)
