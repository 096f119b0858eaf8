"""The sampler of kernel classifiers against dense formulas, its prior, integration and Geweke's joint test."""

import math

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import chisquare, kstest, truncnorm

from treatise.bayes.kernel_classifier._chain import Chain, Prior, centred_basis
from treatise.bayes.kernel_classifier._factor import JITTER, ActiveFactor
from treatise.bayes.kernel_classifier._kernels import FixedKernel, WeightedKernels, WidthKernel
from treatise.bayes.kernel_classifier._latent_loops import add_probabilities, draw_given_scores
from treatise.kernels import Gaussian, Linear
from treatise.statistics import effective_sample_size, geweke_joint_test

TAME = Prior(a_eta=12.0, b_eta=12.0, a_g=12.0, b_g=12.0)
"""Precisions near one, so that moments exist and a few thousand draws tell a wrong law."""


def fixed(X, gamma=0.3):
    kernel = Gaussian(gamma)
    return FixedKernel(kernel, kernel.prepare(X))


def dense_log_likelihood(factor):
    """log N(S; 0, I + 1 1'/eta + K_a K_aa^{-1} K_a' / g), as equation 8 has it, without the constant."""
    K = factor.kernel.block(factor.active)
    inner = K[factor.active].copy()
    inner[np.diag_indices(len(inner))] *= 1.0 + JITTER
    Q = np.eye(len(K)) + 1.0 / factor.eta + K @ np.linalg.solve(inner, K.T) / factor.g
    squares = np.sum(factor.S * np.linalg.solve(Q, factor.S.T).T)
    return -0.5 * len(factor.S) * np.linalg.slogdet(Q)[1] - 0.5 * squares


@pytest.fixture
def factor():
    rng = np.random.default_rng(0)
    return ActiveFactor(fixed(rng.normal(size=(40, 3))), [3, 5, 9, 20], 0.7, 1.3, rng.normal(size=(2, 40)), 12)


def test_likelihood_and_its_ratios_equal_the_dense_formula(factor):
    now = dense_log_likelihood(factor)
    assert factor.log_likelihood() == pytest.approx(now, abs=1e-9)
    for ratio, change in (
        (lambda: factor.try_birth(11), lambda: factor.give_birth(11)),
        (lambda: factor.try_death(2), lambda: factor.drop(2)),
        (lambda: factor.try_death(0), lambda: factor.drop(0)),
        (lambda: factor.try_swap(33, 1), lambda: (factor.give_birth(33), factor.drop(1))),
    ):
        said = ratio()
        change()
        before, now = now, dense_log_likelihood(factor)
        assert said == pytest.approx(now - before, abs=1e-9)
        assert factor.log_likelihood() == pytest.approx(now, abs=1e-9)
    law = factor.scale_law()
    said = law(0.2, 3.0) - law(factor.eta, factor.g)
    factor.rescale(0.2, 3.0)
    assert said == pytest.approx(dense_log_likelihood(factor) - now, abs=1e-9)
    assert factor.log_likelihood() == pytest.approx(dense_log_likelihood(factor), abs=1e-9)


def test_factors_after_five_hundred_changes_equal_those_computed_anew(factor):
    rng = np.random.default_rng(1)
    for _ in range(500):
        k = factor.size - 1
        if k < 3 or (k < 12 and rng.random() < 0.5):
            row = rng.choice(np.setdiff1d(np.arange(40), factor.active))
            if factor.try_birth(row) > -np.inf:
                factor.give_birth(int(row))
        else:
            factor.drop(int(rng.integers(k)))
    size = factor.size
    before = [part.copy() for part in (factor.L[:size, :size], factor.R[: size - 1, : size - 1], factor.M[:, :size])]
    W = factor.W[:, :size].copy()
    factor.rebuild()
    for old, new in zip(before, (factor.L[:size, :size], factor.R[: size - 1, : size - 1], factor.M[:, :size])):
        np.testing.assert_allclose(old, new, atol=1e-7)
    np.testing.assert_allclose(W, factor.W[:, :size], atol=1e-7)


def test_coefficients_have_the_mean_and_covariance_of_equation_9(factor):
    rng = np.random.default_rng(2)
    K = factor.kernel.block(factor.active)
    tilde = np.column_stack([np.ones(40), K])
    sigma = np.zeros((5, 5))
    sigma[0, 0] = factor.eta
    sigma[1:, 1:] = factor.g * (K[factor.active] + JITTER * np.eye(4))
    upsilon = tilde.T @ tilde + sigma
    drawn = []
    for _ in range(4000):
        intercept, coefficients, scores = factor.draw_coefficients(rng)
        drawn.append([intercept[0], *coefficients[0]])
    np.testing.assert_allclose(scores, intercept[:, None] + coefficients @ K.T, atol=1e-9)
    mean, covariance = np.linalg.solve(upsilon, tilde.T @ factor.S[0]), np.linalg.inv(upsilon)
    spread = np.sqrt(np.diag(covariance))
    np.testing.assert_array_less(np.abs(np.mean(drawn, axis=0) - mean), 4 * spread / math.sqrt(4000))
    np.testing.assert_allclose(np.cov(np.transpose(drawn)) / np.outer(spread, spread),
                               covariance / np.outer(spread, spread), atol=0.1)  # fmt: skip


def test_mean_and_variance_given_the_intercept_are_those_of_section_4(factor):
    u, k_new = np.array([0.3, -0.2]), np.random.default_rng(3).random(4)
    K = factor.kernel.block(factor.active)
    inner = K[factor.active] + JITTER * np.eye(4)
    M = np.eye(40) + K @ np.linalg.solve(inner, K.T) / factor.g
    across = K @ np.linalg.solve(inner, k_new) / factor.g
    mean = across @ np.linalg.solve(M, (factor.S - u[:, None]).T)
    variance = k_new @ np.linalg.solve(inner, k_new) / factor.g - across @ np.linalg.solve(M, across)
    coefficients, triangle = factor.mean_given_intercept(u)
    np.testing.assert_allclose(coefficients @ k_new, mean, atol=1e-9)
    assert np.sum((triangle @ k_new) ** 2) == pytest.approx(variance, abs=1e-9)


@pytest.mark.parametrize("mean", [-8.0, -1.0, 0.0, 3.0, 8.0])
def test_latent_scores_follow_the_truncated_normal_law(mean):
    drawn, rng = np.empty(4000), np.random.default_rng(0)
    for code, bounds in ((1, (-mean, np.inf)), (0, (-np.inf, -mean))):
        draw_given_scores(rng, np.full(4000, mean), np.full(4000, code), drawn)
        assert kstest(drawn - mean, truncnorm(*bounds).cdf).pvalue > 1e-3


def chain_of(kernel, codes, n_classes=2, prior=TAME, seed=0, **changed):
    settings = {"most": len(codes), "n_moves": 6, "g_step": "slice", "spread": False, "burn_in": 0, **changed}
    return Chain(kernel, np.asarray(codes), n_classes, prior, rng=np.random.default_rng(seed), **settings)


def test_intercept_of_three_rows_agrees_with_numerical_integration():
    X, y = np.array([[0.0], [0.7], [2.0]]), np.array([1, 1, 0])
    # Priors so narrow that both precisions are one.
    chain = chain_of(fixed(X), y, prior=Prior(a_eta=1e7, b_eta=1e7, a_g=1e7, b_g=1e7), n_moves=0)
    chain.factor = ActiveFactor(chain.factor.kernel, [0, 2], 1.0, 1.0, chain.factor.S, 3)
    K = chain.factor.kernel.block([0, 2])
    axis = np.linspace(-6, 6, 81)
    u, a, b = np.meshgrid(axis, 2 * axis, 2 * axis, indexing="ij")
    inner = K[[0, 2]]
    log_mass = -0.5 * (u**2 + inner[0, 0] * a**2 + 2 * inner[0, 1] * a * b + inner[1, 1] * b**2)
    mass = np.exp(log_mass)
    for row, label in zip(K, y):
        mass *= ndtr((2 * label - 1) * (u + row[0] * a + row[1] * b))
    exact = np.sum(mass * u) / np.sum(mass)
    drawn = np.empty(4000)
    for at in range(len(drawn)):
        chain.sweep(1)
        drawn[at] = chain.factor.draw_coefficients(chain.rng)[0][0]
    error = drawn.std() / math.sqrt(effective_sample_size(drawn[None]))
    assert error < 0.03
    assert abs(drawn.mean() - exact) < 3 * error


@pytest.mark.parametrize(("most", "a_alpha"), [(8, 1.0), (5, 1.0), (8, 3.0)])
def test_without_a_likelihood_the_active_rows_follow_their_prior(most, a_alpha):
    prior = Prior(a_alpha=a_alpha)
    chain = chain_of(fixed(np.random.default_rng(0).normal(size=(8, 2))), np.arange(8) % 2, prior=prior, most=most)
    chain.factor.rescale(1.0, 1e12)  # a process of variance zero leaves nothing for the active rows to explain
    counts, active = np.zeros(most + 1), np.zeros(8)
    for _ in range(6000):
        for _ in range(8):
            chain._move()
        counts[chain.factor.size - 1] += 1
        active += chain.is_active
    ways = np.array([math.exp(math.lgamma(9) - math.lgamma(k + 1) - math.lgamma(9 - k) + prior.log_active(k, 8))
                     for k in range(most + 1)])  # fmt: skip
    assert most < 8 or a_alpha != 1.0 or np.allclose(ways, 1 / 9)
    # Every tenth count, since neighbours depend on each other.
    assert chisquare(counts / 10, 600 * ways / ways.sum()).pvalue > 1e-3
    assert np.ptp(active) < 0.1 * active.mean()


def joint_scores(make_kernel, n_classes=2, prior=TAME, sampled_prior=None, n_draws=1000, n=6, **settings):
    """Geweke's scores: precisions, kernel parameters, active rows and scores, with latent scores and labels as data."""
    chain = chain_of(make_kernel(), np.arange(n) % n_classes, n_classes, sampled_prior or prior, **settings)
    n_scores = n_classes - 1

    def scores_of(rng, kernel, active, eta, g):
        u = rng.normal(size=n_scores) / math.sqrt(eta)
        if not active:
            return np.repeat(u[:, None], n, axis=1)
        K = kernel.block(active)
        root = np.linalg.cholesky(K[active] * (1 + JITTER * np.eye(len(active))))
        return u[:, None] + (K @ np.linalg.solve(root.T, rng.normal(size=(len(active), n_scores)))).T / math.sqrt(g)

    def draw_prior(rng):
        k = rng.integers(n + 1) if chain.moving else n
        active = sorted(rng.choice(n, k, replace=False).tolist())
        eta, g = rng.gamma(prior.a_eta / 2) * 2 / prior.b_eta, rng.gamma(prior.a_g / 2) * 2 / prior.b_g
        kernel = chain.factor.kernel
        if isinstance(kernel, WidthKernel):
            widths = rng.uniform(kernel.low, kernel.high, len(kernel.widths))
            kernel = WidthKernel(kernel.name, kernel.X, widths, kernel.low, kernel.high)
        if isinstance(kernel, WeightedKernels):
            g, q = 1.0, len(kernel.amplitudes)
            amplitudes = np.zeros(q)
            while not amplitudes.any():
                amplitudes = np.where(rng.random(q) < kernel.rho, 0.0, rng.gamma(kernel.shape, size=q) / kernel.rate)
            kernel = WeightedKernels(kernel.parts, amplitudes, kernel.rho, kernel.shape, kernel.rate)
        return kernel, active, eta, g, scores_of(rng, kernel, active, eta, g)

    def data(rng, parameters):
        S = parameters[4] + rng.normal(size=(n_scores, n))
        return S, np.argmax(chain.basis @ S, axis=0)

    def step(rng, parameters, observed):
        kernel, active, eta, g, _ = parameters
        chain.rng, (S, chain.codes) = rng, observed
        chain.factor = ActiveFactor(kernel, active, eta, g, S.copy(), chain.most)
        chain.is_active[:] = False
        chain.is_active[active] = True
        chain.sweep(1)
        factor = chain.factor
        return factor.kernel, list(factor.active), factor.eta, factor.g, factor.draw_coefficients(rng)[2]

    def statistics(parameters, observed):
        kernel, active, eta, g, scores = parameters
        S, codes = observed
        own = (chain.basis @ scores)[codes, np.arange(n)]
        return np.array([
            math.log(eta), math.log(eta) ** 2, math.log(g), math.log(g) ** 2, len(active), len(active) ** 2,
            0 in active, np.mean(scores**2), np.mean(own), np.mean(scores) ** 2, np.mean(scores * S),
            *np.log1p(kernel.parameters), *np.log1p(kernel.parameters) ** 2, *(kernel.parameters == 0),
        ])  # fmt: skip

    scores = geweke_joint_test(draw_prior, data, step, statistics, n_draws=n_draws)
    return scores[np.isfinite(scores)]  # what never changes has no score


ROWS = np.random.default_rng(5).normal(size=(6, 2))
CASES = {
    "two classes": (lambda: fixed(ROWS), {}),
    "two classes, g given the coefficients": (lambda: fixed(ROWS), {"g_step": "gibbs"}),
    "all rows active": (lambda: fixed(ROWS), {"most": None}),
    "three classes": (lambda: fixed(ROWS), {"n_classes": 3}),
    "a width": (lambda: WidthKernel("rbf", ROWS, [1.0], 0.5, 3.0), {}),
    "widths of columns": (lambda: WidthKernel("laplacian", ROWS, [1.0, 1.0], 0.5, 3.0), {}),
    "two kernels": (
        lambda: WeightedKernels([fixed(ROWS), FixedKernel(Linear(), ROWS)], [0.7, 0.7], 0.4, 3.0, 2.0),
        {"g_step": "fixed"},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_sampler_and_model_tell_the_same_story(case):
    make_kernel, settings = CASES[case]
    scores = joint_scores(make_kernel, **settings)
    assert len(scores) >= 7
    assert np.abs(scores).max() < 4.0


def test_the_joint_test_sees_a_wrong_prior_and_a_wrong_proposal(monkeypatch):
    assert np.abs(joint_scores(lambda: fixed(ROWS), sampled_prior=Prior(12.0, 12.0, 14.0, 12.0))).max() > 4.0
    monkeypatch.setattr(Chain, "_prior_ratio", lambda self, k, new: 0.0)
    assert np.abs(joint_scores(lambda: fixed(ROWS))).max() > 4.0


def test_probabilities_of_several_classes_equal_those_of_many_draws():
    scores = np.array([[0.0, 3.0, -1.0], [0.5, -2.0, -1.0], [-1.0, 2.5, -1.0], [0.1, 0.0, 9.0]])
    found = np.zeros_like(scores)
    add_probabilities(scores, found)
    noisy = scores[:, :, None] + np.random.default_rng(0).normal(size=(4, 3, 200_000))
    shares = np.array([np.bincount(noisy[:, i].argmax(axis=0), minlength=4) / 200_000 for i in range(3)]).T
    np.testing.assert_allclose(found, shares, atol=0.005)
    pair = np.zeros((2, 1))
    add_probabilities(np.array([[0.4], [1.1]]), pair)
    assert pair[1, 0] == pytest.approx(ndtr(0.7 / math.sqrt(2)), abs=1e-7)


def test_the_basis_of_two_classes_is_one_score_that_is_positive_for_the_second():
    np.testing.assert_allclose(centred_basis(2), [[-math.sqrt(0.5)], [math.sqrt(0.5)]])
    basis = centred_basis(5)
    np.testing.assert_allclose(basis.T @ basis, np.eye(4), atol=1e-15)
    np.testing.assert_allclose(basis @ basis.T, np.eye(5) - 0.2, atol=1e-15)
