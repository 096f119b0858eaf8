"""Threshold curves against scikit-learn's, and what they do where there is none."""

import json

import numpy as np
import pytest
from sklearn import metrics

from treatise.compare.explaining import threshold_curve
from treatise.compare.inputs import FoldPredictions
from treatise.report.record import to_plain

CLASSES = np.array(["no", "yes"])


def parts_of(actual, scores, folds=1, probabilities=True):
    both = np.column_stack([1 - scores, scores])
    return [
        FoldPredictions(part, actual[part], actual[part], both[part] if probabilities else None, both[part],
                        np.zeros(len(part)))
        for part in np.array_split(np.arange(len(actual)), folds)
    ]  # fmt: skip


def simulated(n, digits=9):
    rng = np.random.default_rng(0)
    actual = CLASSES[(rng.random(n) < 0.3).astype(int)]
    return actual, np.round(1 / (1 + np.exp(-rng.normal(size=n) - (actual == "yes"))), digits)


@pytest.mark.parametrize("digits", [9, 1])
def test_points_are_those_of_scikit_learn(digits):
    actual, scores = simulated(150, digits)
    curve = threshold_curve("k", "M", CLASSES, parts_of(actual, scores, folds=3))
    fallout, recall, thresholds = metrics.roc_curve(actual == "yes", scores, drop_intermediate=False)
    np.testing.assert_array_equal(curve.thresholds, thresholds[1:])
    np.testing.assert_allclose(curve.true_positive_rate, recall[1:])
    np.testing.assert_allclose(curve.false_positive_rate, fallout[1:])
    precision, _, _ = metrics.precision_recall_curve(actual == "yes", scores)
    np.testing.assert_allclose(curve.precision[::-1], precision[:-1])
    assert curve.area == pytest.approx(metrics.roc_auc_score(actual == "yes", scores))
    assert curve.average_precision == pytest.approx(metrics.average_precision_score(actual == "yes", scores))


def test_marked_thresholds_are_the_best_of_all():
    actual, scores = simulated(5000)
    curve = threshold_curve("k", "M", CLASSES, parts_of(actual, scores))
    positive = actual == "yes"
    told = scores[np.newaxis, :] >= np.unique(scores)[:, np.newaxis]
    f1 = 2 * (told & positive).sum(1) / (told.sum(1) + positive.sum())
    gap = (told & positive).sum(1) / positive.sum() - (told & ~positive).sum(1) / (~positive).sum()
    assert curve.best_f1 == np.unique(scores)[f1.argmax()]
    assert curve.youden == np.unique(scores)[gap.argmax()]


def test_many_points_are_thinned_without_losing_ends_marks_or_shape():
    actual, scores = simulated(20_000)
    curve = threshold_curve("k", "M", CLASSES, parts_of(actual, scores))
    assert 150 < len(curve.thresholds) <= 200
    assert (curve.thresholds[0], curve.thresholds[-1]) == (scores.max(), scores.min())
    assert {curve.best_f1, curve.youden} <= set(curve.thresholds)
    assert list(curve.thresholds) == sorted(set(curve.thresholds), reverse=True)
    area = np.trapezoid(np.r_[0, curve.true_positive_rate], np.r_[0, curve.false_positive_rate])
    assert area == pytest.approx(curve.area, abs=2e-3)
    # What is kept is exact: rates times counts are whole numbers of rows.
    found = np.array(curve.true_positive_rate) * curve.positives
    np.testing.assert_allclose(found, np.round(found), atol=1e-6)


def test_scores_that_are_no_probabilities_may_be_infinite_where_a_fold_lacked_the_class():
    actual, scores = simulated(60)
    scores = 10 * scores - 3
    scores[:10] = -np.inf
    curve = threshold_curve("k", "M", CLASSES, parts_of(actual, scores, probabilities=False))
    assert not curve.probabilities
    json.dumps(to_plain(curve), allow_nan=False)
    assert (curve.true_positive_rate[-1], curve.false_positive_rate[-1]) == (1.0, 1.0)


def test_a_method_without_scores_says_so():
    actual, scores = simulated(60)
    (part,) = parts_of(actual, scores)
    part = FoldPredictions(part.numbers, part.actual, part.predicted, None, None, part.merits)
    assert "gives labels alone" in threshold_curve("k", "M", CLASSES, [part]).why_not
    assert "No held-out predictions of M" in threshold_curve("k", "M", CLASSES, []).why_not
    one = threshold_curve("k", "M", CLASSES, parts_of(np.array(["no"] * 5), scores[:5]))
    assert one.why_not == "The held-out rows of M are too few for a curve."
    assert one.thresholds == ()
