"""Pictures of dependence: a heat map of columns, and the groups that a subspace analysis found."""

import numpy as np

from treatise._core.figures import axes_for, panels_for


def plot_dependence(matrix, names=None, *, groups=None, ax=None):
    """Heat map of how much each pair of columns depends, with frames around groups.

    Parameters
    ----------
    matrix : array-like of shape (n_columns, n_columns)
        Dependence of each pair, such as ``dependence_`` of :class:`IndependentSubspaceAnalysis`.
    names : list of str or None, default=None
        Names of the columns; None numbers them.
    groups : list of array of int or None, default=None
        Columns that follow one another and belong together, such as ``subspaces_``.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.information import plot_dependence
    >>> ax = plot_dependence(np.array([[0.0, 0.7], [0.7, 0.0]]), ["height", "weight"])
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['height', 'weight']
    """
    matrix = np.asarray(matrix, np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"matrix has shape {matrix.shape}; one row and one column for each of the columns are needed")
    names = [str(i) for i in range(len(matrix))] if names is None else list(names)
    if len(names) != len(matrix):
        raise ValueError(f"{len(names)} names for {len(matrix)} columns; give one each")
    ax = axes_for(ax, figsize=(5.0, 4.2))
    image = ax.imshow(matrix, cmap="viridis", vmin=0.0)
    ax.set_xticks(range(len(names)), names, rotation=90 if max(map(len, names)) > 2 else 0)
    ax.set_yticks(range(len(names)), names)
    ax.figure.colorbar(image, ax=ax, label="dependence")
    for group in groups or []:
        low, size = min(group) - 0.5, len(group)
        ax.plot(*np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]).T * size + low, color="white", linewidth=2)
    return ax


def plot_subspaces(model, X, *, ax=None):
    """Components of each group against one another: two-dimensional sources as the shapes they are.

    Parameters
    ----------
    model : IndependentSubspaceAnalysis
        A fitted model, or one of its relatives.
    X : array-like of shape (n_samples, n_features)
        Signals to show.
    ax : sequence of matplotlib Axes or None, default=None
        One for each group of two components or more; None makes a figure.

    Returns
    -------
    ax : ndarray of matplotlib Axes

    Examples
    --------
    >>> from treatise.datasets import make_subspace_sources
    >>> from treatise.information import IndependentSubspaceAnalysis, plot_subspaces
    >>> X = make_subspace_sources(500, 2, random_state=0).X
    >>> len(plot_subspaces(IndependentSubspaceAnalysis([2, 2], random_state=0).fit(X), X))
    2
    """
    S = model.transform(X)
    groups = [group for group in model.subspaces_ if len(group) > 1]
    if not groups:
        raise ValueError("all groups are single components; there is nothing to draw against one another")
    panels = panels_for(ax, len(groups), across=min(4, len(groups)), figsize=(2.6 * min(4, len(groups)), 2.6))
    for panel, group in zip(panels, groups):
        panel.plot(S[:, group[0]], S[:, group[1]], ".", markersize=2, alpha=0.4)
        panel.set_xlabel(f"component {group[0]}")
        panel.set_ylabel(f"component {group[1]}")
        panel.set_aspect("equal", "datalim")
    return panels
