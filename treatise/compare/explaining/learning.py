"""The learning curve: what a method's score would be with fewer rows."""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from treatise.compare.candidates import Candidate
from treatise.compare.inputs import Input
from treatise.compare.trial import score_of
from treatise.report.explained import LearningPoint
from treatise.report.record import LeaderboardEntry, Metric
from treatise.theory import corrected_interval

SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2)
FOLDS = 3
LEAST_ROWS = 20


class Trial(NamedTuple):
    """A method fitted with some of the rows, and its score on each fold that was held out."""

    key: str
    label: str
    rows: int
    scores: tuple[float, ...]


def learning_trials(
    data: Input, candidate: Candidate, params: dict[str, Any], metric: Metric, k: int, seed: int, seconds: float
) -> tuple[Trial, ...]:
    """Fit a method with ever larger parts of the training rows; the folds are those of the comparison.

    The smallest parts come first, so that whatever time there is gives the longest curve that it can. A part on which
    the method cannot be fitted, such as one that lacks a class, is left out.

    Parameters
    ----------
    data : Input
        The data of the run.
    candidate : Candidate
        The method.
    params : dict
        Its parameters, as chosen for all rows.
    metric : Metric
        What is measured.
    k, seed : int
        Folds, and the seed that divided the rows.
    seconds : float
        No fit begins later than this.

    Returns
    -------
    tuple of Trial
        One for each size, the smallest first.
    """
    deadline = time.monotonic() + seconds
    scores: dict[int, list[float]] = {}
    for share in SHARES:
        for fold in range(min(k, FOLDS)):
            if time.monotonic() > deadline:
                break
            training, held_out = data.divide(k, 0, fold, seed)
            rows = round(share * training.size.rows)
            if rows < LEAST_ROWS:
                continue
            score = score_of(data, training.sample(rows, seed + fold), held_out, candidate, params, metric, seed)
            if score is not None and np.isfinite(score):
                scores.setdefault(rows, []).append(float(score))
    return tuple(Trial(candidate.key, candidate.label, rows, tuple(found)) for rows, found in _by_size(scores))


def learning_curve(
    entries: Sequence[LeaderboardEntry], trials: Sequence[Trial], metric: Metric, k: int
) -> tuple[LearningPoint, ...]:
    """The points of each method's curve, its score with all rows the last; methods without trials have none.

    Parameters
    ----------
    entries : sequence of LeaderboardEntry
        The methods, with their scores on all rows.
    trials : sequence of Trial
        Their scores with fewer.
    metric : Metric
        What was measured.
    k : int
        Folds, of which one was held out each time.

    Returns
    -------
    tuple of LearningPoint
        Method by method, in ascending order of rows.

    Examples
    --------
    >>> from treatise.compare.explaining import Trial, learning_curve
    >>> from treatise.report import Metric
    >>> from types import SimpleNamespace
    >>> entry = SimpleNamespace(key="k", label="A method", rows=800, score=0.9, low=0.88, high=0.92)
    >>> curve = learning_curve([entry], [Trial("k", "A method", 100, (0.7, 0.8))], Metric("r2", "R²", True), k=5)
    >>> [(point.rows, round(point.score, 2)) for point in curve]
    [(100, 0.75), (800, 0.9)]
    """
    points = []
    for entry in entries:
        smaller = sorted(
            (trial for trial in trials if trial.key == entry.key and trial.rows < entry.rows), key=lambda t: t.rows
        )
        for trial in smaller:
            interval = corrected_interval(trial.scores, n_train=k - 1, n_test=1)
            known = len(trial.scores) > 1
            low, high = (metric.within(interval.low), metric.within(interval.high)) if known else (None, None)
            points.append(LearningPoint(entry.key, entry.label, trial.rows, interval.mean, low, high))
        if smaller:
            points.append(LearningPoint(entry.key, entry.label, entry.rows, entry.score, entry.low, entry.high))
    return tuple(points)


def _by_size(scores: dict[int, list[float]]) -> list[tuple[int, list[float]]]:
    """Sizes that differ by a row or two, because folds do, are one size: the first of them."""
    sizes: list[tuple[int, list[float]]] = []
    for rows in sorted(scores):
        if sizes and rows <= 1.2 * sizes[-1][0]:
            sizes[-1][1].extend(scores[rows])
        else:
            sizes.append((rows, list(scores[rows])))
    return sizes
