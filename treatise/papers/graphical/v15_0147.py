"""The junction tree framework (Vats & Nowak, JMLR 15:147): weak edges of Tables 2 to 5, and the worked example."""

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import t as student

from treatise._core.errors import DataNotFoundError
from treatise.datasets import WeakEdgeRows, load_stock_prices, make_weak_edge_graph
from treatise.graphical import (
    GraphMetrics,
    JunctionTreeGraph,
    NeighborhoodLasso,
    PCSkeleton,
    graph_metrics,
    plot_region_graph,
    region_graph,
)
from treatise.inference import CliqueTree
from treatise.optimize import graphical_lasso_penalty_limit, solve_graphical_lasso
from treatise.papers._evidence import DEVIATIONS, Evidence, Gap, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Published = dict[str, tuple[float, float, float, float, float]]
# Tables 2 to 5: weak edge discovery rate, false discovery rate, true positive rate, edit distance, number of edges.
TABLES: dict[tuple[str, int], Published] = {
    ("chain", 300): {
        "JgL": (0.305, 0.048, 0.767, 27.0, 79.8), "gL": (0.180, 0.061, 0.757, 29.0, 79.8),
        "JPC": (0.312, 0.047, 0.775, 26.0, 80.5), "PC": (0.264, 0.047, 0.781, 25.6, 81.2),
        "JnL": (0.306, 0.072, 0.769, 28.8, 82.1), "nL": (0.271, 0.073, 0.757, 30.0, 80.9),
    },
    ("chain", 500): {
        "JgL": (0.596, 0.021, 0.916, 10.2, 92.6), "gL": (0.44, 0.050, 0.889, 15.6, 92.7),
        "JPC": (0.612, 0.022, 0.921, 9.86, 93.2), "PC": (0.577, 0.032, 0.916, 11.4, 93.7),
        "JnL": (0.623, 0.059, 0.922, 13.5, 97.0), "nL": (0.596, 0.069, 0.918, 14.9, 97.6),
    },
    ("cycle", 300): {
        "JgL": (0.314, 0.036, 0.814, 28.5, 111), "gL": (0.105, 0.057, 0.798, 32.9, 112),
        "JPC": (0.326, 0.030, 0.819, 27.2, 112), "PC": (0.307, 0.027, 0.826, 26.0, 112),
        "JnL": (0.342, 0.043, 0.813, 29.5, 112), "nL": (0.299, 0.044, 0.793, 32.3, 110),
    },
    ("cycle", 500): {
        "JgL": (0.532, 0.022, 0.907, 15.1, 122), "gL": (0.278, 0.071, 0.862, 26.9, 122),
        "JPC": (0.61, 0.012, 0.925, 11.9, 124), "PC": (0.609, 0.020, 0.925, 12.5, 125),
        "JnL": (0.612, 0.028, 0.924, 13.6, 125), "nL": (0.584, 0.041, 0.919, 15.9, 126),
    },
    ("hub", 300): {
        "JgL": (0.204, 0.039, 0.755, 22.3, 63.7), "gL": (0.154, 0.038, 0.758, 22.1, 63.8),
        "JPC": (0.204, 0.038, 0.753, 22.4, 63.4), "PC": (0.193, 0.038, 0.762, 21.7, 64.2),
        "JnL": (0.245, 0.089, 0.750, 26.2, 66.7), "nL": (0.247, 0.098, 0.752, 26.8, 67.6),
    },
    ("hub", 500): {
        "JgL": (0.413, 0.026, 0.870, 12.4, 72.4), "gL": (0.364, 0.035, 0.863, 13.7, 72.5),
        "JPC": (0.438, 0.027, 0.878, 11.9, 73.1), "PC": (0.448, 0.027, 0.882, 11.6, 73.4),
        "JnL": (0.507, 0.076, 0.890, 14.9, 78.2), "nL": (0.52, 0.091, 0.893, 15.9, 79.6),
    },
    ("neighborhood", 300): {
        "JgL": (0.251, 0.030, 0.813, 126, 498), "gL": (0.102, 0.039, 0.806, 135, 498),
    },
    ("neighborhood", 500): {
        "JgL": (0.449, 0.018, 0.921, 57.1, 557), "gL": (0.319, 0.035, 0.905, 75.8, 557),
    },
}  # fmt: skip
SCREENING = {"chain": 0, "cycle": 1, "hub": 0, "neighborhood": 2}
BASES = {"JgL": "glasso", "JPC": "pc", "JnL": "nlasso"}
FIRST_SEED = 100
"""The default screening level was settled on rows of seeds 0 to 7."""
TABLE_SAMPLES = 50
# Clusters and tree of Figure 4, vertices numbered from 1 as printed.
FIGURE_4 = CliqueTree(
    ((1, 3, 5), (2, 3, 5, 6), (2, 3, 4, 6), (3, 4, 6, 7), (3, 5, 6, 8), (5, 6, 8, 9)),
    ((0, 1), (1, 2), (2, 3), (1, 4), (4, 5)),
)
STRICTER = 1e-4
SCREENED = "hub, 300 rows: the printed edges of JgL lie between those screened at 0.0001 and at 1/(4p)"
HOW_SCREENED = Gap(
    "the paper's screening takes a separate threshold for every pair from 5-fold cross-validation that it does not "
    "spell out; here all pairs are screened at the level 1/(4p), and at a stricter one fewer edges are found than "
    "printed: compare with the graphical lasso at the same number",
    band=5.0,
    shown_by=SCREENED,
)
SCREENED_CHAIN = Gap(
    "the paper's screening takes a separate threshold for every pair from 5-fold cross-validation that it does not "
    "spell out; with one level for all pairs, those from 1e-5 to 0.1 were tried on 500 rows, and none gives more edges "
    "than 1/(4p), which are fewer than printed. The cause is not known",
    band=5.0,
)

BETWEEN = "cycle, 300 rows: weak edges printed lie between those found on covariances and on correlations"
HOW_SCALED = Gap(
    "whether the columns were standardised is not told: the lasso finds fewer weak edges on covariances and more on "
    "correlations, used here, and what is printed of cycles lies between; at the same number of edges, more weak edges "
    "found are fewer false ones",
    band=0.05,
    shown_by=BETWEEN,
)
HOW_DRAWN = Gap(
    "which edges of the random graph are deleted is not told; keeping them in random order gives the printed number of "
    "edges, and the weak part is as dense as its cap of 6 allows, which may not be the paper's. "
    "The cause is not known",
    band=30.0,
)


def experiment(*, full: bool = False) -> Evidence:
    """Weak edges found by junction trees and by the base learners at the same number of edges.

    Parameters
    ----------
    full : bool, default=False
        Every graph with 300 and 500 rows, all learners and 20 tables each (6 of the neighbourhood graph); otherwise
        few tables, the graphical lasso, and neighbourhood graphs only once.
    """
    rows = _worked_example()
    sizes = {("chain", 300): 7, ("cycle", 300): 5, ("hub", 300): 6, ("neighborhood", 500): 1}
    if full:
        sizes = {key: 6 if key[0] == "neighborhood" else 20 for key in TABLES}
    shown: dict[tuple[str, int], dict[str, np.ndarray]] = {}
    for (kind, n), repeats in sizes.items():
        learners = list(BASES) if full and kind != "neighborhood" else ["JgL"]
        shown[kind, n] = _measured(kind, n, repeats, learners)
        rows += _compared(kind, n, shown[kind, n])
    skipped = ["Section 8.2: the monthly returns of the S&P 100 and the genes of Section 8.3 are not at hand"]
    try:
        rows += _stocks()
    except DataNotFoundError as missing:
        skipped.append(str(missing))
    return Evidence(rows, _figure(shown), skipped)


def _worked_example() -> list[Row]:
    """What the text says of Figure 4's region graph."""
    regions = region_graph(FIGURE_4)
    complete = np.ones((10, 10), dtype=bool)

    def text(sets: list[frozenset[int]]) -> str:
        return " ".join(sorted("".join(map(str, sorted(part))) for part in sets))

    third = text(list(regions.levels[2]))
    middle, pair = frozenset({3, 4, 6}), frozenset({3, 6})
    return [
        Row.printed("regions of the third level", "Figure 4", "35 36 56", third),
        Row.printed("children of 2346", "Figure 4", "236 346", text(regions.children(0, frozenset({2, 3, 4, 6})))),
        Row.printed("variables that decide 36", "Figure 4", "2345678", text([regions.closure(2, pair)])),
        Row.printed("variables that decide 346", "Figure 4", "23467", text([regions.closure(1, middle)])),
        Row.printed("pairs decided at 568", "Figure 4", 2, len(regions.candidates(1, frozenset({5, 6, 8}), complete))),
        Row.printed("pairs decided at 356", "Figure 4", 0, len(regions.candidates(1, frozenset({3, 5, 6}), complete))),
    ]


def _measured(kind: str, n: int, repeats: int, learners: list[str]) -> dict[str, np.ndarray]:
    """Metrics of every learner on every table, an array (repeats, 5) in the order of the tables."""
    found: dict[str, list[tuple[float, ...]]] = {}
    published_edges = TABLES[kind, n]["gL"][4]
    for seed in range(FIRST_SEED, FIRST_SEED + repeats):
        rows = make_weak_edge_graph(n, kind, random_state=seed)
        S = np.corrcoef(rows.X.T)
        if (kind, n) == ("cycle", 300):
            plain = _graphical_lasso(np.cov(rows.X.T), published_edges)
            found.setdefault("gL on covariances", []).append(_judged(plain, rows))
        found.setdefault("gL as published", []).append(_judged(_graphical_lasso(S, published_edges), rows))
        if (kind, n) == ("hub", 300):
            strict = JunctionTreeGraph("glasso", order=SCREENING[kind], level=STRICTER).fit(rows.X)
            found.setdefault("JgL, stricter", []).append(_judged(strict.adjacency_, rows))
        for name in learners:
            model = JunctionTreeGraph(BASES[name], order=SCREENING[kind]).fit(rows.X)
            found.setdefault(name, []).append(_judged(model.adjacency_, rows))
            count = len(model.edges_)
            if name == "JgL":
                found.setdefault("gL", []).append(_judged(_graphical_lasso(S, count), rows))
            elif name == "JPC":
                found.setdefault("PC", []).append(_judged(_separation(rows.X, SCREENING[kind] + 1, count), rows))
            else:
                found.setdefault("nL", []).append(_judged(_neighbourhoods(rows.X, count), rows))
    return {name: np.array(values) for name, values in found.items()}


def _stocks() -> list[Row]:
    """Section 8.2's comparison on other returns: 216 days of 85 stocks of the S&P 500, not months of the S&P 100."""
    prices = load_stock_prices().prices[-217:, ::5][:, :85]
    X = np.diff(np.log(prices), axis=0)
    model = JunctionTreeGraph(order=1).fit(X)
    joined = _graphical_lasso(np.corrcoef(X.T), len(model.edges_)) & ~np.eye(X.shape[1], dtype=bool)
    ours, theirs = model.adjacency_.any(axis=0), joined.any(axis=0)
    return [
        Row.ours("stocks, 216 days of 85: edges of both graphs", len(model.edges_)),
        Row.ours("stocks joined by JgL only", int((ours & ~theirs).sum())),
        Row.ours("stocks joined by gL only", int((theirs & ~ours).sum())),
    ]


def _judged(adjacency: np.ndarray, rows: WeakEdgeRows) -> tuple[float, ...]:
    found: GraphMetrics = graph_metrics(adjacency, rows.precision, weak=rows.weak)
    return (
        found.weak_edge_discovery_rate, found.false_discovery_rate, found.true_positive_rate,
        float(found.edit_distance), float(found.n_edges),
    )  # fmt: skip


def _graphical_lasso(S: np.ndarray, n_edges: float) -> np.ndarray:
    """The graph of the graphical lasso at the penalty that gives a number of edges, by bisection."""
    low, high, best, miss = 0.0, graphical_lasso_penalty_limit(S), np.eye(len(S)), np.inf
    start = None
    for _ in range(14):
        penalty = (low + high) / 2
        # The graph matters, not the digits of its entries.
        found = solve_graphical_lasso(S, penalty, start=start, tol=1e-3)
        count = int(np.count_nonzero(np.triu(found.precision, 1)))
        if abs(count - n_edges) < miss:
            best, miss = found.precision, abs(count - n_edges)
        if miss < 1:
            break
        low, high = (penalty, high) if count > n_edges else (low, penalty)
        start = found.precision
    return best != 0


def _separation(X: np.ndarray, order: int, n_edges: int) -> np.ndarray:
    """The PC skeleton at the threshold that gives a number of edges, by bisection."""
    low, high, best, miss = 0.02, 1.0, np.zeros((X.shape[1], X.shape[1]), dtype=bool), np.inf
    for _ in range(14):
        threshold = (low + high) / 2
        found = PCSkeleton(order, threshold=threshold).fit(X)
        if abs(len(found.edges_) - n_edges) < miss:
            best, miss = found.adjacency_, abs(len(found.edges_) - n_edges)
        if miss < 1:
            break
        low, high = (threshold, high) if len(found.edges_) > n_edges else (low, threshold)
    return best


def _neighbourhoods(X: np.ndarray, n_edges: int) -> np.ndarray:
    """Neighbourhood selection at the weight of EBIC whose number of edges comes nearest."""
    models = [NeighborhoodLasso(gamma=gamma).fit(X) for gamma in (0.0, 0.25, 0.5, 0.75, 1.0)]
    return min(models, key=lambda model: abs(len(model.edges_) - n_edges)).adjacency_


def _compared(kind: str, n: int, measured: dict[str, np.ndarray]) -> list[Row]:
    """Rows of one graph: the lasso as printed, the junction trees as printed, and the gain at equal edges."""
    published, where = TABLES[kind, n], f"{kind}, {n} rows"
    place = f"Table {2 + ['chain', 'cycle', 'hub', 'neighborhood'].index(kind)}"
    names = ("weak edge discovery", "false discovery", "true positives", "edit distance", "edges")
    graph = make_weak_edge_graph(0, kind, random_state=FIRST_SEED)
    n_weak, n_edges = int(np.triu(graph.weak).sum()), int((np.triu(graph.precision, 1) != 0).sum())
    counts = (n_weak, n_edges, n_edges, n_edges, n_edges)

    def row(quantity: str, value: float, values: np.ndarray, count: int, gap: Gap | None) -> Row:
        here, error = _mean(values, abs(value), count)
        return Row.printed(
            f"{where}: {quantity}", place, value, here, standard_error=error, why="two means of few tables", gap=gap
        )

    rows = []
    for at, quantity in enumerate(names[:4]):
        gap = HOW_DRAWN if kind == "neighborhood" else HOW_SCALED if at < 2 else None
        found = measured["gL as published"][:, at]
        label = f"graphical lasso at the printed number of edges, {quantity}"
        rows.append(row(label, published["gL"][at], found, counts[at], gap))
    if "gL on covariances" in measured:
        fewer, more = (float(measured[name][:, 0].mean()) for name in ("gL on covariances", "gL as published"))
        rows.append(Row.check(BETWEEN, True, fewer < published["gL"][0] < more))
    if "JgL, stricter" in measured:
        fewer, more = (float(measured[name][:, 4].mean()) for name in ("JgL, stricter", "JgL"))
        rows.append(Row.check(SCREENED, True, fewer < published["JgL"][4] < more))
    how_screened = SCREENED_CHAIN if kind == "chain" else HOW_SCREENED
    for name, plain in (("JgL", "gL"), ("JPC", "PC"), ("JnL", "nL")):
        if name not in measured:
            continue
        for at, quantity in enumerate(names):
            label = f"{name}, {quantity}"
            rows.append(row(label, published[name][at], measured[name][:, at], counts[at], how_screened))
        equal = "nearly equal" if plain == "nL" else "equal"
        gain = round(published[name][0] - published[plain][0], 3)
        label = f"gain in weak edges of {name} over {plain} at {equal} edges"
        rows.append(row(label, gain, measured[name][:, 0] - measured[plain][:, 0], n_weak, how_screened))
        if name == "JgL" and published["JgL"][3] < published["gL"][3]:
            nearer = measured[plain][:, 3] - measured[name][:, 3]
            statement = f"{where}: edit distance that JgL saves over gL at equal edges"
            _, error = _mean(nearer, published["gL"][3], n_edges)
            rows.append(Row.claim_positive(statement, place, float(nearer.mean()), standard_error=error))
    return rows


def _mean(values: np.ndarray, published: float, count: int) -> tuple[float, float]:
    """Mean, and a third of the 99.7 % interval of its difference to a mean of the paper's 50 tables, by Student's t.

    A single table does not show how tables vary: there a rate varies as one of ``count`` independent coins does, and a
    number as its square root.
    """
    if len(values) > 1:
        reach = float(student.isf(0.00135, len(values) - 1) * values.std(ddof=1)) / DEVIATIONS
    else:
        reach = float(np.sqrt(published * (1 - published) / count if published < 1 else published))
    return float(values.mean()), reach * float(np.sqrt(1 / len(values) + 1 / TABLE_SAMPLES))


def _figure(shown: dict[tuple[str, int], dict[str, np.ndarray]]) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    names = list(shown)
    at = np.arange(len(names))
    for shift, name, colour in ((-0.18, "JgL", "#2166ac"), (0.18, "gL", "#b2182b")):
        label = {"JgL": "junction tree and graphical lasso", "gL": "graphical lasso, same number of edges"}[name]
        left.bar(at + shift, [shown[key][name][:, 0].mean() for key in names], 0.34, color=colour, label=label)
        left.plot(at + shift, [TABLES[key][name][0] for key in names], "k_", markersize=18)
    left.plot([], [], "k_", markersize=12, label="published")
    left.set_xticks(at, [f"{kind}\n{n} rows" for kind, n in names])
    left.set_ylabel("share of weak edges found")
    left.legend()
    plot_region_graph(region_graph(FIGURE_4), ax=right)
    right.set_title("regions of the paper's Figure 4", fontsize=9)
    return figure
