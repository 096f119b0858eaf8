"""Entropies from the distances to the k-th neighbour."""

import numpy as np
from scipy.special import digamma, gammaln

from treatise.information._estimator import EntropyEstimator, registered
from treatise.information._parameters import NEIGHBOURS, POSITIVE, order_of
from treatise.information._radii import OwnRadii, log_ball_volume, log_mean_exp
from treatise.statistics import neighbour_distances

_COMMON = {"k": NEIGHBOURS}
_ORDERED = {**_COMMON, "alpha": POSITIVE}


@registered("shannon_knn", "Shannon entropy", unit="nats")
class KnnShannonEntropy(EntropyEstimator):
    """Kozachenko and Leonenko's estimate: ``log(n - 1) - psi(k) + log V_d + d mean(log rho_k)``.

    Use it first: it has no width to choose and is consistent in any dimension. Its bias grows with the dimension; on
    tied or rounded values there is no density, and it says so.
    """

    k: int = 3
    _parameter_constraints = _COMMON

    def _estimate(self, X):
        return self.from_radii(OwnRadii(X, self.k))

    @staticmethod
    def from_radii(radii):
        """The estimate from distances already found."""
        return float(np.mean(radii.log_volume) - digamma(radii.k))


@registered("renyi_knn", "Renyi entropy", unit="nats")
class KnnRenyiEntropy(EntropyEstimator):
    """Renyi's entropy ``log(integral of p^alpha) / (1 - alpha)`` from the k-th neighbours."""

    alpha: float = 0.99
    k: int = 3
    _parameter_constraints = _ORDERED

    def _estimate(self, X):
        alpha = order_of(self.alpha)
        return OwnRadii(X, self.k).log_power_integral(alpha) / (1.0 - alpha)


@registered("tsallis_knn", "Tsallis entropy")
class KnnTsallisEntropy(EntropyEstimator):
    """Tsallis' entropy ``(1 - integral of p^alpha) / (alpha - 1)`` from the k-th neighbours."""

    alpha: float = 0.99
    k: int = 3
    _parameter_constraints = _ORDERED

    def _estimate(self, X):
        alpha = order_of(self.alpha)
        return np.expm1(OwnRadii(X, self.k).log_power_integral(alpha)) / (1.0 - alpha)


@registered("sharma_mittal_knn", "Sharma-Mittal entropy")
class KnnSharmaMittalEntropy(EntropyEstimator):
    """Sharma and Mittal's entropy ``((integral of p^alpha)^((1-beta)/(1-alpha)) - 1) / (1 - beta)``.

    Renyi's as beta goes to one, Tsallis' where beta is alpha.
    """

    alpha: float = 0.8
    beta: float = 0.6
    k: int = 3
    _parameter_constraints = {**_ORDERED, "beta": POSITIVE}

    def _estimate(self, X):
        alpha, beta = order_of(self.alpha), order_of(self.beta, "beta")
        return sharma_mittal(OwnRadii(X, self.k).log_power_integral(alpha), alpha, beta)


def sharma_mittal(log_integral, alpha, beta):
    """Sharma and Mittal's entropy from the logarithm of the integral of p^alpha."""
    return np.expm1(log_integral * (1.0 - beta) / (1.0 - alpha)) / (1.0 - beta)


@registered("renyi_knn_graph", "Renyi entropy", unit="nats")
class KnnGraphRenyiEntropy(EntropyEstimator):
    """Renyi's entropy from the total length of the edges to the first k neighbours, each to the power d (1 - alpha).

    Averages over several neighbours and so varies less than the k-th alone. ``neighbours`` chooses which of them count;
    None takes the first to the third.
    """

    alpha: float = 0.9
    neighbours: tuple[int, ...] | None = None
    _parameter_constraints = {"alpha": POSITIVE, "neighbours": [tuple, list, None]}

    def _estimate(self, X):
        alpha, chosen = order_of(self.alpha), np.array(self.neighbours or (1, 2, 3))
        if chosen.min() < 1 or np.any(chosen + 1 - alpha <= 0):
            raise ValueError(f"neighbours={chosen.tolist()} must be at least 1 and above alpha - 1 = {alpha - 1:g}")
        n, d = X.shape
        distances = neighbour_distances(X, k=int(chosen.max()))[:, chosen - 1]
        if np.any(distances == 0.0):
            raise ValueError("some rows of X are equal: an edge of length zero has no power; take 'renyi_knn' instead")
        constants = gammaln(chosen + 1.0 - alpha) - gammaln(chosen)
        log_constant = np.log(np.sum(np.exp(constants)))
        log_volume = np.log(n - 1.0) + log_ball_volume(d)
        total = log_mean_exp(((1.0 - alpha) * d * np.log(distances)).ravel()) + np.log(len(chosen))
        return (total - log_constant + (1.0 - alpha) * log_volume) / (1.0 - alpha)
