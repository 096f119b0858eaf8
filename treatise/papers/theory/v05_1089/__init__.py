"""No unbiased estimator of the variance of K-fold cross-validation (Bengio & Grandvalet, JMLR 5:1089).

Experiment 1 (independent hold-outs), Experiment 2 (cross-validated least squares, with and without
outliers, over n and over K) and Experiment 3 (trees on two-class Letter). The paper draws its results and
gives few numbers; its statements are the rows, with our numbers beside them.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from treatise._core.errors import DataNotFoundError
from treatise.datasets import load_table, make_bengio_grandvalet
from treatise.papers._evidence import DEVIATIONS, Evidence, Row
from treatise.papers.theory.v05_1089.simulation import CVVarianceSimulation, plot_cv_variance, simulate_cv_variance
from treatise.theory import (
    cv_covariance_matrix,
    cv_eigenvalues,
    holdout_variance,
)

LINE = LinearRegression(fit_intercept=False)
SAMPLES: dict[str, Callable] = {
    "no outliers": make_bengio_grandvalet,
    "outliers": partial(make_bengio_grandvalet, outliers=True),
}
# Ten folds leave nine tenths to train on: 603 of 670 examples are 20 for each of the 30 coefficients.
SIZES = (60, 100, 120, 200, 400, 670)
FOLDS = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 40, 60, 120)
LETTER_SIZES = (20, 50, 100, 200)


def experiment(*, full: bool = False) -> Evidence:
    """The decompositions of Section 7, and the check of Section 2.2 that hold-out errors are correlated."""
    figure = Figure(figsize=(13, 7.5), layout="constrained")
    axes = figure.subplots(2, 3)
    rows = [*_eigenstructure(), _explained_variance(), *_holdout(axes[0, 0], full)]
    by_size = _least_squares(SIZES if full else (60, 120, 670), (10,), 20_000 if full else 500)
    by_folds = _least_squares((120,), FOLDS if full else (2, 10, 120), 20_000 if full else 500)
    rows += [*_rows_by_size(by_size), *_rows_by_folds(by_folds)]
    for column, kind in enumerate(SAMPLES):
        plot_cv_variance(by_size[kind], ax=axes[0, 1 + column], relative=True).set_title(f"K = 10, {kind}")
        plot_cv_variance(by_folds[kind], ax=axes[1, column]).set_title(f"n = 120, {kind}")
    skipped = []
    try:
        rows += _letter(axes[1, 2], full)
    except DataNotFoundError as missing:
        skipped.append(str(missing))
        axes[1, 2].set_axis_off()
    return Evidence(rows, figure, skipped)


def _eigenstructure() -> list[Row]:
    """Lemma 7 on a matrix of the size of the paper's Figure 3: three eigenvalues and their multiplicities."""
    expected = cv_eigenvalues(200, 10, sigma2=1.0, omega=0.3, gamma=0.1)
    found = Counter(np.linalg.eigvalsh(cv_covariance_matrix(200, 10, 1.0, 0.3, 0.1)).round(9).tolist())
    counts = [found[round(value, 9)] for value in (expected.within, expected.between, expected.total)]
    return [
        Row.check("distinct eigenvalues of the covariance (Lemma 7), n = 200, K = 10", 3, len(found)),
        Row.check("their multiplicities n-K, K-1, 1", "190, 9, 1", ", ".join(map(str, counts))),
    ]


def _explained_variance() -> Row:
    X, y = make_bengio_grandvalet(100_000, random_state=0)
    explained = clone(LINE).fit(X, y).score(X, y)
    return Row.printed(
        "R² of the regression, about 3/4",
        "Section 7.1",
        0.75,
        explained,
        within=0.005,
        why="sampling error of 10⁵ examples",
    )


def _holdout(ax: Axes, full: bool) -> list[Row]:
    """Experiment 1: ten independent training and test sets."""
    # The paper's 100,000 repetitions for the smallest n, where the bias is largest.
    repetitions = {60: 100_000, 100: 20_000, 200: 20_000} if full else {60: 500, 100: 500}
    outcome = {n: _simulate_holdout(n, count) for n, count in repetitions.items()}
    sizes = list(outcome)
    rows = []
    for n, (theta, error, theta1, theta2) in outcome.items():
        rows += [
            Row.check(
                f"hold-out, n = {n}: mean of θ̂₂ over the variance (unbiased)", 1.0, theta2 / theta,
                standard_error=error / theta, why="the variance",
            ),
            Row.ours(f"hold-out, n = {n}: mean of θ̂₁ over the variance (Figure 1: too small)", theta1 / theta),
        ]  # fmt: skip
    rows.append(
        Row.claim(
            "hold-out: θ̂₁ falls short at every n", "Figure 1", all(t1 < t - 3 * e for t, e, t1, _ in outcome.values())
        )
    )
    for label, style, index in (("variance", "k-", 0), ("mean of θ̂₁", "C3--", 2), ("mean of θ̂₂", "C0:", 3)):
        ax.plot(sizes, [outcome[n][index] for n in sizes], style, marker="o", label=label)
    ax.set(xlabel="n", ylabel="variance of the mean test error", title="independent hold-outs", yscale="log")
    ax.legend()
    return rows


def _simulate_holdout(n: int, repetitions: int, pairs: int = 10) -> tuple[float, float, float, float]:
    """Variance of the mean error over ``pairs`` hold-outs, its standard error, and the means of θ̂₁ and θ̂₂."""
    rng = check_random_state(n)
    outcome = np.empty((repetitions, 3))
    for row in outcome:
        X, y = make_bengio_grandvalet(2 * pairs * n, random_state=rng)
        X, y = X.reshape(2, pairs, n, -1), y.reshape(2, pairs, n, 1)
        transposed = X[0].swapaxes(1, 2)
        coefficients = np.linalg.solve(transposed @ X[0], transposed @ y[0])
        estimate = holdout_variance(((X[1] @ coefficients - y[1]) ** 2)[:, :, 0])
        row[:] = estimate.mean, estimate.theta1, estimate.theta2
    squares = (outcome[:, 0] - outcome[:, 0].mean()) ** 2
    theta, error = outcome[:, 0].var(ddof=1), squares.std() / np.sqrt(repetitions)
    return float(theta), float(error), float(outcome[:, 1].mean()), float(outcome[:, 2].mean())


def _least_squares(
    sizes: tuple[int, ...], folds: tuple[int, ...], repetitions: int
) -> dict[str, list[CVVarianceSimulation]]:
    """Experiment 2 without and with outliers; the same samples whatever the number of folds."""

    def run(sample: Callable, n: int, n_folds: int) -> CVVarianceSimulation:
        return simulate_cv_variance(
            sample, LINE, n, n_folds=n_folds, n_repetitions=repetitions, random_state=n, show_progress=False
        )

    return {kind: [run(sample, n, K) for n in sizes for K in folds] for kind, sample in SAMPLES.items()}


def _rows_by_size(by_size: dict[str, list[CVVarianceSimulation]]) -> list[Row]:
    rows = []
    for kind, runs in by_size.items():
        for run in runs:
            sigma2, omega, gamma = run.shares
            where = f"K = 10, {kind}, n = {run.n}"
            rows += [
                Row.ours(f"{where}: variance of CV", run.theta),
                Row.ours(f"{where}: shares of σ², ω, γ", f"{sigma2:.2f}, {omega:.2f}, {gamma:.2f}"),
                Row.ours(f"{where}: coverage of 95 % intervals from V2 and corrected", _coverages(run)),
            ]
    plain, outliers = by_size["no outliers"], by_size["outliers"]
    small, large, far = plain[0].shares, plain[-1].shares, outliers[-1].shares
    return [
        *rows,
        Row.claim(
            "no outliers, smallest n: share of γ very important (a third or more)", "Section 7", small[2] > 1 / 3
        ),
        Row.claim(
            "no outliers, largest n: σ² is the main component",
            "Section 7",
            ("σ²", "ω", "γ")[int(np.argmax(large))] == "σ²",
        ),
        Row.claim(
            "outliers: ω has little effect (below a tenth at every n)",
            "Section 7",
            all(abs(run.shares[1]) < 0.1 for run in outliers),
        ),
        Row.claim(
            "outliers, 20 examples a parameter: γ of the order of σ² (ratio within 1/3 to 3)",
            "Section 7",
            1 / 3 < far[2] / far[0] < 3,
        ),
    ]


def _coverages(run: CVVarianceSimulation) -> str:
    return f"{run.coverage['v2']:.3f}, {run.coverage['corrected']:.3f}"


def _rows_by_folds(by_folds: dict[str, list[CVVarianceSimulation]]) -> list[Row]:
    rows, best = [], []
    for kind, runs in by_folds.items():
        shown = [run for run in runs if run.n_folds in (2, 10, 120)]
        rows += [Row.ours(f"n = 120, {kind}, K = {run.n_folds}: variance of CV", run.theta) for run in shown]
        best.append(min(runs, key=lambda run: run.theta).n_folds)
        rows.append(Row.ours(f"n = 120, {kind}: K of least variance", best[-1]))
    reached = 120 in best and any(2 < K < 120 for K in best)
    rows.append(
        Row.claim("n = 120: least variance at K = n in one setting, in between in the other", "Section 7", reached)
    )
    return rows


def letter_halves() -> tuple[np.ndarray, np.ndarray]:
    """Letter recognition as two classes: 0 for A to M, 1 for N to Z."""
    X, letters = load_table("keel/letter.dat").arrays()
    return X, (letters >= "N").astype(int)


def _letter(ax: Axes, full: bool) -> list[Row]:
    """Experiment 3: the 20,000 letters are the population, samples are drawn from it with replacement."""
    population = letter_halves()
    repetitions, sizes = (2_000, LETTER_SIZES) if full else (200, (50,))
    runs = [
        simulate_cv_variance(
            population, DecisionTreeClassifier(random_state=0), n,
            n_repetitions=repetitions, random_state=n, show_progress=False,
        )
        for n in sizes
    ]  # fmt: skip
    rows = []
    for run in runs:
        share = run.shares[0]
        error = share * run.standard_error["theta"] / run.theta
        rows += [
            Row.printed(
                f"Letter, trees, n = {run.n}: share of σ², 50 to 70 %", "Section 7.3", 0.6, share,
                standard_error=0.1 / DEVIATIONS + error, why="the share, and the range",
            ),
            Row.ours(f"Letter, trees, n = {run.n}: share of γ", run.shares[2]),
            Row.ours(f"Letter, trees, n = {run.n}: naive V1 over the variance", run.v1 / run.theta),
        ]  # fmt: skip
    plot_cv_variance(runs, relative=True, ax=ax).set_title("Letter, trees, K = 10")
    return rows
