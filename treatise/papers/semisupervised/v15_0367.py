"""Unbiased generative semi-supervised learning (Fox-Roberts & Rosten, JMLR 15:367): Tables 1 and 2, bias, variance."""

from typing import TYPE_CHECKING

import numpy as np
from sklearn.datasets import load_wine

from treatise._core.errors import TreatiseError
from treatise.datasets import load_table
from treatise.papers._evidence import Evidence, Gap, Row
from treatise.semisupervised import objective_variance
from treatise.semisupervised.generative._densities import DENSITIES
from treatise.semisupervised.generative._objective import Objective, log_joint, weights_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OBJECTIVES = {"SSunb": "unbiased", "LL": "supervised", "SSb": "biased"}
LABELLED = (0.025, 0.05, 0.1, 0.2)
UNLABELLED = (0.025, 0.05, 0.1, 0.2, 0.4, 0.8)
LOSS = {
    "SVMguide1": {"SSunb": 0.379, "LL": 0.417, "SSb": 1.18},
    "Wine": {"SSunb": 19.4, "LL": 58.4, "SSb": 23.0},
    "Haberman": {"SSunb": 4.75, "LL": 7.30, "SSb": 5.02},
    "Pima": {"SSunb": 3.60, "LL": 4.30, "SSb": 4.24},
}
"""Table 1: mean negative log likelihood of test rows."""
ERROR = {
    "SVMguide1": {"SSunb": 0.0597, "LL": 0.0597, "SSb": 0.189},
    "Wine": {"SSunb": 0.144, "LL": 0.163, "SSb": 0.190},
    "Haberman": {"SSunb": 0.298, "LL": 0.298, "SSb": 0.371},
    "Pima": {"SSunb": 0.296, "LL": 0.292, "SSb": 0.348},
}
"""Table 2: mean error rate."""
FLOOR = 1e-3
"""Added to the variances of columns between -1 and 1: the paper does not say what keeps them from zero."""
WIDE_FLOOR = 0.1
REPETITIONS = 100
"""Of the paper, for each pair of shares."""
BRACKETED = "{}: with floors of 0.001 and 0.1 the losses of LL lie on both sides of the printed one"


def experiment(*, full: bool = False) -> Evidence:
    """The paper's tables at hand, a model that is wrong by design, and the variance of the objective."""
    skipped = [
        "Tables 1 and 2, Diabetes, Glass, Blood, Ecoli and Fourclass: the data are not at hand",
        "Tables 1 and 2, columns MCer, MCnll, ERer, ERnll and XR: other authors' objectives, tuned by cross-validation",
    ]
    rows = wrong_model_rows(20 if full else 6) + variance_rows(20_000)
    losses: dict[str, dict[str, np.ndarray]] = {}
    for name in LOSS:
        try:
            X, y, X_test, y_test = table(name)
        except TreatiseError as missing:
            skipped.append(f"Tables 1 and 2, {name}: {missing}")
            continue
        repeats = REPETITIONS if full else {"SVMguide1": 2, "Wine": 5, "Haberman": 5, "Pima": 3}[name]
        found, errors = trials(X, y, X_test, y_test, repeats)
        losses[name] = found
        rows += table_rows(name, found, errors, len(y) // 5 if y_test is None else len(y_test))
        if name != "SVMguide1":
            wide = trials(X, y, X_test, y_test, min(repeats, 10), {"LL": "supervised"}, WIDE_FLOOR)[0]["LL"]
            printed = LOSS[name]["LL"]
            rows.append(Row.check(BRACKETED.format(name), True, bool(wide.mean() < printed < found["LL"].mean())))
    return Evidence(rows, _figure(losses) if losses else None, skipped)


# The paper's tables.


def table(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, np.ndarray | None]:
    """Columns between -1 and 1; SVMguide1 has test rows of its own."""
    if name == "SVMguide1":
        (X, y), (X_test, y_test) = (load_table(f"libsvm/svmguide1{part}").arrays() for part in ("", ".t"))
        low, high = X.min(axis=0), X.max(axis=0)
        return _scaled(X, low, high), _codes(y), _scaled(X_test, low, high), _codes(y_test)
    X, y = load_wine(return_X_y=True) if name == "Wine" else load_table(f"keel/{name.lower()}.dat").arrays()
    X = np.asarray(X, dtype=np.float64)
    return _scaled(X, X.min(axis=0), X.max(axis=0)), _codes(y), None, None


def _scaled(X: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return 2.0 * (np.asarray(X, dtype=np.float64) - low) / (high - low) - 1.0


def _codes(y: np.ndarray) -> np.ndarray:
    return np.unique(y, return_inverse=True)[1]


Losses = dict[str, np.ndarray]


def trials(
    X: np.ndarray, y: np.ndarray, X_test: np.ndarray | None, y_test: np.ndarray | None, repeats: int,
    objectives: dict[str, str] = OBJECTIVES, floor: float = FLOOR,
) -> tuple[Losses, Losses]:  # fmt: skip
    """Loss and error on test rows, a row for each repetition and a column for each pair of shares."""
    losses: dict[str, list[list[float]]] = {name: [] for name in objectives}
    errors: dict[str, list[list[float]]] = {name: [] for name in objectives}
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(y))
        if X_test is None or y_test is None:
            held_out, train = order[: len(y) // 5], order[len(y) // 5 :]
            rows, labels = X[held_out], y[held_out]
        else:
            train, rows, labels = order, X_test, y_test
        found: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in objectives}
        for n_labelled in (max(round(share * len(train)), len(np.unique(y))) for share in LABELLED):
            chosen = _with_every_class(train, y, n_labelled, rng)
            for share in UNLABELLED:
                used = chosen[: n_labelled + round(share * len(train))]
                known = np.where(np.arange(len(used)) < n_labelled, y[used], -1)
                for name, (loss, error) in _fits(X[used], known, rows, labels, rng, objectives, floor).items():
                    found[name][0].append(loss)
                    found[name][1].append(error)
        for name in objectives:
            losses[name].append(found[name][0])
            errors[name].append(found[name][1])
    return {n: np.array(v) for n, v in losses.items()}, {n: np.array(v) for n, v in errors.items()}


def _with_every_class(train: np.ndarray, y: np.ndarray, n_labelled: int, rng: np.random.Generator) -> np.ndarray:
    """Rows in random order, with every class among the first ones: a class without a label cannot be fitted."""
    while True:
        order = rng.permutation(train)
        if len(np.unique(y[order[:n_labelled]])) == len(np.unique(y)):
            return order


def _fits(
    X: np.ndarray, y: np.ndarray, X_test: np.ndarray, y_test: np.ndarray, rng: np.random.Generator | None = None,
    objectives: dict[str, str] = OBJECTIVES, floor: float = FLOOR,
) -> dict[str, tuple[float, float]]:  # fmt: skip
    """Loss and error of each objective, with the paper's single normal density of a class in every column.

    With a generator all climbs begin at the same random parameters, as in the paper, else at the supervised fit.
    """
    labelled = y >= 0
    rows, codes, others = X[labelled], y[labelled], X[~labelled]
    counts = np.bincount(codes)
    density = DENSITIES["diag"](len(counts), X.shape[1], counts, 0.0, floor)
    start = None
    if rng is not None:
        means = X[rng.choice(len(X), len(counts), replace=False)]
        start = np.concatenate(
            [np.zeros(len(counts)), means.ravel(), np.log(np.tile(X.var(axis=0) + floor, len(counts)))]
        )
    found = {}
    for name, words in objectives.items():
        objective = Objective(density, rows, codes, others, weights_of(words, len(codes), len(others)))
        theta, _ = objective.maximise(2000, 1e-4, start)
        joint = log_joint(density, theta, X_test)
        loss = -float(joint[np.arange(len(y_test)), y_test].mean())
        found[name] = loss, float(np.mean(joint.argmax(axis=1) != y_test))
    return found


def table_rows(name: str, losses: Losses, errors: Losses, n_test: int) -> list[Row]:
    """The order of the objectives that the tables print, and the printed error rate of the unbiased one."""
    rows = []
    for other in ("LL", "SSb"):
        if LOSS[name][other] > LOSS[name]["SSunb"]:
            words = f"{name}: the test rows are likelier by SSunb than by {other}, nats"
            rows.append(_gain(words, "Table 1", losses[other] - losses["SSunb"]))
    rows.append(_gain(f"{name}: SSunb errs less than SSb, %", "Table 2", 100 * (errors["SSb"] - errors["SSunb"])))
    printed = ERROR[name]["SSunb"]
    rows.append(
        Row.printed(
            f"{name}: mean error rate, SSunb", "Table 2", printed, round(float(errors["SSunb"].mean()), 4),
            standard_error=(printed * (1 - printed) / n_test) ** 0.5, effect=ERROR[name]["SSb"] - printed,
            why=f"the paper's one set of {n_test} test rows",
        )
    )  # fmt: skip
    for objective, loss in LOSS[name].items():
        others = [abs(other - loss) for key, other in LOSS[name].items() if key != objective]
        words = f"{name}: mean negative log likelihood, {objective}"
        rows.append(_printed_mean(words, "Table 1", loss, losses[objective], min(others), _gap(name, 0.1 * loss)))
    for objective in ("LL", "SSb"):
        words, rate = f"{name}: mean error rate, {objective}", ERROR[name][objective]
        effect = abs(ERROR[name]["SSb"] - ERROR[name]["LL"])
        rows.append(_printed_mean(words, "Table 2", rate, errors[objective], effect, _gap(name, 0.02)))
    return rows


def _gap(name: str, band: float) -> Gap:
    """Why a mean of a set differs from the paper's."""
    if name == "SVMguide1":
        return Gap("floors of the variances from 0 to 0.1 were tried and none gives the printed losses; what else "
                   "differs is not known", band)  # fmt: skip
    return Gap("what keeps the variances of few rows from zero decides the losses, and the paper does not say it: a "
               "floor of 0.001 here", band, shown_by=BRACKETED.format(name))  # fmt: skip


def _printed_mean(quantity: str, place: str, published: float, values: np.ndarray, effect: float, gap: Gap) -> Row:
    """A mean over repetitions beside the paper's, which has a hundred."""
    means = values.mean(axis=1)
    error = float(means.std(ddof=1)) * (1 / len(means) + 1 / REPETITIONS) ** 0.5
    return Row.printed(
        quantity, place, published, round(float(means.mean()), 4), standard_error=error, effect=effect, gap=gap
    )


def _gain(statement: str, place: str, gains: np.ndarray) -> Row:
    """A difference over the repetitions, each the mean over the pairs of shares."""
    means = gains.mean(axis=1)
    error = float(means.std(ddof=1)) / len(means) ** 0.5 if len(means) > 1 else float("inf")
    return Row.claim_positive(statement, place, float(means.mean()), standard_error=error)


# A model that is wrong by design.


def two_humps(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A class of two clusters, which one normal density cannot be, and a class between them."""
    y = rng.integers(0, 2, n)
    side = rng.choice([-2.0, 2.0], n)
    centre = np.where(y[:, np.newaxis] == 0, np.c_[side, np.zeros(n)], [0.0, 1.5])
    return centre + np.sqrt(0.3) * rng.normal(size=(n, 2)), y


def wrong_model_rows(repeats: int) -> list[Row]:
    """Theorems 8 and 10: bias grows with the unlabelled rows in the usual objective, and not in the unbiased one."""
    sizes = (100, 1000, 10_000)
    loss = {name: np.empty((repeats, len(sizes))) for name in OBJECTIVES}
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        (X, y), (others, _), (X_test, y_test) = two_humps(200, rng), two_humps(sizes[-1], rng), two_humps(20_000, rng)
        for at, size in enumerate(sizes):
            found = _fits(np.r_[X, others[:size]], np.r_[y, np.full(size, -1)], X_test, y_test)
            for name in OBJECTIVES:
                loss[name][seed, at] = found[name][0]
    few, many = (loss["SSb"][:, at] - loss["SSunb"][:, at] for at in (0, -1))
    rows = [
        _pair("two humps, 10 000 unlabelled: SSunb likelier than LL, nats", "Theorem 10", loss["LL"], loss["SSunb"]),
        _pair("two humps, 10 000 unlabelled: LL likelier than SSb, nats", "Theorem 7", loss["SSb"], loss["LL"]),
        Row.claim_positive(
            "two humps: what SSb loses to SSunb grows from 100 to 10 000 unlabelled rows, nats", "Theorem 8",
            float((many - few).mean()), standard_error=float((many - few).std(ddof=1)) / repeats**0.5,
        ),
    ]  # fmt: skip
    return rows + [
        Row.ours(f"two humps, 10 000 unlabelled rows: test loss, {name}", round(float(loss[name][:, -1].mean()), 4))
        for name in OBJECTIVES
    ]


def _pair(statement: str, place: str, worse: np.ndarray, better: np.ndarray) -> Row:
    gains = worse[:, -1] - better[:, -1]
    error = float(gains.std(ddof=1)) / len(gains) ** 0.5
    return Row.claim_positive(statement, place, float(gains.mean()), standard_error=error)


def variance_rows(repeats: int) -> list[Row]:
    """Equation 27 against draws of data, for a fixed model of one binary column and two classes."""
    rng = np.random.default_rng(0)
    chances = np.array([0.2, 0.1, 0.3, 0.4])  # of (x, y) = 00, 01, 10, 11
    marginal, conditional = np.array([1.2, 1.2, 0.3, 0.3]), np.array([0.1, 1.5, 0.9, 0.4])
    n_labelled, n_unlabelled = 20, 60
    cells = rng.choice(4, p=chances, size=(repeats, n_labelled + n_unlabelled))
    drawn = conditional[cells[:, :n_labelled]].mean(axis=1) + marginal[cells].mean(axis=1)
    often = np.rint(1000 * chances).astype(int)
    rows = np.repeat(conditional, often), np.repeat(marginal, often)
    exact = objective_variance(*rows, 0)
    expected = float(rows[0].var()) / n_labelled + exact.gain / (n_labelled + n_unlabelled)
    # The variance of a sample variance of nearly normal means.
    error = expected * (2.0 / repeats) ** 0.5
    return [Row.check("variance of the objective, Equation 27", expected, float(drawn.var()), standard_error=error)]


def _figure(losses: dict[str, Losses]) -> "Figure":
    """Figures 1 and 4: loss against the share of unlabelled rows, for the smallest share of labels."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.5, 5.5), layout="constrained")
    for axes, (name, found) in zip(figure.subplots(2, 2).ravel(), losses.items()):
        for objective, colour in zip(OBJECTIVES, ("#1b6ca8", "#808080", "#c44e52")):
            grid = found[objective].mean(axis=0).reshape(len(LABELLED), len(UNLABELLED))
            axes.plot(UNLABELLED, grid[1], color=colour, marker="o", label=objective)
        axes.set_xscale("log")
        axes.set_title(f"{name}, {LABELLED[1]:.0%} of the rows labelled")
        axes.set_xlabel("share of unlabelled rows")
        axes.set_ylabel("test loss, nats")
    figure.axes[0].legend()
    return figure
