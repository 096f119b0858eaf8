"""The rows that stand for all others as a picture."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.classifier import codes_among
from treatise._core.figures import axes_for


def plot_representatives(machine, X, y, ax=None):
    """Draw rows of two features, those kept by a machine larger the more they stand for, and the machine's border.

    Parameters
    ----------
    machine : ExtremePointsSVC
        Fitted on X.
    X : array-like of shape (n_samples, 2)
        The training rows.
    y : array-like of shape (n_samples,)
        Their classes.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes
    """
    check_is_fitted(machine)
    X = np.asarray(X, float)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError(f"a picture needs two features; X has shape {X.shape}")
    if len(X) <= machine.representative_indices_.max():
        raise ValueError(
            f"X must hold the training rows; row {machine.representative_indices_.max()} is kept of {len(X)}"
        )
    ax = axes_for(ax, figsize=(6, 5))
    codes = codes_among(np.asarray(y), machine.classes_, where="of the machine")
    kept, weights = machine.representative_indices_, machine.representative_weights_
    for code, label in enumerate(machine.classes_):
        ax.scatter(*X[codes == code].T, s=1, alpha=0.2, color=f"C{code}", rasterized=True)
        mine = codes[kept] == code
        sizes = 100.0 * weights[mine] / weights.max()
        ax.scatter(*X[kept[mine]].T, s=sizes, edgecolor="black", lw=0.5, color=f"C{code}", label=str(label))
    sides = [np.linspace(low, high, 120) for low, high in zip(X.min(axis=0), X.max(axis=0))]
    grid = np.stack(np.meshgrid(*sides), axis=-1)
    regions = codes_among(machine.predict(grid.reshape(-1, 2)), machine.classes_).reshape(grid.shape[:2])
    levels = np.arange(len(machine.classes_) - 1) + 0.5
    ax.contour(*sides, regions, levels=levels, colors="black", linewidths=1)
    ax.set_title(f"{len(kept)} of {len(X)} rows kept, epsilon {machine.epsilon:g}")
    ax.legend()
    return ax
