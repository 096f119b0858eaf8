"""Images as bags of regions, against formulas and shapes that are known."""

import numpy as np
import pytest

from treatise.applications import image_to_bag
from treatise.applications.multiple_instance.image import _HIGH, _LOW, _block_features, _filtered, _luv, _shape


def test_filters_are_those_of_daubechies():
    np.testing.assert_allclose([_LOW @ _LOW, _HIGH @ _HIGH, _LOW @ _HIGH], [1, 1, 0], atol=1e-14)
    np.testing.assert_allclose(_LOW.sum(), np.sqrt(2))
    # Two vanishing moments: constants and slopes give no high frequency.
    np.testing.assert_allclose([_HIGH.sum(), _HIGH @ np.arange(4)], 0, atol=1e-14)
    image = np.random.default_rng(0).normal(size=(8, 8))
    bands = [_filtered(_filtered(image, u, 1), v, 0) for u in (_LOW, _HIGH) for v in (_LOW, _HIGH)]
    np.testing.assert_allclose(sum((band**2).sum() for band in bands), (image**2).sum())


def test_colours_are_those_of_the_standard():
    known = {
        (1, 1, 1): (100, 0, 0),
        (0, 0, 0): (0, 0, 0),
        (1, 0, 0): (53.24, 175.01, 37.75),
        (0, 0, 1): (32.30, -9.40, -130.34),
    }
    for colour, luv in known.items():
        np.testing.assert_allclose(_luv(np.array([[colour]], float))[0, 0], luv, atol=0.05)


def test_upright_stripes_excite_the_horizontal_band():
    stripes = np.tile([0.0, 50.0], (16, 8))
    luv = np.dstack([stripes, np.zeros_like(stripes), np.zeros_like(stripes)])
    features = _block_features(luv).reshape(-1, 6)
    np.testing.assert_allclose(features[:, 0], 25.0)
    assert (features[:, 3] > 10).all()
    np.testing.assert_allclose(features[:, 4:], 0.0, atol=1e-10)


def test_a_disc_has_the_shape_of_a_circle_and_a_bar_more_inertia():
    rows, columns = np.mgrid[:81, :81] - 40
    np.testing.assert_allclose(_shape(rows**2 + columns**2 <= 38**2), 1.0, atol=5e-3)
    bar = np.zeros((81, 81), bool)
    bar[40] = True
    assert (_shape(bar) > 2).all()
    square = np.ones((40, 40), bool)
    # Of a square of side one: the second moment is 1/6; a disc's is 1 / (2 pi).
    np.testing.assert_allclose(_shape(square)[1], (1 / 6) / (1 / (2 * np.pi)), rtol=1e-3)


def test_regions_are_found_and_described():
    image = np.zeros((40, 60, 3), np.uint8)
    image[:, 40:] = [255, 0, 0]
    bag = image_to_bag(image)
    assert bag.regions.shape == (10, 15)
    assert np.array_equal(bag.regions, np.repeat(np.arange(15)[np.newaxis] >= 10, 10, axis=0))
    assert bag.instances.shape == (2, 9)
    np.testing.assert_allclose(image_to_bag(image / 255.0).instances, bag.instances)
    np.testing.assert_array_equal(image_to_bag(image[:39, :58]).regions, bag.regions[:9, :14])


def test_a_finer_distortion_gives_more_regions_up_to_the_most():
    image = np.random.default_rng(0).random((64, 64, 3))
    counts = [len(image_to_bag(image, distortion=share, max_regions=8).instances) for share in (0.9, 0.6, 0.01)]
    assert counts == sorted(counts) and counts[0] < counts[-1] == 8


def test_a_plain_grey_image_is_one_region():
    assert image_to_bag(np.full((8, 8), 128, np.uint8)).instances.shape == (1, 9)


@pytest.mark.parametrize(
    ("image", "message"),
    [
        (np.zeros((3, 8)), "one block needs 4 x 4"),
        (np.full((8, 8), 2.0), "numbers from 0 to 1"),
        (np.full((8, 8), -1), "numbers from 0 to 255"),
        (np.zeros((8, 8, 4)), r"must be \(height, width\)"),
    ],
)
def test_what_is_no_image_is_refused(image, message):
    with pytest.raises(ValueError, match=message):
        image_to_bag(image)
    with pytest.raises(ValueError, match="distortion=2"):
        image_to_bag(np.zeros((8, 8)), distortion=2)
