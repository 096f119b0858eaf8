"""The folds of a comparison: asks the race who is next, runs it, keeps what comes back."""

import threading
from collections.abc import Iterator
from functools import lru_cache

import psutil

from treatise.compare.candidates import Candidate, chosen_candidates
from treatise.compare.contest.clock import Clock
from treatise.compare.contest.evidence import Evidence, place_of
from treatise.compare.contest.fold import FoldJob, Turn, run_fold
from treatise.compare.contest.folder import RunFolder
from treatise.compare.contest.isolation import Limits, Outcome, WorkerPool
from treatise.compare.contest.leaderboard import Entries, leaderboard
from treatise.compare.contest.race import LOOK_ROWS, Course, Race
from treatise.compare.contest.requests import Requests
from treatise.compare.contest.spread import Call, Calls, cluster_in_use, in_threads, jobs_on_a_machine, on_cluster
from treatise.compare.inputs import FoldPredictions, Input
from treatise.compare.observer import Observer
from treatise.compare.rules import Rules
from treatise.report.record import Failure, FoldRecord, Metric

MEMORY_SHARE = 0.8
NO_TURN = "the budget ended before its turn; give it more with --budget"
INTERRUPTED = "the run was interrupted before its turn"
SHORT_JOB = 0.2
SPARE_AT = 0.5
# The end of a run: its least share of the budget, its most, and what the report takes.
ENDING_LEAST = 0.06
ENDING_MOST = 0.35
ENDING_GROUPS = 0.1
"""Share of the budget that the end has besides where rows are in groups: known ones are judged then, however long the
last fit takes."""
REPORT_SECONDS, REPORT_SHARE, REPORT_MOST = 1.0, 0.02, 0.2
"""What the pictures and the page take: processor seconds, a share of the budget where it is large, and the share of it
that they have at most on a busy machine."""
FIRST_FOLD = 60.0
"""Seconds, beyond the budget if need be, that the first fold of a run may take: without it there is no answer."""
LAST_FIT = 1.5
"""Times as long as expected that the last fit may take: the rows held out so far join it."""


class Contest:
    """Every candidate in its turn, as the race gives them."""

    def __init__(
        self, data: Input, metric: Metric, k: int, jobs: int, seed: int, rules: Rules, clock: Clock,
        folder: RunFolder, watch: Observer,
    ) -> None:  # fmt: skip
        self.data, self.metric, self.k, self.jobs, self.seed = data, metric, k, jobs, seed
        self.clock, self.folder, self.watch, self.keep = clock, folder, watch, rules.keep
        self.everyone = chosen_candidates(data.candidates(), rules.include, rules.exclude)
        self.memory = MEMORY_SHARE * psutil.virtual_memory().available / jobs_on_a_machine(jobs)
        self.failures = list(folder.failures)
        self._lock = threading.Lock()
        self._wall, self._processor = 1.0, 1.0
        self._spare = False
        self._began = clock.elapsed
        self._for_known_groups = 0.0 if data.known_groups is None else ENDING_GROUPS * clock.budget
        field = self._field()
        self.evidence = Evidence(data.units)
        made_for_it = frozenset(candidate.key for candidate in field if data.suits(candidate))
        course = Course(data.size, k, data.repeats, jobs, clock.budget, rules.margin, made_for_it)
        self.race = Race(field, course, self.evidence)
        self.entries = Entries(self.race, metric)
        for failure in folder.failures:
            self.race.gave_up(failure.key)
        for record in folder.folds:
            found = folder.predictions(record)
            if record.key in self.race.field and found is not None:
                self._take(record, found)
        watch.planned(field, self.failures, len(folder.folds))

    def _field(self) -> list[Candidate]:
        """Those that can take data of this size at least in part; the others are given up with the reason."""
        given_up = {failure.key for failure in self.failures}
        field = []
        for candidate in self.everyone:
            reason = self.data.why_not(candidate, self.clock.budget / 4, self.memory, LOOK_ROWS)
            if reason is None:
                field.append(candidate)
            elif candidate.key not in given_up:
                self.failures.append(self.failure(candidate, "not applicable", reason))
        return field

    @property
    def slowness(self) -> float:
        """Seconds on the clock for each of processor time that a job was granted lately."""
        return max(1.0, self._wall / self._processor)

    def _pace(self, wall: float, processor: float) -> None:
        """Hear how long a job took; of a short one the clock shows what passing it on takes, not how busy we are."""
        if processor > SHORT_JOB:
            self._wall, self._processor = 0.7 * self._wall + wall, 0.7 * self._processor + processor

    def report_seconds(self, granted: float) -> float:
        """Seconds on the clock that pictures and page take, for so many of processor time: a busy machine is slow."""
        return min(self.slowness * granted, max(granted, REPORT_MOST * self.clock.budget))

    @property
    def ending_seconds(self) -> float:
        """What the last fit, the explanations and the report will take on the clock, as far as it can be told."""
        least = self.report_seconds(REPORT_SECONDS) + ENDING_LEAST * self.clock.budget
        most = max(least, ENDING_MOST * self.clock.budget)
        leader = self.race.leader
        if leader is None:
            return self._for_known_groups + least
        rows = self.data.size.rows
        fit = self.keep * (LAST_FIT * self.race.expected(leader, rows) + self.race.search_for(leader, rows))
        return self._for_known_groups + min(most, least + self.slowness * fit)

    @property
    def folds_left(self) -> float:
        """Seconds on the clock until no fold may run any more."""
        left = self.clock.left - self.ending_seconds
        return left if self.folder.folds else max(left, self._began + FIRST_FOLD - self.clock.elapsed)

    def run(self, requests: Requests) -> str:
        """Every turn until the budget ends, nothing is left to do, or the user interrupts."""
        status = "finished"
        try:
            with requests.cut_short():
                for turn, outcome in self._outcomes():
                    self._keep(turn, outcome)
        except KeyboardInterrupt:
            status = "interrupted"
        self.folder.note_spent(self.clock.elapsed)
        return status

    def _outcomes(self) -> Iterator[tuple[Turn, Outcome]]:
        cluster = cluster_in_use()
        if cluster is None:
            return in_threads(run_isolated, self._calls(), self.jobs)
        return on_cluster(run_isolated, self._calls(), cluster, lambda: self.folds_left)

    def _calls(self) -> Calls:
        """Turns as processors become free; None where the next depends on what is still running."""
        while True:
            with self._lock:
                left = self.folds_left
                turn = self.race.next(left / self.slowness)
                if turn is None and self.race.idle:
                    return
                if turn is not None:
                    self.race.began(turn)
            if turn is None:
                yield None
                continue
            job = FoldJob(self.folder.work, self.race.field[turn.key], self.metric, turn, self.k, self.seed)
            yield Call(job, Limits(turn.seconds, self.memory, left))

    def _keep(self, turn: Turn, outcome: Outcome) -> None:
        candidate = self.race.field[turn.key]
        with self._lock:
            self.race.ended(turn)
            if outcome.kind == "done":
                record, predictions = outcome.value
                self.folder.add_fold(record, predictions, self.clock.elapsed)
                self._pace(outcome.wall, outcome.seconds + outcome.compile_seconds)
                self._take(record, predictions)
                board = leaderboard(self.entries)
        if not self._spare and self.clock.elapsed > SPARE_AT * self.clock.budget:
            # When the time is up, running jobs are stopped with their processes; the last fit needs one that is ready.
            self._spare = True
            workers().spare()
        if outcome.kind == "done":
            self.watch.fold_done(candidate.label, record.score, board, self.clock.elapsed, self.clock.left)
        elif outcome.kind in ("error", "memory"):
            self._give_up(candidate, outcome.kind, outcome.reason, keep=True)
        elif outcome.kind == "time":
            # One that is stopped at a fold after others says nothing against it but its cost.
            self._give_up(candidate, "time", outcome.reason, keep=False)

    def _take(self, record: FoldRecord, found: FoldPredictions) -> None:
        """A record's merits to the evidence, and the record to the race."""
        self.evidence.add(record.key, place_of(record), found.numbers, found.merits)
        self.race.saw(record)

    def _give_up(self, candidate: Candidate, kind: str, reason: str, *, keep: bool) -> None:
        failure = self.failure(candidate, kind, reason)
        with self._lock:
            self.race.gave_up(candidate.key)
            if not any(f.key == candidate.key for f in self.failures):
                self.failures.append(failure)
                if keep:
                    self.folder.add_failure(failure, self.clock.elapsed)
        self.watch.failed(failure)

    def failure(self, candidate: Candidate, kind: str, reason: str) -> Failure:
        """A candidate that takes no further part."""
        folds = sum(record.key == candidate.key for record in self.folder.folds)
        paper = candidate.paper.id if candidate.paper else None
        return Failure(candidate.key, candidate.label, paper, kind, reason, folds)


def run_isolated(job: FoldJob, limits: Limits) -> tuple[Turn, Outcome]:
    """Run one fold in an isolated process of the machine that this is called on."""
    return job.turn, workers().run(run_fold, (job,), limits)


@lru_cache(maxsize=1)
def workers() -> WorkerPool:
    """The processes of this machine."""
    return WorkerPool()


def retire_workers() -> None:
    """End them."""
    workers().close()
    workers.cache_clear()
