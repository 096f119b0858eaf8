"""Markov random fields (Ravikumar 2007): inference, structure, additive fields and sparse additive models."""

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from treatise._core.errors import DataNotFoundError
from treatise.datasets import (
    ADDITIVE_CURVES,
    SpokenVowels,
    load_japanese_vowels,
    make_additive_chain,
    make_interleaved_emissions,
)
from treatise.graphical import (
    chebyshev_bound,
    chebyshev_chernoff_bound,
    chernoff_sum_bound,
    grid_edges,
    log_det_bound,
    plot_partition_bounds,
    preconditioner_log_partition,
    qp_map,
)
from treatise.inference import (
    FactorGraph,
    JunctionTree,
    iterated_conditional_modes,
    mean_field,
    tree_reweighted,
    tree_reweighted_map,
)
from treatise.papers._evidence import Evidence, Gap, Row
from treatise.papers.graphical.thesis_ravikumar._structure import structure_rows
from treatise.sequence import CRF, AdditiveCRF, plot_additive_features

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = ("MF/Tree lower", "MF/SDP lower", "Tree/MF upper", "SDP heuristic")
# Table 6.1 (single nodes) and Table 6.2 (pairs): mean and deviation of the L1 error in the order of COLUMNS.
SINGLE = {
    ("grid", "repulsive", 1.0): ((0.093, 0.003), (0.297, 0.009), (0.166, 0.008), (0.010, 0.002)),
    ("grid", "repulsive", 2.0): ((0.127, 0.009), (0.290, 0.007), (0.327, 0.059), (0.024, 0.002)),
    ("grid", "mixed", 1.0): ((0.054, 0.028), (0.452, 0.047), (0.070, 0.038), (0.026, 0.002)),
    ("grid", "mixed", 2.0): ((0.095, 0.012), (0.421, 0.053), (0.138, 0.011), (0.017, 0.003)),
    ("grid", "attractive", 1.0): ((0.026, 0.001), (0.770, 0.019), (0.025, 0.002), (0.023, 0.001)),
    ("grid", "attractive", 2.0): ((0.001, 0.001), (0.791, 0.026), (0.001, 0.001), (0.016, 0.002)),
    ("full", "repulsive", 0.25): ((0.072, 0.010), (0.290, 0.006), (0.069, 0.011), (0.021, 0.001)),
    ("full", "repulsive", 0.5): ((0.132, 0.009), (0.238, 0.007), (0.156, 0.016), (0.016, 0.001)),
    ("full", "mixed", 0.25): ((0.032, 0.001), (0.393, 0.014), (0.029, 0.001), (0.013, 0.004)),
    ("full", "mixed", 0.5): ((0.120, 0.027), (0.450, 0.037), (0.127, 0.034), (0.024, 0.004)),
    ("full", "attractive", 0.06): ((0.009, 0.001), (0.445, 0.009), (0.007, 0.001), (0.019, 0.003)),
    ("full", "attractive", 0.12): ((0.037, 0.006), (0.520, 0.023), (0.033, 0.006), (0.040, 0.003)),
}
PAIRS = {
    ("grid", "repulsive", 1.0): ((0.025, 0.003), (0.118, 0.012), (0.047, 0.008), (0.005, 0.003)),
    ("grid", "repulsive", 2.0): ((0.034, 0.005), (0.108, 0.010), (0.101, 0.022), (0.013, 0.001)),
    ("grid", "mixed", 1.0): ((0.026, 0.004), (0.243, 0.022), (0.037, 0.009), (0.019, 0.005)),
    ("grid", "mixed", 2.0): ((0.056, 0.024), (0.250, 0.035), (0.087, 0.031), (0.021, 0.006)),
    ("grid", "attractive", 1.0): ((0.029, 0.008), (0.621, 0.076), (0.043, 0.015), (0.016, 0.012)),
    ("grid", "attractive", 2.0): ((0.002, 0.001), (0.791, 0.012), (0.003, 0.001), (0.036, 0.007)),
    ("full", "repulsive", 0.25): ((0.011, 0.002), (0.081, 0.024), (0.015, 0.001), (0.021, 0.004)),
    ("full", "repulsive", 0.5): ((0.008, 0.005), (0.046, 0.003), (0.021, 0.002), (0.021, 0.003)),
    ("full", "mixed", 0.25): ((0.040, 0.006), (0.216, 0.013), (0.014, 0.001), (0.012, 0.007)),
    ("full", "mixed", 0.5): ((0.068, 0.011), (0.250, 0.033), (0.052, 0.005), (0.016, 0.011)),
    ("full", "attractive", 0.06): ((0.020, 0.004), (0.257, 0.017), (0.003, 0.001), (0.026, 0.007)),
    ("full", "attractive", 0.12): ((0.061, 0.009), (0.367, 0.019), (0.015, 0.003), (0.061, 0.005)),
}
QUICK = (("grid", "repulsive", 1.0), ("grid", "mixed", 1.0), ("grid", "attractive", 1.0), ("full", "repulsive", 0.25))
SPREAD = "the printed deviation, over models of which the number is not printed, and of our mean"


OTHER_MODELS = Gap("the models of the thesis are not printed: what they would give is not known", band=0.005)
PLAIN = "single nodes, grid, repulsive 1, MF/Tree lower, mean field of independent variables: L1 error"
SHARPER = Gap(
    "mean field over forests is tighter than the thesis's structured mean field, whose structure is not printed: with "
    "independent variables in its place the error on repulsive grids of strength 1 is the printed one",
    band=0.02,
    shown_by=PLAIN,
)
UNCLEAR_PAIRS = Gap(
    "taken over the edges, as the text says; the models are not printed. Tried: all pairs of variables in place of the "
    "edges, which brings the heuristic on repulsive grids of strength 1 from 0.047 to 0.029 (printed 0.005). "
    "The cause is not known",
    band=0.02,
)
BROKEN_SYMMETRY = Gap(
    "the tree pays the whole weight of every edge that it leaves out. At strength 0.25 and 100 nodes that puts it "
    "below n log 2, where mean field from even probabilities stands; at strength 1 it is above that, but mean field "
    "from random starts passes it. Which constants and starts the thesis used is not printed. The cause is not known",
    band=0.0,
)
MESSAGES = Gap(
    "converged tree-reweighted messages label better here, read off variable by variable or by the largest belief of "
    "each alike; the schedule and the number of rounds used are not printed. Tried: the eigenvalue on the diagonal "
    "(lower scores), a hundred starts of the nonconvex program (lower on Potts tables). The cause is not known",
    band=0.0,
)


def experiment(*, full: bool = False) -> Evidence:
    """Bounds on events, tails, partition functions and labelings of random models; all settings in full."""
    rows, errors = _table("Table 6.1", SINGLE, tuple(SINGLE) if full else QUICK, 50 if full else 5, _single_events)
    if full:
        rows += _table("Table 6.2", PAIRS, tuple(PAIRS), 20, _pair_events)[0]
    rows += _tails() + _moments() + _preconditioners(20 if full else 5, 30 if full else 10)
    rows += _labelings(20 if full else 3, full)
    mixtures, interleaved = _interleaved(20 if full else 5)
    rows += mixtures
    known, recovered = _known_curves(10 if full else 2)
    rows += known
    structure, skipped = structure_rows(full)
    rows += structure
    try:
        rows += _speakers((10, 20, 40, 80), 50) if full else _speakers((80,), 3)
    except DataNotFoundError as error:
        skipped.append(str(error))
    return Evidence(rows, _figure(errors, interleaved, recovered), skipped)


def weights_of(coupling: str, strength: float, size: int, generator: np.random.Generator) -> np.ndarray:
    """Edge weights of section 6.6: repulsive, mixed or attractive (negative, mixed or positive in section 4.8)."""
    low, high = {
        "repulsive": (-2 * strength, 0.0),
        "mixed": (-strength, strength),
        "attractive": (0.0, 2 * strength),
    }[coupling]
    return generator.uniform(low, high, size)


def random_field(graph: str, coupling: str, strength: float, generator: np.random.Generator) -> FactorGraph:
    """Nine variables of values 0 and 1, on the 3 x 3 grid or all coupled, with fields within a quarter of zero."""
    edges = grid_edges((3, 3)) if graph == "grid" else np.array(list(combinations(range(9), 2)))
    fields = generator.uniform(-0.25, 0.25, 9)
    return FactorGraph.ising(fields, edges, weights_of(coupling, strength, len(edges), generator), values=(0, 1))


Events = Callable[[FactorGraph], Iterator[tuple[dict[int, int], float]]]


def _single_events(graph: FactorGraph) -> Iterator[tuple[dict[int, int], float]]:
    for v, p in enumerate(graph.brute_force().nodes):
        yield {v: 1}, float(p[1])


def _pair_events(graph: FactorGraph) -> Iterator[tuple[dict[int, int], float]]:
    for factor, p in zip(graph.factors, graph.brute_force().factors):
        if len(factor.variables) == 2:
            yield dict.fromkeys(factor.variables, 1), float(p[1, 1])


def event_errors(graph: FactorGraph, events: Events, clusters: str | None = "forests") -> np.ndarray:
    """Mean L1 errors (6.43) of the four estimates over the events, in the order of COLUMNS."""

    def bound(field: FactorGraph) -> float:
        return mean_field(field, clusters=clusters).log_partition

    above, below, relaxed = tree_reweighted(graph).log_partition, bound(graph), log_det_bound(graph)
    errors = []
    for event, truth in events(graph):
        fixed = graph.condition(event)
        low, high = bound(fixed), tree_reweighted(fixed).log_partition
        ends = (min(event), max(event))
        estimates = [np.exp(low - above), np.exp(low - relaxed.log_partition), np.exp(high - below)]
        errors.append(np.abs(np.array([*estimates, relaxed.pairs[ends]]) - truth))
    return np.mean(errors, axis=0)


def _table(
    name: str, published: dict[Any, Any], settings: tuple[Any, ...], n_models: int, events: Events
) -> tuple[list[Row], dict[Any, np.ndarray]]:
    rows, means = [], {}
    kind = "single nodes" if name == "Table 6.1" else "pairs"
    for graph, coupling, strength in settings:
        setting, generator = (graph, coupling, strength), np.random.default_rng(0)
        models = [random_field(graph, coupling, strength, generator) for _ in range(n_models)]
        found = np.array([event_errors(model, events) for model in models])
        means[setting] = found.mean(axis=0)
        for column, (value, deviation), mean, spread in zip(
            COLUMNS, published[setting], found.mean(axis=0), found.std(axis=0, ddof=1)
        ):
            rows.append(
                Row.printed(
                    f"{kind}, {graph}, {coupling} {strength:g}, {column}: L1 error",
                    name,
                    value,
                    round(float(mean), 4),
                    standard_error=float(np.hypot(deviation, spread / n_models**0.5)),
                    why=SPREAD,
                    gap=UNCLEAR_PAIRS if name == "Table 6.2" else SHARPER if "/" in column else OTHER_MODELS,
                )
            )
        if (name, setting) == ("Table 6.1", ("grid", "repulsive", 1.0)):
            rows.append(_plain_row(models, *published[setting][0]))
    return rows, means


def _plain_row(models: list[FactorGraph], value: float, deviation: float) -> Row:
    """The first column with independent variables in place of forests."""
    found = np.array([event_errors(model, _single_events, None)[0] for model in models])
    error = float(np.hypot(deviation, found.std(ddof=1) / len(found) ** 0.5))
    return Row.printed(PLAIN, "Table 6.1", value, round(float(found.mean()), 4), standard_error=error, why=SPREAD)


def _tails() -> list[Row]:
    """Figure 6.1: thirty coins and thirty states of a Markov chain, more than 22.5 ones."""
    n, p, delta = 30, 0.5, 0.5
    coins = FactorGraph([2] * n)
    chain = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    markov = FactorGraph.ising(np.zeros(n), chain, np.full(n - 1, -1.0), values=(0, 1))
    weak, strong = -n * p * delta**2 / 4, n * p * (delta - (1 + delta) * np.log(1 + delta))
    rows = []
    for name, graph, coupling in (("coins", coins, 0.0), ("Markov chain", markov, -1.0)):
        bound, truth = chernoff_sum_bound(graph, n * p * (1 + delta)).log_bound, _chain_tail(n, coupling, 23)
        rows.append(Row.ours(f"Figure 6.1, {name}: optimised Chernoff bound", round(bound, 5)))
        rows.append(Row.ours(f"Figure 6.1, {name}: true log probability", round(truth, 5)))
        ordered = truth <= bound <= strong <= weak
        rows.append(Row.claim(f"{name}: truth, optimised and classical bounds are in order", "Figure 6.1", ordered))
    return rows


def _chain_tail(n: int, coupling: float, least: int) -> float:
    """Exact log probability of that many ones, by counting them along the chain."""
    counts = np.full((n + 1, 2), -np.inf)
    counts[0, 0] = counts[1, 1] = 0.0
    for _ in range(n - 1):
        new = np.full_like(counts, -np.inf)
        new[:, 0] = np.logaddexp(counts[:, 0], counts[:, 1])
        new[1:, 1] = np.logaddexp(counts[:-1, 0], counts[:-1, 1] + coupling)
        counts = new
    return float(np.logaddexp.reduce(counts[least:].ravel()) - np.logaddexp.reduce(counts.ravel()))


def _moments() -> list[Row]:
    """The chain of three nodes of section 7.1: the bound without and the value with the graph."""
    generator = np.random.default_rng(0)
    graph = FactorGraph.ising(generator.normal(size=3), [[0, 1], [1, 2]], generator.normal(size=2), values=(0, 1))
    scores = graph.joint_scores()
    p = np.exp(scores - np.logaddexp.reduce(scores.ravel())).ravel()
    x1, x2, x3 = (axis.ravel() for axis in np.indices((2, 2, 2)))
    functions = np.array([x1 * x2, x2 * x3, x2])
    q12, q23, q2 = functions @ p
    bound = chebyshev_bound(functions, [q12, q23, q2], (x1 * x2 * x3).astype(bool))
    family = chebyshev_chernoff_bound(graph, functions, [q12, q23, q2], (x1 * x2 * x3).astype(bool))
    why = "the accuracy of the linear program"
    return [
        Row.check(
            "Chebyshev bound (Section 7.1), min(q12, q23, q2)", min(q12, q23, q2), bound.upper, within=1e-7, why=why
        ),
        Row.check(
            "probability with the chain (Section 7.1), q12 q23 / q2",
            q12 * q23 / q2,
            float(p[-1]),
            within=1e-12,
            why="rounding",
        ),
        Row.check(
            "Chebyshev-Chernoff bound with the chain (Section 7.2)", q12 * q23 / q2, family.upper, within=1e-7, why=why
        ),
    ]


def _preconditioners(n_models: int, side: int) -> list[Row]:
    """Figures 3.1 and 3.2: relative errors on repulsive 4 x 4 grids, and lower bounds on a larger one."""
    rows = []
    for strength in (0.25, 1.0):
        generator = np.random.default_rng(0)
        models = [_repulsive_grid(4, strength, generator) for _ in range(n_models)]
        mean: dict[str, float] = {}
        for name, bound in BOUNDS.items():
            exact = np.array([JunctionTree(model).log_partition() for model in models])
            mean[name] = float(np.mean((np.array([bound(model) for model in models]) - exact) / exact))
        place, where = "Figure 3.1", f"4 x 4 grids of strength {strength:g}"
        rows += [Row.ours(f"{where}: relative error of {name}", round(value, 4)) for name, value in mean.items()]
        below, above = mean["spanning tree from below"], mean["support tree from above"]
        rows.append(
            Row.claim(
                f"{where}: spanning tree above mean field", place, below > mean["mean field"], gap=BROKEN_SYMMETRY
            )
        )
        rows.append(
            Row.claim(f"{where}: support tree looser than tree-reweighted", place, above > mean["tree-reweighted"])
        )
        large = _repulsive_grid(side, strength, generator)
        tree, field = BOUNDS["spanning tree from below"](large), BOUNDS["mean field"](large)
        place, where = "Figure 3.2", f"{side * side} nodes of strength {strength:g}"
        rows.append(Row.claim(f"{where}: spanning tree above mean field", place, tree > field, gap=BROKEN_SYMMETRY))
    return rows


BOUNDS: dict[str, Callable[[FactorGraph], float]] = {
    "mean field": lambda graph: mean_field(graph, n_starts=3, random_state=0).log_partition,
    "structured mean field": lambda graph: (
        mean_field(graph, clusters="forests", n_starts=3, random_state=0).log_partition
    ),
    "spanning tree from below": lambda graph: preconditioner_log_partition(graph).lower,
    "support tree from above": lambda graph: preconditioner_log_partition(graph, kind="support_tree").upper,
    "tree-reweighted": lambda graph: tree_reweighted(graph).log_partition,
}


def _repulsive_grid(side: int, strength: float, generator: np.random.Generator) -> FactorGraph:
    edges = grid_edges((side, side))
    return FactorGraph.ising(np.zeros(side * side), edges, weights_of("repulsive", strength, len(edges), generator))


def _labelings(n_models: int, full: bool) -> list[Row]:
    """Figures 4.1 and, in full, 4.2: scores of labelings of 10 x 10 grids with four labels, coupling 1."""
    labels = np.arange(1, 5)
    apart = np.abs(np.subtract.outer(labels, labels)).astype(float)
    distances = {
        "Figure 4.1, Ising": np.outer(labels, labels).astype(float), "Figure 4.1, uniform": np.eye(4),
        "Figure 4.2, linear": apart, "Figure 4.2, quadratic": apart**2,
    }  # fmt: skip
    edges, rows = grid_edges((10, 10)), []
    for distance, table in list(distances.items())[: 4 if full else 2]:
        for coupling in ("mixed", "attractive", "repulsive"):
            generator = np.random.default_rng(0)
            scores = []
            for _ in range(n_models):
                unary = generator.uniform(-1, 1, (100, 4))
                weights = weights_of(coupling, 1.0, len(edges), generator)
                graph = FactorGraph.pairwise(unary, edges, weights[:, None, None] * table)
                solved = (
                    qp_map(graph),
                    tree_reweighted_map(graph, max_iter=100, damping=0.2),
                    iterated_conditional_modes(graph),
                )
                scores.append([-result.energy for result in solved])
            quadratic, reweighted, modes = (round(float(score), 2) for score in np.mean(scores, axis=0))
            sign = {"attractive": "positive", "repulsive": "negative"}.get(coupling, coupling)
            place, _, kind = distance.partition(", ")
            where = f"{kind}, {sign}"
            rows.append(Row.ours(f"{where}: scores of QP, TRW, ICM", f"{quadratic}, {reweighted}, {modes}"))
            ahead = np.subtract(*np.transpose(scores)[[0, 2]])
            error = float(ahead.std(ddof=1)) / n_models**0.5
            rows.append(
                Row.claim_not_negative(
                    f"{where}: QP above ICM", place, round(float(ahead.mean()), 6), standard_error=error
                )
            )
            if sign != "negative":
                rows.append(Row.claim(f"{where}: QP is at least TRW", place, quadratic >= reweighted, gap=MESSAGES))
    return rows


OTHER_MIXTURES = Gap("the mixtures of the thesis are drawn and not printed: what they were is not known", band=1.0)


def _interleaved(n_runs: int) -> tuple[list[Row], AdditiveCRF]:
    """Section 11.5.1: polynomial and smooth features of numbers whose mixtures interleave, 500 training positions."""
    published = {"linear": 30.46, "quadratic": 30.54, "cubic": 2.56, "additive": 2.46}
    degrees = {"linear": 1, "quadratic": 2, "cubic": 3}
    found: dict[str, list[float]] = {name: [] for name in published}
    for run in range(n_runs):
        (x, y), (new_x, new_y) = (
            make_interleaved_emissions(n, random_state=seed) for n, seed in ((500, run), (5000, 1000 + run))
        )
        for name, degree in degrees.items():
            powers = np.arange(1, degree + 1)
            crf = CRF().fit([x**powers], [y])
            found[name].append(100 * (1 - crf.score([new_x**powers], [new_y])))
        additive = AdditiveCRF(bandwidth=0.25).fit([x], [y])
        found["additive"].append(100 * (1 - additive.score([new_x], [new_y])))
    rows = []
    for name, value in published.items():
        spread = float(np.std(found[name], ddof=1))
        rows.append(
            Row.printed(
                f"interleaved mixtures, {name} features: error in percent", "Section 11.5.1", value,
                round(float(np.mean(found[name])), 2), standard_error=spread * (1 + 1 / n_runs) ** 0.5,
                why="the mixtures are drawn, not printed, and the thesis shows one run", gap=OTHER_MIXTURES,
            )
        )  # fmt: skip
    return rows, additive


def _known_curves(n_runs: int) -> tuple[list[Row], AdditiveCRF]:
    """Section 11.5.2: curves recovered from a sequence of 5 000 positions."""
    errors = []
    for run in range(n_runs):
        x, y = make_additive_chain(5000, random_state=run)
        crf = AdditiveCRF(bandwidth=0.25).fit([x], [y])
        errors.append([
            np.sqrt(np.mean((crf.component(j, x[:, j])[:, 1] - curve(x[:, j])) ** 2))
            for j, curve in enumerate(ADDITIVE_CURVES)
        ])  # fmt: skip
    rows = [
        Row.ours(f"Figure 11.5, curve {j + 1}: root mean square error", round(float(error), 3))
        for j, error in enumerate(np.mean(errors, axis=0))
    ]
    spread = min(float(np.sqrt(np.mean(curve(np.linspace(-2, 2, 401)) ** 2))) for curve in ADDITIVE_CURVES)
    good = bool(np.max(errors) < 0.25 * spread)
    return [*rows, Row.claim(CORRESPONDENCE, "Figure 11.5", good)], crf


CORRESPONDENCE = "good correspondence of the curves, within a quarter of the size of the least"
FEW_POSITIONS = Gap(
    "ten or twenty utterances are 150 or 300 positions for twelve curves, against twelve weights that the linear field "
    "shrinks. Tried: twice the bandwidth, which moves the errors by less than half a point; a linear field all but "
    "without shrinkage, which errs more from twenty utterances on. The thesis prints neither its lengths, nor its "
    "chain of speakers, nor its smoothing. The cause is not known",
    band=1.0,
)


def _speakers(lengths: tuple[int, ...], n_runs: int) -> list[Row]:
    """Section 11.5.3 and Figure 11.6: odd and even speakers along a chain of utterances."""
    training, test = load_japanese_vowels()
    rows = []
    for n_utterances in lengths:
        errors = []
        for run in range(n_runs):
            random = np.random.RandomState(run)
            x, y = utterance_chain(training, n_utterances, random)
            new_x, new_y = utterance_chain(test, 100, random)
            errors.append([100 * (1 - crf.fit([x], [y]).score([new_x], [new_y])) for crf in (CRF(), AdditiveCRF())])
        linear, additive = (round(float(each), 1) for each in np.mean(errors, axis=0))
        where = f"{n_utterances} utterances"
        rows.append(Row.ours(f"{where}: errors of CRF and additive CRF in percent", f"{linear}, {additive}"))
        gains = np.subtract(*np.transpose(errors))
        rows.append(
            Row.claim_positive(
                f"{where}: points by which the additive field errs less", "Figure 11.6", float(gains.mean()),
                standard_error=float(gains.std(ddof=1)) / n_runs**0.5,
                gap=FEW_POSITIONS if n_utterances < 40 else None,
            )
        )  # fmt: skip
    return rows


def utterance_chain(spoken: SpokenVowels, n: int, random: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Utterances of speakers that follow each other at random, one after another, each time labelled odd or even.

    The thesis samples the speakers from a Markov chain that it does not print; here all are equally likely.
    """
    chosen = [random.choice(np.flatnonzero(spoken.speakers == speaker)) for speaker in random.randint(1, 10, n)]
    labels = [np.full(len(spoken.utterances[u]), spoken.speakers[u] % 2) for u in chosen]
    return np.concatenate([spoken.utterances[u] for u in chosen]), np.concatenate(labels)


def _figure(errors: dict[Any, np.ndarray], interleaved: AdditiveCRF, recovered: AdditiveCRF) -> "Figure":
    """Bounds on log Z against the coupling, our errors of marginals beside the printed ones, and learned curves."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 8), layout="constrained")
    above, below = np.ravel(figure.subfigures(2, 1, height_ratios=(5, 3), squeeze=False))
    left, right = above.subplots(1, 2)
    couplings = (0.1, 0.25, 0.5, 1.0, 1.5)
    graphs = [_repulsive_grid(4, c, np.random.default_rng(0)) for c in couplings]
    plot_partition_bounds(
        graphs, couplings, lower=("mean_field", "structured", "spanning_tree"),
        upper=("tree_reweighted", "support_tree"), relative=True, ax=left,
    )  # fmt: skip
    left.set_xlabel("coupling strength")
    left.set_title("Bounds on log Z of 4 x 4 grids (Figure 3.1)")
    settings = list(errors)
    at = np.arange(len(settings))
    for number, column in enumerate(COLUMNS):
        color = f"C{number}"
        right.plot([SINGLE[s][number][0] for s in settings], at + 0.15 * number - 0.2, "o", mfc="none", color=color)
        right.plot([errors[s][number] for s in settings], at + 0.15 * number - 0.2, "o", color=color, label=column)
    right.set_yticks(at, [f"{graph}, {coupling} {strength:g}" for graph, coupling, strength in settings])
    right.invert_yaxis()
    right.set_xlabel("L1 error of single marginals (open: printed in Table 6.1)")
    right.legend()
    first, *others = below.subplots(1, 3)
    plot_additive_features(interleaved, ax=first)
    first.set_title("Interleaved emissions (Figure 11.4)")
    plot_additive_features(recovered, ax=others)
    grid = np.linspace(-2, 2, 201)
    for ax, curve in zip(others, ADDITIVE_CURVES):
        ax.plot(grid, curve(grid), "--", color="black", label="true")
        ax.set_title("Known curves, dashed (Figure 11.5)")
    return figure
