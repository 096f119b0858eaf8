"""Two-sample and independence tests: statistics by their estimators, level, and what they see."""

import numpy as np
import pytest

from treatise.information import divergence, independence_test, mutual_information, two_sample_test
from treatise.kernels import Gaussian
from treatise.statistics import permutation_test


def pair(n=60, m=45, columns=2, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, columns)), rng.normal(size=(m, columns)) + 0.3


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("method", ["energy", "mmd"])
def test_statistics_of_two_samples_are_those_of_the_estimators_on_every_permutation(method, columns):
    X, Y = pair(columns=columns)
    pooled = np.vstack([X, Y])
    parameters = {"kernel": Gaussian(0.4)} if method == "mmd" else {}
    squared = {"squared": True} if method == "mmd" else {}

    def slow(order):
        return divergence(pooled[order[:60]], pooled[order[60:]], method, **parameters, **squared)

    fast = two_sample_test(X, Y, method, n_permutations=20, random_state=0, **parameters)
    expected = permutation_test(slow, 105, n_permutations=20, random_state=0)
    assert fast.statistic == pytest.approx(expected.statistic, abs=1e-12)
    np.testing.assert_allclose(fast.null, expected.null, atol=1e-12)
    assert fast.p_value == expected.p_value


@pytest.mark.parametrize(
    ("method", "columns"), [("distance_covariance", 1), ("distance_covariance", 2), ("hsic", 1), ("hsic", 12)]
)
def test_statistics_of_independence_are_those_of_the_estimators_on_every_permutation(method, columns):
    X, Y = pair(80, 80, columns)
    Y = Y + 0.5 * X
    parameters = {"squared": True} if method == "distance_covariance" else {"tolerance": 1e-4}

    def slow(order):
        return mutual_information(X, Y[order], method, **parameters)

    fast = independence_test(X, Y, method, n_permutations=20, random_state=0)
    expected = permutation_test(slow, 80, n_permutations=20, random_state=0)
    assert fast.statistic == pytest.approx(expected.statistic, rel=1e-3)
    np.testing.assert_allclose(fast.null, expected.null, rtol=5e-3)
    assert fast.p_value == expected.p_value


@pytest.mark.parametrize("method", ["distance_covariance", "hsic", "shannon_ksg", "schweizer_wolff_sigma"])
def test_dependence_without_correlation_is_seen(method):
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 250)
    x, y = np.cos(angle) + 0.1 * rng.normal(size=250), np.sin(angle) + 0.1 * rng.normal(size=250)
    assert abs(np.corrcoef(x, y)[0, 1]) < 0.1
    assert independence_test(x, y, method, n_permutations=99, random_state=0).p_value <= 0.02


@pytest.mark.parametrize("method", ["energy", "mmd", "kl_knn"])
def test_samples_of_other_spread_are_told_apart(method):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(150, 2)), 2.0 * rng.normal(size=(120, 2))
    assert two_sample_test(X, Y, method, n_permutations=99, random_state=0).p_value <= 0.02


@pytest.mark.parametrize("test", [two_sample_test, independence_test])
def test_the_level_holds_where_there_is_nothing_to_see(test):
    rejected = 0
    for seed in range(200):
        X, Y = np.random.default_rng(seed).normal(size=(2, 25))
        rejected += test(X, Y, n_permutations=19, random_state=seed).p_value <= 0.05
    # 10 of 200 on average; 20 is three standard errors above.
    assert 1 <= rejected <= 20


def test_many_rows_of_columns_are_tested_without_a_matrix():
    rng = np.random.default_rng(0)
    x = rng.normal(size=20_000)
    y = x**2 + 3 * rng.normal(size=20_000)
    assert independence_test(x, y, n_permutations=19, random_state=0).p_value == 0.05
    assert independence_test(x, y, "hsic", n_permutations=19, random_state=0).p_value == 0.05
    with pytest.raises(ValueError, match="test up to 8000 of them"):
        independence_test(np.c_[x, x], y)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="X has 3 rows but Y has 4"):
        independence_test(np.arange(3.0), np.arange(4.0))
    with pytest.raises(ValueError, match="X has 2 columns but Y has 1"):
        two_sample_test(np.eye(2), np.ones((5, 1)))
    with pytest.raises(ValueError, match="n_permutations=0"):
        two_sample_test(np.arange(5.0), np.arange(4.0), n_permutations=0)
    with pytest.raises(ValueError, match="NaN"):
        independence_test([1.0, np.nan, 2.0], [1.0, 2.0, 3.0])
