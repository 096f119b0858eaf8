"""What the rows without a label were worth: the best method that learns from them beside the best that does not."""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import stdtrit

from treatise.compare.contest.evidence import ENLARGEMENT
from treatise.compare.inputs import FoldPredictions, Input
from treatise.report.explained import UnlabelledWorth
from treatise.report.record import LeaderboardEntry

LEVEL = 0.05
COMPARED = 5
"""Of each kind, those highest on the board, among which the log loss finds the best."""


def worth_of_unlabelled(
    data: Input,
    leaderboard: Sequence[LeaderboardEntry],
    learners: set[str],
    out_of_fold: Callable[[str], Sequence[FoldPredictions]],
) -> UnlabelledWorth | None:
    """The difference in held-out log loss, row by row; None where no two methods of both kinds can be compared.

    Parameters
    ----------
    data : Input
        The data of the run.
    leaderboard : sequence of LeaderboardEntry
        The methods, best first.
    learners : set of str
        Keys of the methods that learn from rows without a label.
    out_of_fold : callable
        What a method of a key said of the held-out rows of the first repeat.
    """
    serious = [entry for entry in leaderboard if entry.form not in ("constant", "blend")]
    ours = _best([entry for entry in serious if entry.key in learners], data.classes, out_of_fold)
    theirs = _best([entry for entry in serious if entry.key not in learners], data.classes, out_of_fold)
    if ours is None or theirs is None:
        return None
    (entry, with_them), (beside, without) = ours, theirs
    rows = sorted(with_them.keys() & without.keys())
    if len(rows) < 2:
        return None
    gains = np.array([without[row] - with_them[row] for row in rows])
    units = np.asarray(rows) if data.units is None else data.units[rows]
    low, high = _interval(gains, units)
    gain = float(gains.mean())
    return UnlabelledWorth(
        data.unlabelled_rows, entry.key, entry.label, beside.key, beside.label, len(rows), gain, low, high,
        _words(data.unlabelled_rows, entry.label, beside.label, gain, low, high),
    )  # fmt: skip


def _best(
    entries: Sequence[LeaderboardEntry], classes: np.ndarray, out_of_fold: Callable[[str], Sequence[FoldPredictions]]
) -> tuple[LeaderboardEntry, dict[int, float]] | None:
    """The method of the smallest log loss among those that were judged on most rows, and its losses."""
    found = [(entry, _losses(classes, out_of_fold(entry.key))) for entry in entries[:COMPARED]]
    found = [(entry, losses) for entry, losses in found if losses]
    return min(found, key=lambda pair: (-len(pair[1]), float(np.mean(list(pair[1].values())))), default=None)


def _losses(classes: np.ndarray, parts: Sequence[FoldPredictions]) -> dict[int, float]:
    """Log loss of each held-out row; nothing for a method without probabilities."""
    found: dict[int, float] = {}
    for part in parts:
        if part.probabilities is None:
            return {}
        given = part.probabilities[np.arange(len(part.actual)), np.searchsorted(classes, part.actual)]
        found |= dict(zip(part.numbers.tolist(), -np.log(np.clip(given, np.finfo(float).eps, 1.0))))
    return found


def _interval(gains: np.ndarray, units: np.ndarray) -> tuple[float | None, float | None]:
    """Of the mean gain; rows of one unit count as one, and other training rows would have changed something too."""
    _, codes = np.unique(units, return_inverse=True)
    n = int(codes.max()) + 1
    if n < 2:
        return None, None
    # The mean is a ratio of sums over units; its variance is that of their residuals.
    residuals = np.bincount(codes, gains - gains.mean())
    deviation = np.sqrt(ENLARGEMENT * np.sum(residuals**2) * n / (n - 1)) / len(gains)
    half = float(stdtrit(n - 1, 1 - LEVEL / 2) * deviation)
    return float(gains.mean()) - half, float(gains.mean()) + half


def _words(rows: int, ours: str, theirs: str, gain: float, low: float | None, high: float | None) -> str:
    interval = "" if low is None or high is None else f" (95 % interval of the gain {low:.3g} to {high:.3g})"
    beside = (
        f"{ours}, which learns from them, has a held-out log loss {abs(gain):.3g} {'lower' if gain >= 0 else 'higher'}"
    )
    beside += f" than {theirs}, which does not{interval}"
    if low is not None and low > 0:
        verdict = "they were worth having"
    elif high is not None and high < 0:
        verdict = "they did harm"
    else:
        verdict = "these rows do not tell whether they were worth anything"
    return f"{rows:,} rows have no label: {beside}; {verdict}."
