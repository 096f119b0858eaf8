"""Picture of the rows, the smallest ellipsoid around them, and the rows that it chose."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import axes_for


def plot_ellipsoid(model, X, *, dimensions=None, ax=None):
    """Draw the rows of X in two of the reduced dimensions, with the shadow of the ellipsoid and the chosen rows.

    Use it to see whether the parts are corners of the data, and how many rows touch the ellipsoid: as many as there
    are parts means that the noise is low. In two dimensions many rows that touch lie inside the shadow.

    Parameters
    ----------
    model : SeparableNMF
        Fitted to X with ``method="er-spa"`` or ``"er-xray"`` and ``normalize=False``.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data it was fitted to.
    dimensions : (int, int) or None, default=None
        Reduced dimensions to draw, from 0. None draws the second and the third, where there are three: the first is
        about the mean of the rows.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.decomposition import SeparableNMF, plot_ellipsoid
    >>> X = np.random.default_rng(0).dirichlet(np.ones(3), 50)
    >>> ax = plot_ellipsoid(SeparableNMF(3).fit(X), X)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['rows', 'touch the ellipsoid', 'parts']
    """
    check_is_fitted(model)
    if model.ellipsoid_ is None:
        raise ValueError(f"method={model.method!r} makes no ellipsoid to draw; fit with method='er-spa' or 'er-xray'")
    rho = len(model.ellipsoid_)
    if rho < 2:
        raise ValueError("an ellipsoid of one dimension is no picture; fit with n_components=2 or more")
    across, up = dimensions or ((1, 2) if rho > 2 else (0, 1))
    if not (0 <= across < rho and 0 <= up < rho and across != up):
        raise ValueError(f"dimensions={(across, up)} must be two different numbers from 0 to {rho - 1}")
    points = np.asarray(X @ model.directions_[:, [across, up]])
    ax = axes_for(ax, figsize=(5.5, 5))
    ax.plot(*points.T, ".", color="0.75", markersize=3, label="rows", zorder=1)
    ax.plot(*points[model.candidates_].T, "o", mfc="none", color="#1b6ca8", label="touch the ellipsoid")
    ax.plot(*points[model.components_indices_].T, "*", color="#c8553d", markersize=11, label="parts")
    # The shadow of {z : z L z <= 1} on two axes is the ellipse of the same two rows and columns of L^-1.
    shadow = np.linalg.cholesky(np.linalg.inv(model.ellipsoid_)[np.ix_([across, up], [across, up])])
    angles = np.linspace(0.0, 2.0 * np.pi, 200)
    ax.plot(*(shadow @ np.stack([np.cos(angles), np.sin(angles)])), color="#1b6ca8", linewidth=1)
    ax.set(xlabel=f"singular direction {across + 1}", ylabel=f"singular direction {up + 1}")
    ax.legend(frameon=False)
    return ax
