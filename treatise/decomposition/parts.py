"""Pictures of the parts that a factorisation has learnt."""

import math

import numpy as np

from treatise._core.figures import axes_for


def plot_parts(components, shape, *, columns=None, ax=None):
    """Draw the components as one sheet of images: white is zero, black the largest value of each component.

    Use it to see whether a factorisation of images found local parts. Where components have negative values,
    grey is zero, black positive and white negative.

    Parameters
    ----------
    components : array-like of shape (n_components, n_pixels)
        One image per row, such as ``SparseNMF.components_``.
    shape : tuple of int
        Rows and columns of an image.
    columns : int or None, default=None
        Images side by side; None makes the sheet about square.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.decomposition import plot_parts
    >>> ax = plot_parts(np.eye(6), (2, 3), columns=3)
    >>> ax.images[0].get_array().shape  # two rows of three images, and lines between them
    (7, 13)
    """
    # Matplotlib takes longer to import than most fits take to run.
    from matplotlib import colormaps

    components = np.atleast_2d(np.asarray(components, dtype=float))
    if components.shape[1] != math.prod(shape):
        raise ValueError(
            f"components have {components.shape[1]} pixels; shape={tuple(shape)} would need {math.prod(shape)}"
        )
    columns = columns or math.ceil(math.sqrt(len(components)))
    sheet = _sheet(components, shape, columns)
    height, width = sheet.shape
    ax = axes_for(ax, figsize=(columns, columns * height / width))
    lowest = -1.0 if (components < 0).any() else 0.0
    palette = colormaps["gray_r"].with_extremes(bad="0.7")
    ax.imshow(sheet, cmap=palette, vmin=lowest, vmax=1.0, interpolation="nearest")
    ax.set_axis_off()
    return ax


def _sheet(components, shape, columns):
    """All images in one, each divided by its largest magnitude, with a line of missing values around each."""
    height, width = shape
    rows = math.ceil(len(components) / columns)
    sheet = np.full((rows * (height + 1) + 1, columns * (width + 1) + 1), np.nan)
    for number, part in enumerate(components):
        row, column = divmod(number, columns)
        top, left = row * (height + 1) + 1, column * (width + 1) + 1
        sheet[top : top + height, left : left + width] = part.reshape(shape) / (np.abs(part).max() or 1.0)
    return sheet
