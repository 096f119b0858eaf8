"""Ratings of a whole log, and intervals of any rater, on leagues whose skills are known."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning

from treatise.datasets import Games, load_atp
from treatise.io import load_model, save_model
from treatise.ranking import BradleyTerryRater, EloRater, GlickoRater, OnlineRater, rating_intervals
from treatise.ranking.bradley_terry import _choices, _posterior
from treatise.ranking.bradley_terry.rater import LOGIT
from treatise.ranking.intervals import _logit_of, simulated_results


def league(seed, n_players=20, n_games=100, spread=1.0, *, n_teams=2, size=1, dispersion=1.0):
    """Games between players at random, with results from their skills in logits."""
    rng = np.random.default_rng(seed)
    skills = rng.normal(0.0, spread, n_players)
    seats = np.concatenate([rng.choice(n_players, n_teams * size, replace=False) for _ in range(n_games)])
    team_ptr = np.arange(0, len(seats) + 1, size)
    game_ptr = np.arange(0, len(team_ptr), n_teams)
    schedule = Games(seats, team_ptr, game_ptr, np.ones(len(team_ptr) - 1, int), list(range(n_players)))
    return simulated_results(schedule, skills, dispersion, rng), skills


def test_one_duel_gives_the_posterior_of_its_lead():
    """With a known spread the lead has a normal prior of twice its variance, times one logistic factor."""
    rater = BradleyTerryRater(spread=LOGIT).fit([([["ann"], ["bob"]], [1, 2])])
    lead = (rater.mu_[0] - rater.mu_[1]) / LOGIT

    def slope(x):
        return expit(-x) - x / 2.0

    assert slope(lead) == pytest.approx(0.0, abs=1e-7) and rater.mu_.mean() == pytest.approx(1500.0)
    bend = expit(lead) * expit(-lead) + 0.5
    # Around their mean the two vary by half of the lead each.
    assert (rater.sigma_[0] / LOGIT) == pytest.approx(0.5 * bend**-0.5, rel=1e-6)


def test_a_draw_is_half_a_win_each_way_and_surer_than_a_win():
    games = [([["a"], ["b"]], [1, 2]), ([["a"], ["b"]], [2, 1])] * 10
    drawn = [([["a"], ["b"]], [1, 1])] * 20
    wins, draws = BradleyTerryRater().fit(games), BradleyTerryRater().fit(drawn)
    np.testing.assert_allclose(draws.mu_, wins.mu_, atol=1e-6)
    assert draws.dispersion_ < 0.1 < wins.dispersion_ == 1.0 and draws.sigma_[0] < wins.sigma_[0]


@pytest.mark.parametrize("options", [{}, {"n_teams": 3, "size": 2}, {"dispersion": 0.5}])
def test_simulated_results_have_the_chances_of_the_model(options):
    games, skills = league(0, 12, 4000, **options)
    if options.get("n_teams"):
        first = games.ranks[::3] == 1
        strength = np.add.reduceat(skills[games.players], games.team_ptr[:-1]).reshape(-1, 3)
        chance = np.exp(strength[:, 0]) / np.exp(strength).sum(axis=1)
        # The mean over 4000 games errs by less than 0.008.
        assert first.mean() == pytest.approx(chance.mean(), abs=0.025)
        return
    leads = np.where(skills[games.players[::2]] > skills[games.players[1::2]], 1.0, -1.0)
    score = 0.5 + 0.5 * leads * np.sign(games.ranks[1::2] - games.ranks[::2])  # of the better player
    leads = np.abs(skills[games.players[::2]] - skills[games.players[1::2]])
    assert score.mean() == pytest.approx(expit(leads).mean(), abs=0.025)
    variance = np.mean((score - expit(leads)) ** 2) / np.mean(expit(leads) * expit(-leads))
    assert variance == pytest.approx(options.get("dispersion", 1.0), abs=0.06)


def test_evidence_of_a_spread_is_the_integral_over_skills_for_two_players():
    """Of two players only the lead counts: one integral, beside its Laplace approximation."""
    choices = _choices.Duels.of_wins(np.array([[0.0, 6.0], [4.0, 0.0]]))
    values = []
    for width in (0.5, 1.0, 2.0):
        prior, prior_of_spread = norm(0.0, np.sqrt(2.0) * width), 2 * np.log(width) - 1.5 * np.log1p(width**2)
        exact, _ = quad(lambda x, prior=prior: expit(x) ** 6 * expit(-x) ** 4 * prior.pdf(x), -30, 30)
        scores = _choices.fit_scores(choices, width**-2.0).scores
        found = _posterior._log_evidence(choices, scores, width, 1.0, 0) - prior_of_spread
        values.append(found - np.log(exact))
    # The constant of the approximation is the same for all spreads; what is left is its error.
    np.testing.assert_allclose(values, values[0], atol=0.03)


def test_volumes_and_deviations_without_a_matrix_are_near_those_with_one(monkeypatch):
    games, _ = league(3, 60, 600)
    choices = _posterior.choices_of_games(games)
    scores = _choices.fit_scores(choices, 1.0).scores

    def volumes():
        return np.array([_choices.Bend(choices, scores, precision).log_volume(0) for precision in (0.5, 1.0, 2.0)])

    exact, dense = volumes(), BradleyTerryRater().fit(games)
    monkeypatch.setattr(_choices, "DENSE", 10)
    monkeypatch.setattr(_choices, "DIRECT", 10)
    monkeypatch.setattr(_posterior, "DENSE", 10)
    # Ten random vectors err by one or two, but alike for all precisions, and those are to be told apart.
    np.testing.assert_allclose(volumes(), exact, atol=3.0)
    np.testing.assert_allclose(np.diff(volumes()), np.diff(exact), atol=0.5)
    thin = BradleyTerryRater().fit(games)
    assert thin.spread_ == pytest.approx(dense.spread_, rel=0.05)
    np.testing.assert_allclose(thin.mu_, dense.mu_, atol=8.0)
    np.testing.assert_allclose(thin.sigma_, dense.sigma_, rtol=0.25)


def test_a_few_games_that_come_out_even_do_not_make_players_alike():
    """Each of four players beat each other once: by the twelve games alone a skill is known to 0.6 logits or so."""
    games = [([[i], [j]], ranks) for i in range(4) for j in range(i) for ranks in ([1, 2], [2, 1])]
    rater = BradleyTerryRater().fit(games)
    np.testing.assert_allclose(rater.mu_, 1500.0, atol=1e-4)
    # A prior that is largest where all are alike would give 0.30.
    assert 0.35 < rater.sigma_.min() / LOGIT < 0.6


def test_steps_that_are_too_few_are_told_by_fits_and_by_draws():
    games, _ = league(0)
    short = BradleyTerryRater(max_iter=1)
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        assert short.fit(games).converged_ is False
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        short.draw_ratings(games, 3, random_state=0)


def coverage(rater, seeds, **options):
    """Share of the players whose true skill lies in its interval, and whose place does."""
    held, placed = [], []
    for seed in seeds:
        games, skills = league(seed, **options)
        found = rating_intervals(rater.fit(games), games, random_state=seed)
        truth = rater.mu_.mean() + _logit_of(rater) * (skills - skills.mean())
        held.append(np.mean((found.low <= truth) & (truth <= found.high)))
        if found.best is not None:
            place = 1 + np.argsort(np.argsort(-skills))
            placed.append(np.mean((found.best <= place) & (place <= found.worst)))
    return np.mean(held), np.mean(placed) if placed else None


@pytest.mark.parametrize(
    "options",
    [
        {"n_players": 40, "n_games": 160, "spread": 1.5},
        {"n_players": 30, "n_games": 200, "spread": 0.5, "dispersion": 0.4},
        {"n_players": 24, "n_games": 90, "n_teams": 2, "size": 2},
    ],
    ids=["duels", "draws", "teams"],
)
def test_intervals_of_a_whole_log_hold_the_true_skills(options, monkeypatch):
    monkeypatch.setattr("treatise.ranking.intervals.SEATS", 500)
    held, placed = coverage(BradleyTerryRater(), range(8), **options)
    # 0.95 is meant; some 250 intervals, correlated within a league, err by 0.02.
    assert 0.89 <= held <= 0.995 and placed >= 0.9


@pytest.mark.parametrize("rater", [OnlineRater(), GlickoRater(), EloRater()], ids=lambda rater: type(rater).__name__)
def test_intervals_of_raters_game_by_game_hold_the_true_skills(rater):
    held, placed = coverage(rater, range(12), n_players=25, n_games=150)
    assert 0.89 <= held <= 0.995 and placed is None


def test_order_of_games_and_of_names_plays_no_part():
    games, _ = league(1, 10, 60)
    rater = BradleyTerryRater().fit(games)
    turned = BradleyTerryRater().fit(list(games)[::-1])
    back = [turned.players_.index(name) for name in rater.players_]
    np.testing.assert_allclose(turned.mu_[back], rater.mu_, atol=1e-5)
    np.testing.assert_allclose(turned.sigma_[back], rater.sigma_, rtol=1e-5)


def test_players_that_never_met_are_told_apart_and_models_come_back(tmp_path):
    games = [([["a"], ["b"]], [1, 2]), ([["c"], ["d"]], [1, 2]), ([["d"], ["e"]], [1, 2])]
    rater = BradleyTerryRater().fit(games)
    assert rater.islands_[0] == rater.islands_[1] != rater.islands_[2] == rater.islands_[3] == rater.islands_[4]
    assert 0.5 < rater.predict_win_proba(["a"], ["b"]) < 0.9 and rater.predict_win_proba(["new"], ["newer"]) == 0.5
    assert rater.predict_rank([["b"], ["a"]]).tolist() == [2, 1]
    save_model(rater, tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops").model
    assert again.predict_win_proba(["a"], ["b"]) == rater.predict_win_proba(["a"], ["b"])
    with pytest.raises(ValueError, match="there is no game"):
        BradleyTerryRater().fit([])
    with pytest.raises(ValueError, match="not the games that the rater was fitted to"):
        rating_intervals(rater, games[:1])
    with pytest.raises(ValueError, match="level=2"):
        rating_intervals(rater, games, level=2)


def test_real_matches_are_rated_as_the_tour_saw_them(real_data):
    real_data("ranking/atp_matches_2017.csv.gz")
    rater = BradleyTerryRater().fit(load_atp([2017]))
    assert rater.converged_ and set(rater.leaderboard(min_games=30)["player"][:2]) == {"Roger Federer", "Rafael Nadal"}
