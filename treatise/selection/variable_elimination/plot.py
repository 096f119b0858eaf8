"""A picture of an elimination: features left, over the subsets tried."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import axes_for


def plot_elimination(selector, *, ax=None):
    """Draw how many features were left after each fit, and the scores of the subsets beside them.

    Parameters
    ----------
    selector : RandomizedVariableElimination
        A fitted selector.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure. The scores have an axis of their own on the right.

    Returns
    -------
    ax : matplotlib Axes
        The drawing.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from treatise.selection import RandomizedVariableElimination, plot_elimination
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> ax = plot_elimination(RandomizedVariableElimination(random_state=0).fit(scale(X), y))
    >>> ax.get_xlabel()
    'subsets fitted'
    """
    check_is_fitted(selector, "history_")
    history = selector.history_
    accepted = history["accepted"]
    fits = np.arange(1, len(accepted) + 1)
    left = np.minimum.accumulate(np.where(accepted, history["n_features"], history["n_features"][0]))
    ax = axes_for(ax, figsize=(7.0, 4.2))
    ax.step(fits, left, where="post", color="#1b6ca8", label="features left")
    ax.plot(fits[~accepted], history["n_features"][~accepted], ".", color="#e0a458", markersize=4, label="refused")
    ax.set_ylim(bottom=0)
    ax.set_xlabel("subsets fitted")
    ax.set_ylabel("features")
    scores = ax.twinx()
    scores.plot(fits[accepted], history["score"][accepted], color="0.45", linewidth=0.8, linestyle="--", label="score")
    scores.set_ylabel("mean score over the folds")
    lines = [*ax.get_lines(), *scores.get_lines()]
    ax.legend(lines, [line.get_label() for line in lines], loc="upper right", fontsize="small")
    ax.set_title(f"{selector.n_features_} of {selector.n_features_in_} features kept after {selector.n_fits_} fits")
    return ax
