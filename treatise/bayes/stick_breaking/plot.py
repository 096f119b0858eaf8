"""Pictures of segments: over an image, on a map, along a series."""

import numpy as np
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.pyplot import get_cmap
from scipy.spatial import cKDTree

from treatise._core.figures import axes_for
from treatise.bayes.stick_breaking._places import checked_locations


def plot_segments(labels, locations, *, image=None, values=None, opacity=0.4, ax=None):
    """Segments over an image or a map, or along a series.

    Over an image every pixel has the colour of the row nearest to it, and borders are drawn in white. On a map without
    an image rows are dots. Along a series segments are bands of colour behind the values.

    Parameters
    ----------
    labels : array-like of int of shape (n_rows,)
        Segment of each row, as ``labels_``.
    locations : array-like of shape (n_rows,) or (n_rows, 1 or 2)
        Places: times; or row and column in pixels over an image; or down and across on a map.
    image : array-like of shape (height, width) or (height, width, 3), or None, default=None
        What to draw below; grey levels, or colours of 0 to 1 or 0 to 255.
    values : array-like of shape (n_rows,) or (n_rows, n_columns), or None, default=None
        What to draw along a series.
    opacity : float, default=0.4
        Of the segments over an image; 1 hides it.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes
    """
    labels = np.asarray(labels)
    locations = checked_locations(locations, None)
    if len(labels) != len(locations):
        raise ValueError(f"labels has {len(labels)} entries and locations has {len(locations)}; give one for each row")
    if locations.shape[1] > 2:
        raise ValueError(f"locations has {locations.shape[1]} columns; places of one or two can be drawn")
    ax = axes_for(ax)
    count = int(labels.max()) + 1
    colors = ListedColormap([get_cmap("tab20" if count > 10 else "tab10")(k % 20) for k in range(count)])
    shades = {"cmap": colors, "norm": BoundaryNorm(np.arange(count + 1) - 0.5, count)}
    if locations.shape[1] == 1:
        _along(ax, labels, locations[:, 0], values, colors)
    elif image is None:
        ax.scatter(locations[:, 1], locations[:, 0], c=labels, s=12, **shades)
        ax.invert_yaxis()
        ax.set_aspect("equal")
    else:
        _over(ax, labels, locations, np.asarray(image), opacity, shades)
    return ax


def _over(ax, labels, locations, image, opacity, shades):
    pixels = np.indices(image.shape[:2]).reshape(2, -1).T
    nearest = labels[cKDTree(locations).query(pixels)[1]].reshape(image.shape[:2])
    ax.imshow(image, cmap="gray" if image.ndim == 2 else None)
    ax.imshow(nearest, alpha=opacity, interpolation="nearest", **shades)
    for k in np.unique(labels)[1:]:
        ax.contour(nearest >= k, levels=[0.5], colors="white", linewidths=0.8)
    ax.set_xticks([])
    ax.set_yticks([])


def _along(ax, labels, times, values, colors):
    order = np.argsort(times, kind="stable")
    times, labels = times[order], labels[order]
    changes = np.flatnonzero(np.diff(labels)) + 1
    edges = np.concatenate([times[:1], 0.5 * (times[changes - 1] + times[changes]), times[-1:]])
    for start, end, label in zip(edges[:-1], edges[1:], labels[np.concatenate([[0], changes])]):
        ax.axvspan(start, end, color=colors(int(label)), alpha=0.3, linewidth=0)
    if values is not None:
        ax.plot(times, np.asarray(values)[order], linewidth=0.7, color="black" if np.ndim(values) == 1 else None)
    ax.set_xlim(times[0], times[-1])
