"""``treatise reproduce``: a paper's published numbers beside ours."""

import sys
import time
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treatise.cli._catalogue import check_family
from treatise.cli._console import (
    Cell,
    Column,
    Json,
    complain,
    complain_of,
    counted,
    perhaps,
    print_json,
    print_table,
    remark,
    say,
    sentence_of,
)

if TYPE_CHECKING:
    from treatise.papers import Reproduction, Row

EVERYTHING = "all"


@dataclass(frozen=True)
class _Outcome:
    """What one paper's experiment gave; ``error`` is empty unless it broke off."""

    result: "Reproduction"
    error: str = ""

    def plain(self) -> dict[str, Any]:
        return {**self.result.plain(), "error": self.error} if self.error else self.result.plain()


def reproduce_papers(
    context: typer.Context,
    papers: Annotated[list[str] | None, typer.Argument(metavar="ID...|all", help="Ids, or 'all'.")] = None,
    family: Annotated[str | None, typer.Option(help="Every paper of this family, such as 'svm'.")] = None,
    full: Annotated[bool, typer.Option("--full", help="The paper's own size: minutes, not seconds.")] = False,
    output: Annotated[
        Path, typer.Option(metavar="DIR", file_okay=False, writable=True, help="Where figures are saved.")
    ] = Path("treatise-evidence"),
    as_json: Json = False,
) -> None:
    """Regenerate published results beside the papers' numbers.

    The exit status is 1 if a number that should be reached is not.
    """
    chosen = _choose(context, papers or [], family)
    alone = len(chosen) == 1 and family is None and EVERYTHING not in (papers or [])
    titles = _titles()
    outcomes = []
    for number, paper in enumerate(chosen, 1):
        if sys.stderr.isatty():
            form = "the full experiment" if full else "the quick experiment"
            remark(f"[{number}/{len(chosen)}] {paper}: running {form}")
        outcome = _run(paper, full, output, alone=alone, debug=context.obj)
        outcomes.append(outcome)
        if not as_json and not outcome.error:
            _print_outcome(outcome.result, titles.get(paper, ""))
    if as_json:
        data = [outcome.plain() for outcome in outcomes]
        print_json(data[0] if alone else data)
    elif not alone:
        _print_tally(outcomes)
    missed = [outcome.result.paper for outcome in outcomes if outcome.result.failed]
    if missed:
        complain(f"a published number that should be reached is not, in {', '.join(missed)}")
    if missed or any(outcome.error for outcome in outcomes):
        raise typer.Exit(1)


def _choose(context: typer.Context, papers: list[str], family: str | None) -> list[str]:
    """Ids of the experiments to run."""
    from treatise._core.errors import TreatiseError
    from treatise.catalog import load_catalogue
    from treatise.papers import available

    if bool(papers) == (family is not None):
        context.fail("name either papers by their ids, or 'all', or a --family")
    check_family(context, family)
    experiments, catalogue = available(), load_catalogue()
    if papers and EVERYTHING not in papers:
        known = [paper.id for paper in catalogue]
        for paper in (paper for paper in papers if paper not in experiments):
            if paper in known:
                more = f"`treatise show {paper}` tells what there is of it"
                raise TreatiseError(f"{paper} has no experiment yet; {more}")
            hint = perhaps(paper, [*known, *experiments]) or "; `treatise list --all` shows all ids"
            context.fail(f"no paper has the id {paper!r}{hint}")
        return list(dict.fromkeys(papers))
    members = {paper.id for paper in catalogue.search(family=family)}
    chosen = [paper for paper in experiments if family is None or paper in members]
    if family and not chosen:
        raise TreatiseError(f"no paper of the family {family!r} has an experiment yet")
    if left_out := len(members - set(chosen)):
        verb = "is" if left_out == 1 else "are"
        remark(f"{counted(left_out, 'paper')} without an experiment {verb} left out")
    return chosen


def _run(paper: str, full: bool, folder: Path, *, alone: bool, debug: bool) -> _Outcome:
    """Run one experiment; among several, one that breaks off does not lose the others."""
    from treatise.papers import Reproduction, reproduce

    start = time.perf_counter()
    try:
        with redirect_stdout(sys.stderr):  # what a solver prints must not mix with the answer
            return _Outcome(reproduce(paper, full=full, folder=folder))
    except Exception as error:
        if alone:
            raise
        complain_of(error, debug=debug, about=paper)
        nothing = Reproduction(paper, [], time.perf_counter() - start, None, [])
        return _Outcome(nothing, sentence_of(error))


def _titles() -> dict[str, str]:
    from treatise.catalog import load_catalogue

    return {paper.id: paper.title for paper in load_catalogue()}


def _print_outcome(result: "Reproduction", title: str) -> None:
    say(f"{result.paper}  {title}".rstrip(), style="bold")
    if result.rows:
        columns = [Column("quantity"), Column("published", right=True), Column("here", right=True)]
        columns += [Column("tolerance"), Column("verdict")]
        print_table(columns, [_cells(row) for row in result.rows])
    for row in result.rows:
        if row.gap and row.verdict == "not reached":
            say(f"not reached: {row.quantity}: {row.gap}")
    for part in result.skipped:
        say(f"left out: {part}")
    if result.figure:
        say(f"figure: {result.figure}")
    say(f"{result.seconds:.1f} s", style="dim")
    say()


def _cells(row: "Row") -> list[str | Cell]:
    style = {"reached": "green", "not reached": "red" if row.failed else "yellow"}.get(row.verdict, "dim")
    return [row.quantity, _number(row.published), _number(row.here), row.tolerance, Cell(row.verdict, style)]


def _number(value: Any) -> str:
    """A number as a table shows it: six digits, whole numbers in full."""
    value = value.item() if hasattr(value, "item") else value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _print_tally(outcomes: list[_Outcome]) -> None:
    rows = [row for outcome in outcomes for row in outcome.result.rows if row.published is not None]
    reached = sum(row.verdict == "reached" for row in rows)
    explained = sum(row.verdict == "not reached" and not row.failed for row in rows)
    parts = [f"{reached} of {counted(len(rows), 'published number')} reached"]
    if explained:
        parts.append(f"{explained} not reached, with the reason given")
    if missed := sum(row.failed for row in rows):
        parts.append(f"{missed} not reached")
    if skipped := sum(len(outcome.result.skipped) for outcome in outcomes):
        parts.append(f"{counted(skipped, 'part')} left out for want of data")
    if broken := sum(bool(outcome.error) for outcome in outcomes):
        parts.append(f"{counted(broken, 'experiment')} broke off")
    say(f"{counted(len(outcomes), 'paper')}: {'; '.join(parts)}")
