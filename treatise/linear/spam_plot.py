"""Pictures of sparse additive models."""

import numpy as np


def plot_components(model, X, *, features=None, names=None, axes=None):
    """Draw the curves of a sparse additive model over the range of the rows, with ticks where the rows lie.

    Parameters
    ----------
    model : SpAMRegressor or SpAMClassifier
        Fitted.
    X : array-like of shape (n_samples, n_features)
        Rows, for the range of every column.
    features : list of int or None, default=None
        Columns to draw; None takes the active ones, the strongest first, at most twelve.
    names : list of str or None, default=None
        Names of all columns; None takes those of the fit, or numbers.
    axes : sequence of matplotlib axes or None, default=None
        Where to draw, one for each feature; None makes a figure.

    Returns
    -------
    axes : list of matplotlib axes
    """
    columns = np.asarray(X, dtype=np.float64)
    if features is None:
        features = model.active_[np.argsort(-model.norms_[model.active_])][:12].tolist()
    if names is None:
        names = getattr(model, "feature_names_in_", [f"column {j}" for j in range(columns.shape[1])])
    if axes is None:
        from matplotlib import pyplot

        across = max(1, min(4, len(features)))
        down = max(1, -(-len(features) // across))
        figure = pyplot.figure(figsize=(3 * across, 2.4 * down), layout="constrained")
        axes = figure.subplots(down, across, squeeze=False, sharey=True).ravel()
        for spare in axes[len(features) :]:
            spare.set_axis_off()
    for j, ax in zip(features, axes):
        x = columns[:, j]
        grid = np.linspace(x.min(), x.max(), 200)
        ax.plot(grid, model.component(j, grid))
        ax.plot(x, np.full(len(x), 0.02), "|", color="0.5", transform=ax.get_xaxis_transform())
        ax.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
        ax.set_xlabel(str(names[j]))
    return list(axes[: len(features)])


def plot_norm_path(model, ax=None):
    """Size of every function along the path of penalties, with the chosen penalty marked.

    Parameters
    ----------
    model : SpAMRegressor
        Fitted.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib axes
    """
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.figure(layout="constrained").subplots()
    norms = model.path_["norms"]
    ax.plot(model.path_["penalty"], norms[:, norms.max(axis=0) > 0])
    ax.axvline(model.penalty_, color="0.5", linestyle="--")
    ax.set_xscale("log")
    ax.set_xlabel("penalty")
    ax.set_ylabel("root mean square of a function")
    return ax
