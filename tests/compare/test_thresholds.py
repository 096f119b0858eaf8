"""The probability from which on a row is said to be of the rarer class."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from treatise._core.errors import TreatiseError
from treatise.compare.inputs import FoldPredictions, Request, read_input
from treatise.compare.inputs.thresholds import best_threshold, read_threshold, thresholded


@pytest.fixture(scope="module")
def rare():
    rng = np.random.default_rng(0)
    positive = rng.random(600) < 0.1
    return positive, np.round(1 / (1 + np.exp(-(rng.normal(size=600) + 2 * positive - 3))), 2)


@pytest.mark.parametrize("rule", ["f1", "youden"])
@pytest.mark.parametrize("weighted", [False, True])
def test_no_other_threshold_does_better(rare, rule, weighted):
    positive, scores = rare
    weights = np.random.default_rng(1).uniform(0, 2, len(scores)) if weighted else np.ones(len(scores))

    def merit(value):
        told = scores >= value
        if rule == "f1":
            return f1_score(positive, told, sample_weight=weights)
        return np.average(told[positive], weights=weights[positive]) - np.average(
            told[~positive], weights=weights[~positive]
        )

    best = best_threshold(positive, scores, rule, weights)
    assert merit(best) == pytest.approx(max(merit(value) for value in np.linspace(0.005, 0.995, 100)))
    assert best < 0.5


def test_labels_follow_the_threshold_and_keep_their_type():
    classes = np.array(["fraud", "sound"])
    labels = thresholded(np.array(["sound", "sound"]), classes, "fraud", np.array([0.3, 0.1]), 0.3)
    assert labels.tolist() == ["fraud", "sound"] and labels.dtype.kind == "U"
    assert thresholded(np.array([0, 1]), np.array([0, 1]), 1, np.array([0.2, 0.9]), 0.5).dtype.kind == "i"


def test_rules_and_probabilities_are_read_and_others_refused():
    assert read_threshold(None) is None and read_threshold("youden") == "youden" and read_threshold(0.25) == 0.25
    for wrong in ("F2", "1.5", 0.0, "nan"):
        with pytest.raises(TreatiseError, match="a probability such as"):
            read_threshold(wrong)


def settled(positive, scores, **wishes):
    import polars as pl

    names = np.where(positive, "fraud", "sound")
    frame = pl.DataFrame({"x": scores, "y": names})
    given = read_input(Request(frame, "y", **wishes))
    assert given.positive == "fraud"
    shares = np.column_stack([scores, 1 - scores])
    half = len(names) // 2
    parts = [
        FoldPredictions(rows, names[rows], names[rows], shares[rows])
        for rows in (np.arange(half), np.arange(half, len(names)))
    ]
    return given, given.settled(parts), parts


def test_a_rare_class_gets_a_threshold_from_held_out_rows_and_another_one_if_asked(rare):
    positive, scores = rare
    _, about, _ = settled(positive, scores)
    value = best_threshold(positive, scores, "f1")
    assert about == {"threshold": {"value": value, "of": "probabilities", "rule": "f1"}}
    _, about, _ = settled(positive, scores, threshold="youden")
    assert about["threshold"]["value"] == best_threshold(positive, scores, "youden")
    _, about, _ = settled(positive, scores, threshold=0.3)
    assert about["threshold"] == {"value": 0.3, "of": "probabilities"}
    assert settled(positive, scores)[0].settled([]) == {}


def test_classes_that_are_about_as_common_keep_the_methods_own_labels(rare):
    _, scores = rare
    _, about, _ = settled(np.arange(600) % 5 < 2, scores)
    assert about == {}


def test_scores_serve_where_there_are_no_probabilities(rare):
    positive, scores = rare
    given, _, parts = settled(positive, scores)
    bare = [FoldPredictions(p.numbers, p.actual, p.predicted, None, np.log(p.probabilities + 1e-9)) for p in parts]
    assert given.settled(bare)["threshold"]["of"] == "scores"
    silent = [FoldPredictions(p.numbers, p.actual, p.predicted, None) for p in parts]
    assert set(given.settled(silent)) == {"right"}
