"""``treatise network``: what a network is made of, and what it lacks."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treatise.cli._compare import Header, Seed
from treatise.cli._console import Column, Json, Spreadsheet, counted, print_json, print_table, remark, say

if TYPE_CHECKING:
    from treatise.compare import NetworkFindings

SHOWN = 10


def _column(words: str) -> Any:
    return typer.Option(metavar="COL", help=words)


def network(
    data: Annotated[
        str, typer.Argument(metavar="LINKS", help="CSV, TSV or Parquet with a link a row, GML or GraphML.")
    ],
    source: Annotated[str | None, _column("The column of a link's first node; looked for if not given.")] = None,
    target: Annotated[str | None, _column("The column of its second node.")] = None,
    weight: Annotated[str | None, _column("A column of weights; below zero is a negative link.")] = None,
    sign: Annotated[
        str | None, _column("A column of signs, such as 1 and -1; links without one have theirs predicted.")
    ] = None,
    time: Annotated[
        str | None,
        _column("A column of times: predictions are judged on the latest links, and those of the next period told."),
    ] = None,
    links: Annotated[int, typer.Option(help="Likely links, or likely signs, to tell.")] = 100,
    camps: Annotated[int | None, typer.Option(help="Camps of a signed network; the best number if not given.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Where page, picture, GraphML and tables go.")
    ] = None,
    seed: Seed = 0,
    header: Header = None,
    spreadsheet: Spreadsheet = False,
    as_json: Json = False,
) -> None:
    """Find the communities of a network, its balance, likely links or signs, and the links of the next period."""
    from treatise.compare import explore_network

    found = explore_network(
        data, source=source, target=target, weight=weight, sign=sign, time=time, links=links, camps=camps,
        header=header, seed=seed,
    )  # fmt: skip
    folder = output or Path(f"{Path(data).name.partition('.')[0]}-network")
    files = {name: str(path) for name, path in found.write(folder, spreadsheet=spreadsheet).items()}
    if as_json:
        answer = {"facts": found.facts, "communities": found.communities.to_dicts(), "links": found.links.to_dicts()}
        balance = None if found.balance is None else found.balance.to_dicts()
        ahead = None if found.next_links is None else found.next_links.to_dicts()
        print_json({**answer, "balance": balance, "next_links": ahead, "notes": found.notes, "files": files})
        return
    for note in found.notes:
        remark(note)
    _print_findings(found)
    _print_next(found)
    say(f"Page:    {files['page']}")
    say(f"Picture: {files['picture']}")
    say(f"GraphML: {files['graphml']}")
    say(f"Tables:  {', '.join(path for name, path in files.items() if path.endswith('.csv'))}")


def _print_findings(found: "NetworkFindings") -> None:
    from treatise.compare.network_page import balance_words, group_words, link_words

    facts = found.facts
    what = "camp" if found.network.signed else "community"
    many = counted(found.communities.height, what) if what == "camp" else _communities(facts)
    sizes = (counted(facts[f"{thing}s"], thing) for thing in ("node", "link", "part"))
    say(f"{', '.join(sizes)}; {many}")
    columns = [Column(what, right=True), Column("nodes", right=True), Column("inside", right=True)]
    columns += [Column("out", right=True), Column("most links")]
    rows = [
        [str(row["community"]), str(row["nodes"]), str(row["links inside"]), str(row["links out"]), row["most links"]]
        for row in found.communities.head(SHOWN).iter_rows(named=True)
    ]
    print_table(columns, rows)
    for words in (group_words(found), balance_words(found), link_words(found)):
        if words:
            say(words)
    likely = [Column("likely link"), *([Column("sign", right=True)] if found.network.signed else [])]
    likely.append(Column("score", right=True))
    lines = [
        [
            f"{row['source']} - {row['target']}", *([f"{row['sign']:+d}"] if found.network.signed else []),
            f"{row['score']:.3f}",
        ]
        for row in found.links.head(SHOWN).iter_rows(named=True)
    ]  # fmt: skip
    if lines:
        print_table(likely, lines)


def _print_next(found: "NetworkFindings") -> None:
    """Links of the next period, where they are predicted."""
    if found.next_links is None or not found.next_links.height:
        return
    from treatise.compare.network_page import next_words

    facts = found.facts
    if facts["next AUC"] is not None:
        say(next_words(found))
    columns = [Column(f"likely in {facts['next period']}"), Column("score", right=True)]
    columns += [Column("times linked", right=True), Column("last")]
    rows = [
        [
            f"{row['source']} - {row['target']}", f"{row['score']:.3f}", str(row["times linked"]),
            row["last"] or "never",
        ]
        for row in found.next_links.head(SHOWN).iter_rows(named=True)
    ]  # fmt: skip
    print_table(columns, rows)


def _communities(facts: dict[str, Any]) -> str:
    count, larger = facts["communities"], facts["of two nodes or more"]
    words = "1 community" if count == 1 else f"{count} communities"
    return words if larger == count else f"{words}, {larger} of two nodes or more"
