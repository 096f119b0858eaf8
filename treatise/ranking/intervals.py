"""Intervals of ratings whose coverage holds: judged on simulated leagues with the same schedule of games."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri
from sklearn.base import clone

from treatise.datasets import Games
from treatise.ranking._beliefs import SkillBeliefs
from treatise.ranking.bradley_terry._choices import DENSE
from treatise.ranking.bradley_terry._posterior import skill_posterior
from treatise.ranking.bradley_terry.rater import LOGIT, BradleyTerryRater

DRAWS = 400
"""Draws of all skills that tell places."""
LEAGUES = 200
"""Simulated leagues for a rater of games one by one; half as many at most for one of the whole log."""
SEATS = 1000
"""Players of simulated leagues on whom a rater of the whole log is judged, where so many leagues allow."""


@dataclass(frozen=True)
class RatingIntervals:
    """How sure ratings are, player by player.

    Attributes
    ----------
    low, high : ndarray of shape (n_players,)
        Ends of the interval of each rating, of which the mean over all players is taken as known.
    best, worst : ndarray of int of shape (n_players,) or None
        First and last place that each player may have; for :class:`BradleyTerryRater` alone.
    n_leagues : int
        Simulated leagues on which the intervals were judged; zero where there are too many players for that.
    """

    low: np.ndarray
    high: np.ndarray
    best: np.ndarray | None
    worst: np.ndarray | None
    n_leagues: int


def rating_intervals(rater, games, *, level=0.95, random_state=0):
    """Intervals of the ratings that a log gives, for any rater.

    Leagues with the same schedule are simulated: skills are as spread as the log's, and results come from Bradley and
    Terry's model (Plackett and Luce's for more than two teams), draws as frequent as in the log included. The rater
    rates each league anew, and an interval is as wide as the ratings missed the true skills there: for
    :class:`BradleyTerryRater`, its deviations times one factor for all players; for the raters that take games one by
    one, the quantile of each player's own misses, since their deviations (if they have any) are rules of thumb. So
    the share of intervals that hold is right over all players, and for skills that stay as they are over the log.

    Parameters
    ----------
    rater : BradleyTerryRater, OnlineRater, GlickoRater or EloRater
        Fitted to the games.
    games : Games, list of (teams, ranks), data frame, or tuple of flat arrays
        The log of ``fit``.
    level : float, default=0.95
        Share of the intervals that are to hold the true skill.
    random_state : int or None, default=0
        Seed of the leagues.

    Returns
    -------
    RatingIntervals
        In the order of ``rater.players_``.

    Examples
    --------
    >>> from treatise.datasets import make_ranking_games
    >>> from treatise.ranking import BradleyTerryRater, rating_intervals
    >>> games, skill = make_ranking_games(60, n_players=8, n_teams=2, random_state=0)
    >>> rater = BradleyTerryRater().fit(games)
    >>> found = rating_intervals(rater, games)
    >>> bool(((found.low < rater.mu_) & (rater.mu_ < found.high)).all())
    True
    """
    games = Games.of(games)
    if not 0.0 < level < 1.0:
        raise ValueError(f"level={level} must lie between 0 and 1")
    if not isinstance(rater, SkillBeliefs):
        raise ValueError(f"{type(rater).__name__} is no rater of players")
    if getattr(rater, "players_", None) != list(games.names):
        raise ValueError("these are not the games that the rater was fitted to: their players differ")
    rng = np.random.default_rng(random_state)
    if isinstance(rater, BradleyTerryRater):
        return _of_whole_log(rater, games, level, rng)
    return _of_single_games(rater, games, level, rng)


def _of_whole_log(rater, games, level, rng):
    """The rater's own deviations, times what they fall short of in other leagues."""
    n_players, spread = games.n_players, None if rater.spread is None else rater.spread / LOGIT
    found = skill_posterior(games, spread, 0, rater.max_iter)
    misses = []
    n_leagues = 0 if n_players > DENSE else int(np.clip(-(-SEATS // n_players), 10, LEAGUES // 2))
    for league, skills in _leagues(games, found, n_leagues, rng):
        again = skill_posterior(league, spread, 0, rater.max_iter)
        misses.append(np.abs(again.mean - skills) / again.deviation)
    normal = float(ndtri(0.5 + 0.5 * level))
    factor = np.quantile(np.concatenate(misses), level) if misses else normal
    half = factor * rater.sigma_
    drawn = found.mean + factor / normal * (found.draws(DRAWS, rng) - found.mean)
    places = 1 + np.argsort(np.argsort(-drawn, axis=1), axis=1)
    tails = [0.5 - 0.5 * level, 0.5 + 0.5 * level]
    best, worst = np.quantile(places, tails, axis=0, method="closest_observation").astype(np.int64)
    return RatingIntervals(rater.mu_ - half, rater.mu_ + half, best, worst, n_leagues)


def _of_single_games(rater, games, level, rng):
    """What the ratings of each player missed in other leagues."""
    unit, errors = _logit_of(rater), np.empty((LEAGUES, games.n_players))
    found = skill_posterior(games, None, 0, 100)
    for number, (league, skills) in enumerate(_leagues(games, found, LEAGUES, rng)):
        again = clone(rater).fit(league)
        errors[number] = again.mu_ - again.mu_.mean() - unit * skills
    # The order statistic below which a further draw falls with this probability.
    place = min(int(np.ceil(level * (LEAGUES + 1))), LEAGUES) - 1
    half = np.sort(np.abs(errors), axis=0)[place]
    return RatingIntervals(rater.mu_ - half, rater.mu_ + half, None, None, LEAGUES)


def _leagues(games, found, n_leagues, rng):
    """Logs with the same schedule and the skills behind them, whose spread is one that the log makes probable."""
    for _ in range(n_leagues):
        skills = rng.normal(0.0, rng.choice(found.spreads, p=found.weights), games.n_players)
        yield simulated_results(games, skills, found.dispersion, rng), skills - skills.mean()


def _logit_of(rater):
    """Rating points that make one unit of log-odds between players of known skill."""
    step = 1e-4 * abs(rater.mu) + 1e-6
    return 0.25 / ((rater._chance(step, 0.0, 0.0) - rater._chance(-step, 0.0, 0.0)) / (2.0 * step))


def simulated_results(games, skills, dispersion, rng):
    """The same games with results drawn from skills in logits; duels are drawn as often as the dispersion says."""
    strength = np.add.reduceat(skills[games.players], games.team_ptr[:-1])
    performance = strength + rng.gumbel(size=len(strength))
    game = np.repeat(np.arange(len(games)), np.diff(games.game_ptr))
    order = np.lexsort((-performance, game))
    ranks = np.empty(len(strength), np.int64)
    ranks[order] = np.arange(len(strength)) - games.game_ptr[:-1][game] + 1
    if dispersion < 1.0:
        first = games.game_ptr[:-1]
        chance = 1.0 / (1.0 + np.exp(strength[first + 1] - strength[first]))
        # With mean p and this share of draws a result varies by p (1 - p) times the dispersion.
        drawn = 4.0 * (1.0 - dispersion) * chance * (1.0 - chance)
        toss = rng.random(len(games))
        ranks[first] = np.where(toss < chance + drawn / 2.0, 1, 2)
        ranks[first + 1] = np.where(toss < chance - drawn / 2.0, 2, 1)
    return Games(games.players, games.team_ptr, games.game_ptr, ranks, games.names)
