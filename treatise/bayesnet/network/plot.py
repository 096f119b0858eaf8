"""Drawing a directed acyclic graph: in layers, or at given places."""

from treatise._core.figures import axes_for

_SWEEPS = 4


def draw_layers(dag, ax=None, node_size=900, font_size=8):
    """Draw a graph with every vertex below its parents.

    Each layer is spread evenly. Its order follows the mean places of the neighbours, in sweeps down and up, and an edge
    over several layers keeps a gap for itself in those that it crosses, so that few edges cross.

    Parameters
    ----------
    dag : DAG
        The graph.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.
    node_size : float, default=900
        Area of a vertex in square points.
    font_size : float, default=8
        Size of the names.

    Returns
    -------
    ax : matplotlib Axes
    """
    layers = [list(layer) for layer in dag.generations()]
    depth = {v: d for d, layer in enumerate(layers) for v in layer}
    above: dict = {v: [] for v in depth}
    for u, v in dag.edges().tolist():
        last = u
        for d in range(depth[u] + 1, depth[v]):
            gap = (u, v, d)
            layers[d].append(gap)
            above[gap] = [last]
            last = gap
        above[v].append(last)
    below: dict = {v: [] for v in above}
    for v, near in above.items():
        for u in near:
            below[u].append(v)
    across = {v: (i + 0.5) / len(layer) for layer in layers for i, v in enumerate(layer)}
    for sweep in range(2 * _SWEEPS):
        near = below if sweep % 2 else above
        for layer in reversed(layers) if sweep % 2 else layers:
            layer.sort(key=lambda v: sum(across[u] for u in near[v]) / len(near[v]) if near[v] else across[v])
            across.update({v: (i + 0.5) / len(layer) for i, v in enumerate(layer)})
    return draw_at(dag, {v: (across[v], -float(depth[v])) for v in range(len(dag))}, ax, node_size, font_size)


def draw_at(dag, place, ax=None, node_size=900, font_size=8, colors="#cfe0f3"):
    """Draw a graph with its vertices at given places.

    Parameters
    ----------
    dag : DAG
        The graph.
    place : dict of int to (float, float)
        Where each vertex stands.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.
    node_size : float, default=900
        Area of a vertex in square points.
    font_size : float, default=8
        Size of the names.
    colors : color or list of color, default="#cfe0f3"
        Color of all vertices, or of each.

    Returns
    -------
    ax : matplotlib Axes
    """
    import networkx

    ax = axes_for(ax)
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(len(dag)))
    graph.add_edges_from(dag.edges().tolist())
    names = {v: str(name) for v, name in enumerate(dag.variables)}
    networkx.draw_networkx(graph, place, ax=ax, labels=names, node_size=node_size, font_size=font_size,
                           node_color=colors, edgecolors="#4a6a8a", edge_color="#666666")  # fmt: skip
    ax.set_axis_off()
    return ax
