"""Link prediction with autoregressive features (Richard, Gaiffas & Vayatis, JMLR 15:565): Figure 2, and real months.

The paper's generator leaves open how sparse its factors are, and its sales are not at hand. Factors that take turns
stand for the first, matches of tennis players by month for the second.
"""

import numpy as np
from matplotlib.figure import Figure
from sklearn.linear_model import Lasso, Ridge
from sklearn.metrics import roc_auc_score

from treatise._core.errors import DataNotFoundError
from treatise.datasets import load_atp_months, make_changing_network
from treatise.network import AutoregressiveLinkPredictor, link_scores
from treatise.optimize import denoise_sparse_low_rank
from treatise.papers._evidence import Evidence, Row

METHODS = ("autoregressive", "static sparse and low rank", "sum of snapshots", "Katz", "last snapshot")


def experiment(*, full: bool = False) -> Evidence:
    """Areas under the ROC curve by number of snapshots, and a season of tennis."""
    lengths, n_draws = ((2, 4, 10, 20), 10) if full else ((4, 10), 3)
    n_nodes, rank = (50 if full else 25), 5
    areas = {T: synthetic_areas(T, n_nodes, rank, n_draws) for T in lengths}
    rows = synthetic_rows(areas)
    skipped = [
        "Figure 2, right: the area by rank and number of snapshots, drawn without numbers",
        "Table 2, relative errors of book sales: the data are not at hand; degrees of tennis players stand for them",
    ]
    try:
        rows += tennis_rows(12 if full else 2, 60 if full else 20)
    except DataNotFoundError as missing:
        skipped.append(f"tennis by month: {missing}")
    return Evidence(rows, figure_of(areas, n_nodes), skipped)


def synthetic_areas(n_past: int, n_nodes: int, rank: int, n_draws: int) -> np.ndarray:
    """Areas of all methods for the strongest tenth of the links of the next snapshot, a row for each draw."""
    found = []
    for seed in range(n_draws):
        *past, following = make_changing_network(n_nodes, rank, n_past + 2, random_state=seed)
        strong = (following > np.quantile(following, 0.9)).ravel()
        total = np.sum(past, axis=0)
        static = denoise_sparse_low_rank(total, 1.0, 0.1, nonnegative=True, tol=1e-6)
        model = AutoregressiveLinkPredictor(n_directions=rank).fit(past)
        scores = (model.scores_, static.matrix, total, link_scores(total), past[-1])
        found.append([roc_auc_score(strong, score.ravel()) for score in scores])
    return np.array(found)


def synthetic_rows(areas: dict[int, np.ndarray]) -> list[Row]:
    """That few snapshots favour static scores, and many the autoregression."""
    rows = []
    for T, found in areas.items():
        gains = found[:, 0] - found[:, 1:4].max(axis=1)
        error = float(gains.std(ddof=1) / np.sqrt(len(gains)))
        if T <= 4:
            statement = f"T = {T}: the best static score is above the autoregression"
            rows.append(Row.claim_positive(statement, "Section 5.1", -float(gains.mean()), standard_error=error))
        elif T >= 10:
            statement = f"T = {T}: the autoregression is above the best static score"
            rows.append(Row.claim_positive(statement, "Section 5.1", float(gains.mean()), standard_error=error))
        for method, area in zip(METHODS, found.mean(axis=0)):
            rows.append(Row.ours(f"T = {T}, {method}: area under the ROC curve", round(float(area), 3)))
    shortest, longest = min(areas), max(areas)
    change = areas[longest][:, 0] - areas[shortest][:, 0]
    error = float(change.std(ddof=1) / np.sqrt(len(change)))
    statement = f"the autoregression gains from T = {shortest} to T = {longest}"
    return [*rows, Row.claim_positive(statement, "Section 5.1", float(change.mean()), standard_error=error)]


def tennis_rows(n_months: int, n_players: int) -> list[Row]:
    """Who meets whom next month, and how often each player plays, from two years of months."""
    snapshots = [np.asarray((wins + wins.T).toarray()) for wins in load_atp_months(n_players)[0]]
    others = ~np.eye(n_players, dtype=bool)
    areas: dict[str, list[float]] = {"autoregressive": [], "sum of snapshots": [], "Katz": [], "degrees": []}
    errors: dict[str, list[float]] = {"ridge": [], "lasso": [], "ours": []}
    for end in range(len(snapshots) - n_months, len(snapshots)):
        past, following = snapshots[end - 24 : end], snapshots[end]
        model = AutoregressiveLinkPredictor("in_degree").fit(past)
        total = np.sum(past, axis=0)
        links = following[others] > 0
        scores = (model.scores_, total, link_scores(total), link_scores(total, "preferential_attachment"))
        for method, score in zip(areas, scores):
            areas[method].append(float(roc_auc_score(links, score[others])))
        degrees = np.array([A.sum(axis=0) for A in past])
        truth = following.sum(axis=0)
        for method, regression in (("ridge", Ridge(10.0)), ("lasso", Lasso(1.0))):
            ahead = regression.fit(degrees[:-1], degrees[1:]).predict(degrees[-1:])[0]
            errors[method].append(float(np.linalg.norm(ahead - truth) / np.linalg.norm(truth)))
        ahead = model.scores_.sum(axis=0)
        errors["ours"].append(float(np.linalg.norm(ahead - truth) / np.linalg.norm(truth)))
    at = f"tennis, {n_players} players, {n_months} months"
    rows = [Row.ours(f"{at}: area of {name}", round(float(np.mean(values)), 3)) for name, values in areas.items()]
    return rows + [
        Row.ours(f"{at}: relative error of next month's degrees, {name}", round(float(np.mean(values)), 3))
        for name, values in errors.items()
    ]


def figure_of(areas: dict[int, np.ndarray], n_nodes: int) -> Figure:
    """Figure 2, left."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    lengths = list(areas)
    for number, method in enumerate(METHODS):
        means = [areas[T][:, number].mean() for T in lengths]
        errors = [areas[T][:, number].std() / np.sqrt(len(areas[T])) for T in lengths]
        axes.errorbar(lengths, means, errors, fmt="o-", capsize=2, markersize=4, label=method)
    axes.set(xlabel="snapshots T", ylabel="area under the ROC curve", title=f"{n_nodes} nodes (Figure 2)")
    axes.legend(frameon=False, fontsize="small")
    return figure
