"""Inclusion probabilities as a picture."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import axes_for


def plot_inclusion(model, *, max_features=25, feature_names=None, ax=None):
    """Bars of the posterior probability that each feature depends on the class, the most probable first.

    Parameters
    ----------
    model : AveragedNaiveBayes or ModelAveragedClassifier
        A fitted classifier with ``inclusion_probabilities_``.
    max_features : int, default=25
        Most features to draw.
    feature_names : sequence or None, default=None
        Names of the features; None takes those seen in fitting, or the columns' numbers.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treatise.bayesnet import AveragedNaiveBayes, plot_inclusion
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> ax = plot_inclusion(AveragedNaiveBayes().fit(X, y), max_features=10)
    >>> len(ax.patches)
    10
    """
    check_is_fitted(model)
    probabilities = getattr(model, "inclusion_probabilities_", None)
    if probabilities is None:
        raise ValueError(f"{type(model).__name__} has no inclusion_probabilities_; give a model that averages")
    names = feature_names
    if names is None:
        names = getattr(model, "feature_names_in_", np.arange(len(probabilities)))
    if len(names) != len(probabilities):
        raise ValueError(f"feature_names has {len(names)} names for {len(probabilities)} features")
    shown = np.argsort(-probabilities, kind="stable")[:max_features]
    ax = axes_for(ax, figsize=(7.0, 1.2 + 0.24 * len(shown)))
    prior = getattr(model, "structure_prior", None)
    ax.barh(np.arange(len(shown)), probabilities[shown], color="#1b6ca8")
    if np.ndim(prior) == 0 and prior is not None:
        ax.axvline(prior, color="#808080", linestyle="--", linewidth=1, label="before the data")
        ax.legend(loc="lower right")
    ax.set_yticks(np.arange(len(shown)), [str(names[i]) for i in shown])
    ax.invert_yaxis()
    ax.set_xlim(0, 1)
    ax.set_xlabel("probability that the feature depends on the class")
    hidden = len(probabilities) - len(shown)
    ax.set_title(f"Inclusion of features{f' ({hidden} less probable ones not shown)' if hidden else ''}")
    return ax
