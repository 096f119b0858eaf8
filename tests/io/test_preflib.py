"""PrefLib's orders: what is read, what is written, and what is said of a damaged file."""

import pytest

from treatise._core.errors import TreatiseError
from treatise.io import PrefLibRankings, is_preflib, read_preflib, write_preflib

LUNCH = """# FILE NAME: lunch.toi
# TITLE: lunch
# NUMBER ALTERNATIVES: 3
# ALTERNATIVE NAME 1: soup: hot
# ALTERNATIVE NAME 3: fish
4: 2,1,3
 1 : {3, 2} , 1
2: 3
"""


def read_text(tmp_path, text):
    path = tmp_path / "votes.toi"
    path.write_text(text, encoding="utf-8")
    return read_preflib(path)


def test_orders_ties_and_names_are_read(tmp_path):
    votes = read_text(tmp_path, LUNCH)
    assert votes.title == "lunch" and votes.alternatives == ("soup: hot", "2", "fish")
    assert votes.orders == (((1,), (0,), (2,)), ((2, 1), (0,)), ((2,),)) and votes.counts == (4, 1, 2)
    assert votes.ending == ".toi" and is_preflib("a/lunch.TOI.gz") and not is_preflib("lunch.csv")


@pytest.mark.parametrize("ending", ["toi", "toi.gz"])
def test_what_is_written_comes_back(tmp_path, ending):
    votes = read_text(tmp_path, LUNCH)
    write_preflib(votes, tmp_path / f"again.{ending}")
    assert read_preflib(tmp_path / f"again.{ending}") == votes
    strict = PrefLibRankings("", ("a", "b"), (((0,), (1,)),), (3,))
    assert strict.ending == ".soc"
    with pytest.raises(TreatiseError, match="line breaks"):
        write_preflib(PrefLibRankings("", ("a\nb",), (((0,),),), (1,)), tmp_path / "bad.soc")


def test_published_files_have_the_stated_numbers(real_data, tmp_path):
    for name, items, voters, orders in (
        ("00024-00000001.soc", 4, 795, 24), ("00011-00000003.soc", 103, 5, 5), ("00028-00000001.soi", 5, 18723, 292),
    ):  # fmt: skip
        votes = read_preflib(real_data(f"ranking/preflib/{name}"))
        assert (len(votes.alternatives), sum(votes.counts), len(votes.orders)) == (items, voters, orders)
        assert name.endswith(votes.ending)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("4: 2,1,3", "4: 2,1,1"), "line 6 names alternative 1 twice"),
        (("4: 2,1,3", "4: 2,1,7"), "line 6 names alternative 7; they run from 1 to 3"),
        (("4: 2,1,3", "4: 2,x"), "line 6: 'x' is no item, nor items in braces"),
        (("4: 2,1,3", "2,1,3"), "line 6 is no order: it must read 'voters: item,item,...'"),
        (("4: 2,1,3", "4:"), "line 6 orders nothing"),
        (("# NUMBER ALTERNATIVES: 3", "3"), "line 3 comes before '# NUMBER ALTERNATIVES: '"),
        (("ALTERNATIVES: 3", "ALTERNATIVES: three"), "line 3: 'three' must be a whole number"),
        (("ALTERNATIVES: 3", "ALTERNATIVES: 99999999999"), "99999999999 alternatives are more than the file"),
        (("NAME 3", "NAME 9"), "an alternative 9 is named where there are 3"),
    ],
)
def test_damage_is_told_with_its_line(tmp_path, change, message):
    with pytest.raises(TreatiseError, match=r"votes\.toi: ") as caught:
        read_text(tmp_path, LUNCH.replace(*change))
    assert message in str(caught.value)
