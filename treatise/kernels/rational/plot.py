"""A weighted transducer as a diagram."""

from collections import defaultdict

from treatise._core.figures import axes_for


def plot_transducer(machine, *, ax=None, max_labels=4):
    """Draw a small machine: states in a row, arcs with their labels and weights.

    Initial states have a thick rim and final ones a double rim. Machines of more than a dozen states are hard to read.

    Parameters
    ----------
    machine : WeightedTransducer
        What is drawn.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.
    max_labels : int, default=4
        Labels shown for each pair of states; of more, their number is told.

    Returns
    -------
    ax : matplotlib Axes

    References
    ----------
    .. [1] Paper v05-1035, Figures 1 to 7.
    """
    ax = axes_for(ax, figsize=(2 + 2 * machine.n_states, 4))
    labels = defaultdict(list)
    for source, read, written, weight, target in machine.arcs:
        sides = [str(symbol) if symbol is not None else "ε" for symbol in (read, written)]
        weighed = "" if weight == machine.semiring.one else f"/{weight:.3g}"
        labels[source, target].append((sides[0] if sides[0] == sides[1] else ":".join(sides)) + weighed)
    for (source, target), texts in labels.items():
        shown = texts if len(texts) <= max_labels else [*texts[: max_labels - 1], f"… {len(texts)} in all"]
        _draw_arc(ax, source, target, "\n".join(shown))
    for state in range(machine.n_states):
        starts, ends = (weights[state] != machine.semiring.zero for weights in (machine._initial, machine._final))
        ax.plot(state, 0, "o", ms=26, mfc="white", mec="black", mew=2.5 if starts else 0.8, zorder=3)
        if ends:
            ax.plot(state, 0, "o", ms=20, mfc="none", mec="black", mew=0.8, zorder=4)
        ax.text(state, 0, str(state), ha="center", va="center", zorder=5)
    ax.set_xlim(-0.7, machine.n_states - 0.3)
    ax.set_ylim(-1.2, 1.2)
    ax.set_axis_off()
    return ax


def _draw_arc(ax, source, target, text):
    """Loops above a state; arcs forward above the row, backward below it."""
    if source == target:
        loop = {"arrowstyle": "->", "connectionstyle": "arc3,rad=-1.6", "shrinkA": 14, "shrinkB": 14}
        ax.annotate("", (source + 0.1, 0.08), (source - 0.1, 0.08), arrowprops=loop)
        ax.text(source, 0.42, text, ha="center", va="bottom", fontsize=8)
        return
    span = target - source
    bend = -0.25 - 0.05 * (abs(span) - 1) if abs(span) > 1 or span < 0 else 0.0
    arrow = {"arrowstyle": "->", "connectionstyle": f"arc3,rad={bend}", "shrinkA": 14, "shrinkB": 14}
    ax.annotate("", (target, 0), (source, 0), arrowprops=arrow)
    height = -bend * span / 2
    ax.text((source + target) / 2, height, text, ha="center", va="bottom" if height >= 0 else "top", fontsize=8)
