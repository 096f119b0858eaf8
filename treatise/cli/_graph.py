"""``treatise graph``: which columns of a table depend on each other."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treatise.cli._compare import Header, Jobs, Seed
from treatise.cli._console import Column, Json, Spreadsheet, counted, print_json, print_table, remark, say

if TYPE_CHECKING:
    from treatise.compare import LearnedGraph

SHOWN = 20


def graph(
    data: Annotated[str, typer.Argument(metavar="DATA", help="CSV, TSV, Parquet, or a bundled name such as 'iris'.")],
    method: Annotated[
        str, typer.Option(help="A learner of graphs by name or paper; auto chooses by the kind of the columns.")
    ] = "auto",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Where picture, GraphML and edges go.")
    ] = None,
    columns: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="The columns to look at; all that vary if not given.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the learner; may repeat.")
    ] = None,
    subsamples: Annotated[int, typer.Option(help="Subsamples on which edges must come back; 0 for none.")] = 20,
    drop_missing: Annotated[bool, typer.Option("--drop-missing", help="Leave out rows with missing values.")] = False,
    jobs: Jobs = None,
    seed: Seed = 0,
    header: Header = None,
    spreadsheet: Spreadsheet = False,
    as_json: Json = False,
) -> None:
    """Learn which columns depend on each other: a picture, GraphML, and a table of edges with their stability."""
    from treatise.compare import learn_graph, parse_setting

    found = learn_graph(
        data, method, columns=None if columns is None else columns.split(","),
        params=dict(parse_setting(text) for text in settings or []), subsamples=subsamples, drop_missing=drop_missing,
        jobs=jobs, header=header, seed=seed,
    )  # fmt: skip
    folder = output or Path(f"{Path(data).stem}-graph")
    files = {name: str(path) for name, path in found.write(folder, spreadsheet=spreadsheet).items()}
    if as_json:
        edges = found.edges.to_dicts()
        answer = {"method": found.method, "kind": found.kind, "columns": found.columns, "directed": found.directed}
        print_json({**answer, "edges": edges, "notes": found.notes, "files": files})
        return
    for note in found.notes:
        remark(note)
    _print_edges(found)
    say(f"Picture: {files['picture']}")
    say(f"GraphML: {files['graphml']}")
    say(f"Edges:   {files['edges']}")


def _print_edges(found: "LearnedGraph") -> None:
    """The strongest edges, and how many there are."""
    arrow = " -> " if found.directed else " - "
    rows = [
        [
            row["source"] + arrow + row["target"],
            f"{row['weight']:.3f}",
            "" if row["stability"] is None else f"{row['stability']:.2f}",
        ]
        for row in found.edges.head(SHOWN).iter_rows(named=True)
    ]
    if rows:
        print_table([Column("edge"), Column("weight", right=True), Column("stability", right=True)], rows)
    name = found.method.rpartition(".")[2]
    rest = f", {len(rows)} of them shown" if len(rows) < found.edges.height else ""
    say(f"{name}: {counted(found.edges.height, 'edge')} among {counted(len(found.columns), 'column')}{rest}")
