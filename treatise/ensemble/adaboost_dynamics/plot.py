"""AdaBoost's dynamics as pictures: the margin over the steps, and the weights of two examples."""

import numpy as np

from treatise._core.figures import axes_for
from treatise.ensemble.adaboost_dynamics.map import adaboost_margins, max_margin


def plot_adaboost_margins(M, trajectory, ax=None):
    """Draw the margin over the steps, beside the largest possible, as Figures 8 and 10 of the paper do.

    Parameters
    ----------
    M : array-like of shape (n_examples, n_columns)
        The matrix of the trajectory.
    trajectory : AdaBoostTrajectory
        What :func:`adaboost_map` gave.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from treatise.ensemble import adaboost_map, plot_adaboost_margins, rudin_matrix
    >>> M = rudin_matrix("8x8")
    >>> plot_adaboost_margins(M, adaboost_map(M, 200)).get_ylabel()
    'least margin'
    """
    ax = axes_for(ax, figsize=(7, 4))
    steps = np.unique(np.geomspace(1, len(trajectory.chosen), 500).astype(int))
    ax.plot(steps, adaboost_margins(M, trajectory, steps), label="AdaBoost")
    ax.axhline(max_margin(M).margin, color="0.4", lw=1, label="largest possible")
    ax.set(xscale="log", xlabel="step", ylabel="least margin")
    ax.legend()
    return ax


def plot_adaboost_weights(trajectory, ax=None, *, examples=(0, 1)):
    """Draw the weights of two examples against one another, later steps larger, as Figure 6 of the paper does.

    Parameters
    ----------
    trajectory : AdaBoostTrajectory
        What :func:`adaboost_map` gave with ``keep_path=True``.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.
    examples : (int, int), default=(0, 1)
        The two examples.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from treatise.ensemble import adaboost_map, one_mistake_matrix, plot_adaboost_weights
    >>> plot_adaboost_weights(adaboost_map(one_mistake_matrix(3), 60, keep_path=True)).get_xlabel()
    'weight of example 0'
    """
    if not len(trajectory.path):
        raise ValueError("the trajectory has no weights on its way; follow the map with keep_path=True")
    ax = axes_for(ax, figsize=(5, 5))
    first, second = trajectory.path[:, list(examples)].T
    ax.scatter(first, second, s=np.linspace(2, 40, len(first)), facecolors="none", edgecolors="C0", linewidths=0.6)
    ax.set(xlabel=f"weight of example {examples[0]}", ylabel=f"weight of example {examples[1]}")
    return ax
