"""Games: what goes in comes out, and broken logs are refused."""

import numpy as np
import pandas
import polars
import pytest

from treatise.datasets import Games, load_atp, load_halo2, make_ranking_games

LISTS = [
    ([["ann"], ["bob", "cy"]], [1, 2]),
    ([["cy", "dee"], ["ann"], ["bob"]], [2, 1, 2]),
    ([["eve"], ["ann"]], [3, 3]),
]
ROWS = [
    {"game": f"g{9 - number}", "team": f"t{team}", "player": player, "rank": rank}
    for number, (teams, ranks) in enumerate(LISTS)
    for team, (members, rank) in enumerate(zip(teams, ranks))
    for player in members
]


def test_lists_come_back_as_they_went_in():
    games = Games.from_lists(LISTS)
    assert list(games) == LISTS
    assert games.names == ["ann", "bob", "cy", "dee", "eve"]
    assert (len(games), games.n_players) == (3, 5)


def test_a_bare_name_is_a_team_of_one():
    assert list(Games.from_lists([(["ann", 7], [1, 2])])) == [([["ann"], [7]], [1, 2])]


def test_arrays_of_names_make_the_same_games_as_lists():
    flat = [name for teams, _ in LISTS for team in teams for name in team]
    arrays = (
        np.array(flat),
        np.array([0, 1, 3, 5, 6, 7, 8, 9]),
        np.array([0, 2, 5, 7]),
        np.array([1, 2, 2, 1, 2, 3, 3]),
    )
    assert list(Games.from_arrays(*arrays)) == LISTS
    assert list(Games.of(arrays)) == LISTS


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame])
def test_a_frame_makes_the_same_games_as_lists_even_with_its_rows_shuffled_within_reason(frame):
    assert list(Games.from_frame(frame(ROWS))) == LISTS
    # Interleaved rows: games and teams still follow one another as they first appear.
    interleaved = sorted(ROWS, key=lambda row: row["player"] == "cy")
    assert Games.of(frame(interleaved))[0] == LISTS[0]


def test_a_frame_with_times_keeps_one_per_game():
    times = {"g9": "2020-01-01", "g8": "2020-01-03", "g7": "2020-01-02"}
    frame = pandas.DataFrame([{**row, "time": pandas.Timestamp(times[row["game"]])} for row in ROWS])
    games = Games.from_frame(frame)
    assert [str(time)[:10] for time in games.times] == ["2020-01-01", "2020-01-03", "2020-01-02"]
    assert [str(time)[:10] for time in games[1:].times] == ["2020-01-03", "2020-01-02"]


def test_slices_and_chunks_hold_the_same_games():
    games = Games.from_lists(LISTS)
    assert list(games[1:]) == LISTS[1:]
    assert list(games[1:][:1]) == LISTS[1:2]
    assert [len(chunk) for chunk in games.chunks(2)] == [2, 1]
    assert [game for chunk in games.chunks(2) for game in chunk] == LISTS
    assert list(games[2:1]) == []
    with pytest.raises(ValueError, match="step was 2"):
        games[::2]


def test_players_without_names_are_numbered():
    assert Games([2, 0], [0, 1, 2], [0, 2], [1, 2]).names == [0, 1, 2]


@pytest.mark.parametrize(
    ("games", "message"),
    [
        ([([["a"], []], [1, 2])], "game 0 has a team without players"),
        ([([["a"], ["b"]], [1, 2]), ([["a"], ["c", "a"]], [1, 2])], "'a' stands more than once in game 1"),
        ([([["a"], ["b"]], [1, 1.5])], "ranks must be whole numbers; at position 1 is 1.5"),
        ([([["a"], ["b"]], [1, None])], "ranks must be whole numbers; at position 1 is nan"),
        ([([["a"], ["b"]], ["x", "y"])], "ranks must be whole numbers, got values such as 'x'"),
        ([([["a"], ["b"]], [1, 2**40])], "must lie within"),
        ([([["a"], ["b"]], [1])], "game 0 has 2 teams but 1 ranks"),
        ([([["a"]], [1])], "game 0 has fewer than two teams"),
        ([([["a"], [None]], [1, 2])], "player names must be str or int, got None"),
        ([([["a"], [["b"]]], [1, 2])], "names must be str or int"),
        ([7], "game 0 is 7; it must be a pair"),
        (pandas.DataFrame({"game": [1], "player": ["a"]}), "no column 'team', 'rank'"),
        (pandas.DataFrame([*ROWS, {**ROWS[-1], "player": "zoe", "rank": 9}]), "row 9 gives its team another rank"),
    ],
)
def test_broken_logs_are_refused_with_the_reason(games, message):
    with pytest.raises(ValueError, match=message):
        Games.of(games)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"players": [0, 1, 2, 9]}, "player 9 of game 1 is no position in 3 names"),
        ({"players": [0, 1, 2, -1]}, "player -1 of game 1 is no position"),
        ({"players": [[0, 1, 2, 0]]}, "players must be one-dimensional"),
        ({"team_ptr": [0, 1, 2, 3]}, "team_ptr must start at 0 and end at 4"),
        ({"team_ptr": [0, 3, 2, 3, 4]}, "team_ptr must never fall, but it does after position 1"),
        ({"game_ptr": [0, 9, 4]}, "game 1 has fewer than two teams"),
        ({"game_ptr": [0, 2]}, "game_ptr must start at 0 and end at 4"),
        ({"ranks": [1, 2, 1]}, "3 ranks for 4 teams"),
        ({"names": ["a", "b", "a"]}, "must differ"),
        ({"times": ["2020-01-01"]}, "1 times for 2 games"),
        ({"scores": [3.0, 1.0]}, "2 scores for 4 seats"),
    ],
)
def test_broken_arrays_are_refused_with_the_reason(change, message):
    sound = {
        "players": [0, 1, 2, 0], "team_ptr": [0, 1, 2, 3, 4], "game_ptr": [0, 2, 4], "ranks": [1, 2, 1, 2],
        "names": ["a", "b", "c"],
    }  # fmt: skip
    Games(**sound)
    with pytest.raises(ValueError, match=message):
        Games(**{**sound, **change})


def test_generated_games_have_the_asked_shape_and_favour_the_skilled():
    games, skill = make_ranking_games(300, n_players=30, n_teams=3, team_size=2, random_state=1)
    assert (len(games), games.n_players) == (300, 30)
    teams = skill[games.players].reshape(300, 3, 2).sum(axis=2)
    ranks = games.ranks.reshape(300, 3)
    assert np.array_equal(np.sort(ranks, axis=1), np.tile([1, 2, 3], (300, 1)))
    # A team's skill varies with sd 12, its performance around it with sd 4: the best mostly wins.
    assert np.mean(np.argmax(teams, axis=1) == np.argmin(ranks, axis=1)) > 0.7
    again, _ = make_ranking_games(300, n_players=30, n_teams=3, team_size=2, random_state=1)
    assert np.array_equal(again.players, games.players)
    with pytest.raises(ValueError, match="n_teams=4 teams of team_size=2"):
        make_ranking_games(1, n_players=7, n_teams=4, team_size=2)


def test_halo_games_have_the_published_counts(real_data):
    real_data("ranking/Halo2-HeadToHead.objml.gz")
    real_data("ranking/Halo2-LargeTeam.objml.gz")
    duels, large = load_halo2("head_to_head"), load_halo2("large_team")
    assert (len(duels), duels.n_players, len(large), large.n_players) == (6028, 1653, 972, 2486)
    assert duels[0] == ([["Gamer00000"], ["Gamer00001"]], [2, 1])
    # The third game of the file leaves out the first player's score, which is zero.
    assert duels[2] == ([["Gamer00004"], ["Gamer00005"]], [2, 1])
    assert large[0][1] == [1, 1]
    assert duels[2:4].scores_of(0) == [[0.0], [2.0]]
    assert large.scores_of(0) == [[0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]
    assert np.all(np.diff(duels.times) >= np.timedelta64(0))
    # Decided games after the first one: the number of pairs in Table 5(b) of the paper.
    assert sum(ranks[0] != ranks[1] for _, ranks in duels[1:]) == 5715
    with pytest.raises(ValueError, match="mode='duel'"):
        load_halo2("duel")


def test_tennis_matches_run_from_first_round_to_final(real_data):
    real_data("ranking/atp_matches_2017.csv.gz")
    season = load_atp([2017])
    assert len(season) == 2911 - 15  # less walkovers
    assert np.all(np.diff(season.times) >= np.timedelta64(0))
    opening = np.datetime64("2017-07-03")
    wimbledon = [
        teams for (teams, _), day in zip(season, season.times) if day == opening and ["Roger Federer"] in teams
    ]
    opponents = ["Dolgopolov", "Lajovic", "Zverev", "Dimitrov", "Raonic", "Berdych", "Cilic"]
    assert [loser.split()[-1] for _, (loser,) in wimbledon] == opponents
    with pytest.raises(ValueError, match="years=\\[1999\\]"):
        load_atp([1999])
