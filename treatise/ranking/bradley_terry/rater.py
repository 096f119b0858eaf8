"""Ratings from a whole log at once, by the Bradley-Terry model and Plackett and Luce's for larger games."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy.special import expit
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval

from treatise._core.invariants import is_number
from treatise.datasets import Games
from treatise.ranking._beliefs import SkillBeliefs
from treatise.ranking.bradley_terry._posterior import choices_of_games, skill_posterior

LOGIT = 400.0 / np.log(10.0)
"""Points of Elo's scale that make one unit of log-odds: 400 points are odds of ten to one."""


class BradleyTerryRater(SkillBeliefs):
    """Ratings of players from a whole log of games, with intervals that hold.

    Every player has one skill for all of the log; a team's is the sum, and the order of the teams of a game comes about
    by choosing the best with probability proportional to exp(skill), then the best of the rest. A draw counts as half a
    win each way, and as more sure than a win. Skills have a normal prior, averaged over the spreads that the log makes
    probable, so that a player of few games is not taken for a champion. Use it for a season or a tournament, where
    each player's level may be taken as constant: no game is worth more for being the last. Where skills drift, or games
    come in one by one, use :class:`OnlineRater`; dates play no part here, and neither do margins nor the home side.

    Newton's method at some 16 spreads: O(games) a step and O(players^3) up to 2000 players; beyond them steps and
    intervals (from 200 draws) take some dozens of passes over the pairs that met.

    Parameters
    ----------
    mu : float, default=1500
        Mean of all ratings.
    spread : float or None, default=None
        Standard deviation of the skills over the players, in rating points; None learns it.
    max_iter : int, default=100
        Newton's steps at most, at each spread.
    random_state : int or None, default=0
        Seed of the draws beyond 2000 players.

    Attributes
    ----------
    players_ : list of str and int
        Names, in the order of the arrays below.
    mu_, variance_, sigma_ : ndarray of shape (n_players,)
        Rating of each player, and how sure it is. Ratings have the mean ``mu``; 400 points are odds of ten to one.
    n_games_ : ndarray of int of shape (n_players,)
        Games that each player has played.
    spread_ : float
        Standard deviation of the skills, in rating points.
    dispersion_ : float
        Variance of a result as a share of a coin's; below one where duels were drawn.
    islands_ : ndarray of int of shape (n_players,)
        Players of different numbers never met, nor through others: only the prior compares them.
    converged_ : bool
        Whether Newton's method came to rest at every spread that counts.
    n_iter_ : int
        Newton's steps, the most at any of them.

    References
    ----------
    .. [1] R. A. Bradley and M. E. Terry. Rank analysis of incomplete block designs. Biometrika 39:324-345, 1952; with
       the average over spreads of H. Rue, S. Martino and N. Chopin. Approximate Bayesian inference for latent Gaussian
       models. JRSS B 71:319-392, 2009.

    Examples
    --------
    >>> from treatise.ranking import BradleyTerryRater
    >>> rater = BradleyTerryRater().fit([([["ann"], ["bob"]], [1, 2]), ([["ann", "bob"], ["cy", "dee"]], [1, 2])])
    >>> rater.leaderboard()["player"].to_list()[:1]
    ['ann']
    >>> rater.predict_win_proba(["ann"], ["cy"]) > 0.5
    True
    """

    _parameter_constraints = {
        "mu": [Interval(Real, None, None, closed="neither")],
        "spread": [Interval(Real, 0, None, closed="neither"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": [Interval(Integral, 0, None, closed="left"), None],
    }

    def __init__(self, *, mu=1500.0, spread=None, max_iter=100, random_state=0):
        self.mu = mu
        self.spread = spread
        self.max_iter = max_iter
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, games):
        """Learn from a log of games; their order plays no part.

        Parameters
        ----------
        games : Games, list of (teams, ranks), data frame, or tuple of flat arrays
            The log; see :meth:`treatise.datasets.Games.of`.

        Returns
        -------
        self : object
        """
        games = Games.of(games)
        if not len(games):
            raise ValueError("there is no game to learn from")
        spread = None if self.spread is None else self.spread / LOGIT
        found = skill_posterior(games, spread, self.random_state, self.max_iter)
        self.players_ = list(games.names)
        self.mu_, self.variance_ = self.mu + LOGIT * found.mean, (LOGIT * found.deviation) ** 2
        self.n_games_ = np.bincount(games.players, minlength=games.n_players)
        self.spread_, self.dispersion_ = LOGIT * found.spread, found.dispersion
        self.islands_ = choices_of_games(games).islands().astype(np.int64)
        self.converged_, self.n_iter_ = found.converged, found.n_iter
        self.__dict__.pop("_rows_by_name", None)
        _tell(found)
        return self

    def draw_ratings(self, games, n_draws=1000, *, random_state=None):
        """Ratings drawn from what a log leaves open, for statements about several players at once.

        Parameters
        ----------
        games : Games, list of (teams, ranks), data frame, or tuple of flat arrays
            The log; nothing of it is kept.
        n_draws : int, default=1000
            How many.
        random_state : int, Generator or None, default=None
            Seed.

        Returns
        -------
        ratings : ndarray of shape (n_draws, n_players)
            Players in the order of the log's names.
        """
        spread = None if self.spread is None else self.spread / LOGIT
        found = skill_posterior(Games.of(games), spread, self.random_state, self.max_iter)
        _tell(found)
        return self.mu + LOGIT * found.draws(n_draws, np.random.default_rng(random_state))

    def _newcomers(self, names):
        spread = getattr(self, "spread_", self.spread or LOGIT)
        return np.full(len(names), float(self.mu)), np.full(len(names), float(spread) ** 2)

    def _chance(self, lead, variance, other_variance):
        # A logistic curve blurred by a normal distribution is nearly a wider logistic curve.
        blur = np.sqrt(1.0 + np.pi / 8.0 * (variance + other_variance) / LOGIT**2)
        return expit(lead / LOGIT / blur)

    def _invariants(self):
        yield "spread_ is a positive number", is_number(self.spread_) and self.spread_ > 0


def _tell(found):
    """Warn of skills that Newton's steps left on their way."""
    if not found.converged:
        warnings.warn(
            f"skills still moved after {found.n_iter} of Newton's steps; raise max_iter",
            ConvergenceWarning,
            stacklevel=3,
        )
