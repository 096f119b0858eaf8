"""Pictures of ratings."""

from treatise._core.figures import axes_for


def plot_leaderboard(board, ax=None):
    """Mean and three standard deviations of every row of a leaderboard, best on top."""
    ax = axes_for(ax)
    place = range(len(board))
    ax.errorbar(board["mu"], place, xerr=3.0 * board["sigma"], fmt="o", markersize=4, elinewidth=1)
    ax.plot(board["conservative"], place, "|", color="black", label="mu - 3 sigma")
    ax.set_yticks(place, [str(name) for name in board["player"]])
    ax.invert_yaxis()
    ax.set_xlabel("rating")
    ax.legend()
    return ax


def plot_history(table, ax=None):
    """Mean and one standard deviation of every player of a history, over games or time."""
    ax = axes_for(ax)
    axis = "time" if "time" in table.columns else "game"
    for (name,), record in table.group_by("player", maintain_order=True):
        (line,) = ax.step(record[axis], record["mu"], where="post", label=str(name), linewidth=1)
        low, high = record["mu"] - record["sigma"], record["mu"] + record["sigma"]
        ax.fill_between(record[axis], low, high, step="post", color=line.get_color(), alpha=0.15, linewidth=0)
    if axis == "time":
        from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

        locator = AutoDateLocator()
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(ConciseDateFormatter(locator))
    ax.set_xlabel(axis)
    ax.set_ylabel("rating")
    ax.legend()
    return ax
