"""``treatise depend``: which columns of a table depend on which, beyond correlation."""

from pathlib import Path
from typing import Annotated

import typer

from treatise.cli._compare import Header, Seed
from treatise.cli._console import Column, Json, Spreadsheet, counted, print_json, print_table, remark, say

SHOWN = 20


def depend(
    data: Annotated[str, typer.Argument(metavar="DATA", help="CSV, TSV, Parquet, or a bundled name such as 'iris'.")],
    target: Annotated[
        str | None, typer.Option("--target", "-t", metavar="COL", help="Look at the pairs of this column alone.")
    ] = None,
    columns: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="The columns to look at; all that vary if not given.")
    ] = None,
    level: Annotated[float, typer.Option(help="Greatest chance that any of the pairs found is a false one.")] = 0.05,
    permutations: Annotated[int | None, typer.Option(help="Permutations; 999, or 199 for many columns.")] = None,
    rows: Annotated[int | None, typer.Option(help="Rows to look at, drawn at random; 5000, or 1000.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Where page, picture, GraphML and table go.")
    ] = None,
    seed: Seed = 0,
    header: Header = None,
    spreadsheet: Spreadsheet = False,
    as_json: Json = False,
) -> None:
    """Find which columns depend on which, in whatever shape, with p-values corrected for their number."""
    from treatise.compare import find_dependence

    found = find_dependence(
        data, target, columns=None if columns is None else columns.split(","), level=level, permutations=permutations,
        rows=rows, header=header, seed=seed,
    )  # fmt: skip
    folder = output or Path(f"{Path(data).name.partition('.')[0]}-depend")
    files = {name: str(path) for name, path in found.write(folder, spreadsheet=spreadsheet).items()}
    if as_json:
        answer = {"columns": found.kinds, "target": found.target, "level": level, "rows": found.n_rows}
        pairs = found.table.to_dicts()
        print_json(
            {**answer, "permutations": found.n_permutations, "pairs": pairs, "notes": found.notes, "files": files}
        )
        return
    for note in found.notes:
        remark(note)
    clear = found.found
    lines = [
        [
            f"{row['first']} - {row['second']}", f"{row['strength']:.3f}",
            "" if row["rank_correlation"] is None else f"{row['rank_correlation']:+.2f}", f"{row['adjusted']:.3g}",
        ]
        for row in clear.head(SHOWN).iter_rows(named=True)
    ]  # fmt: skip
    if lines:
        heads = ("strength", "rank correlation", "corrected p-value")
        print_table([Column("columns"), *(Column(head, right=True) for head in heads)], lines)
    if clear.height > SHOWN:
        remark(f"{SHOWN} of {clear.height} shown; the table has all")
    looked_at = counted(found.table.height, "pair")
    say(f"{clear.height} of {looked_at} of columns depend on each other, at a level of {level:g}")
    for name, path in files.items():
        say(f"{name.capitalize() + ':':<9}{path}" if name != "graphml" else f"GraphML: {path}")
