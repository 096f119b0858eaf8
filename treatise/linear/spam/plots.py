"""Pictures of sparse additive models."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import axes_for, panels_for


def plot_components(model, X, *, features=None, names=None, ax=None):
    """Draw the curves of a sparse additive model over the range of the rows, with ticks where the rows lie.

    With more than two classes each has its own curve, and the first panel names them.

    Parameters
    ----------
    model : SpAMRegressor or SpAMClassifier
        Fitted.
    X : array-like of shape (n_samples, n_features)
        Rows, for the range of every column.
    features : list of int or None, default=None
        Columns to draw; None takes the active ones, the strongest first, at most twelve.
    names : list of str or None, default=None
        Names of all columns; None takes those of the fit, or numbers.
    ax : sequence of matplotlib axes or None, default=None
        Where to draw, one for each feature; None makes a figure.

    Returns
    -------
    ax : ndarray of matplotlib axes
    """
    check_is_fitted(model)
    columns = np.asarray(X, dtype=np.float64)
    if features is None:
        features = model.active_[np.argsort(-model.norms_[model.active_])][:12].tolist()
    if names is None:
        names = getattr(model, "feature_names_in_", [f"column {j}" for j in range(columns.shape[1])])
    count = max(1, len(features))
    across = min(4, count)
    panels = panels_for(ax, count, across=across, figsize=(3 * across, 2.4 * -(-count // across)))
    if ax is None:
        for panel in panels[1:]:
            panel.sharey(panels[0])
    for j, panel in zip(features, panels):
        x = columns[:, j]
        grid = np.linspace(x.min(), x.max(), 200)
        for curve, label in _curves(model, j, grid):
            panel.plot(grid, curve, label=label)
        panel.plot(x, np.full(len(x), 0.02), "|", color="0.5", transform=panel.get_xaxis_transform())
        panel.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
        panel.set_xlabel(str(names[j]))
    if panels[0].get_legend_handles_labels()[1]:
        panels[0].legend()
    return panels


def _curves(model, feature, grid):
    """The values of a function and the class it speaks for, None where there is only one."""
    classes = getattr(model, "classes_", ())
    if len(classes) < 3:
        return [(model.component(feature, grid), None)]
    return [(model.component(feature, grid, problem), str(name)) for problem, name in enumerate(classes)]


def plot_norm_path(model, ax=None, *, problem=0):
    """Size of every function along the path of penalties, with the chosen penalty marked.

    Parameters
    ----------
    model : SpAMRegressor or SpAMClassifier
        Fitted.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.
    problem : int, default=0
        Which class against the rest, of a classifier with more than two.

    Returns
    -------
    ax : matplotlib axes
    """
    check_is_fitted(model)
    paths, chosen = np.atleast_1d(model.path_), np.atleast_1d(model.penalty_)
    if not 0 <= problem < len(paths):
        raise ValueError(f"problem={problem} does not exist: there are {len(paths)}, numbered from 0")
    ax = axes_for(ax)
    path = paths[problem]
    ax.plot(path["penalty"], path["norms"][:, path["norms"].max(axis=0) > 0])
    ax.axvline(chosen[problem], color="0.5", linestyle="--")
    ax.set_xscale("log")
    ax.set_xlabel("penalty")
    ax.set_ylabel("root mean square of a function")
    return ax
