"""Minimum error minimax probability machine (Huang et al., JMLR 5:1253): Figures 4, 7 and 11, Tables 2 and 3."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from treatise._core.errors import TreatiseError
from treatise.linear import KernelMinimaxProbabilityMachine, MinimaxProbabilityMachine, worst_case_accuracy
from treatise.papers._evidence import DEVIATIONS, Evidence, Gap, Row
from treatise.papers.linear.v05_1253._tables import load_minimax_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = ("MEMPM alpha", "MEMPM beta", "MEMPM bound", "MEMPM accuracy", "MPM alpha", "MPM accuracy")
# Per cent, with the spread that the paper prints behind the sign ±.
LINEAR = {
    "twonorm": ((80.3, 0.2), (79.9, 0.1), (80.1, 0.1), (97.9, 0.1), (80.1, 0.1), (97.9, 0.1)),
    "breast": ((77.8, 0.8), (91.4, 0.5), (86.7, 0.5), (96.9, 0.3), (84.4, 0.5), (97.0, 0.2)),
    "ionosphere": ((95.9, 1.2), (36.5, 2.6), (74.5, 0.8), (88.5, 1.0), (63.4, 1.1), (84.8, 0.8)),
    "pima": ((0.9, 0.0), (62.9, 1.1), (41.3, 0.8), (76.8, 0.6), (32.0, 0.8), (76.1, 0.6)),
    "heart": ((43.6, 2.5), (66.5, 1.5), (56.3, 1.4), (84.2, 0.7), (54.9, 1.4), (83.2, 0.8)),
    "vote": ((82.6, 1.3), (84.6, 0.7), (83.9, 0.9), (94.9, 0.4), (83.8, 0.9), (94.8, 0.4)),
}
KERNEL = {
    "ionosphere": ((94.2, 0.8), (80.9, 3.0), (89.4, 0.8), (93.8, 0.4), (89.0, 0.8), (92.2, 0.4)),
    "heart": ((47.1, 2.2), (66.6, 1.4), (58.0, 1.5), (83.9, 0.9), (57.4, 1.6), (83.1, 1.0)),
    "breast": ((88.4, 0.6), (90.7, 0.4), (89.9, 0.4), (96.9, 0.2), (89.9, 0.4), (96.9, 0.3)),
    "pima": ((2.6, 0.1), (62.3, 1.6), (41.4, 1.1), (77.0, 0.7), (32.1, 1.0), (76.2, 0.6)),
    "vote": ((85.1, 1.3), (84.3, 0.7), (84.7, 0.8), (94.7, 0.5), (84.4, 0.8), (94.6, 0.4)),
}
ABSENT = "Table 3 on twonorm: machines on kernels of its 7 400 rows are not run"
# One feature of Ionosphere is constant in one class: its covariance needs a ridge.
RIDGES = {"ionosphere": 3e-6}
LOCAL = Gap(
    "the paper's search by quadratic interpolation stops short of the best plane: its point lies on the curve of "
    "planes found here (see the row of the curve), and the best of that curve, found by scanning it, promises more",
    band=2.0,
    shown_by="pima, linear: beta of the curve at the paper's alpha",
)
ROWS = Gap(
    "the paper's class share, read off its columns, is 0.30 to 0.40: that of the table of 435 rows (0.39), not of "
    "the 232 rows without a missing vote that its text speaks of (0.47), which are those used here. "
    "The cause is not known",
    band=1.0,
)
WIDTH = Gap(
    "the paper gives neither the width that it chose nor what it added to the singular covariances, on both of which "
    "the bound depends; both are chosen here by cross-validated accuracy. The cause is not known",
    band=5.0,
)
BETTER = Gap(
    "higher here: the regularisation is chosen together with the width, and the paper speaks of the width alone. "
    "The cause is not known",
    band=2.0,
)
GAPS = {(name, column): ROWS for name in ("vote",) for column in COLUMNS}
GAPS |= {("pima", column): LOCAL for column in ("MEMPM alpha", "MEMPM beta", "MEMPM bound")}


def experiment(*, full: bool = False) -> Evidence:
    """The synthetic planes, the linear table, robustness, bias; kernels on one table, in full on five."""
    rows, skipped = [*synthetic_rows(), *robust_rows(500 if full else 50)], [ABSENT]
    curves: dict[str, np.ndarray] = {}
    n_splits = 50 if full else 20
    parts: list[Callable[[], list[Row]]] = [lambda name=name: linear_rows(name, n_splits, curves) for name in LINEAR]  # type: ignore[misc]
    parts.append(bias_rows)
    kernels = list(KERNEL) if full else ["ionosphere"]
    parts += [lambda name=name: kernel_rows(name, n_splits if full else 5) for name in kernels]  # type: ignore[misc]
    for part in parts:
        try:
            rows += part()
        except TreatiseError as missing:
            skipped.append(str(missing))
    return Evidence(rows, _figure(curves), skipped)


def synthetic_rows() -> list[Row]:
    """Section 5.1: where the planes cross the first axis."""
    moments = [[-1.0, 0.0], [3.0, 0.0]], [np.diag([1.0, 5.0]), np.diag([4.0, 1.0])]
    rows = []
    for method, criterion, published in (("MPM", "balanced", 0.333), ("MEMPM", "minimum_error", 0.660)):
        machine = MinimaxProbabilityMachine(criterion, distribution="gaussian").fit_moments(*moments)
        here = -float(machine.intercept_[0] / machine.coef_[0, 0])
        rows.append(
            Row.printed(
                f"{method} plane of the synthetic classes", "Figure 4", published, here, within=0.0005, why="digits"
            )
        )
    return rows


def linear_rows(name: str, n_splits: int, curves: dict[str, np.ndarray]) -> list[Row]:
    """One line of Table 2, and the curve of Figure 11 with the paper's point on it."""
    X, y = load_minimax_table(name)
    ridge = RIDGES.get(name, 0.0)
    found = _repeated(X, y, lambda criterion: MinimaxProbabilityMachine(criterion, covariance_radius=ridge), n_splits)
    rows = _table_rows(f"{name}, linear", "Table 2", LINEAR[name], found, {c: GAPS.get((name, c)) for c in COLUMNS})
    curves[name] = 100.0 * MinimaxProbabilityMachine("minimum_error", covariance_radius=ridge).fit(X, y).frontier()
    (alpha, _), (beta, spread) = LINEAR[name][:2]
    if name == "pima":
        here = float(np.interp(-alpha, -curves[name][:, 1], curves[name][:, 0]))
        quantity = f"{name}, linear: beta of the curve at the paper's alpha"
        rows.append(Row.check(quantity, beta, here, within=2.0 * spread, why="twice the printed spread"))
    return rows


def kernel_rows(name: str, n_splits: int) -> list[Row]:
    """One line of Table 3: width and regularisation chosen once, by accuracy on the training rows."""
    X, y = load_minimax_table(name)
    X = StandardScaler().fit_transform(X)
    train = next(ShuffleSplit(1, test_size=0.1, random_state=1).split(X))[0]
    p = X.shape[1]
    grid = {"gamma": [0.3 / p, 1.0 / p, 3.0 / p], "covariance_radius": [1e-4, 1e-3, 1e-2]}
    search = GridSearchCV(
        KernelMinimaxProbabilityMachine("minimum_error"), grid, cv=ShuffleSplit(3, test_size=0.2, random_state=2)
    )
    best = search.fit(X[train], y[train]).best_params_
    found = _repeated(X, y, lambda criterion: KernelMinimaxProbabilityMachine(criterion, **best), n_splits)
    gaps: dict[str, Gap | None] = {column: BETTER if "accuracy" in column else WIDTH for column in COLUMNS}
    if name == "vote":
        gaps = dict.fromkeys(COLUMNS, ROWS)
    elif name != "ionosphere":
        gaps |= dict.fromkeys(("MEMPM accuracy", "MPM accuracy"))
    return _table_rows(f"{name}, Gaussian kernel", "Table 3", KERNEL[name], found, gaps)


def _repeated(X: np.ndarray, y: np.ndarray, machine: Callable[[str], Any], n_splits: int) -> np.ndarray:
    """The six columns of a table on random tenths, in per cent."""
    found = []
    for train, test in ShuffleSplit(n_splits, test_size=0.1, random_state=0).split(X):
        least, equal = (machine(criterion).fit(X[train], y[train]) for criterion in ("minimum_error", "balanced"))
        beta, alpha = least.class_accuracies_
        right = [model.score(X[test], y[test]) for model in (least, equal)]
        found.append([alpha, beta, least.worst_case_accuracy_, right[0], equal.class_accuracies_[1], right[1]])
    return 100.0 * np.array(found)


def _table_rows(title: str, place: str, published: Any, found: np.ndarray, gaps: Mapping[str, Gap | None]) -> list[Row]:
    rows = []
    errors = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    for column, (value, spread), here, error in zip(COLUMNS, published, found.mean(axis=0), errors):
        # What the paper prints behind the sign ± is taken for the error of its mean; and a rounded last digit.
        both = float(np.hypot(spread, error)) + 0.05 / DEVIATIONS
        why = "both means, and rounding"
        quantity = f"{title}: {column}, %"
        rows.append(Row.printed(quantity, place, value, float(here), standard_error=both, why=why, gap=gaps[column]))
    return rows


def robust_rows(n_draws: int) -> list[Row]:
    """Section 5.2: ten rows of each class; the bound of the plain machine is too good, that of the robust one holds."""
    rng = np.random.default_rng(0)
    means = np.array([[-3.0, 0.0], [3.0, 0.0]])
    covariances = np.array([np.diag([3.0, 1.0]), np.diag([1.0, 3.0])])
    broken, margins = np.zeros((3, n_draws), dtype=bool), np.zeros(n_draws)
    for draw in range(n_draws):
        samples = [rng.multivariate_normal(mean, covariance, 10) for mean, covariance in zip(means, covariances)]
        estimates = [sample.mean(axis=0) for sample in samples], [np.cov(sample.T, bias=True) for sample in samples]
        off = [mean - estimate for mean, estimate in zip(means, estimates[0])]
        nu = [float(np.sqrt(o @ np.linalg.solve(covariance, o))) for o, covariance in zip(off, covariances)]
        rho = [float(np.linalg.norm(truth - estimate)) for truth, estimate in zip(covariances, estimates[1])]
        bounds = []
        for which, (criterion, radii) in enumerate(
            (("minimum_error", (0.0, 0.0)), ("minimum_error", (nu, rho)), ("balanced", ([max(nu)] * 2, rho)))
        ):
            machine = MinimaxProbabilityMachine(
                criterion, distribution="gaussian", mean_radius=radii[0], covariance_radius=radii[1]
            ).fit_moments(*estimates)
            bounds.append(machine.worst_case_accuracy_)
            broken[which, draw] = bounds[-1] > _true_accuracy(machine, means, covariances) + 1e-9
        margins[draw] = bounds[1] - bounds[2]
    plain, robust, _ = broken.mean(axis=1)
    return [
        Row.ours("Ten rows a class: share of draws in which the plain MEMPM bound is too good", float(plain)),
        Row.claim(
            "Ten rows a class: the robust MEMPM bound is too good in no draw",
            "Section 5.2",
            float(robust) == 0.0,
        ),
        Row.check_at_least(
            "Ten rows a class: robust MEMPM bound less robust MPM bound, least", 0.0, float(margins.min())
        ),
    ]


def _true_accuracy(machine: MinimaxProbabilityMachine, means: np.ndarray, covariances: np.ndarray) -> float:
    normal, threshold = machine.coef_[0], -machine.intercept_[0]
    sides = ((-normal, -threshold), (normal, threshold))
    return float(
        np.mean(
            [
                worst_case_accuracy(a, b, mean, covariance, distribution="gaussian")
                for (a, b), mean, covariance in zip(sides, means, covariances)
            ]
        )
    )


def bias_rows() -> list[Row]:
    """Section 5.3: on Heart the accuracies of both classes stay above what the biased machine promises them."""
    X, y = load_minimax_table("heart")
    most = float(MinimaxProbabilityMachine("minimum_error", covariance_radius=0.0).fit(X, y).frontier_[-1, 0])
    floors, right = np.arange(0.0, 0.85, 0.1), []
    for floor in floors:
        biased = MinimaxProbabilityMachine("guarantee", guarantee={0: float(floor)}, covariance_radius=0.0)
        machine = make_pipeline(StandardScaler(), biased)
        scores = []
        for train, test in ShuffleSplit(10, test_size=0.1, random_state=0).split(X):
            fitted = machine.fit(X[train], y[train])
            promised = fitted[-1].class_accuracies_
            correct = fitted.predict(X[test]) == y[test]
            scores.append([correct[y[test] == c].mean() - promised[c] for c in (0, 1)])
        right.append(np.mean(scores, axis=0))
    return [
        Row.printed(
            "Heart: largest accuracy to be guaranteed, %", "Section 5.3", 90.0, 100.0 * most, within=2.0, why="'around'"
        ),
        Row.claim(
            "Heart: test accuracies of both classes stay above the promise", "Figure 7", float(np.min(right)) >= 0.0
        ),
    ]


def _figure(curves: dict[str, np.ndarray]) -> "Figure | None":
    if not curves:
        return None
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 6.2), layout="constrained")
    for ax, (name, curve) in zip(figure.subplots(2, 3, squeeze=False).ravel(), curves.items()):
        ax.plot(*curve.T, color="#1b6ca8")
        beta, alpha = LINEAR[name][1][0], LINEAR[name][0][0]
        ax.plot(beta, alpha, "x", color="#c44e52", label="paper, MEMPM")
        balanced = LINEAR[name][4][0]
        ax.plot(balanced, balanced, "+", color="#55a868", label="paper, MPM")
        ax.set(title=name, xlim=(0, 100), ylim=(0, 100), xlabel="promised to y, %", ylabel="promised to x, %")
    figure.axes[0].legend(fontsize="small")
    return figure
