"""Pictures of the parts that a factorisation has learnt."""

import math

import numpy as np
from matplotlib.figure import Figure


def plot_parts(components, shape, *, columns=None, figure=None):
    """Draw every component as an image: white is zero, black the largest value of that component.

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
    figure : matplotlib Figure or SubFigure or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib Figure or SubFigure

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.decomposition import plot_parts
    >>> figure = plot_parts(np.eye(6), (2, 3), columns=3)
    >>> len(figure.axes)
    6
    """
    components = np.atleast_2d(np.asarray(components, dtype=float))
    if components.shape[1] != math.prod(shape):
        raise ValueError(
            f"components have {components.shape[1]} pixels; shape={tuple(shape)} would need {math.prod(shape)}"
        )
    count = len(components)
    columns = columns or math.ceil(math.sqrt(count))
    rows = math.ceil(count / columns)
    if figure is None:
        figure = Figure(figsize=(columns, rows * shape[0] / shape[1]), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    signed = bool((components < 0).any())
    for axis, part in zip(axes, components):
        largest = np.abs(part).max() or 1.0
        axis.imshow(part.reshape(shape), cmap="gray_r", vmin=-largest if signed else 0.0, vmax=largest)
        axis.set(xticks=[], yticks=[])
    for axis in axes[count:]:
        axis.remove()
    return figure
