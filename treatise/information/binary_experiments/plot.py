"""Pictures: a ROC curve beside its risk curve, and divergences' least values over the variational divergence."""

import numpy as np

from treatise._core.figures import axes_for, panels_for
from treatise.information.binary_experiments.curves import checked_roc, roc_to_risk
from treatise.information.binary_experiments.f_divergence import FDivergence


def plot_roc_and_risk(fpr, tpr, *, prior=0.5, ax=None):
    """Draw a ROC curve beside the 0-1 risks that it allows at every prior (the paper's Figure 5).

    Parameters
    ----------
    fpr, tpr : array-like of shape (n,)
        False and true positive rates, rising together.
    prior : float, default=0.5
        The prior to mark: a point of the risk curve and the line through its corner of the ROC curve.
    ax : pair of matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : ndarray of two matplotlib Axes
    """
    left, right = panels = panels_for(ax, 2, figsize=(9, 4.2))
    fpr, tpr = checked_roc(fpr, tpr)
    risk = float(roc_to_risk(fpr, tpr, prior))
    corners, risks = roc_to_risk(fpr, tpr)
    left.plot([0, 0.5, 1], [0, 0.5, 0], "--", color="0.5", label="commoner class")
    left.plot(corners, risks, color="C0", label="best threshold")
    left.plot(prior, risk, "o", color="C3")
    left.set(xlabel="share of the positive class", ylabel="0-1 risk", xlim=(0, 1), ylim=(0, 0.52))
    left.set_title(f"risk curve: {risk:.3f} at {prior:g}")
    left.legend(frameon=False)
    right.plot([0, 1], [0, 1], "--", color="0.5")
    right.plot(fpr, tpr, color="C0")
    if 0 < prior < 1:
        alarms = np.array([0.0, 1.0])
        right.plot(alarms, ((1 - prior) * alarms + prior - risk) / prior, color="C3", linewidth=1)
    right.set(xlabel="false positive rate", ylabel="true positive rate", xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
    right.set_title(f"ROC curve and the line of risk {risk:.3f}")
    return panels


def plot_variation_bounds(divergences=("kl", "jeffreys", "hellinger", "jensen_shannon"), *, top=2.0, ax=None):
    """Draw the least value of divergences at each variational divergence (the paper's Figure 7).

    Parameters
    ----------
    divergences : sequence of str or FDivergence
        What to draw.
    top : float, default=2.0
        Largest value on the vertical axis.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes
    """
    ax = axes_for(ax, figsize=(5.5, 4.2))
    variation = np.linspace(0.0, 1.999, 400)
    for divergence in divergences:
        divergence = divergence if isinstance(divergence, FDivergence) else FDivergence(divergence)
        ax.plot(variation, divergence.least(variation=variation), label=divergence.name.replace("_", "-"))
    ax.set(xlabel="variational divergence", ylabel="least divergence", xlim=(0, 2), ylim=(0, top))
    ax.legend(frameon=False)
    return ax
