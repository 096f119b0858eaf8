"""``treatise compare``: what every applicable method makes of a table."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treatise.cli._console import STANDING_STYLES, Cell, Column, Json, interval, print_json, print_table, remark, say

if TYPE_CHECKING:
    from treatise.report import LeaderboardEntry, RunRecord

Data = Annotated[
    str, typer.Argument(metavar="DATA", help="CSV, TSV, Parquet, LIBSVM text, CoNLL, or a bundled name such as 'iris'.")
]
Target = Annotated[
    str | None,
    typer.Option(metavar="COL", help="The column to predict: its name, or its number from the left (0) or right (-1)."),
]
Task = Annotated[str | None, typer.Option(help="binary, multiclass, regression or sequence; inferred if not given.")]
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
Measure = Annotated[str | None, typer.Option(help="What ranks the methods, such as accuracy or rmse.")]
Group = Annotated[
    str | None,
    typer.Option(metavar="COL", help="With --task sequence: the column of a table that tells the sequences apart."),
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
    target: Target = None,
    output: Output = None,
    budget: Budget = 120.0,
    task: Task = None,
    metric: Measure = None,
    jobs: Jobs = None,
    seed: Seed = 0,
    header: Header = None,
    memory: Memory = None,
    group: Group = None,
    as_json: Json = False,
) -> None:
    """Compare every applicable method on a table: leaderboard, report and fitted winner."""
    from treatise.cli._watching import Lines, LiveTable
    from treatise.compare import Observer, compare_methods

    watch = Observer() if as_json else LiveTable() if sys.stderr.isatty() else Lines()
    with watch:
        comparison = compare_methods(
            data, target, task=task, metric=metric, budget=budget, jobs=jobs, output=output, seed=seed, header=header,
            memory=None if memory is None else memory * 2**30, group=group, observer=watch, spent=_age(),
        )  # fmt: skip
    run = comparison.run
    if as_json:
        print_json({**run.to_plain(), "folder": str(comparison.folder)})
    else:
        _print_outcome(run, comparison.folder)
    if run.status == "interrupted":
        raise typer.Exit(130)
    if not run.leaderboard:
        raise typer.Exit(1)


def _age() -> float:
    """Seconds since this program was started: the user's clock runs from there."""
    import psutil

    return max(0.0, time.time() - psutil.Process().create_time())


def _print_outcome(run: "RunRecord", folder: Path) -> None:
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
    print_table(columns, [_row(entry) for entry in run.leaderboard])
    for sentence in run.verdict:
        say(sentence)
    for failure in run.failures:
        remark(f"{failure.label} ({failure.kind}): {failure.reason}")
    say(f"Report: {folder / 'report.html'}")
    if run.best is not None and run.best.model is not None:
        say(f"Model:  {folder / run.best.model}")


def _row(entry: "LeaderboardEntry") -> list[str | Cell]:
    return [
        str(entry.rank), entry.label, entry.paper or "baseline", f"{entry.score:.4f}", interval(entry.low, entry.high),
        str(entry.folds), f"{entry.fit_seconds:.3f}", Cell(entry.standing, STANDING_STYLES[entry.standing]),
    ]  # fmt: skip
