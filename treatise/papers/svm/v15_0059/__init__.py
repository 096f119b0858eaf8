"""How many rows stand for a training set, and what an SVM on them loses (Nandan et al., JMLR 15:59)."""

import time
from tempfile import TemporaryDirectory

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import make_moons
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from treatise._core.errors import DataNotFoundError
from treatise.papers._evidence import Evidence, Gap, Row
from treatise.papers.svm.v15_0059._tables import load_extreme_point_table
from treatise.svm import ExtremePointsSVC, plot_representatives, representative_set

GAMMAS = tuple(2.0**power for power in range(-4, 3))
IJCNN1 = {
    1e-2: (5.6, 10.4, 17.7, 28.1, 42.1, 58, 71),
    1e-3: (25.8, 36.4, 49.5, 63.5, 76.2, 86.1, 93.5),
    1e-4: (56.9, 69.1, 80.1, 88.6, 94.9, 98.3, 99.7),
}
"""Table 2, data set D5: percent of the rows kept, for each epsilon over the widths."""
HIGH_DIMENSIONAL = {
    "adult": (83.1, 83.1, 83.1, 83.1, 83.1, 82.7, 86),
    "w8a": (72.2, 72.2, 72.2, 72.7, 72.8, 74.4, 76.1),
}
"""Table 3, data sets D6 and D9, epsilon 1e-2."""
ORDER = "a fiftieth of what is kept or of what is left out, the lesser: rows in another order change it by less"
NOT_REACHED = {
    "ijcnn1": {(1e-2, 2.0**-4), (1e-2, 2.0**-3), (1e-3, 2.0**-3), (1e-4, 2.0**-4), (1e-4, 2.0**-3), (1e-4, 1.0)},
    "adult": {(1e-2, gamma) for gamma in GAMMAS},
    "w8a": {(1e-2, 0.5), (1e-2, 2.0), (1e-2, 4.0)},
}
"""Tables 2 and 3: tolerances and widths at which other numbers of rows are kept here."""
OTHER_SOLVER = Gap(
    "with the paper's sizes of leaves and subsets some more rows are kept here at some widths of ijcnn1 and on adult, "
    "some fewer on w8a. The order of the rows does not explain it (rows of ijcnn1 in random order); the tolerance of "
    "the paper's solver is not given. The cause is not known",
    band=0.5,
)
COARSE_GRID = Gap(
    "over 24 of the paper's 84 settings; what the others would give is not known: exact machines take hours", band=0.1
)
ABSENT = (
    "Tables 2 to 7 on the other six sets: KDD99, localization, seizures, cover types, epsilon and the zeros of MNIST "
    "are not at hand at the paper's size; Tables 1, 5 and 6, and Table 4 for adult and w8a, are not run; "
    "nor is Table 8, times of classification, nor Tables 9 and 10, the polynomial kernel"
)


def experiment(*, full: bool = False) -> Evidence:
    """Sizes of representative sets on the paper's tables, its bounds, and accuracy beside an exact SVM.

    Parameters
    ----------
    full : bool, default=False
        All widths and tolerances of Tables 2 and 3 for the tables at hand, and part of the grid of Tables 4 and 7,
        instead of two widths on one table: about half an hour on one core.
    """
    rows, skipped = _bound_rows(), [ABSENT]
    for part in (_ijcnn1_rows, _high_dimensional_rows, _accuracy_rows) if full else (_ijcnn1_rows,):
        try:
            rows += part(full)
        except DataNotFoundError as missing:
            skipped.append(str(missing))
    rows += _moon_rows(20_000 if full else 5_000)
    return Evidence(rows, _figure(), skipped)


def _percent(X: np.ndarray, y: np.ndarray, gamma: float, epsilon: float) -> float:
    return 100.0 * len(representative_set(X, y, gamma=gamma, epsilon=epsilon).indices) / len(y)


def _size_row(table: str, place: str, published: float, here: float, gamma: float, epsilon: float) -> Row:
    quantity = f"{table}: percent of the rows kept, gamma {gamma:g}, epsilon {epsilon:g}"
    # A fiftieth of the smaller part, kept or left out: 99.7 % kept leave 0.3.
    near = max(round(0.02 * min(published, 100 - published), 2), 0.1)
    gap = OTHER_SOLVER if (epsilon, gamma) in NOT_REACHED[table] else None
    return Row.printed(quantity, place, published, here, within=near, why=ORDER, gap=gap)


def _ijcnn1_rows(full: bool) -> list[Row]:
    X, y = load_extreme_point_table("ijcnn1")
    chosen = (
        [(epsilon, at) for epsilon in IJCNN1 for at in range(len(GAMMAS))] if full else [(1e-2, at) for at in range(2)]
    )
    order = np.random.default_rng(0).permutation(len(y))
    mixed = _percent(X[order], y[order], GAMMAS[1], 1e-2)
    kept = [(IJCNN1[epsilon][at], _percent(X, y, GAMMAS[at], epsilon), GAMMAS[at], epsilon) for epsilon, at in chosen]
    return [
        *(_size_row("ijcnn1", "Table 2", *found) for found in kept),
        Row.ours(f"ijcnn1 in random order: percent of the rows kept, gamma {GAMMAS[1]:g}, epsilon 0.01", mixed),
    ]


def _high_dimensional_rows(full: bool) -> list[Row]:
    rows = []
    for name, published in HIGH_DIMENSIONAL.items():
        X, y = load_extreme_point_table(name)
        rows += [
            _size_row(name, "Table 3", percent, _percent(X, y, gamma, 1e-2), gamma, 1e-2)
            for gamma, percent in zip(GAMMAS, published)
        ]
    return rows


def _accuracy_rows(full: bool) -> list[Row]:
    """Tables 4 and 7 on 24 of their 84 settings, epsilon 1e-2: one representative set for each width."""
    train, test = load_extreme_point_table("ijcnn1"), load_extreme_point_table("ijcnn1", "test")
    scores, exact, seconds = [], [], np.zeros(2)
    with TemporaryDirectory() as folder:
        for gamma in GAMMAS[::2]:
            for power in (-4, -2, 0, 2, 4, 6):
                options = {"C": 2.0**power, "gamma": gamma}
                machine, ours = _timed(ExtremePointsSVC(memory=folder, cache_bytes=600 << 20, **options), *train)
                libsvm, theirs = _timed(SVC(cache_size=600, **options), *train)
                scores.append(100.0 * machine.score(*test))
                exact.append(100.0 * libsvm.score(*test))
                seconds += ours, theirs
    apart = float(np.sqrt(np.mean(np.square(np.subtract(scores, exact)))))
    why = "half of the last printed digit, and one standard error of 91 701 rows"
    return [
        Row.printed("ijcnn1: largest accuracy of the grid, percent", "Table 7", 98.6, max(scores), within=0.1, why=why),
        Row.printed(
            "ijcnn1: root mean square of the accuracy lost over the grid, points", "Table 4", 0.5, apart, within=0.05,
            why="half of the last printed digit", gap=COARSE_GRID,
        ),
        Row.ours("ijcnn1: largest accuracy of exact SVMs on the grid, percent", max(exact)),
        Row.time(
            "ijcnn1: time of exact SVMs over ours, sets included", "Table 4", 4.1, seconds[1] / seconds[0],
            rule="at least",
        ),
    ]  # fmt: skip


def _bound_rows() -> list[Row]:
    """Corollary 3: what the objective of all rows exceeds that of the representatives by, C being N costs of a row."""
    X, y = make_moons(1000, noise=0.3, random_state=0)
    signs = 2.0 * y - 1.0
    exact = SVC(C=1.0, gamma=1.0, tol=1e-6).fit(X, y)
    rows = []
    for epsilon in (1e-2, 1e-4):
        machine = ExtremePointsSVC(C=1.0, gamma=1.0, epsilon=epsilon, tol=1e-6).fit(X, y)
        kept, weights = machine.representative_indices_, machine.representative_weights_
        full = _objective(exact, X, X, signs, np.ones(len(y)))
        reduced = _objective(machine, X, X[kept], signs[kept], weights)
        bound = len(y) * np.sqrt(len(y) * epsilon)
        quantity = f"moons: F1 - F2 as a share of the bound of Corollary 3, epsilon {epsilon:g}"
        rows.append(Row.ours(quantity, float((full - reduced) / bound)))
        own = _objective(machine, X, X, signs, np.ones(len(y)))
        rows.append(Row.ours(f"moons: objective above the least, percent, epsilon {epsilon:g}", 100 * (own / full - 1)))
    return rows  # fmt: skip


def _objective(
    machine: SVC | ExtremePointsSVC, X: np.ndarray, rows: np.ndarray, signs: np.ndarray, weights: np.ndarray
) -> float:
    """Half the squared length of w and the weighted slack of some rows, at cost 1."""
    coef, support = machine.dual_coef_[0], X[machine.support_]
    slack = np.maximum(0.0, 1.0 - signs * machine.decision_function(rows))
    return float(0.5 * coef @ rbf_kernel(support, gamma=1.0) @ coef + weights @ slack)


def _moon_rows(n: int) -> list[Row]:
    X, y = make_moons(n, noise=0.3, random_state=0)
    new, truth = make_moons(10_000, noise=0.3, random_state=1)
    machine, ours = _timed(ExtremePointsSVC(gamma=1.0), X, y)
    exact, theirs = _timed(SVC(gamma=1.0), X, y)
    lost = 100.0 * (exact.score(new, truth) - machine.score(new, truth))
    sizes = {segregation: _segregated(X, y, segregation) for segregation in ("position", "distance")}
    quantity = "moons in random order: cuts by position keep no fewer rows than cuts by distance"
    return [
        Row.claim(quantity, "Figure 1", sizes["position"] / sizes["distance"] >= 1.0),
        Row.ours(f"moons, {n} rows: percent kept", 100.0 * machine.n_representatives_ / n),
        Row.ours(f"moons, {n} rows: accuracy lost, percent", lost),
        Row.ours(f"moons, {n} rows: time of an exact SVM over ours", theirs / ours),
    ]


def _segregated(X: np.ndarray, y: np.ndarray, segregation: str) -> int:
    found = representative_set(X, y, gamma=1.0, leaf_size=1000, subset_size=250, segregation=segregation)
    return len(found.indices)


def _timed(machine, X, y):  # type: ignore[no-untyped-def]
    begin = time.process_time()
    machine.fit(X, y)
    return machine, time.process_time() - begin


def _figure() -> Figure:
    X, y = make_moons(5000, noise=0.2, random_state=0)
    figure = Figure(figsize=(11, 4.5), layout="constrained")
    for ax, epsilon in zip(figure.subplots(1, 2), (1e-2, 1e-3)):
        plot_representatives(ExtremePointsSVC(gamma=1.0, epsilon=epsilon).fit(X, y), X, y, ax)
    return figure
