"""``treatise events``: from a log of events to ranked entities, with the reasons."""

from pathlib import Path
from typing import Annotated, Any

import typer

from treatise.cli._compare import Header, Seed
from treatise.cli._console import Column, Json, Spreadsheet, print_json, print_table, remark, say

SHOWN = 10


def _column(words: str) -> Any:
    return typer.Option(metavar="COL", help=words)


def events(
    data: Annotated[str, typer.Argument(metavar="LOG", help="CSV, TSV or Parquet with an event a row.")],
    entity: Annotated[str, _column("The column that says whose event it is.")],
    time: Annotated[str, _column("The column of its time: dates with times, or seconds.")],
    label: Annotated[
        str | None, _column("A column with one label for all events of an entity; empty where it is not known.")
    ] = None,
    positive: Annotated[
        str | None, typer.Option(metavar="LABEL", help="The label that is looked for; the rarer of two if not given.")
    ] = None,
    fields: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Columns of categories; all that can be, if not given.")
    ] = None,
    visitor: Annotated[str | None, _column("A field that says who acts, such as an address.")] = None,
    page: Annotated[str | None, _column("A field that says where; goes with --visitor.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Where page, picture and tables go.")
    ] = None,
    seed: Seed = 0,
    header: Header = None,
    spreadsheet: Spreadsheet = False,
    as_json: Json = False,
) -> None:
    """Rank the entities of an event log by the risk that labels teach, or by how odd they are, with the reasons."""
    from treatise.compare import rank_entities
    from treatise.compare.events_page import events_words

    found = rank_entities(
        data, entity, time, label=label, positive=positive, fields=None if fields is None else fields.split(","),
        visitor=visitor, page=page, header=header, seed=seed,
    )  # fmt: skip
    folder = output or Path(f"{Path(data).name.partition('.')[0]}-events")
    files = {name: str(path) for name, path in found.write(folder, spreadsheet=spreadsheet).items()}
    if as_json:
        answer: dict[str, Any] = {"facts": found.facts, "label": found.label, "positive": found.positive}
        answer |= {"entities": found.table.to_dicts(), "notes": found.notes, "files": files}
        print_json(answer)
        return
    for note in found.notes:
        remark(note)
    columns = [Column("rank", right=True), Column(found.entity), Column("score", right=True)]
    columns += [Column(found.label)] if found.label is not None else []
    columns.append(Column("first reason"))
    lines = [
        [
            str(row["rank"]), str(row[found.entity]), f"{row['score']:.3f}",
            *([row[found.label] or ""] if found.label is not None else []), row["reason 1"],
        ]
        for row in found.table.head(SHOWN).iter_rows(named=True)
    ]  # fmt: skip
    print_table(columns, lines)
    if found.table.height > SHOWN:
        remark(f"{SHOWN} of {found.table.height} shown; the table has all")
    say(events_words(found))
    for name, path in files.items():
        say(f"{name.capitalize() + ':':<12}{path}")
