"""A picture of a selection around clusters: the criterion over the features taken."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import axes_for


def plot_cluster_path(selector, *, feature_names=None, ax=None):
    """Draw the criterion of the best subset of each size, with the feature that it added and its clusters.

    The last subset is hollow where it did not beat the one before.

    Parameters
    ----------
    selector : ClusterFeatureSelector
        A fitted selector.
    feature_names : sequence of str or None, default=None
        Names of the features; None takes those of the data frame that the selector saw, or x0, x1, ...
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes
        The drawing.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treatise.selection import ClusterFeatureSelector, plot_cluster_path
    >>> X, _ = load_iris(return_X_y=True, as_frame=True)
    >>> ax = plot_cluster_path(ClusterFeatureSelector(max_clusters=4, random_state=0).fit(X))
    >>> ax.get_ylabel()
    'scatter between clusters over that within'
    """
    check_is_fitted(selector, "path_")
    names = feature_names
    if names is None:
        names = getattr(selector, "feature_names_in_", [f"x{i}" for i in range(selector.n_features_in_)])
    if len(names) != selector.n_features_in_:
        raise ValueError(
            f"{len(names)} feature_names do not fit the {selector.n_features_in_} features of the selector"
        )
    path = selector.path_
    sizes, accepted = np.arange(1, len(path["feature"]) + 1), path["accepted"]
    ax = axes_for(ax, figsize=(6.5, 4.2))
    ax.plot(sizes, path["criterion"], color="#1b6ca8", linewidth=1)
    ax.plot(sizes[accepted], path["criterion"][accepted], "o", color="#1b6ca8", label="taken")
    if not accepted.all():
        ax.plot(
            sizes[~accepted], path["criterion"][~accepted], "o", color="#e0a458", markerfacecolor="none",
            label="refused",
        )  # fmt: skip
    for size, feature, k, value in zip(sizes, path["feature"], path["n_clusters"], path["criterion"]):
        ax.annotate(
            f"+ {names[feature]}\n{k} clusters", (size, value), xytext=(0, 7), textcoords="offset points", ha="center",
            fontsize="x-small",
        )  # fmt: skip
    ax.set_xticks(sizes)
    ax.margins(x=0.12, y=0.2)
    ax.set_xlabel("features")
    trace = "scatter between clusters over that within"
    ax.set_ylabel(trace if selector.criterion == "trace" else "log-likelihood")
    kept = len(selector.selected_)
    ax.set_title(f"{kept} of {selector.n_features_in_} features kept, {selector.n_clusters_} clusters")
    ax.legend(fontsize="small")
    return ax
