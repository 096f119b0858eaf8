"""Pictures of enriched Dirichlet process mixtures."""

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import panels_for

_POINTS = 200
_REACH = 1e-3
"""What the grid leaves out on either side."""


def plot_predictive_density(model, X, *, y=None, names=None, level=0.95, ax=None):
    """Predictive density of the target of each of some rows, with its mean, its interval and what came out.

    Parameters
    ----------
    model : EnrichedDPRegressor or DPMixtureRegressor
        Fitted.
    X : array-like of shape (n_samples, n_features)
        The rows, one panel each.
    y : array-like of shape (n_samples,) or None, default=None
        Targets that came out, drawn as lines.
    names : sequence of str or None, default=None
        Titles of the panels; None numbers the rows.
    level : float, default=0.95
        Probability of the shaded interval.
    ax : sequence of matplotlib axes or None, default=None
        Where to draw, one for each row; None makes a figure.

    Returns
    -------
    axes : ndarray of matplotlib axes
    """
    check_is_fitted(model)
    X = check_array(X, dtype=np.float64)
    if names is not None and len(names) != len(X):
        raise ValueError(f"{len(names)} names for {len(X)} rows; give one for each")
    y = None if y is None else np.asarray(y, dtype=float)
    if y is not None and y.shape != (len(X),):
        raise ValueError(f"y has shape {y.shape}; give one target for each of the {len(X)} rows")
    panels = panels_for(ax, len(X), figsize=(3.2 * min(len(X), 4), 2.6 * -(-len(X) // 4)))
    reach = model.predict_interval(X, level=1.0 - 2 * _REACH)
    inside, mean = model.predict_interval(X, level=level), model.predict(X)
    grids = np.linspace(reach[:, 0], reach[:, 1], _POINTS, axis=1)
    densities = model.predict_density(X, grids)
    for i, panel in enumerate(panels):
        panel.plot(grids[i], densities[i], color="C0", linewidth=1.2)
        held = (grids[i] >= inside[i, 0]) & (grids[i] <= inside[i, 1])
        panel.fill_between(grids[i], densities[i], where=held, color="C0", alpha=0.25, linewidth=0)
        panel.axvline(mean[i], color="C0", linestyle="--", linewidth=0.8)
        if y is not None:
            panel.axvline(y[i], color="black", linewidth=1.0)
        panel.set_title(f"row {i}" if names is None else str(names[i]), fontsize=9)
        panel.set_xlabel("y")
        panel.set_ylim(bottom=0.0)
    return panels
