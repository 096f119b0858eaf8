"""Switching systems: their likelihood, its rise, and the moments of sampled switches."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from treatise.papers.kernel_methods.v05_0819._series import make_switching_series
from treatise.papers.kernel_methods.v05_0819._switching import (
    SwitchingSystems,
    fitted_switching,
    log_likelihoods,
    sampled_moments,
    switching_gram,
)


@pytest.fixture
def systems():
    """One model of two regimes in two dimensions."""
    rng = np.random.default_rng(0)
    return SwitchingSystems(
        np.array([[0.3, 0.7]]), np.array([[[0.8, 0.2], [0.4, 0.6]]]), rng.normal(size=(1, 2)), np.eye(2)[None],
        rng.normal(size=(1, 2, 2, 2)) / 2, np.array([[np.eye(2), 0.3 * np.eye(2)]]),
    )  # fmt: skip


def test_the_likelihood_is_the_sum_over_all_switches(systems):
    x = np.random.default_rng(1).normal(size=(4, 2))
    total = 0.0
    for regimes in product(range(2), repeat=4):
        chance = systems.start[0, regimes[0]] * multivariate_normal.pdf(x[0], systems.centre[0], systems.spread[0])
        for t in range(1, 4):
            before, now = regimes[t - 1], regimes[t]
            step, noise = systems.steps[0, now], systems.noises[0, now]
            chance *= systems.moves[0, before, now] * multivariate_normal.pdf(x[t], step @ x[t - 1], noise)
        total += chance
    assert log_likelihoods(x[None, None], systems)[0, 0] == pytest.approx(np.log(total), abs=1e-12)


def test_rounds_of_the_fit_raise_the_likelihood():
    series, _ = make_switching_series(4, 5, random_state=0)
    Y = np.array(series).reshape(4, 5, 25, 2)
    totals = [log_likelihoods(Y, fitted_switching(Y, 3, rounds)).sum() for rounds in (1, 5, 25)]
    # The priors pull a little; a wrong step would fall by much.
    assert totals[0] < totals[1] < totals[2]


def test_sampled_switches_have_the_moments_of_the_process(systems):
    means, covariances = sampled_moments(systems, 4000, 3, random_state=0)
    rng, n = np.random.default_rng(2), 40_000
    regime = rng.choice(2, n, p=systems.start[0])
    x = systems.centre[0] + rng.normal(size=(n, 2))
    for _ in range(3):
        regime = (rng.random(n) > systems.moves[0][regime, 0]).astype(int)
        noise = np.sqrt(systems.noises[0][regime, 0, 0])[:, None]
        x = np.einsum("nde,ne->nd", systems.steps[0][regime], x) + noise * rng.normal(size=(n, 2))
    # Five standard errors of the simulation and of the sampled switches.
    np.testing.assert_allclose(means[0, :, 3].mean(axis=0), x.mean(axis=0), atol=5 * 1.5 / 4000**0.5)
    second = covariances[0, :, 3].mean(axis=0) + np.cov(means[0, :, 3].T)
    np.testing.assert_allclose(second, np.cov(x.T), atol=0.1)


def test_the_gram_matrix_is_a_kernel_with_a_diagonal_of_one():
    series, _ = make_switching_series(6, 1, random_state=0)
    gram = switching_gram(fitted_switching(np.array(series)[:, None], 3, 10), 5, 4, 0.5)
    np.testing.assert_allclose(np.diagonal(gram), 1.0)
    np.testing.assert_allclose(gram, gram.T)
    assert np.linalg.eigvalsh(gram).min() > -1e-10
