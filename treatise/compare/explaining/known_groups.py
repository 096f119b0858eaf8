"""Known groups: how methods do on rows whose group they have learned from, beside groups that are new to them."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from treatise.compare.contest.evidence import Evidence, place_of
from treatise.compare.inputs import FoldPredictions
from treatise.report.explained import GroupScore, KnownGroups
from treatise.report.record import FoldRecord, LeaderboardEntry, Metric
from treatise.theory import corrected_interval

LEVEL = 0.05
"""Chance that any of the standings is wrong."""

Part = tuple[FoldRecord, FoldPredictions]
Parts = Sequence[Part]
Scored = tuple[float, float | None, float | None]
"""A mean, and the ends of its interval."""


def known_groups_of(
    column: str,
    groups: np.ndarray,
    entries: Sequence[LeaderboardEntry],
    takers: Collection[str],
    new: Mapping[str, Parts],
    known: Mapping[str, Parts],
    metric: Metric,
    k: int,
    margin: float,
) -> KnownGroups | None:
    """Scores on known groups beside those on new ones; None where fewer than two folds were judged.

    Parameters
    ----------
    column : str
        What names the groups.
    groups : ndarray of shape (n_rows,)
        The group of each row.
    entries : sequence of LeaderboardEntry
        The methods; the first is the recommended one.
    takers : collection of str
        Keys of the methods that learn from groups.
    new, known : mapping
        By a method's key: its folds on new groups, where those of the leaderboard are no match for those on known
        groups, and its folds on known groups.
    metric : Metric
        What is measured.
    k : int
        Folds, of which one was held out each time.
    margin : float
        Differences up to this size do not matter.

    Returns
    -------
    KnownGroups or None
    """
    judged = [entry for entry in entries if len(known.get(entry.key, ())) > 1]
    if not judged:
        return None
    standings = _standings({entry.key: known[entry.key] for entry in judged}, groups, margin)
    found = []
    for entry in judged:
        unseen = _scored(new[entry.key], metric, k) if entry.key in new else (entry.score, entry.low, entry.high)
        seen = _scored(known[entry.key], metric, k)
        standing = standings.get(entry.key, "unjudged")
        found.append(GroupScore(entry.key, entry.label, entry.key in takers, *unseen, *seen, standing))
    found.sort(key=lambda score: (score.standing != "best", -metric.merit(score.known)))
    first = known[judged[0].key]
    rows = sum(len(part.numbers) for _, part in first)
    words = _words(column, found, entries[0], metric)
    return KnownGroups(column, len(np.unique(groups)), len(first), rows, tuple(found), words)


def _standings(known: Mapping[str, Parts], groups: np.ndarray, margin: float) -> dict[str, str]:
    """Who is best on known groups, and who is shown to be behind; nothing where there is one method, or one group."""
    evidence = Evidence(groups)
    for key, parts in known.items():
        for record, part in parts:
            evidence.add(key, place_of(record), part.numbers, part.merits)
    keys, places = list(known), evidence.common(known, "fold")
    if len(keys) < 2 or not places:
        return {}
    compared = evidence.compared(keys, places, margin, LEVEL)
    if compared is None:
        return {}
    best = int(np.argmin(compared.behind))
    return {key: "best" if i == best else str(compared.standing[i]) for i, key in enumerate(keys)}


def _scored(parts: Parts, metric: Metric, k: int) -> Scored:
    interval = corrected_interval([record.score for record, _ in parts], n_train=k - 1, n_test=1)
    return interval.mean, metric.within(interval.low), metric.within(interval.high)


def _words(column: str, found: Sequence[GroupScore], chosen: LeaderboardEntry, metric: Metric) -> tuple[str, ...]:
    """For whom the verdict is, and whether those who predict for known groups should take another method."""
    for_new = (
        f"The verdict is for rows of a new {column!r}: every fold holds out whole groups. A row of a known one, whose "
        "other rows are learned from, is another matter."
    )
    best, ours = found[0], next((score for score in found if score.key == chosen.key), None)
    said = f"On held-out rows of known groups {best.label} has {metric.label} {best.known:.4g}"
    if ours is None:
        return for_new, f"{said}, the best of those that were tried on them."
    if ours.key == best.key:
        return for_new, f"{said}, and nothing that was tried on them is better: it serves both."
    beside = f"{ours.label} {ours.known:.4g}"
    if ours.standing == "worse":
        return for_new, (
            f"{said} and {beside}: for groups that are in the table take {best.label}, of which `treatise fit` makes a "
            "model."
        )
    if ours.standing == "equivalent":
        return for_new, f"{said} and {beside}, which is as good: it serves both."
    return for_new, f"{said} and {beside}; these rows do not tell which is better there."
