"""``treatise list`` and ``treatise show``: what the catalogue holds."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from treatise.cli._console import (
    Cell,
    Column,
    Json,
    counted,
    perhaps,
    print_facts,
    print_json,
    print_table,
    remark,
    say,
)

if TYPE_CHECKING:
    from treatise.catalog import Catalogue, ComparisonEntry, EstimatorEntry, Paper

RUNNING = ("working", "partial")
STATUS_STYLES = {"working": "green", "partial": "yellow", "planned": "dim", "theory": "dim"}


def list_papers(
    context: typer.Context,
    words: Annotated[list[str] | None, typer.Argument(help="Only papers that hold every word.")] = None,
    task: Annotated[str | None, typer.Option(help="Only papers for this task, such as 'binary'.")] = None,
    family: Annotated[str | None, typer.Option(help="Only papers of this family, such as 'svm'.")] = None,
    all_papers: Annotated[bool, typer.Option("--all", help="Also the papers that do not run yet.")] = False,
    as_json: Json = False,
) -> None:
    """List the papers whose methods run."""
    from treatise.catalog import load_catalogue

    check_task(context, task)
    check_family(context, family)
    found = load_catalogue().search(" ".join(words or ()), task=task, family=family)
    shown = found if all_papers else [paper for paper in found if paper.status in RUNNING]
    if as_json:
        print_json([paper.row() for paper in shown])
        return
    hidden = _by_status(paper for paper in found if paper not in shown)
    if not shown:
        them = "it" if len(found) == 1 else "them"
        say(f"{hidden}; --all shows {them}." if hidden else "No paper matches.")
        return
    _print_papers(shown, with_status=all_papers)
    if hidden:
        remark(f"{counted(len(shown), 'paper')} shown; {hidden} too: add --all")


def show_paper(
    key: Annotated[list[str], typer.Argument(metavar="ID|ESTIMATOR|WORDS...", help="What to look for.")],
    as_json: Json = False,
) -> None:
    """Show one paper in full, by its id, an estimator or words."""
    from treatise.catalog import load_catalogue
    from treatise.papers import available

    catalogue, wanted = load_catalogue(), " ".join(key)
    found = catalogue.find(wanted)
    if not found:
        raise _nothing_found(catalogue, wanted)
    proven = set(available())
    rows = [{**paper.row(), "note": paper.note, "evidence": paper.id in proven} for paper in found]
    if as_json:
        print_json(rows[0] if len(found) == 1 else rows)
    elif len(found) == 1:
        _print_paper(found[0], proven=found[0].id in proven)
    else:
        columns = [Column("id", wrap=False), Column("status", wrap=False), Column("title")]
        print_table(columns, [[paper.id, _status(paper), paper.title] for paper in found])
        remark(f"{counted(len(found), 'paper')} match {wanted!r}; `treatise show ID` shows one in full")


def check_task(context: typer.Context, task: str | None) -> None:
    """Refuse a task that the catalogue does not know."""
    from treatise.catalog._schema import TASKS

    _check_choice(context, "task", task, TASKS)


def check_family(context: typer.Context, family: str | None) -> None:
    """Refuse a family that the catalogue does not know."""
    from treatise.catalog import FAMILIES

    _check_choice(context, "family", family, FAMILIES)


def _check_choice(context: typer.Context, kind: str, value: str | None, choices: Sequence[str]) -> None:
    if value is not None and value not in choices:
        context.fail(f"no {kind} is called {value!r}{perhaps(value, choices)}; choose from {', '.join(choices)}")


def _nothing_found(catalogue: "Catalogue", wanted: str) -> Exception:
    from treatise._core.errors import TreatiseError

    names = [paper.id for paper in catalogue]
    names += [estimator.name for paper in catalogue for estimator in paper.estimators]
    hint = perhaps(wanted, names) or "; `treatise list --all` shows what there is"
    return TreatiseError(f"no paper, estimator or words match {wanted!r}{hint}")


def _print_papers(papers: "list[Paper]", *, with_status: bool) -> None:
    columns = [
        Column("id", wrap=False),
        Column("method", widest=24),
        Column("family", wrap=False, spare=True),
    ]
    columns += [Column("tasks", widest=18, spare=True), Column("summary")]
    if with_status:
        columns.insert(1, Column("status", wrap=False))
    rows = []
    for paper in papers:
        names = ", ".join(estimator.name for estimator in paper.estimators)
        row: list[str | Cell] = [paper.id, names, paper.family, ", ".join(paper.tasks), paper.summary]
        if with_status:
            row.insert(1, _status(paper))
        rows.append(row)
    print_table(columns, rows)


def _print_paper(paper: "Paper", *, proven: bool) -> None:
    say(paper.title, style="bold")
    say(f"{', '.join(paper.authors)}. {paper.journal} ({paper.year}), {paper.pages}.")
    say()
    print_facts(
        [
            ("id", paper.id),
            ("status", paper.status),
            ("note", paper.note),
            ("family", paper.family),
            ("tasks", ", ".join(paper.tasks)),
            ("summary", paper.summary),
            ("when", paper.when),
            ("cost", paper.cost),
            *(("compare", line) for line in _comparisons(paper.estimators)),
            ("evidence", f"treatise reproduce {paper.id}" if proven else "no experiment yet"),
        ]
    )
    modules: dict[str, list[str]] = {}
    for estimator in paper.estimators:
        modules.setdefault(estimator.path.rpartition(".")[0], []).append(estimator.name)
    if modules:
        say()
    for module, names in modules.items():
        say(f"from {module} import {', '.join(names)}")


def _comparisons(estimators: "tuple[EstimatorEntry, ...]") -> list[str]:
    """How each estimator takes part in ``treatise compare``."""
    joining = [f"{entry.name}: {_comparison(entry.compare)}" for entry in estimators if entry.compare]
    return joining or ["does not take part: none of it predicts a table's target"] * bool(estimators)


def _comparison(entry: "ComparisonEntry") -> str:
    heads = list(dict.fromkeys(path.rpartition(".")[2] for path in entry.head.values()))
    parts = [", ".join(entry.tasks)]
    if heads:
        parts.append(f"prepares the table for {' or '.join(heads)}")
    if entry.scaling != "none":
        parts.append(f"{entry.scaling} scaling")
    parts.append(f"{' or '.join(entry.input)} input")
    if entry.search:
        parts.append(f"tunes {', '.join(entry.search)}")
    return "; ".join(parts)


def _status(paper: "Paper") -> Cell:
    return Cell(paper.status, STATUS_STYLES[paper.status])


def _by_status(papers: "Iterable[Paper]") -> str:
    """``3 planned papers match``, ``2 planned and 1 theory papers match``; nothing where there is none."""
    counts = Counter(paper.status for paper in papers)
    if not counts:
        return ""
    words = "paper matches" if counts.total() == 1 else "papers match"
    return " and ".join(f"{number} {status}" for status, number in counts.items()) + f" {words}"
