"""Points of a partial order embedding in the plane."""

import numpy as np

from treatise._core.figures import axes_for
from treatise.metric.partial_order.comparison_graph import check_comparisons


def plot_embedding(points, labels=None, *, comparisons=None, ax=None):
    """Objects on the two leading axes of their points, coloured by label.

    Parameters
    ----------
    points : array-like of shape (n, n_dimensions)
        What ``PartialOrderEmbedding.transform`` gives.
    labels : array-like of shape (n,) or None, default=None
        Groups to colour.
    comparisons : array-like of int, of shape (n_comparisons, 4) or (n_comparisons, 3), or None, default=None
        Comparisons whose share in the plane is written into the title: how much the plane can be trusted.
    ax : matplotlib Axes or None, default=None
        Where to draw; a new figure if None.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.metric import plot_embedding
    >>> ax = plot_embedding(np.eye(3), ["a", "b", "b"], comparisons=[(0, 1, 2)])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['a', 'b']
    """
    points = np.asarray(points, dtype=np.float64)
    if points.ndim != 2:
        raise ValueError(f"points must be of shape (n, n_dimensions), got {points.shape}")
    centred = points - points.mean(axis=0)
    left, lengths, _ = np.linalg.svd(centred, full_matrices=False)
    plane = np.zeros((len(points), 2))
    plane[:, : min(2, len(lengths))] = (left * lengths)[:, :2]
    ax = axes_for(ax)
    groups = np.zeros(len(points)) if labels is None else np.asarray(list(labels))
    if len(groups) != len(points):
        raise ValueError(f"{len(groups)} labels for {len(points)} points")
    for group in np.unique(groups):
        rows = groups == group
        ax.scatter(*plane[rows].T, s=14, label=str(group))
    if labels is not None:
        ax.legend(fontsize="small")
    total = float((lengths**2).sum())
    shares = np.zeros(2)
    shares[: min(2, len(lengths))] = (lengths**2)[:2] / total if total > 0 else 0.0
    ax.set_xlabel(f"first axis ({shares[0]:.0%} of the spread)")
    ax.set_ylabel(f"second axis ({shares[1]:.0%})")
    if comparisons is not None:
        i, j, k, l = check_comparisons(comparisons, len(points)).T  # noqa: E741
        near, far = (((plane[a] - plane[b]) ** 2).sum(axis=1) for a, b in ((i, j), (k, l)))
        ax.set_title(f"{np.mean(near < far):.0%} of the comparisons hold in this plane")
    return ax
