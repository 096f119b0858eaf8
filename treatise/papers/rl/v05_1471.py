"""Variance of policy gradients (Greensmith, Bartlett & Baxter, JMLR 5:1471): baselines and value functions, exactly.

The paper prints few numbers and draws many runs. The numbers are computed without sampling; what the figures show is
asked of runs on the same process: how far estimates are from the gradient, and how far that varies.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from treatise.papers._evidence import Evidence, Row
from treatise.rl import (
    GPOMDP,
    cyclic_process,
    exact_policy_gradient,
    gradient_variance,
    optimal_baseline,
    three_state_process,
)

OMEGA_OVER_T = 0.001
SKIPPED = [
    "Figure 6 (the puck): 100 runs of 2^23 steps at 28 points of a training curve of 10^8 steps each; the world is "
    "there as PuckWorld",
    "Figures 4 and 5, value function trained online (Algorithm 4); the baseline trained online is there",
]


def experiment(*, full: bool = False) -> Evidence:
    """Printed baselines, Appendix D, and the order of the methods in Figures 2 to 5."""
    lengths = tuple(2**k for k in range(4, 17 if full else 13, 2))
    curves = error_curves(lengths, 500 if full else 100)
    rows = [*baseline_rows(), *appendix_rows(), *curve_rows(curves), *online_rows(200 if full else 40)]
    return Evidence(rows, _figure(curves), SKIPPED)


def baseline_rows() -> list[Row]:
    """The numbers of section 8.1, and the variances that follow from them."""
    process, policy, theta = three_state_process()
    best = optimal_baseline(process, policy, theta)
    constant = float(optimal_baseline(process, policy, theta, kind="constant")[0])
    digits: dict[str, Any] = {
        "within": 5e-6,
        "why": "half of the last printed digit",
        "effect": float(best[0] - best[2]),
    }
    rows = [
        Row.printed(f"best baseline at observation {name}", "Section 8.1", published, float(found), **digits)
        for name, published, found in zip("ABC", (6.35254, 6.35254, 6.26938), best)
    ]
    rows.append(Row.printed("best constant baseline", "Section 8.1", 6.33837, constant, **digits))
    variances = {
        kind: gradient_variance(process, policy, theta, baseline=optimal_baseline(process, policy, theta, kind=kind))
        for kind in ("observation", "constant", "mean_return")
    }
    rows += [Row.ours(f"variance of a step, baseline {kind!r}", round(found, 7)) for kind, found in variances.items()]
    rows.append(Row.ours("variance of a step, no baseline", round(gradient_variance(process, policy, theta), 7)))
    weight = variances["mean_return"] - variances["observation"]
    usual = optimal_baseline(process, policy, theta, kind="mean_return")
    joint = process.stationary(policy.probabilities(theta))[:, None] * policy.probabilities(theta)
    lengths = (joint * np.square(policy.log_gradients(theta)).sum(axis=2)).sum(axis=1)
    excess = float(lengths @ np.square(usual - best))
    rows.append(
        Row.check("excess variance of the mean return over its formula (Theorem 16)", 1.0, weight / excess, within=1e-9,
                  why="rounding")
    )  # fmt: skip
    return rows


def appendix_rows() -> list[Row]:
    """A value function that is not the true one: no bias, and a variance of 5 in place of 231.5225."""
    process, policy, theta = cyclic_process()
    exact = exact_policy_gradient(process, policy, theta, beta=0.9)
    other = exact.values - [15.15, 15.15, 14.85]
    rows = [
        Row.printed(f"discounted value of state {i + 1}", "Appendix D", published, float(found), within=5e-9,
                    why="printed without a remainder")
        for i, (published, found) in enumerate(zip((18.15, 12.15, 14.85), exact.values))
    ]  # fmt: skip
    exactly: dict[str, Any] = {"within": 1e-9, "why": "printed without a remainder"}
    for name, published, value in (("the true value", 231.5225, exact.values), ("the other value", 5.0, other)):
        variance = gradient_variance(process, policy, theta, beta=0.9, value=value)
        rows.append(Row.printed(f"variance with {name}", "Appendix D", published, variance, **exactly))
    rows.append(Row.printed("gradient", "Appendix D", 1.0, float(exact.discounted_gradient[0]), **exactly))
    return rows


@dataclass(frozen=True)
class Curves:
    """Relative errors of estimates from runs, by length: their means and deviations, for each method."""

    lengths: tuple[int, ...]
    errors: dict[str, np.ndarray]
    """Of shape (lengths, runs)."""

    def at(self, name: str, statistic: str) -> np.ndarray:
        """Mean or deviation over the runs, for each length."""
        found = self.errors[name]
        return found.mean(axis=1) if statistic == "mean" else found.std(axis=1, ddof=1)


def error_curves(lengths: tuple[int, ...], n_runs: int) -> Curves:
    """Runs of the three-state process, with the exact values in place of estimated returns (Figures 2 and 3)."""
    process, policy, theta = three_state_process()
    exact = exact_policy_gradient(process, policy, theta)
    probabilities, gradients = policy.probabilities(theta), policy.log_gradients(theta)
    J = exact.values
    baselines = {
        "no baseline": np.zeros(3),
        "mean return": optimal_baseline(process, policy, theta, kind="mean_return"),
        "best constant": optimal_baseline(process, policy, theta, kind="constant"),
        "best baseline": optimal_baseline(process, policy, theta),
    }
    worth = {name: J[None, None, :] - b[:, None, None] for name, b in baselines.items()}
    worth["value function"] = np.broadcast_to(trained_value(process, probabilities, gradients, exact), (3, 2, 3))
    errors = {name: np.empty((len(lengths), n_runs)) for name in worth}
    for seed in range(n_runs):
        run = process.sample(probabilities, max(lengths), random_state=seed)
        for place, length in enumerate(lengths):
            steps = run.states[:length], run.actions[:length], run.next_states[:length]
            counts = np.zeros((3, 2, 3))
            np.add.at(counts, steps, 1.0 / length)
            for name, table in worth.items():
                estimate = np.einsum("iuj,iuj,iuk->k", counts, table, gradients)
                error = np.linalg.norm(estimate - exact.gradient) / np.linalg.norm(exact.gradient)
                errors[name][place, seed] = error
    return Curves(lengths, errors)


def trained_value(process, probabilities, gradients, exact) -> np.ndarray:  # type: ignore[no-untyped-def]
    """The value function that makes the bound on the squared error least, for the paper's weight of the variance."""
    step = exact.stationary[:, None] * probabilities
    second = np.einsum("iu,iu,uij->j", step, np.square(gradients).sum(axis=2), process.transitions)
    G = np.einsum("iu,iuk,uij->kj", step, gradients, process.transitions)
    system = OMEGA_OVER_T * (np.diag(second) - G.T @ G) + G.T @ G
    return np.asarray(np.linalg.solve(system, G.T @ exact.discounted_gradient))


def curve_rows(curves: Curves) -> list[Row]:
    """What the text says of Figures 2 and 3."""
    rows = []
    for name in ("mean return", "best constant", "best baseline"):
        ratio = curves.at(name, "deviation") / curves.at("no baseline", "deviation")
        rows.append(Row.ours(f"largest deviation over that of no baseline: {name}", round(float(ratio.max()), 3)))
        rows.append(
            Row.claim(
                f"{name}: less deviation than no baseline at every length", "Section 8.1", bool((ratio < 1).all())
            )
        )
    gain = (curves.errors["mean return"] - curves.errors["best baseline"]).mean(axis=0)
    standard_error = float(gain.std(ddof=1) / np.sqrt(len(gain)))
    what = "mean error with the mean return less that with the best baseline"
    rows.append(Row.claim_positive(what, "Section 8.1", float(gain.mean()), standard_error=standard_error))
    value = curves.at("value function", "deviation") < curves.at("no baseline", "deviation")
    rows.append(Row.claim("value function: always less deviation than GPOMDP", "Section 8.1", bool(value.all())))
    first = curves.at("value function", "mean") < curves.at("no baseline", "mean")
    rows.append(Row.claim("value function: less error than GPOMDP in short runs", "Section 8.1", bool(first[0])))
    return rows


def online_rows(n_runs: int) -> list[Row]:
    """A baseline trained on the way (Figures 4 and 5), beside none."""
    process, policy, theta = three_state_process()
    exact = exact_policy_gradient(process, policy, theta)
    errors = {}
    for name, options in (
        ("none", {"baseline": None}),
        ("online", {"baseline": "online", "schedule": "log", "step": 0.05}),
    ):
        runs = [GPOMDP(random_state=seed, **options).estimate(process, policy, theta, 4096) for seed in range(n_runs)]
        errors[name] = np.array([np.linalg.norm(run.gradient - exact.gradient) for run in runs])
    gain = errors["none"] - errors["online"]
    standard_error = float(gain.std(ddof=1) / np.sqrt(n_runs))
    relative = {name: found.mean() / np.linalg.norm(exact.gradient) for name, found in errors.items()}
    return [
        Row.claim_positive(
            "error without a baseline less that with one trained online, 4096 steps", "Figure 4", float(gain.mean()),
            standard_error=standard_error,
        ),
        *(Row.ours(f"mean relative error, 4096 steps, baseline {n}", round(float(v), 3)) for n, v in relative.items()),
    ]  # fmt: skip


def _figure(curves: Curves) -> Figure:
    figure = Figure(figsize=(9, 4), layout="constrained")
    for ax, statistic in zip(figure.subplots(1, 2), ("mean", "deviation")):
        for name in curves.errors:
            ax.loglog(curves.lengths, curves.at(name, statistic), marker="o", markersize=3, label=name)
        ax.set_xlabel("steps")
        ax.set_title(f"{statistic} of the relative error", fontsize=10)
    ax.legend(fontsize=8)
    return figure
