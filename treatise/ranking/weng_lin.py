"""Bayesian online ranking of teams and players (Weng & Lin, JMLR 12:267)."""

import math
from collections.abc import Mapping
from numbers import Real

import numpy as np
from scipy.special import expit, ndtr
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.magnitudes import LARGEST_NUMBER
from treatise.ranking._rater import Rater
from treatise.ranking._weng_lin_loops import (
    BRADLEY_TERRY,
    CONSTANT,
    ONE_OVER_K,
    PLACKETT_LUCE,
    SIGMA_OVER_C,
    THURSTONE_MOSTELLER,
    rate_games,
)

_LIKELIHOODS = {"bt": BRADLEY_TERRY, "tm": THURSTONE_MOSTELLER, "pl": PLACKETT_LUCE}
_GAMMA_RULES = {"sigma/c": SIGMA_OVER_C, "1/k": ONE_OVER_K}


class OnlineRater(Rater):
    """Skill ratings for games with any number of teams, players and ties, updated in closed form.

    Every player has a Gaussian skill; a team's skill is the sum. After each game the likelihood of the ranking
    (Bradley-Terry, Thurstone-Mosteller or Plackett-Luce) shifts means and shrinks variances by formulas, with
    no inner iteration. Use it to rate players in a league, a ladder or a matchmaking service, from a whole log
    at once or as games come in. Start with ``"bt_full"``, or with ``"pl"`` where games have dozens of teams;
    the paper advises against the Thurstone-Mosteller models. It is not for skills that drift fast (raise
    ``tau``), nor where the margin of victory or the home side matters: only the ranks are used.

    A pass costs O(k²) for a game of k teams (O(k log k) for the partial models and Plackett-Luce) plus O(players in
    the game): about 10 million duels a second on one core. Memory is 24 bytes a player beyond the names, and
    the log can come in chunks: a call of ``partial_fit`` costs no more with a million players than with ten.

    Parameters
    ----------
    model : {"bt_full", "bt_partial", "tm_full", "tm_partial", "pl"}, default="bt_full"
        Likelihood: Bradley-Terry or Thurstone-Mosteller over all pairs of teams, or over neighbours in rank
        only (tied teams are neighbours in the order given), or Plackett-Luce.
    mu : float, default=25
        Mean skill of a new player.
    sigma : float, default=25/3
        Standard deviation of a new player's skill.
    beta : float, default=25/6
        Standard deviation of a team's performance around its skill.
    kappa : float, default=1e-4
        Least factor by which one game may multiply a variance.
    draw_margin : float, default=0.1
        Thurstone-Mosteller only: performances closer than this are a draw.
    gamma : {"sigma/c", "1/k", "one"} or float, default="sigma/c"
        Factor on the loss of variance: the team's share of the spread of the comparison (Table 2 of the
        paper), one over the number of teams (Table 3), or a constant; "one" is the undamped rule, which for
        two teams and Thurstone-Mosteller equals TrueSkill.
    tau : float, default=0
        Standard deviation that a skill gains before each of its games; not in the paper.
    start : mapping of name to (mean, standard deviation), or None, default=None
        Where known players start, such as those of an earlier season; all others start at ``mu`` and ``sigma``.

    Attributes
    ----------
    players_ : list of str and int
        Names, in the order of the arrays below.
    mu_, variance_, sigma_ : ndarray of shape (n_players,)
        Mean, variance and standard deviation of each skill.
    n_games_ : ndarray of int of shape (n_players,)
        Games that each player has played.
    n_pairs_, n_errors_ : int
        Decided pairs of teams since the second game, and how many were predicted wrongly beforehand.

    References
    ----------
    .. [1] R. C. Weng and C.-J. Lin. A Bayesian approximation method for online ranking. JMLR 12:267-300, 2011.
       Algorithms 1 to 4.

    Examples
    --------
    >>> from treatise.ranking import OnlineRater
    >>> rater = OnlineRater().fit([([["ann"], ["bob"]], [1, 2]), ([["ann", "bob"], ["cy", "dee"]], [1, 2])])
    >>> rater.leaderboard()["player"].to_list()
    ['ann', 'bob', 'cy', 'dee']
    >>> rater.mu_.round(2)
    array([29.5 , 24.23, 23.01, 23.01])
    >>> round(rater.predict_win_proba(["ann"], ["cy"]), 2)
    0.62
    """

    _parameter_constraints = {
        "model": [StrOptions({"bt_full", "bt_partial", "tm_full", "tm_partial", "pl"})],
        "mu": [Interval(Real, None, None, closed="neither")],
        "sigma": [Interval(Real, 0, LARGEST_NUMBER, closed="neither")],
        "beta": [Interval(Real, 0, None, closed="neither")],
        "kappa": [Interval(Real, 0, 1, closed="right")],
        "draw_margin": [Interval(Real, 0, None, closed="left")],
        "gamma": [StrOptions({"sigma/c", "1/k", "one"}), Interval(Real, 0, 1, closed="both")],
        "tau": [Interval(Real, 0, None, closed="left")],
        "start": [Mapping, None],
    }

    def __init__(
        self,
        model="bt_full",
        *,
        mu=25.0,
        sigma=25.0 / 3.0,
        beta=25.0 / 6.0,
        kappa=1e-4,
        draw_margin=0.1,
        gamma="sigma/c",
        tau=0.0,
        start=None,
    ):
        self.model = model
        self.mu = mu
        self.sigma = sigma
        self.beta = beta
        self.kappa = kappa
        self.draw_margin = draw_margin
        self.gamma = gamma
        self.tau = tau
        self.start = start

    def _newcomers(self, names):
        mean, variance = super()._newcomers(names)
        for at, name in enumerate(names if self.start else ()):
            if name in self.start:
                mean[at], deviation = self.start[name]
                if not (math.isfinite(mean[at]) and 0 < deviation < math.inf):
                    raise ValueError(
                        f"start gives {name!r} mean {mean[at]} and standard deviation {deviation}; they must be "
                        "finite, and the latter positive"
                    )
                variance[at] = deviation**2
        return mean, variance

    def _revise(self, games, players, mean, variance, played, wrong, pairs):
        likelihood, _, pairing = self.model.partition("_")
        constant = 1.0 if isinstance(self.gamma, str) else float(self.gamma)
        rate_games(
            players, games.team_ptr, games.game_ptr, games.ranks, mean, variance, played, wrong, pairs,
            _LIKELIHOODS[likelihood], pairing == "partial", _GAMMA_RULES.get(self.gamma, CONSTANT), constant,
            float(self.beta), float(self.kappa), float(self.draw_margin), float(self.tau),
        )  # fmt: skip

    def _chance(self, lead, variance, other_variance):
        standing = lead / math.sqrt(variance + other_variance + 2.0 * self.beta**2)
        return ndtr(standing) if self.model.startswith("tm") else expit(np.float64(standing))
