"""How answers are judged: distances from the best default, and mean ranks."""

import pytest

from benchmarks._answers.command import behind, summary


def row(pick, usual, **others):
    found = {"pick": pick, "undecided": 3, "equivalent": 1, "folds": 10, "wall": 60.0}
    return {"treatise": found, "defaults": usual, "behind": behind(pick, usual), **others}


def test_a_distance_is_a_share_of_the_way_from_guessing_to_the_best():
    assert behind(0.8, {"guess": 0.5, "forest": 0.9}) == pytest.approx(0.25)
    assert behind(0.95, {"guess": 0.5, "forest": 0.9}) == pytest.approx(-0.125)


def test_ranks_share_ties_and_count_peers():
    rows = [row(0.9, {"guess": 0.5, "forest": 0.9}, flaml=0.8), row(0.7, {"guess": 0.5, "forest": 0.9}, flaml=0.95)]
    found = summary(rows)
    assert found["mean rank"] == {"default forest": 1.75, "default guess": 4.0, "flaml": 2.0, "treatise": 2.25}
    assert found["worst behind the best default"] == pytest.approx(0.5)
    assert found["median undecided or equivalent"] == 4
    assert summary([]) == {"tables": 0}
