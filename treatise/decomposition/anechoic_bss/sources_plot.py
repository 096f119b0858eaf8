"""Picture of recovered sources with their weights and delays."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import panels_for


def plot_sources(model, *, ax=None):
    """Draw each source, and beside it with which weight and delay every recording has it.

    Parameters
    ----------
    model : AnechoicBSS
        Fitted to signals or images.
    ax : sequence of 2 * n_sources matplotlib Axes or None, default=None
        Where to draw, a source and its recordings in turn; None makes a new figure.

    Returns
    -------
    ax : ndarray of matplotlib Axes of shape (2 * n_sources,)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.decomposition import AnechoicBSS, plot_sources
    >>> wave = np.exp(-0.1 * (np.arange(60) - 20) ** 2)
    >>> X = [np.roll(wave, 0), 2 * np.roll(wave, 15), 0.5 * np.roll(wave, -8)]
    >>> ax = plot_sources(AnechoicBSS(1, random_state=0).fit(X))
    >>> [panel.get_title() for panel in ax]
    ['source 1', 'in 3 recordings']
    """
    check_is_fitted(model)
    n_sources, is_image = len(model.sources_), model.sources_.ndim == 3
    ax = panels_for(ax, 2 * n_sources, across=2, figsize=(8, 2.2 * n_sources))
    for j, source in enumerate(model.sources_):
        left, right = ax[2 * j], ax[2 * j + 1]
        left.set_title(f"source {j + 1}")
        right.set_title(f"in {len(model.weights_)} recordings")
        if is_image:
            size = np.abs(source).max() or 1.0
            left.imshow(source, cmap="gray_r", vmin=min(source.min(), 0.0), vmax=size, interpolation="nearest")
            left.set_axis_off()
            _draw_places(right, model.weights_[:, j], model.delays_[:, j], source.shape)
        else:
            left.plot(source, color="#1b6ca8", linewidth=0.8)
            left.set_xlabel("sample" if j == n_sources - 1 else "")
            right.axhline(0.0, color="0.8", linewidth=0.8)
            right.vlines(model.delays_[:, j], 0.0, model.weights_[:, j], color="#c8553d", linewidth=1)
            right.plot(model.delays_[:, j], model.weights_[:, j], "o", color="#c8553d", markersize=4)
            right.set_ylabel("weight")
            right.set_xlabel("delay" if j == n_sources - 1 else "")
    return ax


def _draw_places(ax, weights, delays, shape):
    """Where a source stands in each image; the area of a point is the weight."""
    areas = 80.0 * np.abs(weights) / (np.abs(weights).max() or 1.0)
    ax.scatter(delays[:, 1], delays[:, 0], areas, color="#c8553d", alpha=0.6)
    ax.set(xlim=(-shape[1] / 2, shape[1] / 2), ylim=(shape[0] / 2, -shape[0] / 2), xlabel="right", ylabel="down")
    ax.set_aspect("equal")
