"""Node-based learning of Gaussian graphs (Mohan et al., JMLR 15:445): sections 4.2.3, 5.4, 6, Figures 7, 8 and 16."""

import time
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from treatise.datasets import PerturbedGraphs, make_perturbed_graphs
from treatise.graphical import CoHubGraphs, NodePerturbationGraphs, plot_node_scores
from treatise.papers._evidence import Evidence, Gap, Row
from treatise.papers.graphical.v15_0445._conic import solve_by_cones
from treatise.papers.graphical.v15_0445._simulation import Curve, Method, mean_at, trace_curve

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Section 4.2.3, Matlab on a Xeon X3430: seconds of the paper's alternation and of cvx with SeDuMi.
SECONDS = {30: (0.58, 7 * 60.0), 50: (2.1, 3.5 * 3600.0)}
VARIABLES = 100
# Ticks of the horizontal axes of Figures 7 and 8 at which all curves can be read.
EDGES = (500, 1000)
# Legends of Figures 7 and 8, in units of the rows; of FGL's three values only the last is legible.
LAM2: dict[str, tuple[float, ...]] = {
    "GL": (0.0,),
    "PNJGL": (0.3, 0.5, 1.0, 2.0),
    "FGL": (0.01, 0.05, 0.2),
    "CNJGL": (0.3, 0.6, 1.0, 1.5),
    "GGL": (0.005, 0.01, 0.05),
}
QUICK_LAM2: dict[str, tuple[float, ...]] = {
    "GL": (0.0,),
    "PNJGL": (0.5,),
    "FGL": (0.05,),
    "CNJGL": (0.6,),
    "GGL": (0.05,),
}
CLAIMS = (("PNJGL", "FGL"), ("PNJGL", "GL"), ("CNJGL", "GGL"), ("CNJGL", "GL"))

RULE = Gap(
    "the rule cannot flag two nodes unless the weaker scores 0.69 of the stronger and all others are near zero, nor "
    "ever more than three of a hundred, by the arithmetic of mean and deviation alone; here the columns of the co-hubs "
    "are not zero either, so it flags too few, or a co-hub. The minimum is certified by a duality gap and by cones. "
    "Tried: lam2 = 12.5, 18 and 25 on eight draws; both are flagged in 1, 2 and 3 of them. The cause is not known",
    band=0.0,
)
CO_HUBS = Gap(
    "the paper expects none, the co-hubs being identical in both graphs; but 99 links estimated from 25 rows differ "
    "between the conditions by chance, and the penalty finds it cheap to charge them to their common node. "
    "The cause is not known",
    band=0.0,
)

CLOSE = Gap(
    "not known: with 200 rows both find the edges, and at this one of the eight places the best FGL has the smaller "
    "error of its estimates",
    band=0.0,
)
CLOSE_AT = ("n=200, 500 edges", "PNJGL", "FGL")

MORE_HUBS = Gap(
    "a perturbed node is linked to all others in one of the graphs, and lam2=1.5n keeps it as a hub beside the two "
    "that both graphs share: four nodes with all their links make 780 edges. The paper does not say at which lam1 "
    "its curves end; at n=25 ours pass 400 edges near lam1=0.07n",
    band=20.0,
    shown_by="n=200: its hubs are the co-hubs and the perturbed nodes",
)
ABSENT = (
    "Figure 4 (iterations over the penalty), Figure 6(b) and (c), Figures 9 and 10 (scale-free and community networks) "
    "are not run; the genes of glioblastoma (Figures 11 and 12) and the pages of universities (Figures 13 and 14) are "
    "not at hand"
)


def experiment(*, full: bool = False) -> Evidence:
    """Speed and exactness against an interior point, screening, and the simulations at equal numbers of edges.

    Parameters
    ----------
    full : bool, default=False
        Four draws at every n and all penalties of the legends, 20 draws of Figure 16, an interior point at 30
        variables and screening at 500; otherwise one draw at n=25, four draws, 10 and 100 variables.
    """
    # Matrices of a hundred rows: threads of the linear algebra would only wait for one another.
    with threadpool_limits(1, user_api="blas"):
        rows = _against_interior_point(30 if full else 10) + _screening(500 if full else 100)
        found, example = _figure_16(20 if full else 4)
        rows += found + _hubs_without_lam1()
        curves: dict[tuple[str, float], list[Curve]] = {}
        for n in (25, 50, 100, 200) if full else (25,):
            drawn = _curves(n, 4 if full else 1, LAM2 if full else QUICK_LAM2)
            rows += _claims(n, drawn)
            curves = curves or drawn
        rows.append(_equal_penalty())
    return Evidence(rows, _figure(curves, example), [ABSENT])


def _covariances(data: PerturbedGraphs) -> np.ndarray:
    return np.stack([np.cov(table.T, bias=True) for table in data.tables])


def _against_interior_point(p: int) -> list[Row]:
    data = make_perturbed_graphs(p // 2 + 5, p, n_perturbed=1, n_hubs=1, random_state=0)
    n = float(len(data.tables[0]))
    S = _covariances(data)
    model = NodePerturbationGraphs(0.1 * n, 0.5 * n).fit_covariances(S, [n, n])
    theirs, minimum = solve_by_cones(S, np.ones(2), 0.1, 0.5)
    apart = max(np.linalg.norm(a - b) / np.linalg.norm(b) for a, b in zip(model.precision_, theirs))
    rows = [
        Row.check_at_most(f"PNJGL, distance from an interior point's matrices, {p} variables", 1e-4, float(apart)),
        Row.ours(f"PNJGL, minimum less the interior point's, {p} variables", model.objective_ - n * minimum),
    ]
    for variables, (alternation, interior) in SECONDS.items():
        tables = make_perturbed_graphs(variables // 2, variables, random_state=0).tables
        begin = time.process_time()
        NodePerturbationGraphs().fit(tables)
        spent = time.process_time() - begin
        rows.append(
            Row.time(f"seconds of PNJGL, {variables} variables, against ADMM", "Section 6.4", alternation, spent)
        )
        rows.append(Row.time(f"seconds of PNJGL, {variables} variables, against cvx", "Section 6.4", interior, spent))
    return rows


def _screening(p: int) -> list[Row]:
    """Two blocks of equal size, lam2=1 as in section 5.4."""
    halves = [
        make_perturbed_graphs(p // 2, p // 2, n_perturbed=0, n_hubs=0, random_state=seed).tables for seed in (0, 1)
    ]
    tables = [np.hstack([left, right]) for left, right in zip(*halves)]
    strongest = max(np.abs(np.cov(t.T, bias=True)[: p // 2, p // 2 :]).max() for t in tables) * len(tables[0])
    seconds, found = [], []
    for screen in (True, False):
        begin = time.process_time()
        found.append(CoHubGraphs(1.05 * strongest, 1.0, screen=screen).fit(tables))
        seconds.append(time.process_time() - begin)
    difference = float(np.abs(found[0].precision_ - found[1].precision_).max())
    return [
        Row.check_at_most(f"screening, largest change of an entry, {p} variables", 1e-4, difference),
        Row.ours(f"screening, blocks of {p} variables", int(found[0].blocks_.max()) + 1),
        Row.ours("screening, seconds as a share of those without", seconds[0] / seconds[1]),
    ]


def _figure_16(draws: int) -> tuple[list[Row], tuple[NodePerturbationGraphs, PerturbedGraphs]]:
    """PNJGL at n=25 with the penalties of Figure 16(a), and GL with that of Figure 16(c)."""
    example = None
    top_two, top_four, apart_top_two, flagged, wrong, co_hubs, others, gap = 0, 0, 0, 0, 0, 0, 0, 0.0
    for seed in range(draws):
        data = make_perturbed_graphs(25, VARIABLES, random_state=seed)
        truth = set(data.perturbed.tolist())
        model = NodePerturbationGraphs(2.5, 12.5, tol=1e-5).fit(data.tables)
        order = np.argsort(-model.node_scores_[0]).tolist()
        top_two += truth == set(order[:2])
        top_four += truth <= set(order[:4])
        rule = set(model.perturbed_nodes("5.5 sd").tolist())
        flagged += len(rule & truth)
        wrong += len(rule - truth)
        kept = set(model.perturbed_nodes().tolist()) - truth
        co_hubs += len(kept & set(data.hubs.tolist()))
        others += len(kept - set(data.hubs.tolist()))
        gap = max(gap, model.gap_ / abs(model.objective_))
        T = Method("GL", 0.0).precisions(_covariances(data), 25.0, 1.5 / 25)
        difference = T[0] - T[1]
        np.fill_diagonal(difference, 0.0)
        apart_top_two += truth == set(np.argsort(-np.linalg.norm(difference, axis=0))[:2].tolist())
        example = example or (model, data)
    assert example is not None
    name = "n=25, penalties of Figure 16"
    rows = [
        Row.claim(
            f"{name}: all perturbed nodes score above mean + 5.5 sd",
            "Figure 16",
            flagged / (2 * draws) >= 1.0,
            gap=RULE,
        ),
        Row.ours(f"{name}: other nodes that do, per draw", wrong / draws),
        Row.ours(f"{name}: share of draws in which PNJGL's two best nodes are the perturbed ones", top_two / draws),
        Row.ours(f"{name}: share of draws in which both are among the four best", top_four / draws),
        Row.ours(f"{name}: share of draws in which GL's two best are the perturbed ones", apart_top_two / draws),
        Row.claim(
            f"{name}: no co-hub is among the columns of V that are not zero",
            "Figure 16",
            co_hubs / draws <= 0.0,
            gap=CO_HUBS,
        ),
        Row.ours(f"{name}: ordinary nodes among them, per draw", others / draws),
        Row.check_at_most(f"{name}: largest relative duality gap", 1e-4, gap),
    ]
    return rows, example


def _hubs_without_lam1() -> list[Row]:
    """Section 6.2: with a large lam2 the curves of CNJGL end near 400 edges, however small lam1 is."""
    data = make_perturbed_graphs(200, VARIABLES, random_state=0)
    model = CoHubGraphs(0.0, 1.5 * 200, tol=1e-4).fit(data.tables)
    special = set(data.hubs.tolist()) | set(data.perturbed.tolist())
    return [
        Row.printed(
            "n=200: edges of CNJGL at lam1=0, lam2=1.5n",
            "Section 6.2",
            400,
            sum(map(len, model.edges_)),
            within=10,
            why="the paper says 'around'; two nodes linked to all others in both graphs make 394",
            gap=MORE_HUBS,
        ),
        Row.check(MORE_HUBS.shown_by, True, set(model.hubs().tolist()) == special),
    ]


def _curves(n: int, draws: int, values: dict[str, tuple[float, ...]]) -> dict[tuple[str, float], list[Curve]]:
    # More rows need smaller penalties for as many edges; the group penalties remove edges of their own.
    largest = 0.14 if n <= 50 else 0.08
    curves: dict[tuple[str, float], list[Curve]] = {}
    for seed in range(draws):
        data = make_perturbed_graphs(n, VARIABLES, random_state=seed)
        for name, choices in values.items():
            steps = 7 if name == "GGL" and draws > 1 else 6 if draws > 1 else 5 if name == "CNJGL" else 4
            for lam2 in choices:
                penalties = largest * np.sqrt(0.5) ** np.arange(steps)
                curves.setdefault((name, lam2), []).append(trace_curve(Method(name, lam2), data, penalties.tolist()))
    return curves


def _best(curves: dict[tuple[str, float], list[Curve]], name: str, edges: int) -> tuple[float, float]:
    """Most true edges and least error over a method's values of lam2; nan where no curve gets there."""
    values = np.array([mean_at(found, edges) for (method, _), found in curves.items() if method == name])
    values = values[~np.isnan(values[:, 0])]
    return (float(values[:, 0].max()), float(values[:, 1].min())) if len(values) else (np.nan, np.nan)


def _claims(n: int, curves: dict[tuple[str, float], list[Curve]]) -> list[Row]:
    rows = []
    for edges in EDGES:
        at = {name: _best(curves, name, edges) for name in LAM2}
        for ours, other in CLAIMS:
            if np.isnan([*at[ours], *at[other]]).any():
                continue
            where, place = f"n={n}, {edges} edges", "Figure 7" if ours == "PNJGL" else "Figure 8"
            more, less = at[ours][0] >= at[other][0], at[ours][1] <= at[other][1]
            rows.append(Row.claim(f"{where}: {ours} finds no fewer true edges than {other}", place, more))
            gap = CLOSE if (where, ours, other) == CLOSE_AT else None
            rows.append(
                Row.claim(f"{where}: the error of {ours} is no larger than that of {other}", place, less, gap=gap)
            )
    return rows


def _equal_penalty() -> Row:
    """At one and the same lam1, not at equal edges, the advantage in error need not show."""
    data = make_perturbed_graphs(200, VARIABLES, random_state=0)
    shared, alone = (trace_curve(Method(name, lam2), data, [0.1]) for name, lam2 in (("PNJGL", 0.5), ("GL", 0.0)))
    return Row.ours(
        "n=200, both at lam1=0.1n, where few edges are left: error of PNJGL less that of GL",
        float(shared.error[0] - alone.error[0]),
    )


def _figure(
    curves: dict[tuple[str, float], list[Curve]], example: tuple[NodePerturbationGraphs, PerturbedGraphs]
) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 4), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    colours = {name: f"C{number}" for number, name in enumerate(LAM2)}
    for (name, lam2), found in curves.items():
        edges, true_edges, error = (np.mean([getattr(c, part) for c in found], axis=0) for part in
                                    ("edges", "true_edges", "error"))  # fmt: skip
        label = name if lam2 == 0 else f"{name}, {lam2:g}n"
        left.plot(edges, true_edges, ".-", color=colours[name], label=label, linewidth=1)
        middle.plot(edges, error, ".-", color=colours[name], linewidth=1)
    for ax, title in ((left, "true edges"), (middle, "error off the diagonal")):
        ax.set_xlabel("edges of both graphs")
        ax.set_ylabel(title)
        ax.set_xlim(0, 2000)
    left.legend(fontsize=6)
    model, data = example
    plot_node_scores(model, highlight=data.perturbed, ax=right)
    right.set_title("n=25, perturbed nodes ringed", fontsize=9)
    return figure
