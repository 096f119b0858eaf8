"""A Gram matrix drawn with its objects put in order of their classes."""

import numpy as np

from treatise._core.figures import axes_for


def plot_gram(gram, labels=None, *, ax=None):
    """Draw a Gram matrix as an image; blocks on the diagonal show what a kernel holds alike.

    Use it on a normalised kernel, whose values share one scale, before training on it.

    Parameters
    ----------
    gram : array of shape (n, n)
        Kernel values.
    labels : array of shape (n,) or None, default=None
        Classes: objects of one class are put side by side, with lines between classes.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernels import Gaussian, plot_gram
    >>> ax = plot_gram(Gaussian(0.5)(np.array([[0.0], [3.0], [0.2]])), ["low", "high", "low"])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['high', 'low']
    """
    gram = np.asarray(gram, np.float64)
    if gram.ndim != 2 or gram.shape[0] != gram.shape[1]:
        raise ValueError(f"a Gram matrix is square, got shape {gram.shape}")
    ax = axes_for(ax, figsize=(6, 5))
    if labels is not None:
        labels = np.asarray(labels)
        if labels.shape != gram.shape[:1]:
            raise ValueError(f"{labels.shape} labels for {len(gram)} objects; give one for each")
        order = np.argsort(labels, kind="stable")
        gram = gram[np.ix_(order, order)]
        classes, counts = np.unique(labels, return_counts=True)
        ends = np.cumsum(counts)
        for end in ends[:-1]:
            ax.axhline(end - 0.5, color="white", linewidth=1)
            ax.axvline(end - 0.5, color="white", linewidth=1)
        ax.set_yticks(ends - counts / 2 - 0.5, [str(each) for each in classes])
        ax.set_xticks([])
    image = ax.imshow(gram, cmap="viridis", interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, label="kernel")
    return ax
