"""Estimates of prevalence by min-wise hashes against counts, and their variance against Theorem 4."""

import numpy as np
import pytest
from scipy import sparse

from treatise.statistics import MinHashPrevalence


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.random((300, 5)) < [0.3, 0.5, 0.5, 0.1, 0.0]
    X[:, 1] |= X[:, 0]
    return X


def test_many_hashescome_near_the_share_of_rows_that_have_all(rows):
    hashes = MinHashPrevalence(rows, 2000, random_state=0)
    for chosen in ([0], [0, 1], [1, 2], [0, 1, 2], [2, 3]):
        exact = rows[:, chosen].all(axis=1).mean()
        any_of_them = rows[:, chosen].any(axis=1).mean()
        error = any_of_them * np.sqrt(exact / any_of_them * (1 - exact) / 2000)
        assert abs(hashes.estimate(chosen) - exact) < 3.5 * error, chosen


def test_no_feature_is_in_every_row_and_an_absent_one_in_none(rows):
    hashes = MinHashPrevalence(rows, 50, random_state=0)
    assert hashes.estimate([]) == 1.0
    assert hashes.estimate([4]) == hashes.estimate([4, 1]) == 0.0
    with pytest.raises(ValueError, match="numbers from 0 to 4"):
        hashes.estimate([5])


def test_hashesare_the_first_places_of_random_orders(rows):
    hashes = MinHashPrevalence(rows, 40, random_state=1).hashes
    assert (hashes[4] == 301).all() and hashes[:4].min() >= 1
    # A feature of share p is first met at place (n + 1) / (n p + 1) in the mean: Equation (6).
    many = MinHashPrevalence(rows, 3000, random_state=2).hashes
    for k in range(4):
        expected = 301 / (300 * rows[:, k].mean() + 1)
        assert abs(many[k].mean() - expected) < 4 * many[k].std() / np.sqrt(3000)
    thin = MinHashPrevalence(sparse.csr_array(rows.astype(float)), 40, random_state=1)
    np.testing.assert_array_equal(thin.hashes, hashes)


def test_variance_is_that_of_sampling_rows_times_the_share_with_any(rows):
    chosen, n_hashes = [0, 3], 100
    exact, any_of_them = rows[:, chosen].all(axis=1).mean(), rows[:, chosen].any(axis=1).mean()
    found = [MinHashPrevalence(rows, n_hashes, random_state=seed).estimate(chosen) for seed in range(400)]
    ratio = n_hashes * np.var(found) / (exact * (1 - exact))
    # A variance of 400 draws has a standard error of 7 %.
    assert ratio == pytest.approx(any_of_them, rel=0.25) and any_of_them < 0.5
