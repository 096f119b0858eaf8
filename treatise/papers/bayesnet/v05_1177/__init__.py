"""Averages over Bayesian networks (Dash & Cooper, JMLR 5:1177): random networks, UCI tables and ALARM, Tables 2-9."""

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from sklearn.model_selection import LeaveOneOut, ShuffleSplit, StratifiedKFold

from treatise._core.errors import TreatiseError
from treatise.bayesnet import (
    AveragedNaiveBayes,
    BayesianNetwork,
    ModelAveragedClassifier,
    OrderAveragedNetwork,
    SelectiveNaiveBayes,
    greedy_thick_thin,
    plot_inclusion,
)
from treatise.datasets import locate, make_monks, make_network_table
from treatise.papers._evidence import Evidence, Gap, Kind, Row
from treatise.papers.bayesnet.v05_1177._tables import load_averaging_table
from treatise.statistics import MDLDiscretizer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Areas = dict[str, np.ndarray]
"""Areas under the ROC curves of each method, one for each class."""

N_TEST = 1000
# Of the rows of a table, for the error of an area.
N_RESAMPLES = 40
ALARM_TEST = 5000
METHODS = ("SNN", "GTT", "NMA", "AMA")

# Gain of NMA over SNN in per cent with its 99 % interval, by (nodes, most parents, training rows).
TABLE_2 = {
    (10, 5, 50): (17.2, 1.6), (10, 5, 800): (13.8, 1.3), (10, 5, 6400): (10.0, 1.3),
    (20, 5, 50): (8.7, 1.1), (20, 5, 800): (7.7, 0.9), (40, 5, 50): (3.8, 0.8),
}  # fmt: skip
# Gain of SNN over a naive network of all features, averaged over the settings of Section 4.2.1.
SELECTION = (29.0, 1.0)
# Gain of the whole average over the one cut to unions of n parents, by (nodes, k, n).
TABLE_3 = {
    (40, 1, 1): (2.0, 2.0), (40, 1, 5): (0.3, 0.8), (40, 1, 10): (0.1, 0.6),
    (20, 1, 7): (-0.1, 0.4), (20, 2, 7): (0.2, 0.9), (20, 3, 7): (1.0, 1.0),
}  # fmt: skip
# Gain of AMA over the others, 20 nodes, by (training rows, k, n).
TABLE_4 = {
    (100, 2, 10): {"NMA": (7, 3), "GTT": (10, 3), "SNN": (15, 4)},
    (1000, 2, 10): {"NMA": (12, 4), "GTT": (-8, 8), "SNN": (20, 4)},
    (100, 3, 10): {"NMA": (8, 4), "GTT": (11, 3), "SNN": (17, 4)},
    (1000, 3, 10): {"NMA": (15, 3), "GTT": (0, 5), "SNN": (21, 3)},
    (1000, 4, 10): {"NMA": (21, 4), "GTT": (6, 3), "SNN": (28, 3)},
}
# Part of the remaining area that the best method covers, for SNN, GTT, NMA and AMA; parents allowed; evaluation.
TABLE_6 = {
    "haberman": ((0.35, 0.35, 0.00, 0.00), 4, "LOO"),
    "hayes-roth": ((0.32, 0.32, 0.00, 0.01), 6, "LOO"),
    "liver-disorders": ((0.14, 0.07, 0.00, 0.03), 7, "LOO"),
    "pima": ((0.01, 0.01, 0.01, 0.02), 9, "CV2"),
    "cmc": ((0.01, 0.07, 0.01, 0.04), 10, "CV2"),
    "wine": ((0.14, 0.01, 0.16, 0.06), 7, "CV2"),
    "credit-screening": ((0.00, 0.12, 0.09, 0.02), 5, "CV2"),
    "pendigits": ((0.58, 0.00, 0.58, 0.00), 6, "T&T"),
    "letter": ((0.38, 0.00, 0.38, 0.01), 5, "T&T"),
    "mushroom": ((0.86, 0.00, 0.89, 0.03), 4, "CV2"),
    "breast-cancer": ((0.28, 0.00, 0.29, 0.23), 3, "CV2"),
    "spambase": ((0.24, 0.25, 0.00, 0.10), 2, "CV2"),
}
MONKS = {1: (0.98, 0.00, 0.98, 0.00), 2: (0.48, 0.48, 0.21, 0.00), 3: (0.83, 0.24, 0.82, 0.00)}
QUICK_TABLES = ("pima", "cmc")
FULL_ONLY = "Table 8, the ALARM network, and ten of twelve sets of Table 6: in the full form"
ABSENT = (
    "Table 6 on servo, lenses, chess (king and rook), ecoli, yeast, post-operative, abalone, computer performance, "
    "glass, the three solar flares, page blocks, heart disease (294 rows), housing, thyroid disease, small soybean, "
    "spect and connect-4, and with them Table 7, the summary of all 34 sets: not at hand; Table 5 (40 nodes) is not run"
)
# Gain of AMA over GTT with k = 3 and n = 10, by training rows.
TABLE_8 = {
    "KINKEDTUBE": {50: (32, 13), 100: (23, 11), 400: (12, 7), 800: (4, 7)},
    "ANAPHYLAXIS": {50: (3, 3), 100: (1, 3), 400: (-3, 5), 800: (2, 5)},
}
TABLE_9 = {"AMA-4": 1000.0, "AMA-3": 96.0, "AMA-2": 8.9, "GTT": 1.2, "NMA": 0.2, "SNN": 0.04}

# Of the normal law, for intervals of 99 %.
QUANTILE = 2.576
EVEN, AGAINST = "ties of scores shared evenly", "ties counted against"
TIES = Gap(
    "areas by trapezoids, which share ties evenly, leave NMA and SNN nearly level on thousands of rows, where the "
    "weights of the average are all but 0 or 1: the published gain there cannot come from the order of the scores. "
    "It is of that size where ties count against a method, which falls on the few distinct scores of SNN. "
    "Tried besides: the class first, last or best connected in the order, probabilities nearer to 0 and 1",
    band=4.0,
    shown_by="10 nodes, 800 rows: what ties counted against add to that gain, less three standard errors, %",
)
SELECTED = Gap(
    "by areas that share ties evenly the naive network of all features ranks as well as that of the selected ones, "
    "which ties far more rows: where ties count against a method it is much worse. Tried besides: 10 and 40 nodes, 100 "
    "and 800 rows, none of which comes near. How the paper's network of all features differs is not known",
    band=8.0,
)
LAW = Gap(
    "neither the law of the networks' probabilities, nor the class node, nor the treatment of ties is stated: the "
    "cause is not known",
    band=5.0,
)
HELD = "20 nodes, 1000 rows: what holding the greedy search adds to the gain over it, less three standard errors, %"
UNBOUNDED = Gap(
    "the greedy search has no bound on parents, as in Procedure 2, and on 1000 rows that beats averages over few "
    "parents, which a search held to k parents does not; whether the paper's search was held is not known",
    band=10.0,
    shown_by=HELD,
)
ALARM = Gap(
    "the greedy network is about level with the average here; ties counted against a method lift the gain on the "
    "kinked tube, but on 50 rows not to the published one. Not known: ties, a bound on parents, the number of trials",
    band=10.0,
)
FOUND = Gap(
    "the average finds the rule in every draw and leaves nothing of the area; on the paper's training part it did not, "
    "and why is not known",
    band=0.05,
)
SELDOM = Gap(
    "no single arc gains before another is there, so that the greedy search seldom finds the rule; that it did in the "
    "paper is a matter of its one draw",
    band=0.15,
    shown_by="monks-1: draws in which the greedy search finds the rule, at most half",
)
MONK_GAPS = {(1, "SNN"): FOUND, (1, "NMA"): FOUND, (1, "GTT"): SELDOM}
UNSTATED = Gap("neither the cuts of numeric columns nor the folds are stated: the cause is not known", band=0.1)


def experiment(*, full: bool = False) -> Evidence:
    """Gains on random networks, seconds, monks and two tables; in full all settings, twelve tables and ALARM."""
    rows = naive_rows(150 if full else 40, full)
    rows += selection_rows(150 if full else 20, full)
    rows += union_rows(30 if full else 3, full)
    rows += network_rows(40 if full else 5, full)
    rows += time_rows(full)
    rows += monk_rows(20 if full else 10)
    skipped = [ABSENT]
    found: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    for name in TABLE_6 if full else QUICK_TABLES:
        try:
            found[name] = table_gaps(name)
        except TreatiseError as missing:
            skipped.append(str(missing))
    rows += table_rows(found)
    if full:
        try:
            rows += alarm_rows(6)
        except TreatiseError as missing:
            skipped.append(str(missing))
    else:
        skipped.append(FULL_ONLY)
    return Evidence(rows, _figure(rows), skipped)


# Random networks.


def network_trials(
    n_nodes: int, n_training: int, n_trials: int, max_parents: int | None = None
) -> Iterator[tuple[np.ndarray, ...]]:
    """Procedure 3: training and test rows of random networks, the class a random node; None draws the density too."""
    trial = 0
    for seed in range(10 * n_trials):
        random = np.random.RandomState(seed)
        most = random.randint(1, n_nodes + 1) if max_parents is None else max_parents
        table, _ = make_network_table(n_training + N_TEST, n_nodes=n_nodes, max_parents=most, random_state=random)
        node = random.randint(n_nodes)
        X, y = np.delete(table, node, axis=1).astype(int), table[:, node].astype(int)
        if min(len(np.unique(y[:n_training])), len(np.unique(y[n_training:]))) < 2:
            continue
        yield X[:n_training], y[:n_training], X[n_training:], y[n_training:]
        trial += 1
        if trial == n_trials:
            return


def probabilities(method: str, X: Any, y: np.ndarray, X_test: Any, k: int = 2, n: int | None = 10) -> np.ndarray:
    """Class probabilities of test rows by a method; one named as GTT with more words is held to k parents."""
    if method.startswith("GTT"):
        network = greedy_thick_thin(_joined(X, y), max_parents=None if method == "GTT" else k)
        target = "class" if isinstance(X, pl.DataFrame) else X.shape[1]
        return network.predict_proba(_joined(X_test, np.resize(y, len(X_test))), target)
    model: Any = {
        "AMA": lambda: ModelAveragedClassifier(k, max_union=n, discretizer=None),
        "NMA": lambda: AveragedNaiveBayes(discretizer=None),
        "SNN": lambda: SelectiveNaiveBayes(discretizer=None),
    }[method]()
    return model.fit(X, y).predict_proba(X_test)


def _joined(X: Any, y: np.ndarray) -> Any:
    if isinstance(X, pl.DataFrame):
        return X.with_columns(pl.Series("class", y.tolist()).cast(pl.Enum(sorted(set(y.tolist())))))
    return np.column_stack([X, y])


def area(y: np.ndarray, scores: np.ndarray, tied: float = 0.5) -> float:
    """Area under the ROC curve; ``tied`` is what a tie between a positive and a negative row counts."""
    scores = scores.round(12)
    positive, negative = scores[y], np.sort(scores[~y])
    below, up_to = (np.searchsorted(negative, positive, side) for side in ("left", "right"))
    return float(np.mean(below + tied * (up_to - below)) / len(negative))


def gain(first: float, second: float) -> float:
    """Part of the second area's remainder that the first covers, in per cent (Procedure 3, step 5)."""
    return 100.0 * (first - second) / (1.0 - second)


def mean_and_interval(gains: list[float]) -> tuple[float, float]:
    """Mean, and half width of its 99 % interval."""
    return float(np.mean(gains)), QUANTILE * float(np.std(gains, ddof=1)) / len(gains) ** 0.5


def _gain_row(
    quantity: str, place: str, published: tuple[float, float], gains: list[float], gap: Gap | None = None
) -> Row:
    """A published gain with its interval beside ours; where it is nil, a gain of five points would be one."""
    here, half = mean_and_interval(gains)
    return Row.printed(
        quantity, place, published[0], round(here, 2), standard_error=float(np.hypot(published[1], half)) / QUANTILE,
        why=f"both means; {len(gains)} trials here", effect=abs(published[0]) or 5.0, gap=gap,
    )  # fmt: skip


def naive_rows(n_trials: int, full: bool) -> list[Row]:
    """Table 2, with ties of scores shared evenly and with ties counted against."""
    rows = []
    settings = list(TABLE_2) if full else [(10, 5, 50), (10, 5, 800)]
    for n_nodes, most, n_training in settings:
        even: list[float] = []
        against: list[float] = []
        for X, y, X_test, y_test in network_trials(n_nodes, n_training, n_trials, most):
            scores = {name: probabilities(name, X, y, X_test)[:, 1] for name in ("NMA", "SNN")}
            for gains, tied in ((even, 0.5), (against, 0.0)):
                areas = {name: area(y_test == 1, own, tied) for name, own in scores.items()}
                if areas["SNN"] < 1:
                    gains.append(gain(areas["NMA"], areas["SNN"]))
        name = f"{n_nodes} nodes, at most {most} parents, {n_training} rows: gain of NMA over SNN, %"
        published = TABLE_2[n_nodes, most, n_training]
        rows.append(_gain_row(name, "Table 2", published, even, TIES))
        rows.append(_gain_row(f"{name}, {AGAINST}", "Table 2", published, against, LAW))
        if n_training == 50:
            error = float(np.std(even, ddof=1)) / len(even) ** 0.5
            rows.append(
                Row.claim_positive(
                    f"{name}, is significant", "Section 4.2.1", float(np.mean(even)), standard_error=error
                )
            )
        if (n_nodes, n_training) == (10, 800):
            apart = float(np.mean(against) - np.mean(even))
            noise = 3 * float(np.hypot(*(np.std(gains, ddof=1) / len(gains) ** 0.5 for gains in (even, against))))
            rows.append(Row.check_at_least(TIES.shown_by, 0.0, round(apart - noise, 2)))
    return rows


def selection_rows(n_trials: int, full: bool) -> list[Row]:
    """Section 4.2.1: the naive network of the selected features against that of all, averaged over settings."""
    settings = [(10, 100), (10, 800), (40, 100), (40, 800)] if full else [(10, 100), (40, 100)]
    gains: dict[float, list[float]] = {0.5: [], 0.0: []}
    for n_nodes, n_training in settings:
        for X, y, X_test, y_test in network_trials(n_nodes, n_training, n_trials):
            every = SelectiveNaiveBayes(structure_prior=1.0, discretizer=None).fit(X, y).predict_proba(X_test)[:, 1]
            some = probabilities("SNN", X, y, X_test)[:, 1]
            for tied, own in gains.items():
                other = area(y_test == 1, every, tied)
                if other < 1:
                    own.append(gain(area(y_test == 1, some, tied), other))
    name = f"{len(settings)} settings of 10 and 40 nodes: gain of SNN over a naive network of all features, %"
    return [
        _gain_row(name, "Section 4.2.1", SELECTION, gains[0.5], SELECTED),
        _gain_row(f"{name}, {AGAINST}", "Section 4.2.1", SELECTION, gains[0.0], SELECTED),
    ]


def union_rows(n_trials: int, full: bool) -> list[Row]:
    """Table 3: what the cut to small unions of parents costs."""
    rows = []
    settings = list(TABLE_3) if full else [(40, 1, 1), (40, 1, 5)]
    gains: dict[tuple[int, int, int], list[float]] = {setting: [] for setting in settings}
    for n_nodes, k in dict.fromkeys((n_nodes, k) for n_nodes, k, _ in settings):
        for X, y, X_test, y_test in network_trials(n_nodes, 100, n_trials):
            whole = ModelAveragedClassifier(k, max_union=None, discretizer=None).fit(X, y)
            full_area = area(y_test == 1, whole.predict_proba(X_test)[:, 1])
            for setting in (s for s in settings if s[:2] == (n_nodes, k)):
                cut = ModelAveragedClassifier(k, max_union=setting[2], order=whole.orders_[0], discretizer=None)
                cut_area = area(y_test == 1, cut.fit(X, y).predict_proba(X_test)[:, 1])
                if cut_area < 1:
                    gains[setting].append(gain(full_area, cut_area))
    for (n_nodes, k, n), own in gains.items():
        name = f"{n_nodes} nodes, k = {k}: gain of the whole average over unions of {n}, %"
        rows.append(_gain_row(name, "Table 3", TABLE_3[n_nodes, k, n], own))
    return rows


def network_rows(n_trials: int, full: bool) -> list[Row]:
    """Table 4: AMA against the others on networks of 20 nodes."""
    rows = []
    added: list[float] = []
    for n_training, k, n in list(TABLE_4) if full else [(100, 2, 10)]:
        held = f"GTT held to {k} parents"
        gains: dict[str, list[float]] = {"NMA": [], "SNN": [], "GTT": [], held: []}
        for X, y, X_test, y_test in network_trials(20, n_training, n_trials):
            best = area(y_test == 1, probabilities("AMA", X, y, X_test, k, n)[:, 1])
            found = {}
            for name, own in gains.items():
                other = area(y_test == 1, probabilities(name, X, y, X_test, k)[:, 1])
                if other < 1:
                    found[name] = gain(best, other)
                    own.append(found[name])
            if n_training == 1000 and {"GTT", held} <= found.keys():
                added.append(found[held] - found["GTT"])
        for name, own in gains.items():
            quantity = f"20 nodes, {n_training} rows, k = {k}, n = {n}: gain of AMA over {name}, %"
            gap = UNBOUNDED if name == "GTT" and full else LAW
            rows.append(_gain_row(quantity, "Table 4", TABLE_4[n_training, k, n][name[:3]], own, gap))
    if added:
        noise = 3.0 * float(np.std(added, ddof=1)) / len(added) ** 0.5
        rows.append(Row.check_at_least(HELD, 0.0, round(float(np.mean(added)) - noise, 2)))
    return rows


def time_rows(full: bool) -> list[Row]:
    """Table 9: seconds of a processor for training on 1000 rows of 40 binary variables."""
    X, y, _, _ = next(network_trials(40, 1000, 1))
    work: dict[str, Callable[[], Any]] = {
        "AMA-2": lambda: ModelAveragedClassifier(2, discretizer=None).fit(X, y),
        "GTT": lambda: greedy_thick_thin(_joined(X, y)),
        "NMA": lambda: AveragedNaiveBayes(discretizer=None).fit(X, y),
        "SNN": lambda: SelectiveNaiveBayes(discretizer=None).fit(X, y),
    }
    if full:
        work["AMA-3"] = lambda: ModelAveragedClassifier(3, discretizer=None).fit(X, y)
        work["AMA-4"] = lambda: ModelAveragedClassifier(4, discretizer=None).fit(X, y)
    rows = []
    for name, train in work.items():
        if not full:
            train()  # the first call compiles
        start = time.process_time()
        train()
        seconds = round(time.process_time() - start, 4)
        rows.append(Row.time(f"40 variables, 1000 rows: seconds to train {name}", "Table 9", TABLE_9[name], seconds))
    return rows


# Tables.


def gaps_of(areas: Areas) -> tuple[float, ...]:
    """Part of each method's remaining area that the best covers, averaged over the curves of the classes."""
    best = np.max(list(areas.values()), axis=0)
    parts = (np.where(own < 1, (best - own) / np.maximum(1 - own, 1e-12), 0.0) for own in areas.values())
    return tuple(round(float(part.mean()), 3) for part in parts)


def areas_of(y: np.ndarray, answers: dict[str, np.ndarray]) -> Areas:
    """Areas of every class against the rest; of one class where there are two."""
    classes = np.unique(y)
    chosen = range(len(classes)) if len(classes) > 2 else (1,)
    return {
        name: np.array([area(y == classes[c], own[:, c]) for c in chosen]) for name, own in answers.items()
    }  # fmt: skip


def monk_rows(n_draws: int) -> list[Row]:
    """Table 6 on the monk's problems: their rules are known, the training parts are drawn anew."""
    rows = []
    for problem, published in MONKS.items():
        gaps = []
        for seed in range(n_draws):
            X, y, training = make_monks(problem, random_state=seed)
            at, labels = training.T
            answers = {name: probabilities(name, X[at], labels, X, k=6, n=None) for name in METHODS}
            gaps.append(gaps_of(areas_of(y, answers)))
        spread = np.std(gaps, axis=0, ddof=1) * (1 + 1 / n_draws) ** 0.5
        for name, expected, here, error in zip(METHODS, published, np.mean(gaps, axis=0), spread):
            rows.append(
                Row.printed(
                    f"monks-{problem}: part of {name}'s remaining area that the best covers",
                    "Table 6",
                    expected,
                    round(float(here), 3),
                    standard_error=float(error),
                    effect=max(published),
                    why=f"the paper's one draw of the training part beside {n_draws}",
                    gap=MONK_GAPS.get((problem, name)),
                )
            )
        if problem == 1:
            found = sum(gap[METHODS.index("GTT")] < 0.05 for gap in gaps)
            quantity = "monks-1: draws in which the greedy search finds the rule, at most half"
            rows.append(Row.check_at_most(quantity, n_draws // 2, found))
    return rows


def table_gaps(name: str) -> tuple[np.ndarray, np.ndarray]:
    """A row of Table 6 from cross-validated areas of the four methods, and its errors over resampled rows."""
    X, y = load_averaging_table(name)
    _, k, evaluation = TABLE_6[name]
    folds: Any = {
        "LOO": LeaveOneOut(),
        "CV2": StratifiedKFold(2, shuffle=True, random_state=0),
        "T&T": ShuffleSplit(1, test_size=0.25, random_state=0),
    }[evaluation]
    answers: dict[str, list[np.ndarray]] = {method: [] for method in METHODS}
    tested = []
    for train, test in folds.split(X, y):
        table, other = coded_part(X, y, train, test)
        for method in METHODS:
            answers[method].append(probabilities(method, table, y[train], other, min(k, X.shape[1]), 10))
        tested.append(test)
    truth = y[np.concatenate(tested)]
    scores = {method: np.concatenate(parts) for method, parts in answers.items()}
    rng = np.random.default_rng(0)
    drawn = [
        gaps_of(areas_of(truth[at], {method: own[at] for method, own in scores.items()}))
        for at in rng.integers(0, len(truth), (N_RESAMPLES, len(truth)))
        if len(np.unique(truth[at])) == len(np.unique(truth))
    ]
    return np.array(gaps_of(areas_of(truth, scores))), np.std(drawn, axis=0, ddof=1)


def coded_part(X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Training and test rows as categories; numbers of more than ten values are cut by the training rows' classes."""
    frames: list[dict[str, pl.Series]] = [{}, {}]
    for i, column in enumerate(X.T):
        values, codes = np.unique(column, return_inverse=True)
        if len(values) > 10 and isinstance(values[0], float):
            cutter = MDLDiscretizer().fit(column[train, np.newaxis].astype(float), y[train])
            codes = cutter.transform(column[:, np.newaxis].astype(float))[:, 0]
        states = pl.Enum([str(state) for state in range(max(2, codes.max() + 1))])
        for frame, rows in zip(frames, (train, test)):
            frame[f"x{i}"] = pl.Series([str(code) for code in codes[rows]]).cast(states)
    return pl.DataFrame(frames[0]), pl.DataFrame(frames[1])


def table_rows(found: dict[str, tuple[np.ndarray, np.ndarray]]) -> list[Row]:
    """Table 6, and over three tables and more how much more of the others' areas is covered than of AMA's."""
    rows = []
    for name, (gaps, errors) in found.items():
        for method, published, here, error in zip(METHODS, TABLE_6[name][0], gaps, errors):
            quantity = f"{name}: part of {method}'s remaining area that the best covers"
            rows.append(
                # The paper's own error is taken to be no less than ours.
                Row.printed(
                    quantity, "Table 6", published, float(here), standard_error=2**0.5 * float(error),
                    why="the rows tested, there and here", effect=float(np.ptp(TABLE_6[name][0])), gap=UNSTATED,
                )
            )  # fmt: skip
    if len(found) < 3:
        return rows
    ours, theirs = np.array([gaps for gaps, _ in found.values()]), np.array([TABLE_6[name][0] for name in found])
    for at, method in enumerate(METHODS[:-1]):
        gaps, published = ours[:, at] - ours[:, -1], theirs[:, at] - theirs[:, -1]
        rows.append(
            Row.printed(
                f"mean gap of {method} beyond that of AMA on {len(found)} of the paper's tables", "Table 6",
                round(float(published.mean()), 3), round(float(gaps.mean()), 3),
                standard_error=float(np.std(gaps - published, ddof=1)) / len(gaps) ** 0.5,
                why="the difference over tables", gap=UNSTATED,
            )
        )  # fmt: skip
    return rows


def alarm_rows(n_trials: int) -> list[Row]:
    """Table 8: two diagnoses of the ALARM network by AMA and GTT."""
    network = BayesianNetwork.read(locate("bn/alarm.bif.gz"))
    types = {name: pl.Enum(list(map(str, states))) for name, states in network.states.items()}
    rows = []
    for n_training in (50, 100, 400, 800):
        gains: dict[tuple[str, float], list[float]] = {(node, tied): [] for node in TABLE_8 for tied in (0.5, 0.0)}
        for seed in range(n_trials):
            drawn = network.sample(n_training + ALARM_TEST, random_state=seed).astype(str)
            frame = pl.DataFrame(drawn, schema=[str(name) for name in network.variables])
            frame = frame.with_columns(pl.col(name).cast(types[name]) for name in network.variables)
            training, test = frame[:n_training], frame[n_training:]
            average = OrderAveragedNetwork(3, max_union=10).fit(training)
            greedy = greedy_thick_thin(training)
            for node in TABLE_8:
                sick = (test[node] == types[node].categories[0]).to_numpy()
                if training[node].n_unique() < 2 or sick.all() or not sick.any():
                    continue
                ours, theirs = _averaged_scores(average, test, node, types[node]), greedy.predict_proba(test, node)
                first = list(greedy.states[node]).index(types[node].categories[0])
                for tied in (0.5, 0.0):
                    gains[node, tied].append(gain(area(sick, ours, tied), area(sick, theirs[:, first], tied)))
        for (node, tied), own in gains.items():
            if len(own) > 2:
                how = "" if tied else f", {AGAINST}"
                quantity = f"ALARM, {n_training} rows: gain of AMA over GTT on {node}, %{how}"
                rows.append(_gain_row(quantity, "Table 8", TABLE_8[node][n_training], own, ALARM))
    return rows


def _averaged_scores(average: OrderAveragedNetwork, table: pl.DataFrame, node: str, states: pl.Enum) -> np.ndarray:
    """Log probability of a node's first state in each row, given the others."""
    joint = [
        average.score_samples(table.with_columns(pl.lit(state).cast(states).alias(node))) for state in states.categories
    ]
    return joint[0] - np.logaddexp.reduce(joint)


def _figure(rows: list[Row]) -> "Figure":
    """Inclusion probabilities in a noisy table, and the gains beside the published ones."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 5.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    X, y, _, _ = next(network_trials(20, 200, 1, 5))
    plot_inclusion(AveragedNaiveBayes(discretizer=None).fit(X, y), ax=left)
    left.set_title("A random network of 20 nodes, 200 rows")
    shown = [row for row in rows if "gain of" in row.quantity and row.kind is Kind.PRINTED]
    for reached, colour in ((True, "#1b6ca8"), (False, "#c0504d")):
        some = [row for row in shown if (row.verdict == "reached") is reached]
        right.scatter(
            [float(row.expected or 0) for row in some], [float(row.here or 0) for row in some], color=colour,
            label="reached" if reached else "not reached",
        )  # fmt: skip
    limits = [min(right.get_xlim()[0], right.get_ylim()[0]), max(right.get_xlim()[1], right.get_ylim()[1])]
    right.plot(limits, limits, color="#808080", linewidth=1)
    right.set_xlabel("published gain in ROC area, %")
    right.set_ylabel("here")
    right.legend()
    return figure
