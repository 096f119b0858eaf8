"""``treatise compare``: what every applicable method makes of a table."""

import sys
import time as clock
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treatise.cli._console import (
    STANDING_STYLES,
    Cell,
    Column,
    Json,
    Spreadsheet,
    interval,
    print_json,
    print_table,
    remark,
    say,
)
from treatise.cli._outcome import by_reason, in_sight

if TYPE_CHECKING:
    from treatise.compare import Comparison
    from treatise.report import LeaderboardEntry, RunRecord
    from treatise.report.explained import KnownGroups

Data = Annotated[
    str, typer.Argument(metavar="DATA", help="CSV, TSV, Parquet, LIBSVM text, CoNLL, or a bundled name such as 'iris'.")
]
Targets = Annotated[
    list[str] | None,
    typer.Option(
        "--target",
        metavar="COL",
        help="The column to predict: its name, or its number from the left (0) or right (-1). May be repeated: several "
        "at once.",
    ),
]
Task = Annotated[
    str | None,
    typer.Option(
        help="binary, multiclass, regression, sequence, or cluster (groups, no target); inferred if not given."
    ),
]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether the first line names the columns; looked for if not given."),
]
Seed = Annotated[int, typer.Option(help="Fixes everything random.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="DIR", help="The run folder; the same one goes on with its run."),
]
Budget = Annotated[float, typer.Option(metavar="SECONDS", help="Time for everything, the report included.")]
Measure = Annotated[
    str | None,
    typer.Option(help="What ranks the methods, such as average_precision or rmse, or one of scikit-learn's scorers."),
]
Group = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="A column that names groups: they are held out whole, and mixed models learn from them. With --task "
        "sequence: what tells sequences apart.",
    ),
]
ByTime = Annotated[
    str | None,
    typer.Option(metavar="COL", help="A column of dates or numbers: learn from the past, judge on what comes next."),
]
Time = Annotated[
    str | None,
    typer.Option(metavar="COL", help="For survival, instead of a target: how long each row was watched."),
]
Event = Annotated[
    str | None,
    typer.Option(metavar="COL", help="With --time: whether that ended with the event (1, yes) or was cut off (0, no)."),
]
Bag = Annotated[
    str | None,
    typer.Option(metavar="COL", help="A column that tells bags of rows apart; each bag has one label."),
]
Ordered = Annotated[
    str | None,
    typer.Option(
        metavar="LEVELS",
        help="The classes from the lowest to the highest, between commas, or 'sorted': ordinal methods take part.",
    ),
]
Weight = Annotated[str | None, typer.Option(metavar="COL", help="A column of weights, in learning and in judging.")]
Test = Annotated[
    str | None, typer.Option(metavar="FILE", help="Labelled rows on which the fitted winner is judged in the end.")
]
Include = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME", help="A method, paper, family, 'papers' or 'baselines' that takes part; may be repeated."
    ),
]
Exclude = Annotated[list[str] | None, typer.Option(metavar="NAME", help="One that takes no part; may be repeated.")]
Folds = Annotated[int | None, typer.Option(help="Folds of a repeat; five, or fewer of few rows, if not given.")]
Keep = Annotated[int, typer.Option(metavar="N", help="How many models are fitted on all rows and saved.")]
Margin = Annotated[
    float, typer.Option(help="Differences up to this share of the way from guessing to the best do not matter.")
]
Prefer = Annotated[
    str, typer.Option(help="Which of the methods within the margin to take: balanced, accuracy, speed or simple.")
]
Threshold = Annotated[
    str | None,
    typer.Option(
        metavar="RULE",
        help="For two classes, how the saved model labels: f1, youden, or the probability of the rarer class from "
        "which on. If not given: f1 where that class is rare.",
    ),
]
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", help="Folds at once; all processors if not given.")]

Memory = Annotated[
    float | None,
    typer.Option(
        metavar="GIB",
        help="Most memory for the table as a matrix; a larger one is read in blocks. A share of what is free "
        "if not given.",
    ),
]


def compare(
    data: Data,
    target: Targets = None,
    output: Output = None,
    budget: Budget = 120.0,
    task: Task = None,
    metric: Measure = None,
    include: Include = None,
    exclude: Exclude = None,
    group: Group = None,
    by_time: ByTime = None,
    time: Time = None,
    event: Event = None,
    bag: Bag = None,
    ordered: Ordered = None,
    weight: Weight = None,
    test: Test = None,
    folds: Folds = None,
    keep: Keep = 1,
    threshold: Threshold = None,
    margin: Margin = 0.01,
    prefer: Prefer = "balanced",
    jobs: Jobs = None,
    seed: Seed = 0,
    header: Header = None,
    memory: Memory = None,
    spreadsheet: Spreadsheet = False,
    as_json: Json = False,
) -> None:
    """Compare every applicable method on a table: leaderboard, report and fitted winner."""
    from treatise.compare.early import refuse_early

    # Before the methods and their libraries are imported, which takes longer than finding a typing error.
    named = (*(target or ()), group, by_time, weight, time, event, bag)
    refuse_early(data, named, header=header, task=task, metric=metric, others=(test,))
    from treatise.cli._watching import Lines, LiveTable
    from treatise.compare import Observer, compare_methods

    watch = Observer() if as_json else LiveTable() if sys.stderr.isatty() else Lines()
    with watch:
        comparison = compare_methods(
            data, target, task=task, metric=metric, budget=budget, jobs=jobs, output=output, seed=seed, header=header,
            memory=None if memory is None else memory * 2**30, group=group, by_time=by_time, time=time, event=event,
            ordered=_levels(ordered), bag=bag,
            weight=weight, test=test, include=include or (), exclude=exclude or (), folds=folds, keep=keep,
            margin=margin, prefer=prefer, threshold=threshold, spreadsheet=spreadsheet, observer=watch, spent=_age(),
        )  # fmt: skip
    run = comparison.run
    if as_json:
        print_json({**run.to_plain(), "folder": str(comparison.folder)})
    else:
        _print_outcome(run, comparison)
    if run.status == "interrupted":
        raise typer.Exit(130)
    if not is_complete(run):
        raise typer.Exit(1)


def is_complete(run: "RunRecord") -> bool:
    """Whether the run gave what was asked for: a saved model, from a field that was looked at."""
    return run.best is not None and run.best.model is not None and run.race.complete


def _levels(text: str | None) -> bool | list[str]:
    """Levels between commas, or whether the classes sort so."""
    if text is None or text == "sorted":
        return text is not None
    return [level.strip() for level in text.split(",")]


def _age() -> float:
    """Seconds since this program was started: the user's clock runs from there."""
    import psutil

    return max(0.0, clock.time() - psutil.Process().create_time())


def _print_outcome(run: "RunRecord", comparison: "Comparison") -> None:
    columns = [
        Column("rank", right=True),
        Column("method"),
        Column("paper", wrap=False),
        Column(run.metric.label, right=True),
        Column("95 % interval", wrap=False),
        Column("folds", right=True),
        Column("fit s", right=True),
        Column("standing"),
    ]
    # A pipe gets every row; a terminal the best and the baselines.
    shown = in_sight(run.leaderboard) if sys.stdout.isatty() else run.leaderboard
    print_table(columns, [_row(entry) for entry in shown])
    if len(shown) < len(run.leaderboard):
        say(f"{len(run.leaderboard) - len(shown)} more in the report")
    for sentence in run.verdict:
        say(sentence)
    if run.known_groups is not None:
        _print_groups(run.known_groups, run.metric.label)
    for line in by_reason(run.failures):
        remark(line)
    folder = comparison.folder
    say(f"Report: {folder / 'report.html'}")
    if run.best is not None and run.best.model is not None:
        say(f"Model:  {folder / run.best.model}")
    others = len(list((folder / "models").glob("*.skops")))
    if others:
        say(f"{others} more in {folder / 'models'}")


def _print_groups(found: "KnownGroups", measure: str) -> None:
    columns = [
        Column("method"),
        Column(f"{measure}, new groups", right=True),
        Column("known groups", right=True),
        Column("95 % interval", wrap=False),
        Column("on known groups"),
    ]
    print_table(
        columns,
        [
            [
                each.label, f"{each.new:.4f}", f"{each.known:.4f}", interval(each.known_low, each.known_high),
                Cell(each.standing, STANDING_STYLES.get(each.standing, "")),
            ]
            for each in found.methods
        ],
    )  # fmt: skip


def _row(entry: "LeaderboardEntry") -> list[str | Cell]:
    return [
        str(entry.rank), entry.label, entry.source, f"{entry.score:.4f}", interval(entry.low, entry.high),
        str(entry.folds), f"{entry.fit_seconds:.3f}", Cell(entry.standing, STANDING_STYLES.get(entry.standing, "")),
    ]  # fmt: skip
