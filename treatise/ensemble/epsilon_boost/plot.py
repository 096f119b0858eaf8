"""The path of boosting as pictures: coefficients, and the least margin."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import axes_for

_MOST_POINTS = 1000


def plot_boosting_path(model, ax=None):
    """Draw the coefficients of a boosted model against their norm, as Figures 1, 5 and 6 of the paper do.

    Parameters
    ----------
    model : EpsilonBoostClassifier or EpsilonBoostRegressor
        Fitted. The step that predicts is marked.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from treatise.ensemble import EpsilonBoostRegressor, plot_boosting_path
    >>> model = EpsilonBoostRegressor(dictionary="columns").fit(*load_diabetes(return_X_y=True))
    >>> plot_boosting_path(model).get_ylabel()
    'coefficient'
    """
    check_is_fitted(model)
    ax = axes_for(ax, figsize=(7, 4))
    steps = _selected(len(model.chosen_))
    coef = np.array([model.coef_at(step) for step in steps])
    ax.plot(model.norm_path_[steps], coef[:, np.abs(coef).max(axis=0) > 0], lw=0.9)
    ax.axvline(model.norm_path_[model.n_steps_], color="0.4", linestyle="--", lw=1)
    if np.isfinite(model.monotone_until_):
        ax.axvline(model.monotone_until_, color="C3", linestyle=":", lw=1)
    ax.set(xlabel="sum of absolute coefficients", ylabel="coefficient", title=f"{len(model.chosen_)} steps")
    return ax


def plot_margin_path(model, ax=None, *, largest=None):
    """Draw the least margin of a training row against the norm, as Figures 7 and 9 of the paper do.

    Parameters
    ----------
    model : EpsilonBoostClassifier
        Fitted.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.
    largest : float or None, default=None
        The largest possible margin, of :func:`l1_max_margin`, drawn as a line.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treatise.ensemble import EpsilonBoostClassifier, plot_margin_path
    >>> model = EpsilonBoostClassifier(epsilon=0.2).fit(*load_breast_cancer(return_X_y=True))
    >>> plot_margin_path(model).get_ylabel()
    'least margin'
    """
    check_is_fitted(model)
    ax = axes_for(ax, figsize=(7, 4))
    steps = _selected(len(model.chosen_))
    ax.plot(model.norm_path_[steps], model.min_margin_path_[steps], label=f"{model.loss} loss")
    if largest is not None:
        ax.axhline(largest, color="0.4", lw=1, label="largest possible")
    ax.set(xlabel="sum of absolute coefficients", ylabel="least margin")
    ax.legend()
    return ax


def _selected(n_steps):
    """Steps to draw: all, or an even selection of many."""
    return np.unique(np.linspace(0, n_steps, min(n_steps + 1, _MOST_POINTS)).astype(int))
