"""All that the end of a run explains, in one call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from treatise.compare.explaining.importance import importances
from treatise.compare.explaining.learning import Trial, learning_curve
from treatise.compare.explaining.profile import profile
from treatise.compare.explaining.rows import rows_of
from treatise.compare.explaining.segments import error_segments
from treatise.compare.explaining.thresholds import threshold_curve
from treatise.compare.inputs import FoldPredictions, Input
from treatise.report.explained import (
    ColumnEffect,
    ErrorSegments,
    LearningPoint,
    MethodImportance,
    Profile,
    ThresholdCurve,
)
from treatise.report.record import LeaderboardEntry, Metric

EXPLAINED = 3


@dataclass(frozen=True)
class Explained:
    """What a run's record takes over, field by field: ``replace(run, **vars(explained))``."""

    importance: tuple[MethodImportance, ...] = ()
    thresholds: tuple[ThresholdCurve, ...] = ()
    learning: tuple[LearningPoint, ...] = ()
    errors: ErrorSegments | None = None
    profile: Profile | None = None


def explained_methods(leaderboard: Sequence[LeaderboardEntry], chosen: str | None) -> tuple[LeaderboardEntry, ...]:
    """The three methods worth explaining: the chosen one, then the best others, each of them a method of its own.

    Near copies are left out, and so are blends and guesses that look at no column, unless one is the chosen.

    Parameters
    ----------
    leaderboard : sequence of LeaderboardEntry
        The methods, best first.
    chosen : str or None
        Key of the recommended method.

    Returns
    -------
    tuple of LeaderboardEntry
        At most three; those with folds before those that were looked at once.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from treatise.compare.explaining import explained_methods
    >>> board = [SimpleNamespace(key=key, form="tree", stage="folds", copy_of=None) for key in "abcde"]
    >>> board[1].copy_of = "a"
    >>> [entry.key for entry in explained_methods(board, "d")]
    ['d', 'a', 'c']
    """
    first = [entry for entry in leaderboard if entry.key == chosen]
    others = [
        entry
        for entry in leaderboard
        if entry.key != chosen and entry.copy_of is None and entry.form not in ("constant", "blend")
    ]
    return (*first, *sorted(others, key=lambda entry: entry.stage != "folds"))[:EXPLAINED]


def explanations(
    data: Input,
    metric: Metric,
    k: int,
    entries: Sequence[LeaderboardEntry],
    predictions: Mapping[str, Sequence[FoldPredictions]],
    effects: Mapping[str, Sequence[ColumnEffect] | str],
    trials: Sequence[Trial] = (),
) -> Explained:
    """Everything that a run explains beside the winner's mistakes.

    Parameters
    ----------
    data : Input
        The data of the run.
    metric : Metric
        What ranks the methods.
    k : int
        Folds.
    entries : sequence of LeaderboardEntry
        From :func:`explained_methods`; the first is the one whose errors are looked at.
    predictions : mapping
        By a method's key: what it said of each fold while it was held out.
    effects : mapping
        By a method's key: what its columns are worth, or a sentence that says why that is not known.
    trials : sequence of Trial, default=()
        From :func:`learning_trials`, of any of the methods.

    Returns
    -------
    Explained
    """
    rows = rows_of(data)
    curves: tuple[ThresholdCurve, ...] = ()
    if data.task == "binary" and rows is not None:
        curves = tuple(
            threshold_curve(entry.key, entry.label, rows.classes, predictions.get(entry.key, ())) for entry in entries
        )
    errors = None
    if rows is not None and entries:
        errors = error_segments(entries[0].key, entries[0].label, rows, predictions.get(entries[0].key, ()))
    return Explained(
        importances(entries, data.features, effects) if data.weighable else (),
        curves,
        learning_curve(entries, trials, metric, k),
        errors,
        None if rows is None else profile(rows),
    )
