"""Pictures of heteroscedastic additive models."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import panels_for


def plot_curves(model, X, *, features=None, names=None, level=0.95, ax=None):
    """Curves of the mean above and of the deviation below, one column of panels a feature, with credible bands.

    Parameters
    ----------
    model : HeteroscedasticAdditiveRegressor
        Fitted.
    X : array-like of shape (n_samples, n_features)
        Rows, for the range of every column.
    features : list of int or None, default=None
        Columns to draw; None takes the first four.
    names : list of str or None, default=None
        Names of all columns; None takes those of the fit, or numbers.
    level : float, default=0.95
        Probability of the bands.
    ax : sequence of matplotlib axes or None, default=None
        Where to draw, two for each feature: first all means, then all deviations; None makes a figure.

    Returns
    -------
    ax : ndarray of matplotlib axes
    """
    check_is_fitted(model)
    columns = np.asarray(X, dtype=np.float64)
    features = list(range(min(4, columns.shape[1]))) if features is None else list(features)
    if names is None:
        names = getattr(model, "feature_names_in_", [f"column {j}" for j in range(columns.shape[1])])
    panels = panels_for(ax, 2 * len(features), across=len(features), figsize=(3 * len(features), 5))
    for of, row in (("mean", panels[: len(features)]), ("spread", panels[len(features) :])):
        for j, panel in zip(features, row):
            x = columns[:, j]
            grid = np.linspace(x.min(), x.max(), 200)
            curve, band = model.curve(j, grid, of=of, level=level)
            panel.fill_between(grid, *band.T, alpha=0.3, linewidth=0)
            panel.plot(grid, curve)
            panel.plot(x, np.full(len(x), 0.02), "|", color="0.5", transform=panel.get_xaxis_transform())
            panel.set_xlabel(str(names[j]))
        row[0].set_ylabel("mean" if of == "mean" else "deviation of the noise")
    return panels
