"""Picture of a recording: its symbols and how often they occur."""

from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import panels_for

MOST_PANELS = 12


def plot_symbols(symbolizer, *, ax=None):
    """Draw the commonest symbols of a recording, each with its share of the segments.

    Use it to see what the symbols stand for, and whether rare ones are events or noise.

    Parameters
    ----------
    symbolizer : SegmentSymbolizer
        A fitted one.
    ax : sequence of matplotlib Axes or None, default=None
        Where to draw, one for each of at most 12 symbols; None makes a new figure.

    Returns
    -------
    ax : ndarray of matplotlib Axes

    Examples
    --------
    >>> from treatise.applications import SegmentSymbolizer, plot_symbols
    >>> symbols = SegmentSymbolizer(n_symbols=2).fit([[0, 1, 0], [0, 1, 0], [2, 2, 2]])
    >>> plot_symbols(symbols)[1].get_title()
    'symbol 1: 33.3 %'
    """
    check_is_fitted(symbolizer)
    common = sorted(range(symbolizer.n_symbols_), key=lambda place: -symbolizer.frequencies_[place])[:MOST_PANELS]
    panels = panels_for(ax, len(common), across=4, figsize=(9, 1.8 * -(-len(common) // 4)))
    for panel, place in zip(panels, common):
        panel.plot(symbolizer.centroids_[place], color="#1b6ca8")
        panel.set_title(f"symbol {place}: {100 * symbolizer.frequencies_[place]:.3g} %", fontsize=9)
        panel.set_xticks([])
    return panels
