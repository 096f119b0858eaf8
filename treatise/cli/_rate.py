"""``treatise rate`` and ``treatise aggregate``: who is best, from games or from rankings, and how sure that is."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treatise.cli._compare import Header, Seed
from treatise.cli._console import Column, Json, Spreadsheet, counted, print_json, print_table, remark, say

if TYPE_CHECKING:
    import polars as pl

SHOWN = 20
Level = Annotated[float, typer.Option(help="Share of the intervals that are to hold the truth.")]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="DIR", help="Where the picture and the table go.")
]


def rate(
    data: Annotated[
        str, typer.Argument(metavar="GAMES", help="CSV, TSV or Parquet: a winner and a loser a row, or a player a row.")
    ],
    method: Annotated[
        str, typer.Option(help="BradleyTerryRater, or game by game OnlineRater, GlickoRater or EloRater.")
    ] = "BradleyTerryRater",
    winner: Annotated[
        str | None, typer.Option(metavar="COL", help="The column of winners; 'winner' if not given.")
    ] = None,
    loser: Annotated[
        str | None, typer.Option(metavar="COL", help="The column of losers; 'loser' if not given.")
    ] = None,
    draw: Annotated[
        str | None,
        typer.Option(metavar="COL", help="A column that says which games were drawn; 'draw' if there is one."),
    ] = None,
    date: Annotated[
        str | None, typer.Option(metavar="COL", help="Dates or numbers that order the games; 'date' if there is one.")
    ] = None,
    players_by: Annotated[
        str | None,
        typer.Option(metavar="MARK", help="What stands between the players of a team in a cell, such as '/'."),
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the rater; may repeat.")
    ] = None,
    level: Level = 0.95,
    output: Output = None,
    seed: Seed = 0,
    header: Header = None,
    spreadsheet: Spreadsheet = False,
    as_json: Json = False,
) -> None:
    """Rate the players of a log of games: a leaderboard with intervals that hold, as a table and a picture."""
    from treatise.compare import parse_setting, rate_players

    rated = rate_players(
        data, method, winner=winner, loser=loser, draw=draw, date=date, players_by=players_by,
        params=dict(parse_setting(text) for text in settings or []), level=level, header=header, seed=seed,
    )  # fmt: skip
    files = _written(rated, output, data, "ratings", spreadsheet)
    if as_json:
        players = rated.table.to_dicts()
        print_json({"method": rated.method, "level": level, "players": players, "notes": rated.notes, "files": files})
        return
    _tell(rated.notes)
    # Elo's scale has hundreds of points, others have tens.
    widths = sorted(row["high"] - row["low"] for row in rated.table.select("low", "high").to_dicts())
    form = ".0f" if widths[len(widths) // 2] > 20 else ".2f"
    _print_scores(rated.table, "player", "rating", form, ("games", "won", "drawn"))
    name = rated.method.rpartition(".")[2]
    who = f"{counted(rated.table.height, 'player')}, {counted(len(rated.games), 'game')}"
    say(f"{name}: {who}; {100 * level:g}% intervals")
    _tell_files(files)


def aggregate(
    data: Annotated[
        str,
        typer.Argument(
            metavar="RANKINGS", help="CSV, TSV or Parquet of items, voters, ballots or votes, or PrefLib's orders."
        ),
    ],
    method: Annotated[
        str, typer.Option(help="A rule by name; auto takes the one that agrees best with voters it has not seen.")
    ] = "auto",
    form: Annotated[
        str | None, typer.Option(help="What a row is: items, voters, ballots or votes; looked for if not given.")
    ] = None,
    item: Annotated[str | None, typer.Option(metavar="COL", help="The column that names the items.")] = None,
    ratings: Annotated[
        bool, typer.Option("--ratings", help="Numbers are ratings, of which the larger is better.")
    ] = False,
    resamples: Annotated[int, typer.Option(help="Samples of the voters for the intervals; 0 for none.")] = 200,
    level: Level = 0.95,
    output: Output = None,
    seed: Seed = 0,
    header: Header = None,
    spreadsheet: Spreadsheet = False,
    as_json: Json = False,
) -> None:
    """Find one order of items that many ranked or rated: scores and places with intervals, a table and a picture."""
    from treatise.compare import aggregate_rankings

    found = aggregate_rankings(
        data, method, form=form, item=item, ratings=ratings, resamples=resamples, level=level, header=header, seed=seed
    )
    files = _written(found, output, data, "consensus", spreadsheet)
    if as_json:
        answer = {"method": found.method, "level": level, "items": found.table.to_dicts()}
        print_json({**answer, "rules": found.rules.to_dicts(), "notes": found.notes, "files": files})
        return
    _tell(found.notes)
    _print_scores(found.table, "item", "score", ".4g", ("votes",))
    if found.rules.height:
        say()
        rows = [
            [row["method"], f"{row['disagreement']:.4f}", "" if row["error"] is None else f"{row['error']:.4f}"]
            for row in found.rules.iter_rows(named=True)
        ]
        print_table([Column("rule"), Column("held-out pairs wrong", right=True), Column("error", right=True)], rows)
    say(f"{found.method}: {counted(found.table.height, 'item')}")
    _tell_files(files)


def _written(result: Any, output: Path | None, data: str, kind: str, spreadsheet: bool) -> dict[str, str]:
    folder = output or Path(f"{Path(data).name.partition('.')[0]}-{kind}")
    return {name: str(path) for name, path in result.write(folder, spreadsheet=spreadsheet).items()}


def _tell(notes: list[str]) -> None:
    for note in notes:
        remark(note)


def _tell_files(files: dict[str, str]) -> None:
    say(f"Picture: {files['picture']}")
    say(f"Table:   {files['table']}")


def _print_scores(table: "pl.DataFrame", name: str, value: str, form: str, counts: tuple[str, ...]) -> None:
    """The first rows: place, name, score, its interval, and the places that it may have."""
    columns = [Column("place", right=True), Column(name), Column(value, right=True), Column("interval", right=True)]
    columns += [Column("places", right=True), *(Column(count, right=True) for count in counts)]
    rows = []
    least = 1e-9 * max(abs(score) for score in table[value])  # what rounding leaves of nothing
    for place, row in enumerate(table.head(SHOWN).iter_rows(named=True), 1):
        interval = "" if row["low"] is None else f"{row['low']:{form}} to {row['high']:{form}}"
        places = "" if row["best_place"] is None else f"{row['best_place']} to {row['worst_place']}"
        score = row[value] if abs(row[value]) > least else 0.0
        cells = [str(place), row[name], f"{score:{form}}", interval, places]
        rows.append([*cells, *(str(row[count]) for count in counts)])
    print_table(columns, rows)
    if table.height > SHOWN:
        remark(f"{SHOWN} of {table.height} shown; the table has all")
