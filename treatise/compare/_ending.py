"""The end of a run: the winner fitted and explained, predictions, record and report written."""

from typing import Any

import numpy as np
import polars as pl

from treatise._core.files import replacing
from treatise.compare._candidates import Candidate
from treatise.compare._fold import fit_best, importance
from treatise.compare._folder import RunFolder
from treatise.compare._isolation import WorkerPool
from treatise.compare._metrics import choose_metric
from treatise.compare._observer import Observer
from treatise.compare._problem import Problem
from treatise.compare._schedule import Clock, Schedule
from treatise.compare._single import model_metadata
from treatise.report import write_report

REPORT_SECONDS = 1.0
OVERRUN = 0.07
START_SECONDS = 20.0
"""How long the last fit waits for a process at least."""
GRACE = 3.0
"""Of its own time in a fold, what the last fit may take at least."""
MOST_POINTS = 2000
CALIBRATION_BINS = 10
MODEL = "best.skops"


def finish(
    run: dict[str, Any], problem: Problem, candidates: list[Candidate], folder: RunFolder, pool: WorkerPool,
    clock: Clock, schedule: Schedule, watch: Observer,
) -> None:  # fmt: skip
    """Complete the run's record, and write everything that the run leaves."""
    run["best"] = None
    if run["leaderboard"]:
        winner = run["leaderboard"][0]
        candidate = next(c for c in candidates if c.key == winner["key"])
        run["best"] = {
            "key": candidate.key,
            "label": candidate.label,
            "params": winner["params"],
            "model": None,
        }
        run["best"] |= explain(problem, folder.out_of_fold(candidate.key)) | {"importance": []}
        if run["status"] == "finished":
            watch.finishing(candidate.label)
            _fit_and_weigh(run, problem, candidate, folder, pool, clock, schedule)
        _write_predictions(run, folder)
    run["seconds"] = clock.elapsed
    folder.write_json("run.json", run)
    write_report(run, folder.path / "report.html")
    run["seconds"] = clock.elapsed
    folder.write_json("run.json", run)
    folder.note_spent(clock.elapsed)


def _fit_and_weigh(
    run: dict[str, Any], problem: Problem, candidate: Candidate, folder: RunFolder, pool: WorkerPool, clock: Clock,
    schedule: Schedule,
) -> None:  # fmt: skip
    """The final fit, and with the time that is left the effect of each column."""
    metric, k, seed = choose_metric(problem.task, run["metric"]["name"]), run["folds"]["k"], run["seed"]
    last = clock.budget * (1 + OVERRUN) - REPORT_SECONDS
    work, memory = folder.work.resolve(), float("inf")
    metadata = {
        **model_metadata(candidate, problem), "metric": metric.name, "score": run["leaderboard"][0]["score"],
    }  # fmt: skip
    path = (folder.path / MODEL).resolve()
    # The search may take what it took in a fold, as long as the fit after it still fits in.
    tuning = min(schedule.tuning_seconds, max(0.0, clock.left - REPORT_SECONDS - 2 * schedule.best_fit_seconds))
    args = (work, candidate, metric, seed, tuning, path, metadata)
    # Without its model a run is worth little: on a busy machine the last fit may outlast the budget a little.
    seconds = max(1.0, last - clock.elapsed, GRACE * schedule.best_fit_seconds)
    outcome = pool.run(fit_best, args, seconds, memory, max(last - clock.elapsed, START_SECONDS))
    if outcome.kind != "done":
        run["verdict"].append(f"The winner could not be fitted on the whole table: {outcome.reason}.")
        return
    run["best"] |= {"model": MODEL, "params": outcome.value}
    left = clock.left - REPORT_SECONDS - schedule.best_fit_seconds
    if left > 0:
        weighing = (work, candidate, metric, k, seed, outcome.value, left)
        weighed = pool.run(importance, weighing, max(1.0, last - clock.elapsed), memory, last - clock.elapsed)
        run["best"]["importance"] = weighed.value if weighed.kind == "done" else []


def explain(problem: Problem, parts: list[dict[str, np.ndarray]]) -> dict[str, Any]:
    """Confusions, residuals and calibration of out-of-fold predictions."""
    found: dict[str, Any] = {"confusion": None, "residuals": None, "calibration": None}
    if not parts:
        return found
    predicted, actual = (np.concatenate([part[key] for part in parts]) for key in ("predicted", "actual"))
    if problem.task == "regression":
        shown = np.random.default_rng(0).permutation(len(actual))[:MOST_POINTS]
        found["residuals"] = {"predicted": predicted[shown].tolist(), "actual": actual[shown].tolist()}
        return found
    classes = problem.classes
    matrix = np.zeros((len(classes), len(classes)), dtype=int)
    np.add.at(matrix, (np.searchsorted(classes, actual), np.searchsorted(classes, predicted)), 1)
    found["confusion"] = {"labels": [str(c) for c in classes], "matrix": matrix.tolist()}
    if all("probabilities" in part for part in parts):
        probabilities = np.concatenate([part["probabilities"] for part in parts])
        shown_classes = range(1, 2) if len(classes) == 2 else range(len(classes))
        found["calibration"] = [
            {"label": str(classes[j]), **_calibration(probabilities[:, j], actual == classes[j])} for j in shown_classes
        ]
    return found


def _calibration(probabilities: np.ndarray, happened: np.ndarray) -> dict[str, list[float]]:
    """Mean predicted and observed frequency in bins of equal width, empty ones left out."""
    bins = np.minimum((probabilities * CALIBRATION_BINS).astype(int), CALIBRATION_BINS - 1)
    used = np.unique(bins)
    return {
        "predicted": [float(probabilities[bins == b].mean()) for b in used],
        "observed": [float(happened[bins == b].mean()) for b in used],
        "count": [int((bins == b).sum()) for b in used],
    }


def _write_predictions(run: dict[str, Any], folder: RunFolder) -> None:
    """The first repeat's out-of-fold predictions of every method, one column each; empty where a fold is not done."""
    parts = {e["key"]: found for e in run["leaderboard"] if (found := folder.out_of_fold(e["key"]))}
    if not parts:
        return
    together = pl.concat(_rows(found, "actual") for found in parts.values())
    table = together.unique("row").sort("row")
    for key, found in parts.items():
        table = table.join(_rows(found, "predicted").rename({"predicted": key}), on="row", how="left")
    with replacing(folder.path / "out_of_fold.csv") as temporary:
        table.write_csv(temporary)


def _rows(parts: list[dict[str, np.ndarray]], what: str) -> pl.DataFrame:
    return pl.concat(pl.DataFrame({"row": part["test"], what: part[what]}) for part in parts)
