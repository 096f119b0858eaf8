"""Ratings of players from the order of teams, by a cumulative distribution network (Huang & Frey, JMLR 12:301)."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import ndtr, ndtri

from treatise.statistics import bivariate_normal_cdf


class CumulativeTeamRating:
    """Learns the score distribution of every player from games of ordered teams.

    A player's score has a cumulative distribution kept on a grid; a game multiplies it by the message that its team's
    place sends: of the joint distribution of the player's score and the team's place, the difference in the place that
    was taken, weighed by what the neighbouring teams say. The order of a new game is predicted from the sums of the
    players' likeliest scores. Meant for games with scores of known spread; on plain wins and losses the ratings of
    :mod:`treatise.ranking` are faster.

    Parameters
    ----------
    mean, spread : float
        Mean and standard deviation of a player's first score distribution (mu and beta).
    noise : float
        Standard deviation of a performance around the score (sigma), as a share of ``spread``.
    correlation : float, default=-0.5
        Between the places of neighbouring teams (rho), negative: they push each other apart.
    n_grid : int, default=200
        Points of the grid of scores, over five spreads on either side of the mean.

    Examples
    --------
    >>> from treatise.graphical import CumulativeTeamRating
    >>> rating = CumulativeTeamRating(25.0, 8.0, 0.5)
    >>> for _ in range(20):
    ...     rating.update([["loser"], ["winner"]])
    >>> rating.score("winner") > rating.score("loser")
    True

    References
    ----------
    .. [1] Paper v12-0301, Section 4 and Appendix A.
    """

    def __init__(self, mean, spread, noise, correlation=-0.5, *, n_grid=200):
        if not (spread > 0 and noise > 0 and -1 < correlation < 1):
            raise ValueError("spread and noise must be positive and the correlation between -1 and 1")
        self.mean, self.spread, self.noise, self.correlation = mean, spread, noise, correlation
        self.grid = mean + spread * np.linspace(-5.0, 5.0, n_grid)
        self._log_cdf: dict = {}
        self._cutpoints: dict = {}

    def fit_cutpoints(self, games):
        """Set the scores that separate the places, from games with known team scores.

        Parameters
        ----------
        games : list of list of float
            Scores of the teams of each game, all games with the same number of teams.

        Returns
        -------
        self : CumulativeTeamRating
        """
        scores = np.sort(np.asarray(games, np.float64), axis=1)
        n_teams = scores.shape[1]
        places = np.tile(np.arange(n_teams), len(scores))
        flat = scores.ravel()
        start = np.concatenate([[np.quantile(flat, 1 / n_teams)], np.full(n_teams - 2, np.log(flat.std() + 1e-9))])

        def cost(parameters):
            cuts = np.concatenate([[-np.inf], _increasing(parameters[:-1]), [np.inf]])
            width = np.exp(parameters[-1])
            # The sign that the paper's Appendix A.2 prints swapped: the place lies between two cuts.
            p = ndtr((cuts[places + 1] - flat) / width) - ndtr((cuts[places] - flat) / width)
            return -np.log(np.maximum(p, 1e-300)).mean()

        best = minimize(
            cost, np.append(start, np.log(flat.std() + 1e-9)), method="Nelder-Mead", options={"maxiter": 2000}
        )
        self._cutpoints[n_teams] = _increasing(best.x[:-1])
        return self

    def _cuts(self, n_teams, team_size):
        """Scores of teams that separate their places; without data, those of equally likely places."""
        if n_teams in self._cutpoints:
            return self._cutpoints[n_teams]
        shares = np.arange(1, n_teams) / n_teams
        spread = np.sqrt(team_size) * self.spread * np.sqrt(1 + self.noise**2)
        return team_size * self.mean + spread * ndtri(shares)

    def update(self, teams):
        """Take in one game.

        Parameters
        ----------
        teams : list of list of names
            The players of each team, the last team first in the list, the winners at its end.
        """
        n_teams = len(teams)
        if n_teams < 2 or not all(teams):
            raise ValueError("a game needs two or more teams with players")
        cuts = np.concatenate([self._cuts(n_teams, np.mean([len(team) for team in teams])), [np.inf]])
        # Two values count for every team: its place, and the one before with a minus sign (a difference).
        upper = [np.array([cuts[place], cuts[place - 1] if place else -np.inf]) for place in range(n_teams)]
        alone = [self._team_cdf(team, ends) for team, ends in zip(teams, upper)]
        for place, team in enumerate(teams):
            around = self._neighbours(alone, place) * [1.0, -1.0]
            for player in team:
                message = sum(w * self._player_and_team(len(team), end) for w, end in zip(around, upper[place]))
                limit = float(around @ alone[place])
                if limit > 1e-300:
                    shares = np.clip(message / limit, 1e-12, 1.0)
                    self._log_cdf[player] = self._log(player) + np.log(np.maximum.accumulate(shares))

    def _team_cdf(self, team, ends):
        size = len(team)
        sd = self.spread * np.sqrt(size + self.noise**2)
        return ndtr((ends - size * self.mean) / sd)

    def _player_and_team(self, size, end):
        """Joint distribution of a player's score, on the grid, and of the team's performance at one end."""
        z = (self.grid - self.mean) / self.spread
        total = np.sqrt(size + self.noise**2)
        if np.isneginf(end):
            return np.zeros(len(z))
        return bivariate_normal_cdf(z, (end - size * self.mean) / (self.spread * total), 1.0 / total)

    def _neighbours(self, alone, place):
        """What the other teams say of a team's place: sums over their two values along the chain, from both ends."""

        def pair(low):
            values = np.array([low, low - 1])
            return bivariate_normal_cdf(
                (values - low)[:, None].astype(float), (values + 1 - low - 1)[None, :].astype(float), self.correlation
            )

        signs = np.array([1.0, -1.0])
        below, above = np.ones(2), np.ones(2)
        for other in range(place):
            below = (below * alone[other] * signs) @ pair(other)
        for other in range(len(alone) - 1, place, -1):
            above = pair(other - 1) @ (above * alone[other] * signs)
        return below * above

    def _log(self, player):
        if player not in self._log_cdf:
            self._log_cdf[player] = np.log(np.maximum(ndtr((self.grid - self.mean) / self.spread), 1e-300))
        return self._log_cdf[player]

    def score(self, player):
        """The player's likeliest score, where the distribution rises fastest.

        Parameters
        ----------
        player : name
            A player, new or known.

        Returns
        -------
        score : float
        """
        log_cdf = self._log(player)
        rises = np.diff(np.exp(log_cdf - log_cdf[-1]))
        at = int(np.argmax(rises))
        return float((self.grid[at] + self.grid[at + 1]) / 2)

    def predict(self, teams):
        """Order of the teams of a game, the expected last first.

        Parameters
        ----------
        teams : list of list of names
            Players of each team.

        Returns
        -------
        order : ndarray of int
            Positions in ``teams``.
        """
        return np.argsort([sum(self.score(player) for player in team) for team in teams], kind="stable")

    def progressive_error(self, games):
        """Share of pairs of teams that are put in the wrong order before each game is taken in.

        Parameters
        ----------
        games : Games
            A log; games with tied teams are passed over.

        Returns
        -------
        error : float
        """
        wrong, pairs = 0, 0
        for number in range(len(games)):
            teams, ranks = games[number]
            order = np.argsort([-rank for rank in ranks], kind="stable")
            if len(set(ranks)) < len(ranks):
                continue
            teams = [teams[position] for position in order]
            totals = [sum(self.score(player) for player in team) for team in teams]
            for low in range(len(teams)):
                for high in range(low + 1, len(teams)):
                    pairs += 1
                    # Equal totals are a toss-up.
                    wrong += 0.5 if totals[low] == totals[high] else float(totals[low] > totals[high])
            self.update(teams)
        return wrong / max(pairs, 1)


def _increasing(parameters):
    return np.concatenate([parameters[:1], parameters[0] + np.cumsum(np.exp(parameters[1:]))])
