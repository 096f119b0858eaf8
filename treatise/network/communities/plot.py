"""A picture of a graph with its communities."""

import numpy as np
from scipy import sparse

from treatise._core.figures import axes_for
from treatise.network.adjacency import adjacency_of, labels_of

# A picture of more nodes shows nothing and takes minutes to lay out.
MOST_NODES = 3000


def plot_communities(graph, labels, *, names=None, ax=None, random_state=0):
    """Draw a graph, its communities in colours, near each other what hangs together.

    Parameters
    ----------
    graph : array-like or sparse matrix of shape (n, n), or networkx Graph
        Weights of an undirected graph; at most 3000 nodes.
    labels : array-like of shape (n,)
        Community of each node.
    names : array-like of shape (n,) or None, default=None
        Names to write beside the nodes.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.
    random_state : int or None, default=0
        Start of the layout.

    Returns
    -------
    ax : matplotlib Axes
    """
    import networkx
    from matplotlib import colormaps
    from matplotlib.collections import LineCollection

    adjacency, _ = adjacency_of(graph, signed=True)
    n = adjacency.shape[0]
    if n > MOST_NODES:
        raise ValueError(
            f"a picture takes at most {MOST_NODES} nodes, the graph has {n}; draw one community's part of it"
        )
    labels = labels_of(labels, n)
    ax = axes_for(ax, figsize=(6, 6))
    plain = networkx.from_scipy_sparse_array(abs(adjacency))
    places = networkx.spring_layout(plain, seed=random_state)
    places = np.array([places[i] for i in range(n)])
    edges = sparse.triu(adjacency, 1).tocoo()
    lines = np.stack([places[edges.row], places[edges.col]], axis=1)
    within = labels[edges.row] == labels[edges.col]
    ax.add_collection(LineCollection(lines, colors=np.where(within, "0.55", "0.85"), linewidths=0.6, zorder=1))
    colours = colormaps["tab20"](labels % 20)
    ax.scatter(*places.T, s=np.clip(2000.0 / n, 8, 120), c=colours, edgecolors="white", linewidths=0.4, zorder=2)
    for place, name in zip(places, names if names is not None else ()):
        ax.annotate(str(name), place, fontsize=7, xytext=(3, 3), textcoords="offset points")
    ax.set_axis_off()
    ax.set_title(f"{labels.max() + 1} communities")
    return ax
