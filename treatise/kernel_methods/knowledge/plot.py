"""A fitted function beside its data and the regions of which something is known."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise._core.figures import axes_for
from treatise.kernel_methods.knowledge.implications import check_knowledge
from treatise.kernel_methods.knowledge.polyhedron import Polyhedron

_COLORS = {1.0: "#2a7f3f", -1.0: "#b3432b"}
"""Of lower and of upper bounds."""


def plot_knowledge(model, X, y, *, margin=0.1, ax=None):
    """Draw the function of one or two features with the data, the regions and their bounds.

    Parameters
    ----------
    model : KnowledgeKernelRegressor or LinearKnowledgeRegressor
        A fitted model.
    X : array-like of shape (n_samples, 1 or 2)
        Rows to show; those that carry weight are filled.
    y : array-like of shape (n_samples,)
        Their values.
    margin : float, default=0.1
        Share of the range of X that is added on all sides.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes
    """
    check_is_fitted(model)
    X, y = np.asarray(X, np.float64), np.asarray(y, np.float64)
    if X.ndim != 2 or X.shape[1] not in (1, 2):
        raise ValueError(f"only functions of one or two features can be drawn; X has shape {X.shape}")
    ax = axes_for(ax, figsize=(7, 4))
    low, high = X.min(axis=0), X.max(axis=0)
    spread = np.where(high > low, high - low, 1.0) * margin
    low, high = low - spread, high + spread
    knowledge = check_knowledge(model.knowledge, X.shape[1])
    (_draw_curve if X.shape[1] == 1 else _draw_surface)(model, X, y, knowledge, low, high, ax)
    return ax


def _draw_curve(model, X, y, knowledge, low, high, ax):
    grid = np.linspace(low[0], high[0], 400)[:, None]
    ax.plot(grid[:, 0], model.predict(grid), color="#1b6ca8", lw=1.5, label="fit")
    _draw_rows(ax, X[:, 0], y, model, color="#333333")
    for piece in knowledge:
        inside = grid[piece.region.contains(grid)]
        if len(inside) == 0:
            continue
        for part in piece.implications:
            bound = part.bound(inside)
            ax.plot(inside[:, 0], bound, color=_COLORS[part.sign], lw=2, label=f"f(x) {part}")
            reach = 0.15 * (np.ptp(y) or 1.0) * part.sign
            ax.fill_between(inside[:, 0], bound, bound + reach, color=_COLORS[part.sign], alpha=0.15, lw=0)
    ax.set(xlabel="x", ylabel="f(x)")
    ax.legend()


def _draw_surface(model, X, y, knowledge, low, high, ax):
    first, second = np.linspace(low[0], high[0], 80), np.linspace(low[1], high[1], 80)
    grid = np.column_stack([axis.ravel() for axis in np.meshgrid(first, second)])
    surface = ax.contourf(first, second, model.predict(grid).reshape(80, 80), levels=20, cmap="viridis")
    ax.figure.colorbar(surface, ax=ax, label="f(x)")
    _draw_rows(ax, X[:, 0], X[:, 1], model, color="white")
    for piece in knowledge:
        try:
            corners = piece.region.intersect(Polyhedron.box(low, high)).points(50, random_state=0)
        except ValueError:
            continue  # the region lies outside the picture
        hull = _convex_hull(corners)
        label = " and ".join(f"f(x) {part}" for part in piece.implications)
        ax.fill(*hull.T, fill=False, hatch="///", edgecolor=_COLORS[piece.implications[0].sign], label=label)
    ax.set(xlabel="x1", ylabel="x2")
    if knowledge:
        ax.legend()


def _draw_rows(ax, across, up, model, color):
    carrying = np.zeros(len(across), bool)
    support = model.support_ if hasattr(model, "support_") else np.flatnonzero(model.dual_coef_)
    carrying[support[support < len(across)]] = True
    ax.scatter(across[~carrying], up[~carrying], s=22, facecolors="none", edgecolors=color, marker="D", lw=0.8)
    ax.scatter(across[carrying], up[carrying], s=22, color=color, marker="D", lw=0.8)


def _convex_hull(points):
    """Corners of the convex hull in order, by turning always to the left."""
    ordered = sorted(map(tuple, points))
    halves = []
    for sequence in (ordered, ordered[::-1]):
        chain: list = []
        for point in sequence:
            while (
                len(chain) > 1
                and np.linalg.det([np.subtract(chain[-1], chain[-2]), np.subtract(point, chain[-1])]) <= 0
            ):
                chain.pop()
            chain.append(point)
        halves.extend(chain[:-1])
    return np.array(halves or ordered)
