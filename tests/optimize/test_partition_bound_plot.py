"""The drawing of a log-partition function and its bound."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.special import logsumexp

from treatise.optimize import log_partition_bound, plot_log_partition_bound


def test_curves_are_log_partition_and_bound_along_the_line():
    rng = np.random.default_rng(0)
    theta, features, prior, direction = rng.normal(size=3), rng.normal(size=(5, 3)), rng.random(5), rng.normal(size=3)
    axes = Figure().subplots()
    assert plot_log_partition_bound(theta, features, prior, direction=direction, reach=2.0, ax=axes) is axes
    below, above = (line.get_ydata() for line in axes.lines)
    steps = axes.lines[0].get_xdata()
    points = theta + np.outer(steps, direction / np.linalg.norm(direction))
    np.testing.assert_allclose(below, logsumexp(points @ features.T, b=prior, axis=1), rtol=1e-12)
    bound = log_partition_bound(theta, features, prior)
    moves = points - theta
    curved = 0.5 * np.einsum("ti,ij,tj->t", moves, bound.curvature, moves)
    np.testing.assert_allclose(above, bound.log_partition + moves @ bound.mean + curved, rtol=1e-12)
    assert np.all(above >= below - 1e-12)


def test_a_direction_of_zeros_is_refused():
    with pytest.raises(ValueError, match="not all of them 0"):
        plot_log_partition_bound([0.0], [[1.0], [2.0]], direction=[0.0])
