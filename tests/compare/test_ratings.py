"""Ratings and consensus from files: what is understood, how sure it is, and what is written."""

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from treatise._core.errors import TreatiseError
from treatise.compare import aggregate_rankings, rate_players
from treatise.datasets import Games, Rankings, load_preflib
from treatise.ranking import borda


def results(seed=0, n_players=8, n_games=60):
    rng = np.random.default_rng(seed)
    skills = np.sort(rng.normal(0, 1.5, n_players))[::-1]
    pairs = np.array([rng.choice(n_players, 2, replace=False) for _ in range(n_games)])
    swap = rng.random(n_games) > 1 / (1 + np.exp(skills[pairs[:, 1]] - skills[pairs[:, 0]]))
    pairs[swap] = pairs[swap][:, ::-1]
    names = np.array([f"p{at}" for at in range(n_players)])
    return pl.DataFrame({"winner": names[pairs[:, 0]], "loser": names[pairs[:, 1]]})


@pytest.mark.parametrize("method", ["BradleyTerryRater", "treatise.ranking.EloRater"])
def test_a_file_of_results_gives_a_leaderboard_a_table_and_a_picture(tmp_path, method):
    results().write_csv(tmp_path / "games.csv")
    rated = rate_players(tmp_path / "games.csv", method)
    table = rated.table
    assert table["rating"].is_sorted(descending=True) and table["won"].sum() == 60 and table["games"].sum() == 120
    assert (table["low"] < table["rating"]).all() and (table["rating"] < table["high"]).all()
    assert (table["best_place"].null_count() == 0) == (method == "BradleyTerryRater")
    files = rated.write(tmp_path / "out")
    assert files["picture"].read_bytes().startswith(b"\x89PNG")
    assert pl.read_csv(files["table"]).columns == table.columns


def test_wins_draws_and_groups_are_told():
    games = Games.from_lists([(["a", "b"], [1, 1]), (["a", "b", "c"], [1, 2, 2]), (["x", "y"], [2, 1])])
    rated = rate_players(games)
    count = {row["player"]: (row["games"], row["won"], row["drawn"]) for row in rated.table.iter_rows(named=True)}
    assert count == {"a": (2, 1, 1), "b": (2, 0, 2), "c": (1, 0, 1), "x": (1, 0, 0), "y": (1, 1, 0)}
    assert any("2 groups that never met" in note for note in rated.notes)


@pytest.mark.parametrize("names", ["winner,loser", "Winner,Loser", "game,team,player,rank", "won,lost"])
def test_a_log_of_names_alone_has_the_header_that_it_is_known_by(tmp_path, names):
    path = tmp_path / "games.csv"
    path.write_text(f"{names}\n" + ("g1,red,ann,1\ng1,blue,bob,2\n" if "game" in names else "ann,bob\n"))
    columns = dict(zip(("winner", "loser"), names.split(","))) if names == "won,lost" else {}
    assert rate_players(path, **columns).table["player"].to_list() == ["ann", "bob"]


def test_what_cannot_be_rated_is_refused_in_one_sentence():
    duel = Games.from_lists([(["a", "b"], [1, 2])])
    with pytest.raises(TreatiseError, match="no rater is called 'Chess'; choose BradleyTerryRater, OnlineRater"):
        rate_players(duel, "Chess")
    with pytest.raises(TreatiseError, match="level 95 must lie between 0 and 1"):
        rate_players(duel, level=95)
    with pytest.raises(TreatiseError, match="EloRater cannot rate these games: every game must be between two single"):
        rate_players(Games.from_lists([(["a", "b", "c"], [1, 2, 3])]), "EloRater")
    with pytest.raises(TreatiseError, match="cannot rate these games: no parameter is called 'speed'; it has "):
        rate_players(duel, params={"speed": 3})


def ballots(n_voters, scores, rng):
    """Rankings drawn from Plackett and Luce's model."""
    order = np.argsort(-(scores + rng.gumbel(size=(n_voters, len(scores)))), axis=1)
    ranks = np.argsort(order, axis=1) + 1.0
    return Rankings([f"i{at}" for at in range(len(scores))], sparse.csc_array(ranks.T))


SCORES = np.array([1.2, 0.6, 0.3, 0.0, -0.6, -1.5])


def test_the_rule_that_agrees_with_held_out_voters_is_taken(tmp_path):
    rng = np.random.default_rng(0)
    found = aggregate_rankings(ballots(60, SCORES, rng), resamples=40)
    assert found.rules.height == 8 and found.method == found.rules["method"][0]
    assert found.rules["disagreement"].is_sorted() and found.rules["disagreement"][0] < 0.45
    assert found.table["item"][0] == "i0" and found.table["votes"].to_list() == [60] * 6
    files = found.write(tmp_path / "out")
    assert files["picture"].read_bytes().startswith(b"\x89PNG") and pl.read_csv(files["table"]).height == 6
    bare = aggregate_rankings(ballots(60, SCORES, rng), "kemeny", resamples=0)
    assert bare.rules.height == 0 and bare.table["low"].null_count() == 6 and bare.write(tmp_path / "bare")


@pytest.mark.parametrize("method", ["borda", "plackett_luce", "multinomial"])
def test_intervals_of_scores_and_places_hold_what_all_voters_would_say(method):
    rng = np.random.default_rng(1)
    truth = SCORES - SCORES.mean()
    if method != "plackett_luce":
        whole = aggregate_rankings(ballots(40_000, SCORES, rng), method, resamples=0).table
        truth = np.array([whole.filter(pl.col("item") == f"i{at}")["score"][0] for at in range(6)])
    held, placed = [], []
    for seed in range(25):
        found = aggregate_rankings(ballots(40, SCORES, rng), method, resamples=60, seed=seed).table.sort("item")
        held.append((found["low"].to_numpy() <= truth) & (truth <= found["high"].to_numpy()))
        place = np.arange(1, 7)
        placed.append((found["best_place"].to_numpy() <= place) & (place <= found["worst_place"].to_numpy()))
    # 0.95 is meant; 150 intervals, correlated within a sample, err by 0.025.
    assert 0.87 <= np.mean(held) <= 0.995 and np.mean(placed) >= 0.93


def test_rankings_without_an_answer_are_refused_or_told():
    one = Rankings(["a", "b"], sparse.csc_array([[1.0], [2.0]]))
    found = aggregate_rankings(one)
    assert found.method == "borda" and found.table["low"].null_count() == 2 and "one voter" in found.notes[-1]
    with pytest.raises(TreatiseError, match="no voter ranks two items"):
        aggregate_rankings(Rankings(["a", "b"], sparse.csc_array([[1.0, 0.0], [0.0, 1.0]])))
    with pytest.raises(TreatiseError, match="no voter puts one item before another"):
        aggregate_rankings(Rankings(["a", "b"], sparse.csc_array([[1.0, 2.0], [1.0, 2.0]])))
    with pytest.raises(TreatiseError, match="no rule is called 'vote'; choose auto, borda"):
        aggregate_rankings(one, "vote")
    with pytest.raises(TreatiseError, match="3 resamples say nothing"):
        aggregate_rankings(one, resamples=3)


def test_voters_who_tie_all_items_take_part():
    # Each fold or sample without the one voter who decides would have nothing to put in order.
    ranks = np.array([[1.0, 1.0, 1.0], [2.0, 1.0, 1.0]])
    found = aggregate_rankings(Rankings(["a", "b"], sparse.csc_array(ranks)), resamples=30)
    assert found.table["item"].to_list() == ["a", "b"] and found.table["low"].null_count() == 0
    assert found.method == "borda" and any("too few voters" in note for note in found.notes)


def test_items_that_no_vote_joins_are_told():
    ranks = np.array([[1.0, 0.0, 2.0], [2.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 2.0, 0.0]])
    found = aggregate_rankings(Rankings(list("abcd"), sparse.csc_array(ranks)), "borda", resamples=0)
    assert any("the items fall into 2 groups that no voter ranks together" in note for note in found.notes)
    joined = aggregate_rankings(
        Rankings(list("abcd"), sparse.csc_array(np.c_[np.r_[1:5], 0 * ranks])), "borda", resamples=0
    )
    assert not any("groups" in note for note in joined.notes)


def test_real_votes_find_the_true_order_of_the_dots(real_data):
    real_data("ranking/preflib/00024-00000001.soc")
    dots = load_preflib("00024-00000001.soc")
    found = aggregate_rankings(dots, "borda", resamples=40)
    # Voters put pictures in order by the number of their dots: 200, 203, 206, 209.
    assert found.table["item"].to_list() == ["200", "203", "206", "209"]
    np.testing.assert_allclose(found.table["score"].to_numpy(), borda(dots.values.toarray()))
