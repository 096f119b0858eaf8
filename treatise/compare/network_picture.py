"""A picture of a network: its nodes, or where they are many its communities, and what the numbers say."""

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from treatise._core.figures import verbatim

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from treatise.compare.network import NetworkFindings

MOST_NODES = 800
"""A picture of more nodes shows nothing; it shows their communities instead."""
MOST_NAMES = 60
MOST_COMMUNITIES, FEWEST_NODES = 60, 3
POSITIVE, NEGATIVE = "0.72", "#d62728"


def network_picture(found: "NetworkFindings") -> "Figure":
    """Nodes near those that they are linked to, in the colours of their communities; red links are negative."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 8), layout="constrained")
    ax = figure.subplots()
    (_draw_nodes if len(found.network.nodes) <= MOST_NODES else _draw_communities)(ax, found)
    ax.set_axis_off()
    what = "camps" if found.network.signed else "communities"
    count = int(found.labels.max())
    ax.set_title(f"{len(found.network.nodes):,} nodes, {len(found.network.pairs):,} links, {count:,} {what}")
    return figure


def _draw_nodes(ax: Any, found: "NetworkFindings") -> None:
    network = found.network
    places = _places(network.adjacency(), found.labels)
    hostile = network.weights < 0
    _draw_links(ax, places, network.pairs, np.full(len(network.pairs), 0.7), hostile)
    n = len(network.nodes)
    degree = np.bincount(network.pairs.ravel(), minlength=n)
    sizes = np.clip(3000.0 / n, 12, 140) * (0.5 + np.sqrt(degree / max(degree.max(), 1)))
    ax.scatter(*places.T, s=sizes, c=_colours(found.labels), edgecolors="white", linewidths=0.5, zorder=2)
    named = np.arange(n) if n <= MOST_NAMES else np.argsort(-degree, kind="stable")[:15]
    for node in named:
        name = verbatim(network.nodes[node][:24])
        ax.annotate(name, places[node], fontsize=7, xytext=(4, 4), textcoords="offset points", zorder=3)


def _draw_communities(ax: Any, found: "NetworkFindings") -> None:
    network = found.network
    sizes = np.bincount(found.labels)[1:]
    shown = min(max(int((sizes >= FEWEST_NODES).sum()), 1), MOST_COMMUNITIES)
    ends = found.labels[network.pairs] - 1
    kept = (ends < shown).all(axis=1) & (ends[:, 0] != ends[:, 1])
    pairs, place = np.unique(np.sort(ends[kept], axis=1), axis=0, return_inverse=True)
    counts = np.bincount(place.ravel(), minlength=len(pairs))
    total = np.bincount(place.ravel(), network.weights[kept], minlength=len(pairs))
    half = sparse.csr_array((shown, shown))
    if len(pairs):
        # Links against what the sizes let expect: large communities must not fall into one.
        pull = counts / np.sqrt(sizes[pairs[:, 0]] * sizes[pairs[:, 1]])
        half = sparse.csr_array((pull / pull.max(), pairs.T), shape=(shown, shown))
    places = _places(sparse.csr_array(half + half.T, dtype=float), np.arange(1, shown + 1), spread=2.5)
    _draw_links(ax, places, pairs, 0.4 + 4.0 * np.sqrt(counts / counts.max(initial=1)), total < 0)
    area = 3000.0 * sizes[:shown] / sizes.max()
    ax.scatter(*places.T, s=np.clip(area, 25, None), c=_colours(np.arange(1, shown + 1)), edgecolors="white", zorder=2)
    for number, (place_of, size) in enumerate(zip(places, sizes[:shown], strict=True), 1):
        ax.annotate(f"{number}: {size:,}", place_of, fontsize=8, ha="center", va="center", zorder=3)
    ax.margins(0.1)  # the largest circles reach far beyond their places
    rest = len(sizes) - shown
    also = f"; {rest:,} smaller ones are left out" if rest else ""
    ax.text(0.0, 0.0, f"A circle is a community, with its number and nodes{also}.", transform=ax.transAxes, fontsize=8)


def _draw_links(ax: Any, places: np.ndarray, pairs: np.ndarray, widths: np.ndarray, hostile: np.ndarray) -> None:
    from matplotlib.collections import LineCollection

    for which, colour in ((~hostile, POSITIVE), (hostile, NEGATIVE)):
        if which.any():
            lines = np.stack([places[pairs[which, 0]], places[pairs[which, 1]]], axis=1)
            alpha = float(np.clip(150.0 / which.sum(), 0.12, 0.8))
            ax.add_collection(
                LineCollection(list(lines), colors=colour, linewidths=widths[which], alpha=alpha, zorder=1)
            )
    ax.autoscale_view()


def _places(adjacency: sparse.csr_array, labels: np.ndarray, *, spread: float = 2.0) -> np.ndarray:
    """Where the nodes stand: negative links do not pull, and members of a community a little more."""
    import networkx

    friendly = sparse.csr_array(adjacency * (adjacency > 0), dtype=float)
    graph = networkx.from_scipy_sparse_array(friendly)
    n = friendly.shape[0]
    # Each community around a place of its own on a circle, as a start.
    angle = 2 * np.pi * labels / max(labels.max(), 1)
    rng = np.random.default_rng(0)
    start = np.stack([np.cos(angle), np.sin(angle)], axis=1) + 0.2 * rng.normal(size=(n, 2))
    if n < 4:
        return start
    apart = spread / np.sqrt(n)
    found = networkx.spring_layout(graph, pos=dict(enumerate(start)), seed=0, k=apart, iterations=60)
    return drawn_in(np.array([found[node] for node in range(n)]))


def drawn_in(places: np.ndarray) -> np.ndarray:
    """Places, none twice as far out as nine in ten: what no link holds drifts off, and leaves the others no room."""
    centre = np.median(places, axis=0)
    radii = np.linalg.norm(places - centre, axis=1)
    far = np.quantile(radii, 0.9)
    beyond = np.maximum(radii / far, 1.0) if far > 0.0 else np.ones(len(radii))
    return centre + (places - centre) * ((2.0 - 1.0 / beyond) / beyond)[:, np.newaxis]


def _colours(labels: np.ndarray) -> Any:
    from matplotlib import colormaps

    return colormaps["tab20"]((labels - 1) % 20)
