"""Stability of selections: its limits, its kin, and its interval on simulated selections."""

from itertools import combinations

import numpy as np
import pytest

from treatise.statistics import selection_stability


def test_equal_selections_are_wholly_stable_and_random_ones_not():
    one = np.tile([1, 0, 1, 0, 0], (6, 1))
    assert selection_stability(one) == (1.0, 1.0, 1.0)
    rng = np.random.default_rng(0)
    found = selection_stability(rng.random((400, 50)) < 0.2)
    assert abs(found.value) < 0.01 and found.low < 0 < found.high


def test_with_equal_sizes_it_is_the_mean_of_kunchevas_index():
    rng = np.random.default_rng(1)
    d, k, m = 12, 4, 7
    kept = np.zeros((m, d), bool)
    for row in kept:
        row[rng.choice(6, k, replace=False)] = True
    pairs = [((a & b).sum() - k * k / d) / (k - k * k / d) for a, b in combinations(kept, 2)]
    assert selection_stability(kept).value == pytest.approx(np.mean(pairs))


def test_the_interval_holds_the_index_of_many_selections():
    shares = np.concatenate([np.full(5, 0.9), np.full(5, 0.4), np.full(30, 0.05)])
    rng = np.random.default_rng(2)
    truth = selection_stability(rng.random((20_000, 40)) < shares).value
    held = [
        low <= truth <= high
        for _, low, high in (selection_stability(rng.random((50, 40)) < shares) for _ in range(400))
    ]
    # 400 intervals of 95 %: three standard deviations are 3.3 %, and 50 selections are not yet many.
    assert np.mean(held) == pytest.approx(0.95, abs=0.05)


def test_what_cannot_be_told_is_no_number_or_refused():
    assert np.isnan(selection_stability(np.ones((3, 4))).value)
    with pytest.raises(ValueError, match="at least two selections"):
        selection_stability([[1, 0, 1]])
