"""How the couplings share out the contradictions of one row."""

import numpy as np

from treatise._core.figures import axes_for
from treatise.svm.coupling.coupling import pairwise_coupling


def plot_coupling(
    R, *, methods=("least_squares", "markov", "hastie_tibshirani", "price", "vote"), class_names=None, ax=None
):
    """Bars of the class probabilities that each method makes of one row's pairwise probabilities.

    Where the bars of a class are level, the pairs agree with one another; where they differ, they do not, and no
    probability of that row should be trusted to more than the difference.

    Parameters
    ----------
    R : array-like of shape (k, k)
        Pairwise probabilities of one row, such as ``model.pairwise_proba(X)[0]``.
    methods : sequence of str
        Methods of :func:`pairwise_coupling` to show.
    class_names : sequence of str or None, default=None
        Names of the classes; numbers if None.
    ax : matplotlib Axes or None, default=None
        Where to draw; a new figure if None.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from treatise.svm import plot_coupling
    >>> ax = plot_coupling([[0.5, 0.9, 0.4], [0.1, 0.5, 0.3], [0.6, 0.7, 0.5]], class_names=["a", "b", "c"])
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['a', 'b', 'c']
    """
    R = np.asarray(R, dtype=np.float64)
    if R.ndim != 2:
        raise ValueError(f"R must be the matrix of one row, of shape (k, k); got the shape {R.shape}")
    coupled = {method: pairwise_coupling(R, method) for method in methods}
    names = [str(c) for c in (range(len(R)) if class_names is None else class_names)]
    if len(names) != len(R):
        raise ValueError(f"class_names has {len(names)} names for {len(R)} classes")
    ax = axes_for(ax)
    width = 0.8 / len(coupled)
    at = np.arange(len(R))
    for position, (method, p) in enumerate(coupled.items()):
        ax.bar(at + (position - (len(coupled) - 1) / 2) * width, p, width, label=method.replace("_", " "))
    ax.set_xticks(at, names)
    ax.set_xlabel("class")
    ax.set_ylabel("probability")
    ax.legend()
    return ax
