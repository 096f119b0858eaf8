"""A picture of a selection: relevance as bars, and why each feature went."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import axes_for

_COLOURS = {
    "kept": "#1b6ca8",
    "covered by a better feature": "#e0a458",
    "beyond n_features": "#9fc3de",
    "irrelevant": "#c8c8c8",
}


def plot_relevance(selector, *, feature_names=None, max_features=40, ax=None):
    """Draw the relevance of the features, best first, coloured by what became of them.

    Beside the bar of each feature that was removed as redundant stands the name of the one that covers it.

    Parameters
    ----------
    selector : FCBF
        A fitted selector.
    feature_names : sequence of str or None, default=None
        Names of the features; None takes those of the data frame that the selector saw, or x0, x1, ...
    max_features : int, default=40
        Most bars to draw.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes
        The drawing.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treatise.selection import FCBF, plot_relevance
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> ax = plot_relevance(FCBF().fit(X, y))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['petal width (cm)', 'petal length (cm)', 'sepal length (cm)', 'sepal width (cm)']
    """
    check_is_fitted(selector, "blanket_")
    names = feature_names
    if names is None:
        names = getattr(selector, "feature_names_in_", [f"x{i}" for i in range(selector.n_features_in_)])
    if len(names) != selector.n_features_in_:
        raise ValueError(
            f"{len(names)} feature_names do not fit the {selector.n_features_in_} features of the selector"
        )
    shown = np.argsort(-selector.scores_, kind="stable")[:max_features]
    ax = axes_for(ax, figsize=(7.0, 1.2 + 0.24 * len(shown)))
    fates = _fates(selector)
    for fate, colour in _COLOURS.items():
        at = np.flatnonzero(fates[shown] == fate)
        if len(at):
            label = f"{fate} ({np.count_nonzero(fates == fate)})"
            ax.barh(at, selector.scores_[shown[at]], color=colour, label=label)
    for row, feature in enumerate(shown):
        if selector.blanket_[feature] >= 0:
            covering = names[selector.blanket_[feature]]
            ax.annotate(
                f"covered by {covering}", (selector.scores_[feature], row), xytext=(4, 0),
                textcoords="offset points", va="center", fontsize="x-small", color="0.35",
            )  # fmt: skip
    if selector.threshold_ > 0:
        ax.axvline(selector.threshold_, color="0.3", linewidth=0.8, linestyle="--")
    ax.set_yticks(range(len(shown)), [names[i] for i in shown], fontsize="small")
    ax.invert_yaxis()
    # Room for the annotations beside the longest bars.
    ax.set_xlim(0.0, max(1.35 * float(selector.scores_[shown].max(initial=0.0)), 1e-9))
    measure = "symmetrical uncertainty" if selector.measure == "su" else "mutual information, bits"
    ax.set_xlabel(f"relevance to the class ({measure})")
    ax.set_title(f"{len(selector.selected_)} of {selector.n_features_in_} features kept")
    ax.legend(loc="lower right", fontsize="small")
    return ax


def _fates(selector):
    """What became of each feature."""
    return np.select(
        [selector.support_, selector.blanket_ >= 0, selector.relevant_],
        ["kept", "covered by a better feature", "beyond n_features"],
        "irrelevant",
    )
