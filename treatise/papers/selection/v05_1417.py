"""Second-order cones for feature selection (Bhattacharyya, JMLR 5:1417): Table 1, Figures 1-7 on other expressions."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from treatise._core.errors import TreatiseError
from treatise.datasets import load_colon_expression, load_prostate_expression, make_graded_features
from treatise.papers._evidence import Evidence, Gap, Row
from treatise.selection import (
    L1MarginClassifier,
    MomentSparseClassifier,
    fisher_bound,
    leave_one_out_features,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TABLE_1 = {0.0: 1, 0.2: 1, 0.4: 1, 0.6: 1, 0.8: 1, 0.9: 1, 0.95: 2, 0.99: 4}
"""Number of features by eta; they are the last of the ten informative ones."""
LP_FEATURES = 9
LATER = Gap(
    "with the deviation of 1 that the paper states, the optimum has fewer features; those of eta 0.99 come where the "
    "informative features deviate by 1.5, and solutions are optimal to many digits (see the rows of both)",
    band=1.0,
    shown_by="Synthetic with a deviation of 1.5, eta 0.99: features of all fits without one row, median",
)
FEWER = Gap(
    "the optimum of the programme has two or three features on every draw (see the row of its gap), four with a "
    "deviation of 1.5. The cause is not known",
    band=1.0,
    shown_by="Synthetic: largest duality gap of the linear programme",
)
RADII = (0.0, 0.04, 0.08)
FIGURE_ETAS = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95)


def experiment(*, full: bool = False) -> Evidence:
    """The synthetic table over draws, robustness, bounds; selections without one row on real expressions."""
    curves: dict[str, tuple[list[float], list[int], list[float], int]] = {}
    rows = [
        *synthetic_rows(20 if full else 2),
        *programme_rows(20 if full else 1),
        *robust_rows(20 if full else 3),
        *bound_rows(),
    ]
    parts: list[Callable[[], list[Row]]] = [
        lambda: expression_rows("Colon", *load_colon_expression(), FIGURE_ETAS if full else (0.3, 0.7), curves)
    ]
    if full:
        parts.append(lambda: expression_rows("Prostate", *load_prostate_expression(), FIGURE_ETAS, curves))
    skipped = [
        "Table 2 and Figures 2-7 on the six sets of small round blue cell tumours: they are not at hand; what the text "
        "says of them is tried on other expressions"
    ]
    for part in parts:
        try:
            rows += part()
        except TreatiseError as missing:
            skipped.append(str(missing))
    return Evidence(rows, _figure(curves), skipped)


def synthetic_rows(n_draws: int) -> list[Row]:
    """Table 1: features that any of the fits without one row selects, and the errors of these fits."""
    counts: dict[float, list[int]] = {eta: [] for eta in TABLE_1}
    errors, gaps, wider, last_ones = [], [], [], True
    for seed in range(n_draws):
        X, y = make_graded_features(random_state=seed)
        for eta, sizes in counts.items():
            found = leave_one_out_features(MomentSparseClassifier(eta), X, y)
            sizes.append(len(found.features))
            errors.append(found.error)
            gaps.append(MomentSparseClassifier(eta).fit(X, y).duality_gap_)
            last_ones &= set(found.features + 1) <= set(range(6, 11))
        means = np.outer(y, -np.arange(1, 11))
        X[:, :10] = 1.5 * (X[:, :10] - means) + means
        wider.append(len(leave_one_out_features(MomentSparseClassifier(0.99), X, y).features))
    rows = [
        Row.printed(
            f"Synthetic, eta {eta:g}: features of all fits without one row, median", "Table 1", published,
            float(np.median(counts[eta])), within=0.5, why="a whole number", effect=1.0,
            gap=LATER if eta > 0.9 else None,
        )
        for eta, published in TABLE_1.items()
    ]  # fmt: skip
    return [
        *rows,
        Row.check(LATER.shown_by, TABLE_1[0.99], float(np.median(wider)), within=0.5, why="a whole number"),
        Row.claim("Synthetic: the features are among the last five of the ten", "Table 1", last_ones),
        Row.printed_at_most("Synthetic: leave-one-out error, largest of all", "p. 1425", 0.0, max(errors)),
        Row.check_at_most("Synthetic: largest duality gap of all fits to whole sets", 1e-7, max(gaps)),
    ]


def programme_rows(n_draws: int) -> list[Row]:
    """Section 5: the features of the linear programme (5)."""
    sizes, gaps, more = [], [], []
    for seed in range(n_draws):
        X, y = make_graded_features(random_state=seed)
        sizes.append(len(leave_one_out_features(L1MarginClassifier(C=np.inf), X, y).features))
        gaps.append(L1MarginClassifier(C=np.inf).fit(X, y).duality_gap_)
        more.append(sizes[-1] - len(leave_one_out_features(MomentSparseClassifier(0.9), X, y).features))
    return [
        Row.printed(
            "Synthetic: features of the linear programme without one row, median", "p. 1426", LP_FEATURES,
            float(np.median(sizes)), within=0.5, why="a whole number", effect=1.0, gap=FEWER,
        ),
        Row.claim("Synthetic: the linear programme picks more features than eta 0.9", "p. 1426", min(more) > 0),
        Row.check_at_most(FEWER.shown_by, 1e-7, max(gaps)),
    ]  # fmt: skip


def robust_rows(n_draws: int) -> list[Row]:
    """Figure 1: more features, and a larger objective, for larger errors of the means allowed for."""
    sizes, costs = np.zeros((n_draws, len(RADII))), np.zeros((n_draws, len(RADII)))
    for seed in range(n_draws):
        X, y = make_graded_features(random_state=seed)
        for k, radius in enumerate(RADII):
            model = MomentSparseClassifier(0.99, mean_radius=radius).fit(X, y)
            sizes[seed, k], costs[seed, k] = len(model.selected_), model.objective_
    means = sizes.mean(axis=0)
    return [
        Row.claim("Synthetic: more features for a larger delta", "Figure 1", bool(np.all(np.diff(means) > 0))),
        *(Row.ours(f"Synthetic, eta 0.99, delta {radius:g}: features", n) for radius, n in zip(RADII, means.tolist())),
        Row.check_at_least("Synthetic: least rise of the objective with delta", 0.0, float(np.diff(costs).min())),
    ]


def bound_rows() -> list[Row]:
    """Section 3: one feature where nothing is promised, and promises that the sample itself keeps."""
    X, y = make_graded_features(200, 30, random_state=0)
    parts = [X[y == label] for label in (-1, 1)]
    means = np.array([part.mean(axis=0) for part in parts])
    bound = fisher_bound(means, [np.cov(part.T, bias=True) for part in parts])
    first = MomentSparseClassifier(0.0).fit(X, y)
    slack = []
    for eta in (0.5, 0.8, 0.95):
        model = MomentSparseClassifier(eta).fit(X, y)
        slack += [float(np.mean(model.predict(part) == label)) - eta for part, label in zip(parts, (-1, 1))]
    ranks = (parts[1] @ bound.weights)[:, np.newaxis] > parts[0] @ bound.weights
    return [
        Row.check(
            "Objective at eta 0", 2.0 / float(np.abs(means[1] - means[0]).max()), first.objective_, within=1e-7,
            why="rounding of an interior-point method",
        ),
        Row.check_at_least("Right side less eta, least over classes and eta", 0.0, min(slack)),
        Row.check_at_least("Pairs in the right order by Fisher's discriminant", bound.eta, float(ranks.mean())),
    ]  # fmt: skip


def expression_rows(
    name: str, X: np.ndarray, y: np.ndarray, etas: tuple[float, ...],
    curves: dict[str, tuple[list[float], list[int], list[float], int]],
) -> list[Row]:  # fmt: skip
    """Figures 2-7: features and leave-one-out errors against eta, and the linear programme beside them."""
    n = len(y)
    found = {eta: leave_one_out_features(_scaled(MomentSparseClassifier(eta)), X, y) for eta in etas}
    programme = _scaled(L1MarginClassifier(C=np.inf)).fit(X, y)[-1]
    sizes, errors = [len(f.features) for f in found.values()], [f.error for f in found.values()]
    curves[name] = (list(etas), sizes, errors, len(programme.selected_))
    gain = (found[etas[0]].predictions != y).astype(float) - (found[etas[-1]].predictions != y)
    rows = [
        Row.claim(f"{name}: more features for a larger eta", "Section 5", bool(np.all(np.diff(sizes) >= 0))),
        Row.claim_positive(
            f"{name}: fewer leave-one-out errors at eta {etas[-1]:g} than at {etas[0]:g}", "Section 5",
            float(gain.mean()), standard_error=float(gain.std(ddof=1) / np.sqrt(n)),
        ),
        Row.ours(f"{name}, linear programme: features", len(programme.selected_)),
    ]  # fmt: skip
    for eta, size, error in zip(etas, sizes, errors):
        rows.append(Row.ours(f"{name}, eta {eta:g}: features of all fits without one row", size))
        rows.append(Row.ours(f"{name}, eta {eta:g}: leave-one-out error", error))
    return rows


def _scaled(rule: Any) -> Pipeline:
    return make_pipeline(StandardScaler(), rule)


def _figure(curves: dict[str, tuple[list[float], list[int], list[float], int]]) -> "Figure | None":
    if not curves:
        return None
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 3.2 * len(curves)), layout="constrained")
    for (left, right), (name, (etas, sizes, errors, programme)) in zip(
        figure.subplots(len(curves), 2, squeeze=False), curves.items()
    ):
        left.plot(etas, sizes, "o-", color="#1b6ca8", label="cones")
        left.axhline(programme, color="#e0a458", linestyle="--", label="linear programme")
        left.set(title=name, xlabel="eta", ylabel="features of all fits without one row")
        left.legend(fontsize="small")
        right.plot(etas, errors, "o-", color="#1b6ca8")
        right.set(title=name, xlabel="eta", ylabel="leave-one-out error", ylim=(0, None))
    return figure
