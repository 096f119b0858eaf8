"""How answers are judged: distances from the best default, mean ranks, a record that is taken up, processor time."""

import json
import time
from types import SimpleNamespace

import polars as pl
import pytest

from benchmarks._answers.command import Record, behind, summary
from benchmarks._answers.peers import processor_time
from benchmarks._answers.processor import ProcessorClock
from benchmarks._answers.tables import divisions, held_table


def row(pick, usual, *, tuning=True, table="t", division=0, **others):
    found = {"pick": pick, "undecided": 3, "equivalent": 1, "folds": 10, "seconds": 60.0, "told": 0.1}
    others = {name: {"score": score} for name, score in others.items()}
    about = {"table": table, "division": division, "tuning": tuning, "rows": 400}
    return {**about, "treatise": found, "defaults": usual, **others}


def test_a_distance_is_a_share_of_the_way_from_guessing_to_the_best():
    assert behind(0.8, {"guess": 0.5, "forest": 0.9}) == pytest.approx(0.25)
    assert behind(0.95, {"guess": 0.5, "forest": 0.9}) == pytest.approx(-0.125)


def test_ranks_share_ties_and_count_peers():
    usual = {"guess": 0.5, "forest": 0.9}
    rows = [row(0.9, usual, flaml=0.8), row(0.7, usual, flaml=0.95, table="other")]
    found = summary(rows)
    ranks = {"default forest": 1.75, "default guess": 4.0, "flaml": 2.0, "treatise": 2.25}
    assert found["mean rank, over 2 tables"] == ranks
    rows.append(row(0.9, usual, table="without a peer"))
    assert summary(rows)["mean rank, over 2 tables"] == ranks, "where somebody did not answer, nobody is ranked"
    assert found["worst behind the best default"] == pytest.approx(0.5)
    assert found["median undecided or equivalent"] == 4
    assert summary([]) == {"tables": 0}


def test_a_table_of_several_divisions_counts_once_beside_the_default_that_is_best_on_the_whole():
    first, second = {"guess": 0.5, "forest": 0.9, "linear": 0.8}, {"guess": 0.5, "forest": 0.7, "linear": 0.75}
    rows = [row(0.9, first), row(0.7, second, division=1), row(0.9, first, table="other")]
    found = summary(rows)
    assert found["tables"] == 2
    assert found["worst behind the best default"] == pytest.approx(0.0), "the forest's mean is .8, as the picks'"
    assert summary(rows[:2])["mean rank, over 1 tables"]["treatise"] == pytest.approx((1.5 + 2.5) / 2)


def test_small_tables_are_divided_until_enough_rows_are_judged():
    assert list(divisions("diabetes")) == [0, 1], "133 rows in each"
    first, second = (held_table("diabetes", division) for division in divisions("diabetes"))
    assert first.test.height == second.test.height == 133
    assert not first.test.equals(second.test)


def test_tuning_is_set_beside_the_defaults_of_the_same_table():
    usual = {"guess": 0.5, "forest": 0.9}
    rows = [row(0.9, usual), row(0.86, usual, tuning=False), row(0.1, usual, tuning=False, table="other")]
    found = summary(rows)
    assert found["tables"] == 1
    assert found["mean of tuning less defaults in the same time, likewise, over 1 tables"] == pytest.approx(0.1)


def test_a_record_is_taken_up_where_it_stopped(tmp_path):
    held = SimpleNamespace(name="t", division=0, train=pl.DataFrame({"x": [1, 2]}))
    question = SimpleNamespace(held=held, metric=SimpleNamespace(name="r2"))
    asked = {"budget": 60.0, "jobs": 2, "tuning": True}
    path = tmp_path / "answers.json"
    first = Record(path, asked)
    assert first.lacks(question, "defaults")
    first.keep(question, "defaults", {"guess": 0.0, "linear": 0.5})
    again = Record(path, asked)
    assert not again.lacks(question, "defaults")
    assert again.lacks(question, "treatise")
    assert Record(path, asked | {"budget": 30.0}).lacks(question, "defaults")
    later = SimpleNamespace(**{**vars(held), "division": 1})
    assert Record(path, asked).lacks(SimpleNamespace(held=later, metric=question.metric), "defaults")
    again.keep(question, "treatise", row(0.5, {})["treatise"])
    *rows, last = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert len(rows) == 1
    assert last["tables"] == 1


def test_a_peers_clock_shows_processor_time():
    clock = ProcessorClock(2)
    true, begun = time.monotonic, time.process_time()
    with processor_time(clock):
        start = time.time(), time.perf_counter(), time.monotonic()
        time.sleep(0.5)
        waited = time.time() - start[0]
        while time.process_time() - begun < 0.6:
            pass
        worked = [now() - then for now, then in zip((time.time, time.perf_counter, time.monotonic), start)]
    assert time.monotonic is true
    assert waited < 0.2
    assert all(0.2 < each < 0.5 for each in worked), "half of it for each of two processors"
