"""Are the probabilities of a q-norm machine right?"""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import axes_for


def plot_q_norm_calibration(machine, X, y, *, n_bins=10, ax=None):
    """Draw the share of the second class against its predicted probability, in bins of equal counts.

    Parameters
    ----------
    machine : QNormSVC
        A fitted machine with q > 1.
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
        Objects that the machine was not trained on.
    y : array-like of shape (n_samples,)
        Their classes.
    n_bins : int, default=10
        Number of bins.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes
    """
    check_is_fitted(machine)
    ax = axes_for(ax, figsize=(5, 5))
    predicted = machine.predict_proba(X)[:, 1]
    hit = np.asarray(y) == machine.classes_[1]
    bins = np.array_split(np.argsort(predicted, kind="stable"), min(n_bins, len(predicted)))
    centres, shares = (np.array([values[rows].mean() for rows in bins]) for values in (predicted, hit))
    errors = np.array([np.sqrt(share * (1 - share) / len(rows)) for share, rows in zip(shares, bins)])
    ax.plot([0, 1], [0, 1], "--", color="grey", lw=1)
    ax.errorbar(centres, shares, yerr=errors, fmt="o-", color="#1b6ca8", capsize=2, label=f"q = {machine.q:g}")
    ax.set(xlabel="predicted probability", ylabel=f"share of class {machine.classes_[1]}", xlim=(0, 1), ylim=(0, 1))
    ax.legend()
    return ax
