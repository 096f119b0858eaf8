"""The end of a run on groups: the best methods once more, on rows whose group they have learned from."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from treatise.compare.blending import Blend, blended_part
from treatise.compare.contest.contest import Contest
from treatise.compare.contest.fold import FoldJob, Turn, run_fold
from treatise.compare.contest.isolation import Limits, Outcome, WorkerPool
from treatise.compare.explaining.known_groups import Part, known_groups_of
from treatise.report.explained import KnownGroups
from treatise.report.record import LeaderboardEntry, RunRecord

FOLDER = "known"
SHARE = 0.5
"""Of the time that is left for explanations: what the folds on known groups may take beyond the fewest."""
FEWEST = 2
"""Folds without which nothing can be said of known groups: they come before all explanations."""
FULL = 0.9
"""Share of the training rows from which on a method counts as fitted with all of them."""


def compared_on_known_groups(
    contest: Contest, run: RunRecord, entries: Sequence[LeaderboardEntry], blends: Sequence[Blend], pool: WorkerPool,
    threads: Executor, left: Callable[[], float],
) -> KnownGroups | None:  # fmt: skip
    """The ``entries``, the best method without groups, and all that learn from groups, on single rows of known groups.

    Near copies on new groups may differ on known ones, so that the best without groups is there though it be a copy.
    None where rows are in no groups, or there was no time.
    """
    data, field = contest.data.known_groups, contest.race.field
    if data is None or run.decision is None:
        return None
    work = contest.folder.work / FOLDER
    work.mkdir()
    data.save(work)
    takers = {e.key for e in run.leaderboard if e.key in field and field[e.key].compare.takes_groups}
    others = [e for e in run.leaderboard if e.key in field and e.key not in takers and e.form != "constant"]
    more = [*others[:1], *(e for e in run.leaderboard if e.key in takers)]
    entries = [*entries, *(e for e in more if e not in entries)]
    rounds = _Rounds(contest, {e.key: e for e in run.leaderboard}, pool, threads, left)
    mixed = [blend for blend in blends if any(blend.candidate.key == e.key for e in entries)]
    single = [e.key for e in entries if e.key in field]
    members = dict.fromkeys([*single, *(key for blend in mixed for key in blend.weights)])
    sampled = [key for key in single if rounds.sampled(key)]
    asked = [_Asked(work, key) for key in members] + [_Asked(contest.folder.work, key) for key in sampled]
    known, new = dict[str, list[Part]](), dict[str, list[Part]]()
    for found in rounds.run(asked):
        for place, part in found.items():
            (known if place.work == work else new).setdefault(place.key, []).append(part)
        for blend in mixed:
            if all(_Asked(work, key) in found for key in blend.weights):
                parts = {key: found[_Asked(work, key)] for key in blend.weights}
                known.setdefault(blend.candidate.key, []).append(blended_part(data, run.metric, blend, parts))
    units = data.units
    assert units is not None, "rows that are held out of known groups are in groups"
    return known_groups_of(
        str(data.options()["group"]), units, entries, takers, new, known, run.metric, contest.k, run.decision.margin
    )


class _Asked(NamedTuple):
    """A method, and the folder of the data that it is judged on."""

    work: Path
    key: str


@dataclass(frozen=True)
class _Rounds:
    """Folds of several methods, one round after another: whoever is compared is so on the same folds."""

    contest: Contest
    board: Mapping[str, LeaderboardEntry]
    pool: WorkerPool
    threads: Executor
    left: Callable[[], float]

    def sampled(self, key: str) -> bool:
        """Whether the board shows a method that was looked at with a part of the rows only."""
        entry = self.board[key]
        return entry.stage == "look" and entry.rows < FULL * self.contest.race.course.training_rows

    def run(self, asked: Sequence[_Asked]) -> list[dict[_Asked, Part]]:
        """What each said of a fold, for as many folds as time allows; a method that fails is left out of all.

        The first wait for the fit of the chosen model, which is no time of theirs.
        """
        began, spent, rounds = self.left(), 0.0, list[dict[_Asked, Part]]()
        seconds = SHARE * began * self.contest.jobs / self.contest.slowness / (self.contest.k * max(1, len(asked)))
        rows = {key: self._rows(key, seconds) for _, key in asked}
        asked = self._affordable(asked, rows, began) if asked else ()
        failed: set[str] = set()
        for fold in range(self.contest.k):
            kept = (1.0 - SHARE) * began if len(rounds) >= FEWEST else 0.0
            if self.left() - spent / max(1, len(rounds)) <= kept:
                break
            wanted = [each for each in asked if each.key not in failed]
            outcomes = list(self.threads.map(lambda each: self._judged(each, fold, rows[each.key]), wanted))  # noqa: B023
            if any(outcome.kind in ("late", "unstarted", "cancelled") for outcome in outcomes):
                break
            spent += sum(outcome.wall for outcome in outcomes) / self.contest.jobs
            failed |= {each.key for each, outcome in zip(wanted, outcomes) if outcome.kind != "done"}
            rounds.append({each: outcome.value for each, outcome in zip(wanted, outcomes) if outcome.kind == "done"})
        return [{each: part for each, part in found.items() if each.key not in failed} for found in rounds]

    def _affordable(self, asked: Sequence[_Asked], rows: Mapping[str, int | None], seconds: float) -> Sequence[_Asked]:
        """The first method, and of the others the cheapest, as many as there is time for in the fewest folds."""
        training, cost = self.contest.race.course.training_rows, dict[str, float]()
        for _, key in asked:
            cost[key] = cost.get(key, 0.0) + self.contest.race.expected(key, rows[key] or training)
        granted = SHARE * seconds * self.contest.jobs / self.contest.slowness / FEWEST
        first, *others = cost
        chosen, spent = {first}, cost[first]
        for key in sorted(others, key=cost.__getitem__):
            spent += cost[key]
            if spent > granted:
                break
            chosen.add(key)
        return [each for each in asked if each.key in chosen]

    def _rows(self, key: str, seconds: float) -> int | None:
        """Rows to fit with: as on the board, or as many as time allows where that was a look at a sample."""
        if self.sampled(key):
            return self.contest.race.rows_for(key, seconds)
        rows = self.board[key].rows
        return rows if rows < FULL * self.contest.race.course.training_rows else None

    def _judged(self, asked: _Asked, fold: int, rows: int | None) -> Outcome:
        contest = self.contest
        turn = Turn(asked.key, "fold", 0, fold, rows, setting=self.board[asked.key].params)
        job = FoldJob(asked.work, contest.race.field[asked.key], contest.metric, turn, contest.k, contest.seed)
        return self.pool.run(run_fold, (job,), Limits(float("inf"), contest.memory, self.left()))
