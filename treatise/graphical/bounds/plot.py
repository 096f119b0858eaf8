"""A picture of bounds on log Z."""

import numpy as np

from treatise._core.figures import axes_for
from treatise.graphical.bounds.partition import LOWER, UPPER, bound_from

LABELS = {
    "mean_field": "mean field",
    "structured": "structured mean field",
    "spanning_tree": "spanning tree",
    "support_tree": "support tree",
    "tree_reweighted": "tree-reweighted",
    "optimized_trees": "tree-reweighted, improved trees",
    "log_det": "log-determinant",
    "exact": "exact",
}


def plot_partition_bounds(graphs, positions=None, *, lower=("mean_field", "structured"), upper=("tree_reweighted",),
                          exact=True, relative=False, ax=None):  # fmt: skip
    """Draw lower bounds, the exact value and upper bounds of ``log Z`` over a series of models.

    Parameters
    ----------
    graphs : sequence of FactorGraph
        The models, of growing coupling or size, say.
    positions : array-like of shape (n_graphs,) or None, default=None
        Where on the axis each model stands; None counts them.
    lower, upper : sequence of str
        Bounds to draw, as in :func:`log_partition_bounds`.
    exact : bool, default=True
        Whether to compute and draw the exact value too; needed for ``relative``.
    relative : bool, default=False
        Draw ``(bound - log Z) / log Z`` as the thesis does.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from treatise.inference import FactorGraph
    >>> from treatise.graphical import plot_partition_bounds
    >>> square = [[0, 1], [1, 2], [2, 3], [3, 0]]
    >>> rings = [FactorGraph.ising([0.1] * 4, square, [c] * 4) for c in (0.1, 0.5, 1.0)]
    >>> ax = plot_partition_bounds(rings, [0.1, 0.5, 1.0])
    >>> len(ax.get_lines())
    4
    """
    if relative and not exact:
        raise ValueError("relative errors need exact=True")
    ax = axes_for(ax, figsize=(7, 4.5))
    positions = np.arange(len(graphs)) if positions is None else np.asarray(positions, float)
    truth = np.array([LOWER["exact"](graph) for graph in graphs]) if exact else None

    def draw(methods, name, style, parameter):
        values = np.array([bound_from(methods, name, parameter)(graph) for graph in graphs])
        ax.plot(positions, (values - truth) / np.abs(truth) if relative else values, style, label=LABELS[name])

    for number, name in enumerate(upper):
        draw(UPPER, name, ("v-", "v--", "v:", "v-.")[number % 4], "upper")
    if exact:
        ax.plot(positions, np.zeros_like(truth) if relative else truth, "k-", label="exact")
    for number, name in enumerate(lower):
        draw(LOWER, name, ("^-", "^--", "^:", "^-.")[number % 4], "lower")
    ax.set_ylabel("(bound - log Z) / |log Z|" if relative else "log Z")
    ax.legend()
    return ax
