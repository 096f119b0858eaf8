"""Pictures of hidden Markov models: centres with their states and moves, and levels of groups."""

import numpy as np
from matplotlib.patches import Ellipse, FancyArrowPatch
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import axes_for, panels_for


def plot_hmm_centers(model, *, columns=(0, 1), names=None, ax=None):
    """Centres of groups, one to a panel: states as ellipses of two deviations, moves as arrows.

    Ellipses of a state have one colour, the darker the more time the chain spends there. An arrow is as thick as its
    move is probable; moves below 5 % are left out. Of vectors of one number the densities of the states are drawn, each
    under its share of the time.

    Parameters
    ----------
    model : HMMClusterer, HMMMixture or SampledHMMClusterer
        Fitted.
    columns : (int, int), default=(0, 1)
        Which two of the columns to draw.
    names : (str, str) or None, default=None
        Names of the two columns.
    ax : sequence of matplotlib axes or None, default=None
        One for each centre; None makes a figure.

    Returns
    -------
    ax : ndarray of matplotlib axes
    """
    check_is_fitted(model)
    centers, d = model.centers_, model.n_features_in_
    count = len(centers)
    panels = panels_for(ax, count, across=min(4, count), figsize=(3.2 * min(4, count), 3.0 * -(-count // 4)))
    names = names or ("value",) if d == 1 else names or tuple(f"column {c}" for c in columns)
    if d > 1 and not all(0 <= c < d for c in columns):
        raise ValueError(f"columns={columns} must be two of the {d}, numbered from 0")
    for j, (panel, center) in enumerate(zip(panels, centers)):
        if d == 1:
            _densities(panel, center)
        else:
            _ellipses(panel, center, list(columns))
            panel.set_ylabel(names[1])
        panel.set_xlabel(names[0])
        panel.set_title(f"centre {j}, weight {model.weights_[j]:.2f}", fontsize=9)
    _level(panels)
    return panels


def _level(panels):
    """The same limits everywhere, so that centres can be compared."""
    for axis in ("x", "y"):
        limits = np.array([getattr(panel, f"get_{axis}lim")() for panel in panels])
        for panel in panels:
            getattr(panel, f"set_{axis}lim")(limits[:, 0].min(), limits[:, 1].max())


def _densities(panel, center):
    variances = center.covariances.reshape(center.means.shape)
    low, high = (center.means - 3 * np.sqrt(variances)).min(), (center.means + 3 * np.sqrt(variances)).max()
    x, time = np.linspace(low, high, 300), center.stationary()
    for s in range(center.n_states):
        away = (x[:, np.newaxis] - center.means[s, :, 0]) ** 2 / variances[s, :, 0]
        density = np.exp(-0.5 * away) / np.sqrt(2 * np.pi * variances[s, :, 0]) @ center.weights[s]
        panel.fill_between(x, time[s] * density, alpha=0.4, color=f"C{s % 10}")
        panel.plot(x, time[s] * density, color=f"C{s % 10}", label=f"stays {center.transitions[s, s]:.2f}")
    panel.legend(fontsize=7)


def _ellipses(panel, center, columns):
    time = center.stationary()
    places = np.einsum("sm,smd->sd", center.weights, center.means)[:, columns]
    for s in range(center.n_states):
        for m in range(center.n_components):
            covariance = center.covariances[s, m]
            covariance = np.diag(covariance[columns]) if covariance.ndim == 1 else covariance[np.ix_(columns, columns)]
            values, axes = np.linalg.eigh(covariance)
            width, height = 4 * np.sqrt(np.maximum(values, 0))
            angle = np.degrees(np.arctan2(axes[1, 0], axes[0, 0]))
            alpha = float(np.clip(0.15 + 0.6 * time[s] * center.weights[s, m], 0.0, 0.8))
            mean = center.means[s, m, columns]
            panel.add_patch(Ellipse(mean, width, height, angle=angle, color=f"C{s % 10}", alpha=alpha, linewidth=0))
        panel.plot(*places[s], "o", color=f"C{s % 10}", markersize=4)
    for a in range(center.n_states):
        for b in range(center.n_states):
            chance = center.transitions[a, b]
            if a != b and chance >= 0.05:
                arrow = FancyArrowPatch(
                    places[a], places[b], connectionstyle="arc3,rad=0.2", arrowstyle="-|>", mutation_scale=8,
                    linewidth=0.5 + 4 * chance, color="0.3", alpha=0.7,
                )  # fmt: skip
                panel.add_patch(arrow)
    panel.autoscale_view()


def plot_hmm_hierarchy(model, y=None, *, ax=None):
    """Levels of groups as rows of bars, as wide as they have members, with the known kinds as colours.

    Parameters
    ----------
    model : HMMHierarchy
        Fitted.
    y : array-like of shape (n_models,) or None, default=None
        Kinds of the models; None colours by the groups of the coarsest level.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib axes
    """
    check_is_fitted(model)
    levels, n = model.labels_.shape
    kinds, codes = np.unique(model.labels_[-1] if y is None else np.asarray(y), return_inverse=True)
    if codes.shape != (n,):
        raise ValueError(f"y must have a kind for each of the {n} models; its shape is {codes.shape}")
    ax = axes_for(ax, figsize=(8, 0.9 * (levels + 1)))
    # Members in the order of the coarsest groups, within them of the finer ones: bars of a group stand together.
    order = np.lexsort((codes, *model.labels_))
    for place, row in enumerate([np.arange(n)[np.argsort(order)], *model.labels_]):
        ordered = row[order]
        for i, member in enumerate(order):
            ax.add_patch(_bar(i, levels - place, codes[member]))
        for edge in np.flatnonzero(np.diff(ordered) != 0) + 1 if place else ():
            ax.plot([edge, edge], [levels - place - 0.05, levels - place + 0.65], color="black", linewidth=1.5)
    ax.set_xlim(0, n)
    ax.set_ylim(-0.1, levels + 0.8)
    sizes = [n, *(len(each.weights_) for each in model.clusterers_)]
    ax.set_yticks(levels - np.arange(levels + 1) + 0.3, [f"{size} models" for size in sizes])
    ax.set_xlabel("models")
    ax.set_xticks([])
    handles = [_bar(0, 0, code) for code in range(len(kinds))]
    ax.legend(handles, [str(kind) for kind in kinds], fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return ax


def _bar(left, bottom, code):
    from matplotlib.patches import Rectangle

    return Rectangle((left, bottom), 1, 0.6, color=f"C{code % 10}", alpha=1.0 if code < 10 else 0.5, linewidth=0)
