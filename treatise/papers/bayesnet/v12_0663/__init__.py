"""Structure learning with constraints (de Campos & Ji, JMLR 12:663): pruning, exact search, forests; Tables 1 to 5."""

import math
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from treatise._core.errors import TreatiseError
from treatise.bayesnet import (
    BayesianNetwork,
    ConstrainedStructureLearner,
    plot_search_bounds,
    tree_augmented_rules,
)
from treatise.bayesnet.structure._parent_sets import ParentSetBuilder, ParentSets
from treatise.bayesnet.structure.rules import parent_limits
from treatise.datasets import locate, make_network_table
from treatise.papers._evidence import Evidence, Gap, Row
from treatise.papers.bayesnet.v12_0663._tables import load_structure_table
from treatise.statistics.family_scores import FamilyScores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BREAST = {("bic", 1.0): -8254.8, ("bdeu", 0.1): -8635.1, ("bdeu", 1.0): -8254.3, ("bdeu", 10.0): -8130.2}
"""Scores of Table 3; all of them optimal there."""

FORESTS = {"letter": 233, "mushroom": 398, "wdbc": 361}
"""Parent sets kept for tree-augmented naive Bayes (Table 4)."""

LETTER = {"steps": 19.0, "cache": 15.3, "score": -173716.2, "gap": 8.1}
"""BIC on the letters (Tables 1 to 3): binary logarithms of scores computed and kept, score, gap in per cent."""

PREPARATION = Gap(
    "the paper says that continuous columns were cut at the mean and not which were taken for continuous, nor how many "
    "states a column was given. Tried: grades as categories (shown) and cut at the mean (-2360.3 for BIC); logarithms "
    "to base 2 and 10 do not fit either. Which preparation the paper had is not known",
    band=1.0,
)
TABLES = Gap(
    "tables prepared from the paper's one sentence give other dependences than the authors' own: "
    "a score that differs, see the row of the score, goes with other parent sets. How they differ is not known",
    band=0.01,
)
LETTERS = Gap(
    "all sixteen features cut at their mean, as the paper says, and the class with its 26 states; this is proved to be "
    "the best for that table, so that the paper's table must have been another. Nothing else was tried",
    band=1.0,
    shown_by="letter, BIC: gap, %",
)
SCORED = Gap(
    "parent sets are kept where they beat all their subsets, ties left out; the preparation of the table differs, in "
    "what way is not known",
    band=0.0,
)
ABSENT = (
    "Tables 1 to 4 on adult, car, lung, nursery and zoo: not at hand; on mushroom and wdbc only Table 4 is run",
    "Table 5: networks of 50 nodes and more take hours",
)


def experiment(*, full: bool = False) -> Evidence:
    """Pruning and search on UCI tables, forests, random and known networks; larger ones of each in full."""
    parts: list[Callable[[], list[Row]]] = [
        breast_rows,
        partial(forest_rows, list(FORESTS) if full else ["letter", "wdbc"]),
        lambda: random_network_rows(10 if full else 2, 3 if full else 2),
        partial(known_network_rows, ["asia", "alarm"] if full else ["asia"]),
    ]
    if full:
        parts.append(letter_rows)
    rows: list[Row] = []
    skipped = [*ABSENT] if full else [*ABSENT, "Table 4 on mushroom: in the full experiment"]
    figure = None
    for part in parts:
        try:
            rows += part()
        except TreatiseError as missing:
            skipped.append(str(missing))
    try:
        figure = _figure(full)
    except TreatiseError as missing:
        skipped.append(str(missing))
    return Evidence(rows, figure, skipped)


def breast_rows() -> list[Row]:
    """Wisconsin breast cancer: scores computed, parents, optima."""
    table = load_structure_table("breast")
    rounding, rows = "rounding of the printed number", []
    for (criterion, ess), published in BREAST.items():
        options = {"criterion": criterion, "equivalent_sample_size": ess}
        learner = ConstrainedStructureLearner(**options, method="branch-and-bound").fit(table)
        exact = ConstrainedStructureLearner(**options, method="dynamic-programming").fit(table)
        name = "BIC" if criterion == "bic" else f"BDeu, prior of {ess:g}"
        if criterion == "bic":
            steps, most = math.log2(learner.n_scores_evaluated_), math.log2(learner.n_scores_possible_)
            rows += [
                Row.printed(
                    f"Breast, {name}: log2 of scores computed",
                    "Table 1",
                    7.3,
                    round(steps, 2),
                    within=0.05,
                    why=rounding,
                    gap=TABLES,
                ),
                Row.printed(
                    f"Breast, {name}: log2 of scores without the theorems",
                    "Table 1",
                    12.3,
                    round(most, 2),
                    within=0.05,
                    why=rounding,
                ),
                Row.printed(f"Breast, {name}: most parents of a set that was kept", "Table 2", 1, _most_parents(table)),
            ]
        rows += [
            Row.printed(f"Breast, {name}: gap of branch and bound, %", "Table 3", 0.0, round(100 * learner.gap_, 1)),
            Row.printed(
                f"Breast, {name}: dynamic programming against it, %",
                "Table 3",
                0.0,
                round(100 * abs(exact.score_ / learner.score_ - 1), 1),
            ),
            Row.printed(
                f"Breast, {name}: score",
                "Table 3",
                published,
                round(learner.score_, 1),
                within=0.05,
                why=rounding,
                gap=PREPARATION,
            ),
        ]
    return rows


def _most_parents(table: np.ndarray) -> int:
    """Parents of the largest set that beats its subsets, for the BIC."""
    kept = _parent_sets(table, table.shape[1] - 1)
    return max(len(parents) for own in kept.sets for parents in own)


def _parent_sets(table: np.ndarray, max_parents: int) -> ParentSets:
    """Parent sets that beat their subsets, for the BIC."""
    p = table.shape[1]
    scores = FamilyScores(table, table.max(axis=0) + 1, "bic")
    return ParentSetBuilder(scores, parent_limits([], [max_parents] * p, range(p))).build()


def forest_rows(names: list[str]) -> list[Row]:
    """Tree-augmented naive Bayes by rules, solved to the end (Table 4)."""
    rows = []
    for name in names:
        table = load_structure_table(name)
        table = table[:, np.ptp(table, axis=0) > 0]  # all mushrooms without a missing value have the same veil
        target = table.shape[1] - 1
        learner = ConstrainedStructureLearner(rules=tree_augmented_rules(range(target + 1), target)).fit(table)
        forest = all(own == () or (target in own and len(own) <= 2) for own in learner.parents_)
        rows += [
            Row.claim(f"{name}: best forest found and proved", "Table 4", learner.optimal_ and forest),
            Row.printed(
                f"{name}: parent sets kept for the forest",
                "Table 4",
                FORESTS[name],
                learner.n_parent_sets_,
                within=0.5,
                why="a count",
                gap=SCORED,
            ),
        ]
    return rows


def random_network_rows(n_networks: int, max_parents: int) -> list[Row]:
    """Random networks of 30 nodes, 100 rows each, without and with about n true constraints (Table 5)."""
    sizes, optimal = [], 0
    for seed in range(1, n_networks + 1):
        X, parents = make_network_table(100, n_nodes=30, max_parents=2, random_state=seed)
        shown = [i for i in range(30) if 0 < X[:, i].sum() < len(X)]
        required, forbidden = _true_constraints(parents, shown, seed)
        free = ConstrainedStructureLearner(max_parents=max_parents).fit(X[:, shown])
        bound = ConstrainedStructureLearner(
            max_parents=max_parents, required_arcs=required, forbidden_arcs=forbidden
        ).fit(X[:, shown])
        optimal += free.optimal_ and bound.optimal_
        sizes.append((free.n_parent_sets_, bound.n_parent_sets_, bound.score_ <= free.score_ + 1e-6))
    free_size, bound_size, lower = np.mean(sizes, axis=0)
    case = f"{n_networks} random networks, 30 nodes, 100 rows, at most {max_parents} parents"
    return [
        Row.claim(f"{case}: every optimum is proved", "Table 5", optimal == n_networks),
        Row.check(f"{case}: constrained optimum no higher than the free one", True, bool(lower == 1)),
        Row.check_at_most(f"{case}: parent sets kept with constraints", free_size, bound_size),
    ]


def _true_constraints(parents: list[tuple[int, ...]], shown: list[int], seed: int) -> tuple[list, list]:
    """About n arcs that the network has, or has not, as pairs of places among the columns shown."""
    rng = np.random.default_rng(seed)
    place = {variable: at for at, variable in enumerate(shown)}
    present = [(place[a], place[b]) for b in shown for a in parents[b] if a in place]
    absent = [
        (place[a], place[b]) for a in shown for b in shown if a != b and a not in parents[b]
    ]  # fmt: skip
    half = len(shown) // 2
    chosen = rng.permutation(len(present))[: half // 3]
    return [present[i] for i in chosen], [absent[i] for i in rng.permutation(len(absent))[:half]]


def known_network_rows(names: list[str]) -> list[Row]:
    """1000 rows from known networks, at most three parents: optima, and what the theorems spare.

    Three parents of two states cost 28 nats of penalty, of up to 693 that are to be explained: Theorem 4 seldom
    applies. The large savings of Table 1 are those of sets of many parents, with no limit or one of six or eight.
    """
    rows: list[Row] = []
    for name in names:
        X = _sampled(name, 1000)
        learner = ConstrainedStructureLearner(max_parents=3, time_limit=300.0).fit(X)
        case = f"{name.upper()}, 1000 rows, at most 3 parents"
        possible = learner.n_scores_possible_
        rows += [
            Row.ours(f"{case}: best BIC", round(learner.score_, 3)),
            Row.ours(f"{case}: gap, %", round(100 * learner.gap_, 4)),
            Row.ours(
                f"{case}: scores without the theorems, over scores with them",
                round(possible / learner.n_scores_evaluated_, 3),
            ),
            Row.ours(
                f"{case}: the same for the tightest bound that the entropies of smaller tables give",
                round(possible / needed_scores(_codes(X), 3), 3),
            ),
            Row.ours(f"{case}: parent sets in all, over those kept", round(possible / learner.n_parent_sets_, 1)),
        ]
        few = learner.n_features_in_ <= 12
        larger = _parent_sets(_codes(X), learner.n_features_in_ - 1 if few else 4)
        rows.append(
            Row.ours(
                f"{name.upper()}, 1000 rows, {'any' if few else 'at most 4'} parents: scores without the theorems, "
                "over scores with them",
                round(larger.n_possible / larger.n_evaluated, 3),
            )
        )
    return rows


def needed_scores(codes: np.ndarray, max_parents: int) -> int:
    """Parent sets that must be scored for the BIC although all smaller tables are known.

    The joint entropy of a child x and its parents S is no less than that of any of its parts, and can be as little:
    H(x | S) >= max over s in S of H(x, S - s) - H(S). A set whose score could exceed its subsets' by that is counted.
    """
    scores = FamilyScores(codes, codes.max(axis=0) + 1, "bic")
    p, states = codes.shape[1], scores.n_states.tolist()
    # n log n over the cells of each set of columns: the log-likelihood of a family is the difference of two.
    known: dict[tuple[int, ...], float] = {}
    for size in range(max_parents + 1):
        sets = list(combinations(range(p), size))
        sums, _ = scores.cell_sums(np.array(sets, dtype=np.int64).reshape(len(sets), size), [0.0] * len(sets))
        known.update(zip(sets, (sums * scores.unit).tolist()))
    needed = 0
    for child in range(p):
        best: dict[tuple[int, ...], float] = {}
        for size in range(max_parents + 1):
            for own in combinations([other for other in range(p) if other != child], size):
                smaller = [own[:at] + own[at + 1 :] for at in range(size)]
                penalty = scores.penalty * (states[child] - 1) * math.prod(states[other] for other in own)
                highest = max((best[part] for part in smaller), default=-math.inf)
                inside = min((known[tuple(sorted((*part, child)))] for part in smaller), default=math.inf)
                needed += min(0.0, inside - known[own]) - penalty > highest
                if size < max_parents:
                    value = known[tuple(sorted((*own, child)))] - known[own] - penalty
                    best[own] = max(highest, value)
    return needed


def letter_rows() -> list[Row]:
    """Letters with the BIC: some ten seconds for two thirds of a million scores of 20 000 rows."""
    learner = ConstrainedStructureLearner().fit(load_structure_table("letter"))
    why = "rounding of the printed number"
    return [
        Row.printed(
            "letter, BIC: log2 of scores computed",
            "Table 1",
            LETTER["steps"],
            round(math.log2(learner.n_scores_evaluated_), 2),
            within=0.05,
            why=why,
            gap=TABLES,
        ),
        Row.printed(
            "letter, BIC: log2 of parent sets kept",
            "Table 2",
            LETTER["cache"],
            round(math.log2(learner.n_parent_sets_), 2),
            within=0.05,
            why=why,
            gap=TABLES,
        ),
        Row.printed(
            "letter, BIC: score",
            "Table 3",
            LETTER["score"],
            round(learner.score_, 1),
            within=0.05,
            why=why,
            gap=LETTERS,
        ),
        Row.printed_at_most("letter, BIC: gap, %", "Table 3", LETTER["gap"], round(100 * learner.gap_, 2)),
    ]


def _sampled(name: str, n_rows: int) -> Any:
    network = BayesianNetwork.read(locate(f"bn/{name}.bif.gz"))
    X = network.sample(n_rows, random_state=0)
    return X[:, [len(np.unique(column)) > 1 for column in X.T]]


def _codes(X: np.ndarray) -> np.ndarray:
    """The states that occur, numbered."""
    return np.column_stack([np.unique(column, return_inverse=True)[1] for column in X.T])


def _figure(full: bool) -> "Figure":
    """Bounds over time: the paper's search, and cutting planes."""
    from matplotlib.figure import Figure

    name, seconds = ("alarm", 60.0) if full else ("insurance", 1.5)
    X = _sampled(name, 500)
    figure = Figure(figsize=(12, 4.5), layout="constrained")
    for ax, method in zip(figure.subplots(1, 2, sharey=True), ("branch-and-bound", "cutting-planes")):
        learner = ConstrainedStructureLearner(max_parents=2, method=method, time_limit=seconds).fit(X)
        plot_search_bounds(learner, ax)
        ax.set_title(f"{name}, 500 rows, {method.replace('-', ' ')}: {ax.get_title()}")
    return figure
