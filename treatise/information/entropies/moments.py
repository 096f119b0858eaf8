"""Entropies from a few moments: of the Gaussian law that has them, and corrections for what is not Gaussian."""

import numpy as np

from treatise.information._estimator import EntropyEstimator, registered
from treatise.information._parameters import POSITIVE, order_of
from treatise.information.entropies.neighbours import sharma_mittal

# Constants of the maximum-entropy expansion.
_ODD = 36.0 / (8.0 * np.sqrt(3.0) - 9.0)
_ABSOLUTE = 1.0 / (2.0 - 6.0 / np.pi)
_BELL = 24.0 / (16.0 * np.sqrt(3.0) - 27.0)


@registered("shannon_maxent", "Shannon entropy", columns="one", cost="n", unit="nats")
class MaximumEntropyShannon(EntropyEstimator):
    """The largest entropy with the moments seen, near the Gaussian one, of one column.

    Fast, smooth and robust: what independent component analysis compares. Use it to rank columns by how far from
    Gaussian they are, not for laws far from it. ``contrast`` is ``"absolute"`` (|x|) or ``"bell"`` (exp(-x^2/2)).
    """

    contrast: str = "absolute"
    _parameter_constraints = {"contrast": [str]}

    def _estimate(self, X):
        if X.shape[1] != 1:
            raise ValueError(f"X has {X.shape[1]} columns; this estimate is of one column")
        spread = X.std(ddof=1)
        x = (X[:, 0] - X.mean()) / spread
        bell = np.exp(-0.5 * x**2)
        negentropy = _ODD * np.mean(x * bell) ** 2
        if self.contrast == "absolute":
            negentropy += _ABSOLUTE * (np.mean(np.abs(x)) - np.sqrt(2.0 / np.pi)) ** 2
        elif self.contrast == "bell":
            negentropy += _BELL * (np.mean(bell) - np.sqrt(0.5)) ** 2
        else:
            raise ValueError(f"contrast={self.contrast!r} is unknown; it may be 'absolute' or 'bell'")
        return 0.5 * (1.0 + np.log(2.0 * np.pi)) - negentropy + np.log(spread)


def gaussian_log_power_integral(covariance, alpha):
    """Logarithm of the integral of a Gaussian density to the power alpha."""
    d = len(covariance)
    return 0.5 * (1.0 - alpha) * (d * np.log(2.0 * np.pi) + log_determinant(covariance)) - 0.5 * d * np.log(alpha)


def log_determinant(covariance):
    """Logarithm of the determinant of a covariance of full rank."""
    sign, value = np.linalg.slogdet(covariance)
    if not sign > 0 or not np.isfinite(value):
        raise ValueError("the columns of X are linearly dependent; their joint density does not exist. Leave some out")
    return float(value)


def _covariance(X):
    if len(X) <= X.shape[1]:
        raise ValueError(f"{len(X)} rows do not fix a covariance of {X.shape[1]} columns; more rows are needed")
    return np.cov(X, rowvar=False).reshape(X.shape[1], X.shape[1])


@registered("shannon_gaussian", "Shannon entropy", cost="n", unit="nats")
class GaussianShannonEntropy(EntropyEstimator):
    """Shannon entropy of the Gaussian law with the covariance of X: ``log((2 pi e)^d |S|) / 2``, an upper bound."""

    def _estimate(self, X):
        return 0.5 * (X.shape[1] * (1.0 + np.log(2.0 * np.pi)) + log_determinant(_covariance(X)))


@registered("renyi_gaussian", "Renyi entropy", cost="n", unit="nats")
class GaussianRenyiEntropy(EntropyEstimator):
    """Renyi entropy of the Gaussian law with the covariance of X."""

    alpha: float = 0.99
    _parameter_constraints = {"alpha": POSITIVE}

    def _estimate(self, X):
        alpha = order_of(self.alpha)
        return gaussian_log_power_integral(_covariance(X), alpha) / (1.0 - alpha)


@registered("tsallis_gaussian", "Tsallis entropy", cost="n")
class GaussianTsallisEntropy(EntropyEstimator):
    """Tsallis entropy of the Gaussian law with the covariance of X."""

    alpha: float = 0.99
    _parameter_constraints = {"alpha": POSITIVE}

    def _estimate(self, X):
        alpha = order_of(self.alpha)
        return np.expm1(gaussian_log_power_integral(_covariance(X), alpha)) / (1.0 - alpha)


@registered("sharma_mittal_gaussian", "Sharma-Mittal entropy", cost="n")
class GaussianSharmaMittalEntropy(EntropyEstimator):
    """Sharma-Mittal entropy of the Gaussian law with the covariance of X."""

    alpha: float = 0.8
    beta: float = 0.6
    _parameter_constraints = {"alpha": POSITIVE, "beta": POSITIVE}

    def _estimate(self, X):
        alpha, beta = order_of(self.alpha), order_of(self.beta, "beta")
        return sharma_mittal(gaussian_log_power_integral(_covariance(X), alpha), alpha, beta)


@registered("shannon_edgeworth", "Shannon entropy", cost="n", unit="nats")
class EdgeworthShannonEntropy(EntropyEstimator):
    """The Gaussian's entropy less a twelfth of the squared third cumulants of the whitened rows.

    The first term of Edgeworth's expansion; for laws near the Gaussian one. Costs O(n d^3).
    """

    def _estimate(self, X):
        covariance = _covariance(X)
        gaussian = GaussianShannonEntropy()._estimate(X)
        white = np.linalg.solve(np.linalg.cholesky(covariance), (X - X.mean(axis=0)).T).T
        third = np.einsum("ni,nj,nk->ijk", white, white, white, optimize=True) / len(X)
        return gaussian - np.sum(third**2) / 12.0
