"""Picture of frames that a machine goes on with, and of its hidden units."""

import numpy as np

from treatise._core.figures import panels_for
from treatise.decomposition.conditional_rbm._frames import checked_sequences


def plot_generation(past, generated, *, truth=None, columns=None, hidden=None, ax=None):
    """Draw columns of a sequence up to now and of frames that were made from there, with hidden units below.

    Use it to see whether what a machine generates or predicts keeps the rhythm and the size of the data.

    Parameters
    ----------
    past : array-like of shape (n_past, n_columns)
        Frames that were given.
    generated : array-like of shape (n_steps, n_columns)
        Frames that were made.
    truth : array-like of shape (n_steps, n_columns) or None, default=None
        What followed in the data.
    columns : sequence of int or None, default=None
        Columns to draw; None takes the three that vary most in what was made.
    hidden : array-like of shape (n_frames, n_hidden) or None, default=None
        Chances of hidden units, drawn as an image.
    ax : sequence of matplotlib Axes or None, default=None
        One for each column, and one for the hidden units; None makes a new figure.

    Returns
    -------
    ax : ndarray of matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.decomposition import plot_generation
    >>> wave = np.sin(np.arange(60) / 5).reshape(-1, 1)
    >>> panels = plot_generation(wave[:40], wave[40:])
    >>> panels[0].get_ylabel()
    'column 0'
    """
    past, generated = checked_sequences([past, generated])
    if columns is None:
        columns = np.sort(np.argsort(-generated.std(axis=0))[:3])
    columns = np.asarray(columns)
    if not ((columns >= 0) & (columns < past.shape[1])).all():
        raise ValueError(f"columns={columns.tolist()} must be from 0 to {past.shape[1] - 1}")
    count = len(columns) + (hidden is not None)
    panels = panels_for(ax, count, across=1, figsize=(9, 1.5 * count + 0.4))
    now = len(past)
    for panel, column in zip(panels, columns):
        if truth is not None:
            panel.plot(now + np.arange(len(truth)), np.asarray(truth)[:, column], color="#e0a899", lw=2.5, label="data")
        panel.plot(np.arange(now), past[:, column], color="0.4", label="past")
        panel.plot(now + np.arange(len(generated)), generated[:, column], color="#1b6ca8", label="made")
        panel.axvline(now - 0.5, color="0.8", linewidth=1, zorder=0)
        panel.set_ylabel(f"column {column}")
        panel.margins(x=0)
    panels[0].legend(frameon=False, ncols=3, loc="upper left", fontsize=8)
    if hidden is not None:
        panels[-1].imshow(np.asarray(hidden).T, aspect="auto", cmap="Greys", vmin=0, vmax=1, interpolation="nearest")
        panels[-1].set_ylabel("hidden unit")
    panels[-1].set_xlabel("frame")
    return panels
