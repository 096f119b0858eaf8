"""The update of a normal factor against the theorems it follows from, and against exact posteriors."""

import numpy as np
import pytest

from treatise.bayes import multivariate_normal_update


def duplication(d):
    """D with D vech(A) = vec(A), columns after columns."""
    places = [(i, j) for j in range(d) for i in range(j, d)]
    D = np.zeros((d * d, len(places)))
    for k, (i, j) in enumerate(places):
        D[j * d + i, k] = D[i * d + j, k] = 1.0
    return D


def drawn(d, seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(d, d))
    G = rng.normal(size=(d, d))
    return rng.normal(size=d), A @ A.T + np.eye(d), rng.normal(size=d), G + G.T


def statistic_covariance(mean, covariance):
    """Covariance of x and vech(x x') for normal x, from Isserlis' theorem, entry by entry."""
    d = len(mean)
    places = [(i, j) for j in range(d) for i in range(j, d)]
    V = np.zeros((d + len(places),) * 2)
    V[:d, :d] = covariance
    for a, (i, j) in enumerate(places):
        for k in range(d):
            V[d + a, k] = V[k, d + a] = mean[i] * covariance[j, k] + mean[j] * covariance[i, k]
        for b, (k, m) in enumerate(places):
            S = covariance
            V[d + a, d + b] = (
                S[i, k] * S[j, m] + S[i, m] * S[j, k]
                + mean[i] * mean[k] * S[j, m] + mean[i] * mean[m] * S[j, k]
                + mean[j] * mean[k] * S[i, m] + mean[j] * mean[m] * S[i, k]
            )  # fmt: skip
    return V


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_theorem_1_holds(d):
    mean, covariance, g, G = drawn(d, d)
    D, V = duplication(d), statistic_covariance(mean, covariance)
    pseudo = np.linalg.pinv(D)
    M = 2 * pseudo @ np.kron(mean[:, None], np.eye(d))
    S = 2 * pseudo @ np.kron(covariance, covariance) @ pseudo.T
    U = np.block([[covariance, np.zeros((d, d * d))], [M @ covariance, S @ D.T]])
    inverse = np.linalg.inv(S)
    precision = np.linalg.inv(covariance)
    np.testing.assert_allclose(inverse, 0.5 * D.T @ np.kron(precision, precision) @ D, atol=1e-10)
    expected = np.block([[precision + M.T @ inverse @ M, -M.T @ inverse], [-inverse @ M, inverse]])
    np.testing.assert_allclose(np.linalg.inv(V), expected, atol=1e-9 * np.abs(expected).max())
    product = np.linalg.solve(V, U)
    scale = np.abs(M).max()
    np.testing.assert_allclose(product[:d], np.hstack([np.eye(d), -M.T @ D.T]), atol=1e-10 * (1 + scale))
    np.testing.assert_allclose(product[d:], np.hstack([np.zeros((len(S), d)), D.T]), atol=1e-10 * (1 + scale))
    found = product @ np.r_[g, G.ravel(order="F")]
    np.testing.assert_allclose(found, np.r_[g - 2 * G @ mean, D.T @ G.ravel(order="F")], atol=1e-9)


def test_theorem_2_holds():
    rng = np.random.default_rng(0)
    A, B, b = rng.normal(size=(7, 4)), rng.normal(size=(4, 4)), rng.normal(size=7)
    one = np.ones((1, 4))
    Q = np.kron(A, one) * np.kron(one, A)
    np.testing.assert_allclose(np.diag(A @ B @ A.T), Q @ B.ravel(order="F"), atol=1e-10)
    np.testing.assert_allclose((A.T @ np.diag(b) @ A).ravel(order="F"), Q.T @ b, atol=1e-10)


@pytest.mark.parametrize("d", [2, 4])
def test_full_step_is_the_natural_parameter_update_that_it_replaces(d):
    mean, covariance, g, G = drawn(d, 10 + d)
    G = -(G @ G) - np.eye(d)
    D, V = duplication(d), statistic_covariance(mean, covariance)
    pseudo = np.linalg.pinv(D)
    M = 2 * pseudo @ np.kron(mean[:, None], np.eye(d))
    S = 2 * pseudo @ np.kron(covariance, covariance) @ pseudo.T
    U = np.block([[covariance, np.zeros((d, d * d))], [M @ covariance, S @ D.T]])
    natural = np.linalg.solve(V, U @ np.r_[g, G.ravel(order="F")])  # equation 6
    matrix = (pseudo.T @ natural[d:]).reshape(d, d, order="F")
    new_mean, new_covariance = multivariate_normal_update(mean, covariance, g, G)
    np.testing.assert_allclose(new_covariance, -0.5 * np.linalg.inv(matrix), atol=1e-9)
    np.testing.assert_allclose(new_mean, -0.5 * np.linalg.solve(matrix, natural[:d]), atol=1e-8)


@pytest.mark.parametrize("step", [1.0, 0.3])
def test_normal_noise_gives_the_exact_posterior(step):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    precision = X.T @ X + 0.1 * np.eye(3)
    mean, covariance = rng.normal(size=3), np.eye(3)
    for _ in range(1 if step == 1.0 else 100):
        slope = X.T @ (y - X @ mean) - 0.1 * mean
        mean, covariance = multivariate_normal_update(mean, covariance, slope, -0.5 * precision, step)
    np.testing.assert_allclose(mean, np.linalg.solve(precision, X.T @ y), atol=1e-10)
    np.testing.assert_allclose(covariance, np.linalg.inv(precision), atol=1e-10)


def test_what_gives_no_factor_is_told():
    with pytest.raises(ValueError, match="not negative definite"):
        multivariate_normal_update([0.0], None, [1.0], [[2.0]])
    with pytest.raises(ValueError, match="needs a slope"):
        multivariate_normal_update([0.0], None, [1.0, 2.0], [[-2.0]])
    with pytest.raises(ValueError, match="step=0"):
        multivariate_normal_update([0.0], None, [1.0], [[-2.0]], step=0)
    with pytest.raises(ValueError, match="give the covariance"):
        multivariate_normal_update([0.0], None, [1.0], [[-2.0]], step=0.5)
