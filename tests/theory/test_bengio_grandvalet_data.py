"""The generator and the loader of the paper's data."""

import numpy as np
import pytest

from treatise.datasets import make_bengio_grandvalet


@pytest.mark.parametrize("outliers", [False, True])
def test_signal_and_noise_have_variances_three_and_one(outliers):
    X, y = make_bengio_grandvalet(200_000, outliers=outliers, random_state=0)
    scale = 1 / np.sqrt(0.95 + 5.0) if outliers else 1.0
    signal = np.sqrt(3 / 30) * scale * X.sum(axis=1)
    # Heavy tails: a variance over 200,000 draws of kurtosis up to 50 has a relative error near 0.016.
    assert signal.var() == pytest.approx(3.0, rel=0.05)
    assert (y - signal).var() == pytest.approx(1.0, rel=0.05)


def test_outliers_are_one_in_twenty_and_ten_times_as_far():
    X, _ = make_bengio_grandvalet(20_000, outliers=True, random_state=1)
    spread = np.sqrt((X**2).mean(axis=1))
    assert np.mean(spread > 4) == pytest.approx(0.05, abs=0.005)
    assert np.sqrt((X[spread > 4] ** 2).mean()) == pytest.approx(10, rel=0.02)


def test_a_seed_gives_the_same_sample():
    for one, other in zip(make_bengio_grandvalet(9, random_state=3), make_bengio_grandvalet(9, random_state=3)):
        np.testing.assert_array_equal(one, other)


def test_empty_samples_are_refused():
    with pytest.raises(ValueError, match="n_samples=0"):
        make_bengio_grandvalet(0)
