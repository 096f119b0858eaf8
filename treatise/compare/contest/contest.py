"""The folds of a comparison: plans them, runs them, keeps what comes back."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import joblib
import psutil

from treatise.compare.candidates import Candidate, chosen_candidates
from treatise.compare.contest.fold import FoldJob, run_fold
from treatise.compare.contest.folder import RunFolder
from treatise.compare.contest.isolation import Outcome, WorkerPool
from treatise.compare.contest.leaderboard import leaderboard, verdict
from treatise.compare.contest.schedule import Clock, Schedule
from treatise.compare.inputs import Input
from treatise.compare.observer import Observer
from treatise.compare.rules import Rules
from treatise.report.record import Failure, FoldPlan, LeaderboardEntry, Metric

MEMORY_SHARE = 0.8
NO_TURN = "the budget ended before its turn; give it more with --budget"
INTERRUPTED = "the run was interrupted before its turn"


class Contest:
    """Every candidate on every fold, as the schedule gives them turns."""

    def __init__(
        self, data: Input, metric: Metric, k: int, jobs: int, seed: int, clock: Clock, folder: RunFolder,
        watch: Observer, rules: Rules,
    ) -> None:  # fmt: skip
        self.data, self.metric, self.k, self.jobs, self.seed = data, metric, k, jobs, seed
        self.clock, self.folder, self.watch = clock, folder, watch
        self.everyone = chosen_candidates(data.candidates(), rules.include, rules.exclude)
        self.memory = MEMORY_SHARE * psutil.virtual_memory().available / jobs
        self.failures = list(folder.failures)
        given_up = {failure.key for failure in self.failures}
        self.running: list[Candidate] = []
        for candidate in self.everyone:
            reason = data.why_not(candidate, clock.budget / 2, self.memory)
            if reason is not None and candidate.key not in given_up:
                self._give_up(candidate, "not applicable", reason, keep=False)
            elif candidate.key not in given_up:
                self.running.append(candidate)
        self.schedule = Schedule(clock, self.running, k, jobs)
        self.schedule.saw(folder.folds, ())
        watch.planned(self.running, self.failures, len(folder.folds))

    def run(self) -> str:
        """Every wave until the budget ends, all repeats are done, or the user interrupts."""
        try:
            for repeat, fold in self.schedule.waves():
                if repeat >= self.data.repeats:
                    break
                if fold == 0 and repeat > 0:
                    self.running = self.schedule.staying(self.running, self.board())
                if self.schedule.folds_left <= 0 or not self.running:
                    break
                self._wave(repeat, fold)
        except KeyboardInterrupt:
            self.folder.note_spent(self.clock.elapsed)
            return "interrupted"
        self.folder.note_spent(self.clock.elapsed)
        return "finished"

    def board(self) -> tuple[LeaderboardEntry, ...]:
        """The leaderboard so far."""
        return leaderboard(self.folder.folds, self.everyone, self.metric, self.k)

    def outcome(self, status: str) -> dict[str, Any]:
        """What the contest adds to the run's record."""
        board = self.board()
        heard = {fold.key for fold in self.folder.folds} | {failure.key for failure in self.failures}
        ended = INTERRUPTED if status == "interrupted" else NO_TURN
        failures = self.failures + [self._failure(c, "time", ended) for c in self.everyone if c.key not in heard]
        repeats = 1 + max((record.repeat for record in self.folder.folds), default=-1)
        return {
            "folds": FoldPlan(self.k, repeats, self.data.grouped),
            "verdict": tuple(verdict(board, self.metric, len(failures), status)),
            "leaderboard": board,
            "failures": tuple(failures),
            "methods": tuple(candidate.describe() for candidate in self.everyone),
        }

    def _wave(self, repeat: int, fold: int) -> None:
        done = {record.key for record in self.folder.folds if (record.repeat, record.fold) == (repeat, fold)}
        waiting = [c for c in self.running if c.key not in done]

        def jobs() -> Iterator[Any]:
            for candidate, seconds in self.schedule.turns(waiting, self.data.size):
                job = FoldJob(
                    self.folder.work, candidate, self.metric, repeat, fold, self.k, self.seed,
                    self.schedule.tuning_seconds,
                )  # fmt: skip
                yield joblib.delayed(run_isolated)(job, seconds, self.memory, self.schedule.folds_left)

        parallel = joblib.Parallel(
            n_jobs=self.jobs,
            prefer="threads",
            batch_size=1,
            pre_dispatch="n_jobs",
            return_as="generator_unordered",
        )
        for candidate, outcome in parallel(jobs()):
            self._keep(candidate, outcome)

    def _keep(self, candidate: Candidate, outcome: Outcome) -> None:
        if outcome.kind == "done":
            record, predictions = outcome.value
            self.folder.add_fold(record, predictions, self.clock.elapsed)
            board = self.board()
            self.schedule.saw([record], board)
            left = self.schedule.estimate_left([c.key for c in self.running])
            self.watch.fold_done(candidate.label, record.score, board, self.clock.elapsed, left)
        elif outcome.kind in ("error", "memory"):
            self._give_up(candidate, outcome.kind, outcome.reason, keep=True)
        elif outcome.kind == "time" and self.schedule.expected(candidate.key) is None:
            # A fold cut off by the end of the budget says nothing against a method that had folds before.
            self._give_up(candidate, "time", outcome.reason, keep=False)

    def _give_up(self, candidate: Candidate, kind: str, reason: str, *, keep: bool) -> None:
        failure = self._failure(candidate, kind, reason)
        self.failures.append(failure)
        if keep:
            self.folder.add_failure(failure, self.clock.elapsed)
        self.running = [c for c in self.running if c.key != candidate.key]
        if kind != "not applicable":
            self.watch.failed(failure)

    def _failure(self, candidate: Candidate, kind: str, reason: str) -> Failure:
        folds = sum(record.key == candidate.key for record in self.folder.folds)
        paper = candidate.paper.id if candidate.paper else None
        return Failure(candidate.key, candidate.label, paper, kind, reason, folds)


def run_isolated(job: FoldJob, seconds: float, memory: float, patience: float) -> tuple[Candidate, Outcome]:
    """Run one fold in an isolated process of the machine that this is called on."""
    return job.candidate, workers().run(run_fold, (job,), seconds, memory, patience)


@lru_cache(maxsize=1)
def workers() -> WorkerPool:
    """The processes of this machine."""
    return WorkerPool()


def retire_workers() -> None:
    """End them."""
    workers().close()
    workers.cache_clear()
