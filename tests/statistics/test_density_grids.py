"""Kernel densities on grids against sums over rows, and mutual informations against their definitions."""

import tracemalloc

import numpy as np
import pytest
from sklearn.neighbors import KernelDensity

from treatise.statistics import DensityGrids, kde_mutual_information, plug_in_bandwidths
from treatise.statistics.density_grids import FLOOR


@pytest.fixture(scope="module")
def rows():
    """Twenty columns in [0, 1] of many spreads: bandwidths from 0.02 to 0.2, dependent and not."""
    rng = np.random.default_rng(0)
    X = np.clip(0.5 + rng.normal(size=(60, 20)) * np.geomspace(0.01, 0.25, 20), 0, 1)
    X[:, 3] = np.clip(X[:, 17] + rng.normal(scale=0.05, size=60), 0, 1)
    return X


def kernel(x, points, width):
    return np.exp(-0.5 * ((x[:, None] - points) / width) ** 2) / (width * np.sqrt(2 * np.pi))


def pair_by_rows(grids, X, i, j):
    """Equation 6, one row after another."""
    density = np.zeros((len(grids.grid), len(grids.grid)))
    for a, b in zip(
        kernel(X[:, i], grids.grid, grids.pair_bandwidths[i]), kernel(X[:, j], grids.grid, grids.pair_bandwidths[j])
    ):
        density += np.outer(a, b)
    return density / len(X)


def information_by_cells(grids, X, i, j, kind, weights=None):
    """The three estimates of Section 6.1 as they are printed, with the truncation."""
    m, p = len(grids.grid), pair_by_rows(grids, X, i, j)
    w = p if weights is None else weights
    single = [kernel(X[:, k], grids.grid, grids.bandwidths[k]).mean(axis=0) for k in (i, j)]

    def log(values):
        return np.log(np.maximum(values, FLOOR))

    if kind == "slow":
        single = [p.sum(axis=1) / (m - 1), p.sum(axis=0) / (m - 1)]
    if kind == "medium":
        ratio = log(p) - log(single[0])[:, None] - log(single[1])
        return (w * ratio).sum() / (m - 1) ** 2
    return (p * log(p)).sum() / (m - 1) ** 2 - sum((q * log(q)).sum() / (m - 1) for q in single)


def test_bandwidths_are_the_normal_reference_rule():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=200), rng.standard_t(2, size=200)])
    low, high = np.percentile(X, [25, 75], axis=0)
    spread = np.minimum(X.std(axis=0, ddof=1), (high - low) / 1.34)
    np.testing.assert_allclose(plug_in_bandwidths(X), 1.06 * spread * 200 ** (-1 / 5), rtol=1e-14)
    np.testing.assert_allclose(plug_in_bandwidths(X, dimension=2), 1.06 * spread * 200 ** (-1 / 6), rtol=1e-14)
    np.testing.assert_allclose(plug_in_bandwidths(X, smoothness=1), 1.06 * spread * 200 ** (-1 / 3), rtol=1e-14)
    # The heavy tail of the second column is seen by the quartiles alone.
    assert spread[1] < X[:, 1].std(ddof=1)


def test_a_column_of_mostly_one_value_keeps_a_bandwidth_and_a_constant_one_has_none():
    X = np.zeros((40, 2))
    X[:5, 0] = 1.0
    widths = plug_in_bandwidths(X)
    assert widths[0] == pytest.approx(1.06 * X[:, 0].std(ddof=1) * 40 ** (-1 / 5)) and widths[1] == 0
    # The deviation of a large constant is rounding, not zero.
    assert plug_in_bandwidths(np.full((7, 1), 0.1 + 1e9)) == 0


def test_univariate_grids_equal_scikit_learns_kernel_density(rows):
    grids = DensityGrids(rows, grid_size=50)
    for column in (0, 9, 19):
        peer = KernelDensity(bandwidth=grids.bandwidths[column]).fit(rows[:, [column]])
        expected = np.exp(peer.score_samples(grids.grid[:, None]))
        np.testing.assert_allclose(grids.univariate[column], expected, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("pair", [(19, 18), (3, 17), (0, 19), (0, 1)])
def test_grids_of_pairs_equal_sums_over_rows(rows, pair):
    grids = DensityGrids(rows, grid_size=64)
    expected = pair_by_rows(grids, rows, *pair)
    # Rounding of the directions that are left out, 1e-15 of the largest.
    np.testing.assert_allclose(grids.pair(*pair), expected, rtol=0, atol=1e-13 * expected.max())
    np.testing.assert_allclose(grids.pair(*pair[::-1]), grids.pair(*pair).T, rtol=0, atol=1e-13 * expected.max())


def test_wide_kernels_are_kept_in_few_directions_and_narrow_ones_as_they_are(rows):
    grids = DensityGrids(rows, grid_size=64)
    ranks = [scores.shape[1] for scores, _ in grids._factors]
    assert ranks[19] < 32 and grids._factors[19][1] is not None
    assert ranks[0] == 64 and grids._factors[0][1] is None


@pytest.mark.parametrize("kind", ["fast", "medium", "slow"])
def test_mutual_information_equals_the_double_loop(rows, kind):
    grids = DensityGrids(rows, grid_size=40)
    found = grids.mutual_information(kind)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(np.diag(found), 0.0)
    for i in range(20):
        for j in range(i):
            assert found[i, j] == pytest.approx(information_by_cells(grids, rows, i, j, kind), abs=1e-12)


def test_cross_information_averages_over_the_other_rows(rows):
    rng = np.random.default_rng(2)
    other_rows = rng.random((25, 20))
    grids, other = DensityGrids(rows, grid_size=40), DensityGrids(other_rows, grid_size=40)
    found = grids.cross_information(other)
    for i, j in [(0, 1), (3, 17), (19, 4), (12, 11)]:
        weights = pair_by_rows(other, other_rows, i, j)
        expected = information_by_cells(grids, rows, i, j, "medium", weights)
        assert found[i, j] == found[j, i] == pytest.approx(expected, abs=1e-12 * max(1, abs(expected)))
    np.testing.assert_allclose(grids.cross_information(grids), grids.mutual_information(), rtol=0, atol=1e-14)
    assert not np.allclose(found, other.cross_information(grids))


def test_the_limit_of_memory_changes_tiles_and_not_results(rows):
    whole = DensityGrids(rows, grid_size=32)
    least = DensityGrids(rows, grid_size=32, memory_limit=1)
    assert least._tile_size() == 1 < whole._tile_size()
    np.testing.assert_allclose(least.mutual_information(), whole.mutual_information(), rtol=0, atol=1e-13)


@pytest.mark.parametrize("width", [0.2, 0.01])
def test_tiles_take_no_more_memory_than_allowed(width, monkeypatch):
    monkeypatch.setattr("numba.get_num_threads", lambda: 1)
    grids, other = (
        DensityGrids(np.random.default_rng(3).random((40, 24)), pair_bandwidths=[width] * 24, memory_limit=8 * 2**20)
        for _ in range(2)
    )
    assert 1 < grids._tile_size() < 16
    tracemalloc.start()
    grids.cross_information(other)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Beyond the tiles there are the result, the stacked scores and sums along axes: a few hundred kilobytes.
    assert peak < 8.5 * 2**20


def test_information_does_not_depend_on_origin_unit_or_sign_of_columns(rows):
    rng = np.random.default_rng(4)
    plain = kde_mutual_information(rows, grid_size=32)
    moved = kde_mutual_information(rows * rng.uniform(0.1, 1000, 20) - rng.uniform(0, 50, 20), grid_size=32)
    np.testing.assert_allclose(moved, plain, rtol=0, atol=1e-10)
    np.testing.assert_allclose(kde_mutual_information(-rows, grid_size=32), plain, rtol=0, atol=1e-10)
    order = rng.permutation(20)
    np.testing.assert_allclose(kde_mutual_information(rows[:, order], grid_size=32), plain[np.ix_(order, order)])


def test_medium_information_of_independent_columns_is_not_negative_by_more_than_its_bias():
    X = np.random.default_rng(5).normal(size=(400, 30))
    found = kde_mutual_information(X)
    assert found.min() >= -1e-3
    assert found.max() < 0.03


def test_information_of_gaussian_pairs_rises_to_the_truth_from_below():
    """Correlation 0.6 shares 0.2231; the means over a few draws are known to 0.01."""
    truth = -0.5 * np.log(1 - 0.36)
    means = []
    for n, draws in ((400, 12), (2000, 6), (10000, 2)):
        rng = np.random.default_rng(n)
        z = rng.normal(size=(draws, n, 2))
        z[..., 1] = 0.6 * z[..., 0] + 0.8 * z[..., 1]
        means.append(np.mean([kde_mutual_information(sample)[0, 1] for sample in z]))
    np.testing.assert_allclose(means, [0.156, 0.179, 0.198], atol=0.015)
    assert means[0] < means[1] < means[2] < truth


def test_bad_input_is_refused_with_what_would_be_right():
    X = np.random.default_rng(6).random((20, 3))
    with pytest.raises(ValueError, match="constant columns have no density: 1; drop them"):
        kde_mutual_information(np.column_stack([X[:, 0], np.ones(20)]))
    with pytest.raises(ValueError, match="NaN"):
        kde_mutual_information(np.where(X > 0.9, np.nan, X))
    with pytest.raises(ValueError, match="'medum' must be one of fast, medium, slow"):
        kde_mutual_information(X, kind="medum")
    with pytest.raises(ValueError, match="grid_size=1 must be at least 2"):
        DensityGrids(X, grid_size=1)
    with pytest.raises(ValueError, match="pair_bandwidths must hold a positive number for each of the 3 columns"):
        DensityGrids(X, pair_bandwidths=[0.1, 0.1, 0.0])
    with pytest.raises(ValueError, match="dimension=3 must be 1 or 2"):
        plug_in_bandwidths(X, dimension=3)
    with pytest.raises(ValueError, match="2 columns on 128 points; 3 on 128 are needed"):
        DensityGrids(X).cross_information(DensityGrids(X[:, :2]))
    with pytest.raises(ValueError, match="column 7 does not exist"):
        DensityGrids(X).pair(0, 7)
