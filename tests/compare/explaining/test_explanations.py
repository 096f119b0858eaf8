"""Learning curves, importances, and everything that the end of a run explains in one call."""

import json

import numpy as np
import polars as pl
import pytest

from treatise.compare import understand
from treatise.compare.candidates import all_candidates
from treatise.compare.explaining import (
    Trial,
    explained_methods,
    explanations,
    importances,
    learning_curve,
    learning_trials,
)
from treatise.compare.inputs import FoldPredictions
from treatise.compare.metrics import METRICS
from treatise.io import Table
from treatise.report.explained import ColumnEffect
from treatise.report.record import LeaderboardEntry, to_plain
from treatise.theory import corrected_interval

ACCURACY = METRICS["accuracy"]


def logistic():
    """A quick baseline."""
    return next(c for c in all_candidates("binary") if c.key == "sklearn/LogisticRegression")


def entry(key="k", **more):
    usual = {
        "rank": 1, "key": key, "label": key.upper(), "paper": None, "estimator": "e", "baseline": False,
        "form": "linear", "stage": "folds", "rows": 400, "score": 0.9, "low": 0.8, "high": 0.95, "folds": 5,
        "scores": (), "fit_seconds": 0.1, "predict_seconds": 0.1, "metrics": {}, "params": {}, "standing": "best",
        "behind": None, "behind_low": None, "behind_high": None, "copy_of": None,
    }  # fmt: skip
    return LeaderboardEntry(**usual | more)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 12))
    y = np.where(X @ rng.normal(size=12) + 0.3 * rng.normal(size=500) > 0, "yes", "no")
    frame = pl.DataFrame({f"x{i}": X[:, i] for i in range(12)} | {"y": y})
    return understand(Table("things", frame, True, ()), "y")


def test_trials_are_fits_with_parts_of_the_training_rows(data):
    candidate = logistic()
    trials = learning_trials(data, candidate, {}, ACCURACY, k=5, seed=3, seconds=60)
    assert [trial.rows for trial in trials] == [25, 50, 100, 200]
    assert all(len(trial.scores) == 3 for trial in trials)
    assert np.mean(trials[-1].scores) > np.mean(trials[0].scores) + 0.05
    training, held_out = data.divide(5, 0, 1, 3)
    fitted = training.sample(100, 3 + 1).fit(data.pipeline(candidate, {}, 3))
    assert trials[2].scores[1] == data.judge(held_out, data.apply(fitted, held_out.X))["accuracy"]


def test_no_time_gives_no_trials_and_small_tables_fewer_sizes(data):
    candidate = logistic()
    assert learning_trials(data, candidate, {}, ACCURACY, k=5, seed=3, seconds=-1) == ()
    small = learning_trials(data.sample(125, 0), candidate, {}, ACCURACY, k=5, seed=3, seconds=60)
    assert [trial.rows for trial in small] == [25, 50]


def test_the_curve_ends_with_the_score_on_all_rows():
    trials = [Trial("k", "K", 200, (0.8, 0.9, 0.85)), Trial("k", "K", 100, (0.7,)), Trial("other", "O", 100, (0.1,))]
    first, second, last = learning_curve([entry()], trials, ACCURACY, k=5)
    assert (first.rows, first.score, first.low) == (100, 0.7, None)
    interval = corrected_interval([0.8, 0.9, 0.85], n_train=4, n_test=1)
    assert (second.rows, second.score, second.low) == (200, pytest.approx(0.85), interval.low)
    # An accuracy is at most one.
    assert interval.high > second.high == 1.0
    assert (last.rows, last.score, last.low, last.high) == (400, 0.9, 0.8, 0.95)
    assert learning_curve([entry()], [], ACCURACY, k=5) == ()


def test_importances_are_sorted_and_say_what_is_missing():
    effects = {"a": [ColumnEffect("x", 0.1, 0.0, 0.2), ColumnEffect("y", 0.3, 0.2, 0.4)], "b": "It crashed.", "c": []}
    entries = [entry("a"), entry("b"), entry("c"), entry("d", form="blend")]
    found = importances(entries, ["x", "y"], effects)
    assert [effect.column for effect in found[0].columns] == ["y", "x"]
    assert [method.why_not for method in found] == [
        "",
        "It crashed.",
        "No time was left to shuffle the columns for C; give the run a larger --budget.",
        "D mixes what other methods predict; the columns were shuffled for those alone.",
    ]
    assert importances([entry("a")], ["x", "y", "z"], effects)[0].why_not.startswith("Time was left for 2 of the 3")
    assert importances([entry("d")], [], {})[0].why_not == "These data have no columns to shuffle."


def test_the_chosen_method_comes_first_and_copies_guesses_and_blends_are_left_out():
    board = [
        entry("blend", form="blend"), entry("a"), entry("copy", copy_of="a"), entry("look", stage="look"),
        entry("guess", form="constant"), entry("b"), entry("c"),
    ]  # fmt: skip
    assert [e.key for e in explained_methods(board, "c")] == ["c", "a", "b"]
    assert [e.key for e in explained_methods(board, "blend")] == ["blend", "a", "b"]
    assert [e.key for e in explained_methods(board[1:4], None)] == ["a", "look"]


@pytest.mark.parametrize("binary", [True, False])
def test_one_call_explains_everything_as_json_can_hold_it(data, binary):
    if not binary:
        amount = {"y": np.linspace(0, 1, 500)}
        frame = data.X.with_columns(**{name: pl.Series(values) for name, values in amount.items()})
        data = understand(Table("things", frame, True, ()), "y")
    rng = np.random.default_rng(1)
    parts = []
    for fold in range(5):
        _, held = data.divide(5, 0, fold, 0)
        scores = rng.random((len(held.actual), 2)) if binary else None
        told = data.classes[scores.argmax(axis=1)] if binary else held.actual + rng.normal(size=len(held.actual))
        parts.append(FoldPredictions(held.numbers, held.actual, told, scores, scores, np.zeros(len(told))))
    entries = [entry("k"), entry("other")]
    effects = {"k": [ColumnEffect(name, 0.1, 0.0, 0.2) for name in data.features]}
    trials = [Trial("k", "K", 100, (0.7, 0.8))]
    found = explanations(data, ACCURACY, 5, entries, {"k": parts}, effects, trials)
    json.dumps(to_plain(found), allow_nan=False)
    assert [method.why_not == "" for method in found.importance] == [True, False]
    assert [curve.why_not == "" for curve in found.thresholds] == ([True, False] if binary else [])
    assert len(found.learning) == 2
    assert (found.errors.key, found.errors.rows) == ("k", 500)
    assert len(found.profile.columns) == 12
