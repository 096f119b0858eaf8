"""The regularisation path of a support vector machine as a picture."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import axes_for

_MOST_LINES = 200


def plot_svm_path(path, ax=None):
    """Draw the multipliers of a path against C, as Figure 8 of the paper does.

    Parameters
    ----------
    path : SVMPath
        A fitted path.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure. Of more than 200 points an even selection is drawn.

    Returns
    -------
    ax : matplotlib Axes
    """
    check_is_fitted(path)
    ax = axes_for(ax, figsize=(7, 4))
    which = np.unique(np.linspace(0, len(path.costs_) - 1, 2000).astype(int))
    alpha = path._alpha_at_breakpoints(which)
    lines = np.unique(np.linspace(0, len(alpha) - 1, _MOST_LINES).astype(int))
    for i in lines:
        ax.plot(path.costs_[which], alpha[i], lw=0.7, color="C0" if path._signs[i] > 0 else "C3", alpha=0.6)
    ax.set(xscale="log", xlabel="C", ylabel="multiplier / C", title=f"{len(path.costs_)} breakpoints")
    return ax
