"""Averaged SGD for logistic regression: the bounds and the faster rate, seen on generated data (JMLR 15:595)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

from treatise.datasets import make_logistic_sphere
from treatise.online import AveragedSGDClassifier, averaged_sgd_bounds
from treatise.papers._evidence import Evidence, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COEF = np.array([1.0, -1.0, 0.5, 0.0, 2.0])
DISTANCE = float(np.linalg.norm(COEF))


@dataclass(frozen=True)
class _Runs:
    """Excess risk and distance over repetitions at one length of the stream."""

    n_samples: int
    average: np.ndarray
    last: np.ndarray
    gradient: np.ndarray
    squared_distance: np.ndarray


def experiment(*, full: bool = False) -> Evidence:
    """The paper has no experiment; its inequalities are checked on a model that is exactly logistic."""
    repetitions = 200 if full else 30
    sizes = (100, 1000, 10_000, 100_000) + ((1_000_000,) if full else ())
    risk = _Risk(200_000 if full else 20_000)
    runs = [_run(risk, size, max(5, repetitions * 10_000 // max(size, 10_000))) for size in sizes]
    rows = []
    for run in runs:
        bounds = averaged_sgd_bounds(run.n_samples, 1.0, DISTANCE, curvature=risk.curvature)
        excess, above = float(run.average.mean()), float(np.mean(run.average > bounds["excess in probability"]))
        distance, gradient = float(run.squared_distance.mean()), float(np.sqrt(np.mean(run.gradient**2)))
        checks = [
            ("mean excess of the average (Corollary 2)", bounds["expected excess"], excess),
            ("root mean square of the gradient (Corollary 8)", bounds["gradient at the average"], gradient),
            ("share of streams above the bound at t = 3 (Corollary 6)", float(2 * np.exp(-3)), above),
        ]
        # Bounds that stay where they are as N grows, or begin thousands of times too high, check nothing by themselves.
        shares = [
            (
                "mean squared distance of the last iterate",
                "Corollary 2",
                distance / bounds["expected squared distance"],
            ),
            ("mean excess of the average", "Proposition 10", excess / bounds["expected excess, curved"]),
        ]
        what = f"N = {run.n_samples}, {len(run.average)} streams"
        rows += [Row.check_at_most(f"{what}: {quantity}", bound, here) for quantity, bound, here in checks]
        rows += [
            Row.ours(f"{what}: {quantity} as a share of the bound of {of}", share) for quantity, of, share in shares
        ]
        rows.append(Row.ours(f"{what}: mean excess of the last iterate", float(run.last.mean())))
    rows.append(_rate_row(runs))
    rows.append(Row.ours("the same ratio of gradients, the square root of 10 by Corollary 8", _gradient_ratio(runs)))
    rows.append(Row.ours("smallest eigenvalue of the Hessian at the optimum", risk.curvature))
    return Evidence(rows, _figure(runs))


class _Risk:
    """Expected logistic loss over the sphere: labels integrated exactly, rows by a fixed sample."""

    def __init__(self, n_rows: int) -> None:
        self.X, _ = make_logistic_sphere(n_rows, random_state=12345)
        self.chance = expit(self.X @ COEF)
        self.least = self._value(COEF)
        bend = self.chance * (1.0 - self.chance)
        self.curvature = float(np.linalg.eigvalsh(self.X.T @ (self.X * bend[:, None]) / n_rows)[0])

    def _value(self, coef: np.ndarray) -> float:
        score = self.X @ coef
        return float(np.mean(np.logaddexp(0.0, score) - self.chance * score))

    def excess(self, coef: np.ndarray) -> float:
        return self._value(coef) - self.least

    def gradient_norm(self, coef: np.ndarray) -> float:
        return float(np.linalg.norm(self.X.T @ (expit(self.X @ coef) - self.chance)) / len(self.X))


def _run(risk: _Risk, n_samples: int, repetitions: int) -> _Runs:
    average, last, gradient, distance = [], [], [], []
    for seed in range(repetitions):
        model = AveragedSGDClassifier(schedule="constant", n_passes=1, fit_intercept=False, shuffle=False)
        model.fit(*make_logistic_sphere(n_samples, random_state=seed))
        average.append(risk.excess(model.coef_[0]))
        last.append(risk.excess(model.last_coef_[0]))
        gradient.append(risk.gradient_norm(model.coef_[0]))
        distance.append(np.sum((model.last_coef_[0] - COEF) ** 2))
    return _Runs(n_samples, np.array(average), np.array(last), np.array(gradient), np.array(distance))


def _rate_row(runs: list[_Runs]) -> Row:
    """The local rate: ten times the rows divide the excess by more than the square root of ten."""
    few, many = (next(run.average for run in runs if run.n_samples == size) for size in (10_000, 100_000))
    ratio = float(few.mean() / many.mean())
    relative = np.hypot(*(own.std(ddof=1) / own.mean() / len(own) ** 0.5 for own in (few, many)))
    statement = "excess at N = 10 000 over that at 100 000, beyond the square root of 10 that Corollary 2 gives"
    return Row.claim_positive(
        statement, "Section 5", ratio - float(np.sqrt(10)), standard_error=ratio * float(relative)
    )


def _gradient_ratio(runs: list[_Runs]) -> float:
    size = {run.n_samples: float(run.gradient.mean()) for run in runs}
    return size[10_000] / size[100_000]


def _figure(runs: list[_Runs]) -> "Figure":
    """Excess of the average and of the last iterate against N, with the bound and the two rates."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 5), layout="constrained")
    ax = figure.subplots()
    sizes = np.array([run.n_samples for run in runs])
    ax.loglog(sizes, [run.average.mean() for run in runs], "o-", label="average of the iterates")
    ax.loglog(sizes, [run.last.mean() for run in runs], "s-", label="last iterate")
    bound = [averaged_sgd_bounds(int(size), 1.0, DISTANCE)["expected excess"] for size in sizes]
    ax.loglog(sizes, bound, "k--", label="bound of Corollary 2, 1/sqrt(N)")
    ax.loglog(sizes, runs[-1].average.mean() * sizes[-1] / sizes, "k:", label="1/N through the last point")
    ax.set_xlabel("length N of the stream")
    ax.set_ylabel("mean excess risk")
    ax.legend()
    return figure
