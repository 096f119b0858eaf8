"""What all ratings share: a belief about every player's skill, predictions from it, the leaderboard."""

from abc import ABC, abstractmethod
from numbers import Integral

import numpy as np
import polars as pl
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import all_alike, is_array
from treatise.datasets import Games
from treatise.ranking import _plots


class SkillBeliefs(BaseEstimator, ABC):
    """Gaussian belief about every player's skill.

    A concrete class says how likely one team beats another (``_chance``), and has the parameters ``mu`` and ``sigma``
    of a new player or overrides ``_newcomers``.

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
    """

    # What serves speed alone, and is made again after loading.
    _made_again: tuple[str, ...] = ("_rows_by_name",)

    @abstractmethod
    def _chance(self, lead, variance, other_variance):
        """Probability that a team whose mean exceeds the other's by ``lead`` wins."""

    def _newcomers(self, names):
        """Means and variances of players who have not played."""
        return np.full(len(names), float(self.mu)), np.full(len(names), float(self.sigma) ** 2)

    def _rows(self):
        """Row of each name; kept between calls, rebuilt after loading."""
        if not hasattr(self, "_rows_by_name"):
            self._rows_by_name = {name: row for row, name in enumerate(getattr(self, "players_", []))}
        return self._rows_by_name

    @property
    def sigma_(self):
        """Standard deviation of each player's skill."""
        return np.sqrt(self.variance_)

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

    def _invariants(self):
        n_players = len(self.players_)
        yield (
            "players have names, all different",
            all_alike(self.players_, str, Integral) and (len(set(self.players_)) == n_players),
        )
        for name, kind in (("mu_", np.float64), ("variance_", np.float64), ("n_games_", np.int64)):
            yield f"{name} has a number for each player", is_array(getattr(self, name), kind, n_players)
        # Not stored, but what is stored nevertheless would be taken.
        yield "rows of players follow from their names", not set(self._made_again) & set(vars(self))

    def __getstate__(self):
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name not in self._made_again}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags
