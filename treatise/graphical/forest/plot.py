"""Pictures of a forest density: how large the forest should be, and what a pair looks like."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import axes_for
from treatise.statistics.density_grids import DensityGrids


def plot_heldout_path(estimator, *, ax=None):
    """Held-out log-likelihood of a forest density against the size of its forest, the chosen size marked.

    Parameters
    ----------
    estimator : ForestDensity
        Fitted with rows held out.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import ForestDensity, plot_heldout_path
    >>> X = np.random.default_rng(0).normal(size=(200, 5))
    >>> ax = plot_heldout_path(ForestDensity(random_state=0).fit(X))
    >>> ax.get_ylabel()
    'held-out log-likelihood of a row'
    """
    check_is_fitted(estimator)
    if not hasattr(estimator, "heldout_path_"):
        raise ValueError(f"structure={estimator.structure!r} holds no rows out, so that there is no path to draw")
    ax = axes_for(ax, figsize=(6.0, 4.0))
    ax.step(estimator.complexities_, estimator.heldout_path_, where="post", color="#1b6ca8")
    chosen = estimator.heldout_path_[estimator.complexities_ == estimator.complexity_]
    ax.plot([estimator.complexity_], chosen, "o", color="#b2182b", label=f"chosen: {estimator.complexity_}")
    ax.set_xlabel("most edges of a tree" if estimator.structure == "restricted" else "edges of the forest")
    ax.set_ylabel("held-out log-likelihood of a row")
    ax.legend()
    return ax


def plot_pair_density(estimator, i, j, *, ax=None):
    """Contours of the density of two columns over their training rows.

    Parameters
    ----------
    estimator : ForestDensity
        Fitted.
    i, j : int or str
        Number or name of the column to go right, and of the one to go up.
    ax : matplotlib axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import ForestDensity, plot_pair_density
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> ax = plot_pair_density(ForestDensity("tree").fit(X), 0, 1)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('column 0', 'column 1')
    """
    check_is_fitted(estimator)
    columns = [_column(estimator, column) for column in (i, j)]
    rows = estimator.training_rows_[:, columns]
    widths = estimator.pair_bandwidths_[columns]
    low = rows.min(axis=0) - 2 * widths
    span = rows.max(axis=0) + 2 * widths - low
    grids = DensityGrids((rows - low) / span, bandwidths=widths / span, pair_bandwidths=widths / span)
    density = grids.pair(0, 1) / span.prod()
    ax = axes_for(ax, figsize=(5.0, 5.0))
    across, up = (start + length * grids.grid for start, length in zip(low, span))
    ax.contourf(across, up, density.T, levels=12, cmap="Blues")
    ax.plot(rows[:, 0], rows[:, 1], ".", color="#444", markersize=2, alpha=0.6)
    names = getattr(estimator, "feature_names_in_", None)
    labels = [f"column {k}" if names is None else str(names[k]) for k in columns]
    ax.set_xlabel(labels[0])
    ax.set_ylabel(labels[1])
    return ax


def _column(estimator, column):
    """Number of a column that is named or counted."""
    if isinstance(column, str):
        names = getattr(estimator, "feature_names_in_", np.array([])).tolist()
        if column not in names:
            raise ValueError(f"{column!r} is no column of the training rows")
        return names.index(column)
    if not 0 <= column < estimator.n_features_in_:
        raise ValueError(f"column {column} does not exist: there are {estimator.n_features_in_}")
    return int(column)
