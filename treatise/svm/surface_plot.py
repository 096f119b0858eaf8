"""The decision surface of a two-class machine over two features, as a picture."""

import numpy as np

from treatise._core.figures import axes_for


def plot_decision_surface(machine, X, y, ax=None, *, n_grid=200):
    """Draw the scores of a fitted machine over the plane, its border and margins, and the training points.

    Parameters
    ----------
    machine : classifier
        Fitted on two features and two classes, with ``decision_function``; points in its ``support_`` are ringed.
    X : array-like of shape (n_samples, 2)
        Points.
    y : array-like of shape (n_samples,)
        Their classes.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.
    n_grid : int, default=200
        Points of the grid along each axis.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treatise.svm import BiasFreeSVC, plot_decision_surface
    >>> X, y = make_moons(50, random_state=0)
    >>> plot_decision_surface(BiasFreeSVC().fit(X, y), X, y).get_title()
    'BiasFreeSVC'
    """
    X, y = np.asarray(X, np.float64), np.asarray(y)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError(f"a surface is drawn over two features; X has shape {X.shape}")
    if len(machine.classes_) != 2:
        raise ValueError(f"a surface is drawn for two classes; the machine has {len(machine.classes_)}")
    ax = axes_for(ax, figsize=(6, 5))
    low, high = X.min(axis=0), X.max(axis=0)
    room = 0.1 * np.maximum(high - low, 1e-9)
    axes = [np.linspace(a, b, n_grid) for a, b in zip(low - room, high + room)]
    grid = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    scores = machine.decision_function(grid).reshape(n_grid, n_grid)
    reach = max(np.abs(scores).max(), 1e-12)
    ax.contourf(*axes, scores, 21, cmap="RdBu", vmin=-reach, vmax=reach, alpha=0.7)
    ax.contour(*axes, scores, levels=[-1.0, 0.0, 1.0], colors="k", linestyles=["--", "-", "--"], linewidths=1)
    for label, colour in zip(machine.classes_, ("C3", "C0")):
        ax.plot(*X[y == label].T, ".", color=colour, label=str(label))
    support = getattr(machine, "support_", None)
    if support is not None:
        ax.plot(*X[np.asarray(support)].T, "o", mfc="none", mec="k", ms=8, lw=0.5)
    ax.set(xlabel="first feature", ylabel="second feature", title=type(machine).__name__)
    ax.legend()
    return ax
