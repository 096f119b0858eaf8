"""Pictures of learned graphs."""

import numpy as np

from treatise._core.figures import axes_for, verbatim

_MANY_NODES = 80
"""Beyond this many nodes names would cover the picture, and only hubs are named."""
_HUBS = 15
_DISJOINT_SPACING = 1.6


def plot_graph(graph, *, weights=None, labels=None, stability=None, seed=0, ax=None):
    """Draw a learned graph: positive edges blue, negative red, strong ones thick, weak ones faint; arrows if directed.

    Nodes that hang together are laid out together by Kamada and Kawai's springs, small components beside large ones,
    and nodes without an edge stand in a row beneath. Of many nodes only the best connected are named. A directed graph
    without cycles is drawn in layers, causes above effects.

    Parameters
    ----------
    graph : estimator or networkx graph
        A fitted learner with ``to_networkx``, or a graph whose edges may carry a ``weight``.
    weights : {"weight", None} or str, default=None
        Name of the edges' attribute that gives colour and width; None takes "weight" where there is one.
    labels : bool or None, default=None
        Whether to name all the nodes; None decides by their number.
    stability : array-like of shape (n_edges,) or None, default=None
        Share of subsamples that found each edge, as from :func:`edge_stability`, in the order of the graph's edges;
        edges below 1 are drawn fainter.
    seed : int, default=0
        Fixes the layout of graphs too large for Kamada and Kawai.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> import networkx
    >>> from treatise.graphical import plot_graph
    >>> ax = plot_graph(networkx.path_graph(5))
    >>> len(ax.texts)
    5
    """
    import networkx

    if hasattr(graph, "to_networkx"):
        graph = graph.to_networkx()
    if not isinstance(graph, networkx.Graph):
        raise ValueError(
            f"plot_graph draws fitted learners of graphs and networkx graphs, not {type(graph).__name__}; for a matrix "
            "use networkx.from_numpy_array"
        )
    side = 4.0 + 0.5 * np.sqrt(len(graph))
    ax = axes_for(ax, figsize=(side, side))
    ax.set_axis_off()
    if not len(graph):
        return ax
    positions = graph_layout(graph, seed=seed)
    strength = np.array([value for *_, value in graph.edges(data=weights or "weight", default=1.0)], dtype=float)
    size = np.abs(strength)
    scale = size.max() if size.size and size.max() > 0 else 1.0
    faint = np.ones(len(strength)) if stability is None else np.clip(np.asarray(stability, dtype=float), 0.0, 1.0)
    if faint.shape != strength.shape:
        raise ValueError(f"stability has shape {faint.shape}; the graph has {len(strength)} edges, each with one share")
    if np.isnan(faint).any():
        raise ValueError("stability holds NaN; leave it out where it was not measured")
    colours = np.where(strength >= 0, "#2166ac", "#b2182b")
    few = len(graph) <= _MANY_NODES
    node_size = 300 if few else max(10, 12000 / len(graph))
    networkx.draw_networkx_edges(
        graph,
        positions,
        ax=ax,
        edge_color=colours.tolist(),
        width=(0.5 + 2.5 * size / scale).tolist(),
        alpha=((0.1 + 0.8 * faint) * (0.3 + 0.7 * size / scale)).tolist(),
        **({"node_size": node_size} if graph.is_directed() else {}),
    )
    networkx.draw_networkx_nodes(graph, positions, ax=ax, node_size=node_size, node_color="#f0f0f0", edgecolors="#555")
    named = list(graph) if labels or (labels is None and few) else []
    if not named and labels is None:
        named = [node for node, degree in sorted(graph.degree, key=lambda pair: -pair[1])[:_HUBS] if degree > 0]
    networkx.draw_networkx_labels(graph, positions, {node: verbatim(node) for node in named}, ax=ax, font_size=8)
    return ax


def graph_layout(graph, *, seed=0):
    """Positions of the nodes of a graph: layers for a directed graph without cycles, springs per component otherwise.

    Parameters
    ----------
    graph : networkx graph
        Any size.
    seed : int, default=0
        Fixes the layout of large components.

    Returns
    -------
    positions : dict
        Node to ndarray of shape (2,).
    """
    import networkx

    if graph.is_directed() and networkx.is_directed_acyclic_graph(graph):
        return _in_layers(graph)
    plain = networkx.Graph(graph.edges())
    positions, left, tall = {}, 0.0, 0.0
    components = sorted(networkx.connected_components(plain), key=lambda part: (-len(part), min(map(str, part))))
    for component in components:
        part = plain.subgraph(component)
        radius = np.sqrt(len(part))
        # Kamada and Kawai read all distances: fine for hundreds of nodes, not for thousands.
        layout = (
            networkx.kamada_kawai_layout(part)
            if len(part) <= 300
            else networkx.spring_layout(part, seed=seed, iterations=60)
        )
        for node, place in layout.items():
            positions[node] = radius * np.asarray(place) + (left + radius, 0.0)
        left += 2 * radius + _DISJOINT_SPACING
        tall = max(tall, radius)
    alone = [node for node in graph if node not in positions]
    width = max(left, np.sqrt(len(alone)) * _DISJOINT_SPACING, 1.0)
    per_row = max(1, int(width))
    for place, node in enumerate(alone):
        row, column = divmod(place, per_row)
        positions[node] = np.array([column * width / per_row, -tall - _DISJOINT_SPACING - row])
    return positions


def _in_layers(graph):
    """Each node one layer beneath the lowest of its parents; within a layer near the middle of its parents."""
    import networkx

    positions = {}
    for depth, layer in enumerate(networkx.topological_generations(graph)):
        middle = {
            node: np.mean([positions[parent][0] for parent in graph.predecessors(node)]) if depth else place
            for place, node in enumerate(layer)
        }
        for place, node in enumerate(sorted(layer, key=middle.get)):
            positions[node] = np.array([place - (len(layer) - 1) / 2, -float(depth)])
    return positions
