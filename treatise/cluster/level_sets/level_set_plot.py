"""Picture of the groups of a level set, the noise, and the spectrum that parts them."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import panels_for


def plot_level_set(model, X, *, ax=None):
    """Draw the rows with their groups, noise in grey, and beside them the leading eigenvalues.

    Use it to see what was set aside and whether the number of groups is clear: the distances of the eigenvalues from
    one jump after the last group. Rows of more than two columns are drawn along their two leading principal directions.

    Parameters
    ----------
    model : LevelSetSpectralClustering
        Fitted to X.
    X : array-like of shape (n_samples, n_features)
        The data it was fitted to.
    ax : sequence of two matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : ndarray of two matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treatise.cluster import LevelSetSpectralClustering, plot_level_set
    >>> X, _ = make_moons(200, noise=0.05, random_state=0)
    >>> panels = plot_level_set(LevelSetSpectralClustering().fit(X), X)
    >>> [text.get_text() for text in panels[0].get_legend().get_texts()]
    ['noise', 'group 0', 'group 1']
    """
    check_is_fitted(model)
    X = np.asarray(X, dtype=np.float64)
    if X.shape != (len(model.labels_), model.n_features_in_):
        raise ValueError(
            f"X has shape {X.shape}; the model knows {len(model.labels_)} rows of {model.n_features_in_} numbers"
        )
    places, names = _in_a_plane(X)
    left, right = panels = panels_for(ax, 2, figsize=(10, 4.2))
    for group in range(-1, model.n_clusters_):
        chosen = places[model.labels_ == group]
        style = {"color": "0.8", "label": "noise"} if group < 0 else {"label": f"group {group}"}
        left.plot(*chosen.T, ".", markersize=4, **style)
    left.set(xlabel=names[0], ylabel=names[1])
    left.legend(frameon=False, markerscale=2, fontsize=8)
    numbers = np.arange(1, len(model.eigenvalues_) + 1)
    right.semilogy(numbers, np.maximum(1.0 - model.eigenvalues_, 1e-15), "o", color="#1b6ca8")
    right.axvline(model.n_clusters_ + 0.5, color="0.5", linestyle=":", linewidth=1)
    right.set(xlabel="number of the eigenvalue", ylabel="its distance from 1")
    return panels


def _in_a_plane(X):
    """Two coordinates of each row, and what to call them."""
    if X.shape[1] == 1:
        return np.column_stack([X[:, 0], np.zeros(len(X))]), ("column 0", "")
    if X.shape[1] == 2:
        return X, ("column 0", "column 1")
    centred = X - X.mean(axis=0)
    directions = np.linalg.eigh(centred.T @ centred)[1][:, :-3:-1]
    return centred @ directions, ("first principal direction", "second principal direction")
