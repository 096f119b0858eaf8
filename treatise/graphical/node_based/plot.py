"""Pictures of node-based graphs: the nodes' scores, and conditions side by side."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import axes_for, panels_for
from treatise.graphical.graph_plot import graph_layout

_NAMED = 8
_SHARED, _OWN = "#9a9a9a", "#c0392b"


def plot_node_scores(model, *, highlight=None, ax=None):
    """Draw the score of every node, for each pair of conditions or each condition.

    Parameters
    ----------
    model : NodePerturbationGraphs or CoHubGraphs
        Fitted.
    highlight : array-like of int or None, default=None
        Nodes to mark with a ring, such as those known to be perturbed.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from treatise.datasets import make_perturbed_graphs
    >>> from treatise.graphical import NodePerturbationGraphs, plot_node_scores
    >>> data = make_perturbed_graphs(50, 20, random_state=0)
    >>> ax = plot_node_scores(NodePerturbationGraphs().fit(data.tables), highlight=data.perturbed)
    >>> ax.get_xlabel()
    'node'
    """
    check_is_fitted(model, "node_scores_")
    ax = axes_for(ax, figsize=(5.0, 4.5))
    scores = model.node_scores_
    nodes = np.arange(scores.shape[1])
    pairs = getattr(model, "pairs_", None)
    for number, row in enumerate(scores):
        label = f"condition {number}" if pairs is None else f"conditions {pairs[number][0]} and {pairs[number][1]}"
        marks = ax.plot(nodes, row, "o", markersize=4, label=label)
        ax.vlines(nodes, 0, row, color=marks[0].get_color(), linewidth=1)
    tallest = scores.max(axis=0)
    if highlight is not None:
        ax.plot(highlight, tallest[highlight], "o", markersize=11, fillstyle="none", color="k", label="highlighted")
    names = getattr(model, "feature_names_in_", nodes)
    for node in np.argsort(-tallest)[:_NAMED]:
        if tallest[node] > 0:
            ax.annotate(
                str(names[node]), (node, tallest[node]), xytext=(0, 6), textcoords="offset points", ha="center", size=8
            )
    ax.set_xlabel("node")
    ax.set_ylabel("score")
    ax.margins(y=0.12)
    ax.legend(fontsize=8)
    return ax


def plot_condition_graphs(model, conditions=(0, 1), *, ax=None):
    """Draw the graphs of two or more conditions side by side, every node in one place.

    Edges that all the drawn conditions have are grey, others red; nodes with a score are filled.

    Parameters
    ----------
    model : NodePerturbationGraphs or CoHubGraphs
        Fitted.
    conditions : sequence of int, default=(0, 1)
        Which.
    ax : sequence of matplotlib axes or None, default=None
        One for each condition; None makes a figure.

    Returns
    -------
    ax : ndarray of matplotlib axes of shape (n_conditions,)

    Examples
    --------
    >>> from treatise.datasets import make_perturbed_graphs
    >>> from treatise.graphical import NodePerturbationGraphs, plot_condition_graphs
    >>> data = make_perturbed_graphs(50, 12, random_state=0)
    >>> len(plot_condition_graphs(NodePerturbationGraphs().fit(data.tables)))
    2
    """
    import networkx

    graphs = [model.to_networkx(condition) for condition in conditions]
    panels = panels_for(ax, len(graphs), figsize=(5.0 * len(graphs), 4.5))
    positions = graph_layout(networkx.compose_all(graphs))
    special = dict(zip(graphs[0], model.node_scores_.max(axis=0) > 0))
    for panel, graph, condition in zip(panels, graphs, conditions):
        everywhere = [all(other.has_edge(*edge) for other in graphs) for edge in graph.edges]
        networkx.draw_networkx_edges(
            graph, positions, ax=panel, edge_color=[_SHARED if common else _OWN for common in everywhere]
        )
        networkx.draw_networkx_nodes(
            graph, positions, ax=panel, edgecolors="#555", node_size=200 if len(graph) <= 40 else 60,
            node_color=["#f4b942" if special[node] else "#f0f0f0" for node in graph],
        )  # fmt: skip
        named = [node for node in graph if len(graph) <= 40 or special[node]]
        networkx.draw_networkx_labels(graph, positions, {node: str(node) for node in named}, ax=panel, font_size=7)
        panel.set_title(f"condition {condition}: {graph.number_of_edges()} edges")
        panel.set_axis_off()
    return panels
