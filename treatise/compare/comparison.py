"""A comparison from a table to a run folder with its leaderboard, report and fitted model."""

import datetime
import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

import polars as pl
import psutil

from treatise._core.errors import TreatiseError
from treatise._core.files import telling
from treatise._core.version import __version__
from treatise.compare.candidates import chosen_candidates
from treatise.compare.contest.clock import Clock
from treatise.compare.contest.contest import MEMORY_SHARE, Contest, retire_workers, workers
from treatise.compare.contest.ending import MODELS, Ending
from treatise.compare.contest.folder import RunFolder, identity_before, identity_of
from treatise.compare.contest.outcome import Judgement
from treatise.compare.contest.requests import Requests
from treatise.compare.contest.spread import jobs_on_a_machine, room
from treatise.compare.early import refuse_early
from treatise.compare.fitted import FittedModel
from treatise.compare.inputs import Input, Request, read_input, served_kind
from treatise.compare.inputs.base import one_or_several
from treatise.compare.inputs.table import as_table
from treatise.compare.inputs.thresholds import read_threshold
from treatise.compare.measures import METRICS
from treatise.compare.observer import Observer
from treatise.compare.own_metric import OwnMetric, own_metric
from treatise.compare.rules import Rules
from treatise.io import Table, load_model
from treatise.report.record import VERSION, LeaderboardEntry, Metric, RunRecord, TestResult

LEAST_BUDGET = 5.0
# Of a table in memory: itself, its encoding, and the training rows of that.
COPIES = 3
READING_SHARE = 0.25
ROWS_SHOWN = 10


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
    def best(self) -> FittedModel:
        """The winner, fitted on the whole table: ``comparison.best.predict(frame)``."""
        if self.run.best is None or self.run.best.model is None:
            raise TreatiseError("this comparison has no fitted winner; run it again with a larger budget")
        return FittedModel(**vars(load_model(self.folder / self.run.best.model)))

    @property
    def models(self) -> dict[str, FittedModel]:
        """The models that were kept, by their label, the winner first."""
        kept = [] if self.run.best is None or self.run.best.model is None else [self.best]
        names = [f"{entry.key.replace('/', '-')}.skops" for entry in self.run.leaderboard]
        files = [file for name in names if (file := self.folder / MODELS / name).is_file()]
        kept += [FittedModel(**vars(load_model(file))) for file in files]
        return {model.metadata["label"]: model for model in kept}

    @property
    def headline(self) -> str:
        """The outcome in a sentence."""
        decision = self.run.decision
        return decision.headline if decision is not None else next(iter(self.run.verdict), "Nothing was compared.")

    def __repr__(self) -> str:
        lines = [f"Comparison of {len(self.run.leaderboard)} methods on {self.run.data.name}: {self.headline}"]
        lines += [f"{e.rank:4d}  {e.score:.4f}  {e.label}" for e in self.run.leaderboard[:ROWS_SHOWN]]
        return "\n".join([*lines, f"report: {self.folder / 'report.html'}"])

    def _repr_html_(self) -> str:
        """The first screen of the report, for notebooks: the outcome, and the ten best."""
        decision = self.run.decision
        words = [*decision.reasons] if decision is not None else [*self.run.verdict[1:3]]
        if decision is not None:
            words.append(f"Differences up to {decision.margin:.3g} in {self.run.metric.label} do not matter here.")
        if self.run.test is not None:
            words.append(_in_words(self.run.test, self.run.metric))
        headings = ("", "method", "paper", self.run.metric.label, "95 % interval", "fit s", "standing")
        rows = [_cells(entry) for entry in self.run.leaderboard[:ROWS_SHOWN]]
        more = len(self.run.leaderboard) - len(rows)
        report = escape((self.folder / "report.html").resolve().as_uri())
        return "".join(
            [
                f"<p><strong>{escape(self.headline)}</strong></p>",
                *(f"<p>{escape(word)}</p>" for word in words),
                "<table><thead><tr>",
                *(f"<th>{escape(heading)}</th>" for heading in headings),
                "</tr></thead><tbody>",
                *(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows),
                "</tbody></table><p>",
                f"{more} more in " if more > 0 else "",
                f'<a href="{report}">the report</a></p>',
            ]
        )


def _cells(entry: LeaderboardEntry) -> tuple[str, ...]:
    interval = "" if entry.low is None else f"{entry.low:.4f} to {entry.high:.4f}"
    return (
        str(entry.rank), entry.label, entry.source, f"{entry.score:.4f}", interval,
        f"{entry.fit_seconds:.3f}", entry.standing,
    )  # fmt: skip


def _in_words(test: TestResult, metric: Metric) -> str:
    interval = "" if test.low is None else f" (95 % interval {test.low:.4g} to {test.high:.4g})"
    return f"On the {test.rows} rows of {test.source}: {metric.label} {test.score:.4g}{interval}."


def compare_methods(
    data: Any,
    target: str | int | Sequence[str | int] | None = None,
    *,
    targets: Sequence[str | int] = (),
    task: str | None = None,
    metric: str | Callable[..., Any] | None = None,
    budget: float = 120.0,
    jobs: int | None = None,
    output: str | os.PathLike[str] | None = None,
    seed: int = 0,
    header: bool | None = None,
    memory: float | None = None,
    group: str | None = None,
    by_time: str | None = None,
    time: str | None = None,
    event: str | None = None,
    bag: str | None = None,
    ordered: bool | Sequence[str] = False,
    weight: str | None = None,
    test: Any = None,
    include: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    folds: int | None = None,
    keep: int = 1,
    margin: float = 0.01,
    prefer: str = "balanced",
    threshold: str | float | None = None,
    spreadsheet: bool = False,
    observer: Observer | None = None,
    spent: float = 0.0,
) -> Comparison:
    """Ask what every applicable method makes of a table; ``treatise.compare(...)`` is the same.

    Every method of the catalogue that takes the task, and the usual scikit-learn baselines, are tuned inside
    the training folds and judged on held-out folds until the budget is used; the winner is fitted on all rows.
    A method that raises, hangs or takes too much memory is stopped and reported, and the others go on. Run it
    again with the same ``output`` and it goes on where it stopped.

    A file whose table is too large for the memory is read in blocks: the methods that learn from a stream are then
    compared, on folds of its rows, each after one pass over the others. Its rows lie on disk beside ``output`` while
    it runs, and a quarter of the budget at most goes into reading; a file that takes longer is read as far as that.

    To spread the folds over a Dask cluster that shares the output folder, call it inside
    ``joblib.parallel_config(backend="dask")``. Folds of workers that die are done again by others, workers that join
    are used; when all are gone, the run ends with an error, and can be taken up.

    Parameters
    ----------
    data : path, bundled name, Table or data frame
        The table.
    target : str, int, sequence of these or None
        The column to predict, by name or number; None for a table that names its own.
    targets : sequence of str or int
        Several columns to predict at once, instead of ``target``: methods that learn them together, beside a model for
        each. All are amounts, or all are classes.
    task : {"binary", "multiclass", "regression", "sequence", "cluster"} or None
        None infers it; "cluster" looks for groups of rows, without a target; survival follows from ``time``;
        "sequence", which files in CoNLL columns are taken for, labels the words of sentences.
    metric : str, callable or None
        What ranks the methods; None takes ROC AUC, balanced accuracy, R² or concordance by task. Also the name of one
        of scikit-learn's scorers, a scorer, or a function of the actual and the predicted values that returns a number,
        more being better. It is sent to other processes by value, so that one written in a notebook will do.
    budget : float, default=120
        Seconds for everything, the report included.
    jobs : int or None
        Folds at once; None takes the processors there are, here or on the cluster, of which a run uses those that it
        has at the moment.
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
        A column that names groups of rows, such as a patient's number: a fold holds out whole groups, which is what
        decides. It predicts nothing, but for the methods that learn from groups (mixed models, a small model for each
        group), and the record tells how the best do on rows of known groups as well. For sequences in a table, the
        column that tells them apart: None looks for one of the usual names ("sentence",
        "sequence"), and else takes a row for each sequence, its items between blanks.
    by_time : str or None
        A column of dates or numbers by which each fold is judged on what comes after all that it learns from.
    time, event : str or None
        For survival, instead of a target: the column of times, and the one that says whether a time ended with the
        event (1, true, yes) or was cut off. Without ``event`` all did.
    bag : str or None
        A column that tells bags of rows apart, of which each has one label: methods of bags take part, beside the
        usual ones for rows on the mean, the least and the largest of each column in a bag.
    ordered : bool or sequence of str, default=False
        Classes of the target from the lowest to the highest, or True where they sort so: learners of ordered classes
        take part, and the mean distance in levels ranks. A frame's ordered category need not be told.
    weight : str or None
        A column of weights of the rows, in learning (for methods that take them) and in judging.
    test : path, bundled name, Table, data frame or None
        Labelled rows that take no part; the fitted winner is judged on them in the end.
    include, exclude : str or sequence of str
        Methods that take part, and methods that do not: names, keys, ids of papers, families such as ``"svm"``,
        ``"papers"`` or ``"baselines"``, with ``*`` and ``?``. Guessing takes part unless it is excluded.
    folds : int or None
        Folds of a repeat; None takes five, or fewer where there are few rows.
    keep : int, default=1
        How many of the best are fitted on the whole table and saved.
    margin : float, default=0.01
        Differences up to this share of the way from guessing to the best method do not matter.
    prefer : {"balanced", "accuracy", "speed", "simple"}, default="balanced"
        Which of the methods within the margin is recommended; the last two take no blend where the rows do not tell
        which method is best.
    threshold : {"f1", "youden"}, float or None
        How the saved model labels rows of two classes: from the probability of the rarer class on that gives the best
        F1 or the largest difference of true and false positive rate on held-out rows, or from the one given. None
        takes ``"f1"`` where that class has less than a fifth of the rows, and the method's own labels else.
    spreadsheet : bool, default=False
        Whether an apostrophe goes before text in ``out_of_fold.csv`` that a spreadsheet would run as a formula.
    observer : Observer or None
        Is told how it goes.
    spent : float, default=0
        Seconds of the budget that are gone already, such as a program's own start.

    Returns
    -------
    Comparison
        In a notebook it shows the outcome and the ten best; ``best`` predicts data frames.

    Examples
    --------
    >>> import tempfile
    >>> import treatise
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     comparison = treatise.compare(
    ...         "iris", budget=30, jobs=1, folds=2, include="DummyClassifier", output=f"{folder}/iris"
    ...     )
    >>> [entry.label for entry in comparison.run.leaderboard]
    ['DummyClassifier']
    """
    jobs = room() if jobs is None else jobs
    _check(budget, jobs, memory)
    here = jobs_on_a_machine(jobs)
    rules = Rules(margin, prefer, folds, _several(include), _several(exclude), keep)
    target, targets = one_or_several(target, targets)
    named = (target, *targets, group, by_time, weight, time, event, bag)
    refuse_early(data, named, header=header, task=task, metric=metric, others=(test,))
    own = _own(metric)
    watch, clock = observer or Observer(), Clock(budget, spent)
    request = Request(
        data, target, task, header, group, None if output is None else Path(output), seed,
        limit=MEMORY_SHARE * psutil.virtual_memory().available / here / COPIES if memory is None else memory,
        seconds=READING_SHARE * clock.left, tell=watch.streaming, earlier=identity_before,
        time=by_time, weight=weight, threshold=read_threshold(threshold), own=own, lifetime=time, event=event,
        ordered=ordered if isinstance(ordered, bool) else tuple(ordered), targets=targets, bag=bag,
    )  # fmt: skip
    given: Input | None = None
    with Requests() as requests:
        try:
            with requests.cut_short():
                workers().warm_up(here)
                given = read_input(request)
                chosen = given.choose_metric(own.metric.name if own is not None else metric)  # type: ignore[arg-type]
                chosen_candidates(given.candidates(), rules.include, rules.exclude)
                kept_aside = None if test is None else _kept_aside(test, header, given)
            return _compare(
                given, request, chosen, budget, jobs, memory, clock, watch, requests,
                rules=rules, test=kept_aside, spreadsheet=spreadsheet,
            )  # fmt: skip
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


def _several(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _own(metric: Any) -> OwnMetric | None:
    if metric is None or (isinstance(metric, str) and metric.partition(" ")[0] in METRICS):
        return None
    return own_metric(metric)


def _kept_aside(test: Any, header: bool | None, given: Input) -> tuple[Table, str]:
    """Rows to judge the winner on, and where they came from; what they lack is told before the comparison begins."""
    if "score" not in given.wishes:
        raise TreatiseError(f"other rows to test on are for tables; these are {given.kind}")
    table, source = as_table(test, header)
    needed = [*given.judged_by, *(given.features if table.matrix is None else ())]
    absent = [name for name in needed if name not in table.frame.columns]
    if absent:
        raise TreatiseError(f"{source} lacks the column {absent[0]!r}; rows to test on need the target and all columns")
    return table, source


def _tested(comparison: Comparison, table: Table, source: str, own: OwnMetric | None) -> RunRecord:
    """The record with the winner judged on rows that took no part."""
    run = comparison.run
    if run.best is None or run.best.model is None:
        return run
    best = comparison.best
    score = served_kind(best).score_rows(best, table, own=own)
    found = score.by(run.metric)
    metrics: dict[str, float | None] = {each.metric.name: each.score for each in score.measurements}
    test = TestResult(source, score.rows, found.score, found.low, found.high, metrics)
    return replace(run, test=test, verdict=(*run.verdict, _in_words(test, run.metric)))


def _compare(
    data: Input, request: Request, metric: Metric, budget: float, jobs: int, memory: float | None, clock: Clock,
    watch: Observer, requests: Requests, *, rules: Rules, test: tuple[Table, str] | None, spreadsheet: bool,
) -> Comparison:  # fmt: skip
    """Hold the contest and write what it leaves."""
    about = data.describe()
    watch.understood(about, metric)
    k, seed = data.number_of_folds() if rules.folds is None else data.number_of_folds(rules.folds), request.seed
    folder = RunFolder(request.folder(data.name), identity_of(data, metric, k, seed))
    try:
        clock.spent_before += folder.spent
        with requests.cut_short():
            with telling(f"{folder.path} cannot be written"):
                data.save(folder.work)
            contest = Contest(data, metric, k, jobs, seed, rules, clock, folder, watch)
        started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        status = contest.run(requests)
        judgement = Judgement.of(contest, rules)
        options = {**data.options(), "metric": metric.name, "budget": f"{budget:g}", "jobs": jobs, "seed": seed}
        if memory is not None:
            options["memory"] = f"{memory / 2**30:g}"
        if request.group is not None:
            options["group"] = request.group
        options |= _options(rules)
        run = RunRecord(
            version=VERSION, treatise=__version__, command=_command(about.source, options), status=status,
            started=started, seconds=clock.elapsed, budget=budget, jobs=jobs, seed=seed, data=about, metric=metric,
            best=None, **judgement.record(status),
        )  # fmt: skip

        def examine(run: RunRecord) -> RunRecord:
            return run if test is None else _tested(Comparison(run, folder.path), *test, request.own)

        ending = Ending(contest, judgement, workers(), rules.keep, spreadsheet, examine, requests)
        return Comparison(ending.finish(run), folder.path)
    finally:
        folder.close()


def _options(rules: Rules) -> dict[str, Any]:
    """The options that set the rules otherwise than they are."""
    usual = Rules()
    return {name: value for name, value in vars(rules).items() if value != getattr(usual, name)}


def _command(source: str, options: dict[str, Any]) -> str:
    """The command line that makes this run; an option of several values stands several times."""
    pairs = [
        (name, each) for name, value in options.items() for each in (value if isinstance(value, tuple) else (value,))
    ]
    return shlex.join(["treatise", "compare", source, *(f"--{name}={value}" for name, value in pairs)])
