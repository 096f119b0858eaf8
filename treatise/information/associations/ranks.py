"""Associations of ranks: several columns' Spearman's rho, Blomqvist's beta and dependence in the tails."""

from math import isqrt
from typing import Any

import numpy as np

from treatise.information._estimator import AssociationEstimator, registered
from treatise.information._parameters import SHARE
from treatise.statistics import copula_transform

_SCALE = {"scale": [str]}


class _RankAssociation(AssociationEstimator):
    """Association of columns through their ranks, divided by ``scale`` ("middle", "n+1", or "n" as in the paper)."""

    scale: str = "middle"

    def _estimate(self, X):
        return self._of_ranks(copula_transform(X, scale=self.scale))

    def _of_ranks(self, U) -> Any:
        raise NotImplementedError


@registered("spearman", "multivariate Spearman's rho")
class SpearmanRho(_RankAssociation):
    """Spearman's rho of two or more columns: one if all rise together, near zero if independent.

    ``version`` is which corner of the unit cube is looked from: "lower" and "upper" average products of 1 - u and of u,
    "both" is their mean, "pairs" the mean of all pairs' rho. Ranks over n, as in the paper, fall short of one: 0.90 at
    40 rows and 3 columns; the default's shortfall is of order 1/n^2.
    """

    version: str = "both"
    scale: str = "middle"
    _parameter_constraints = {**_SCALE, "version": [str]}

    def _of_ranks(self, U):
        n, d = U.shape
        height = (d + 1.0) / (2.0**d - d - 1.0)
        lower = height * (2.0**d * np.mean(np.prod(1.0 - U, axis=1)) - 1.0)
        upper = height * (2.0**d * np.mean(np.prod(U, axis=1)) - 1.0)
        if self.version == "pairs":
            V = 1.0 - U
            off = (V.sum(axis=1) ** 2 - (V**2).sum(axis=1)).sum() / 2.0
            return 12.0 * off / (n * d * (d - 1.0) / 2.0) - 3.0
        versions = {"lower": lower, "upper": upper, "both": 0.5 * (lower + upper)}
        if self.version not in versions:
            raise ValueError(f"version={self.version!r} is unknown; it may be 'lower', 'upper', 'both' or 'pairs'")
        return versions[self.version]


def lower_tail(U, p):
    """Spearman's rho given that all ranks lie below p."""
    d = U.shape[1]
    free = (p**2 / 2.0) ** d
    return (np.mean(np.prod(np.maximum(p - U, 0.0), axis=1)) - free) / (p ** (d + 1) / (d + 1.0) - free)


def upper_tail(U, p):
    """Spearman's rho given that all ranks lie above 1 - p."""
    d = U.shape[1]
    seen = np.mean(np.prod(1.0 - np.maximum(U, 1.0 - p), axis=1))
    free, most = (p * (2.0 - p) / 2.0) ** d, p**d * (d + 1.0 - p * d) / (d + 1.0)
    return (seen - free) / (most - free)


@registered("spearman_lower", "conditional Spearman's rho, lower tail")
class LowerSpearmanRho(_RankAssociation):
    """Spearman's rho weighted towards the corner of small values: of ranks below the share p."""

    p: float = 0.5
    scale: str = "middle"
    _parameter_constraints = {**_SCALE, "p": SHARE}

    def _of_ranks(self, U):
        return lower_tail(U, self.p)


@registered("spearman_upper", "conditional Spearman's rho, upper tail")
class UpperSpearmanRho(_RankAssociation):
    """Spearman's rho weighted towards the corner of large values: of ranks above 1 - p."""

    p: float = 0.5
    scale: str = "middle"
    _parameter_constraints = {**_SCALE, "p": SHARE}

    def _of_ranks(self, U):
        return upper_tail(U, self.p)


@registered("lower_tail_dependence", "lower tail dependence")
class LowerTailDependence(_RankAssociation):
    """Dependence in the lower tail: the conditional rho at p = floor(sqrt n) / n, which shrinks as n grows."""

    scale: str = "middle"
    _parameter_constraints = _SCALE

    def _of_ranks(self, U):
        return lower_tail(U, isqrt(len(U)) / len(U))


@registered("upper_tail_dependence", "upper tail dependence")
class UpperTailDependence(_RankAssociation):
    """Dependence in the upper tail: the conditional rho at p = floor(sqrt n) / n, which shrinks as n grows."""

    scale: str = "middle"
    _parameter_constraints = _SCALE

    def _of_ranks(self, U):
        return upper_tail(U, isqrt(len(U)) / len(U))


@registered("blomqvist", "multivariate Blomqvist's beta", cost="n log n")
class BlomqvistBeta(_RankAssociation):
    """Blomqvist's beta: how often all columns are on the same side of their medians."""

    scale: str = "middle"
    _parameter_constraints = _SCALE

    def _of_ranks(self, U):
        d = U.shape[1]
        low, high = np.mean(np.all(U <= 0.5, axis=1)), np.mean(np.all(U > 0.5, axis=1))
        return 2.0 ** (d - 1) / (2.0 ** (d - 1) - 1.0) * (low + high - 2.0 ** (1 - d))
