"""What pruning does to a tree as a picture: mistakes and size against the room for mistakes on the growing rows."""

import numpy as np

from treatise._core.figures import axes_for
from treatise.ensemble.pruning.counted_tree import CountedTree
from treatise.ensemble.pruning.reduced_error import reduced_error_pruning


def plot_pruning(tree, X, y, ax=None, *, n_points=25):
    """Draw the share of mistakes of k-REP on growing and pruning rows against its size, from the tree to REP.

    Parameters
    ----------
    tree : DecisionTreeClassifier or ExtraTreeClassifier
        Fitted without weights.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows that it was not grown on.
    y : array-like of shape (n_samples,)
        Their classes.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.
    n_points : int, default=25
        Values of k.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treatise.ensemble import plot_pruning
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> plot_pruning(DecisionTreeClassifier(max_depth=5).fit(X[::2], y[::2]), X[1::2], y[1::2]).get_xlabel()
    'nodes'
    """
    counted = CountedTree.of(tree)
    ax = axes_for(ax, figsize=(7, 4))
    free = reduced_error_pruning(tree, X, y)
    unpruned = counted.unpruned_errors()
    levels = np.unique(np.linspace(unpruned, max(free.growing_errors, unpruned), n_points).astype(int))
    found = [reduced_error_pruning(tree, X, y, k=int(k)) for k in levels]
    sizes = [pruning.n_nodes for pruning in found]
    grown_on = int(tree.tree_.n_node_samples[0])
    ax.plot(sizes, [pruning.pruning_errors / len(y) for pruning in found], ".-", label="pruning rows")
    ax.plot(sizes, [pruning.growing_errors / grown_on for pruning in found], ".-", label="growing rows")
    ax.set(xlabel="nodes", ylabel="share of mistakes")
    ax.legend()
    return ax
