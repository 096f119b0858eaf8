"""Learned weights of kernels as a picture."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import axes_for


def plot_kernel_weights(machine, labels=None, ax=None):
    """Draw the weights that a machine gave to its kernels: bars, or a map of classes by kernels.

    Parameters
    ----------
    machine : LpMKLClassifier, LpMKLRegressor, LpMKLOneClass or GroupedMKLClassifier
        A fitted machine.
    labels : list of str or None, default=None
        Names of the kernels; None numbers them.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes
    """
    check_is_fitted(machine)
    weights = np.atleast_2d(machine.kernel_weights_)
    n_kernels = weights.shape[1]
    labels = [str(m) for m in range(n_kernels)] if labels is None else list(labels)
    if len(labels) != n_kernels:
        raise ValueError(f"{len(labels)} labels for {n_kernels} kernels")
    ax = axes_for(ax, figsize=(min(12.0, 2.5 + 0.25 * n_kernels), 3.5))
    if len(weights) == 1:
        ax.bar(np.arange(n_kernels), weights[0], color="C0")
        ax.set_ylabel("weight")
    else:
        image = ax.imshow(weights, aspect="auto", cmap="Blues", vmin=0.0)
        ax.figure.colorbar(image, ax=ax, label="weight")
        ax.set_yticks(np.arange(len(weights)), [str(name) for name in machine.classes_])
        ax.set_ylabel("class against the rest")
    shown = np.unique(np.linspace(0, n_kernels - 1, min(n_kernels, 30)).astype(int))
    ax.set_xticks(shown, [labels[m] for m in shown], rotation=90 if max(map(len, labels)) > 3 else 0)
    ax.set_xlabel("kernel")
    return ax
