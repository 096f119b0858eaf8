"""Divergences of the Gaussian laws with the moments of two samples."""

import numpy as np

from treatise.information._estimator import DivergenceEstimator, registered
from treatise.information.entropies.moments import _covariance, log_determinant


@registered("kl_gaussian", "Kullback-Leibler divergence", cost="n", unit="nats")
class GaussianKLDivergence(DivergenceEstimator):
    """Kullback-Leibler divergence of the Gaussian laws with the means and covariances of X and Y."""

    def _estimate(self, X, Y):
        S, T = _covariance(X), _covariance(Y)
        shift = Y.mean(axis=0) - X.mean(axis=0)
        inverse = np.linalg.inv(T)
        logs = log_determinant(T) - log_determinant(S)
        return 0.5 * (np.trace(inverse @ S) + shift @ inverse @ shift - X.shape[1] + logs)


@registered("chi_square_gaussian", "Pearson chi-square divergence", cost="n")
class GaussianChiSquareDivergence(DivergenceEstimator):
    """Pearson's divergence of the Gaussian laws with the moments of X and Y; infinite unless 2 S_Y exceeds S_X."""

    def _estimate(self, X, Y):
        P, Q = np.linalg.inv(_covariance(X)), np.linalg.inv(_covariance(Y))
        a, b = X.mean(axis=0), Y.mean(axis=0)
        A = 2.0 * P - Q
        if np.linalg.eigvalsh(A).min() <= 0:
            return np.inf
        h = 2.0 * P @ a - Q @ b
        exponent = 0.5 * (h @ np.linalg.solve(A, h) - 2.0 * a @ P @ a + b @ Q @ b)
        logs = log_determinant(P) - 0.5 * log_determinant(Q) - 0.5 * log_determinant(A)
        return np.expm1(exponent + logs)
