"""Where a plot draws: on the axes it is given, or on a new figure that a notebook shows."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def axes_for(ax: "Axes | None" = None, *, figsize: tuple[float, float] | None = None) -> "Axes":
    """The axes to draw on.

    Parameters
    ----------
    ax : matplotlib Axes or None, default=None
        What the user gave; None makes a figure through pyplot, which shows it in a notebook.
    figsize : (float, float) or None, default=None
        Width and height in inches of a new figure.

    Returns
    -------
    ax : matplotlib Axes
    """
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.figure(figsize=figsize, layout="constrained").subplots()


def verbatim(name: Any) -> str:
    """A name as a plot shows it letter by letter: a dollar sign in it begins no formula."""
    return str(name).replace("$", r"\$")


def panels_for(
    ax: Any = None, count: int = 1, *, across: int | None = None, figsize: tuple[float, float] | None = None
) -> np.ndarray:
    """The axes of a plot with several panels.

    Parameters
    ----------
    ax : sequence of matplotlib Axes or None, default=None
        What the user gave, one for each panel; None makes a figure.
    count : int, default=1
        Panels.
    across : int or None, default=None
        Panels in a row of a new figure; None puts all in one row.
    figsize : (float, float) or None, default=None
        Width and height in inches of a new figure.

    Returns
    -------
    ax : ndarray of matplotlib Axes of shape (count,)
    """
    if ax is not None:
        panels = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
        if len(panels) != count:
            raise ValueError(f"ax holds {len(panels)} axes; this plot has {count} panels, give one for each")
        return panels
    from matplotlib import pyplot

    across = min(across or count, count)
    down = -(-count // across)
    figure = pyplot.figure(figsize=figsize, layout="constrained")
    panels = figure.subplots(down, across, squeeze=False).ravel()
    for unused in panels[count:]:
        unused.remove()
    return panels[:count]
