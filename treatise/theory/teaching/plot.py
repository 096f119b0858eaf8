"""Picture of a class: which labels of each concept a teacher shows."""

import numpy as np

from treatise._core.figures import axes_for


def plot_teaching(concepts, model="ts", *, ax=None):
    """Draw the labels of all concepts, with those of each concept's first teaching set framed.

    Use it to see what a teacher shows, and how much less a cooperative learner needs.

    Parameters
    ----------
    concepts : ConceptClass
        What may be taught.
    model : {"ts", "bts", "sts", "rts"}, default="ts"
        What the learner assumes.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from treatise.theory import plot_teaching, threshold_class
    >>> plot_teaching(threshold_class(4), "rts").get_title()
    'rts: dimension 1'
    """
    from matplotlib.patches import Rectangle

    found = concepts.teach(model)
    codes = np.unique(concepts.matrix, return_inverse=True)[1].reshape(concepts.matrix.shape)
    z, n = codes.shape
    ax = axes_for(ax, figsize=(1.5 + 0.3 * n, 0.8 + 0.25 * z))
    ax.imshow(codes, cmap="Blues", vmin=-0.5, vmax=2.2 * codes.max() + 0.5, aspect="auto")
    for concept, family in enumerate(found.families):
        for x in family[0]:
            ax.add_patch(Rectangle((x - 0.42, concept - 0.4), 0.84, 0.8, fill=False, lw=1.8, edgecolor="#c8553d"))
    ax.set(xlabel="instance", title=f"{model}: dimension {found.dimension}", xticks=range(n), yticks=range(z))
    ax.set_yticklabels(concepts.names)
    if n > 12:
        ax.set_xticks([])
    ax.tick_params(length=0)
    return ax
