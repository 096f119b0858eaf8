"""Series of switching linear systems."""

import numpy as np

from treatise.papers.kernel_methods.v05_0819._series import make_switching_series


def test_switching_series_are_reproducible_and_balanced():
    series, y = make_switching_series(random_state=3)
    again, _ = make_switching_series(random_state=3)
    assert len(series) == 100 and all(each.shape == (25, 2) for each in series)
    assert np.bincount(y).tolist() == [50, 50]
    np.testing.assert_array_equal(np.array(series), np.array(again))
    # A spectral radius below one keeps every series within a few dozen noises.
    assert np.abs(np.array(series)).max() < 1000
