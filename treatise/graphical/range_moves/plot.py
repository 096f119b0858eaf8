"""How fast methods lower the energy."""

import numpy as np

from treatise._core.figures import axes_for


def plot_energy_traces(results, *, ax=None):
    """Energy against accepted moves or sweeps, one line for each method, with the highest lower bound dashed.

    Parameters
    ----------
    results : dict of str to MAPResult
        Results of one energy, by the name to show.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes
    """
    ax = axes_for(ax, figsize=(7, 4))
    for name, result in results.items():
        best = np.minimum.accumulate(result.trace)
        ax.plot(np.arange(1, len(best) + 1), best, marker=".", label=f"{name}: {result.energy:.6g}")
    bounds = [result.lower_bound for result in results.values() if result.lower_bound is not None]
    if bounds:
        ax.axhline(max(bounds), color="0.4", ls="--", lw=1, label=f"lower bound: {max(bounds):.6g}")
    ax.set_xscale("log")
    ax.set_xlabel("accepted moves, or sweeps of messages")
    ax.set_ylabel("energy")
    ax.legend(fontsize="small")
    return ax
