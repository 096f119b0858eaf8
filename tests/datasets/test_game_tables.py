"""Games and rankings from tables: every form gives the same, and what cannot be meant is refused."""

import numpy as np
import polars as pl
import pytest

from treatise._core.errors import TreatiseError
from treatise.datasets import Rankings, games_of_table, load_movielens_small, load_preflib, load_rankings
from treatise.io import Table, read_table


def table(**columns):
    return Table("games", pl.DataFrame(columns), True, ())


def test_results_become_games_in_the_order_of_their_dates(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text("Winner,Loser,draw,date\nann,bob,no,2024-03-02\nbob,cy,yes,2024-03-01\n7,ann,,2024-02-01\n")
    games, notes = games_of_table(read_table(path))
    assert list(games) == [([["7"], ["ann"]], [1, 2]), ([["bob"], ["cy"]], [1, 1]), ([["ann"], ["bob"]], [1, 2])]
    assert [str(time)[:10] for time in games.times] == ["2024-02-01", "2024-03-01", "2024-03-02"]
    assert "'Winner' beat 'Loser', unless 'draw' says otherwise" in notes
    numbered, _ = games_of_table(table(a=["x", "y"], b=["y", "z"], round=[2, 1]), winner="a", loser="b", date="round")
    assert numbered[0] == ([["y"], ["z"]], [1, 2]) and numbered.times is None


def test_rows_of_players_become_games_of_teams():
    long = table(
        game=[2, 2, 1, 1, 1], team=["r", "b", "r", "r", "b"], player=["ann", "bob", "ann", "cy", "dee"],
        rank=[1, 2, 2, 2, 1],
    )  # fmt: skip
    games, _ = games_of_table(long)
    assert list(games) == [([["ann"], ["bob"]], [1, 2]), ([["ann", "cy"], ["dee"]], [2, 1])]
    by_time = Table("games", long.frame.with_columns(date=pl.Series([5, 5, 3, 3, 3])), True, ())
    assert games_of_table(by_time)[0][0] == games[1]


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        (
            {"won": ["a"], "lost": ["b"]},
            {},
            "no column called 'winner'; name it with --winner.*are won, lost",
        ),
        ({"winner": ["a", None], "loser": ["b", "c"]}, {}, "column 'winner' is empty in row 2"),
        ({"winner": ["a", "a"], "loser": ["b", "a"]}, {}, "'a' stands more than once in row 2; leave the row out"),
        ({"winner": ["a/b", "c"], "loser": ["c", "a/a"]}, {"players_by": "/"}, "'a' stands more than once in row 2"),
        (
            {"game": [1, 7, 7], "team": [1, 1, 2], "player": ["a", "b", "b"], "rank": [1, 1, 2]},
            {},
            "'b' stands more than once in game '7'; a player has one row",
        ),
        ({"game": [1, 1, 7], "team": [1, 2, 1], "player": ["a", "b", "c"], "rank": [1, 2, 1]}, {}, "'7' has one team"),
        ({"winner": ["a"], "loser": ["b"], "draw": ["perhaps"]}, {}, "one value is 'perhaps'"),
        ({"winner": ["a"], "loser": ["b"], "draw": [3]}, {}, "must be 1 for a draw and 0 for none; one value is 3"),
        ({"winner": ["a", "b"], "loser": ["b", "a"], "draw": [1, -1]}, {}, "0 for none; one value is -1"),
        (
            {"winner": ["a"], "loser": ["b"], "date": ["May"]},
            {},
            "values such as 'May'; the order of games",
        ),
        (
            {"winner": ["a", "b"], "loser": ["b", "a"], "date": ["2024-05-01", "soon"]},
            {},
            "values such as 'soon'; the order of games",
        ),
        ({"winner": [], "loser": []}, {}, "it has no row"),
        ({"winner": ["a"], "loser": ["b"]}, {"players_by": ""}, "nothing cannot stand between players"),
        ({"winner": ["a"], "loser": ["/"]}, {"players_by": "/"}, "row 1 has a team without players in 'loser'"),
    ],
)
def test_what_is_no_log_of_games_is_refused(columns, options, message):
    with pytest.raises(TreatiseError, match=message):
        games_of_table(table(**columns), **options)


ITEMS = "wine,ann,bob,cy\nred,1,2,\nwhite,2,1,1\nrose,3,,2\n"
VOTERS = "red,white,rose\n1,2,3\n2,1,\n,1,2\n"
NAMED_VOTERS = "who,red,white,rose\nann,1,2,3\nbob,2,1,\ncy,,1,2\n"
NUMBERED_VOTERS = "Voter,red,white,rose\n1,1,2,3\n2,2,1,\n3,,1,2\n"
BALLOTS = "first,second,third\nred,white,rose\nwhite,red,\nwhite,rose,\n"
VOTES = "Voter,item,rank\nann,red,1\nann,white,2\nann,rose,3\nbob,white,1\nbob,red,2\ncy,white,1\ncy,rose,2\n"
RATINGS = "user,movie,rating\nann,red,5\nann,white,3\nann,rose,1.5\nbob,white,4\nbob,red,4\ncy,white,9\ncy,rose,2\n"


@pytest.mark.parametrize("text", [ITEMS, VOTERS, NAMED_VOTERS, NUMBERED_VOTERS, BALLOTS, VOTES])
def test_all_forms_hold_the_same_rankings(tmp_path, text):
    path = tmp_path / "wines.csv"
    path.write_text(text)
    rankings, notes = load_rankings(path)
    order = [rankings.items.index(name) for name in ("red", "white", "rose")]
    assert rankings.values.toarray()[order].tolist() == [[1, 2, 0], [2, 1, 1], [3, 0, 2]]
    assert not rankings.ratings and len(notes) == 1 and notes[0].startswith("a row is ")


@pytest.mark.parametrize("text", ["first,second\nred,white\nrose,red\n", "Voter,Item,Rating\nann,red,5\nbob,white,3\n"])
def test_names_of_columns_that_are_known_make_a_header_of_words_alone(tmp_path, text):
    path = tmp_path / "wines.csv"
    path.write_text(text)
    rankings, _ = load_rankings(path)
    assert set(rankings.items) <= {"red", "white", "rose"} and rankings.n_voters == 2


@pytest.mark.parametrize(
    "text",
    [
        "userId,movieId,rating,timestamp\n7,31,2.5,1260759144\n7,10,4,1260759179\n8,31,3,1260759182\n",
        "reviewer,product_id,rating\nann,31,2.5\nann,10,4\nbob,31,3\n",
        "Rater ID,Option,Rank\nann,31,2\nann,10,1\nbob,31,1\n",
    ],
)
def test_votes_are_known_by_the_numbers_of_voters_and_items(tmp_path, text):
    """Of MovieLens' own columns each row was an item, with ranks by the voters 'userId' and 'timestamp'."""
    path = tmp_path / "votes.csv"
    path.write_text(text)
    rankings, _ = load_rankings(path)
    assert rankings.values.shape == (2, 2) and set(rankings.items) == {"31", "10"}
    assert rankings.ranks.toarray()[rankings.items.index("10")].max() == 1.0


def test_ratings_become_ranks_that_ties_share(tmp_path):
    path = tmp_path / "films.csv"
    path.write_text(RATINGS)
    rankings, _ = load_rankings(path)
    order = [rankings.items.index(name) for name in ("red", "white", "rose")]
    assert rankings.ratings and rankings.ranks.toarray()[order].tolist() == [[1, 1.5, 0], [2, 1.5, 1], [3, 0, 2]]
    path.write_text("item,ann,bob\nx,0,3\ny,2,\n")
    rated, _ = load_rankings(path, ratings=True)
    assert rated.values.nnz == 3  # zero is a rating
    path.write_text("voter,x,y\nann,0,2\nbob,3,\n")
    by_voter, _ = load_rankings(path, ratings=True)
    assert by_voter.items == ["x", "y"] and (by_voter.values != rated.values).nnz == 0


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("wine,ann\nred,1\nred,2\n", {}, "item 'red' has two rows.* single vote, call its columns voter"),
        ("wine,ann\nred,1\nwhite,-2\n", {}, "a rank is -2; ranks begin at 1"),
        ("first,second\nred,red\n", {"header": True}, "row 1 names 'red' twice"),
        ("voter,item,rank\na,x,1\na,x,2\n", {}, "'a' votes twice on 'x'"),
        (
            "voter,item,rank\na,x,best\n",
            {"header": True, "form": "votes"},
            "but values such as 'best'",
        ),
        ("a,b\n1,2\n", {"form": "votes", "header": True}, "votes need the columns voter, item and rank"),
        ("a,b,c\nx,1,y\n", {"form": "items", "header": True}, "column 'c' holds no numbers"),
        ("a,b\n1,2\n", {"form": "list"}, "'list' is no form of rankings; the forms are items, voters, ballots, votes"),
        ("a,b\n1,2\n", {"form": "voters", "item": "a"}, "the names of the columns are the items"),
        ("voter,a,b\n1,2,x\n", {"form": "voters", "header": True}, "column 'b' holds no numbers"),
    ],
)
def test_what_are_no_rankings_is_refused(tmp_path, text, options, message):
    path = tmp_path / "wines.csv"
    path.write_text(text)
    with pytest.raises(TreatiseError, match=message):
        load_rankings(path, **options)


def test_real_rankings_have_the_stated_sizes(real_data):
    real_data("ranking/movielens_small_ratings.csv.gz")
    films = load_movielens_small()
    assert films.values.shape == (9047, 671) and films.values.nnz == 99_984 and films.values.data.max() == 10
    dots = load_preflib("00024-00000001.soc")
    assert dots.values.shape == (4, 795) and isinstance(dots, Rankings)
    # 74 voters gave the first order, 1 2 3 4.
    assert np.all(dots.values.toarray()[:, :74] == [[1], [2], [3], [4]])
