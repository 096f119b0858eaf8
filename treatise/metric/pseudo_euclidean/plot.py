"""Both ends of a pseudo-Euclidean embedding drawn beside its spectrum."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import panels_for


def plot_pseudo_euclidean(model, labels=None, *, ax=None):
    """Draw the spectrum, the plane of the leading positive directions and that of the lowest negative ones.

    Parameters
    ----------
    model : PseudoEuclideanEmbedding
        Fitted, without a correction, with at least two directions of either sign.
    labels : array of shape (n_objects,) or None, default=None
        Classes or numbers that colour the objects.
    ax : sequence of three matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : ndarray of three matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.metric import PseudoEuclideanEmbedding, plot_pseudo_euclidean
    >>> D = np.random.default_rng(0).random((12, 12))
    >>> spectrum, positive, negative = plot_pseudo_euclidean(PseudoEuclideanEmbedding().fit(D + D.T))
    >>> negative.get_xlabel()
    'second last direction'
    """
    check_is_fitted(model)
    n_negative = int((model.kept_eigenvalues_ < 0).sum())
    if model.correction is not None or n_negative < 2 or int((model.kept_eigenvalues_ > 0).sum()) < 2:
        raise ValueError(
            f"two directions of either sign are drawn; the kept eigenvalues are {model.kept_eigenvalues_.round(3)}"
            + (f" under correction={model.correction!r}" if model.correction else "")
        )
    spectrum, positive, negative = panels = panels_for(ax, 3, figsize=(13, 4))
    values = model.eigenvalues_
    spectrum.bar(np.arange(len(values)), values, width=1.0, color=np.where(values < 0, "#b8443b", "#1b6ca8"))
    spectrum.axhline(0, color="black", linewidth=0.5)
    spectrum.set_xlabel("rank" if model.signature_ else "rank among the eigenvalues found")
    spectrum.set_ylabel("eigenvalue")
    coordinates = model.embedding_
    _scatter(positive, coordinates[:, 0], coordinates[:, 1], labels)
    positive.set(xlabel="first direction", ylabel="second direction", title="positive eigenvalues")
    _scatter(negative, coordinates[:, -2], coordinates[:, -1], labels)
    negative.set(xlabel="second last direction", ylabel="last direction", title="negative eigenvalues")
    return panels


def _scatter(ax, x, y, labels):
    if labels is None or np.issubdtype(np.asarray(labels).dtype, np.floating):
        ax.scatter(x, y, s=8, c=labels)
        return
    labels = np.asarray(labels)
    for label in np.unique(labels):
        ax.scatter(x[labels == label], y[labels == label], s=8, label=str(label))
    ax.legend()
