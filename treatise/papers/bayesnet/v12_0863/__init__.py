"""Sparse linear identifiable models (Henao & Winther, JMLR 12:863): orders, model choice, hidden causes, cells."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import roc_auc_score

from treatise._core.errors import DataNotFoundError
from treatise.bayesnet import (
    SLIM,
    CorrelatedSLIM,
    NonlinearSLIM,
    SparseFactorModel,
    plot_edge_probabilities,
    plot_likelihoods,
    plot_traces,
)
from treatise.datasets import (
    LinearNetworkData,
    load_cell_signals,
    load_table,
    locate,
    make_factor_data,
    make_linear_network,
)
from treatise.io import read_bif
from treatise.papers._evidence import Evidence, Gap, Row
from treatise.papers.bayesnet.v12_0863._nonlinear import make_nonlinear_network

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Percentage points by which ten candidates beat the first (Section 6.1.1), for d variables and N rows.
GAIN = {(5, 200): 30.0, (10, 500): 35.0}
# Per cent of data sets whose kind was found at d=5, N=500 (Section 6.3).
KINDS = {"dag": 96.78, "factor": 87.05}
OVERALL = 91.9
NAMES = {"dag": "DAG", "factor": "factor model"}
# DAGs with one hidden cause, d=5, N=500 (Section 6.4): right orders of 100, per cent, per cent, median area.
HIDDEN = {"order": 78.0, "true positives": 88.28, "true negatives": 96.40, "area": 0.929}
# Cells under general stimulation, order from the search (Section 6.6), over the 55 pairs of signals.
CELLS = {"structural errors": 12, "true positives": 9, "true negatives": 34, "reversed links": 1}


@dataclass(frozen=True)
class Size:
    """Numbers of data sets and of sweeps; orders are searched in (variables, rows, networks)."""

    order_settings: tuple[tuple[int, int, int], ...]
    order_sweeps: dict[str, int]
    n_kinds: int
    n_hidden: int
    graphs: tuple[bool, ...]
    n_geyser: int
    n_functions: int
    sweeps: dict[str, int]
    chain_sweeps: dict[str, int]
    function_sweeps: dict[str, int]


QUICK = Size(
    order_settings=((5, 200, 10),), order_sweeps={"n_burn": 500, "n_samples": 1000},
    n_kinds=4, n_hidden=0, graphs=(True,), n_geyser=1, n_functions=0,
    sweeps={"n_burn": 400, "n_samples": 800, "n_burn_dag": 120, "n_samples_dag": 200, "n_orders": 3},
    chain_sweeps={"n_burn_dag": 1000, "n_samples_dag": 1500},
    function_sweeps={"n_burn": 60, "n_samples": 120, "thin": 4},
)  # fmt: skip
FULL = Size(
    order_settings=((5, 200, 40), (5, 500, 40), (10, 500, 20)), order_sweeps={"n_burn": 3000, "n_samples": 6000},
    n_kinds=40, n_hidden=12, graphs=(True, False), n_geyser=10, n_functions=3,
    sweeps={"n_burn": 1000, "n_samples": 2000, "n_burn_dag": 300, "n_samples_dag": 700, "n_orders": 10},
    chain_sweeps={"n_burn_dag": 2000, "n_samples_dag": 6000},
    function_sweeps={"n_burn": 100, "n_samples": 200, "thin": 4},
)  # fmt: skip


def experiment(*, full: bool = False) -> Evidence:
    """Order search, DAG against factor model, hidden causes, cells and functions; at more sizes in full."""
    size = FULL if full else QUICK
    rows, skipped = order_rows(size), []
    kinds, shown = kind_rows(size)
    rows += kinds + confounder_rows(size)
    if full:
        rows += hidden_rows(size) + function_rows(size) + series_rows()
    parts: list[Callable[[], list[Row]]] = [lambda: cell_rows(size, full), lambda: geyser_rows(size)]
    if full:
        parts += [partial(repository_rows, name) for name in ("insurance", "water", "alarm")]
    for part in parts:
        try:
            rows += part()
        except DataNotFoundError as missing:
            skipped.append(str(missing))
    return Evidence(rows, _figure(shown), skipped)


def suite_network(n_samples: int, n_variables: int, seed: int) -> LinearNetworkData:
    """A network as in the experiments on LiNGAM: half of them dense, the others with 20 to 90 per cent of the edges."""
    random = np.random.RandomState(10_000 + seed)
    density = 1.0 if seed % 2 == 0 else random.uniform(0.2, 0.9)
    return make_linear_network(n_samples, n_variables, density=density, balanced=True, random_state=random)


def order_rows(size: Size) -> list[Row]:
    """Section 6.1.1: right orders among the first ten candidates, and as the first."""
    rows = []
    for d, N, n_networks in size.order_settings:
        first = within = 0
        for seed in range(n_networks):
            data = suite_network(N, d, seed)
            model = SparseFactorModel(search_orders=True, n_chains=1, random_state=seed, **size.order_sweeps).fit(
                data.X
            )
            right = [data.admits(order) for order in model.order_candidates_[:10]]
            first, within = first + right[0], within + any(right)
        share = 100.0 / n_networks
        where = f"d={d}, N={N}, {n_networks} networks"
        rows += [
            Row.ours(f"{where}: right order first, %", round(share * first, 1)),
            Row.ours(f"{where}: right order among ten candidates, %", round(share * within, 1)),
        ]
        if (d, N) in GAIN:
            rows.append(_gain(where, GAIN[d, N], share * (within - first), n_networks))
    return rows


def _gain(where: str, published: float, here: float, n: int) -> Row:
    p = published / 100
    return Row.printed(
        f"{where}: gain of ten candidates over the first, points", "Section 6.1.1", published, round(here, 1),
        standard_error=100 * float(np.sqrt(p * (1 - p) / n)), why=f"a share of {n} networks", gap=GAIN_GAP,
    )  # fmt: skip


GAIN_GAP = Gap(
    "the first candidate alone is right more often than the paper's figure shows, and all but a few networks have a "
    "right one among ten, so that less is left to gain; with 3000 sweeps in place of 9000 the gain at d=10 is no "
    "larger. How the paper's generator differs is not known",
    band=10.0,
)


def kind_rows(size: Size) -> tuple[list[Row], SLIM]:
    """Section 6.3: DAG or factor model by the likelihood of rows kept back; and a fitted model to show."""
    right = {"dag": 0, "factor": 0}
    shown = None
    for seed in range(size.n_kinds):
        random = np.random.RandomState(20_000 + seed)
        truth, dense = ("dag", "factor")[seed % 2], seed % 4 < 2
        density = (1.0 if truth == "dag" else 0.9) if dense else random.uniform(0.2, 0.9)
        if truth == "dag":
            data = make_linear_network(500, 5, density=density, balanced=True, random_state=random)
        else:
            data = make_factor_data(500, 5, density=density, random_state=random)
        model = SLIM(edge_mean=0.99, n_chains=1, random_state=seed, **size.sweeps).fit(data.X)
        right[truth] += model.preferred_ == truth
        shown = model if shown is None else shown
    assert shown is not None
    overall = 100 * sum(right.values()) / size.n_kinds
    rows = [_rate("d=5, N=500: both kinds told, %", "Section 6.3", OVERALL, overall, size.n_kinds)]
    if size.n_kinds >= 20:
        half = size.n_kinds // 2
        rows += [
            _rate(f"d=5, N=500: {NAMES[kind]}s told, %", "Section 6.3", KINDS[kind], 100 * right[kind] / half, half)
            for kind in KINDS
        ]
    return rows, shown


def _rate(quantity: str, place: str, published: float, here: float, n: int) -> Row:
    """A published share of right answers beside ours; it must be told from half of them."""
    p = published / 100
    return Row.printed(
        quantity, place, published, round(here, 1), standard_error=100 * float(np.sqrt(p * (1 - p) / n)),
        why=f"a share of {n} data sets", effect=published - 50,
    )  # fmt: skip


def confounded(seed: int, direct: bool) -> np.ndarray:
    """Two variables of 500 rows: an edge of weight 1 with hidden weights (1, -1), or no edge and (1, 1)."""
    random = np.random.RandomState(seed)
    driving, hidden = random.laplace(scale=2**-0.5, size=(500, 2)), random.standard_cauchy(500)
    first = driving[:, 0] + hidden
    second = first + driving[:, 1] - hidden if direct else driving[:, 1] + hidden
    return np.column_stack([first, second])


def confounder_rows(size: Size) -> list[Row]:
    """Section 6.4, model (i): the two graphs of Figure 3, told apart by the tails of the hidden cause."""
    rows = []
    for direct in size.graphs:
        X, right = confounded(0, direct), 0
        for chain in range(10):
            model = SLIM(
                orders=[[0, 1]], n_latent=1, edge_mean=0.99, driving=1.0, standardize=False, test_size=0,
                n_chains=1, random_state=chain, **size.chain_sweeps,
            ).fit(X)  # fmt: skip
            weight, (one, two) = model.coef_[1, 0], model.latent_loadings_[:, 0]
            right += bool(weight > 0.5 and one * two < 0) if direct else bool(weight < 0.5 and one * two > 0)
        graph = "3(b), with an edge" if direct else "3(a), without an edge"
        quantity = f"Hidden cause with another tail: chains of ten that find Figure {graph}"
        rows.append(Row.printed_at_least(quantity, "Section 6.4", 10, right))
    return rows


SECTION = "Section 6.4"
HIDDEN_SWEEPS = {"n_burn": 3000, "n_samples": 6000, "n_burn_dag": 500, "n_samples_dag": 1500}


def hidden_rows(size: Size) -> list[Row]:
    """Section 6.4: sparse networks with one hidden cause."""
    right, positives, negatives, areas = 0, [], [], []
    for seed in range(size.n_hidden):
        random = np.random.RandomState(30_000 + seed)
        density = random.uniform(0.2, 0.9)
        data = make_linear_network(500, 5, density=density, balanced=True, n_latent=1, random_state=random)
        assert data.weights is not None
        model = SLIM(n_latent=1, n_chains=1, random_state=seed, **HIDDEN_SWEEPS).fit(data.X)
        right += any(data.admits(order) for order in model.candidate_orders_)
        true, found = data.weights != 0, model.edge_probabilities_
        pairs = ~np.eye(5, dtype=bool)
        positives.append(np.mean(found[true] > 0.5) if true.any() else 1.0)
        negatives.append(np.mean(found[pairs & ~true] <= 0.5))
        areas.append(roc_auc_score(true[pairs], found[pairs]) if true.any() else 1.0)
    n = size.n_hidden
    return [
        _rate("d=5, one hidden cause: right order found, %", SECTION, HIDDEN["order"], 100 * right / n, n),
        _rate(
            "d=5, one hidden cause: true positives, %",
            SECTION,
            HIDDEN["true positives"],
            100 * float(np.mean(positives)),
            n,
        ),
        _rate(
            "d=5, one hidden cause: true negatives, %",
            SECTION,
            HIDDEN["true negatives"],
            100 * float(np.mean(negatives)),
            n,
        ),
        Row.printed(
            "d=5, one hidden cause: median area under the curve",
            SECTION,
            HIDDEN["area"],
            round(float(np.median(areas)), 3),
            standard_error=1.25 * float(np.std(areas, ddof=1)) / n**0.5,
            why=f"a median over {n} data sets",
            effect=HIDDEN["area"] - 0.5,
        ),
    ]


def structure_counts(found: np.ndarray, arcs: tuple[tuple[int, int], ...]) -> dict[str, int]:
    """Pairs of variables rightly joined, rightly apart, reversed, and wrong in any way; rows are parents."""
    d = len(found)
    truth = np.zeros((d, d), dtype=bool)
    truth[tuple(np.array(arcs).T)] = True
    positives = int((found & truth).sum())
    reversed_ = int((found & truth.T & ~truth).sum())
    apart = ~(found | found.T | truth | truth.T)
    negatives = int(np.triu(apart, 1).sum())
    errors = d * (d - 1) // 2 - positives - negatives
    return {
        "structural errors": errors,
        "true positives": positives,
        "true negatives": negatives,
        "reversed links": reversed_,
    }


ORDER_OF_CELLS = ["pip3", "plc", "pip2", "pkc", "pka", "raf", "mek", "erk", "akt", "jnk", "p38"]
"""An order in which the textbook's causes come first."""

CELL_GAP = Gap(
    "the skeleton is the paper's, but rows kept back prefer PKA as an effect of AKT and ERK: by about 50 units of "
    "log-likelihood over the textbook's order, which gives 10 true positives and none reversed. Tried: raw and "
    "logarithmic amounts, and 3000 and 6000 sweeps of the search. How the paper prepared the amounts is not known",
    band=1.0,
)
VISITED = Gap("a random search visits another number of orders each time; how long the paper's ran is not known", 100.0)


def cell_rows(size: Size, full: bool) -> list[Row]:
    """Section 6.6: signals in 1755 cells, under the textbook's order and under orders from the search."""
    cells = load_cell_signals()
    order = [cells.names.index(name) for name in ORDER_OF_CELLS]
    known = SLIM(orders=[order], test_size=0, n_burn_dag=200, n_samples_dag=400, n_chains=1, random_state=0)
    counts = structure_counts(known.fit(cells.X).adjacency_, cells.arcs)
    rows = [Row.ours(f"Cells, textbook's order: {name}", counts[name]) for name in CELLS]
    if full:
        model = SLIM(n_chains=1, random_state=0, n_burn=2000, n_samples=4000).fit(cells.X)
        counts = structure_counts(model.adjacency_, cells.arcs)
        for name, published in CELLS.items():
            make = Row.printed_at_least if name.startswith("true") else Row.printed_at_most
            quantity = f"Cells, order from the search: {name}"
            rows.append(make(quantity, "Section 6.6", published, counts[name], gap=CELL_GAP))
        assert model.factor_model_ is not None
        rows += [
            Row.printed("Cells: model with the better test likelihood", "Section 6.6", "factor", model.preferred_),
            Row.printed(
                "Cells: orders visited", "Section 6.6", 211, model.factor_model_.n_orders_visited_, gap=VISITED
            ),
        ]
    return rows


GEYSER_GAP = Gap(
    "rows kept back prefer interval -> duration, by 7 to 16 units of log-likelihood. A Laplace driving signal fits "
    "neither variable's two peaks, but a steep function of the interval makes the sharper peaks of the duration. "
    "Tried: the paper's Metropolis step with the function held fixed, denser edge priors, chains of 1500 sweeps. "
    "What the paper's chains did otherwise is not known",
    band=0.0,
)


def geyser_rows(size: Size) -> list[Row]:
    """Section 6.5: does the duration of an eruption cause the time to the next, or the other way round."""
    X = load_table("timeseries/faithful.csv").frame.to_numpy()[:, 1:]
    right = sum(
        NonlinearSLIM(random_state=seed, **size.function_sweeps).fit(X).order_.tolist() == [0, 1]
        for seed in range(size.n_geyser)
    )
    here = 100 * right / size.n_geyser
    return [
        Row.printed_at_least(
            "Old Faithful: duration -> interval by test likelihood, % of splits",
            "Section 6.5",
            100,
            here,
            gap=GEYSER_GAP,
        )
    ]


def function_rows(size: Size) -> list[Row]:
    """Figure 12: all 24 orders of a non-linear network, by their median test likelihood over data sets."""
    medians, errors = [], []
    for seed in range(size.n_functions):
        data = make_nonlinear_network(100, random_state=seed)
        model = NonlinearSLIM(random_state=seed, edge_mean=0.5, **size.function_sweeps).fit(data.X)
        medians.append(np.median(model.candidate_draws_, axis=1))
        right = [order.tolist() in ([0, 1, 2, 3], [0, 2, 1, 3]) for order in model.candidate_orders_]
        found = model.candidate_edge_probabilities_[right] > 0.5
        errors.append((found != data.edges).sum(axis=(1, 2)).min())
    best = int(np.median(medians, axis=0).argmax())
    where = f"Non-linear network of four, {size.n_functions} data sets"
    return [
        Row.claim(f"{where}: the order of the largest median test likelihood is right", "Figure 12d", right[best]),
        Row.printed_at_most(
            f"{where}: median of wrong edges under a right order", "Figure 12b", 0, float(np.median(errors))
        ),
    ]


def series_rows() -> list[Row]:
    """Section 6.7 on made-up courses, since the expression of E. coli is not at hand: smooth against heavy-tailed."""
    random = np.random.RandomState(0)
    times = np.arange(40.0)
    courses = np.column_stack([np.sin(times / 3), np.cos(times / 8), np.sin(times / 15)])
    mixing = np.where(random.uniform(size=(20, 3)) < 0.4, random.normal(size=(20, 3)), 0.0)
    mixing[:3] = np.eye(3)
    X = courses @ mixing.T + 0.1 * random.normal(size=(40, 20))
    hidden = random.uniform(size=X.shape) < 0.1
    settings: dict[str, Any] = {"n_burn": 300, "n_samples": 600, "n_chains": 1, "random_state": 0}
    smooth = CorrelatedSLIM(3, missing="mask", **settings).fit(X, held_out=hidden)
    plain = SparseFactorModel(3, missing="mask", **settings).fit(X, held_out=hidden)
    gain = smooth.held_out_log_likelihood_ - plain.held_out_log_likelihood_
    return [Row.ours("Series: log-likelihood of hidden cells, smooth over independent factors", round(gain, 1))]


def repository_rows(name: str) -> list[Row]:
    """Section 6.2, one data set: a network of the repository with linear weights."""
    content = read_bif(locate(f"bn/{name}.bif.gz"))
    variables = list(content.variables)
    place: dict[str, int] = {}
    while len(place) < len(variables):
        for each in variables:
            if each not in place and all(parent in place for parent in content.parents[each]):
                place[each] = len(place)
    structure = np.zeros((len(place), len(place)), dtype=bool)
    for child, parents in content.parents.items():
        for parent in parents:
            structure[place[child], place[parent]] = True
    data = make_linear_network(500, structure=structure, random_state=0)
    assert data.weights is not None
    model = SLIM(3, n_burn=1500, n_samples=3000, n_burn_dag=400, n_samples_dag=800, n_chains=1, random_state=0)
    found, truth = model.fit(data.X).adjacency_, data.weights.T != 0
    where = f"{name.capitalize()}, {len(place)} variables, N=500"
    return [
        Row.ours(f"{where}: true positive rate (Figure 9)", round(float(found[truth].mean()), 3)),
        Row.ours(f"{where}: false positive rate (Figure 9)", round(float((found & ~truth).sum() / (~truth).sum()), 3)),
        Row.ours(f"{where}: share of edges reversed (Figure 9)", round(float(found.T[truth].mean()), 3)),
    ]


def _figure(model: SLIM) -> "Figure":
    """A DAG of five variables: its edges, the likelihoods that chose it, its traces, and the orders visited."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 8), layout="constrained")
    (edges, likelihoods), (traces, orders) = figure.subplots(2, 2)
    plot_edge_probabilities(model, edges)
    plot_likelihoods(model, likelihoods)
    plot_traces(model, traces)
    assert model.factor_model_ is not None
    counts = model.factor_model_.order_counts_[:20]
    orders.bar(np.arange(len(counts)) + 1, counts, color="#1b6ca8")
    orders.set_xlabel(f"order, of {model.factor_model_.n_orders_visited_} visited")
    orders.set_ylabel("sweeps")
    return figure
