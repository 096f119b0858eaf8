"""Diagnostics of chains against their definitions and against processes whose answer is known."""

import numpy as np
import pytest
from scipy.signal import lfilter

from treatise.statistics import effective_sample_size, split_r_hat


def test_r_hat_is_its_definition():
    draws = np.random.default_rng(0).normal(size=(3, 10, 2)) + np.arange(3)[:, np.newaxis, np.newaxis]
    for k in range(2):
        halves = [chain[part, k] for chain in draws for part in (slice(0, 5), slice(5, 10))]
        within = np.mean([np.var(half, ddof=1) for half in halves])
        between = 5 * np.var([half.mean() for half in halves], ddof=1)
        expected = np.sqrt(((5 - 1) / 5 * within + between / 5) / within)
        assert split_r_hat(draws)[k] == pytest.approx(expected)


def test_r_hat_sees_chains_that_differ_and_chains_that_drift():
    rng = np.random.default_rng(1)
    chains = rng.normal(size=(4, 2000))
    assert split_r_hat(chains) == pytest.approx(1.0, abs=0.01)
    assert split_r_hat(chains + np.arange(4)[:, np.newaxis]) > 1.3
    assert split_r_hat(chains + np.linspace(0, 3, 2000)) > 1.2
    assert split_r_hat(np.ones((2, 8))) == 1.0
    assert split_r_hat(np.repeat([[0.0], [1.0]], 8, axis=1)) == np.inf
    assert np.isnan(split_r_hat(np.ones((2, 3))))


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9, -0.3])
def test_effective_size_of_an_autoregression_is_the_known_one(rho):
    noise = np.random.default_rng(2).normal(size=(4, 20_000))
    chains = lfilter([1.0], [1.0, -rho], noise)
    expected = noise.size * (1 - rho) / (1 + rho)
    # A sum of estimated correlations over 80 000 draws: some per cent.
    assert effective_sample_size(chains) == pytest.approx(expected, rel=0.12)


def test_effective_size_of_stuck_or_disagreeing_chains_is_small():
    rng = np.random.default_rng(3)
    apart = rng.normal(size=(4, 1000)) + 5 * np.arange(4)[:, np.newaxis]
    assert effective_sample_size(apart) < 10
    assert effective_sample_size(np.ones((3, 100))) == 300
    both = effective_sample_size(np.stack([rng.normal(size=(2, 500)), np.ones((2, 500))], axis=-1))
    assert both.shape == (2,) and both[1] == 1000
    assert np.isnan(effective_sample_size(np.ones((2, 6))))
    with pytest.raises(ValueError, match=r"draws has shape \(5,\)"):
        effective_sample_size(np.ones(5))
