"""How sparse should kernel weights be, and how fast are they found (Kloft et al., JMLR 12:953)."""

import time
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.stats import norm

from treatise._core.errors import DataNotFoundError
from treatise.datasets import load_mnist_test
from treatise.kernel_methods import LpMKLClassifier, plot_kernel_weights
from treatise.kernels import Gaussian
from treatise.papers._evidence import Evidence, Gap, Row
from treatise.papers.kernel_methods.v12_0953._toy import make_mkl_toy

NORMS = (1.0, 4 / 3, 2.0, 4.0, np.inf)
RELEVANT = {0.0: 50, 0.44: 28, 0.64: 18, 0.82: 9, 0.92: 4, 0.98: 1}
"""Share of irrelevant features of Section 6.1 and the relevant ones among 50; the paper prints the last share as 1."""
ABSENT = (
    "the kernels of subcellular localisation (Table 1, published: 100 - MCC of 8.18 for p = 1 and 11.85 for the sum on "
    "plant), of the metabolic network (Table 2, AUC 75.08 and 82.94) and of gene starts (Section 6.3) are not at hand; "
    "Figure 7 beyond 8 000 digits, over the number of kernels, and with the other solvers is not run"
)
BAYES = float(norm.cdf(-1.75))
SECTION = "Section 6.1"
BEST = {0.0: (np.inf,), 0.64: (2.0, 4.0), 0.82: (2.0, 4.0), 0.92: (2.0, 4.0), 0.98: (1.0,)}
"""Norms that the paper finds best, by the share of irrelevant features."""
SETS = "50 rows: share of single sets in which p = 4 errs no more than 0.10 where it errs most"
SINGLE_SET = Gap(
    "with one relevant feature of 50 the mean over draws, each at its best cost, lies a little above; the paper has a "
    "single set, and in a good part of single sets the error is as low",
    band=0.01,
    shown_by=SETS,
)
WORKING_SET = 2500
"""Objects in the largest working set of the interleaved solver; their rows take 4 GB of 8 000 digits."""
COSTS = 10.0 ** np.arange(-4.0, 0.1, 0.5)


def experiment(*, full: bool = False) -> Evidence:
    """The toy problem of Section 6.1 and the clock of Section 6.5.

    Parameters
    ----------
    full : bool, default=False
        All six shares of irrelevant features, 50 draws of 50 rows and 5 of 800, and the digits up to 8 000 rows (some
        eight minutes on one core, and 5 GB); instead of three shares, two draws of 50 rows on a coarser grid of costs,
        and 400 digits.
    """
    shares = tuple(RELEVANT) if full else (0.0, 0.82, 0.98)
    costs = COSTS if full else COSTS[[2, 4, 6, 8]]
    errors = {share: _toy_errors(50, RELEVANT[share], 50 if full else 2, costs) for share in shares}
    rows = _small_sample_rows(errors)
    if full:
        rows += _large_sample_rows({share: _toy_errors(800, RELEVANT[share], 5, costs) for share in (0.0, 0.44)})
    skipped = [ABSENT]
    try:
        rows += _clock_rows((1000, 2000, 4000, 8000) if full else (400,))
    except DataNotFoundError as missing:
        skipped.append(str(missing))
    return Evidence(rows, _figure(errors), skipped)


def _toy_errors(n: int, n_relevant: int, n_draws: int, costs: np.ndarray) -> np.ndarray:
    """Error of every norm in each draw, each at its best cost, which the paper finds on 10 000 other rows."""
    best = np.empty((n_draws, len(NORMS)))
    for seed in range(n_draws):
        X, y, mean = make_mkl_toy(n, n_relevant=n_relevant, random_state=seed)
        grams = [np.outer(column, column) for column in X.T]
        for i, p in enumerate(NORMS):
            machines = (LpMKLClassifier(p, C=C, kernels="precomputed").fit(grams, y) for C in costs)
            best[seed, i] = min(_exact_error(machine, X, mean) for machine in machines)
    return best


def _exact_error(machine: LpMKLClassifier, X: np.ndarray, mean: np.ndarray) -> float:
    direction = machine.kernel_weights_ * machine.kernel_scales_ * (X[machine.support_].T @ machine.dual_coef_)
    length = np.linalg.norm(direction)
    if length == 0.0:
        return 0.5
    signed = direction @ mean + np.array([1.0, -1.0]) * machine.intercept_
    return float(norm.cdf(-signed / length).mean())


def _small_sample_rows(errors: dict[float, np.ndarray]) -> list[Row]:
    rows = []
    for share, found in errors.items():
        for p, error in zip(NORMS, found.mean(axis=0)):
            rows.append(Row.ours(f"50 rows, {share:.0%} irrelevant: error of p = {_name(p)}", float(error)))
    quantity = "50 rows, 98% irrelevant: error of p = 1 above the Bayes error, at most 0.005"
    rows.append(Row.claim(quantity, SECTION, float(errors[0.98].mean(axis=0)[0]) - BAYES <= 0.005))
    for share, best in BEST.items():
        if share in errors:
            rows.append(_best_norm_row(share, best, errors[share]))
    most = max(errors.values(), key=lambda found: float(found[:, 3].mean()))[:, 3]
    rows.append(
        Row.printed_at_most(
            "50 rows: largest error of p = 4 over all shares", SECTION, 0.10, float(most.mean()),
            standard_error=float(most.std(ddof=1)) / len(most) ** 0.5, gap=SINGLE_SET,
        )
    )  # fmt: skip
    rows.append(Row.check_at_least(SETS, 0.25, float(np.mean(most <= 0.10))))
    return rows


def _best_norm_row(share: float, best: tuple[float, ...], found: np.ndarray) -> Row:
    """What the best of the other norms errs more than the best of those that the paper names."""
    mean = found.mean(axis=0)
    named = [i for i, p in enumerate(NORMS) if p in best]
    first = min(named, key=lambda i: mean[i])
    second = min((i for i in range(len(NORMS)) if i not in named), key=lambda i: mean[i])
    gains = found[:, second] - found[:, first]
    return Row.claim_positive(
        f"50 rows, {share:.0%} irrelevant: the best norm is {' or '.join(map(_name, best))}", SECTION,
        float(gains.mean()), standard_error=float(gains.std(ddof=1)) / len(gains) ** 0.5,
    )  # fmt: skip


def _large_sample_rows(errors: dict[float, np.ndarray]) -> list[Row]:
    spread = {share: float(np.ptp(found.mean(axis=0))) for share, found in errors.items()}
    return [
        *(
            Row.ours(f"800 rows, {share:.0%} irrelevant: largest difference between norms", value)
            for share, value in spread.items()
        ),
        Row.printed(
            "800 rows: largest difference between norms in the two densest cases", SECTION, 0.01, max(spread.values()),
            within=0.005, why="the paper gives it in whole per cent",
        ),
    ]  # fmt: skip


def _clock_rows(sizes: tuple[int, ...]) -> list[Row]:
    """Odd against even digits, 50 Gaussian kernels of widths 1.2^0 to 1.2^49, C = 1, kernels computed on the way."""
    X, digits = load_mnist_test()
    kernels = [Gaussian(1.2**-k) for k in range(50)]
    rows = []
    for n in sizes:
        # Rows of a whole working set: with fewer, supports that do not fit are computed again in every round.
        memory = 4 * len(kernels) * n * WORKING_SET
        for solver in ("wrapper", "interleaved") if n <= 2000 else ("auto",):
            begin = time.process_time()
            machine = LpMKLClassifier(2.0, kernels=kernels, solver=solver, memory_bytes=memory)
            machine.fit(X[:n], digits[:n] % 2)
            seconds = time.process_time() - begin
            what = f"{n} digits, 50 kernels, p = 2, {solver}"
            rows.append(Row.ours(f"{what}: seconds", seconds))
            rows.append(Row.check_at_most(f"{what}: relative duality gap", 1e-3, machine.duality_gap_))
    return rows


def _name(p: float) -> str:
    return {4 / 3: "4/3"}.get(p, f"{p:g}")


def _figure(errors: dict[float, np.ndarray]) -> Figure:
    figure = Figure(figsize=(11, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    shares = np.array(list(errors))
    for i, p in enumerate(NORMS):
        left.plot(shares, [found[:, i].mean() for found in errors.values()], "o-", label=f"p = {_name(p)}")
    left.axhline(BAYES, color="0.5", ls=":", label="Bayes error")
    left.set(xlabel="share of irrelevant features", ylabel="error", title="50 rows (Figure 3)")
    left.legend()
    X, y, _ = make_mkl_toy(50, n_relevant=9, random_state=0)
    weights: list[Any] = [np.outer(column, column) for column in X.T]
    plot_kernel_weights(LpMKLClassifier(2.0, kernels="precomputed").fit(weights, y), ax=right)
    right.set_title("weights of 50 features, 9 relevant, p = 2")
    return figure
