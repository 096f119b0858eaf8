"""Picture of the robust variances of all directions, beside those of plain PCA."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import axes_for
from treatise.statistics.row_blocks import RowBlocks


def plot_scree(model, X, *, ax=None):
    """Draw the share of each direction in the robust variance, and in that of plain PCA, by falling share.

    Use it to see where the subspace ends: the robust curve drops there, by many powers of ten without noise, while that
    of PCA runs on where outlying rows fill the space. Robust variances are the inverse eigenvalues of Q.

    Parameters
    ----------
    model : GeometricMedianSubspace
        Fitted to X.
    X : array-like of shape (n_samples, n_features)
        The data it was fitted to.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from treatise.datasets import make_subspace_outliers
    >>> from treatise.decomposition import GeometricMedianSubspace, plot_scree
    >>> X, _, _ = make_subspace_outliers(100, 50, 10, 3, random_state=0)
    >>> ax = plot_scree(GeometricMedianSubspace("gap").fit(X), X)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['robust', 'plain PCA', 'dimension 3']
    """
    check_is_fitted(model)
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != model.n_features_in_:
        raise ValueError(f"X has shape {X.shape}; the model was fitted to {model.n_features_in_} columns")
    rank = len(model.eigenvalues_)
    robust = 1.0 / model.eigenvalues_
    plain = np.linalg.eigvalsh(RowBlocks(X, X.mean(axis=0)).gram())[::-1][:rank]
    ax = axes_for(ax, figsize=(5.5, 4))
    places = np.arange(1, rank + 1)
    size = 4 if rank <= 60 else 1.5
    ax.semilogy(places, robust / robust.sum(), "o-", markersize=size, color="#c8553d", linewidth=1, label="robust")
    shares = np.maximum(plain / plain.sum(), np.finfo(float).eps)
    ax.semilogy(places, shares, "s-", markersize=size, color="#1b6ca8", linewidth=1, label="plain PCA")
    dimension = model.n_components_
    ax.axvline(dimension + 0.5, color="0.5", linestyle=":", linewidth=1, label=f"dimension {dimension}")
    ax.set(xlabel="direction", ylabel="share of the variance")
    ax.legend(frameon=False)
    return ax
