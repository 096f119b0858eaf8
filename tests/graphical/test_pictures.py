"""Pictures in, pictures out: neighbours, matching costs, denoising and disparities."""

import numpy as np
import pytest
from matplotlib.image import imread
from scipy.ndimage import gaussian_filter1d

from treatise.graphical import denoise_image, grid_edges, matching_costs, stereo_disparity


def test_grid_edges_join_each_pixel_to_its_neighbours_once():
    edges = grid_edges((3, 4), connectivity=8)
    rows, columns = np.divmod(edges, 4)
    steps = np.abs(np.diff(rows))[:, 0], np.abs(np.diff(columns))[:, 0]
    assert np.all(np.maximum(*steps) == 1)
    assert len({tuple(sorted(pair)) for pair in edges.tolist()}) == len(edges) == 9 + 8 + 6 + 6
    np.testing.assert_array_equal(grid_edges((3, 4)), edges[:17])
    assert grid_edges((1, 1)).shape == (0, 2)


def birchfield_tomasi(left, right, x, y, shift):
    """The dissimilarity of Birchfield and Tomasi for one pixel and band, written out."""

    def span(line, at):
        around = [line[at], (line[at] + line[max(at - 1, 0)]) / 2, (line[at] + line[min(at + 1, len(line) - 1)]) / 2]
        return min(around), max(around)

    low, high = span(right[y], x - shift)
    one = max(0, left[y, x] - high, low - left[y, x])
    low, high = span(left[y], x)
    other = max(0, right[y, x - shift] - high, low - right[y, x - shift])
    return min(one, other)


def test_matching_costs_are_those_of_birchfield_and_tomasi():
    rng = np.random.default_rng(0)
    left, right = rng.integers(0, 60, (2, 3, 9, 2)).astype(float)
    costs = matching_costs(left, right, 4, cost_cap=15)
    for y, x, shift in np.ndindex(3, 9, 4):
        if x < shift:
            assert costs[y, x, shift] == 30  # beyond the border: the cap in both bands
        else:
            bands = [birchfield_tomasi(left[..., b], right[..., b], x, y, shift) for b in range(2)]
            assert costs[y, x, shift] == sum(min(band, 15) for band in bands)


@pytest.mark.parametrize("distance", ["linear", "quadratic"])
def test_a_shifted_square_is_found_before_its_background(distance):
    rng = np.random.default_rng(1)
    # Smooth along the rows: between unrelated neighbours nearly all levels lie, and all would match.
    texture = 5 * gaussian_filter1d(rng.uniform(0, 255, (36, 60)), 2.0, axis=1)
    background, square = texture[:24], texture[24:, :14]
    left, right = background[:, 2:50].copy(), background[:, 4:52].copy()
    left[6:18, 20:34] = square
    right[6:18, 14:28] = square
    # A border costs weight * truncation, less than the cap of a wrong match: else corners are rounded off.
    found = stereo_disparity(left, right, n_disparities=9, weight=1, distance=distance, truncation=4)
    truth = np.full((24, 48), 2)
    truth[6:18, 20:34] = 6
    # Columns without a match are left out: the border, and what the square hides beside it.
    seen = np.ones_like(truth, bool)
    seen[:, :6], seen[6:18, 14:20] = False, False
    assert np.mean(found[seen] == truth[seen]) > 0.98


def test_tsukuba_disparities_are_mostly_right(real_data):
    def picture(name):
        return np.rint(imread(real_data(f"stereo/tsukuba/{name}.png")) * 255)[100:180, 120:220]

    left, right, truth = picture("im2"), picture("im6"), picture("disp2")[..., 0] / 16
    found = stereo_disparity(left, right, n_disparities=16, weight=20, truncation=2, method="range_swap")
    known = truth > 0
    known[:, :16] = False
    # The usual measure of this pair: more than one disparity off. Choosing the cheapest match errs on 35 per cent.
    assert np.mean(np.abs(found - truth)[known] > 1) < 0.15
    alone = matching_costs(left, right, 16).argmin(axis=2)
    assert np.mean(np.abs(alone - truth)[known] > 1) > 0.25


def test_noise_goes_and_edges_stay():
    scene = np.kron([[20.0, 220.0], [120.0, 20.0]], np.ones((10, 10)))
    noisy = scene + np.random.default_rng(0).normal(0, 15, scene.shape)
    clean = denoise_image(noisy, weight=4.0, truncation=4)
    assert np.abs(clean - scene).mean() < 0.4 * np.abs(noisy - scene).mean()
    assert np.abs(clean[:10, 9] - clean[:10, 10]).min() > 150
    flat = denoise_image(noisy, weight=1e4, distance="linear")
    assert np.ptp(flat) == 0


def test_missing_pixels_are_filled_in_and_types_kept():
    scene = np.kron([[20.0, 220.0]], np.ones((8, 8)))
    holes = scene.copy()
    holes[3:5, 2:4] = np.nan
    np.testing.assert_allclose(denoise_image(holes, truncation=3), scene)
    levels = denoise_image(scene.astype(np.uint8), n_levels=11, truncation=3)
    assert levels.dtype == np.uint8 and np.array_equal(levels, scene)
    specks = scene.copy()
    specks[2, 3] = 220
    np.testing.assert_allclose(denoise_image(specks, weight=2.0, truncation=5, error="absolute", n_levels=11), scene)
    assert np.array_equal(denoise_image(np.full((3, 3), 7)), np.full((3, 3), 7))
    # A lone black pixel and a black half: only the first is a speck.
    mask = np.ones((6, 8), bool)
    mask[:, 4:] = False
    specked = mask.copy()
    specked[2, 1] = False
    np.testing.assert_array_equal(denoise_image(specked, n_levels=2, weight=0.3), mask)
    assert denoise_image(specked).dtype == bool and not denoise_image(specked)[:, 5:].any()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: grid_edges((0, 3)), "is no grid"),
        (lambda: grid_edges((2, 3, 4)), "is no grid"),
        (lambda: grid_edges((2.5, 3)), "is no grid"),
        (lambda: grid_edges((2, 3), 6), "connectivity=6"),
        (lambda: denoise_image(np.zeros((2, 2, 3))), "grey levels; its shape"),
        (lambda: denoise_image([[np.inf, 1.0]]), "infinite pixels"),
        (lambda: denoise_image([[np.nan]]), "none that is not NaN"),
        (lambda: denoise_image([[0.0, 1.0]], n_levels=1), "n_levels=1"),
        (lambda: denoise_image([[0.0, 1.0]], error="huber"), "'huber' is unknown"),
        (lambda: stereo_disparity(np.zeros((3, 4)), np.zeros((3, 5))), "of one shape"),
        (lambda: stereo_disparity(np.zeros((3, 4)), np.zeros((3, 4)), n_disparities=5), "the 4 columns"),
        (lambda: stereo_disparity(np.zeros((3, 4)), np.full((3, 4), np.nan), n_disparities=2), "hold NaN"),
        (lambda: matching_costs(np.zeros((3, 4)), np.zeros((3, 4)), 2, 0), "cost_cap=0"),
    ],
)
def test_bad_pictures_are_refused_with_the_reason(call, message):
    with pytest.raises(ValueError, match=message):
        call()
