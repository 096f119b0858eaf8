"""Intervals around predictions of held-out rows, and whether they hold what they promise."""

from collections.abc import Callable, Sequence

import numpy as np

from treatise.compare.inputs import FoldPredictions
from treatise.compare.intervals import LEVEL, allowed_error, error_intervals, inside
from treatise.report.explained import PredictiveIntervals
from treatise.report.record import LeaderboardEntry
from treatise.statistics import coverage_bounds, interval_scores

MOST_SHOWN = 300
HOLDS, NARROW, WIDE = "as promised", "too narrow", "too wide"


def intervals_of_methods(
    board: Sequence[LeaderboardEntry],
    chosen: str,
    out_of_fold: Callable[[str], Sequence[FoldPredictions]],
    units: np.ndarray | None,
    *,
    in_time: bool,
) -> tuple[PredictiveIntervals, ...]:
    """Intervals of the chosen method, and of the best that gives its own where that is another one.

    Parameters
    ----------
    board : sequence of LeaderboardEntry
        The methods, best first; ``interval_score`` is among the measures of those that give intervals.
    chosen : str
        Key of the recommended method.
    out_of_fold : callable
        Of a method's key, what it said of each fold of one repeat, so that a row counts once.
    units, in_time :
        As for :func:`predictive_intervals_of`.

    Returns
    -------
    tuple of PredictiveIntervals
        At most two.
    """
    own = [entry for entry in board if entry.metrics.get("interval_score") is not None]
    wanted = {entry.key: entry for entry in board if entry.key == chosen}
    wanted |= {entry.key: entry for entry in own[:1]}
    found = (
        predictive_intervals_of(entry.key, entry.label, out_of_fold(entry.key), units, in_time=in_time)
        for entry in wanted.values()
    )
    return tuple(intervals for intervals in found if intervals is not None)


def predictive_intervals_of(
    key: str, label: str, parts: Sequence[FoldPredictions], units: np.ndarray | None = None, *, in_time: bool = False
) -> PredictiveIntervals | None:
    """How a method's intervals did on held-out rows; from its errors on other folds where it gives none.

    Parameters
    ----------
    key, label : str
        The method.
    parts : sequence of FoldPredictions
        What it said of each fold, each row once.
    units : ndarray or None
        By number of a row: rows of one number are not independent. None where all are.
    in_time : bool
        Whether folds follow each other in time.

    Returns
    -------
    PredictiveIntervals or None
        None where there are too few rows.
    """
    own = any(part.intervals is not None for part in parts)
    given = [part.intervals for part in parts] if own else error_intervals(parts, LEVEL, in_time=in_time)
    pairs = [(part, ends) for part, ends in zip(parts, given) if ends is not None]
    if not pairs:
        return None
    intervals = np.concatenate([ends for _, ends in pairs])
    known = np.isfinite(intervals).all(axis=1)
    if known.sum() < 2:
        return None
    intervals = intervals[known]
    numbers, actual, predicted = (
        np.concatenate([getattr(part, name) for part, _ in pairs])[known] for name in ("numbers", "actual", "predicted")
    )
    hits = inside(actual, intervals)
    low, high = coverage_bounds(hits, None if units is None else units[numbers])
    holds = NARROW if high < LEVEL else WIDE if low > LEVEL else HOLDS
    half = allowed_error(np.concatenate([np.abs(part.actual - part.predicted) for part in parts]), LEVEL)
    shown = np.random.default_rng(0).permutation(len(actual))[:MOST_SHOWN]
    shown = shown[np.lexsort((numbers[shown], predicted[shown]))]
    return PredictiveIntervals(
        key,
        label,
        own,
        LEVEL,
        rows=len(hits),
        inside=int(hits.sum()),
        coverage=float(hits.mean()),
        low=low,
        high=high,
        score=float(interval_scores(actual, intervals, level=LEVEL).mean()),
        width=float(np.median(intervals[:, 1] - intervals[:, 0])),
        holds=holds,
        words=_words(label, hits, low, high, holds, half=None if own else half),
        numbers=tuple(numbers[shown].tolist()),
        predicted=tuple(predicted[shown].tolist()),
        lower=tuple(intervals[shown, 0].tolist()),
        upper=tuple(intervals[shown, 1].tolist()),
        actual=tuple(actual[shown].tolist()),
    )


def _words(label: str, hits: np.ndarray, low: float, high: float, holds: str, half: float | None) -> str:
    if half is None:
        whose = f"the {_percent(LEVEL, 0)} intervals of {label}"
    else:
        whose = (
            f"{_percent(LEVEL, 0)} intervals from the errors of {label} on other folds (±{half:.3g} around the "
            "prediction of a new row)"
        )
    verdict = {
        HOLDS: "they hold",
        NARROW: "they are too narrow, do not rely on them",
        WIDE: "they hold more than they promise, and are wider than need be",
    }[holds]
    return (
        f"Of {len(hits):,} held-out rows {_percent(hits.mean())} lie in {whose}; with 95 % confidence that share is "
        f"from {_percent(low)} to {_percent(high)}: {verdict}."
    )


def _percent(share: float, decimals: int = 1) -> str:
    return f"{100 * share:.{decimals}f} %"
