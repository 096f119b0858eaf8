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
        " ∧ ".join(_written(feature_names[column], values, network.n_values[column]) for column, values in features[j])
        for j in order
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


def _written(name, values, n_values):
    """A test in words: of two values the name stands for the second."""
    if n_values == 2:
        return f"{'' if values else '¬'}{name}"
    if not isinstance(values, tuple):
        return f"{name}={values}"
    left_out = [v for v in range(n_values) if v not in values]
    return f"{name}≠{left_out[0]}" if len(left_out) == 1 else f"{name}∈{{{','.join(map(str, values))}}}"
