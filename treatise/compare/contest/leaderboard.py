"""From fold scores to a leaderboard that says which differences are real.

Intervals and tests are the corrected resampled ones: paper v05-1089 shows that the naive ones, which take
overlapping training sets for independent, promise too much.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from treatise.compare.candidates import Candidate
from treatise.report.record import FoldRecord, FoldScore, LeaderboardEntry, Metric
from treatise.theory import corrected_interval, corrected_ttest, holm

LEVEL = 0.05
NAMES_SHOWN = 4


def leaderboard(
    folds: Sequence[FoldRecord], candidates: Sequence[Candidate], metric: Metric, k: int
) -> tuple[LeaderboardEntry, ...]:
    """One entry for each method with at least one fold, best first."""
    by_key: dict[str, list[FoldRecord]] = {}
    for record in folds:
        by_key.setdefault(record.key, []).append(record)
    entries = [_entry(c, by_key[c.key], metric, k) for c in candidates if c.key in by_key]
    # A method with less than half the folds of a pass may owe its mean to easy ones: it comes after the others.
    enough = min(k, max((entry.folds for entry in entries), default=0)) / 2
    entries.sort(key=lambda e: (e.folds < enough, -metric.merit(e.score or 0.0), e.key))
    ranked = [replace(entry, rank=rank) for rank, entry in enumerate(entries, 1)]
    return _with_standings(ranked, k)


def _entry(candidate: Candidate, records: list[FoldRecord], metric: Metric, k: int) -> LeaderboardEntry:
    records = sorted(records, key=lambda r: (r.repeat, r.fold))
    interval = corrected_interval([r.score for r in records], n_train=k - 1, n_test=1)
    known = len(records) > 1
    return LeaderboardEntry(
        rank=0,
        key=candidate.key,
        label=candidate.label,
        paper=candidate.paper.id if candidate.paper else None,
        estimator=candidate.entry.path,
        baseline=candidate.paper is None,
        score=interval.mean,
        low=metric.within(interval.low) if known else None,
        high=metric.within(interval.high) if known else None,
        folds=len(records),
        scores=tuple(FoldScore(r.repeat, r.fold, r.score, r.fit_seconds) for r in records),
        fit_seconds=float(np.median([r.fit_seconds for r in records])),
        predict_seconds=float(np.median([r.predict_seconds for r in records])),
        metrics={name: _mean([r.metrics.get(name) for r in records]) for name in records[0].metrics},
        params=records[-1].params,
        standing="too few folds",
        p_value=None,
    )


def _with_standings(entries: list[LeaderboardEntry], k: int) -> tuple[LeaderboardEntry, ...]:
    """The entries, each compared with the best on the folds that both have."""
    if not entries:
        return ()
    best, *others = entries
    best_scores = {(s.repeat, s.fold): s.score for s in best.scores}
    p_values: dict[str, float] = {}
    for entry in others:
        pairs = [(best_scores[at], s.score) for s in entry.scores if (at := (s.repeat, s.fold)) in best_scores]
        if len(pairs) > 1:
            mine, theirs = zip(*pairs)
            p_values[entry.key] = corrected_ttest(mine, theirs, n_train=k - 1, n_test=1).p_value
    adjusted = dict(zip(p_values, map(float, holm(list(p_values.values()))))) if p_values else {}
    judged = [
        replace(entry, p_value=p, standing="behind" if p < LEVEL else "level")
        if (p := adjusted.get(entry.key)) is not None
        else entry
        for entry in others
    ]
    return replace(best, standing="best"), *judged


def _mean(values: list[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return float(np.mean(present)) if len(present) == len(values) else None


def verdict(entries: Sequence[LeaderboardEntry], metric: Metric, failures: int, status: str) -> list[str]:
    """The leaderboard in words."""
    if not entries:
        return ["No method finished a fold; the reasons are listed below."]
    best = entries[0]
    interval = "" if best.low is None else f" (95 % interval {best.low:.4g} to {best.high:.4g})"
    source = "a scikit-learn baseline" if best.baseline else f"paper {best.paper}"
    score = f"{metric.label} {best.score:.4g}{interval}"
    words = [f"{best.label} ({source}) does best: {score} over {best.folds} folds."]
    level = [e.label for e in entries if e.standing == "level"]
    behind = [e.label for e in entries if e.standing == "behind"]
    few = [e.label for e in entries if e.standing == "too few folds"]
    if level:
        words.append(f"On this evidence it cannot be told apart from {_listed(level)}.")
    if behind:
        verb = "are" if len(behind) > 1 else "is"
        words.append(f"{_listed(behind)} {verb} behind by more than chance (corrected test, 5 % level).")
    if few:
        words.append(f"{_listed(few)} had too few folds to be compared; a larger --budget gives more.")
    if best.estimator.startswith("sklearn.dummy."):
        words.append("No method does better than guessing: the columns may hold nothing on the target.")
    baselines = [e for e in entries if e.baseline]
    if not best.baseline and baselines and baselines[0].standing == "level":
        words.append(f"The best baseline, {baselines[0].label}, is level with it: choose by time and simplicity.")
    if failures:
        words.append(f"{failures} method{'s' if failures > 1 else ''} could not take part or did not finish.")
    if status == "interrupted":
        words.append("The run was interrupted; the same command goes on where it stopped.")
    return words


def _listed(names: list[str]) -> str:
    if len(names) > NAMES_SHOWN + 1:
        names = [*names[:NAMES_SHOWN], f"{len(names) - NAMES_SHOWN} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
