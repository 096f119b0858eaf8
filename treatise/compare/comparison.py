"""A comparison from a table to a run folder with its leaderboard, report and fitted model."""

import datetime
import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import polars as pl
import psutil

from treatise._core.errors import TreatiseError
from treatise._core.version import __version__
from treatise.compare.contest.clock import Clock
from treatise.compare.contest.contest import MEMORY_SHARE, Contest, retire_workers, workers
from treatise.compare.contest.ending import Ending
from treatise.compare.contest.folder import RunFolder, identity_before, identity_of
from treatise.compare.contest.outcome import Judgement
from treatise.compare.inputs import Input, Request, read_input
from treatise.compare.observer import Observer
from treatise.compare.rules import Rules
from treatise.io import ModelFile, load_model
from treatise.report.record import VERSION, Metric, RunRecord

LEAST_BUDGET = 5.0
USUAL = Rules()
# Of a table in memory: itself, its encoding, and the training rows of that.
COPIES = 3
READING_SHARE = 0.25


@dataclass(frozen=True)
class Comparison:
    """A finished or interrupted comparison.

    Attributes
    ----------
    run : RunRecord
        The whole record, as in ``run.json``.
    folder : Path
        Where the report, the model and the predictions lie.
    """

    run: RunRecord
    folder: Path

    @property
    def leaderboard(self) -> pl.DataFrame:
        """The leaderboard as a table, best first."""
        schema = {
            "rank": pl.Int64, "label": pl.String, "paper": pl.String, "score": pl.Float64, "low": pl.Float64,
            "high": pl.Float64, "folds": pl.Int64, "fit_seconds": pl.Float64, "standing": pl.String,
        }  # fmt: skip
        rows = [{name: getattr(entry, name) for name in schema} for entry in self.run.leaderboard]
        return pl.DataFrame(rows, schema=schema)

    @property
    def best(self) -> ModelFile:
        """The winner, fitted on the whole table."""
        if self.run.best is None or self.run.best.model is None:
            raise TreatiseError("this comparison has no fitted winner; run it again with a larger budget")
        return load_model(self.folder / self.run.best.model)


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
    rules: Rules = USUAL,
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
    jobs = joblib.cpu_count() if jobs is None else jobs
    _check(budget, jobs, memory)
    watch, clock = observer or Observer(), Clock(budget, spent)
    given: Input | None = None
    try:
        workers().warm_up(jobs)
        request = Request(
            data, target, task, header, group, None if output is None else Path(output), seed,
            limit=MEMORY_SHARE * psutil.virtual_memory().available / jobs / COPIES if memory is None else memory,
            seconds=READING_SHARE * clock.left, tell=watch.streaming, earlier=identity_before,
        )  # fmt: skip
        given = read_input(request)
        return _compare(given, request, given.choose_metric(metric), budget, jobs, memory, clock, watch, rules)
    finally:
        retire_workers()
        if given is not None:
            given.close()


def _check(budget: float, jobs: int, memory: float | None) -> None:
    """Refuse what cannot be done before anything is read."""
    if not budget >= LEAST_BUDGET:
        raise TreatiseError(f"a budget of {budget:g} s is too small for any answer; give at least {LEAST_BUDGET:g}")
    if jobs < 1:
        raise TreatiseError(f"{jobs} jobs cannot run anything; give at least 1")
    if memory is not None and not memory > 0:
        raise TreatiseError(f"a memory of {memory:g} bytes holds no table; give more than 0")


def _compare(
    data: Input, request: Request, metric: Metric, budget: float, jobs: int, memory: float | None, clock: Clock,
    watch: Observer, rules: Rules,
) -> Comparison:  # fmt: skip
    """Hold the contest and write what it leaves."""
    about = data.describe()
    watch.understood(about, metric)
    k, seed = data.number_of_folds(rules.folds or 5), request.seed
    folder = RunFolder(request.folder(data.name), identity_of(data, metric, k, seed))
    try:
        clock.spent_before += folder.spent
        data.save(folder.work)
        contest = Contest(data, metric, k, jobs, seed, rules, clock, folder, watch)
        started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        status = contest.run()
        judgement = Judgement.of(contest, rules)
        options = {**data.options(), "metric": metric.name, "budget": f"{budget:g}", "jobs": jobs, "seed": seed}
        if memory is not None:
            options["memory"] = f"{memory / 2**30:g}"
        if request.group is not None:
            options["group"] = request.group
        run = RunRecord(
            version=VERSION, treatise=__version__, command=_command(about.source, options), status=status,
            started=started, seconds=clock.elapsed, budget=budget, jobs=jobs, seed=seed, data=about, metric=metric,
            best=None, **judgement.record(status),
        )  # fmt: skip
        return Comparison(Ending(contest, judgement, workers(), rules.keep).finish(run), folder.path)
    finally:
        folder.close()


def _command(source: str, options: dict[str, Any]) -> str:
    """The command line that makes this run."""
    return shlex.join(["treatise", "compare", source, *(f"--{name}={value}" for name, value in options.items())])
