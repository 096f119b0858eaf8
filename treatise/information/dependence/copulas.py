"""Dependence of ranks: distances of the empirical copula from that of independent columns."""

from math import factorial, prod
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.utils import check_random_state

from treatise._core.jit import compiled
from treatise.information._estimator import DependenceEstimator, registered
from treatise.information._parameters import MEMBER, POSITIVE, SEED, member_of, order_of
from treatise.information.entropies.composed import of_order
from treatise.statistics import copula_transform


class _CopulaDependence(DependenceEstimator):
    """Dependence of single columns through their ranks: no rising function of a column changes it."""

    _single_columns = True


@registered("hoeffding", "multivariate Hoeffding's Phi", columns="single", cost="n^2")
class HoeffdingPhi(_CopulaDependence):
    """Hoeffding's Phi: the L2 distance of the copula from that of independent columns, one if all rise together.

    ``scale`` divides ranks: "n" as the paper's toolbox does, or "middle" or "n+1", as in
    :func:`treatise.statistics.copula_transform`.
    """

    scale: str = "n"
    _parameter_constraints = {"scale": [str]}

    def _estimate(self, parts):
        U = copula_transform(np.hstack(parts), scale=self.scale)
        d = U.shape[1]
        own = 2.0 ** (1 - d) * np.mean(np.prod(1.0 - U**2, axis=1))
        square = mean_lower_products(np.ascontiguousarray(U)) - own + 3.0 ** (-d)
        norm = 2.0 / ((d + 1) * (d + 2)) - factorial(d) / (2.0**d * prod(i + 0.5 for i in range(d + 1))) + 3.0 ** (-d)
        return np.sqrt(abs(square / norm))


@compiled
def mean_lower_products(U):
    """Mean over pairs of rows of the product over columns of 1 - max(u, v)."""
    n, d = U.shape
    total = 0.0
    for i in range(n):
        for j in range(i + 1):
            product = 1.0
            for c in range(d):
                product *= 1.0 - max(U[i, c], U[j, c])
            total += product if i == j else 2.0 * product
    return total / n**2


@registered("schweizer_wolff_sigma", "Schweizer-Wolff's sigma", columns="two", cost="n^2")
class SchweizerWolffSigma(_CopulaDependence):
    """Twelve times the volume between the copula of two columns and that of independent ones: between 0 and 1."""

    _most_parts = 2

    def _estimate(self, parts):
        return 12.0 * copula_gaps(*_places(parts))[0]


@registered("schweizer_wolff_kappa", "Schweizer-Wolff's kappa", columns="two", cost="n^2")
class SchweizerWolffKappa(_CopulaDependence):
    """Four times the largest gap between the copula of two columns and that of independent ones."""

    _most_parts = 2

    def _estimate(self, parts):
        return 4.0 * copula_gaps(*_places(parts))[1]


def _places(parts):
    x, y = (rankdata(part[:, 0], method="max").astype(np.int64) for part in parts)
    order = np.argsort(x, kind="stable")
    return x[order], y[order]


@compiled
def copula_gaps(x, y):
    """Mean and largest |C(i/n, j/n) - ij/n^2| over the n^2 points, from places x (sorted) and y between 1 and n."""
    n = len(x)
    held = np.zeros(n + 1)
    mean, largest, row = 0.0, 0.0, 0
    for i in range(1, n + 1):
        while row < n and x[row] <= i:
            held[y[row]] += 1.0
            row += 1
        below = 0.0
        for j in range(1, n + 1):
            below += held[j]
            gap = abs(below / n - i * j / (n * n))
            mean += gap
            largest = max(largest, gap)
    return mean / (n * n), largest


@registered("renyi_copula", "Renyi mutual information", columns="single", unit="nats")
class CopulaRenyiInformation(_CopulaDependence):
    """Renyi's information of single columns: minus the Renyi entropy of their ranks."""

    alpha: float = 0.99
    member: Any = None
    _parameter_constraints = {"alpha": POSITIVE, "member": MEMBER}

    def _estimate(self, parts):
        base = of_order(member_of("entropy", self.member, "renyi_knn"), order_of(self.alpha))
        return -base.estimate(copula_transform(np.hstack(parts), ties="ordinal"))


@registered("copula_kernel", "copula-based kernel dependency", columns="single", cost="n^2")
class CopulaKernelDependency(_CopulaDependence):
    """MMD of the ranks of single columns from a uniform sample drawn for the purpose."""

    member: Any = None
    random_state: Any = None
    _parameter_constraints = {"member": MEMBER, "random_state": SEED}

    def _estimate(self, parts):
        U = copula_transform(np.hstack(parts), scale="middle")
        uniform = check_random_state(self.random_state).random(U.shape)
        return member_of("divergence", self.member, "mmd").estimate(U, uniform)
