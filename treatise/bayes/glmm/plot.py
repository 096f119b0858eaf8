"""Pictures of mixed models."""

import numpy as np
from scipy.special import ndtri
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import axes_for


def plot_effects(model, *, level=0.95, ax=None):
    """Fixed effects as points with their credible intervals, the first on top.

    Parameters
    ----------
    model : VariationalGLMM
        Fitted.
    level : float, default=0.95
        Probability of the intervals.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib axes
    """
    check_is_fitted(model)
    interval = model.credible_interval(level)
    mean, places = interval.mean(axis=1), np.arange(len(interval))[::-1]
    ax = axes_for(ax, figsize=(6, 1 + 0.3 * len(places)))
    ax.hlines(places, interval[:, 0], interval[:, 1], linewidth=2)
    ax.plot(mean, places, "o")
    ax.axvline(0.0, color="0.7", linewidth=0.8, zorder=0)
    ax.set_yticks(places, model.coef_names_)
    ax.set_xlabel(f"effect on the linear predictor, {100 * level:g} % intervals")
    return ax


def plot_group_effects(model, term=0, column=0, *, level=0.95, ax=None):
    """Effects of all groups in order of size, with their intervals: a caterpillar plot.

    Parameters
    ----------
    model : VariationalGLMM
        Fitted, with groups.
    term, column : int, default=0
        Which term of the model, and which of its columns, as in ``random_names_``.
    level : float, default=0.95
        Probability of the intervals.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib axes
    """
    check_is_fitted(model)
    if not 0 <= term < len(model.random_names_):
        raise ValueError(f"term={term} does not exist: the model has {len(model.random_names_)}, numbered from 0")
    factor, columns = model.random_names_[term]
    if not 0 <= column < len(columns):
        raise ValueError(f"column={column} does not exist: the term has {', '.join(columns)}")
    mean, half = model.random_effects_[term][:, column], model.random_deviations_[term][:, column]
    order = np.argsort(mean)
    half = ndtri((1 + level) / 2) * half[order]
    ax = axes_for(ax, figsize=(7, 3.5))
    ax.vlines(np.arange(len(order)), mean[order] - half, mean[order] + half, linewidth=1, color="0.6")
    ax.plot(mean[order], ".", markersize=4)
    ax.axhline(0.0, color="0.7", linewidth=0.8, zorder=0)
    ax.set_xlabel(f"{factor}, in order")
    ax.set_ylabel(f"effect of {columns[column]}, {100 * level:g} % intervals")
    return ax
