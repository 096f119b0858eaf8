"""What all raters share: the players' records, learning from a log, predictions, the leaderboard."""

from abc import ABC, abstractmethod

import numpy as np
import polars as pl
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import is_array, is_count
from treatise.datasets import Games
from treatise.ranking import _plots

# What serves speed alone, and is made again after loading.
_MADE_AGAIN = ("_rows_by_name", "_room", "_last_log")


class Rater(BaseEstimator, ABC):
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

    @abstractmethod
    def _revise(self, games, players, mean, variance, played, wrong, pairs):
        """Walk the games, in which ``players`` stand for rows of mean, variance and played; change all in place."""

    @abstractmethod
    def _chance(self, lead, variance, other_variance):
        """Probability that a team whose mean exceeds the other's by ``lead`` wins."""

    def _newcomers(self, names):
        """Means and variances of players who have not played."""
        return np.full(len(names), float(self.mu)), np.full(len(names), float(self.sigma) ** 2)

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
        n_players = len(self.players_)
        for name, kind in (("mu_", np.float64), ("variance_", np.float64), ("n_games_", np.int64)):
            yield f"{name} has a number for each player", is_array(getattr(self, name), kind, n_players)
        yield "pairs and errors are counted", is_count(self.n_pairs_) and is_count(self.n_errors_)
        # Not stored, but what is stored nevertheless would be taken.
        yield "rows of players follow from their names", not set(_MADE_AGAIN) & set(vars(self))

    def _rows(self):
        """Row of each name; kept between calls, rebuilt after loading."""
        if not hasattr(self, "_rows_by_name"):
            self._rows_by_name = {name: row for row, name in enumerate(getattr(self, "players_", []))}
        return self._rows_by_name

    def __getstate__(self):
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name not in _MADE_AGAIN}

    @property
    def sigma_(self):
        """Standard deviation of each player's skill."""
        return np.sqrt(self.variance_)

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

    def predict_rank(self, teams):
        """Expected order of the teams: ranks by falling sum of means, 1 is best, equal sums tie.

        Parameters
        ----------
        teams : list of lists of names
            The teams; players not met before have the prior.

        Returns
        -------
        ranks : ndarray of int of shape (n_teams,)
        """
        games = Games.from_lists([(teams, [1] * len(teams))])
        total = np.add.reduceat(self._beliefs(games.names)[0][games.players], games.team_ptr[:-1])
        return 1 + np.sum(total[None, :] > total[:, None], axis=1)

    def predict_win_proba(self, team, other):
        """Probability that a team beats another (a draw counts as half a win).

        Parameters
        ----------
        team, other : list of names
            The two teams; players not met before have the prior.

        Returns
        -------
        probability : float
        """
        games = Games.from_lists([([team, other], [1, 2])])
        mean, variance = (
            np.add.reduceat(part[games.players], games.team_ptr[:-1]) for part in self._beliefs(games.names)
        )
        return float(self._chance(mean[0] - mean[1], variance[0], variance[1]))

    def _beliefs(self, names):
        """Mean and variance of the named players, whether met or not."""
        rows = np.array([self._rows().get(name, -1) for name in names], np.int64)
        mean, variance = self._newcomers(names)
        met = rows >= 0
        if met.any():
            mean[met], variance[met] = self.mu_[rows[met]], self.variance_[rows[met]]
        return mean, variance

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

    def leaderboard(self, *, min_games=1):
        """The players from best to worst by the rating that each very likely deserves, mu - 3 sigma.

        Parameters
        ----------
        min_games : int, default=1
            Leave out players with fewer games.

        Returns
        -------
        table : polars.DataFrame
            Columns player, mu, sigma, conservative, n_games.
        """
        check_is_fitted(self)
        same_kind = len(set(map(type, self.players_))) <= 1
        names = self.players_ if same_kind else [str(name) for name in self.players_]
        columns = {
            "player": names, "mu": self.mu_, "sigma": self.sigma_,
            "conservative": self.mu_ - 3.0 * self.sigma_, "n_games": self.n_games_,
        }  # fmt: skip
        board = pl.DataFrame(columns).filter(pl.col("n_games") >= min_games)
        return board.sort("conservative", descending=True, maintain_order=True)

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

    def plot_leaderboard(self, top=20, *, min_games=1, ax=None):
        """Draw the first players of the leaderboard, mean and three standard deviations each way.

        Parameters
        ----------
        top : int, default=20
            How many players.
        min_games : int, default=1
            Leave out players with fewer games.
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        ax : matplotlib axes
        """
        return _plots.plot_leaderboard(self.leaderboard(min_games=min_games).head(top), ax)

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

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


def duels(games):
    """The games of two single players that Elo and Glicko are made for, or an error."""
    if len(games.players) != 2 * len(games) or len(games.ranks) != 2 * len(games):
        raise ValueError("every game must be between two single players; OnlineRater rates teams and larger games")
    return games
