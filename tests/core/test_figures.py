"""Where plots draw."""

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

from treatise._core.figures import axes_for, panels_for


def test_given_axes_are_drawn_on_and_no_figure_is_made():
    before = pyplot.get_fignums()
    ax = Figure().subplots()
    assert axes_for(ax) is ax
    assert pyplot.get_fignums() == before


def test_without_axes_a_notebook_sees_the_new_figure():
    ax = axes_for(figsize=(3.0, 2.0))
    assert ax.figure.number in pyplot.get_fignums()
    assert ax.figure.get_size_inches().tolist() == [3.0, 2.0]
    pyplot.close(ax.figure)


def test_panels_fill_a_grid_and_no_empty_one_is_left():
    panels = panels_for(None, 5, across=3)
    assert panels.shape == (5,)
    assert len(panels[0].figure.axes) == 5
    pyplot.close(panels[0].figure)


def test_panels_given_must_be_as_many_as_drawn():
    given = Figure().subplots(2, 2)
    assert np.array_equal(panels_for(given, 4), given.ravel())
    with pytest.raises(ValueError, match="ax holds 4 axes; this plot has 3 panels"):
        panels_for(given, 3)
