"""The features that move probabilities most."""

import numpy as np

from treatise._core.figures import axes_for


def plot_features(model, *, n_features=20, feature_names=None, ax=None):
    """Bars of the largest weights of a network of conjunctive features.

    Parameters
    ----------
    model : DecisionTreeMarkovNetwork or ConjunctiveMarkovNetwork
        A network with weights.
    n_features : int, default=20
        How many features to show.
    feature_names : sequence of str or None, default=None
        Names of the columns; None takes those of the fit, or their numbers.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes
    """
    network = getattr(model, "network_", model)
    if feature_names is None:
        feature_names = getattr(model, "feature_names_in_", [f"x{i}" for i in range(network.n_features)])
    order = np.argsort(-np.abs(network.weights), kind="stable")[:n_features]
    features = network.features
    labels = [
        " ∧ ".join(f"{'' if value else '¬'}{feature_names[column]}" for column, value in features[j]) for j in order
    ]
    ax = axes_for(ax, figsize=(7, 1 + 0.28 * len(order)))
    weights = network.weights[order]
    ax.barh(np.arange(len(order)), weights, color=np.where(weights > 0, "#1b6ca8", "#c4572e"))
    ax.set_yticks(np.arange(len(order)), labels, fontsize="small")
    ax.invert_yaxis()
    ax.axvline(0.0, color="0.4", lw=0.8)
    ax.set_xlabel("weight")
    ax.set_title(f"{len(order)} of {len(features)} features")
    return ax
