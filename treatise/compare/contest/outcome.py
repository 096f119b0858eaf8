"""What a contest adds to the record of a run: blends, standings, the decision, how the time was spent."""

from dataclasses import dataclass
from typing import Any

from treatise.compare.blending import Blend, blends
from treatise.compare.contest.contest import INTERRUPTED, NO_TURN, Contest
from treatise.compare.contest.decision import decide, verdict
from treatise.compare.contest.evidence import place_of
from treatise.compare.contest.leaderboard import entry_of, judged, leaderboard
from treatise.compare.contest.race import FOLDS_WANTED
from treatise.compare.rules import Rules
from treatise.report.record import FoldPlan, LeaderboardEntry, Race

ENOUGH = 0.8
"""Of the folds of the fullest member of a blend, what the others need."""


@dataclass(frozen=True)
class Judgement:
    """A contest as it ended."""

    contest: Contest
    blends: list[Blend]
    board: tuple[LeaderboardEntry, ...]
    rules: Rules

    @classmethod
    def of(cls, contest: Contest, rules: Rules) -> "Judgement":
        """Blend the contenders, and judge everybody."""
        made = blends(contest.data, contest.metric, _members(contest))
        more = []
        for blend in made:
            records = [record for record, _ in blend.parts]
            more.append(entry_of(blend.candidate, records, contest.metric, contest.k))
            for record, part in blend.parts:
                contest.evidence.add(record.key, place_of(record), part.numbers, part.merits)
        board = judged(leaderboard(contest.entries, more), contest.race, contest.metric)
        return cls(contest, made, board, rules)

    def record(self, status: str) -> dict[str, Any]:
        """The fields of the run's record."""
        contest, race = self.contest, self._race()
        tried = {fold.key for fold in contest.folder.folds} | {failure.key for failure in contest.failures}
        ended = INTERRUPTED if status == "interrupted" else NO_TURN
        unheard = [c for c in contest.everyone if c.key not in tried]
        failures = contest.failures + [contest.failure(c, "time", ended) for c in unheard]
        decision = decide(self.board, contest.metric, race, self.rules, self._margin())
        decision = contest.data.decided(decision, self.board)
        repeats = 1 + max((record.repeat for record in contest.folder.folds), default=-1)
        return {
            "folds": FoldPlan(contest.k, repeats, contest.data.grouped),
            "race": race,
            "decision": decision,
            "verdict": tuple(verdict(decision, race, len(failures), status)),
            "leaderboard": self.board,
            "failures": tuple(failures),
            "methods": tuple(candidate.describe() for candidate in contest.everyone),
        }

    def _margin(self) -> float:
        """The margin in the metric's unit, from the best and the guess as they are shown."""
        if not self.board:
            return 0.0
        merit = self.contest.metric.merit
        guess = [merit(e.score) for e in self.board if e.form == "constant"] or [
            merit(e.score) for e in self.board[-1:]
        ]
        return self.rules.margin * max(0.0, merit(self.board[0].score) - max(guess))

    def _race(self) -> Race:
        folds = self.contest.folder.folds
        field, rows = self.contest.race.field, self.contest.race.course.training_rows
        looked = {fold.key for fold in folds if fold.key in field}
        return Race(
            field=len(field),
            looked=len(looked),
            contended=len({fold.key for fold in folds if fold.stage == "fold"}),
            folds=len(folds),
            processor_seconds=sum(fold.seconds for fold in folds),
            compile_seconds=sum(fold.compile_seconds for fold in folds),
            rows_sampled=any(fold.stage == "fold" and fold.rows < 0.9 * rows for fold in folds),
            complete=2 * len(looked) >= len(field) > 0,
        )


def _members(contest: Contest) -> dict[str, list[Any]]:
    """The contenders that a blend may be made of, best first, with their folds.

    They predict better than a constant, did not fail, and have most folds of the fullest, up to those that a contender
    should have: a blend has the folds that all its members have, and one that was stopped early would leave it none.
    """
    failed = {failure.key for failure in contest.failures}
    able = [
        entry.key
        for entry in leaderboard(contest.entries)
        if entry.stage == "folds" and entry.form != "constant" and entry.key not in failed
    ]
    folds = {key: [r for r in contest.race.records[key] if r.stage == "fold"] for key in able}
    needed = ENOUGH * min(FOLDS_WANTED, max(map(len, folds.values()), default=0))
    found = {}
    for key, records in folds.items():
        if len(records) >= needed:
            parts = [(record, contest.folder.predictions(record)) for record in records]
            found[key] = [(record, part) for record, part in parts if part is not None]
    return found
