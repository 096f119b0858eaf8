"""``treatise events``: from a raw log to ranked entities with the reasons."""

import json

import numpy as np
import polars as pl
import pytest

from treatise.datasets import make_click_log


@pytest.fixture(scope="module")
def clicks():
    log, labels = make_click_log(80, 4000, fraud_share=0.1, gateways=0.0, random_state=0)
    return log.join(labels, on="publisherid").sample(fraction=1.0, shuffle=True, seed=0)


@pytest.fixture
def few_trees(monkeypatch):
    monkeypatch.setattr("treatise.compare.events.TREES", 25)


def test_fraud_is_ranked_by_labels_and_left_in_files(invoke, few_trees, clicks, tmp_path):
    clicks.write_csv(tmp_path / "clicks.csv")
    words = ["--entity", "publisherid", "--time", "clicktime", "--label", "status", "--visitor", "numericip"]
    answer = invoke("events", str(tmp_path / "clicks.csv"), *words, "-o", str(tmp_path / "out"))
    assert answer.exit_code == 0, answer.stderr
    assert "8 of 80 labelled entities have this label" in answer.stdout and "more than" in answer.stdout
    names = {"events.html", "events.png", "entities.csv", "features.csv", "importance.csv", ".lock"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == names
    ranked = pl.read_csv(tmp_path / "out" / "entities.csv")
    assert ranked.height == 80 and (ranked["status"].head(8) == "Fraud").sum() >= 6
    assert ranked["score"].is_sorted(descending=True) and ranked["reason 1"].head(8).str.contains("usual").all()
    page = (tmp_path / "out" / "events.html").read_text()
    assert "Most like Fraud first" in page and "Features that add most" in page and ranked["publisherid"][0] in page
    features = pl.read_csv(tmp_path / "out" / "features.csv")
    assert features.height == 80 and "status" not in "".join(features.columns)  # the label is no field


def test_scores_of_labelled_entities_do_not_know_their_label(invoke, few_trees, clicks, tmp_path):
    """Labels drawn at random teach nothing: held-out scores must say so."""
    entities = clicks["publisherid"].unique(maintain_order=True).sort()
    drawn = np.random.default_rng(0).permutation(np.repeat(["a", "b"], [20, 60]))
    labels = pl.DataFrame({"publisherid": entities, "status": drawn})
    clicks.drop("status").join(labels, on="publisherid").write_csv(tmp_path / "random.csv")
    answer = invoke(
        "events", str(tmp_path / "random.csv"), "--entity", "publisherid", "--time", "clicktime", "--label", "status",
        "-o", str(tmp_path / "out"), "--json",
    )  # fmt: skip
    told = json.loads(answer.stdout)
    assert told["positive"] == "a" and told["facts"]["average precision"] < 0.5
    assert told["facts"]["chance"] == 0.25


def test_entities_without_a_label_are_ranked_too_and_three_labels_need_a_word(invoke, few_trees, clicks, tmp_path):
    hidden = clicks["publisherid"].unique().sort()[:10]
    some = clicks.with_columns(
        pl.when(pl.col("publisherid").is_in(hidden.implode())).then(None).otherwise(pl.col("status")).alias("status")
    )
    some.write_parquet(tmp_path / "some.parquet")
    base = ["events", str(tmp_path / "some.parquet"), "--entity", "publisherid", "--time", "clicktime"]
    answer = invoke(*base, "--label", "status", "-o", str(tmp_path / "out"))
    assert answer.exit_code == 0 and "10 entities have no label" in answer.stderr
    assert pl.read_csv(tmp_path / "out" / "entities.csv").height == 80
    three = invoke(*base, "--label", "channel", "-o", str(tmp_path / "no"))
    assert three.exit_code == 1 and "--positive" in three.stderr and not (tmp_path / "no").exists()


def test_without_labels_the_oddest_come_first(invoke, clicks, tmp_path):
    clicks.drop("status").write_csv(tmp_path / "clicks.csv")
    answer = invoke(
        "events", str(tmp_path / "clicks.csv"), "--entity", "publisherid", "--time", "clicktime",
        "--fields", "numericip,deviceua", "-o", str(tmp_path / "out"), "--json",
    )  # fmt: skip
    assert answer.exit_code == 0, answer.stderr
    told = json.loads(answer.stdout)
    assert told["label"] is None and "average precision" not in told["facts"]
    scores = [row["score"] for row in told["entities"]]
    assert scores == sorted(scores, reverse=True) and "usual" in told["entities"][0]["reason 1"]
    assert "Odd is not guilty" in (tmp_path / "out" / "events.html").read_text()


def test_mistakes_are_one_sentence_and_leave_nothing(invoke, tmp_path):
    frame = pl.DataFrame(
        {"who": ["a", "a", "b", "c"], "at": [1, 2, 3, 4], "x": list("pqpp"), "y": list("uvuv"), "k": list("mmnn")}
    )
    frame.write_csv(tmp_path / "log.csv")
    frame.with_columns(pl.Series("at", ["soon", "2024-01-01 00:00:00", "x", "y"])).write_csv(tmp_path / "bad.csv")
    frame.rename({"who": "score"}).write_csv(tmp_path / "taken.csv")
    for words, file, *options in (
        ("nosuch", "log.csv", "--entity", "nosuch", "--time", "at"),
        ("several labels in column 'y': u, v", "log.csv", "--entity", "who", "--time", "at", "--label", "y"),
        ("no entity has the label", "log.csv", "--entity", "who", "--time", "at", "--label", "k", "--positive", "z"),
        ("cannot be read as a time", "bad.csv", "--entity", "who", "--time", "at"),
        ("different columns", "log.csv", "--entity", "who", "--time", "who"),
        ("rename it", "taken.csv", "--entity", "score", "--time", "at"),
        ("no field", "log.csv", "--entity", "who", "--time", "at", "--fields", "x", "--visitor", "y"),
    ):
        answer = invoke("events", str(tmp_path / file), *options, "-o", str(tmp_path / "out"))
        assert answer.exit_code == 1 and words in answer.stderr and "Traceback" not in answer.stderr, answer.stderr
    assert not (tmp_path / "out").exists()


def test_events_without_a_time_are_left_out_with_a_word(invoke, tmp_path):
    frame = pl.DataFrame({"who": ["a", "a", "b", "c", None], "at": [1, None, 3, 4, 5], "x": list("pqppp")})
    frame.write_csv(tmp_path / "log.csv")
    answer = invoke("events", str(tmp_path / "log.csv"), "--entity", "who", "--time", "at", "-o", str(tmp_path / "out"))
    assert answer.exit_code == 0, answer.stderr
    assert "2 of 5 events lack the entity or the time" in answer.stderr
