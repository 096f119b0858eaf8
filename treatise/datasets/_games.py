"""Games between teams: the container that raters read, and the logs and the generator that fill it."""

import gzip
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl

from treatise.datasets._games_loops import EMPTY, FALLING, LONELY, NAMELESS, REPEATED, first_fault
from treatise.datasets._home import locate
from treatise.io import read_table

Game = tuple[list[list[str | int]], list[int]]

_ATP_YEARS = (2016, 2017, 2018, 2019)
_ATP_ROUNDS = ("RR", "R128", "R64", "R32", "R16", "QF", "SF", "BR", "F")
_HALO2_FILES = {"head_to_head": "Halo2-HeadToHead.objml.gz", "large_team": "Halo2-LargeTeam.objml.gz"}


@dataclass(frozen=True, eq=False, repr=False)
class Games:
    """A log of games in flat arrays: who played in which team of which game, and how the teams ranked.

    Game g has the teams ``game_ptr[g]:game_ptr[g + 1]``; team t has the players
    ``players[team_ptr[t]:team_ptr[t + 1]]``, given as positions in ``names``, and the rank ``ranks[t]``.
    Make one from lists, from arrays of names or from a data frame with the methods below, or straight from
    such arrays. A slice ``games[a:b]`` is again a log, over the same names; ``games[g]`` is one game.

    Parameters
    ----------
    players : array of int
        Positions in ``names`` of the players, team after team, game after game.
    team_ptr : array of int of shape (n_teams + 1,)
        Where each team starts in ``players``.
    game_ptr : array of int of shape (n_games + 1,)
        Where each game starts among the teams.
    ranks : array of int of shape (n_teams,)
        Smaller is better, equal is a tie; only the order counts.
    names : list of str and int, default=None
        Name of every player; None names them 0, 1, 2 and on.
    times : array of datetime64 of shape (n_games,), default=None
        When each game was played, for plots; the order of the games is the order of the log.
    scores : array of float of shape (n_seats,), default=None
        Score of each player in each game, seat by seat as in ``players``, where it is known.

    Examples
    --------
    >>> from treatise.datasets import Games
    >>> games = Games.from_lists([([["ann"], ["bob"]], [1, 2]), ([["bob", "cy"], ["ann", "dee"]], [1, 1])])
    >>> games
    Games(2 games, 4 players)
    >>> games[1]
    ([['bob', 'cy'], ['ann', 'dee']], [1, 1])
    """

    players: np.ndarray
    team_ptr: np.ndarray
    game_ptr: np.ndarray
    ranks: np.ndarray
    names: list[str | int] = None  # type: ignore[assignment]
    times: np.ndarray | None = None
    scores: np.ndarray | None = None

    def __post_init__(self) -> None:
        def keep(field: str, value: Any) -> None:
            object.__setattr__(self, field, value)

        keep("players", _whole_numbers(self.players, "players", np.int32))
        keep("team_ptr", _whole_numbers(self.team_ptr, "team_ptr", np.int64))
        keep("game_ptr", _whole_numbers(self.game_ptr, "game_ptr", np.int64))
        keep("ranks", _whole_numbers(self.ranks, "ranks", np.int32))
        unnamed = int(self.players.max(initial=-1)) + 1
        keep("names", list(range(unnamed)) if self.names is None else _checked_names(self.names))
        if self.times is not None:
            keep("times", np.asarray(self.times, dtype="datetime64[us]"))
        if self.scores is not None:
            keep("scores", np.asarray(self.scores, dtype=np.float64))
        self._check()

    def _check(self) -> None:
        n_teams, n_games = len(self.team_ptr) - 1, len(self.game_ptr) - 1
        for what, pointers, end, of in (
            ("team_ptr", self.team_ptr, len(self.players), "players"),
            ("game_ptr", self.game_ptr, n_teams, "teams"),
        ):
            if len(pointers) < 1 or pointers[0] != 0 or pointers[-1] != end:
                raise ValueError(f"{what} must start at 0 and end at {end}, the number of {of}; it is {pointers}")
        if len(self.ranks) != n_teams:
            raise ValueError(f"there are {len(self.ranks)} ranks for {n_teams} teams; give one a team")
        if self.times is not None and len(self.times) != n_games:
            raise ValueError(f"there are {len(self.times)} times for {n_games} games; give one a game")
        if self.scores is not None and self.scores.shape != self.players.shape:
            raise ValueError(
                f"there are {self.scores.size} scores for {len(self.players)} seats; give every player one a game"
            )
        fault, at, player = first_fault(self.players, self.team_ptr, self.game_ptr, len(self.names))
        if fault == FALLING:
            raise ValueError(f"team_ptr must never fall, but it does after position {at}")
        if fault == LONELY:
            raise ValueError(f"game {at} has fewer than two teams")
        if fault == EMPTY:
            raise ValueError(f"game {at} has a team without players")
        if fault == NAMELESS:
            raise ValueError(f"player {player} of game {at} is no position in {len(self.names)} names")
        if fault == REPEATED:
            raise ValueError(f"player {self.names[player]!r} stands more than once in game {at}")

    @classmethod
    def of(cls, games: Any) -> "Games":
        """Games from whatever holds them: Games, a tuple of four flat arrays, a data frame, or lists."""
        if isinstance(games, cls):
            return games
        if hasattr(games, "columns"):
            return cls.from_frame(games)
        if isinstance(games, tuple) and len(games) == 4 and all(isinstance(part, np.ndarray) for part in games):
            return cls.from_arrays(*games)
        return cls.from_lists(games)

    @classmethod
    def from_lists(cls, games: Iterable[tuple[Sequence[Any], Sequence[int]]]) -> "Games":
        """Games from pairs ``(teams, ranks)``; a team is a list of names, or one bare name."""
        members: list[Any] = []
        team_ptr, game_ptr, ranks = [0], [0], list[Any]()
        for number, game in enumerate(games):
            try:
                teams, order = game
                n_teams, n_ranks = len(teams), len(order)
            except (TypeError, ValueError):
                raise ValueError(f"game {number} is {game!r}; it must be a pair (teams, ranks) of lists") from None
            if n_teams != n_ranks:
                raise ValueError(f"game {number} has {n_teams} teams but {n_ranks} ranks")
            for team in teams:
                members.extend([team] if isinstance(team, str | int | np.integer) else team)
                team_ptr.append(len(members))
            ranks.extend(order)
            game_ptr.append(len(ranks))
        players, names = _coded(members)
        return cls(players, np.array(team_ptr), np.array(game_ptr), np.array(ranks), names)

    @classmethod
    def from_arrays(cls, players: Any, team_ptr: Any, game_ptr: Any, ranks: Any, times: Any = None) -> "Games":
        """Games from flat arrays with the players' names (str or int) in place of positions."""
        codes, names = _coded(np.asarray(players).tolist())
        return cls(codes, team_ptr, game_ptr, ranks, names, times)

    @classmethod
    def from_frame(cls, frame: Any) -> "Games":
        """Games from a data frame (pandas or polars) with one row per player and game.

        Its columns are ``game``, ``team`` and ``player``, the ``rank`` of the player's team and, if it has
        one, the ``time`` of the game. Games follow one another as they first appear.
        """
        absent = [name for name in ("game", "team", "player", "rank") if name not in frame.columns]
        if absent:
            raise ValueError(f"the frame has no column {', '.join(map(repr, absent))}; it has {list(frame.columns)}")
        game, _ = _coded(frame["game"].to_list())
        team, _ = _coded(list(zip(game.tolist(), frame["team"].to_list())))
        order = np.lexsort((team, game))
        game, team = game[order], team[order]
        players, names = _coded(frame["player"].to_list())
        ranks = _whole_numbers(frame["rank"].to_list(), "ranks", np.int32)[order]
        team_start = np.flatnonzero(np.diff(team, prepend=-1))
        game_start = np.flatnonzero(np.diff(game, prepend=-1))
        if np.any(mixed := np.repeat(ranks[team_start], np.diff(team_start, append=len(ranks))) != ranks):
            row = order[np.argmax(mixed)]
            raise ValueError(
                f"row {row} gives its team another rank than an earlier row; a team has one rank in a game"
            )
        times = None
        if "time" in frame.columns:
            times = np.array(frame["time"].to_list(), dtype="datetime64[us]")[order][game_start]
        team_ptr = np.append(team_start, len(order))
        game_ptr = np.searchsorted(team_ptr, np.append(game_start, len(order)))
        return cls(players[order], team_ptr, game_ptr, ranks[team_start], names, times)

    def __len__(self) -> int:
        return len(self.game_ptr) - 1

    @property
    def n_players(self) -> int:
        """Number of names, whether or not they play in this part of the log."""
        return len(self.names)

    def __getitem__(self, which: int | slice) -> Any:
        if not isinstance(which, slice):
            at = range(len(self))[which]
            bounds = self.team_ptr[self.game_ptr[at] : self.game_ptr[at + 1] + 1]
            teams = [[self.names[p] for p in self.players[a:b]] for a, b in pairwise(bounds)]
            return teams, self.ranks[self.game_ptr[at] : self.game_ptr[at + 1]].tolist()
        start, stop, step = which.indices(len(self))
        if step != 1:
            raise ValueError(f"games are sliced in their order, one by one; the step was {step}")
        return self._part(start, max(start, stop))

    def scores_of(self, game: int) -> list[list[float]] | None:
        """Scores of the players of one game, team by team; None where the log has none."""
        if self.scores is None:
            return None
        at = range(len(self))[game]
        bounds = self.team_ptr[self.game_ptr[at] : self.game_ptr[at + 1] + 1]
        return [self.scores[a:b].tolist() for a, b in pairwise(bounds)]

    def _part(self, start: int, stop: int) -> "Games":
        """The games from start to stop; parts of checked games need no check of their own."""
        teams = slice(self.game_ptr[start], self.game_ptr[stop])
        first, last = self.team_ptr[teams.start], self.team_ptr[teams.stop]
        part = object.__new__(Games)
        fields = {
            "players": self.players[first:last],
            "team_ptr": self.team_ptr[teams.start : teams.stop + 1] - first,
            "game_ptr": self.game_ptr[start : stop + 1] - teams.start,
            "ranks": self.ranks[teams],
            "names": self.names,
            "times": None if self.times is None else self.times[start:stop],
            "scores": None if self.scores is None else self.scores[first:last],
        }
        part.__dict__.update(fields)
        return part

    def __iter__(self) -> Iterator[Game]:
        return (self[g] for g in range(len(self)))

    def chunks(self, size: int) -> Iterator["Games"]:
        """The log in parts of ``size`` games, in order."""
        return (self._part(start, min(start + size, len(self))) for start in range(0, len(self), size))

    def __repr__(self) -> str:
        return f"Games({len(self)} games, {self.n_players} players)"


def _whole_numbers(values: Any, what: str, kind: Any) -> np.ndarray:
    array, limit = np.asarray(values), np.iinfo(kind).max
    if array.ndim != 1:
        raise ValueError(f"{what} must be one-dimensional, got {array.ndim} dimensions")
    if not np.issubdtype(array.dtype, np.integer):
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{what} must be whole numbers, got values such as {array.tolist()[0]!r}") from None
        if np.any(broken := ~np.isfinite(array) | (array != np.rint(array))):
            raise ValueError(f"{what} must be whole numbers; at position {np.argmax(broken)} is {array[broken][0]:g}")
    if array.dtype != kind and array.size and not (array.min() >= -limit and array.max() <= limit):
        raise ValueError(f"{what} run from {array.min():g} to {array.max():g}; they must lie within ±{limit}")
    return np.ascontiguousarray(array, dtype=kind)


def _coded(values: list[Any]) -> tuple[np.ndarray, list[Any]]:
    """Each value's number in the order of first sight, and the distinct values in that order."""
    try:
        names = list(dict.fromkeys(values))
    except TypeError as error:
        raise ValueError(f"names must be str or int: {error}") from None
    code = {name: number for number, name in enumerate(names)}
    return np.fromiter(map(code.__getitem__, values), np.int64, len(values)), names


def _checked_names(names: Iterable[Any]) -> list[str | int]:
    plain = [name.item() if isinstance(name, np.generic) else name for name in names]
    for name in plain:
        if type(name) is not str and type(name) is not int:
            raise ValueError(f"player names must be str or int, got {name!r} ({type(name).__name__})")
    if len(set(plain)) < len(plain):
        raise ValueError("player names must differ from one another")
    return plain


def make_ranking_games(
    n_games: int = 2000,
    *,
    n_players: int = 100,
    n_teams: int = 8,
    team_size: int = 1,
    random_state: int | np.random.Generator | None = None,
) -> tuple[Games, np.ndarray]:
    """Games among players of known skill.

    Skills are drawn from N(25, (25/3)²). A game takes distinct players at random; a team performs at the sum
    of its players' skills plus noise N(0, (25/6)²), and the teams rank by their performance.

    Parameters
    ----------
    n_games : int, default=2000
        Number of games.
    n_players : int, default=100
        Number of players.
    n_teams : int, default=8
        Teams in each game.
    team_size : int, default=1
        Players in each team.
    random_state : int, Generator or None, default=None
        Seed.

    Returns
    -------
    games : Games
    skill : ndarray of shape (n_players,)
        The true skills.

    Examples
    --------
    >>> from treatise.datasets import make_ranking_games
    >>> games, skill = make_ranking_games(3, n_teams=2, random_state=0)
    >>> games
    Games(3 games, 100 players)
    """
    seats = n_teams * team_size
    if n_teams < 2 or team_size < 1 or seats > n_players:
        raise ValueError(
            f"n_teams={n_teams} teams of team_size={team_size} do not make a game among n_players={n_players}; "
            "take at least two teams of at least one, and no more players than there are"
        )
    rng = np.random.default_rng(random_state)
    skill = rng.normal(25, 25 / 3, n_players)
    players, ranks = np.empty((n_games, seats), np.int32), np.empty((n_games, n_teams), np.int32)
    for g in range(n_games):
        players[g] = rng.choice(n_players, seats, replace=False)
        performance = skill[players[g]].reshape(n_teams, team_size).sum(axis=1) + rng.normal(0, 25 / 6, n_teams)
        ranks[g, np.argsort(-performance)] = np.arange(1, n_teams + 1)
    team_ptr, game_ptr = np.arange(0, players.size + 1, team_size), np.arange(0, ranks.size + 1, n_teams)
    return Games(players.ravel(), team_ptr, game_ptr, ranks.ravel(), list(range(n_players))), skill


def load_halo2(mode: str = "head_to_head") -> Games:
    """Games of the Halo 2 beta test, in the order in which they ended.

    The 6,028 duels and the 972 games of two large teams belong to the sets of the TrueSkill and the Weng & Lin
    experiments, which had 6,227 and 1,199; the files have no game that ended 0 to 0. A team's score is the sum
    of its players' scores, which the games keep; equal scores are a draw.

    Parameters
    ----------
    mode : {"head_to_head", "large_team"}, default="head_to_head"
        Which games.

    Returns
    -------
    games : Games
    """
    if mode not in _HALO2_FILES:
        raise ValueError(f"mode={mode!r} is no mode of play; it must be one of {', '.join(map(repr, _HALO2_FILES))}")
    with gzip.open(locate(f"ranking/{_HALO2_FILES[mode]}")) as stream:
        entries = list(ElementTree.parse(stream).getroot().iterfind("Games/*"))
    read = _halo2_duel if mode == "head_to_head" else _halo2_teams
    ended = np.array([_american_time(entry.attrib["EndTime"]) for entry in entries], dtype="datetime64[us]")
    order = np.argsort(ended, kind="stable")
    played = [read(entries[at]) for at in order]
    games = Games.from_lists([(teams, _ranks_of([sum(made) for made in scores])) for teams, scores in played])
    scores = np.array([score for _, by_team in played for made in by_team for score in made], np.float64)
    return Games(games.players, games.team_ptr, games.game_ptr, games.ranks, games.names, ended[order], scores)


def _american_time(text: str) -> str:
    date, clock = text.split()
    month, day, year = date.split("/")
    return f"{year}-{month}-{day}T{clock}"


def _halo2_duel(entry: ElementTree.Element) -> tuple[list[list[str]], list[list[int]]]:
    # A score of zero is left out of the file.
    scores = [[int(entry.get(f"Player{side}Score", 0))] for side in (1, 2)]
    return [[entry.attrib["Player1"]], [entry.attrib["Player2"]]], scores


def _halo2_teams(entry: ElementTree.Element) -> tuple[list[list[str]], list[list[int]]]:
    teams, scores = [], []
    for listed in entry.iterfind("Teams/Team/PlayerScores"):
        teams.append([item.text or "" for item in listed if item.tag.endswith("key")])
        scores.append([int(item.text or 0) for item in listed if not item.tag.endswith("key")])
    return teams, scores


def _ranks_of(scores: list[int]) -> list[int]:
    return [1 + sum(other > score for other in scores) for score in scores]


def load_atp(years: Iterable[int] = _ATP_YEARS) -> Games:
    """Singles matches of the men's tennis tour, by tournament week and round; walkovers are left out.

    Parameters
    ----------
    years : iterable of int, default=(2016, 2017, 2018, 2019)
        Which seasons, of these four.

    Returns
    -------
    games : Games
        The winner is the first team of every match; the time of a match is the first day of its tournament.
    """
    years = sorted(years)
    if not years or not set(years) <= set(_ATP_YEARS):
        raise ValueError(f"years={years} must be seasons out of {', '.join(map(str, _ATP_YEARS))}")
    columns = ["tourney_date", "tourney_id", "round", "match_num", "winner_name", "loser_name", "score"]
    paths = [locate(f"ranking/atp_matches_{year}.csv.gz") for year in years]
    seasons = [read_table(path, header=True).frame.select(columns) for path in paths]
    matches = (
        pl.concat(seasons)
        .filter(~pl.col("score").str.contains("W/O"))
        .with_columns(pl.col("round").replace_strict(_ATP_ROUNDS, range(len(_ATP_ROUNDS))))
        .sort("tourney_date", "tourney_id", "round", "match_num")
    )
    names = matches.select("winner_name", "loser_name").to_numpy().ravel()
    days = matches["tourney_date"].cast(pl.String).str.to_date("%Y%m%d").to_numpy()
    return Games.from_arrays(
        names, np.arange(len(names) + 1), np.arange(0, len(names) + 1, 2), np.tile([1, 2], len(matches)), days
    )
