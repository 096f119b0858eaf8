"""Pictures of overlap: the map of pairs, the ellipses of a mixture, the scores of a referee."""

import numpy as np

from treatise._core.figures import axes_for

LEVELS = (0.5, 0.95)
"""Shares of each component inside its ellipses."""
LOWEST = 1e-6
"""Probabilities below it look alike in the map."""


def plot_overlap(overlap, *, ax=None):
    """The map of misclassification probabilities as a heat map on a logarithmic scale.

    Parameters
    ----------
    overlap : Overlap
        Of :func:`gaussian_overlap`, :func:`overlap_of_mixture` or :func:`overlap_of_labels`.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes
    """
    from matplotlib.colors import LogNorm

    K = len(overlap.map)
    ax = axes_for(ax, figsize=(1.5 + 0.6 * min(K, 12), 1.0 + 0.6 * min(K, 12)))
    shown = np.ma.masked_array(np.clip(overlap.map, LOWEST, 1.0), mask=np.eye(K, dtype=bool))
    picture = ax.imshow(shown, norm=LogNorm(LOWEST, 1.0), cmap="viridis")
    if K <= 12:
        for i, j in zip(*np.nonzero(~np.eye(K, dtype=bool))):
            value = overlap.map[i, j]
            text = f"{value:.2g}" if value >= LOWEST else f"<{LOWEST:g}"
            ax.text(j, i, text, ha="center", va="center", fontsize=7, color="black" if value > 0.02 else "white")
        ax.set_xticks(range(K), [str(name) for name in overlap.names])
        ax.set_yticks(range(K), [str(name) for name in overlap.names])
    ax.set(
        xlabel="taken for", ylabel="component", title=f"average {overlap.average:.3g}, largest {overlap.maximum:.3g}"
    )
    ax.figure.colorbar(picture, ax=ax, label="probability")
    return ax


def plot_mixture(mixture, X=None, labels=None, *, ax=None):
    """Ellipses that hold a half and 95 % of each component of a mixture of two features, and rows if given.

    Parameters
    ----------
    mixture : OverlapMixture
        Of two features.
    X : array-like of shape (n_samples, 2) or None, default=None
        Rows to show.
    labels : array-like of shape (n_samples,) or None, default=None
        Their groups; -1 is drawn in grey.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes
    """
    from matplotlib import colormaps
    from matplotlib.patches import Ellipse
    from scipy.stats import chi2

    if mixture.means.shape[1] != 2:
        raise ValueError(f"the mixture has {mixture.means.shape[1]} features; ellipses are drawn for two")
    ax = axes_for(ax, figsize=(4.5, 4.5))
    colours = colormaps["tab10"]
    if X is not None:
        groups = np.zeros(len(X), dtype=int) if labels is None else np.asarray(labels)
        ax.scatter(*np.asarray(X).T, s=6, c=np.where(groups < 0, 7, groups % 10), cmap=colours, vmin=0, vmax=9)
    for k, (mean, covariance) in enumerate(zip(mixture.means, mixture.covariances)):
        variances, axes = np.linalg.eigh(covariance)
        angle = np.degrees(np.arctan2(axes[1, 1], axes[0, 1]))
        for level in LEVELS:
            height, width = 2.0 * np.sqrt(variances * chi2.ppf(level, 2))
            faint = 0.25 if level < 0.9 else 0.12
            ax.add_patch(Ellipse(mean, width, height, angle=angle, alpha=faint, color=colours(k % 10), lw=0))
            ax.add_patch(Ellipse(mean, width, height, angle=angle, fill=False, color=colours(k % 10), lw=0.8))
    ax.autoscale_view()
    ax.set_aspect("equal")
    found = mixture.overlap
    ax.set_title(f"average {found.average:.3g}, largest {found.maximum:.3g}", fontsize=9)
    return ax


def plot_referee(table, parameter=None, *, ax=None):
    """Median score of each clusterer along a parameter of the settings, with the quartiles.

    Parameters
    ----------
    table : RefereeTable
        Of :func:`referee_clusterers`.
    parameter : str or None, default=None
        Name of a parameter that is a number; None takes the first in which the settings differ.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes
    """
    parameter = parameter or next(iter(table.varying), None)
    if parameter is None or any(parameter not in setting for setting in table.settings):
        raise ValueError(f"parameter={parameter!r} is not in every setting; they differ in {table.varying}")
    ax = axes_for(ax, figsize=(6, 4))
    x = np.array([setting[parameter] for setting in table.settings], dtype=float)
    order = np.argsort(x)
    low, high = np.quantile(table.scores, [0.25, 0.75], axis=2)
    for k, name in enumerate(table.names):
        (line,) = ax.plot(x[order], table.median[order, k], marker="o", ms=4, label=name)
        ax.fill_between(x[order], low[order, k], high[order, k], color=line.get_color(), alpha=0.12, lw=0)
    if x.min() > 0 and x.max() / x.min() > 20:
        ax.set_xscale("log")
    ax.set(
        xlabel={"maximum": "largest overlap", "average": "average overlap"}.get(parameter, parameter), ylabel="score"
    )
    ax.legend(fontsize=8)
    return ax
