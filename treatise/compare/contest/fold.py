"""The jobs of a comparison: a fold of one method, the final fit of the winner, what each column is worth to it."""

import time
import warnings
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from treatise.compare.candidates import Candidate
from treatise.compare.contest.tuning import tune
from treatise.compare.inputs import FoldPredictions, HeldOut, Input
from treatise.io import save_model
from treatise.report.record import ColumnEffect, FoldRecord, Metric

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


@lru_cache(maxsize=1)
def load_input(work: Path) -> Input:
    """The input of a run, from the folder that its workers read; kept for the next job."""
    return Input.load(work)


def run_fold(job: FoldJob) -> tuple[FoldRecord, FoldPredictions]:
    """Tune and fit on the training part, judge on what was held out."""
    began = time.perf_counter()
    data, candidate = load_input(job.work), job.candidate
    training, held_out = data.divide(job.k, job.repeat, job.fold, job.seed)
    seed = job.seed + job.repeat * job.k + job.fold
    setting = tune(candidate, training.at_hand, job.metric, job.tuning_seconds, seed)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = training.fit(data.pipeline(candidate, setting, job.seed))
        fitted_at = time.perf_counter()
        found = data.apply(fitted, held_out.X)
    predicted_at = time.perf_counter()
    measures = data.judge(held_out, found)
    score = measures[job.metric.name]
    if score is None or not np.isfinite(score):
        raise ValueError(f"{candidate.label} gives no {job.metric.label} here (it predicts no probabilities or scores)")
    record = FoldRecord(
        candidate.key, job.repeat, job.fold, score, measures, fitted_at - start, predicted_at - fitted_at, setting,
        time.perf_counter() - began,
    )  # fmt: skip
    merits = data.merits(job.metric, held_out, found)
    said = FoldPredictions(held_out.numbers, held_out.actual, found.values, found.probabilities, found.scores, merits)
    return record, said


def fit_best(
    work: Path, candidate: Candidate, metric: Metric, seed: int, tuning_seconds: float, path: Path,
    metadata: dict[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """Tune and fit the winner on all of the data and save it; returns the setting."""
    data = load_input(work)
    setting = tune(candidate, data.at_hand, metric, tuning_seconds, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = data.fit(data.pipeline(candidate, setting, seed))
    save_model(fitted, path, metadata={**metadata, "params": setting})
    return setting


def importance(
    work: Path, candidate: Candidate, metric: Metric, k: int, seed: int, params: dict[str, Any], seconds: float
) -> tuple[ColumnEffect, ...]:
    """What each column is worth: the loss of score on held-out rows when it is shuffled."""
    data = load_input(work)
    deadline = time.monotonic() + seconds
    training, whole = data.divide(k, 0, 0, seed)
    held_out = whole.first(IMPORTANCE_ROWS)
    rng, effects = np.random.default_rng(seed), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = training.fit(data.pipeline(candidate, params, seed))

        def merit(shown: HeldOut) -> float:
            value = data.judge(shown, data.apply(fitted, shown.X))[metric.name]
            return metric.merit(value) if value is not None else np.nan

        untouched = merit(held_out)
        for feature in data.features:
            drops = []
            for _ in range(IMPORTANCE_SHUFFLES):
                if time.monotonic() > deadline:
                    break
                drops.append(untouched - merit(held_out.showing(data.shuffled(held_out.X, feature, rng))))
            if len(drops) < 2:
                break
            mean, spread = float(np.mean(drops)), 2 * float(np.std(drops, ddof=1))
            effects.append(ColumnEffect(feature, mean, mean - spread, mean + spread))
    return tuple(sorted(effects, key=lambda effect: -effect.mean if effect.mean is not None else 0.0))
