"""SVMs without offset (Steinwart, Hush & Scovel, JMLR 12:141): test errors of Table 1, steps of Sections 5.2 to 5.6."""

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import KFold
from sklearn.svm import SVC

from treatise._core.errors import TreatiseError
from treatise.kernels import GramRows
from treatise.optimize import solve_svm_without_offset, svm_without_offset_path
from treatise.papers._evidence import Evidence, Row
from treatise.papers.svm.v12_0141._tables import load_offset_table
from treatise.svm import BiasFreeSVCGrid, steinwart_grid

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Test error in per cent and its standard deviation over 100 splits: LIBSVM, the 2D-SVM with the clipped gap.
TABLE_1 = {
    "sonar": ((12.68, 4.27), (12.80, 4.04)),
    "heart": ((17.58, 3.80), (17.42, 4.39)),
    "liver": ((29.31, 4.00), (29.76, 4.31)),
    "ionosphere": ((5.43, 2.16), (8.59, 2.85)),
    "australian": ((14.76, 2.21), (14.54, 2.09)),
    "breast": ((3.30, 1.06), (3.15, 1.07)),
    "diabetes": ((23.43, 2.38), (23.68, 2.49)),
    "german": ((24.95, 2.27), (24.84, 2.29)),
    "svmguide3": ((16.48, 1.70), (16.60, 1.77)),
    "splice": ((8.68, 0.87), (8.93, 0.88)),
    "svmguide1": ((2.97, 0.32), (3.01, 0.33)),
}
QUICK = {"heart": 2, "liver": 2, "ionosphere": 2, "breast": 1, "diabetes": 1}
FULL = {
    name: {"australian": 30, "german": 30, "svmguide3": 30, "splice": 10, "svmguide1": 3}.get(name, 100)
    for name in TABLE_1
}
"""Random splits of each table; the paper has 100, as have the tables below a thousand rows here."""
ABSENT = (
    "Table 1 on fourclass, a1a to a4a and w1a to w3a, whose files or test parts are not at hand, on mushrooms, where "
    "every error is 0, and on covtype and ijcnn1 of 2000 and 5000 rows, random subsets that the paper does not give"
)
RULES = ("1d", 1, 2, 3, 5, 7, 32)


def experiment(*, full: bool = False) -> Evidence:
    """Errors of the whole procedure, and steps over the grid by working set, stopping rule and start."""
    rows: list[Row] = []
    skipped = [ABSENT]
    search: BiasFreeSVCGrid | None = None
    for name, splits in (FULL if full else QUICK).items():
        try:
            errors, search = split_errors(name, splits)
            rows.append(error_row(name, errors, 1, "2D-SVM"))
        except TreatiseError as missing:
            skipped.append(str(missing))
    counts: dict[str, np.ndarray] = {}
    parts: list[Callable[[], list[Row]]] = [lambda: step_rows(2000 if full else 400, counts)]
    if full:
        parts.append(lambda: [error_row("ionosphere", libsvm_errors("ionosphere", 10), 0, "LIBSVM")])
        parts.append(lambda: time_rows(2000))
    for part in parts:
        try:
            rows += part()
        except TreatiseError as missing:
            skipped.append(str(missing))
    return Evidence(rows, _figure(counts, search), sorted(set(skipped)))


def split(name: str, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """70 % of a table's rows to train on, the others to test on."""
    X, y = load_offset_table(name)
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = np.split(order, [round(0.7 * len(y))])
    return X[train], y[train], X[test], y[test]


def split_errors(name: str, splits: int) -> tuple[np.ndarray, BiasFreeSVCGrid]:
    """Test errors in per cent of the machine chosen by ten-fold cross-validation on the paper's grid."""
    errors = []
    for seed in range(splits):
        X, y, new, truth = split(name, seed)
        search = BiasFreeSVCGrid(cv=KFold(10, shuffle=True, random_state=seed)).fit(X, y)
        errors.append(100.0 * (1.0 - search.score(new, truth)))
    return np.array(errors), search


def libsvm_errors(name: str, splits: int) -> np.ndarray:
    """The same with scikit-learn's LIBSVM."""
    errors = []
    for seed in range(splits):
        X, y, new, truth = split(name, seed)
        lams, gammas = steinwart_grid(*X.shape)
        squares = euclidean_distances(X, squared=True)
        score = np.zeros((len(gammas), len(lams)))
        for train, test in KFold(10, shuffle=True, random_state=seed).split(X):
            for at, gamma in enumerate(gammas):
                gram = np.exp(-gamma * squares[:, train])
                for column, lam in enumerate(lams):
                    machine = SVC(kernel="precomputed", C=1.0 / (2.0 * lam * len(train))).fit(gram[train], y[train])
                    score[at, column] += np.count_nonzero(machine.predict(gram[test]) == y[test])
        width, penalty = divmod(int(np.argmax(score)), len(lams))
        best = SVC(C=1.0 / (2.0 * lams[penalty] * len(y)), gamma=gammas[width]).fit(X, y)
        errors.append(100.0 * (1.0 - best.score(new, truth)))
    return np.array(errors)


def error_row(name: str, errors: np.ndarray, column: int, method: str) -> Row:
    """Mean error beside the published one."""
    published, deviation = TABLE_1[name][column]
    here = round(float(errors.mean()), 2)
    return Row.printed(
        f"{name}: test error % of {method}", "Table 1", published, here,
        standard_error=deviation * float(np.sqrt(1.0 / len(errors) + 1.0 / 100.0)),
        why=f"{len(errors)} splits and the paper's 100, by its deviation",
    )  # fmt: skip


class Grid:
    """A fold of a table on the paper's grid, with the steps that a way of solving takes at its hundred points."""

    def __init__(self, name: str, n_rows: int) -> None:
        X, y, _, _ = split(name, 0)
        X, y = X[:n_rows], y[:n_rows]
        self.y = y.astype(float)
        self.squares = euclidean_distances(X, squared=True)
        lams, self.gammas = steinwart_grid(*X.shape)
        self.costs = 1.0 / (2.0 * lams * len(y))

    def grams(self) -> Iterator[np.ndarray]:
        """One Gram matrix for each width."""
        return (np.exp(-gamma * self.squares) for gamma in self.gammas)

    def cold(self, **options: object) -> np.ndarray:
        """Steps from zeros at every point: widths by penalties."""
        return np.array(
            [
                [solve_svm_without_offset(GramRows.precomputed(gram), self.y, C, **options).n_iter for C in self.costs]
                for gram in self.grams()
            ]
        )

    def warm(self, initial: str, warm: str, falling: bool = False) -> np.ndarray:
        """Steps along the penalties of each width."""
        costs = self.costs[::-1] if falling else self.costs
        options = {"initial": initial, "warm": warm}
        found = [
            [
                solution.n_iter
                for solution in svm_without_offset_path(GramRows.precomputed(gram), self.y, costs, **options)
            ]
            for gram in self.grams()
        ]
        return np.array(found)[:, ::-1] if falling else np.array(found)


def step_rows(n_rows: int, counts: dict[str, np.ndarray]) -> list[Row]:
    """Sections 5.2, 5.3, 5.4 and 5.6 on svmguide1."""
    grid = Grid("svmguide1", n_rows)
    size = f"svmguide1, {len(grid.y)} rows"
    for rule in RULES:
        counts[f"WSS {rule}" if rule != "1d" else "1D"] = grid.cold(wss=rule)
    steps = {name: int(found.sum()) for name, found in counts.items()}
    rows = [Row.ours(f"{size}: steps over the grid, {name}", value) for name, value in steps.items()]
    others = [name for name in steps if name not in ("WSS 7", "WSS 32")]
    rows.append(
        Row.claim(
            f"{size}: none of 1D, WSS 1, 2, 3, 5 takes fewer steps over the grid than WSS 7",
            "Figure 2",
            sum(steps[name] < steps["WSS 7"] for name in others) == 0,
        )
    )
    rows.append(
        Row.printed(
            f"{size}: steps of WSS 7 over those of WSS 32",
            "Section 5.3",
            1.125,
            round(steps["WSS 7"] / steps["WSS 32"], 3),
            within=0.075,
            why="the paper gives the range 1.05 to 1.20 over its tables",
        )
    )
    plain = grid.cold(stopping="gap")
    rows.append(
        Row.claim(
            f"{size}: the clipped gap takes more steps than the plain one at no point of the grid",
            "Section 5.4",
            int(np.count_nonzero(counts["WSS 7"] > plain)) == 0,
        )
    )
    saved = 1.0 - steps["WSS 7"] / plain.sum()
    rows.append(Row.ours(f"{size}: share of steps that the clipped gap saves", round(float(saved), 3)))
    cold = steps["WSS 7"]
    for initial, warm, falling in (("I0", "W2", False), ("I0", "W3", False), ("I0", "W4", False), ("I1", "W4", False),
                                   ("I0", "W5", True), ("I0", "W6", True)):  # fmt: skip
        counts[f"{initial}-{warm}"] = grid.warm(initial, warm, falling)
        share = 1.0 - counts[f"{initial}-{warm}"].sum() / cold
        rows.append(Row.ours(f"{size}: share of steps that {initial}-{warm} saves", round(float(share), 3)))
    return rows


def time_rows(n_rows: int) -> list[Row]:
    """Run times beside LIBSVM's on the same Gram matrices, and what warm starts save."""
    grid = Grid("svmguide1", n_rows)
    seconds = {"cold": 0.0, "warm": 0.0, "simple": 0.0, "libsvm": 0.0}
    for gram in grid.grams():
        rows = GramRows.precomputed(gram)
        runs: dict[str, Callable[[], object]] = {
            "cold": lambda rows=rows: [solve_svm_without_offset(rows, grid.y, C) for C in grid.costs],  # type: ignore[misc]
            "warm": lambda rows=rows: list(svm_without_offset_path(rows, grid.y, grid.costs)),  # type: ignore[misc]
            "simple": lambda rows=rows: list(  # type: ignore[misc]
                svm_without_offset_path(rows, grid.y, grid.costs[::-1], initial="I0", warm="W5")
            ),
            "libsvm": lambda gram=gram: [  # type: ignore[misc]
                SVC(kernel="precomputed", C=C, cache_size=1000).fit(gram, grid.y) for C in grid.costs
            ],
        }
        for name, run in runs.items():
            start = time.process_time()
            run()
            seconds[name] += time.process_time() - start
    size = f"svmguide1, {len(grid.y)} rows"
    faster = {name: round(seconds["libsvm"] / seconds[name], 2) for name in ("cold", "warm")}
    saved = {name: round(100.0 * (1.0 - seconds[name] / seconds["cold"]), 1) for name in ("warm", "simple")}
    return [
        Row.time(f"{size}: times faster than LIBSVM, cold starts", "Section 5.3", 2.0, faster["cold"], rule="at least"),
        Row.time(f"{size}: times faster than LIBSVM, warm starts", "Section 1", 7.0, faster["warm"], rule="at least"),
        Row.time(f"{size}: % of run time that I1-W4 saves", "Section 5.6", 60.0, saved["warm"], rule="at least"),
        Row.time(f"{size}: % of run time that I0-W5 saves", "Section 5.6", 45.0, saved["simple"], rule="at least"),
    ]


def _figure(counts: dict[str, np.ndarray], search: BiasFreeSVCGrid | None) -> "Figure":
    """Steps by penalty, for working sets and for starts, and the last search."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(15, 4.5), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    for name, found in counts.items():
        axes = middle if name.startswith("I") else left
        axes.plot(range(1, found.shape[1] + 1), found.mean(axis=0), marker=".", label=name)
    if counts:
        middle.plot(range(1, 11), counts["WSS 7"].mean(axis=0), color="black", marker=".", label="I0-W0")
    for axes, title in ((left, "working sets, from zeros"), (middle, "starts, WSS 7")):
        axes.set_xlabel("penalty, from the largest to the least")
        axes.set_ylabel("steps, mean over widths")
        axes.set_title(title)
        if counts:
            # Some starts need no step at all.
            axes.set_yscale("symlog")
            axes.legend()
    if search is not None:
        search.plot(ax=right)
        right.set_title(f"last table searched: {right.get_title()}")
    return figure
