"""Pictures of region graphs."""

from treatise._core.figures import axes_for

_MOST_REGIONS = 60


def plot_region_graph(regions, *, names=None, ax=None):
    """Draw the regions level by level, with an arrow from each to the regions of the next level within it.

    Parameters
    ----------
    regions : RegionGraph
        Up to 60 regions, or their names would cover each other.
    names : sequence of str or None, default=None
        Names of the vertices; None takes their numbers.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from treatise.graphical import plot_region_graph, region_graph
    >>> from treatise.inference import CliqueTree
    >>> ax = plot_region_graph(region_graph(CliqueTree(((0, 1, 2), (1, 2, 3)), ((0, 1),))))
    >>> sorted(text.get_text() for text in ax.texts if text.get_text())
    ['0 1 2', '1 2', '1 2 3']
    """
    if regions.n_regions > _MOST_REGIONS:
        raise ValueError(f"{regions.n_regions} regions cannot be told apart in a picture; draw at most {_MOST_REGIONS}")
    widest = max(map(len, regions.levels), default=1)
    ax = axes_for(ax, figsize=(2 + 1.4 * widest, 1 + 1.3 * len(regions.levels)))
    ax.set_axis_off()
    place = {}
    for level, sets in enumerate(regions.levels):
        for k, region in enumerate(sets):
            place[level, region] = ((k + 0.5) / len(sets), -level)
    ax.set(xlim=(0, 1), ylim=(-len(regions.levels) + 0.5, 0.5))
    for level, region in place:
        for child in regions.children(level, region):
            # Arrows end a little short of the boxes, which are drawn over them.
            ax.annotate(
                "",
                place[level + 1, child],
                place[level, region],
                arrowprops={"arrowstyle": "->", "color": "#888", "shrinkA": 10, "shrinkB": 10},
            )
    for (_, region), (x, y) in place.items():
        label = " ".join(str(v if names is None else names[v]) for v in sorted(region))
        box = {"boxstyle": "round", "facecolor": "#f0f0f0", "edgecolor": "#555"}
        ax.text(x, y, label, ha="center", va="center", fontsize=8, bbox=box)
    return ax
