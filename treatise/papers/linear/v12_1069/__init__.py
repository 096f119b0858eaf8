"""Differentially private empirical risk minimisation (Chaudhuri, Monteleoni & Sarwate, JMLR 12:1069).

Table 1, the errors on Adult over the penalty, and what the theorems promise: the sensitivity of the minimiser, and
privacy itself, measured in many runs on two neighbouring data sets.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import KFold

from treatise._core.errors import DataNotFoundError
from treatise.linear import (
    PrivacyAudit,
    PrivateLinearSVC,
    PrivateLogisticRegression,
    audit_privacy,
    erm_sensitivity,
    perturbation,
    repeated_weights,
    vector_laplace,
)
from treatise.papers._evidence import DEVIATIONS, Evidence, Gap, Row
from treatise.papers.linear.v12_1069._adult import load_adult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EPSILON = 0.1
POWERS = (-10.0, -7.0, -4.0, -3.5, -3.0, -2.5, -2.0, -1.5)
LEARNERS: dict[str, Any] = {"Logistic": PrivateLogisticRegression, "Huber": PrivateLinearSVC}
TABLE_1 = {
    ("Logistic", "non-private"): (0.1540, 0.1533, 0.1654, 0.1694, 0.1758, 0.1895, 0.2322, 0.2478),
    ("Logistic", "output"): (0.5318, 0.5318, 0.5175, 0.4928, 0.4310, 0.3163, 0.2395, 0.2456),
    ("Logistic", "objective"): (0.8248, 0.8248, 0.8248, 0.2694, 0.2369, 0.2161, 0.2305, 0.2475),
    ("Huber", "non-private"): (0.1527, 0.1521, 0.1632, 0.1669, 0.1719, 0.1793, 0.2454, 0.2478),
    ("Huber", "output"): (0.5318, 0.5318, 0.5211, 0.5011, 0.4464, 0.3352, 0.2376, 0.2476),
    ("Huber", "objective"): (0.2585, 0.2585, 0.2585, 0.2582, 0.2559, 0.2046, 0.2319, 0.2478),
}
PAPER_DRAWS, N_ADULT = 50, 45_221
ENCODING = 0.01
BINS = Gap(
    "better than published. The file keeps the six numeric attributes in five or two bins, and ranks of bins are "
    "larger numbers than the paper's, most of them small shares of a maximum; where the penalty all but decides, "
    "that counts. Typical values of the bins, guessed, gave 0.235 (logistic) and 0.244 (Huber) on one split, and "
    "worse elsewhere. The cause is not known",
    band=0.01,
)
BROKEN = Gap(
    "worse than chance, and not the limit of the cells beside it: here, as in the paper's own Huber row, the added "
    "penalty takes over below 10^-3.5 and the error stays where it was; we take the printed number for a slip. "
    "The cause is not known",
    band=0.02,
)
GAPS = {
    **{("Logistic", "objective", power): BROKEN for power in (-10.0, -7.0, -4.0)},
    **{(name, "non-private", -2.0): BINS for name in LEARNERS},
}
NEEDS_KDD = "Table 2 and Figures 3 to 5 are on KDD Cup 99, which is not among the known data files"


def experiment(*, full: bool = False) -> Evidence:
    """Table 1 at epsilon 0.1, the largest move of the minimiser, and an audit of both mechanisms."""
    audits = {mechanism: _audit(mechanism, 400_000 if full else 40_000) for mechanism in ("output", "objective")}
    rows = [*_sensitivity_rows(500 if full else 60), *_audit_rows(audits)]
    skipped, errors = [NEEDS_KDD], {}
    try:
        errors = _adult_errors(POWERS if full else (-3.0, -2.5, -2.0), folds=10 if full else 4, draws=5 if full else 2)
        rows += _adult_rows(errors)
    except DataNotFoundError as missing:
        skipped.append(str(missing))
    return Evidence(rows, _figure(errors, audits["output"]), skipped)


def _sensitivity_rows(trials: int) -> list[Row]:
    """Corollary 8: how far one row moves the minimiser, as a share of 2 / (n Lambda)."""
    rows = []
    for name, learner in LEARNERS.items():
        rng, largest = np.random.default_rng(0), 0.0
        for _ in range(trials):
            n, alpha = int(rng.integers(2, 50)), float(10 ** rng.uniform(-2, 0.5))
            X = rng.normal(size=(n, 3)) * rng.choice([0.0, 1.0])
            X[-1] = rng.normal(size=3)
            X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1.0)
            y = rng.choice([-1, 1], n)
            other = y.copy()
            other[-1] *= -1
            # With so large an epsilon the noise is far below the last digit.
            settings = {"mechanism": "output", "classes": [-1, 1]}
            fits = [learner(1e15, alpha, **settings).fit(X, labels).coef_ for labels in (y, other)]
            largest = max(largest, float(np.linalg.norm(fits[0] - fits[1])) / erm_sensitivity(n, alpha))
        quantity = f"{name}: largest move of the minimiser by one row, as a share of 2/(nΛ) (Corollary 8)"
        rows.append(Row.check_at_most(quantity, 1.0, round(largest, 6)))
    return rows


def _audit(mechanism: str, n_runs: int) -> PrivacyAudit:
    """Huber SVM on three rows, of which one decides all: its label turns."""
    X = np.array([[0.0], [0.0], [1.0]])
    learner = PrivateLinearSVC(1.0, 1.0, mechanism=mechanism)
    count = n_runs if mechanism == "output" else n_runs // 20
    first, second = (repeated_weights(learner, X, [0, 1, last], count, random_state=last)[:, 0] for last in (0, 1))
    return audit_privacy(first, second, epsilon=1.0)


def _audit_rows(audits: dict[str, PrivacyAudit]) -> list[Row]:
    rows = []
    for mechanism, audit in audits.items():
        theorem = {"output": "Theorem 6", "objective": "Corollary 13"}[mechanism]
        quantity = f"Huber: ε that {audit.n_runs} runs on two neighbours prove, {mechanism} perturbation ({theorem})"
        rows.append(Row.check_at_most(quantity, audit.epsilon, round(audit.epsilon_proven, 3)))
    return rows


Errors = dict[tuple[str, str, float], np.ndarray]


def _adult_errors(powers: tuple[float, ...], folds: int, draws: int) -> Errors:
    """Test errors of each learner, mechanism and penalty, over folds of ten and draws of noise."""
    X, y = load_adult()
    splits = list(KFold(10, shuffle=True, random_state=0).split(X))[:folds]
    errors: Errors = {}
    for name, learner in LEARNERS.items():
        for power in powers:
            found: dict[str, list[np.ndarray]] = {"non-private": [], "output": [], "objective": []}
            for fold, (train, test) in enumerate(splits):
                part = X[train], y[train]
                # Without privacy: noise far below the last digit.
                plain = repeated_weights(learner(1e15, 10**power, mechanism="output"), *part, 1, random_state=0)
                rate = perturbation("output", EPSILON, len(train), 10**power, 0.0).noise_rate
                noise = vector_laplace(X.shape[1], rate, size=2 * PAPER_DRAWS, random_state=fold)
                inside = repeated_weights(learner(EPSILON, 10**power), *part, draws, random_state=fold)
                for kind, weights in (("non-private", plain), ("output", plain + noise), ("objective", inside)):
                    found[kind].append(np.mean((X[test] @ weights.T > 0) != (y[test] > 0)[:, None], axis=0))
            errors.update({(name, kind, power): np.array(table) for kind, table in found.items()})
    return errors


def _adult_rows(errors: Errors) -> list[Row]:
    rows = []
    for (name, kind, power), found in errors.items():
        published, mean = TABLE_1[name, kind][POWERS.index(power)], float(found.mean())
        # The paper's mean has a sampling error as well: 50 draws, the same for all penalties by its equal cells. With
        # hardly any penalty a noisy classifier and its negative are equally likely: of 0.5318 there, 0.0318 is error.
        spread = 0.0 if kind == "non-private" else float(found.std())
        tested = N_ADULT * len(found) / 10
        error = np.hypot(
            spread * np.sqrt(1 / found.size + 1 / PAPER_DRAWS), np.sqrt(mean * (1 - mean) * (1 / tested - 1 / N_ADULT))
        )
        rows.append(
            Row.printed(
                f"Adult: error, {name} {kind}, Λ = 10^{power:g}", "Table 1", published, round(mean, 4),
                standard_error=ENCODING / DEVIATIONS + float(error),
                why="draws and folds, and 0.01 for binned attributes", gap=GAPS.get((name, kind, power)),
            )
        )  # fmt: skip
    for name in LEARNERS:
        best = [
            min((found for (who, how, _), found in errors.items() if (who, how) == (name, kind)), key=np.mean)
            for kind in ("output", "objective")
        ]
        rows.append(
            Row.claim_positive(
                f"Adult: error that objective perturbation saves at its best Λ, {name}", "Section 7.2",
                float(best[0].mean() - best[1].mean()),
                standard_error=float(np.hypot(*(found.std(ddof=1) / found.size**0.5 for found in best))),
            )
        )  # fmt: skip
    return rows


def _figure(errors: Errors, audit: PrivacyAudit) -> "Figure":
    """Errors over the penalty beside the published ones, and the audit."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(14, 4.6), layout="constrained")
    *panels, last = figure.subplots(1, 3)
    colours = {"non-private": "#555555", "output": "#b03a2e", "objective": "#1b6ca8"}
    for ax, name in zip(panels, LEARNERS):
        for kind, colour in colours.items():
            ax.plot(POWERS, TABLE_1[name, kind], "--", color=colour, alpha=0.5, label=f"{kind}, published")
            powers = [power for who, how, power in errors if (who, how) == (name, kind)]
            means = [float(errors[name, kind, power].mean()) for power in powers]
            ax.plot(powers, means, "o", color=colour, label=f"{kind}, here")
        ax.set_title(f"Adult, ε = {EPSILON}: {name}")
        ax.set_xlabel("log10 Λ")
        ax.set_ylabel("test error")
    panels[0].legend(fontsize=8)
    audit.plot(last)
    return figure
