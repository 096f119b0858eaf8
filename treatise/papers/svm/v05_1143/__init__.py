"""The examples and constants of the error analysis, computed (Chen, Wu, Ying & Zhou, JMLR 5:1143)."""

import numpy as np
from matplotlib.figure import Figure
from scipy.integrate import quad
from scipy.optimize import minimize

from treatise.papers._evidence import Evidence, Row
from treatise.papers.svm.v05_1143.bounds import comparison_constant, q_norm_minimal_risk, regularization_error_bound
from treatise.svm import QNormSVC, plot_q_norm_calibration, theory_cost

SHARE = 8 * np.sqrt(2)
"""Example 1: the separating function is below t in size on a share of at most this times t."""


def experiment(*, full: bool = False) -> Evidence:
    """Example 1 with its conjecture, the comparison of errors, the instability of the hinge, and probabilities.

    Parameters
    ----------
    full : bool, default=False
        40 draws of Example 1 up to 6400 rows, instead of 20 up to 1600.
    """
    sizes, n_draws = ((100, 400, 1600, 6400), 40) if full else ((100, 400, 1600), 20)
    errors = {q: _example_errors(q, sizes, n_draws) for q in (1.5, 2.0, 3.0)}
    rows = [
        *_example_rows(errors, sizes),
        _linear_row(n_draws),
        *_regularization_rows(),
        *_constant_rows(),
        *_stability_rows(),
        *_probability_rows(),
    ]
    return Evidence(rows, _figure(errors, sizes))


def example_data(m: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Uniform points of [-1/2, 1/2], of the second class where they are at least 1/4 in size (Example 1)."""
    x = np.random.RandomState(seed).uniform(-0.5, 0.5, (m, 1))
    return x, np.where(np.abs(x[:, 0]) >= 0.25, 1, -1)


def quadratic_kernel(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The kernel (x y)^2 of Example 1 (b)."""
    return (a @ b.T) ** 2


def _example_errors(q: float, sizes: tuple[int, ...], n_draws: int) -> np.ndarray:
    """Exact errors, one row for each size, at the cost C = m^3 of the conjecture."""
    errors = np.empty((len(sizes), n_draws))
    for i, m in enumerate(sizes):
        for seed in range(n_draws):
            x, y = example_data(m, seed)
            machine = QNormSVC(q, theory_cost(m, 1.0), kernel=quadratic_kernel, tol=1e-6).fit(x, y)
            slope = machine.dual_coef_ @ x[machine.support_, 0] ** 2
            edge = min(np.sqrt(max(-machine.intercept_ / slope, 0.0)), 0.5)
            errors[i, seed] = 2.0 * abs(edge - 0.25)
    return errors


def _example_rows(errors: dict[float, np.ndarray], sizes: tuple[int, ...]) -> list[Row]:
    rows = []
    logs = np.log(sizes)
    for q, found in errors.items():
        exponent, covariance = np.polyfit(logs, np.log(found.mean(axis=1)), 1, cov="unscaled")
        spread = np.std(found, axis=1, ddof=1) / found.mean(axis=1) / np.sqrt(found.shape[1])
        error = float(np.sqrt(covariance[0, 0]) * np.sqrt(np.mean(spread**2)))
        rows.append(
            Row.printed(
                f"Example 1, q = {q:g}, C = m^3: exponent of the error in m", "Conjecture 13", -1.0,
                float(exponent[0]), standard_error=error, why="the fitted slope over the draws",
            )
        )  # fmt: skip
        for m, values in zip(sizes, found):
            rows.append(
                Row.ours(f"Example 1, q = {q:g}, C = m^3: m times the error, m = {m}", float(m * values.mean()))
            )
    m = sizes[-1]
    # The bound of Example 1 (b) is far above one for such m, and says nothing of an error.
    worst = float(np.quantile(errors[2.0][-1], 0.95))
    rows.append(Row.ours(f"Example 1 (b), q = 2, m = {m}: 95 per cent quantile of the error", worst))
    return rows


def _linear_row(n_draws: int) -> Row:
    """With the linear kernel the border is one point, and at least a quarter of the line is on its wrong side."""
    errors = []
    for seed in range(n_draws):
        x, y = example_data(400, seed)
        machine = QNormSVC(2.0, 400.0, kernel="linear").fit(x, y)
        grid = (np.arange(20_000) + 0.5) / 20_000 - 0.5
        errors.append(np.mean((machine.decision_function(grid[:, None]) >= 0) != (np.abs(grid) >= 0.25)))
    return Row.check_at_least("Example 1 (a), q = 2: least error of the linear kernel", 0.25, float(np.min(errors)))


def _regularization_rows() -> list[Row]:
    """The regularisation error of Example 1 by quadrature, between its bounds (17) and (34)."""
    q, C = 2.0, 1e4

    def total(parameters: np.ndarray) -> float:
        slope, offset = parameters * [1e2, 1.0]
        inner = quad(lambda x: max(0.0, 1 + (slope * x * x + offset)) ** q, 0, 0.25, limit=200)[0]
        outer = quad(lambda x: max(0.0, 1 - (slope * x * x + offset)) ** q, 0.25, 0.5, limit=200)[0]
        return 2 * (inner + outer) + (slope**2) / (2 * C)

    least = float(minimize(total, [0.5, -3.0], method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-10}).fun)
    kappa = 1 / (1 + q * 4 ** (q - 2))
    upper = regularization_error_bound(C, 1.0, constant=float(SHARE))
    return [
        Row.ours(
            f"Example 1, C = {C:g}: regularisation error over the bound from below (17)", least / (kappa**2 / (2 * C))
        ),
        Row.check_at_most(f"Example 1, C = {C:g}: regularisation error against (34)", upper, least),
    ]


def _constant_rows() -> list[Row]:
    """Theorem 14: the constant is the largest ratio of squared excess error to excess loss, at the score zero."""
    r = np.concatenate([np.geomspace(1e-3, 0.5, 200), np.linspace(0.5, 1, 200)])
    rows = []
    for q in (1.5, 2.0, 3.0, 5.0):
        ratio = float(np.max(r**2 / (1 - q_norm_minimal_risk((1 + r) / 2, q))))
        rows.append(
            Row.check(
                f"q = {q:g}: constant between excess error and excess loss (41)",
                comparison_constant(q),
                ratio,
                within=1e-5,
                why="the supremum is approached as r goes to 0, on a grid down to 0.001",
            )
        )
    return rows


def _stability_rows() -> list[Row]:
    """Section 4: one label of 2 n + 1 at the same point changes the hinge machine from 1 to -1."""
    X = np.zeros((201, 1))
    rows = []
    for q in (1.0, 1.5, 2.0):
        values = [
            float(QNormSVC(q, 1.0, tol=1e-9).fit(X, np.repeat([1, -1], [k, 201 - k])).decision_function(X[:1])[0])
            for k in (101, 100)
        ]
        change = abs(values[0] - values[1])
        if q == 1:
            why = "tolerance of the solver"
            rows.append(
                Row.printed(
                    "q = 1: change of the machine by one label of 201", "Section 4", 2.0, change, within=1e-6, why=why
                )
            )
        else:
            rows.append(Row.ours(f"q = {q:g}: change of the machine by one label of 201", change))
    return rows


def logistic_data(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of two features, their classes, and the probabilities of these."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n, 2))
    truth = 1 / (1 + np.exp(-2 * X[:, 0] - X[:, 1] ** 2 + 1))
    return X, (rng.random(n) < truth).astype(int), truth


def _probability_rows() -> list[Row]:
    X, y, _ = logistic_data(1000, 0)
    new, _, truth = logistic_data(4000, 1)
    rows = []
    for q in (1.2, 1.5, 2.0, 3.0):
        found = QNormSVC(q, 300.0, gamma=0.3).fit(X, y).predict_proba(new)[:, 1]
        quantity = f"q = {q:g}: mean absolute error of the probabilities, 1000 rows of a logistic model"
        rows.append(Row.ours(quantity, float(np.abs(found - truth).mean())))
    return rows


def _figure(errors: dict[float, np.ndarray], sizes: tuple[int, ...]) -> Figure:
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for q, found in errors.items():
        left.loglog(sizes, found.mean(axis=1), "o-", label=f"q = {q:g}")
    left.loglog(sizes, 1 / np.array(sizes), "--", color="grey", label="1 / m")
    left.set(xlabel="m", ylabel="error", title="Example 1, C = m^3")
    left.legend()
    X, y, _ = logistic_data(1000, 0)
    new, labels, _ = logistic_data(4000, 1)
    for q in (1.5, 2.0, 3.0):
        plot_q_norm_calibration(QNormSVC(q, 300.0, gamma=0.3).fit(X, y), new, labels, ax=right)
    right.set_title("Probabilities on new rows")
    return figure
