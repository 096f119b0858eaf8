"""``treatise reproduce``: a paper's published numbers beside ours."""

import sys
import time
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
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
    from collections.abc import Iterable

    from treatise.papers import Kind, Reproduction, Row, Tally

EVERYTHING = "all"
HEADINGS = {
    "printed": "printed in the paper",
    "claim": "claims of the paper",
    "check": "checks of theorems and formulas",
    "time": "times, which never decide",
    "ours": "numbers of ours",
}
NAMES = {"printed": "printed number", "claim": "claim", "check": "check", "time": "time"}
"""Kinds that have a verdict, as they are counted."""


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
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", dir_okay=False, help="Keep the outcome in this file, and the values last seen."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Regenerate published results beside the papers' numbers.

    The exit status is 1 if a row that should be reached is not, or one known not to be is worse than it was.
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
        if record is not None and not outcome.error:
            outcome = _recorded(outcome, record)
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
        complain(f"a row that should be reached is not, or is worse than it was, in {', '.join(missed)}")
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
        nothing = Reproduction(paper, full, [], time.perf_counter() - start, None, [])
        return _Outcome(nothing, sentence_of(error))


def _recorded(outcome: _Outcome, path: Path) -> _Outcome:
    """The outcome beside the values that are on record from now on."""
    from treatise.papers import record_last_seen, record_outcome

    result = outcome.result
    for row in result.rows:
        if row.gap and row.failed and row.last_seen is not None:
            remark(f"{result.paper}: worse than the value last seen, {_number(row.last_seen)}: {row.quantity}")
    record_last_seen(result.paper, result.full, result.rows)
    rows = [replace(row, last_seen=row.here) if row.gap else row for row in result.rows]
    result = replace(result, rows=rows)
    record_outcome(path, result)
    return _Outcome(result)


def _titles() -> dict[str, str]:
    from treatise.catalog import load_catalogue

    return {paper.id: paper.title for paper in load_catalogue()}


def _print_outcome(result: "Reproduction", title: str) -> None:
    from treatise.papers import Kind, Verdict

    say(f"{result.paper}  {title}".rstrip(), style="bold")
    for kind in Kind:
        if rows := [row for row in result.rows if row.kind is kind]:
            say(HEADINGS[kind])
            print_table(_columns(kind), [_cells(row) for row in rows])
    for row in result.rows:
        if row.promoted:
            say(f"reached: its gap can go, if the other size reaches it too: {row.quantity}")
        elif row.gap and row.verdict is not Verdict.REACHED:
            say(f"{_standing(row)}: {row.quantity}: {row.gap.reason}")
    for part in result.skipped:
        say(f"left out: {part}")
    if result.figure:
        say(f"figure: {result.figure}")
    say(_sentence(_counts([result])))
    say(f"{result.seconds:.1f} s", style="dim")
    say()


def _standing(row: "Row") -> str:
    """How a row that is known not to be reached stands beside the value last seen."""
    if row.last_seen is None:
        return "not reached, and no value is on record (treatise reproduce --record keeps one)"
    return f"not reached, {'worse than ' if row.failed else 'as '}last seen ({_number(row.last_seen)})"


def _columns(kind: "Kind") -> list[Column]:
    from treatise.papers import Kind

    here = Column("here", right=True)
    if kind is Kind.OURS:
        return [Column("quantity"), here]
    if kind is Kind.CHECK:
        return [Column("quantity"), Column("expected", right=True), here, Column("tolerance"), Column("verdict")]
    if kind is Kind.CLAIM:
        return [Column("statement"), Column("place"), here, Column("verdict")]
    heads = [Column("quantity"), Column("place"), Column("published", right=True), here]
    return [*heads, Column("tolerance"), Column("verdict")]


def _cells(row: "Row") -> list[str | Cell]:
    from treatise.papers import Kind

    if row.kind is Kind.OURS:
        return [row.quantity, _number(row.here)]
    styles = {"reached": "green", "not reached": "red" if row.failed else "yellow"}
    verdict = Cell(row.verdict, styles.get(row.verdict, "yellow"))
    if row.kind is Kind.CLAIM:
        return [row.quantity, row.place, _number(row.here), verdict]
    place = [] if row.kind is Kind.CHECK else [row.place]
    return [row.quantity, *place, _number(row.expected), _number(row.here), row.tolerance, verdict]


def _number(value: Any) -> str:
    """A number as a table shows it: six digits, whole numbers in full."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _counts(results: "Iterable[Reproduction]") -> "dict[Kind, Tally]":
    from treatise.papers import tally

    return tally(row for result in results for row in result.rows)


def _sentence(counts: "dict[Kind, Tally]") -> str:
    """How many of each kind were reached, and what became of the others."""
    from treatise.papers import Kind

    parts = []
    for kind, name in NAMES.items():
        count = counts[Kind(kind)]
        if not count.rows:
            continue
        beside = [f"{count.uncertain} with too few draws to tell"] if count.uncertain else []
        beside += [f"{count.failed} failed"] if count.failed else []
        parts.append(f"{count.reached} of {counted(count.rows, name)} reached")
        parts[-1] += f" ({', '.join(beside)})" if beside else ""
    return "; ".join(parts) or "no row has a verdict"


def _print_tally(outcomes: list[_Outcome]) -> None:
    parts = [_sentence(_counts(outcome.result for outcome in outcomes))]
    if skipped := sum(len(outcome.result.skipped) for outcome in outcomes):
        parts.append(f"{counted(skipped, 'part')} left out")
    if broken := sum(bool(outcome.error) for outcome in outcomes):
        parts.append(f"{counted(broken, 'experiment')} broke off")
    say(f"{counted(len(outcomes), 'paper')}: {'; '.join(parts)}")
