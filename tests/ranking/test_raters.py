"""What every rater does alike: learning in parts, predicting, showing, being saved."""

import math
import pickle

import numpy as np
import pandas
import pytest
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from treatise.datasets import Games, make_ranking_games
from treatise.io import load_model, save_model
from treatise.ranking import EloRater, GlickoRater, OnlineRater

RATERS = [OnlineRater(), OnlineRater("tm_partial", gamma="1/k"), OnlineRater("pl", tau=0.1), GlickoRater(), EloRater()]
every_rater = pytest.mark.parametrize("rater", RATERS, ids=str)


@pytest.fixture(scope="module")
def games():
    """Duels among named players, in the order of their first game."""
    log, _ = make_ranking_games(400, n_players=25, n_teams=2, random_state=0)
    return Games.from_lists([([[f"p{p}" for p in team] for team in teams], ranks) for teams, ranks in log])


def state(rater):
    return (
        rater.players_,
        rater.mu_.tolist(),
        rater.variance_.tolist(),
        rater.n_games_.tolist(),
        rater.n_errors_,
        rater.n_pairs_,
    )


@every_rater
def test_learning_in_chunks_equals_learning_at_once(rater, games):
    whole = clone(rater).fit(games)
    for size in (1, 7, 400):
        parts, lists = clone(rater), clone(rater)
        for chunk in games.chunks(size):
            parts.partial_fit(chunk)
            lists.partial_fit(list(chunk))
        assert state(parts) == state(whole)
        assert state(lists) == state(whole)
    assert state(whole.fit(games)) == state(parts)


@every_rater
def test_lists_arrays_and_frames_teach_the_same(rater, games):
    whole = state(clone(rater).fit(games))
    names = np.array(games.names)[games.players]
    frame = pandas.DataFrame(
        {
            "game": np.repeat(np.arange(len(games)), 2),
            "team": np.tile(["home", "away"], len(games)),
            "player": names,
            "rank": games.ranks,
        }
    )
    assert state(clone(rater).fit(list(games))) == whole
    assert state(clone(rater).fit((names, games.team_ptr, games.game_ptr, games.ranks))) == whole
    assert state(clone(rater).fit(frame)) == whole


@every_rater
def test_rate_is_what_learning_would_do_and_learns_nothing(rater, games):
    fitted = clone(rater).fit(games)
    before = state(fitted)
    teams = [["p3"], ["nobody yet"]]
    mu, sigma = fitted.rate(teams, [2, 1])
    assert state(fitted) == before
    fitted.partial_fit([(teams, [2, 1])])
    rows = [fitted.players_.index(name) for name in ("p3", "nobody yet")]
    np.testing.assert_array_equal(np.concatenate(mu), fitted.mu_[rows])
    np.testing.assert_array_equal(np.concatenate(sigma), fitted.sigma_[rows])


@every_rater
def test_predictions_follow_the_ratings(rater, games):
    fitted = clone(rater).fit(games)
    best, worst = fitted.players_[np.argmax(fitted.mu_)], fitted.players_[np.argmin(fitted.mu_)]
    teams = [[worst], ["new"], [best], ["newer"]]
    assert fitted.predict_rank(teams).tolist() == [4, 2, 1, 2]
    forth, back = fitted.predict_win_proba([best], [worst]), fitted.predict_win_proba([worst], [best])
    assert forth > 0.5
    assert forth + back == pytest.approx(1.0, abs=1e-15)
    assert fitted.predict_win_proba(["new"], ["newer"]) == 0.5


@every_rater
def test_parameters_survive_cloning_and_ratings_survive_saving(rater, games, tmp_path):
    assert clone(rater).get_params() == rater.get_params()
    fitted = clone(rater).fit(games[:200])
    save_model(fitted, tmp_path / "rater.skops")
    for restored in (pickle.loads(pickle.dumps(fitted)), load_model(tmp_path / "rater.skops").model):
        assert state(restored) == state(fitted)
        assert state(restored.partial_fit(games[200:])) == state(clone(rater).fit(games))


def test_fitted_state_is_arrays_lists_and_numbers_only(games):
    fitted = OnlineRater().fit(games)
    kept = {type(value) for value in fitted.__getstate__().values()}
    assert kept <= {str, float, int, list, np.ndarray, type(None)}


@every_rater
def test_the_leaderboard_is_sorted_by_the_conservative_rating(rater, games):
    fitted = clone(rater).fit(games[:60])
    board = fitted.leaderboard()
    assert board.columns == ["player", "mu", "sigma", "conservative", "n_games"]
    np.testing.assert_allclose(board["conservative"], board["mu"] - 3 * board["sigma"])
    assert board["conservative"].is_sorted(descending=True)
    assert board["n_games"].sum() == 120 and board["n_games"].min() >= 1
    assert fitted.leaderboard(min_games=5)["n_games"].min() >= 5


def test_names_of_both_kinds_share_a_leaderboard():
    assert OnlineRater().fit([([["a"], [7]], [1, 2])]).leaderboard()["player"].to_list() == ["a", "7"]


def test_an_unfitted_rater_has_no_leaderboard_but_rates_newcomers():
    with pytest.raises(NotFittedError):
        OnlineRater().leaderboard()
    assert not hasattr(OnlineRater(), "sigma_")
    assert OnlineRater().predict_rank([["a"], ["b"]]).tolist() == [1, 1]


@every_rater
def test_history_holds_the_rating_after_each_game_of_the_followed(rater, games):
    table = rater.history(games, ["p3", "p5"])
    fitted = clone(rater).fit(games)
    for name in ("p3", "p5"):
        record = table.filter(table["player"] == name)
        row = fitted.players_.index(name)
        assert len(record) == fitted.n_games_[row]
        assert (record["mu"][-1], record["sigma"][-1]) == (fitted.mu_[row], fitted.sigma_[row])
        middle = int(record["game"][3])
        assert record["mu"][3] == clone(rater).fit(games[: middle + 1]).mu_[row]
    with pytest.raises(ValueError, match="'nobody' plays in none"):
        rater.history(games, ["nobody"])


def test_pictures_show_who_was_asked_for(games):
    fitted = OnlineRater().fit(games)
    axes = Figure().subplots(1, 2)
    board = fitted.plot_leaderboard(5, ax=axes[0])
    assert [label.get_text() for label in board.get_yticklabels()] == fitted.leaderboard()["player"].to_list()[:5]
    timed = Games(games.players, games.team_ptr, games.game_ptr, games.ranks, games.names, np.arange(400))
    course = fitted.plot_history(timed, ["p3", "p5"], ax=axes[1])
    assert {line.get_label() for line in course.get_lines()} == {"p3", "p5"}
    assert course.get_xlabel() == "time"
    assert fitted.plot_history(games, ["p3"]).get_xlabel() == "game"


@pytest.mark.parametrize("rater", [GlickoRater(), EloRater()], ids=str)
@pytest.mark.parametrize("game", [([["a"], ["b"], ["c"]], [1, 2, 3]), ([["a", "b"], ["c"]], [1, 2])])
def test_duel_raters_refuse_teams_and_larger_games(rater, game):
    with pytest.raises(ValueError, match="between two single players"):
        clone(rater).fit([game])
    with pytest.raises(ValueError, match="between two single players"):
        rater.rate(*game)


def test_elo_is_its_formula(games):
    rating, wrong, pairs = {}, 0, 0
    for number, (((one,), (two,)), ranks) in enumerate(games):
        a, b = rating.get(one, 1500.0), rating.get(two, 1500.0)
        if number:
            pairs += 1
            wrong += (a - b) * (ranks[1] - ranks[0]) <= 0
        expected = 1 / (1 + 10 ** ((b - a) / 400))
        score = (ranks[0] < ranks[1]) + 0.5 * (ranks[0] == ranks[1])
        rating[one], rating[two] = a + 24 * (score - expected), b - 24 * (score - expected)
    rater = EloRater(k_factor=24).fit(games)
    np.testing.assert_allclose(rater.mu_, [rating[p] for p in rater.players_], rtol=1e-13)
    assert (rater.n_errors_, rater.n_pairs_) == (wrong, pairs)
    assert np.all(rater.sigma_ == 0)


def plain_glicko(mu, variance, one, two, score):
    """Algorithm 5, step by step."""
    q = math.log(10) / 400
    g = {p: 1 / math.sqrt(1 + 3 * q**2 * variance[p] / math.pi**2) for p in (one, two)}
    new = {}
    for i, j, s in ((one, two, score), (two, one, 1 - score)):
        p = 1 / (1 + 10 ** (-g[j] * (mu[i] - mu[j]) / 400))
        d2 = 1 / (q**2 * g[j] ** 2 * p * (1 - p))
        new[i] = mu[i] + q / (1 / variance[i] + 1 / d2) * g[j] * (s - p), 1 / (1 / variance[i] + 1 / d2)
    for player, (m, v) in new.items():
        mu[player], variance[player] = m, v


def test_glicko_is_its_algorithm(games):
    drawn = [(teams, [1, 1] if number % 7 == 0 else ranks) for number, (teams, ranks) in enumerate(games)]
    mu, variance = dict.fromkeys(games.names, 1500.0), dict.fromkeys(games.names, 350.0**2)
    for ((one,), (two,)), ranks in drawn:
        plain_glicko(mu, variance, one, two, (1 + np.sign(ranks[1] - ranks[0])) / 2)
    rater = GlickoRater().fit(drawn)
    np.testing.assert_allclose(rater.mu_, [mu[p] for p in rater.players_], rtol=1e-12)
    np.testing.assert_allclose(rater.variance_, [variance[p] for p in rater.players_], rtol=1e-12)


def test_glicko_error_on_generated_duels():
    games, _ = make_ranking_games(5000, n_players=100, n_teams=2, random_state=0)
    # Measured with a plain implementation in dictionaries, to four digits.
    assert GlickoRater().progressive_error(games) == pytest.approx(0.1758, abs=0.002)


def test_integer_codes_keep_their_places():
    log, _ = make_ranking_games(20, n_players=9, n_teams=3, random_state=0)
    rater = OnlineRater().fit(log)
    assert rater.players_ == list(range(9)) and len(rater.mu_) == 9


def test_known_players_start_where_they_are_told():
    start = {"ann": (30.0, 2.0), "zoe": (10.0, 1.0)}
    rater = OnlineRater(start=start)
    assert rater.predict_rank([["zoe"], ["new"], ["ann"]]).tolist() == [3, 2, 1]
    mean, sigma = rater.rate([["ann"], ["bob"]], [1, 2])
    fitted = clone(rater).fit([([["ann"], ["bob"]], [1, 2])])
    np.testing.assert_allclose(np.concatenate(mean), fitted.mu_)
    np.testing.assert_allclose(np.concatenate(sigma), fitted.sigma_)
    # An earlier season's ratings carried over are the same as one long season.
    log, _ = make_ranking_games(60, n_players=8, n_teams=2, random_state=2)
    whole, first = OnlineRater().fit(log), OnlineRater().fit(log[:30])
    carried = dict(zip(first.players_, zip(first.mu_.tolist(), first.sigma_.tolist())))
    second = OnlineRater(start=carried).fit(log[30:])
    order = [second.players_.index(name) for name in whole.players_]
    np.testing.assert_allclose(second.mu_[order], whole.mu_, rtol=1e-12)
    with pytest.raises(ValueError, match="start gives 'ann' mean 1"):
        OnlineRater(start={"ann": (1.0, 0.0)}).fit([([["ann"], ["bob"]], [1, 2])])


@pytest.mark.parametrize("as_parts_of_one_log", [False, True])
def test_a_further_game_touches_its_own_players_only(as_parts_of_one_log):
    """With many players known, a call neither copies their records nor walks their names."""
    log, _ = make_ranking_games(3000, n_players=5000, n_teams=2, random_state=3)
    rater = OnlineRater().fit(log[:2900])
    further = log[2900:2950]
    records = rater.mu_, rater.variance_, rater.n_games_
    for number in range(50):
        game = further[number : number + 1] if as_parts_of_one_log else [further[number]]
        rater.partial_fit(game)
    assert all(after is before for after, before in zip((rater.mu_, rater.variance_, rater.n_games_), records))
    for _ in range(200):
        rater.partial_fit([([[f"new {len(rater.players_)}"], [0]], [1, 2])])
    # The arrays grow by doubling: two hundred newcomers move five thousand records a few times at most.
    assert len(rater.mu_) == len(rater.players_) == len(rater.n_games_) == 5200
    whole = OnlineRater().fit(log[:2950])
    assert rater.mu_[7] == whole.mu_[7] and rater.n_games_.sum() == 2 * (2950 + 200)


@pytest.mark.parametrize("model", ["pl", "bt_partial"])
def test_a_large_field_is_rated_and_judged_as_a_small_one_is(model):
    rng = np.random.default_rng(5)
    log = []
    for _ in range(4):
        players, ranks = rng.permutation(60), rng.integers(1, 40, 60)
        log.append(([[int(p)] for p in players], ranks.tolist()))
    rater = OnlineRater(model).fit(log[:2])
    teams, ranks = log[2]
    mean = np.array([rater.mu_[rater.players_.index(p)] for (p,) in teams])
    better = np.subtract.outer(ranks, ranks) < 0
    wrong, pairs = OnlineRater(model).progressive_counts(log)
    assert pairs[2] == better.sum()
    assert wrong[2] == (better & ~(np.subtract.outer(mean, mean) > 0)).sum()
