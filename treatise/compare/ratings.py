"""Ratings of players from a log of games: one rater, its leaderboard with intervals, and a picture of it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from treatise._core.errors import TreatiseError
from treatise.compare.candidates import instance
from treatise.compare.convergence import watched_solvers
from treatise.compare.interval_picture import draw_intervals
from treatise.compare.output import output_folder, write_table
from treatise.datasets import Games, games_of_table, load_table
from treatise.datasets._game_tables import GAME_COLUMNS
from treatise.io import Table

RATERS = {name: f"treatise.ranking.{name}" for name in ("BradleyTerryRater", "OnlineRater", "GlickoRater", "EloRater")}
"""Raters by name, the default first."""


@dataclass(frozen=True)
class RatedPlayers:
    """Ratings of all players of a log.

    Attributes
    ----------
    method : str
        Import path of the rater.
    rater : estimator
        The rater, fitted to all games.
    games : Games
        The log, in order.
    table : polars.DataFrame
        Columns "player", "rating", "low", "high" (ends of the interval), "best_place", "worst_place" (null for raters
        of games one by one), "games", "won" and "drawn"; the highest rating first.
    level : float
        Share of the intervals that are to hold the true skill.
    notes : list of str
        What was decided about the log.
    """

    method: str
    rater: Any
    games: Games
    table: pl.DataFrame
    level: float
    notes: list[str]

    def write(self, folder: str | os.PathLike[str], *, spreadsheet: bool = False) -> dict[str, Path]:
        """Write the picture and the table into a folder, which is made.

        Parameters
        ----------
        folder : path
            Where to write.
        spreadsheet : bool, default=False
            Whether an apostrophe goes before text that a spreadsheet would run as a formula.

        Returns
        -------
        files : dict
            "picture" and "table".
        """
        with output_folder(folder) as place:
            files = {"picture": place / "ratings.png", "table": place / "ratings.csv"}
            title = f"{self.method.rpartition('.')[2]}: ratings with {100 * self.level:g}% intervals"
            draw_intervals(self.table, "player", "rating", files["picture"], title=title)
            write_table(self.table, files["table"], spreadsheet=spreadsheet)
        return files


def rate_players(
    data: str | os.PathLike[str] | Table | Games,
    method: str = "BradleyTerryRater",
    *,
    winner: str | None = None,
    loser: str | None = None,
    draw: str | None = None,
    date: str | None = None,
    players_by: str | None = None,
    params: Mapping[str, Any] | None = None,
    level: float = 0.95,
    header: bool | None = None,
    seed: int = 0,
) -> RatedPlayers:
    """Rate the players of a log of games, with intervals that were judged on simulated leagues.

    Parameters
    ----------
    data : path, bundled name, Table or Games
        The log: a table with a winner and a loser in each row, or with the columns game, team, player and rank.
    method : str, default="BradleyTerryRater"
        Name or import path of a rater: BradleyTerryRater looks at the whole log at once, OnlineRater, GlickoRater and
        EloRater at one game after another.
    winner, loser, draw, date, players_by :
        How a table is read; see :func:`treatise.datasets.games_of_table`.
    params : mapping or None, default=None
        Parameters of the rater.
    level : float, default=0.95
        Share of the intervals that are to hold the true skill.
    header, seed :
        As for :func:`compare_methods`.

    Returns
    -------
    rated : RatedPlayers
    """
    from treatise.ranking import rating_intervals

    if not 0.0 < level < 1.0:
        raise TreatiseError(f"the level {level:g} must lie between 0 and 1; the usual one is 0.95")
    games, notes = data, list[str]()
    if not isinstance(games, Games):
        known = (*GAME_COLUMNS, *(name for name in (winner, loser, draw, date) if name is not None))
        table = data if isinstance(data, Table) else load_table(data, header=header, asked=known)  # type: ignore[arg-type]
        games, notes = games_of_table(table, winner=winner, loser=loser, draw=draw, date=date, players_by=players_by)
        notes = [*table.notes, *notes]
    path = _rater(method)
    name = path.rpartition(".")[2]
    with watched_solvers() as unfinished:
        try:
            rater = instance(path, params or {}, seed).fit(games)
            found = rating_intervals(rater, games, level=level, random_state=seed)
        except (TypeError, ValueError) as error:
            raise TreatiseError(f"{name} cannot rate these games: {error}") from error
    notes += [f"{name} did not converge, so that ratings are approximate: {words}" for words in unfinished[:1]]
    notes += _cautions(rater, games, found.n_leagues)
    board = _leaderboard(rater, games, found)
    return RatedPlayers(path, rater, games, board, level, notes)


def _rater(method: str) -> str:
    path = RATERS.get(method.rpartition(".")[2])
    if path is None or method not in (path, path.rpartition(".")[2]):
        raise TreatiseError(f"no rater is called {method!r}; choose {', '.join(RATERS)}")
    return path


def _cautions(rater: Any, games: Games, n_leagues: int) -> list[str]:
    """What the reader of the ratings should know."""
    cautions = []
    islands = getattr(rater, "islands_", np.zeros(1))
    if islands.max(initial=0) > 0:
        cautions.append(
            f"the players fall into {islands.max() + 1} groups that never met: ratings of different groups are "
            "compared by the prior alone"
        )
    if not n_leagues:
        cautions.append(f"{games.n_players} players are too many to simulate leagues; intervals are the model's own")
    if games.times is not None and hasattr(rater, "spread_"):
        cautions.append("all games count alike, whatever their date; --method OnlineRater follows the players' form")
    return cautions


def _leaderboard(rater: Any, games: Games, found: Any) -> pl.DataFrame:
    team = np.repeat(np.arange(len(games.ranks)), np.diff(games.team_ptr))
    game = np.repeat(np.arange(len(games)), np.diff(games.game_ptr))
    best = np.minimum.reduceat(games.ranks, games.game_ptr[:-1])[game]
    # Teams of one game and one rank: alone in it, or not.
    _, shared, sizes = np.unique(np.stack([game, games.ranks]), axis=1, return_inverse=True, return_counts=True)
    alone = sizes[shared.ravel()] == 1
    seats = games.players

    def counted(teams: np.ndarray) -> np.ndarray:
        return np.bincount(seats, teams[team], minlength=games.n_players).astype(np.int64)

    nothing = [None] * games.n_players
    columns = {
        "player": [str(name) for name in games.names], "rating": rater.mu_, "low": found.low, "high": found.high,
        "best_place": nothing if found.best is None else found.best,
        "worst_place": nothing if found.worst is None else found.worst,
        "games": counted(np.ones(len(games.ranks))), "won": counted((games.ranks == best) & alone),
        "drawn": counted(~alone),
    }  # fmt: skip
    table = pl.DataFrame(columns, schema_overrides={"best_place": pl.Int64, "worst_place": pl.Int64})
    return table.sort("rating", descending=True, maintain_order=True)
