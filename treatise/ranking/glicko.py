"""Glicko ratings, updated after every game (Glickman 1999; Weng & Lin, JMLR 12:267, Algorithm 5)."""

from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval

from treatise._core.invariants import within
from treatise._core.magnitudes import LARGEST_NUMBER
from treatise.ranking._duel_loops import attenuation, glicko_games, win_chance
from treatise.ranking._rater import Rater, duels


class GlickoRater(Rater):
    """Glicko ratings of two-player games: Elo with an uncertainty that shrinks as a player plays.

    Use it for duels where Glicko's familiar scale is wanted. It rates no teams and no larger games
    (:class:`OnlineRater` does), and treats each game as a rating period of its own, where Glickman's system
    gathers five to ten games of each player. A pass costs O(1) a game.

    Parameters
    ----------
    mu : float, default=1500
        Rating of a new player.
    sigma : float, default=350
        Standard deviation of a new player's rating.

    Attributes
    ----------
    players_, mu_, variance_, sigma_, n_games_, n_pairs_, n_errors_
        As of :class:`OnlineRater`.

    References
    ----------
    .. [1] R. C. Weng and C.-J. Lin. A Bayesian approximation method for online ranking. JMLR 12:267-300, 2011.
       Section 5, Algorithm 5.

    Examples
    --------
    >>> from treatise.ranking import GlickoRater
    >>> rater = GlickoRater().fit([([["ann"], ["bob"]], [1, 2])])
    >>> rater.mu_.round(1), rater.sigma_.round(1)
    (array([1662.2, 1337.8]), array([290.2, 290.2]))
    """

    _parameter_constraints = {
        "mu": [Interval(Real, None, None, closed="neither")],
        "sigma": [Interval(Real, 0, LARGEST_NUMBER, closed="neither")],
    }

    def __init__(self, *, mu=1500.0, sigma=350.0):
        self.mu = mu
        self.sigma = sigma

    def _revise(self, games, players, mean, variance, played, wrong, pairs):
        glicko_games(players, duels(games).ranks, mean, variance, played, wrong, pairs)

    def _invariants(self):
        yield "variances are above zero", within(self.variance_, np.finfo(float).tiny, np.inf)

    def _chance(self, lead, variance, other_variance):
        # Glickman's expected outcome when both ratings are uncertain.
        return win_chance(lead, attenuation(variance + other_variance))
