"""From folds to a leaderboard: scores with intervals, and which differences are real.

Intervals of a score are the corrected resampled ones: paper v05-1089 shows that the naive ones, which take overlapping
training sets for independent, promise too much. Differences are judged on the held-out rows that methods share.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from treatise.catalog import FORMS
from treatise.compare.candidates import Candidate
from treatise.compare.contest.evidence import Evidence, Place
from treatise.compare.contest.race import FOLDS_WANTED, Race
from treatise.report.record import FoldRecord, FoldScore, LeaderboardEntry, Metric
from treatise.theory import corrected_interval

LEVEL = 0.05
"""Chance that any of the standings is wrong."""


@dataclass
class Entries:
    """The entries of a leaderboard, made anew only for methods with news: a board is asked for after every fold."""

    race: Race
    metric: Metric
    _known: dict[str, tuple[int, LeaderboardEntry]] = field(default_factory=dict)

    def of(self, key: str) -> LeaderboardEntry:
        """That of one method."""
        records = self.race.records[key]
        if self._guesses(key) and not self._contended:
            # Guessing has all its folds in no time; until a method stands on its own, it is seen at what all were
            # looked at.
            records = [record for record in records if record.stage == "look"] or records
        if key not in self._known or self._known[key][0] != len(records):
            self._known[key] = len(records), entry_of(self.race.field[key], records, self.metric, self.race.course.k)
        entry = self._known[key][1]
        # One that has contended stands for itself.
        return entry if entry.stage == "folds" else replace(entry, copy_of=self.race.copy_of.get(key))

    def _guesses(self, key: str) -> bool:
        return self.race.field[key].form == "constant"

    @property
    def _contended(self) -> bool:
        """Whether any method but guessing is shown by its folds, which the first few of many looks are not."""
        tried = [key for key, records in self.race.records.items() if records and not self._guesses(key)]
        return any(self.of(key).stage == "folds" for key in tried)


def leaderboard(made: Entries, more: Sequence[LeaderboardEntry] = ()) -> tuple[LeaderboardEntry, ...]:
    """One entry for each method that was tried, best first, before any test; ``more`` are blends."""
    race, metric = made.race, made.metric
    entries = [made.of(key) for key, records in race.records.items() if records] + list(more)
    # A contender with less than half the folds of a pass may owe its mean to easy ones: it comes after the others.
    enough = _enough({e.key: e.folds for e in entries if e.stage == "folds"}, race)
    entries.sort(
        key=lambda e: (e.stage != "folds", e.stage == "folds" and e.folds < enough, -metric.merit(e.score), e.key)
    )
    return tuple(replace(entry, rank=rank) for rank, entry in enumerate(entries, 1))


def entry_of(candidate: Candidate, records: Sequence[FoldRecord], metric: Metric, k: int) -> LeaderboardEntry:
    """A method's entry, before any test."""
    folds = [r for r in records if r.stage == "fold"]
    looks = [r for r in records if r.stage == "look"]
    deepest = max((r.sample for r in looks), default=0)
    looks = [r for r in looks if r.sample == deepest]
    if 2 * len(folds) < k and len(looks) > len(folds) and deepest == 0:
        folds = []  # the time ended before it contended in earnest: looks at more of the rows say more
    shown = folds or looks
    shown.sort(key=lambda r: (r.repeat, r.fold))
    interval = corrected_interval([r.score for r in shown], n_train=k - 1, n_test=1)
    known = len(shown) > 1
    return LeaderboardEntry(
        rank=0,
        key=candidate.key,
        label=candidate.label,
        paper=candidate.paper.id if candidate.paper else None,
        estimator=candidate.entry.path,
        baseline=candidate.baseline,
        form=candidate.form,
        stage="folds" if folds else "look",
        rows=max(r.rows for r in shown),
        score=interval.mean,
        low=metric.within(interval.low) if known else None,
        high=metric.within(interval.high) if known else None,
        folds=len(shown),
        scores=tuple(FoldScore(r.repeat, r.fold, r.score, r.fit_seconds) for r in shown),
        fit_seconds=float(np.median([r.fit_seconds for r in shown])),
        predict_seconds=float(np.median([1000.0 * r.predict_seconds / max(1, r.judged) for r in shown])),
        metrics={name: _mean([r.metrics.get(name) for r in shown]) for name in shown[0].metrics},
        params=shown[-1].params,
        standing="unjudged",
        behind=None,
        behind_low=None,
        behind_high=None,
        copy_of=None,
    )


def judged(entries: Sequence[LeaderboardEntry], race: Race, metric: Metric) -> tuple[LeaderboardEntry, ...]:
    """The entries with their standings: contenders on their folds, the others on the looks that they share.

    Methods with equally many looks are one family, the contenders another. Where looks were at all rows, contenders
    stand in them as they were on the same fold when tuned, so that everybody is compared with the winner. The
    contenders' tests take half of the level, those of the other families share the rest by their sizes, so that all of
    them hold together.
    """
    evidence = race.evidence.with_folds()
    families = _families(entries, race, evidence)
    found: dict[str, dict[str, object]] = {}
    others = sum(len(wanted) for wanted, _, _ in families[1:])
    for number, (wanted, keys, places) in enumerate(families):
        share = 1.0 if not others else 0.5 if number == 0 else 0.5 * len(wanted) / others
        margin = race.margin(keys, places, evidence)
        compared = evidence.compared(keys, places, margin, share * LEVEL, asked=set(wanted))
        for i, key in enumerate(keys):
            if compared is not None and key in wanted:
                standing = str(compared.standing[i])
                if standing == "equivalent" and not _whole(places, race):
                    standing = "undecided"  # as good on a sample, or on few folds, is no more than that
                found[key] = {
                    "standing": standing, "behind": float(compared.behind[i]),
                    "behind_low": float(compared.low[i]), "behind_high": float(compared.high[i]),
                }  # fmt: skip
    ranked = [replace(entry, **found[entry.key]) if entry.key in found else entry for entry in entries]  # type: ignore[arg-type]
    contenders, _, common = families[0] if families else ((), (), ())
    board = _best_first([_on(common, e) if e.key in contenders else e for e in ranked], contenders, metric)
    return _sharing_places(board, families, evidence, race)


def _sharing_places(
    board: Sequence[LeaderboardEntry], families: Sequence["Family"], evidence: Evidence, race: Race
) -> tuple[LeaderboardEntry, ...]:
    """The board with near copies, of which none has proved different, in the place of the best of them.

    They are told by all rows on which a family was judged; who has not contended also keeps the place that it shared
    since the first look.
    """
    open_ones = [e.key for e in board if e.standing != "worse" and e.form != "constant"]
    alike: dict[str, str] = {}
    for wanted, keys, places in families:
        found = evidence.copies([key for key in open_ones if key in keys], places)
        alike |= {key: first for key, first in found.items() if key in wanted}
    contended = {e.key for e in board if e.stage == "folds"}
    copy_of: dict[str, str] = {}
    # The first of a place that proved worse keeps it; else it is that of whoever is ahead now.
    place = {e.key: e.key for e in board if e.key not in open_ones}
    for key in open_ones:
        since_looks = race.copy_of.get(key, key)
        first = alike.get(key) or (None if key in contended else place.get(since_looks))
        if first is not None:
            copy_of[key] = copy_of.get(first, first)
        place.setdefault(since_looks, copy_of.get(key, key))
    return tuple(replace(entry, copy_of=copy_of.get(entry.key)) for entry in board)


def _on(places: Sequence[Place], entry: LeaderboardEntry) -> LeaderboardEntry:
    """A contender's entry on some of its folds, so that scores on the board are those of the same rows."""
    shared = {(repeat, fold) for _, _, repeat, fold in places}
    scores = tuple(score for score in entry.scores if (score.repeat, score.fold) in shared)
    if entry.stage != "folds" or not scores:
        return entry
    return replace(entry, score=float(np.mean([score.score for score in scores])))


def _whole(places: Sequence[Place], race: Race) -> bool:
    """Whether places are folds of all rows, or looks that together hold out every row at least once."""
    return places[0][0] == "fold" or (len(places) >= race.course.k and all(sample == 0 for _, sample, _, _ in places))


Family = tuple[Sequence[str], Sequence[str], Sequence[Place]]
"""Who is judged, among whom, and where."""


def _families(entries: Sequence[LeaderboardEntry], race: Race, evidence: Evidence) -> list[Family]:
    contenders = [e.key for e in entries if e.stage == "folds"]
    folds = {key: len(race.evidence.places(key, "fold")) for key in contenders}
    # One with few folds would leave the others few rows in common; one that is quick may have many more than need be.
    full = [key for key in contenders if folds[key] >= _enough(folds, race)]
    families: list[Family] = []
    if full:
        families.append((full, full, race.evidence.common(full, "fold")))
    left = {e.key for e in entries} - set(full)
    for depth in range(len(race.looks), 0, -1):
        places = race.looks[:depth]
        keys = evidence.at_all(places)
        wanted = [key for key in keys if key in left]
        if wanted:
            families.append((wanted, keys, places))
            left -= set(wanted)
    return families


def _enough(folds: dict[str, int], race: Race) -> float:
    """Half of the folds of a pass, or of the most that a method had; guessing, which has them in no time, apart."""
    methods = [count for key, count in folds.items() if key not in race.field or race.field[key].form != "constant"]
    return min(FOLDS_WANTED, max(methods, default=0)) / 2


def _best_first(
    entries: Sequence[LeaderboardEntry], family: Sequence[str], metric: Metric
) -> tuple[LeaderboardEntry, ...]:
    """The best of the first family, the contenders if there are any, by the rows that they share leads the others."""
    if not entries:
        return ()
    behind = {e.key: e.behind for e in entries if e.key in family and e.behind is not None}
    # Of equally good ones the simplest: a blend may be nothing but its best member.
    form = {e.key: FORMS.index(e.form) for e in entries}
    best = min(behind, key=lambda key: (round(behind[key], 12), form[key])) if behind else entries[0].key
    within = sorted((e for e in entries if e.key in family), key=lambda e: (e.key != best, -metric.merit(e.score)))
    ordered = within + [e for e in entries if e.key not in family]
    marked = [replace(e, standing="best") if e.key == best else e for e in ordered]
    return tuple(replace(entry, rank=rank) for rank, entry in enumerate(marked, 1))


def _mean(values: list[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return float(np.mean(present)) if len(present) == len(values) else None
