"""When two joined cliques are one cluster, two, or more (van Laarhoven & Marchiori, JMLR 15:193, Figure 2)."""

import numpy as np

from treatise._core.figures import axes_for


def two_clique_phase(M, gamma, w, b):
    """Best clustering of two cliques of inner weight w, joined by weight b, under adaptive scale modularity.

    Parameters
    ----------
    M, gamma : float
        The quality function's scale and slope.
    w, b : array-like
        Inner weight of each clique, and weight between them; arrays of a common shape.

    Returns
    -------
    clusters : ndarray of int
        1 for one cluster, 2 for the two cliques, 4 for each clique in halves; of equals the fewest.

    Examples
    --------
    >>> from treatise.network import two_clique_phase
    >>> two_clique_phase(0.0, 2.0, [1.0, 4.0], 1.0)
    array([1, 2])
    """
    w, b = np.broadcast_arrays(np.asarray(w, dtype=np.float64), np.asarray(b, dtype=np.float64))
    if M < 0 or gamma < 0 or M + gamma == 0:
        raise ValueError(f"M={M} and gamma={gamma} must not be negative, nor both zero")
    if (w < 0).any() or (b < 0).any():
        raise ValueError("weights w and b must be zero or more")
    v = w + b

    def term(inner, volume):
        S = M + gamma * volume
        S = np.where(S > 0, S, np.inf)
        return inner / S - (volume / S) ** 2

    qualities = np.stack([term(2 * w + 2 * b, 2 * v), 2 * term(w, v), 4 * term(w / 4, v / 2)])
    # Rounding must not decide between equals.
    best = qualities.max(axis=0)
    return np.array([1, 2, 4])[np.argmax(qualities >= best - 1e-12 * np.abs(best), axis=0)]


def plot_two_clique_phase(M=0.0, gamma=2.0, *, most=None, ax=None):
    """Where two joined cliques are one cluster, two, or halves, over their inner and joining weights (Figure 2).

    Parameters
    ----------
    M, gamma : float
        The quality function's scale and slope.
    most : float or None, default=None
        Largest weight; None is M, or 100 at M = 0.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes
    """
    ax = axes_for(ax, figsize=(4.2, 4))
    most = most or M or 100.0
    grid = (np.arange(200) + 0.5) / 200 * most
    phase = two_clique_phase(M, gamma, grid[np.newaxis, :], grid[:, np.newaxis])
    ax.contourf(grid, grid, phase, levels=[0, 1.5, 3, 5], colors=["white", "tab:blue", "tab:red"], alpha=0.5)
    for value, name in ((1, "one cluster"), (2, "two"), (4, "halves")):
        if np.mean(phase == value) > 0.02:  # a name needs room
            rows, columns = np.nonzero(phase == value)
            middle = np.argmin((rows - rows.mean()) ** 2 + (columns - columns.mean()) ** 2)
            ax.text(grid[columns[middle]], grid[rows[middle]], name, ha="center", va="center")
    ax.set(xlabel="inner weight of a clique", ylabel="weight between them", title=f"M = {M:g}, γ = {gamma:g}")
    return ax
