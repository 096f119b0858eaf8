"""Logs of games in tables: a winner and a loser a row, or a player a row."""

from datetime import datetime

import numpy as np
import polars as pl

from treatise._core.errors import TreatiseError
from treatise.datasets._games import Games
from treatise.io import Table

LONG = ("game", "team", "player", "rank")
"""Columns of a table with a row for each player of each game."""
GAME_COLUMNS = ("winner", "loser", *LONG)
"""Names by which the columns of a log are known, and by which its header is."""
_DRAWN = {"true": True, "yes": True, "y": True, "draw": True, "drawn": True, "tie": True, "1": True,
          "false": False, "no": False, "n": False, "0": False, "": False}  # fmt: skip


def games_of_table(
    table: Table,
    *,
    winner: str | None = None,
    loser: str | None = None,
    draw: str | None = None,
    date: str | None = None,
    players_by: str | None = None,
) -> tuple[Games, list[str]]:
    """Games from a table, and words on how it was understood.

    A table of results has a row for each game, with the winner and the loser in two columns; one with the columns game,
    team, player and rank has a row for each player of each game, in games of any number of teams.

    Parameters
    ----------
    table : Table
        As :func:`treatise.datasets.load_table` gives it.
    winner, loser : str or None, default=None
        The columns of results; None takes those called "winner" and "loser".
    draw : str or None, default=None
        A column that says which games were drawn, as true, yes or 1; None takes one called "draw", if there is one.
    date : str or None, default=None
        A column of dates or numbers by which the games are put in order; None takes one called "date" or "time", if
        there is one, and else the order of the rows.
    players_by : str or None, default=None
        What stands between the players of a team in a cell, such as "/"; None takes a cell for one player.

    Returns
    -------
    games : Games
        In order.
    notes : list of str
        What was decided.

    Examples
    --------
    >>> import polars as pl
    >>> from treatise.datasets import games_of_table
    >>> from treatise.io import Table
    >>> frame = pl.DataFrame({"winner": ["ann/bob", "cy/dee"], "loser": ["cy/dee", "ann/eve"], "draw": [False, True]})
    >>> games, notes = games_of_table(Table("games", frame, True, ()), players_by="/")
    >>> list(games)
    [([['ann', 'bob'], ['cy', 'dee']], [1, 2]), ([['cy', 'dee'], ['ann', 'eve']], [1, 1])]
    """
    if table.matrix is not None:
        raise TreatiseError("this is a sparse matrix without names; games need a table of columns, such as CSV")
    try:
        if winner is None and loser is None and _called(table, "winner") is None and _is_long(table.frame):
            return _of_players(table, date)
        return _of_results(table, winner, loser, draw, date, players_by)
    except ValueError as error:
        raise TreatiseError(f"{table.name} is no log of games: {error}") from None


def _is_long(frame: pl.DataFrame) -> bool:
    return set(LONG) <= {name.lower() for name in frame.columns}


def _of_players(table: Table, date: str | None) -> tuple[Games, list[str]]:
    named = {name.lower(): name for name in table.frame.columns}
    frame = table.frame.select(**{name: pl.col(named[name]) for name in LONG})
    for name in LONG:
        _refuse_missing(frame[name], named[name])
    frame = frame.with_columns(pl.col("game", "team", "player").cast(pl.String))
    _refuse_odd_games(frame)
    notes = ["a row is a player of a game"]
    when = table.column(date) if date is not None else named.get("date", named.get("time"))
    if when is not None:
        moment = _moments(table.frame[when])
        order = moment.arg_sort()
        notes.append(f"games are in the order of {when!r}")
        frame = frame[order]
        if moment.dtype.is_temporal():
            frame = frame.with_columns(moment[order].dt.cast_time_unit("us").alias("time"))
    return Games.from_frame(frame), notes


def _refuse_odd_games(frame: pl.DataFrame) -> None:
    """Name the game in which a player stands twice, or which has one team."""
    again = frame.filter(frame.select("game", "player").is_duplicated())
    if again.height:
        raise TreatiseError(
            f"{again['player'][0]!r} stands more than once in game {again['game'][0]!r}; a player has one row in a game"
        )
    alone = frame.group_by("game", maintain_order=True).agg(pl.col("team").n_unique()).filter(pl.col("team") < 2)
    if alone.height:
        raise TreatiseError(f"game {alone['game'][0]!r} has one team only; leave it out, or name the other in 'team'")


def _of_results(
    table: Table, winner: str | None, loser: str | None, draw: str | None, date: str | None, players_by: str | None
) -> tuple[Games, list[str]]:
    frame = table.frame
    columns = [_column(table, given, name) for given, name in ((winner, "winner"), (loser, "loser"))]
    drawn = table.column(draw) if draw is not None else _called(table, "draw")
    when = table.column(date) if date is not None else _called(table, "date") or _called(table, "time")
    notes = [f"{columns[0]!r} beat {columns[1]!r}" + (f", unless {drawn!r} says otherwise" if drawn else "")]
    order = np.arange(frame.height)
    times = None
    if when is not None:
        moment = _moments(frame[when])
        order = moment.arg_sort().to_numpy()
        notes.append(f"games are in the order of {when!r}")
        if moment.dtype.is_temporal():
            times = moment[order].dt.cast_time_unit("us").to_numpy()
    teams = [_teams(frame[name], players_by) for name in columns]
    for row, (first, second) in enumerate(zip(*teams), 1):
        players = first + second
        again = next((player for player in players if players.count(player) > 1), None)
        if again is not None:
            raise TreatiseError(f"{again!r} stands more than once in row {row}; leave the row out, or mend it")
    ties = _drawn(frame[drawn]) if drawn else np.zeros(frame.height, bool)
    games = Games.from_lists([([teams[0][row], teams[1][row]], [1, 1 if ties[row] else 2]) for row in order])
    if not len(games):
        raise ValueError("it has no row")
    return Games(games.players, games.team_ptr, games.game_ptr, games.ranks, games.names, times), notes


def _column(table: Table, given: str | None, name: str) -> str:
    found = table.column(given) if given is not None else _called(table, name)
    if found is None:
        raise TreatiseError(
            f"{table.name} has no column called {name!r}; name it with --{name}, or give a table with the columns "
            f"{', '.join(LONG)}. Its columns are {', '.join(table.frame.columns[:12])}"
        )
    return found


def _called(table: Table, name: str) -> str | None:
    return next((column for column in table.frame.columns if column.strip().lower() == name), None)


def _refuse_missing(column: pl.Series, name: str) -> None:
    if column.null_count():
        row = int(column.is_null().arg_max() or 0)
        raise TreatiseError(f"column {name!r} is empty in row {row + 1}; every game needs it")


def _teams(column: pl.Series, players_by: str | None) -> list[list[str]]:
    _refuse_missing(column, column.name)
    words = column.cast(pl.String).to_list()
    if players_by is None:
        return [[word] for word in words]
    if not players_by:
        raise TreatiseError("nothing cannot stand between players; name what does, such as '/'")
    teams = [[player.strip() for player in word.split(players_by) if player.strip()] for word in words]
    if [] in teams:
        raise TreatiseError(f"row {teams.index([]) + 1} has a team without players in {column.name!r}; name one")
    return teams


def _moments(column: pl.Series) -> pl.Series:
    """Dates as moments, or numbers."""
    _refuse_missing(column, column.name)
    if column.dtype == pl.Date:
        return column.cast(pl.Datetime("us"))
    if column.dtype.is_numeric() or column.dtype == pl.Datetime:
        return column
    raise TreatiseError(
        f"column {column.name!r} holds values such as {_no_date(column)!r}; the order of games needs dates or numbers"
    )


def _no_date(column: pl.Series) -> object:
    """The value that keeps a column from being one of dates; the first one where all of them do."""
    for value in column:
        try:
            datetime.fromisoformat(str(value))
        except ValueError:
            return value
    return column[0]


def _drawn(column: pl.Series) -> np.ndarray:
    if column.dtype.is_numeric():
        values = column.fill_null(0)
        others = values.filter(~values.is_in([0, 1]))
        if len(others):
            raise TreatiseError(
                f"column {column.name!r} must be 1 for a draw and 0 for none; one value is {others[0]!r}"
            )
        return values.cast(pl.Boolean).to_numpy()
    words = column.cast(pl.String).fill_null("").str.strip_chars().str.to_lowercase()
    unknown = next((word for word in words if word not in _DRAWN), None)
    if unknown is not None:
        raise TreatiseError(f"column {column.name!r} must say yes or no to a draw; one value is {unknown!r}")
    return np.array([_DRAWN[word] for word in words], bool)
