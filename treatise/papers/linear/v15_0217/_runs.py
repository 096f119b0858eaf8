"""The Monte Carlo studies of Section 4.2: relative errors (Table 1, Figure 3) and zero blocks (Table 2)."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from treatise.linear import GroupARDRegressor, GroupLassoMKL
from treatise.papers._evidence import Gap, Row

N, BLOCKS, SIZE = 100, 10, 4
METHODS = ("ARD", "PARD", "GLasso")
ERRORS = {1: (0.097, 0.090, 0.138), 2: (0.151, 0.144, 0.197)}
ZEROS = {1: (66.7, 74.5, 35.5), 2: (66.6, 74.6, 39.7)}
MULTIPLES = (1, 2, 4, 8, 16)

KNOWN = "Experiment 2: mean relative error with the true variance of every block and of the noise known"
STATIONARY = "largest failure of the conditions of Proposition 2 in all ARD and PARD fits of both experiments"
CURVE = (
    "Experiment 1: mean relative error of GLasso at the least multiple of its gamma that zeroes 35.5 % of the blocks"
)
ROOM = "Experiment 1: error of ARD less that of PARD with the best gamma of the grid for the true coefficients"

PRINTED_DESIGN = Gap(
    "with columns drawn by the printed recursion even the posterior mean under the true block variances and noise errs "
    "more than every method in the second line of Table 1, so that line is not of this design. With "
    "G_j = 0.8 G_(j-1) + 0.6 v, a design of our own choice, the three errors are near it (rows of ours); a recursion "
    "along the rows, and one within each block, gave 0.19 and 0.37 for ARD",
    band=0.05,
    shown_by=KNOWN,
)
FEWER_ZEROS = Gap(
    "not known: the fits meet the conditions of their optimum, so no zero is lost for want of descent; for orthogonal "
    "columns equation 19 gives ARD 59.4 %. The paper does not say below which variance a block counts as zero: the "
    "rows of ours count those below a thousandth and a ten-thousandth of the largest. Noise taken from the half that "
    "learns raises PARD by 2 and GLasso by 7 points and their errors with them",
    band=6.0,
    shown_by=STATIONARY,
)
OFF_THE_CURVE = Gap(
    "not known: no multiple of gamma gives the printed pair, 0.138 and 35.5 %; where that share is reached the error "
    "is far lower, and where the error is reached the share is near 80 %",
    band=8.0,
    shown_by=CURVE,
)
VALIDATED = Gap(
    "validation on one half of 100 rows chooses gamma poorly: with the gamma that is best for the true coefficients "
    "PARD is better than ARD, with the validated one it is level",
    band=0.004,
    shown_by=ROOM,
)
ZERO_GAPS = {
    (1, "ARD"): FEWER_ZEROS,
    (1, "PARD"): FEWER_ZEROS,
    (1, "GLasso"): OFF_THE_CURVE,
    (2, "GLasso"): PRINTED_DESIGN._replace(band=6.0),
}


@dataclass(frozen=True)
class Study:
    """Errors, zeros found, blocks that are zero, and what else was seen, one entry a run."""

    errors: dict[str, np.ndarray]
    zeros: dict[str, np.ndarray]
    nulls: np.ndarray
    failure: float

    def share(self, name: str) -> tuple[float, float]:
        """Percentage of zero blocks found, and its standard error over runs."""
        found, nulls = self.zeros[name], self.nulls[: len(self.zeros[name])]
        share = found.sum() / nulls.sum()
        return 100 * float(share), 100 * float(np.sqrt(np.sum((found - share * nulls) ** 2)) / nulls.sum())

    def error(self, name: str) -> tuple[float, float]:
        """Mean relative error and its standard error."""
        return _mean(self.errors[name])


def design(kind: str, rng: np.random.Generator) -> np.ndarray:
    """Columns: independent ("iid"), by the printed recursion ("walk"), or stationary with correlation 0.8 ("ar")."""
    G = rng.standard_normal((N, BLOCKS * SIZE))
    if kind == "walk":
        return np.cumsum(np.column_stack([G[:, 0], 0.2 * G[:, 1:]]), axis=1)
    if kind == "ar":
        for j in range(1, G.shape[1]):
            G[:, j] = 0.8 * G[:, j - 1] + 0.6 * G[:, j]
    return G


def draw(kind: str, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """One data set: design, targets, coefficients and the variance of the noise."""
    rng = np.random.default_rng(seed)
    filled = np.append(True, rng.random(4) < 0.5)
    theta = np.zeros((BLOCKS, SIZE))
    for i in rng.permutation(BLOCKS)[: filled.sum()]:
        reach = rng.uniform(0, 100)
        theta[i] = rng.uniform(-reach, reach, SIZE)
    G = design(kind, rng)
    signal = G @ theta.ravel()
    noise = float(signal.var()) / 25
    return G, signal + np.sqrt(noise) * rng.standard_normal(N), theta.ravel(), noise


def study(kind: str, n_runs: int, n_looks: int = 0) -> Study:
    """Runs of one experiment; ``n_looks`` of them also with other penalties than the validated ones."""
    errors: dict[str, list[float]] = {}
    zeros: dict[str, list[int]] = {}
    nulls, failure = [], 0.0
    for seed in range(n_runs):
        G, y, theta, noise = draw(kind, seed)
        null = np.linalg.norm(theta.reshape(BLOCKS, SIZE), axis=1) == 0
        nulls.append(int(null.sum()))
        models = _fitted(G, y, seed)
        failure = max(failure, models["ARD"].kkt_violation_, models["PARD"].kkt_violation_)
        for name, model in models.items():
            errors.setdefault(name, []).append(_relative(model.coef_, theta))
            small = model.variances_[null] / max(model.variances_.max(), np.finfo(float).tiny)
            for label, limit in (("", 0.0), (", below 1e-4", 1e-4), (", below 1e-3", 1e-3)):
                zeros.setdefault(name + label, []).append(int(np.sum(small <= limit)))
        errors.setdefault("known", []).append(_relative(_with_known_variances(G, y, theta, noise), theta))
        if seed < n_looks:
            _look_around(G, y, theta, null, models, errors, zeros)
    listed = {name: np.array(values) for name, values in errors.items()}
    return Study(listed, {name: np.array(found) for name, found in zeros.items()}, np.array(nulls), failure)


def _fitted(G: np.ndarray, y: np.ndarray, seed: int) -> dict[str, Any]:
    options: dict[str, Any] = {"fit_intercept": False, "random_state": seed}
    models = {
        "ARD": GroupARDRegressor(SIZE, **options),
        "PARD": GroupARDRegressor(SIZE, gamma="validation", **options),
        "GLasso": GroupLassoMKL(SIZE, **options),
    }
    return {name: model.fit(G, y) for name, model in models.items()}


def _with_known_variances(G: np.ndarray, y: np.ndarray, theta: np.ndarray, noise: float) -> np.ndarray:
    """The posterior mean under each block's true mean square and the true noise: what no estimator knows."""
    prior = np.repeat(np.mean(theta.reshape(BLOCKS, SIZE) ** 2, axis=1), SIZE)
    return prior * (G.T @ np.linalg.solve((G * prior) @ G.T + noise * np.eye(N), y))


def _look_around(
    G: np.ndarray, y: np.ndarray, theta: np.ndarray, null: np.ndarray, models: dict[str, Any],
    errors: dict[str, list[float]], zeros: dict[str, list[int]],
) -> None:  # fmt: skip
    """PARD with the best gamma of its grid for the true coefficients; GLasso with multiples of its gamma."""
    options = {"noise_var": models["ARD"].noise_var_, "fit_intercept": False}
    tried = [GroupARDRegressor(SIZE, gamma=gamma, **options).fit(G, y) for gamma in models["PARD"].gammas_]
    errors.setdefault("best PARD", []).append(min(_relative(model.coef_, theta) for model in tried))
    for multiple in MULTIPLES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            lasso = GroupLassoMKL(SIZE, gamma=multiple * models["GLasso"].gamma_, tol=1e-6, **options).fit(G, y)
        errors.setdefault(f"GLasso x {multiple}", []).append(_relative(lasso.coef_, theta))
        zeros.setdefault(f"GLasso x {multiple}", []).append(int(np.sum(lasso.variances_[null] == 0)))


def _relative(coef: np.ndarray, theta: np.ndarray) -> float:
    return float(np.linalg.norm(coef - theta) / np.linalg.norm(theta))


def _mean(values: np.ndarray) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def table_rows(number: int, found: Study) -> list[Row]:
    """Tables 1 and 2, and who is ahead in how many runs."""
    rows, n_runs, label = [], len(found.nulls), f"Experiment {number}"
    for method, published in zip(METHODS, ERRORS[number]):
        here, error = found.error(method)
        quantity = f"{label}: mean relative error, {method}"
        gap = PRINTED_DESIGN if number == 2 else None
        rows.append(Row.printed_at_most(quantity, "Table 1", published, here, standard_error=error, gap=gap))
    for method, percent in zip(METHODS, ZEROS[number]):
        here, error = found.share(method)
        quantity = f"{label}: zero blocks found, %, {method}"
        gap = ZERO_GAPS.get((number, method))
        rows.append(Row.printed_at_least(quantity, "Table 2", percent, here, standard_error=error, gap=gap))
    for method in ("ARD", "PARD"):
        ahead = float(np.mean(found.errors[method] < found.errors["GLasso"]))
        rows.append(
            Row.printed_at_least(
                f"{label}: share of runs in which {method} errs less than GLasso",
                "Section 4.2",
                0.9,
                ahead,
                standard_error=float(np.sqrt(ahead * (1 - ahead) / n_runs)),
                gap=PRINTED_DESIGN if number == 2 else None,
            )
        )
        here, error = _mean(found.errors["GLasso"] - found.errors[method])
        statement = f"{label}: {method} errs less than GLasso on average"
        rows.append(Row.claim_positive(statement, "Section 4.2", here, standard_error=error))
    here, error = _mean(found.errors["ARD"] - found.errors["PARD"])
    statement = f"{label}: PARD errs less than ARD on average"
    rows.append(Row.claim_positive(statement, "Table 1", here, standard_error=error, gap=VALIDATED))
    return rows


def reason_rows(first: Study, second: Study, other: Study) -> list[Row]:
    """What shows why some numbers are not reached, and numbers of ours beside them."""
    rows = [Row.check_at_most(STATIONARY, 1e-6, max(first.failure, second.failure))]
    rows.append(Row.check_at_least(KNOWN, max(ERRORS[2]), second.error("known")[0]))
    for method in METHODS:
        rows.append(Row.ours(f"G_j = 0.8 G_(j-1) + 0.6 v: mean relative error, {method}", other.error(method)[0]))
        rows.append(Row.ours(f"G_j = 0.8 G_(j-1) + 0.6 v: zero blocks found, %, {method}", other.share(method)[0]))
        for label in (", below 1e-4", ", below 1e-3"):
            quantity = f"Experiment 1: zero blocks found, %, {method}{label} of the largest variance counting as zero"
            rows.append(Row.ours(quantity, first.share(method + label)[0]))
    enough = next((m for m in MULTIPLES if first.share(f"GLasso x {m}")[0] >= ZEROS[1][2]), MULTIPLES[-1])
    rows.append(Row.check_at_most(CURVE, ERRORS[1][2], first.error(f"GLasso x {enough}")[0]))
    for multiple in MULTIPLES:
        name = f"GLasso x {multiple}"
        rows.append(Row.ours(f"Experiment 1: mean relative error, GLasso at {multiple} gamma", first.error(name)[0]))
        rows.append(Row.ours(f"Experiment 1: zero blocks found, %, GLasso at {multiple} gamma", first.share(name)[0]))
    best = first.errors["best PARD"]
    here, error = _mean(first.errors["ARD"][: len(best)] - best)
    rows.append(Row.claim_positive(ROOM, "Remark 17", here, standard_error=error))
    return rows
