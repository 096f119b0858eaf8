"""How many rows carry a kernel classifier as its chains run, and which."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import panels_for


def plot_active_rows(model, *, ax=None):
    """How many training rows are active after every sweep (Figure 2 of v12-0111), and how often each one is.

    Left, a line for each chain, the burn-in shaded: the chains should have come to the same level before it ends.
    Right, the share of the draws in which each training row is active, in falling order: a few rows that are always
    active, or many that take turns.

    Parameters
    ----------
    model : BayesianKernelClassifier
        Fitted.
    ax : sequence of two matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : ndarray of two matplotlib axes
    """
    check_is_fitted(model)
    panels = panels_for(ax, 2, figsize=(10.0, 3.5))
    for number, trace in enumerate(model.n_active_trace_):
        panels[0].plot(np.arange(1, len(trace) + 1), trace, linewidth=0.7, label=f"chain {number}")
    panels[0].axvspan(0, model.burn_in, color="0.9", zorder=0)
    panels[0].set(xlabel="sweep", ylabel="active rows", ylim=(0, None))
    if len(model.n_active_trace_) > 1:
        panels[0].legend(fontsize="small")
    shares = np.sort(model.inclusion_prob_)[::-1]
    panels[1].step(np.arange(1, len(shares) + 1), shares, where="mid")
    panels[1].set(xlabel="training rows, most active first", ylabel="share of the draws", ylim=(0, 1), xscale="log")
    return panels
