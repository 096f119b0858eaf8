"""Ratings of players from the order and the scores of teams."""

from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm

from treatise.datasets import Games
from treatise.graphical import CumulativeTeamRating

MEAN, SPREAD, NOISE, CORRELATION = 10.0, 4.0, 0.6, -0.3


def duels(n_games, generator):
    """Duels of fifty players with skills N(25, 8²); the scores made are the performances, with a noise of 4."""
    skill = generator.normal(25, 8, 50)
    pairs = np.array([generator.choice(50, 2, replace=False) for _ in range(n_games)])
    made = skill[pairs] + 4 * generator.normal(size=pairs.shape)
    ranks = np.where(made[:, :1] > made[:, 1:], [[1, 2]], [[2, 1]])
    seats = np.arange(2 * n_games + 1)
    return Games(pairs.ravel(), seats, seats[::2], ranks.ravel(), list(range(50)), scores=made.ravel())


@pytest.mark.parametrize(("with_scores", "most"), [(False, 0.22), (True, 0.21)])
def test_ratings_order_simulated_players(with_scores, most):
    games = duels(1500, np.random.default_rng(6))
    if not with_scores:
        games = Games(games.players, games.team_ptr, games.game_ptr, games.ranks, games.names)
    wrong, pairs = CumulativeTeamRating(25.0, 8.0).progressive_counts(games)
    # Chance is one half; the best possible with these skills and noises about 0.15; three standard errors are 0.04.
    assert wrong[1000:].sum() / pairs[1000:].sum() < most


def test_the_papers_rule_falls_behind_the_rule_of_skills():
    games = duels(800, np.random.default_rng(6))
    papers = CumulativeTeamRating(25.0, 8.0, 0.5, rule="paper").progressive_error(games)
    assert CumulativeTeamRating(25.0, 8.0).progressive_error(games) + 0.05 < papers < 0.45


def test_skills_are_the_posterior_of_two_players():
    """One duel with scores, by sums over the other player's score on a grid of its own."""
    rating = CumulativeTeamRating(MEAN, SPREAD, NOISE, score_noise=2.0, n_grid=401)
    rating.update([["loser"], ["winner"]], scores=[[7.0], [15.0]])
    grid = rating.grid
    prior = norm.pdf(grid, MEAN, SPREAD)
    won = norm.cdf(np.subtract.outer(grid, grid) / (np.sqrt(2) * NOISE * SPREAD)) @ (prior / prior.sum())
    for name, chance, made in (("winner", won, 15.0), ("loser", 1 - won, 7.0)):
        density = prior * chance * norm.pdf(made, grid, 2.0 * SPREAD)
        expected = np.cumsum(density) / density.sum()
        # The first belief of the rival is normal, so that his moments say all; the grid has cells of 0.1.
        np.testing.assert_allclose(rating.distribution(name), expected, atol=1e-4)


def test_strong_rivals_and_own_scores_count():
    rating = CumulativeTeamRating(MEAN, SPREAD)
    for _ in range(10):
        rating.update([["weak"], ["strong"]])
    rating.update([["strong"], ["beats strong"]])
    rating.update([["weak"], ["beats weak"]])
    assert rating.score("beats strong") > rating.score("beats weak") + 1
    rating.update([["x"], ["scores much"]], scores=[[2], [20]])
    rating.update([["y"], ["scores little"]], scores=[[2], [3]])
    assert rating.score("scores much") > rating.score("scores little")


def test_units_and_the_order_of_the_list_change_nothing():
    generator = np.random.default_rng(3)
    plain, scaled = CumulativeTeamRating(MEAN, SPREAD), CumulativeTeamRating(3 * MEAN, 3 * SPREAD)
    for _ in range(20):
        players = generator.permutation(6).tolist()
        teams, ranks = [players[:1], players[1:3], players[3:]], (1 + generator.permutation(3)).tolist()
        made = [generator.normal(MEAN, SPREAD, len(team)) for team in teams]
        plain.update(teams, ranks=ranks, scores=made)
        turned = [2, 0, 1]
        scaled.update(
            [teams[t] for t in turned], ranks=[ranks[t] for t in turned], scores=[3 * made[t] for t in turned]
        )
    scores = [plain.score(player) for player in range(6)]
    assert np.ptp(scores) > 1
    np.testing.assert_allclose([scaled.score(player) for player in range(6)], 3 * np.array(scores), rtol=1e-9)


def test_a_draw_pulls_two_players_together():
    rating = CumulativeTeamRating(MEAN, SPREAD)
    for _ in range(5):
        rating.update([["a"], ["b"]])
    before = rating.score("b") - rating.score("a")
    rating.update([["a"], ["b"]], ranks=[1, 1])
    assert 0 < rating.score("b") - rating.score("a") < before


def _ends(sizes):
    size = np.mean(sizes)
    cuts = norm.ppf(np.arange(1, len(sizes)) / len(sizes))
    return [-np.inf, *(size * MEAN + SPREAD * np.sqrt(size + NOISE**2) * cuts), np.inf]


def _below(end, known):
    """Chance that the performance ends below ``end``, given the sum of the latent scores."""
    return norm.cdf(end, known, NOISE * SPREAD)


def test_the_papers_message_is_the_conditional_distribution_given_the_others_scores():
    """Differences in the places and derivatives in the scores of the others, written out for teams of 1, 2 and 1."""
    teams, made = [["a"], ["b", "c"], ["d"]], {"a": 9.0, "c": 12.0, "d": 8.0}
    rating = CumulativeTeamRating(MEAN, SPREAD, NOISE, CORRELATION, rule="paper", n_grid=301)
    rating.update(teams, scores=[[made["a"]], [11.0, made["c"]], [made["d"]]])
    ends = _ends([1, 2, 1])
    link = multivariate_normal([0, 0], NOISE**2 * np.array([[1, CORRELATION], [CORRELATION, 1]]))

    def latent(u):
        return norm.pdf(u, MEAN, SPREAD)

    def skill(player):
        """First skill of a player at his score: distribution and density."""
        return norm.cdf(made[player], MEAN, SPREAD), latent(made[player])

    def alone(player, end):
        """Derivative of s(x) g(x, r) in the score of a lone player."""
        x, (s, ds) = made[player], skill(player)
        inside = quad(lambda u: latent(u) * _below(end, u), MEAN - 8 * SPREAD, x)[0]
        return s * latent(x) * _below(end, x) + ds * inside

    def with_mate(b, end):
        """Density of b's latent score in the derivative of s(c) g(b, c, r) in the score of c."""
        x, (s, ds) = made["c"], skill("c")
        inside = quad(lambda u: latent(u) * _below(end, b + u), MEAN - 8 * SPREAD, x)[0]
        return latent(b) * (s * latent(x) * _below(end, b + x) + ds * inside)

    grid = np.linspace(MEAN - 6 * SPREAD, MEAN + 6 * SPREAD, 121)
    density = np.zeros(len(grid))
    lone = {(n, end): alone("ad"[n > 0], ends[end]) for n in (0, 2) for end in (n, n + 1)}
    mate = {end: np.array([with_mate(b, ends[end]) for b in grid]) for end in (1, 2)}
    for back in product((0, 1), repeat=3):
        at = [n + 1 - b for n, b in enumerate(back)]
        weight = link.cdf([at[0] - 1, at[1] - 2]) * link.cdf([at[1] - 2, at[2] - 3])
        density += (-1) ** sum(back) * weight * lone[0, at[0]] * lone[2, at[2]] * mate[at[1]]
    message = np.cumsum((density[1:] + density[:-1]) / 2)
    expected = norm.cdf(grid[1:], MEAN, SPREAD) * message / message[-1]
    # Cells of 0.4 here and 0.1 there; a score seen is shared by two cells.
    np.testing.assert_allclose(np.interp(grid[1:], rating.grid, rating.distribution("b")), expected, atol=2e-3)


def test_in_duels_the_papers_message_ignores_the_rivals_score_and_strength():
    """The reason why the paper's rating cannot tell rivals apart; among three teams it can."""
    made = {}
    for score in (5.0, 14.0):
        for games in (0, 7):
            rating = CumulativeTeamRating(MEAN, SPREAD, 2.0, CORRELATION, rule="paper")
            for _ in range(games):
                rating.update([["other"], ["rival"]])
            rating.update([["rival"], ["won"]], scores=[[score], [10.0]])
            rating.update([["lost"], ["rival"]], scores=[[10.0], [score]])
            rating.update([["last"], ["rival"], ["first"]], scores=[[10.0], [score], [12.0]])
            made[score, games] = [rating.distribution(name) for name in ("won", "lost", "first")]
    for results in list(made.values())[1:]:
        for player in (0, 1):
            np.testing.assert_allclose(results[player], made[5.0, 0][player], atol=1e-9)
    assert np.abs(made[14.0, 0][2] - made[5.0, 0][2]).max() > 1e-4


def test_open_scores_are_the_limit_of_the_papers_message():
    """Every sum over places written out: differences of the joint distribution of one score and all places."""
    teams = [["a"], ["b", "c"], ["d"]]
    rating = CumulativeTeamRating(MEAN, SPREAD, NOISE, CORRELATION, rule="paper", n_grid=7)
    rating.update(teams)
    ends = _ends([1, 2, 1])
    link = multivariate_normal([0, 0], NOISE**2 * np.array([[1, CORRELATION], [CORRELATION, 1]]))

    def joint(x, scored, places):
        """g h g h g with the other scores at infinity; place 0 is below all."""
        value = link.cdf([places[0] - 1, places[1] - 2]) * link.cdf([places[1] - 2, places[2] - 3])
        for n, team in enumerate(teams):
            end, total = ends[places[n]], len(team) * MEAN
            sd = SPREAD * np.sqrt(len(team) + NOISE**2)
            if np.isneginf(end):
                return 0.0
            # A finite stand-in for the end of the last place.
            end = min(end, total + 12 * sd)
            if n == scored:
                covariance = [[SPREAD**2, SPREAD**2], [SPREAD**2, sd**2]]
                value *= multivariate_normal([MEAN, total], covariance).cdf([x, end])
            else:
                value *= norm.cdf(end, total, sd)
        return value

    def difference(x, scored):
        return sum(
            (-1) ** sum(back) * joint(x, scored, [n + 1 - b for n, b in enumerate(back)])
            for back in product((0, 1), repeat=3)
        )

    first = norm.cdf(rating.grid, MEAN, SPREAD)
    for n, player in enumerate(["a", "b", "d"]):
        expected = [difference(x, n) / difference(MEAN + 12 * SPREAD, n) for x in rating.grid]
        # Forty points to a spread: errors of the order of the square of a fortieth.
        np.testing.assert_allclose(rating.distribution(player), first * expected, atol=2e-4)
    np.testing.assert_allclose(rating.distribution("b"), rating.distribution("c"), atol=1e-12)


def test_cutpoints_lie_between_the_scores_of_places():
    generator = np.random.default_rng(7)
    games = np.sort(generator.normal(size=(300, 3)), axis=1) + [0, 2, 4]
    rating = CumulativeTeamRating(0.0, 1.0, 0.5, rule="paper").fit_cutpoints(games)
    low, high = rating._cutpoints[3]
    assert games[:, 0].mean() < low < games[:, 1].mean() < high < games[:, 2].mean()


def test_mean_and_spread_come_from_scores():
    rating = CumulativeTeamRating.for_scores([1.0, 3.0, 5.0], n_grid=11)
    assert (rating.mean, rating.spread) == (3.0, pytest.approx(np.std([1, 3, 5]) / 2))
    for scores in ([], [2.0, 2.0], [1.0, np.nan]):
        with pytest.raises(ValueError, match="finite numbers that are not all the same"):
            CumulativeTeamRating.for_scores(scores)


def test_bad_games_are_refused():
    rating = CumulativeTeamRating(0, 1, 1)
    with pytest.raises(ValueError, match="two or more teams"):
        rating.update([["a"]])
    with pytest.raises(ValueError, match="3 ranks for 2 teams"):
        rating.update([["a"], ["b"]], ranks=[1, 2, 3])
    with pytest.raises(ValueError, match="one number for every player"):
        rating.update([["a"], ["b"]], scores=[[1.0], [2.0, 3.0]])
    with pytest.raises(ValueError, match="a score is nan"):
        rating.update([["a"], ["b"]], scores=[[1.0], [np.nan]])
    assert rating.score("a") == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(ValueError, match="n_grid=1"):
        CumulativeTeamRating(0, 1, 1, n_grid=1)
    with pytest.raises(ValueError, match="noise=-1"):
        CumulativeTeamRating(0, 1, -1)
    with pytest.raises(ValueError, match="rule='best'"):
        CumulativeTeamRating(0, 1, rule="best")
    for games in ([], [[1.0]], [[1.0, 2.0], [1.0, 2.0, 3.0]]):
        with pytest.raises(ValueError, match="two or more teams"):
            CumulativeTeamRating(0, 1, 1).fit_cutpoints(games)
