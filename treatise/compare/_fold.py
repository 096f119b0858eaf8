"""The jobs of a comparison: one fold of one method, and the final fit of the winner."""

import json
import time
import warnings
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse

from treatise.compare._candidates import Candidate, build
from treatise.compare._folds import divide
from treatise.compare._metrics import Metric, better, judge, predict
from treatise.compare._problem import Problem
from treatise.compare._store import BlockStore
from treatise.compare._streamed import StreamedProblem
from treatise.compare._tuning import tune
from treatise.io import save_model

IMPORTANCE_ROWS = 5000
IMPORTANCE_SHUFFLES = 5


@dataclass(frozen=True)
class FoldJob:
    """One method on one fold of one repeat."""

    work: Path
    candidate: Candidate
    metric: Metric
    repeat: int
    fold: int
    k: int
    seed: int
    tuning_seconds: float


def run_fold(job: FoldJob) -> dict[str, Any]:
    """Tune and fit on the training rows, judge on the held-out ones."""
    problem = load_problem(job.work)
    training, test, X, actual = divide(problem, job.k, job.repeat, job.fold, job.seed)
    seed = job.seed + job.repeat * job.k + job.fold
    setting = tune(job.candidate, training.at_hand, job.metric, job.tuning_seconds, seed)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = training.fit(build(job.candidate, problem.sparse, setting, job.seed))
        fitted_at = time.perf_counter()
        found = predict(fitted, X, problem.classes)
    predicted_at = time.perf_counter()
    measures = judge(actual, found, problem.task, problem.classes)
    score = measures[job.metric.name]
    if score is None or not np.isfinite(score):
        raise ValueError(
            f"{job.candidate.label} gives no {job.metric.label} here (it predicts no probabilities or scores)"
        )
    return {
        "key": job.candidate.key, "repeat": job.repeat, "fold": job.fold, "score": score, "metrics": measures,
        "fit_seconds": fitted_at - start, "predict_seconds": predicted_at - fitted_at, "params": setting,
        "test": test, "actual": actual, "predicted": found.values, "probabilities": found.probabilities,
    }  # fmt: skip


def fit_best(
    work: Path,
    candidate: Candidate,
    metric: Metric,
    seed: int,
    tuning_seconds: float,
    path: Path,
    metadata: dict[str, Any],
) -> dict[str, Any]:
    """Tune and fit the winner on all rows and save it."""
    problem = load_problem(work)
    setting = tune(candidate, problem.at_hand, metric, tuning_seconds, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = problem.fit(build(candidate, problem.sparse, setting, seed))
    save_model(fitted, path, metadata={**metadata, "params": setting})
    return setting


def importance(
    work: Path,
    candidate: Candidate,
    metric: Metric,
    k: int,
    seed: int,
    params: dict[str, Any],
    seconds: float,
) -> list[dict[str, Any]]:
    """What each column of the table is worth: the loss of score on held-out rows when it is shuffled."""
    problem = load_problem(work)
    deadline = time.monotonic() + seconds
    training, _, X, actual = divide(problem, k, 0, 0, seed)
    held_out, actual = X[:IMPORTANCE_ROWS], actual[:IMPORTANCE_ROWS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = training.fit(build(candidate, problem.sparse, params, seed))
        name, sign = metric.name, better(metric)

        def score(X: Any) -> float:
            value = judge(actual, predict(fitted, X, problem.classes), problem.task, problem.classes)[name]
            return sign(value) if value is not None else np.nan

        whole = score(held_out)
        rng = np.random.default_rng(seed)
        rows = []
        for column in range(problem.X.shape[1]):
            if not problem.sparse and problem.X.columns[column] not in problem.feature_names:
                continue
            drops = []
            for _ in range(IMPORTANCE_SHUFFLES):
                if time.monotonic() > deadline:
                    break
                drops.append(whole - score(_shuffled(held_out, column, rng)))
            if len(drops) < 2:
                break
            spread = 2 * np.std(drops, ddof=1)
            mean = float(np.mean(drops))
            label = str(column) if problem.sparse else problem.X.columns[column]
            rows.append({"column": label, "mean": mean, "low": mean - float(spread), "high": mean + float(spread)})
    return sorted(rows, key=lambda row: -row["mean"])


def _shuffled(X: Any, column: int, rng: np.random.Generator) -> Any:
    order = rng.permutation(X.shape[0])
    if isinstance(X, pl.DataFrame):
        name = X.columns[column]
        return X.with_columns(X[name][order].alias(name))
    other = X.tolil(copy=True)
    other[:, column] = X[order, column]
    return other.tocsr()


def save_problem(problem: Problem, work: Path) -> None:
    """Lay the problem out in a folder that workers read."""
    work.mkdir(parents=True, exist_ok=True)
    if isinstance(problem.X, pl.DataFrame):
        problem.X.write_ipc(work / "features.arrow")
    else:
        sparse.save_npz(work / "features.npz", problem.X, compressed=False)
    np.save(work / "target.npy", problem.y)
    if problem.groups is not None:
        np.save(work / "groups.npy", problem.groups)
    about: dict[str, Any] = {"name": problem.name, "target": problem.target, "task": problem.task}
    if isinstance(problem, StreamedProblem):
        assert problem.store is not None
        np.save(work / "sampled.npy", problem.sampled)
        np.save(work / "labels.npy", problem.labels)
        about |= {"seed": problem.seed, "store": str(problem.store.path.resolve())}
    (work / "problem.json").write_text(json.dumps(about), encoding="utf-8")


@lru_cache(maxsize=1)
def load_problem(work: Path) -> Problem:
    """The problem that :func:`save_problem` laid out."""
    about = json.loads((work / "problem.json").read_text(encoding="utf-8"))
    frame, groups = work / "features.arrow", work / "groups.npy"
    X = pl.read_ipc(frame) if frame.exists() else sparse.load_npz(work / "features.npz")
    fields = {
        "X": X, "y": np.load(work / "target.npy"), "groups": np.load(groups) if groups.exists() else None,
        "dropped": [], "notes": [], **about,
    }  # fmt: skip
    if "store" not in about:
        return Problem(**fields)
    fields["store"] = BlockStore(Path(about["store"]))
    return StreamedProblem(**fields, sampled=np.load(work / "sampled.npy"), labels=np.load(work / "labels.npy"))
