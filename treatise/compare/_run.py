"""A comparison from a table to a run folder with its leaderboard, report and fitted model."""

import datetime
import hashlib
import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import joblib
import polars as pl
import psutil

from treatise._core.errors import TreatiseError
from treatise._core.version import __version__
from treatise.compare._candidates import Candidate, all_candidates, streaming_candidates, why_not
from treatise.compare._encode import as_frame
from treatise.compare._ending import finish
from treatise.compare._fold import FoldJob, run_fold, save_problem
from treatise.compare._folder import RunFolder, digest, fingerprint, rows_read_before
from treatise.compare._folds import number_of_folds
from treatise.compare._isolation import Outcome, WorkerPool
from treatise.compare._leaderboard import leaderboard, verdict
from treatise.compare._metrics import Metric, choose_metric
from treatise.compare._observer import Observer
from treatise.compare._problem import Problem, understand
from treatise.compare._reading import digest_of_parts, oversize, read_streamed
from treatise.compare._schedule import Clock, Schedule
from treatise.compare._sequences import STRAY_GROUP, is_sequences, read_sequences
from treatise.compare._store import INDEX, BlockStore
from treatise.compare._streamed import StreamedProblem
from treatise.datasets import load_table
from treatise.io import ModelFile, Table, load_model

LEAST_BUDGET = 5.0
MEMORY_SHARE = 0.8
# Of a table in memory: itself, its encoding, and the training rows of that.
COPIES = 3
READING_SHARE = 0.25
NO_TURN = "the budget ended before its turn; give it more with --budget"


@dataclass(frozen=True)
class Comparison:
    """A finished or interrupted comparison.

    Attributes
    ----------
    run : dict
        The whole record, as in ``run.json``.
    folder : Path
        Where the report, the model and the predictions lie.
    """

    run: dict[str, Any]
    folder: Path

    @property
    def leaderboard(self) -> pl.DataFrame:
        """The leaderboard as a table, best first."""
        schema = {
            "rank": pl.Int64, "label": pl.String, "paper": pl.String, "score": pl.Float64, "low": pl.Float64,
            "high": pl.Float64, "folds": pl.Int64, "fit_seconds": pl.Float64, "standing": pl.String,
        }  # fmt: skip
        return pl.DataFrame([{key: entry[key] for key in schema} for entry in self.run["leaderboard"]], schema=schema)

    @property
    def best(self) -> ModelFile:
        """The winner, fitted on the whole table."""
        if not self.run["best"] or not self.run["best"]["model"]:
            raise TreatiseError("this comparison has no fitted winner; run it again with a larger budget")
        return load_model(self.folder / self.run["best"]["model"])


def compare_methods(
    data: Any,
    target: str | int | None = None,
    *,
    task: str | None = None,
    metric: str | None = None,
    budget: float = 120.0,
    jobs: int | None = None,
    output: str | os.PathLike[str] | None = None,
    seed: int = 0,
    header: bool | None = None,
    memory: float | None = None,
    group: str | None = None,
    observer: Observer | None = None,
    spent: float = 0.0,
) -> Comparison:
    """Ask what every applicable method makes of a table.

    Every method of the catalogue that takes the task, and the usual scikit-learn baselines, are tuned inside
    the training folds and judged on held-out folds until the budget is used; the winner is fitted on all rows.
    A method that raises, hangs or takes too much memory is stopped and reported, and the others go on. Run it
    again with the same ``output`` and it goes on where it stopped.

    A file whose table is too large for the memory is read in blocks: the methods that learn from a stream are then
    compared, on folds of its rows, each after one pass over the others. Its rows lie on disk beside ``output`` while
    it runs, and a quarter of the budget at most goes into reading; a file that takes longer is read as far as that.

    To spread the folds over a Dask cluster that shares the output folder, call it inside
    ``joblib.parallel_config(backend="dask")``.

    Parameters
    ----------
    data : path, bundled name, Table or data frame
        The table.
    target : str, int or None
        The column to predict, by name or number; None for a table that names its own.
    task : {"binary", "multiclass", "regression", "sequence"} or None
        None infers it; "sequence", which files in CoNLL columns are taken for, labels the words of sentences.
    metric : str or None
        What ranks the methods; None takes ROC AUC, balanced accuracy or R² by task.
    budget : float, default=120
        Seconds for everything, the report included.
    jobs : int or None
        Folds at once; None takes the processors there are.
    output : path or None
        The run folder; None names it after the table.
    seed : int, default=0
        Fixes folds, tuning draws and the methods' own randomness.
    header : bool or None
        Whether the file's first line names the columns; None looks.
    memory : float or None
        Most bytes that the table may take as a matrix of numbers; a larger one is read in blocks. None gives each
        job a third of its share of the memory that is free.
    group : str or None
        The column of a table that tells its sequences apart; for sequences alone. None looks for one of the usual
        names ("sentence", "sequence"), and else takes a row for each sequence, its items between blanks.
    observer : Observer or None
        Is told how it goes.
    spent : float, default=0
        Seconds of the budget that are gone already, such as a program's own start.

    Returns
    -------
    Comparison
    """
    if not budget >= LEAST_BUDGET:
        raise TreatiseError(f"a budget of {budget:g} s is too small for any answer; give at least {LEAST_BUDGET:g}")
    jobs = joblib.cpu_count() if jobs is None else jobs
    if jobs < 1:
        raise TreatiseError(f"{jobs} jobs cannot run anything; give at least 1")
    if memory is not None and not memory > 0:
        raise TreatiseError(f"a memory of {memory:g} bytes holds no table; give more than 0")
    watch, clock, pool = observer or Observer(), Clock(budget, spent), _pool()
    problem: Problem | None = None
    try:
        pool.warm_up(jobs)
        problem, source, path = _problem(data, target, task, header, memory, jobs, output, seed, clock, watch, group)
        chosen = choose_metric(problem.task, metric)
        watch.understood(problem, chosen)
        k, source_digest = number_of_folds(problem), _digest(source, problem)
        folder = RunFolder(path, fingerprint(source_digest, problem, chosen.name, k, seed))
        try:
            clock.spent_before += folder.spent
            save_problem(problem, folder.work)
            contest = _Contest(problem, chosen, k, jobs, seed, clock, folder, pool, watch)
            started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
            status = contest.run()
            run = {
                "treatise": __version__,
                "command": _command(source, problem, chosen, budget, jobs, seed, memory, group),
                "status": status, "started": started, "seconds": 0.0, "budget": budget, "jobs": jobs, "seed": seed,
                "data": {**problem.describe(), "source": source, "sha256": source_digest},
                "metric": chosen.plain(), **contest.record(status),
            }  # fmt: skip
            finish(run, problem, contest.everyone, folder, pool, clock, contest.schedule, watch)
        finally:
            folder.close()
    finally:
        _retire()
        if isinstance(problem, StreamedProblem) and problem.store is not None:
            problem.store.remove()
    return Comparison(run, folder.path)


def _problem(
    data: Any, target: str | int | None, task: str | None, header: bool | None, memory: float | None, jobs: int,
    output: str | os.PathLike[str] | None, seed: int, clock: Clock, watch: Observer, group: str | None,
) -> tuple[Problem, str, Path]:  # fmt: skip
    """The table as a problem, in memory or on disk; where it came from, and the run's folder."""
    limit = MEMORY_SHARE * psutil.virtual_memory().available / jobs / COPIES if memory is None else memory
    if is_sequences(data, task):
        problem = read_sequences(data, target, group, header)
        return problem, os.fspath(data), _folder(output, problem.name)
    if group is not None:
        raise TreatiseError(STRAY_GROUP)
    large = oversize(data, header, limit)
    if large is None:
        table, source = _table(data, header)
        return understand(table, target, task), source, _folder(output, table.name)
    watch.streaming(large.sentence)
    path = _folder(output, large.blocks.head.name)
    store = path.with_name(f"{path.name}-blocks")
    try:
        problem = read_streamed(
            large, target, task, seed, store, seconds=READING_SHARE * clock.left, rows=rows_read_before(path)
        )
    except BaseException:
        if (store / INDEX).exists():
            BlockStore(store).remove()
        raise
    return problem, os.fspath(data), path


class _Contest:
    """The folds of a comparison: plans them, runs them, keeps what comes back."""

    def __init__(
        self, problem: Problem, metric: Metric, k: int, jobs: int, seed: int, clock: Clock, folder: RunFolder,
        pool: WorkerPool, watch: Observer,
    ) -> None:  # fmt: skip
        self.problem, self.metric, self.k, self.jobs, self.seed = problem, metric, k, jobs, seed
        self.clock, self.folder, self.pool, self.watch = clock, folder, pool, watch
        streamed = isinstance(problem, StreamedProblem)
        self.everyone = streaming_candidates(problem.task) if streamed else all_candidates(problem.task)
        self.memory = MEMORY_SHARE * psutil.virtual_memory().available / jobs
        self.failures = list(folder.failures)
        given_up = {failure["key"] for failure in self.failures}
        self.running: list[Candidate] = []
        for candidate in self.everyone:
            reason = why_not(candidate, problem, clock.budget / 2, self.memory)
            if reason is not None and candidate.key not in given_up:
                self._give_up(candidate, "not applicable", reason, keep=False)
            elif candidate.key not in given_up:
                self.running.append(candidate)
        self.schedule = Schedule(clock, self.running, k, jobs)
        for record in folder.folds:
            self.schedule.durations.setdefault(record["key"], []).append(record["seconds"])
        watch.planned(self.running, self.failures, len(folder.folds))

    def run(self) -> str:
        """Every wave until the budget ends, all repeats are done, or the user interrupts."""
        try:
            for repeat, fold in self.schedule.waves():
                if fold == 0 and repeat > 0:
                    self._leave_the_beaten()
                if self.schedule.folds_left <= 0 or not self.running:
                    break
                self._wave(repeat, fold)
        except KeyboardInterrupt:
            self.folder.note_spent(self.clock.elapsed)
            return "interrupted"
        self.folder.note_spent(self.clock.elapsed)
        return "finished"

    def board(self) -> list[dict[str, Any]]:
        """The leaderboard so far."""
        return leaderboard(self.folder.folds, self.everyone, self.metric, self.k)

    def record(self, status: str) -> dict[str, Any]:
        """What the contest adds to the run's record."""
        board = self.board()
        heard = {record["key"] for record in (*self.folder.folds, *self.failures)}
        ended = "the run was interrupted before its turn" if status == "interrupted" else NO_TURN
        failures = self.failures + [self._failure(c, "time", ended) for c in self.everyone if c.key not in heard]
        repeats = 1 + max((record["repeat"] for record in self.folder.folds), default=-1)
        return {
            "folds": {"k": self.k, "repeats_done": repeats, "grouped": self.problem.groups is not None},
            "verdict": verdict(board, self.metric, len(failures), status), "leaderboard": board,
            "failures": failures, "methods": [candidate.describe() for candidate in self.everyone],
        }  # fmt: skip

    def _wave(self, repeat: int, fold: int) -> None:
        done = {record["key"] for record in self.folder.folds if (record["repeat"], record["fold"]) == (repeat, fold)}
        waiting = [c for c in self.running if c.key not in done]
        size = (self.problem.n_rows, self.problem.width, max(2, len(self.problem.classes)))

        def jobs() -> Iterator[Any]:
            for candidate, seconds in self.schedule.turns(waiting, *size):
                job = FoldJob(
                    self.folder.work.resolve(), candidate, self.metric, repeat, fold, self.k, self.seed,
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
            self.schedule.durations.setdefault(candidate.key, []).append(outcome.seconds)
            record = {**outcome.value, "seconds": outcome.seconds}
            self.folder.add_fold(record, self.clock.elapsed)
            board = self.board()
            self.schedule.best_fit_seconds = board[0]["fit_seconds"]
            left = self.schedule.estimate_left([c.key for c in self.running])
            self.watch.fold_done(candidate.label, record["score"], board, self.clock.elapsed, left)
        elif outcome.kind in ("error", "memory"):
            self._give_up(candidate, outcome.kind, outcome.reason, keep=True)
        elif outcome.kind == "time" and candidate.key not in self.schedule.durations:
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

    def _failure(self, candidate: Candidate, kind: str, reason: str) -> dict[str, Any]:
        folds = sum(record["key"] == candidate.key for record in self.folder.folds)
        return {
            "key": candidate.key, "label": candidate.label, "paper": candidate.paper.id if candidate.paper else None,
            "kind": kind, "reason": reason, "folds": folds,
        }  # fmt: skip

    def _leave_the_beaten(self) -> None:
        """After each whole repeat, methods that are behind beyond chance leave their time to the others."""
        beaten = {entry["key"] for entry in self.board() if entry["standing"] == "behind"}
        self.running = [c for c in self.running if c.key not in beaten]
        if len(self.running) < 2:
            self.running = []


def run_isolated(job: FoldJob, seconds: float, memory: float, patience: float) -> tuple[Candidate, Outcome]:
    """Run one fold in an isolated process of the machine that this is called on."""
    return job.candidate, _pool().run(run_fold, (job,), seconds, memory, patience)


@lru_cache(maxsize=1)
def _pool() -> WorkerPool:
    return WorkerPool()


def _retire() -> None:
    _pool().close()
    _pool.cache_clear()


def _table(data: Any, header: bool | None) -> tuple[Table, str]:
    if isinstance(data, Table):
        return data, data.name
    if isinstance(data, str | os.PathLike):
        return load_table(data, header=header), os.fspath(data)
    frame = as_frame(data)
    return Table("table", frame, True, ()), "a data frame"


def _command(
    source: str, problem: Problem, metric: Metric, budget: float, jobs: int, seed: int, memory: float | None,
    group: str | None,
) -> str:  # fmt: skip
    """The command line that makes this run."""
    options = {"target": problem.target, "task": problem.task, "metric": metric.name, "budget": f"{budget:g}"}
    words = [f"--{name}={value}" for name, value in {**options, "jobs": jobs, "seed": seed}.items()]
    if memory is not None:
        words.append(f"--memory={memory / 2**30:g}")
    if group is not None:
        words.append(f"--group={group}")
    return shlex.join(["treatise", "compare", source, *words])


def _folder(output: str | os.PathLike[str] | None, name: str) -> Path:
    return Path(output) if output is not None else Path(f"{_safe(name)}-comparison")


def _digest(source: str, problem: Problem) -> str:
    path = Path(source)
    if isinstance(problem, StreamedProblem):
        return digest_of_parts(path)
    if path.is_file():
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    return digest(problem)


def _safe(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in name).strip(".-") or "table"
