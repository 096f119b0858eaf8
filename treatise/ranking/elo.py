"""Elo ratings (Elo 1986; Weng & Lin, JMLR 12:267, Equation 6)."""

from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval

from treatise.ranking._duel_loops import elo_games, win_chance
from treatise.ranking._rater import Rater, duels


class EloRater(Rater):
    """Elo ratings of two-player games: a fixed step towards each result.

    The baseline that everybody knows. It keeps no uncertainty, so a newcomer moves as slowly as a veteran;
    prefer :class:`OnlineRater` or :class:`GlickoRater` where players come and go, and the former for teams.
    A pass costs O(1) a game.

    Parameters
    ----------
    mu : float, default=1500
        Rating of a new player.
    k_factor : float, default=32
        Size of the step K.

    Attributes
    ----------
    players_, mu_, variance_, sigma_, n_games_, n_pairs_, n_errors_
        As of :class:`OnlineRater`; variance_ and sigma_ are zero.

    References
    ----------
    .. [1] R. C. Weng and C.-J. Lin. A Bayesian approximation method for online ranking. JMLR 12:267-300, 2011.
       Equation 6 and Section 3.5.

    Examples
    --------
    >>> from treatise.ranking import EloRater
    >>> EloRater().fit([([["ann"], ["bob"]], [1, 2])]).mu_
    array([1516., 1484.])
    """

    _parameter_constraints = {
        "mu": [Interval(Real, None, None, closed="neither")],
        "k_factor": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(self, *, mu=1500.0, k_factor=32.0):
        self.mu = mu
        self.k_factor = k_factor

    def _newcomers(self, names):
        return np.full(len(names), float(self.mu)), np.zeros(len(names))

    def _revise(self, games, players, mean, variance, played, wrong, pairs):
        elo_games(players, duels(games).ranks, mean, played, wrong, pairs, float(self.k_factor))

    def _chance(self, lead, variance, other_variance):
        return win_chance(lead, 1.0)
