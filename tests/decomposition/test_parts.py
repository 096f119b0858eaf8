"""Pictures of parts."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from treatise.decomposition import plot_parts


def test_every_part_stands_at_its_place_at_full_contrast():
    parts = np.array([[1.0, 0.0, 0.0, 2.0], [0.0, 30.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    image = plot_parts(parts, (2, 2), columns=2).images[0]
    sheet = np.ma.filled(image.get_array(), np.nan)
    assert sheet.shape == (7, 7) and image.get_clim() == (0.0, 1.0)
    np.testing.assert_array_equal(sheet[1:3, 1:3], [[0.5, 0.0], [0.0, 1.0]])
    np.testing.assert_array_equal(sheet[1:3, 4:6], [[0.0, 1.0], [0.0, 0.0]])
    np.testing.assert_array_equal(sheet[4:6, 1:3], np.zeros((2, 2)))
    assert np.isnan(sheet[4:6, 4:6]).all() and np.isnan(sheet[3]).all()


def test_signed_parts_put_zero_in_the_middle():
    image = plot_parts([[1.0, -4.0]], (1, 2)).images[0]
    assert image.get_clim() == (-1.0, 1.0)
    np.testing.assert_array_equal(image.get_array()[1, 1:3], [0.25, -1.0])


def test_parts_are_drawn_into_given_axes():
    ax = Figure().subplots()
    assert plot_parts(np.eye(4), (2, 2), ax=ax) is ax and len(ax.images) == 1


def test_a_shape_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"components have 4 pixels; shape=\(3, 2\) would need 6"):
        plot_parts(np.eye(4), (3, 2))
