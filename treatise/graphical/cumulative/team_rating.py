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
    players' likeliest scores. Use it where a distribution of scores is wanted and the spread of scores is known. Not
    where only the order matters: the ratings of :mod:`treatise.ranking` are faster, know draws and the strength of
    opponents, and err less. A game costs ``n_grid`` additions a player, and once for all games of teams of such sizes
    as many normal integrals a team; memory is ``n_grid`` numbers a player.

    Parameters
    ----------
    mean, spread : float
        Mean and standard deviation of a player's first score distribution (mu and beta).
    noise : float
        Standard deviation of a team's performance around the sum of its scores (sigma), as a share of ``spread``; and
        that of a place around its number.
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

    Notes
    -----
    Two departures from the paper. Its latent scores have the standard deviation sigma, the same as the noise; with its
    0.25 around 25 nearly every real score would be impossible, so that they have ``spread`` here. And it conditions a
    player's message on the scores of all the others, through integrals that it estimates by rejection sampling; here
    the others' scores are left open, and what counts is the order of the teams. Limits at infinity then hide how
    strong the others are: players with the same record of places have the same distribution.

    References
    ----------
    .. [1] Paper v12-0301, Section 4 and Appendix A.
    """

    def __init__(self, mean, spread, noise, correlation=-0.5, *, n_grid=200):
        if not (spread > 0 and noise > 0 and -1 < correlation < 1):
            raise ValueError(
                f"spread={spread} and noise={noise} must be positive, and correlation={correlation} between -1 and 1"
            )
        if n_grid < 2:
            raise ValueError(f"n_grid={n_grid} points make no grid; take at least 2")
        self.mean, self.spread, self.noise, self.correlation = mean, spread, noise, correlation
        self.grid = mean + spread * np.linspace(-5.0, 5.0, n_grid)
        self._log_cdf: dict = {}
        self._cutpoints: dict = {}
        self._messages: dict = {}

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
        n_teams = len(games[0]) if len(games) else 0
        if n_teams < 2 or any(len(game) != n_teams for game in games):
            raise ValueError("games must be lists of the scores of two or more teams, the same number in every game")
        scores = np.sort(np.asarray(games, np.float64), axis=1)
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
        self._messages.clear()
        return self

    def _cuts(self, n_teams, team_size):
        """Scores of teams that separate their places; without data, those of equally likely places."""
        if n_teams in self._cutpoints:
            return self._cutpoints[n_teams]
        shares = np.arange(1, n_teams) / n_teams
        spread = self.spread * np.sqrt(team_size + self.noise**2)
        return team_size * self.mean + spread * ndtri(shares)

    def update(self, teams):
        """Take in one game.

        Parameters
        ----------
        teams : list of list of names
            The players of each team, the last team first in the list, the winners at its end.
        """
        if len(teams) < 2 or not all(teams):
            raise ValueError("a game needs two or more teams with players")
        sizes = tuple(len(team) for team in teams)
        if sizes not in self._messages:
            self._messages[sizes] = self._messages_to_players(sizes)
        for team, message in zip(teams, self._messages[sizes]):
            for player in team:
                self._log_cdf[player] = self._log(player) + message

    def _messages_to_players(self, sizes):
        """Logarithm of the factor that a player's distribution gets, for teams of these sizes from last to first.

        Open scores of the others are limits at infinity, so that all players of a team get the same, and all games of
        such teams give it.
        """
        n_teams = len(sizes)
        cuts = np.concatenate([self._cuts(n_teams, np.mean(sizes)), [np.inf]])
        # Two values count for every team: its place, and the one before with a minus sign (a difference).
        upper = [np.array([cuts[place], cuts[place - 1] if place else -np.inf]) for place in range(n_teams)]
        alone = [self._team_cdf(size, ends) for size, ends in zip(sizes, upper)]
        # h_{n,n+1} at a team's own place, which is its mean, and at the place before.
        own_or_before = np.array([0.0, -1.0 / self.noise])
        pair = bivariate_normal_cdf(own_or_before[:, None], own_or_before[None, :], self.correlation)
        messages = []
        for place, size in enumerate(sizes):
            around = _neighbours(alone, place, pair) * [1.0, -1.0]
            limit = float(around @ alone[place])
            if limit <= 1e-300:  # a result that the model holds for impossible teaches it nothing
                messages.append(np.zeros(len(self.grid)))
                continue
            message = sum(w * self._player_and_team(size, end) for w, end in zip(around, upper[place]))
            messages.append(np.log(np.maximum.accumulate(np.clip(message / limit, 1e-12, 1.0))))
        return messages

    def _team_cdf(self, size, ends):
        sd = self.spread * np.sqrt(size + self.noise**2)
        return ndtr((ends - size * self.mean) / sd)

    def _player_and_team(self, size, end):
        """Joint distribution of a player's score, on the grid, and of the team's performance at one end."""
        z = (self.grid - self.mean) / self.spread
        total = np.sqrt(size + self.noise**2)
        if np.isneginf(end):
            return np.zeros(len(z))
        return bivariate_normal_cdf(z, (end - size * self.mean) / (self.spread * total), 1.0 / total)

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
        middle, step = (self.grid[at] + self.grid[at + 1]) / 2, self.grid[1] - self.grid[0]
        if not 0 < at < len(rises) - 1:
            return float(middle)
        # The vertex of the parabola through the highest three: else most players would tie on the grid.
        before, here, after = rises[at - 1 : at + 2]
        bend = before - 2 * here + after
        return float(middle + (0.5 * step * (before - after) / bend if bend < 0 else 0.0))

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
        """Share of pairs of teams that are put in the wrong order, each game before it is taken in.

        Equal sums count as wrong, as in section 4.3 of the paper and in :mod:`treatise.ranking`.

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
            if len(set(ranks)) < len(ranks):
                continue
            order = np.argsort([-rank for rank in ranks], kind="stable")
            teams = [teams[position] for position in order]
            totals = [sum(self.score(player) for player in team) for team in teams]
            for low in range(len(teams)):
                for high in range(low + 1, len(teams)):
                    pairs += 1
                    wrong += totals[low] >= totals[high]
            self.update(teams)
        return wrong / max(pairs, 1)


def _increasing(parameters):
    return np.concatenate([parameters[:1], parameters[0] + np.cumsum(np.exp(parameters[1:]))])


def _neighbours(alone, place, pair):
    """What the other teams say of a team's place: sums over their two values along the chain, from both ends."""
    signs = np.array([1.0, -1.0])
    below, above = np.ones(2), np.ones(2)
    for other in range(place):
        below = (below * alone[other] * signs) @ pair
    for other in range(len(alone) - 1, place, -1):
        above = pair @ (above * alone[other] * signs)
    return below * above
