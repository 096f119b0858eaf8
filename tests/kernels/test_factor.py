"""The incomplete Cholesky factor: as the whole one, from a few columns."""

import numpy as np
import pytest

from treatise.kernels import Distance, Gaussian, KernelFactor, Linear, median_gamma


@pytest.mark.parametrize("kernel", [Gaussian(0.5), Linear(), Distance()])
def test_a_factor_on_demand_rebuilds_the_gram_matrix(kernel):
    X = np.random.default_rng(0).normal(size=(120, 3))
    factor = KernelFactor.on_demand(kernel, kernel.prepare(X), tolerance=1e-13)
    np.testing.assert_allclose(factor.features @ factor.features.T, kernel(X), atol=1e-8)
    np.testing.assert_allclose(factor.triangle, factor.features[factor.pivots])
    weights = np.arange(factor.features.shape[1], dtype=float)
    scores = kernel(X, X[factor.pivots]) @ factor.dual(weights)
    np.testing.assert_allclose(scores, factor.features @ weights, rtol=1e-3, atol=1e-3)


def test_the_trace_that_is_left_is_within_the_tolerance_and_ranks_stay_small():
    X = np.random.default_rng(0).normal(size=(3000, 1))
    factor = KernelFactor.on_demand(Gaussian(0.5), Gaussian(0.5).prepare(X), tolerance=1e-6)
    assert 3000 - np.sum(factor.features**2) <= 1e-6 * 3000
    assert factor.features.shape[1] < 25
    assert KernelFactor.on_demand(Gaussian(0.5), Gaussian(0.5).prepare(X), max_rank=4).features.shape == (3000, 4)


def test_the_median_width_is_blind_to_the_order_of_rows_and_to_ties():
    X = np.random.default_rng(0).normal(size=(5000, 2))
    gaps = np.linalg.norm(X[:700, None] - X[None, 700:1400], axis=2)
    assert median_gamma(X) == pytest.approx(1 / np.median(gaps) ** 2, rel=0.05)
    assert median_gamma(X[::-1]) == median_gamma(X)
    assert median_gamma(np.array([[0.0], [0.0], [0.0], [0.0], [2.0]])) == 0.25
    with pytest.raises(ValueError, match="all rows of X are equal"):
        median_gamma(np.ones((3, 2)))


def test_the_distance_kernel_has_the_distances_of_the_rows():
    X = np.random.default_rng(0).normal(size=(20, 3))
    K = Distance(1.5)(X)
    squares = np.diag(K)[:, None] + np.diag(K) - 2 * K
    np.testing.assert_allclose(squares, np.linalg.norm(X[:, None] - X, axis=2) ** 1.5, atol=1e-12)
    assert np.linalg.eigvalsh(K)[0] > -1e-10
    with pytest.raises(ValueError, match="alpha=3 gives no kernel"):
        Distance(3)(X)
