"""What all raters that learn game by game share: the players' records, learning from a log, histories."""

from abc import abstractmethod

import numpy as np
import polars as pl
from sklearn.base import _fit_context, clone

from treatise._core.invariants import is_count
from treatise.datasets import Games
from treatise.ranking import _plots
from treatise.ranking._beliefs import SkillBeliefs


class Rater(SkillBeliefs):
    """Gaussian belief about every player's skill, revised after each game.

    A concrete rater has the parameters ``mu`` and ``sigma`` of a new player, or overrides ``_newcomers``; it
    says how a log changes the beliefs (``_revise``) and how likely one team beats another (``_chance``).

    Attributes
    ----------
    players_ : list of str and int
        Names, in the order of the arrays below.
    mu_ : ndarray of shape (n_players,)
        Mean of each player's skill.
    variance_ : ndarray of shape (n_players,)
        Variance of each player's skill.
    sigma_ : ndarray of shape (n_players,)
        Its square root.
    n_games_ : ndarray of int of shape (n_players,)
        Games that each player has played.
    n_pairs_, n_errors_ : int
        Pairs of teams with different ranks met since the second game, and how many of them the means before
        the game put in the wrong order.
    """

    _made_again = ("_rows_by_name", "_room", "_last_log")

    @abstractmethod
    def _revise(self, games, players, mean, variance, played, wrong, pairs):
        """Walk the games, in which ``players`` stand for rows of mean, variance and played; change all in place."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, games):
        """Forget everything and learn from a log of games.

        Parameters
        ----------
        games : Games, list of (teams, ranks), data frame, or tuple of flat arrays
            The log, in order; see :meth:`treatise.datasets.Games.of`.

        Returns
        -------
        self : object
        """
        self._forget()
        return self._learn(games)

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, games):
        """Learn from further games; players not met before start from the prior.

        Parameters
        ----------
        games : Games, list of (teams, ranks), data frame, or tuple of flat arrays
            The next part of the log.

        Returns
        -------
        self : object
        """
        if not hasattr(self, "players_"):
            self._forget()
        return self._learn(games)

    def _forget(self):
        self.players_, self.mu_, self.variance_ = [], np.empty(0), np.empty(0)
        self.n_games_ = np.empty(0, np.int64)
        self.n_pairs_ = self.n_errors_ = 0
        self._rows_by_name = {}
        self._room, self._last_log = {}, (None, None)

    def _learn(self, games):
        wrong, pairs = self._walk(Games.of(games))
        self.n_errors_ += int(wrong.sum())
        self.n_pairs_ += int(pairs.sum())
        return self

    def _walk(self, games):
        """Learn from checked games; wrong and all decided pairs in each game, the very first game not counted."""
        first_ever = self.n_pairs_ == 0 and not self.n_games_.any()
        players = self._enrol(games)
        wrong, pairs = np.zeros((2, len(games)), np.int32)
        self._revise(games, players, self.mu_, self.variance_, self.n_games_, wrong, pairs)
        if first_ever:
            wrong[:1] = pairs[:1] = 0
        return wrong, pairs

    def _enrol(self, games):
        """Give every name a row, and the log's players as rows.

        Costs what the log has of names, and nothing for a further part of the log before.
        """
        names, rows = getattr(self, "_last_log", (None, None))
        if names is not games.names:
            known = self._rows()
            new = [name for name in games.names if name not in known]
            if new:
                mean, variance = self._newcomers(new)
                known.update(zip(new, range(len(known), len(known) + len(new))))
                self.players_.extend(new)
                self._append(mu_=mean, variance_=variance, n_games_=np.zeros(len(new), np.int64))
            rows = np.fromiter(map(known.__getitem__, games.names), np.int32, len(games.names))
            self._last_log = games.names, rows
        return rows[games.players]

    def _append(self, **columns):
        """Lengthen columns of the players' records; each is the front of an array that doubles when it is full."""
        if not hasattr(self, "_room"):
            self._room = {}
        for name, values in columns.items():
            own, room = getattr(self, name), self._room.get(name)
            length = len(own) + len(values)
            if room is None or own.base is not room or length > len(room):
                room = self._room[name] = np.empty(max(2 * length, 16), own.dtype)
                room[: len(own)] = own
            room[len(own) : length] = values
            setattr(self, name, room[:length])

    def _invariants(self):
        yield "pairs and errors are counted", is_count(self.n_pairs_) and is_count(self.n_errors_)

    def rate(self, teams, ranks):
        """The ratings that a game would leave, with nothing learnt from it.

        Parameters
        ----------
        teams : list of lists of names
            The teams; players not met before have the prior.
        ranks : list of int
            Rank of each team, smaller is better.

        Returns
        -------
        mu, sigma : list of ndarray
            One array per team, in the order of its players.
        """
        games = Games.from_lists([(teams, ranks)])
        mean, variance = self._beliefs(games.names)
        played, wrong, pairs = np.zeros(games.n_players, np.int64), np.zeros(1, np.int32), np.zeros(1, np.int32)
        self._revise(games, games.players, mean, variance, played, wrong, pairs)
        cuts = games.team_ptr[1:-1]
        return np.split(mean[games.players], cuts), np.split(np.sqrt(variance)[games.players], cuts)

    def progressive_error(self, games):
        """Error rate of a rater with these parameters that predicts each game before it learns from it.

        Of all pairs of teams with different ranks, from the second game on, the share that the means before
        the game put in the wrong order; equal means count as wrong (Section 6.1). What this rater has learnt
        plays no part and stays as it is.

        Parameters
        ----------
        games : Games, list of (teams, ranks), data frame, or tuple of flat arrays
            The log, in order.

        Returns
        -------
        error : float
            nan where no pair was decided.
        """
        wrong, pairs = self.progressive_counts(games)
        return float(wrong.sum() / pairs.sum()) if pairs.any() else float("nan")

    def progressive_counts(self, games):
        """Wrong and decided pairs of teams in each game, as :meth:`progressive_error` counts them.

        Parameters
        ----------
        games : Games, list of (teams, ranks), data frame, or tuple of flat arrays
            The log, in order.

        Returns
        -------
        wrong, pairs : ndarray of int of shape (n_games,)
        """
        fresh = clone(self)
        fresh._validate_params()
        fresh._forget()
        return fresh._walk(Games.of(games))

    def history(self, games, players):
        """Ratings of some players after each of their games, learnt afresh from a log.

        Parameters
        ----------
        games : Games, list of (teams, ranks), data frame, or tuple of flat arrays
            The log, in order.
        players : list of names
            Whom to follow.

        Returns
        -------
        table : polars.DataFrame
            Columns game (its number), time if the log has times, player, mu, sigma.
        """
        games = Games.of(games)
        absent = [name for name in players if name not in set(games.names)]
        if absent:
            raise ValueError(f"{absent[0]!r} plays in none of the games")
        followed = np.array([games.names.index(name) for name in players])
        game_of_seat = np.repeat(np.arange(len(games)), np.diff(games.team_ptr[games.game_ptr]))
        seats = np.flatnonzero(np.isin(games.players, followed))
        fresh, start, rows = clone(self), 0, []
        for seat, game in zip(seats, game_of_seat[seats]):
            fresh.partial_fit(games[start : game + 1])
            start = max(start, game + 1)
            row = games.players[seat]
            rows.append((game, games.names[row], fresh.mu_[row], fresh.sigma_[row]))
        table = pl.DataFrame(rows, schema=["game", "player", "mu", "sigma"], orient="row")
        if games.times is None:
            return table
        return table.insert_column(1, pl.Series("time", games.times[table["game"].to_numpy()]))

    def plot_history(self, games, players, *, ax=None):
        """Draw the ratings of some players over a log, mean and one standard deviation each way.

        Parameters
        ----------
        games : Games, list of (teams, ranks), data frame, or tuple of flat arrays
            The log, in order; with times, they are the horizontal axis.
        players : list of names
            Whom to follow.
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        ax : matplotlib axes
        """
        return _plots.plot_history(self.history(games, players), ax)


def duels(games):
    """The games of two single players that Elo and Glicko are made for, or an error."""
    if len(games.players) != 2 * len(games) or len(games.ranks) != 2 * len(games):
        raise ValueError("every game must be between two single players; OnlineRater rates teams and larger games")
    return games
