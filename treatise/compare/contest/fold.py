"""The jobs of a comparison: a fold of one method, the final fit of a winner, what each column is worth to it."""

import time
import warnings
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from treatise.compare.blending.blended import BlendedClassifier, BlendedRegressor
from treatise.compare.candidates import Candidate
from treatise.compare.contest import signals
from treatise.compare.contest.messages import BEGIN
from treatise.compare.contest.tuning import tune
from treatise.compare.convergence import watched_solvers
from treatise.compare.explaining.learning import Trial, learning_trials
from treatise.compare.inputs import FoldPredictions, HeldOut, Input
from treatise.io import save_model
from treatise.report.explained import ColumnEffect
from treatise.report.record import FoldRecord, Metric

MOST_JUDGED = 20_000
"""Held-out rows that a fold is judged on: more of them tell no difference that matters."""
INTERVAL_ROWS = {"look": 100, "fold": 250}
"""Held-out rows that a method is asked intervals of: to some methods, each costs as much as many predictions."""
IMPORTANCE_ROWS = 5000
IMPORTANCE_SHUFFLES = 5


@dataclass(frozen=True)
class Turn:
    """One method on one fold.

    Parameters
    ----------
    key : str
        The method.
    stage : {"look", "fold"}
        At its defaults, or tuned.
    repeat, fold : int
        Which rows are held out.
    rows : int or None
        Most rows to fit with; None takes all that are not held out.
    tuning : float
        Processor seconds for the choice of parameters.
    seconds : float
        Processor seconds for all of it.
    setting : dict or None
        The parameters, where none are to be chosen.
    """

    key: str
    stage: str
    repeat: int
    fold: int
    rows: int | None = None
    tuning: float = 0.0
    seconds: float = float("inf")
    setting: dict[str, Any] | None = None

    @property
    def place(self) -> tuple[str, int, int, int]:
        """Where it is judged: methods with equal places can be compared. Looks at samples of other sizes cannot."""
        return self.stage, (self.rows or 0) if self.stage == "look" else 0, self.repeat, self.fold


@dataclass(frozen=True)
class FoldJob:
    """A turn with all that it needs."""

    work: Path
    candidate: Candidate
    metric: Metric
    turn: Turn
    k: int
    seed: int


@lru_cache(maxsize=1)
def load_input(work: Path) -> Input:
    """The input of a run, from the folder that its workers read; kept for the next job."""
    return Input.load(work)


@lru_cache(maxsize=2)
def _divided(work: Path, k: int, repeat: int, fold: int, rows: int | None, seed: int) -> tuple[Input, HeldOut]:
    """A fold, kept for the next method that has its turn on it."""
    training, held_out = load_input(work).divide(k, repeat, fold, seed)
    if rows is not None and rows < training.size.rows:
        training = training.sample(rows, seed)
    return training, held_out.thinned(MOST_JUDGED, seed)


def run_fold(job: FoldJob) -> tuple[FoldRecord, FoldPredictions]:
    """Tune and fit on the training part, judge on what was held out."""
    data, candidate, turn = load_input(job.work), job.candidate, job.turn
    training, held_out = _divided(job.work, job.k, turn.repeat, turn.fold, turn.rows, job.seed)
    data.pipeline(candidate, {}, job.seed)  # imports the method
    signals.tell(BEGIN)
    began, compiled = time.process_time(), signals.compilations.seconds
    seed = job.seed + turn.repeat * job.k + turn.fold
    setting = turn.setting
    if setting is None:
        setting = tune(candidate, training.at_hand, job.metric, turn.tuning, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipeline = data.pipeline(candidate, setting, job.seed)
        fitted, fit_seconds = _timed(lambda: training.fit(pipeline))
        found, predict_seconds = _timed(lambda: data.apply(fitted, held_out.X))
        given = data.intervals(fitted, held_out, INTERVAL_ROWS[turn.stage], seed)
    found = replace(found, intervals=given)
    measures = data.judge(held_out, found)
    score = measures[job.metric.name]
    if score is None or not np.isfinite(score):
        raise ValueError(f"{candidate.label} gives no {job.metric.label} here (it predicts no probabilities or scores)")
    merits = data.merits(job.metric, held_out, found)
    compile_seconds = signals.compilations.seconds - compiled
    record = FoldRecord(
        candidate.key, turn.stage, turn.place[1], turn.repeat, turn.fold, training.size.rows, len(held_out.numbers),
        score, measures, fit_seconds, predict_seconds, setting, time.process_time() - began - compile_seconds,
        compile_seconds,
    )  # fmt: skip
    said = (held_out.numbers, held_out.actual, found.values, found.probabilities, found.scores, merits)
    kept, offered = data.kept(fitted) or (None, 0)
    return record, FoldPredictions(*said, kept, offered, found.intervals)


def _timed(work: Any) -> tuple[Any, float]:
    """A result with its processor seconds, compiling apart."""
    began, compiled = time.process_time(), signals.compilations.seconds
    result = work()
    return result, time.process_time() - began - (signals.compilations.seconds - compiled)


@dataclass(frozen=True)
class Member:
    """A part of the last fit: a method, what it counts, its rows (None for all), its search or its known setting."""

    candidate: Candidate
    weight: float
    rows: int | None
    tuning: float
    setting: dict[str, Any] | None


def fit_whole(
    work: Path, members: tuple[Member, ...], metric: Metric, seed: int, path: Path, metadata: dict[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """Fit a method, or the members of a blend, on all of the data and save them as one model.

    Returns the setting, and what solvers said that did not converge.
    """
    data = load_input(work)
    fitted, settings, short = [], dict[str, dict[str, Any]](), list[str]()
    for member in members:
        candidate, rows, known = member.candidate, member.rows, member.setting
        part = data if rows is None or rows >= data.size.rows else data.sample(rows, seed)
        setting = tune(candidate, part.at_hand, metric, member.tuning, seed) if known is None else known
        with watched_solvers() as unfinished:
            fitted.append(part.fit(data.pipeline(candidate, setting, seed)))
        short += [f"{candidate.label}: {words}" for words in unfinished[:1]]
        settings[candidate.label] = {"weight": member.weight, **setting}
    if len(members) == 1:
        model, params = fitted[0], setting
    else:
        blended = BlendedRegressor if data.task == "regression" else BlendedClassifier
        model, params = blended(fitted, [member.weight for member in members]), settings
    save_model(model, path, metadata={**metadata, "params": params})
    return params, short


def importance(
    work: Path, candidate: Candidate, metric: Metric, k: int, seed: int, rows: int | None, params: dict[str, Any],
    seconds: float,
) -> tuple[ColumnEffect, ...]:  # fmt: skip
    """What each column is worth: the loss of score on held-out rows when it is shuffled."""
    data = load_input(work)
    deadline = time.monotonic() + seconds
    training, whole = _divided(work, k, 0, 0, rows, seed)
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


def learn(
    work: Path, candidate: Candidate, params: dict[str, Any], metric: Metric, k: int, seed: int, seconds: float
) -> tuple[Trial, ...]:
    """Scores of a method with fewer rows."""
    return learning_trials(load_input(work), candidate, params, metric, k, seed, seconds)
