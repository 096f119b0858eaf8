"""Sinc, product of sincs and hyperboloid with and without knowledge (Mangasarian et al., JMLR 5:1127)."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import minimize

from treatise.kernel_methods import Knowledge, KnowledgeKernelRegressor, Polyhedron, plot_knowledge
from treatise.papers._evidence import Evidence, Gap, Row

PEAK = Knowledge(Polyhedron.box([-0.25], [0.25]), at_least=float(np.sinc(0.25)))
"""Implication of Section 4.1, with the least value of the function there."""
SUMMIT = Knowledge(Polyhedron.box([-0.1, -0.1], [0.1, 0.1]), at_least=float(np.sinc(0.1)) ** 2)
"""Implication of Section 4.2."""
CONES = [
    Knowledge(([[-1 / 3, -1], [2 / 3, 1]], [0, 0]), at_most=([10, 0], 0)),
    Knowledge(([[-2 / 3, -1], [1 / 3, 1]], [0, 0]), at_most=([0, 10], 0)),
]
"""Implications (27) and (28)."""
STEEP_CONES = [
    Knowledge(([[-1, -3], [1, 1.5]], [0, 0]), at_most=([10, 0], 0)),
    Knowledge(([[-1, -1.5], [1, 3]], [0, 0]), at_most=([0, 10], 0)),
]
"""The same cones, with inequalities divided by their coefficient of x1."""
TOLD_SINC = {"C": 13.0, "gamma": 1.0, "mismatch_cost": 5.0, "shortfall_cost": 450.0}
TOLD_PRODUCT = {"C": 16000.0, "gamma": 1.0, "mismatch_cost": 15000.0, "shortfall_cost": 5e6}
TOLD_HYPERBOLOID = {"C": 5356.0, "gamma": 0.0052, "mismatch_cost": 685.0, "shortfall_cost": 670613.0}
DRAWS = "the paper's one draw, which is not at hand, beside the mean over ours"
OTHER_NOISE = Gap(
    "the paper chose its parameters by this very error on its own draw of the noise; on other draws they do worse. A "
    "simplex search from them on each draw, in the full form, does not reach the number either; noise of a standard "
    "deviation of 0.1 to 0.25 would, but then the error without knowledge is too small. The cause is not known",
    band=0.03,
)


CORNERS = Gap(
    "read as printed, the region leaves the two arms of the cross without data and nothing at these parameters comes "
    "near; outside the rectangle of the bump, as the text describes it, the numbers are reached",
    band=0.02,
    shown_by="product of sincs, values all around the bump: mean error with knowledge",
)
TOLD = "hyperboloid: mean error with knowledge"
ON_GRID = Gap(
    "the mean over the grid of the same interpolating function depends on where its points lie: with the edges 4.95, "
    "at the centres of cells less",
    band=0.01,
    shown_by="hyperboloid: mean error without knowledge at the centres of cells",
)
SCALED = Gap(
    "the kernel of an inequality changes with its scale, which the paper does not give: with coefficients 1 of x2 the "
    "error is 0.44, with integers 0.52, and with coefficients 1 of x1 it is 0.215",
    band=0.1,
    shown_by="hyperboloid: error with cones rescaled over that with cones as printed",
)
CLOSEST = Gap(
    "inequalities divided by the coefficient of x1 come closest of the scales tried; which the paper took is not known",
    band=0.002,
)


def experiment(*, full: bool = False) -> Evidence:
    """The paper's three synthetic examples.

    Parameters
    ----------
    full : bool, default=False
        100 draws of the noise and 20 of the corners of the product, instead of 20 and 4, and a search for parameters on
        20 draws of the noise.
    """
    n_noise, n_searches, n_layouts = (100, 20, 20) if full else (20, 0, 4)
    rows = [*_sinc_rows(n_noise, n_searches), *_product_rows(n_layouts), *_hyperboloid_rows()]
    missing = (
        "lymph nodes of the Wisconsin prognostic breast cancer data (published: mean absolute error 3.75 without and "
        "3.35 with knowledge): the table is not among the data files"
    )
    return Evidence(rows, _figure(), [missing])


def sinc_data(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """52 noisy values beside the bump, and three at zero, of which two mislead (Section 4.1)."""
    side = np.linspace(1.4303, 3, 26)
    x = np.concatenate([-side[::-1], side, np.zeros(3)])[:, None]
    y = np.sinc(x[:, 0])
    y[:52] += np.random.RandomState(seed).normal(0, 0.5, 52)
    y[52:] = [1, 0, -1]
    return x, y


def product_data(seed: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """210 exact values around the bump, and three at the origin (Section 4.2).

    The paper does not give their places. Without a seed they are those points of an even grid of 18 by 13 that lie
    outside the rectangle of the bump, which are 210; with one they are drawn from the region as it is printed, both
    features away from zero.
    """
    edge = np.array([1.4303, 1.0])
    if seed is None:
        X = np.stack(np.meshgrid(np.linspace(-3, 3, 18), np.linspace(-3, 3, 13)), axis=-1).reshape(-1, 2)
        X = X[(np.abs(X) >= edge).any(axis=1)]
    else:
        X = np.random.RandomState(seed).uniform(-3, 3, (4000, 2))
        X = X[(np.abs(X) >= edge).all(axis=1)][:210]
    X = np.vstack([X, np.zeros((3, 2))])
    y = np.sinc(X).prod(axis=1)
    y[210:] = [1, 0, -1]
    return X, y


def _told(knowledge: Any, costs: dict[str, float]) -> KnowledgeKernelRegressor:
    """The paper's program: knowledge translated into the space of the kernel."""
    return KnowledgeKernelRegressor(knowledge=knowledge, enforcement="kernel", **costs)


def _mean_error(model: KnowledgeKernelRegressor, X: np.ndarray, truth: np.ndarray) -> float:
    return float(np.abs(model.predict(X) - truth).mean())


def _over_draws(quantity: str, place: str, published: float, found: Any, gap: Gap | None = None) -> Row:
    error = float(np.std(found, ddof=1)) * (1 + 1 / len(found)) ** 0.5
    return Row.printed(quantity, place, published, float(np.mean(found)), standard_error=error, why=DRAWS, gap=gap)


def _sinc_rows(n_noise: int, n_searches: int) -> list[Row]:
    grid = np.linspace(-3, 3, 100)[:, None]
    truth = np.sinc(grid[:, 0])
    blind_errors, told_errors, point_errors, blind_support, told_support = [], [], [], [], []
    for seed in range(n_noise):
        x, y = sinc_data(seed)
        blind = KnowledgeKernelRegressor(5.0, gamma=7.0).fit(x, y)
        told = _told(PEAK, TOLD_SINC).fit(x, y)
        points = KnowledgeKernelRegressor(knowledge=PEAK, enforcement="points", random_state=0, **TOLD_SINC).fit(x, y)
        blind_errors.append(_mean_error(blind, grid, truth))
        told_errors.append(_mean_error(told, grid, truth))
        point_errors.append(_mean_error(points, grid, truth))
        blind_support.append(len(blind.support_))
        told_support.append(len(told.support_))
    better = float(np.mean(np.array(told_errors) < np.array(blind_errors)))
    rows = [
        _over_draws("sinc: mean error without knowledge", "Figure 1", 0.3113, blind_errors),
        _over_draws(
            "sinc: mean error with knowledge, the paper's parameters", "Figure 2", 0.0901, told_errors, OTHER_NOISE
        ),
        _over_draws("sinc: support points without knowledge", "Figure 1", 9, blind_support),
        _over_draws("sinc: support points with knowledge", "Figure 2", 7, told_support),
        Row.ours("sinc: share of draws in which knowledge helps, the paper's parameters", better),
        Row.ours("sinc: mean error with knowledge kept at points of the region", float(np.mean(point_errors))),
    ]
    if n_searches:
        searched = [_searched_error(*sinc_data(seed), grid, truth) for seed in range(n_searches)]
        quantity = "sinc: mean error with knowledge, parameters searched for each draw"
        rows.append(_over_draws(quantity, "Figure 2", 0.0901, searched, OTHER_NOISE))
    return rows


def _searched_error(x: np.ndarray, y: np.ndarray, grid: np.ndarray, truth: np.ndarray) -> float:
    """Least error that a simplex search from the paper's parameters finds, on the test grid, as the paper chose."""

    def error(logs: np.ndarray) -> float:
        values = dict(zip(TOLD_SINC, np.exp(logs).tolist()))
        return _mean_error(_told(PEAK, values).fit(x, y), grid, truth)

    start = np.log(list(TOLD_SINC.values()))
    simplex = np.vstack([start, start + 1.5 * np.eye(len(start))])
    search = {"initial_simplex": simplex, "maxfev": 100}
    return float(minimize(error, start, method="Nelder-Mead", options=search).fun)


def _product_rows(n_layouts: int) -> list[Row]:
    axis = np.linspace(-3, 3, 50)
    grid = np.column_stack([part.ravel() for part in np.meshgrid(axis, axis)])
    truth = np.sinc(grid).prod(axis=1)
    models = {
        "blind": KnowledgeKernelRegressor(1e6, gamma=0.2),
        "told": _told(SUMMIT, TOLD_PRODUCT),
    }
    even = {name: _mean_error(model.fit(*product_data()), grid, truth) for name, model in models.items()}
    corners = {
        name: [_mean_error(model.fit(*product_data(seed)), grid, truth) for seed in range(n_layouts)]
        for name, model in models.items()
    }
    around, printed = "values all around the bump", "values in the four corners, as printed"
    layout = "a tenth: other even grids, of 17 by 14 and of 12 by 21, move it as much"
    return [
        Row.printed(
            f"product of sincs, {around}: mean error without knowledge", "Figure 4", 0.0501, even["blind"],
            within=0.005, why=layout,
        ),
        Row.printed_at_most(f"product of sincs, {around}: mean error with knowledge", "Figure 5", 0.0045, even["told"]),
        Row.printed_at_least(
            "product of sincs: factor by which knowledge reduces the error", "Section 4.2", 11.1,
            even["blind"] / even["told"],
        ),
        _over_draws(
            f"product of sincs, {printed}: mean error without knowledge", "Figure 4", 0.0501, corners["blind"], CORNERS
        ),
        _over_draws(
            f"product of sincs, {printed}: mean error with knowledge", "Figure 5", 0.0045, corners["told"], CORNERS
        ),
    ]  # fmt: skip


def hyperboloid_data() -> tuple[np.ndarray, np.ndarray]:
    """Eleven exact values of x1 x2 on the diagonal (Section 4.3)."""
    diagonal = np.arange(-5.0, 6.0)
    return np.column_stack([diagonal, diagonal]), diagonal**2


def _hyperboloid_rows() -> list[Row]:
    X, y = hyperboloid_data()
    axis = np.linspace(-5, 5, 50)
    grid = np.column_stack([part.ravel() for part in np.meshgrid(axis, axis)])
    truth = grid.prod(axis=1)
    blind = _mean_error(KnowledgeKernelRegressor(145110, gamma=0.361).fit(X, y), grid, truth)
    told = _mean_error(_told(CONES, TOLD_HYPERBOLOID).fit(X, y), grid, truth)
    steep = _mean_error(_told(STEEP_CONES, TOLD_HYPERBOLOID).fit(X, y), grid, truth)
    why = "the data are exact, and the published parameters are rounded in their third digit"
    inner = np.linspace(-5, 5, 51)[:-1] + 0.1
    cells = np.column_stack([part.ravel() for part in np.meshgrid(inner, inner)])
    off_edges = _mean_error(KnowledgeKernelRegressor(145110, gamma=0.361).fit(X, y), cells, cells.prod(axis=1))
    place = "Figure 8"
    return [
        Row.printed(
            "hyperboloid: mean error without knowledge", "Figure 7", 4.8351, blind, within=0.05, why=why, gap=ON_GRID
        ),
        Row.check_at_most(ON_GRID.shown_by, 4.8351, off_edges),
        Row.printed(f"{TOLD}, cones as printed", place, 0.2023, told, within=0.002, why=why, gap=SCALED),
        Row.printed(f"{TOLD}, cones rescaled", place, 0.2023, steep, within=0.002, why=why, gap=CLOSEST),
        Row.check_at_most(SCALED.shown_by, 0.5, steep / told),
        Row.printed_at_least(
            "hyperboloid: factor by which knowledge reduces the error, cones as printed", "Section 4.3", 23.9,
            blind / told, gap=SCALED,
        ),
    ]  # fmt: skip


def _figure() -> Figure:
    figure = Figure(figsize=(13, 4), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    x, y = sinc_data(0)
    plot_knowledge(KnowledgeKernelRegressor(5.0, gamma=7.0).fit(x, y), x, y, ax=left)
    plot_knowledge(_told(PEAK, TOLD_SINC).fit(x, y), x, y, ax=middle)
    grid = np.linspace(-3, 3, 300)
    for ax, title in ((left, "without knowledge"), (middle, "with knowledge")):
        ax.plot(grid, np.sinc(grid), "--", color="grey", lw=1)
        ax.set_title(f"Sinc {title}")
    X, z = hyperboloid_data()
    plot_knowledge(_told(CONES, TOLD_HYPERBOLOID).fit(X, z), X, z, ax=right)
    right.set_title("Hyperboloid with knowledge")
    return figure
