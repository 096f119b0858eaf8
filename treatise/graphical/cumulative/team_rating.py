"""Ratings of players from the order and the scores of teams (Huang & Frey, JMLR 12:301)."""

import warnings
from numbers import Real

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_ndtr, ndtr, ndtri
from sklearn.exceptions import ConvergenceWarning

from treatise.graphical.cumulative._team_network import TeamNetwork


class CumulativeTeamRating:
    """Learns the score distribution of every player from games of ordered teams.

    A team performs at the sum of its players' scores plus noise, and neighbouring teams are compared. Each player has
    a distribution of scores on a grid. With the rule ``"skills"`` a game multiplies its density by the chance of the
    order that came about, given his score and what is believed of all other players, and by the likelihood of the
    score that he made, where scores are known. The order of a new game is predicted from the sums of the players'
    expected scores. Use it where players have scores of their own, or where a distribution of scores is wanted; where
    only the order is known the ratings of :mod:`treatise.ranking` are as good and a hundred times faster. A game costs
    ``n_grid`` normal integrals a player; memory is ``n_grid`` numbers a player.

    The rule ``"paper"`` is the paper's network: a game multiplies the *cumulative* distribution by the conditional one
    of the player's score, given the places of the teams and the scores of the others. It errs more than a plain win
    rate, for the reasons under Notes.

    Parameters
    ----------
    mean, spread : float
        Mean and standard deviation of a new player's expected score (mu and beta). Half the standard deviation of the
        scores seen is a good spread.
    noise : float, default=1.0
        Standard deviation of a team's performance around the sum of its scores (sigma), as a share of ``spread``; with
        the rule "paper" also that of a place around its number.
    correlation : float, default=-0.5
        Between the places of neighbouring teams (rho), negative: they push each other apart. Rule "paper" only.
    rule : {"skills", "paper"}, default="skills"
        How a game changes what is believed of its players.
    score_noise : float, default=4.0
        Standard deviation of the score made in one game around the expected one, as a share of ``spread``. Rule
        "skills" only.
    n_grid : int, default=100
        Points of the grid of scores, over five spreads on either side of the mean.

    Examples
    --------
    >>> from treatise.graphical import CumulativeTeamRating
    >>> rating = CumulativeTeamRating(25.0, 8.0)
    >>> for _ in range(20):
    ...     rating.update([["loser"], ["winner"]], scores=[[20], [27]])
    >>> rating.score("winner") > rating.score("loser")
    True

    Notes
    -----
    In the network, players of different teams share no function. In a game of two teams the places then fix all that
    the other team can say: whatever its players scored, and however strong they are, the conditional distribution is
    the same, and in duels it depends on the player's numbers of wins and losses alone. Between three or more teams,
    and among team-mates, the scores do count. A product of cumulative distributions is that of the largest of
    independent scores: it rises with every game, won or lost. The rule "skills" keeps the network's teams, noise and
    grid, draws the latent scores of the others from what is believed of them instead of from one distribution for all,
    lets the player's own score count, and multiplies densities.

    The paper's latent scores have the standard deviation sigma, the same as the noise; with its 0.25 around 25 nearly
    every real score would be impossible, so that they have ``spread`` here.

    References
    ----------
    .. [1] Paper v12-0301, Section 4 and Appendix A.
    """

    def __init__(self, mean, spread, noise=1.0, correlation=-0.5, *, rule="skills", score_noise=4.0, n_grid=100):
        if not (spread > 0 and noise > 0 and score_noise > 0 and -1 < correlation < 1):
            raise ValueError(
                f"spread={spread}, noise={noise} and score_noise={score_noise} must be positive, and "
                f"correlation={correlation} between -1 and 1"
            )
        if rule not in ("skills", "paper"):
            raise ValueError(f"rule={rule!r} must be 'skills' or 'paper'")
        if n_grid < 3:
            raise ValueError(f"n_grid={n_grid} points make no grid; take at least 3")
        self.mean, self.spread, self.noise, self.correlation = mean, spread, noise, correlation
        self.rule, self.score_noise = rule, score_noise
        self.grid = mean + spread * np.linspace(-5.0, 5.0, n_grid)
        self._network = TeamNetwork(mean, spread, noise, correlation) if rule == "paper" else None
        z = (self.grid - mean) / spread
        # Of the density with the rule "skills", of the cumulative distribution with "paper".
        self._newcomer = -0.5 * z * z if rule == "skills" else np.log(np.maximum(ndtr(z), 1e-300))
        self._logs: dict = {}
        self._moments: dict = {}
        self._cutpoints: dict = {}
        self._open_messages: dict = {}

    @classmethod
    def for_scores(cls, scores, **options):
        """A rating whose mean and spread suit some scores.

        Parameters
        ----------
        scores : array-like of float
            Scores of players in past games.
        **options
            Other parameters of the class.

        Returns
        -------
        rating : CumulativeTeamRating
        """
        scores = np.asarray(scores, np.float64)
        if not (scores.size and np.isfinite(scores).all() and scores.std() > 0):
            raise ValueError("scores must be finite numbers that are not all the same")
        return cls(float(scores.mean()), float(scores.std() / 2), **options)

    def fit_cutpoints(self, games):
        """Set the scores that separate the places, from games with known team scores (rule "paper").

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
        self._cutpoints[n_teams] = _cutpoints_between_places(np.sort(np.asarray(games, np.float64), axis=1))
        self._open_messages.clear()
        return self

    def update(self, teams, *, ranks=None, scores=None):
        """Take in one game.

        Parameters
        ----------
        teams : list of list of names
            The players of each team; without ranks the last team stands first in the list, the winners at its end.
        ranks : list of int, default=None
            Rank of each team, smaller is better, equal is a tie. The rule "paper" passes over games with ties.
        scores : list of list of float, default=None
            Score of every player, team by team as in ``teams``; None where they are not known.
        """
        if len(teams) < 2 or not all(len(team) for team in teams):
            raise ValueError("a game needs two or more teams with players")
        ranks = list(range(len(teams), 0, -1)) if ranks is None else list(ranks)
        if len(ranks) != len(teams):
            raise ValueError(f"there are {len(ranks)} ranks for {len(teams)} teams; give one a team")
        scores = [[None] * len(team) for team in teams] if scores is None else scores
        if [len(team) for team in teams] != [len(made) for made in scores]:
            raise ValueError("scores must have one number for every player, team by team")
        for made in scores:
            for score in made:
                if score is not None and not (isinstance(score, Real) and np.isfinite(score)):
                    raise ValueError(f"a score is {score!r}; it must be a finite number")
        order = sorted(range(len(teams)), key=lambda team: -ranks[team])
        teams, scores, ranks = ([part[team] for team in order] for part in (teams, scores, ranks))
        rule = self._take_in_skills if self.rule == "skills" else self._take_in_network
        for player, log in rule(teams, scores, ranks):
            self._logs[player] = log
            self._moments.pop(player, None)

    def _take_in_skills(self, teams, scores, ranks):
        """New log-densities: each player's own, times the chance of his team's place beside its neighbours."""
        beliefs = [np.array([self._belief(player) for player in team]) for team in teams]
        totals = [belief.sum(axis=0) for belief in beliefs]
        changed = []
        for n, team in enumerate(teams):
            neighbours = [m for m in (n - 1, n + 1) if 0 <= m < len(teams)]
            for player, belief, made in zip(team, beliefs[n], scores[n]):
                log = self._logs.get(player, self._newcomer)
                for m in neighbours:
                    mean, variance = totals[n] - belief + totals[m] * [-1.0, 1.0]
                    lead = (mean + self.grid) / np.sqrt(variance + 2 * (self.noise * self.spread) ** 2)
                    log = log + _log_chance(lead, ranks[m] - ranks[n])
                if made is not None:
                    log = log - 0.5 * ((made - self.grid) / (self.score_noise * self.spread)) ** 2
                changed.append((player, log - log.max()))
        return changed

    def _take_in_network(self, teams, scores, ranks):
        """New logarithms of cumulative distributions: each player's own, times the network's message to him."""
        if len(set(ranks)) < len(ranks):
            return []
        changed = []
        for team, messages in zip(teams, self._messages(teams, scores)):
            for player, message in zip(team, messages):
                at_grid = np.interp(self.grid, self._network.edges, message)
                log = self._logs.get(player, self._newcomer) + np.log(np.maximum(at_grid, 1e-12))
                changed.append((player, log))
        return changed

    def _messages(self, teams, scores):
        """The network's messages to the players; those of open scores are the same in all games of such teams."""
        measures = [
            [self._measure(player, made) for player, made in zip(team, made_by_team)]
            for team, made_by_team in zip(teams, scores)
        ]
        sizes = tuple(len(team) for team in teams)
        cuts = self._cuts(len(teams), np.mean(sizes))
        if any(made is not None for made_by_team in scores for made in made_by_team):
            return self._network.messages(measures, cuts)
        if sizes not in self._open_messages:
            self._open_messages[sizes] = self._network.messages(measures, cuts)
        return self._open_messages[sizes]

    def _measure(self, player, score):
        if score is None:
            return self._network.open
        log = self._logs.get(player, self._newcomer)
        skill = np.exp(log - log[-1])
        density = np.gradient(skill, self.grid)
        return self._network.seen(score, np.interp(score, self.grid, skill), np.interp(score, self.grid, density))

    def _cuts(self, n_teams, team_size):
        """Scores of teams that separate their places; without data, those of equally likely places."""
        if n_teams in self._cutpoints:
            return self._cutpoints[n_teams]
        shares = np.arange(1, n_teams) / n_teams
        spread = self.spread * np.sqrt(team_size + self.noise**2)
        return team_size * self.mean + spread * ndtri(shares)

    def _belief(self, player):
        """Mean and variance of a player's score, after the rule "skills"."""
        if player not in self._moments:
            log = self._logs.get(player, self._newcomer)
            weights = np.exp(log - log.max())
            weights /= weights.sum()
            mean = weights @ self.grid
            self._moments[player] = mean, weights @ (self.grid - mean) ** 2
        return self._moments[player]

    def score(self, player):
        """The player's expected score; with the rule "paper" his likeliest, where the distribution rises fastest.

        Parameters
        ----------
        player : name
            A player, new or known.

        Returns
        -------
        score : float
        """
        if self.rule == "skills":
            return float(self._belief(player)[0])
        log = self._logs.get(player, self._newcomer)
        return _steepest(self.grid, np.exp(log - log[-1]))

    def distribution(self, player):
        """Cumulative distribution of a player's score on ``grid``.

        Parameters
        ----------
        player : name
            A player, new or known.

        Returns
        -------
        cdf : ndarray of shape (n_grid,)
        """
        log = self._logs.get(player, self._newcomer)
        if self.rule == "paper":
            return np.exp(log - log[-1])
        mass = np.cumsum(np.exp(log - log.max()))
        return mass / mass[-1]

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
            A log; where it has scores, they are taken in.

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
        games : Games
            A log; where it has scores, they are taken in.

        Returns
        -------
        wrong, pairs : ndarray of int of shape (n_games,)
        """
        wrong, pairs = np.zeros((2, len(games)), np.int64)
        for number in range(len(games)):
            teams, ranks = games[number]
            totals = np.array([sum(self.score(player) for player in team) for team in teams])
            better = np.subtract.outer(ranks, ranks) < 0
            pairs[number] = better.sum()
            wrong[number] = (better & ~(np.subtract.outer(totals, totals) > 0)).sum()
            self.update(teams, ranks=ranks, scores=games.scores_of(number))
        return wrong, pairs


def _log_chance(lead, edge):
    """Log-likelihood that a team with these leads ranks before (edge above 0), level with or after another."""
    if edge == 0:  # up to a constant: the density of a lead of nothing
        return -0.5 * lead * lead
    return log_ndtr(lead if edge > 0 else -lead)


def _steepest(grid, cdf):
    """Where a distribution rises fastest, between the points of its grid: else most players would tie on it."""
    rises = np.diff(cdf)
    at = int(np.argmax(rises))
    middle, step = (grid[at] + grid[at + 1]) / 2, grid[1] - grid[0]
    if not 0 < at < len(rises) - 1:
        return float(middle)
    before, here, after = rises[at - 1 : at + 2]
    bend = before - 2 * here + after
    return float(middle + (0.5 * step * (before - after) / bend if bend < 0 else 0.0))


def _cutpoints_between_places(scores):
    """Ordinal probit of places on the scores of teams, which stand sorted in every row (Appendix A.2)."""
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

    start = np.append(start, np.log(flat.std() + 1e-9))
    best = minimize(cost, start, method="Nelder-Mead", options={"maxiter": 2000 * n_teams})
    if not best.success:
        warnings.warn(f"the cut points of {n_teams} places have not settled: {best.message}", ConvergenceWarning, 3)
    return _increasing(best.x[:-1])


def _increasing(parameters):
    return np.concatenate([parameters[:1], parameters[0] + np.cumsum(np.exp(parameters[1:]))])
