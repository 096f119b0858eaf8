"""Measures: every one row by row, those that a user brings, and the interval of a score."""

import pickle
import threading

import numpy as np
import pytest
from sklearn import metrics as sk

from treatise._core.errors import TreatiseError
from treatise.compare.measures import METRICS, TABLE_METRICS
from treatise.compare.metrics import Predictions, interval_of, judge_amounts, judge_classes, row_merits_of
from treatise.compare.own_metric import own_metric


def classified(task, seed=0, n=203):
    """Labels, and predictions with ties among the scores; one class is rare."""
    rng = np.random.default_rng(seed)
    classes = np.array(["no", "yes"] if task == "binary" else ["a", "b", "c"])
    shares = rng.dirichlet(np.ones(len(classes)), n).round(2) + 0.01
    shares /= shares.sum(axis=1, keepdims=True)
    actual = np.where(rng.random(n) < 0.15, classes[0], classes[np.argmax(shares + 0.4 * rng.random(shares.shape), 1)])
    return actual, Predictions(classes[shares.argmax(axis=1)], shares, shares), classes


CASES = [(task, name) for task, names in TABLE_METRICS.items() for name in names]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("task", "name"), CASES)
def test_the_mean_of_the_merits_is_the_score_with_the_better_larger(task, name, weighted):
    rng = np.random.default_rng(1)
    if task == "regression":
        actual, classes, positive = rng.normal(size=203), np.array([]), None
        found = Predictions(actual + rng.normal(size=203))
    else:
        actual, found, classes = classified(task)
        positive = "no" if task == "binary" else None
    weights = rng.uniform(0, 3, len(actual)) if weighted else None
    if task == "regression":
        scores = judge_amounts(actual, found.values, weights)
    else:
        scores = judge_classes(actual, found, classes, positive, weights)
    merits = row_merits_of(name, actual, found, classes, positive=positive, weights=weights)
    assert merits.shape == actual.shape
    assert merits.mean() == pytest.approx(METRICS[name].merit(scores[name]), abs=1e-10)


def test_the_positive_class_of_two_decides_the_average_precision():
    actual, found, classes = classified("binary")
    for column, positive in enumerate(classes):
        told = judge_classes(actual, found, classes, positive)["average_precision"]
        assert told == pytest.approx(sk.average_precision_score(actual == positive, found.scores[:, column]))
    assert judge_classes(actual, found, classes)["average_precision"] == pytest.approx(
        sk.average_precision_score(actual == "yes", found.scores[:, 1])
    )


def test_a_measure_that_predictions_do_not_allow_says_so():
    with pytest.raises(ValueError, match="no probabilities or scores"):
        row_merits_of("roc_auc", np.array(["a", "b"]), Predictions(np.array(["a", "b"])), np.array(["a", "b"]))


def test_a_class_that_was_not_learnt_does_not_stop_the_judging():
    from sklearn.svm import LinearSVC

    from treatise.compare.metrics import predict

    X = np.arange(12.0)[:, None]
    model = LinearSVC().fit(X[:8], np.array(["a", "b"])[(X[:8, 0] > 3).astype(int)])
    classes = np.array(["a", "b", "c"])
    measures = judge_classes(np.array(["a", "b", "b", "c"]), predict(model, X[[0, 6, 7, 11]], classes), classes)
    assert all(np.isfinite(measures[name]) for name in ("roc_auc", "average_precision", "accuracy"))


def within_a_half(actual, predicted):
    return np.mean(np.abs(actual - predicted) <= 0.5)


def test_a_function_of_ones_own_judges_and_spreads_over_rows():
    rng = np.random.default_rng(2)
    actual = rng.normal(size=400)
    found = Predictions(actual + rng.normal(size=400))
    own = own_metric(within_a_half)
    assert own.metric.label == "within a half" and own.metric.greater_is_better
    score = own.score(actual, found, np.array([]))
    assert score == pytest.approx(within_a_half(actual, found.values))
    merits = row_merits_of(own.metric.name, actual, found, np.array([]), own=own)
    assert merits.mean() == pytest.approx(score, abs=1e-10)
    # It is a mean over rows, whose spread is known; fifty parts give it to about ten per cent.
    assert merits.std() == pytest.approx(np.sqrt(score * (1 - score)), rel=0.3)


def test_a_function_from_anywhere_reaches_other_processes():
    factor = 2.0
    own = own_metric(lambda actual, predicted: factor * np.mean(actual == predicted))
    assert own.metric.name == "own metric"
    assert own.function is not None
    again = pickle.loads(pickle.dumps(own))
    assert again.score(np.array([1, 2]), Predictions(np.array([1, 3])), np.array([1, 2, 3])) == 1.0
    lock = threading.Lock()
    with pytest.raises(TreatiseError, match="cannot be sent to the processes"):
        own_metric(lambda actual, predicted: float(lock.locked()))


def test_a_function_that_was_changed_is_told_by_its_fingerprint():
    def measured(share):
        scope = {}
        exec(f"def right(actual, predicted):\n    return (actual == predicted).mean() * {share}", scope)
        return own_metric(scope["right"]).fingerprint

    assert measured("1.0") != measured("2.0")
    assert measured("2.0") == measured("2.0")


def test_what_a_function_holds_is_in_its_fingerprint():
    def within(limit, *, scale=1.0):
        def right(actual, predicted, weight=scale):
            return weight * np.mean(abs(actual - predicted) <= limit)

        return own_metric(right).fingerprint

    assert within(1) == within(1)
    assert len({within(1), within(2), within(1, scale=3.0)}) == 3
    losses = [
        own_metric(sk.make_scorer(sk.mean_pinball_loss, greater_is_better=False, alpha=a)) for a in (0.1, 0.1, 0.9)
    ]
    assert len({loss.fingerprint for loss in losses}) == 2


def test_scorers_by_name_and_by_object_are_asked_for_what_they_want():
    actual, found, classes = classified("multiclass")
    for name in ("matthews_corrcoef", "f1_weighted", "neg_log_loss", "roc_auc_ovo"):
        assert np.isfinite(own_metric(name).score(actual, found, classes))
    assert own_metric("matthews_corrcoef").score(actual, found, classes) == pytest.approx(
        sk.matthews_corrcoef(actual, found.values)
    )
    loss = sk.make_scorer(sk.log_loss, greater_is_better=False, response_method="predict_proba")
    weights = np.random.default_rng(3).uniform(0, 2, len(actual))
    assert own_metric(loss).score(actual, found, classes, weights) == pytest.approx(
        -sk.log_loss(actual, found.probabilities, sample_weight=weights)
    )


def test_what_is_no_measure_is_refused_and_what_fails_is_told_before_the_run():
    with pytest.raises(TreatiseError, match="unknown; choose one of roc_auc"):
        own_metric("acuracy")
    with pytest.raises(TreatiseError, match="no name and no function"):
        own_metric(3)
    with pytest.raises(TreatiseError, match="fails where predictions are perfect"):
        own_metric(lambda predicted: 1.0).tried(np.array([1.0, 2.0]), np.array([]))
    with pytest.raises(TreatiseError, match="gives nan"):
        own_metric(lambda actual, predicted: float("nan")).tried(np.array([1.0, 2.0]), np.array([]))


def test_a_function_with_the_name_of_a_measure_does_not_take_its_place():
    def accuracy(actual, predicted):
        return 0.0

    assert own_metric(accuracy).metric.name == "own accuracy"


def test_the_interval_covers_the_truth_as_often_as_it_says_and_keeps_to_the_measure():
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(400):
        low, high = interval_of((rng.random(120) < 0.8).astype(float), METRICS["accuracy"])
        covered += low <= 0.8 <= high
    # 95 % of 400, three standard errors on either side.
    assert 367 <= covered <= 395
    assert interval_of(np.array([1.0, 1.0, 1.0, 0.9]), METRICS["accuracy"])[1] == 1.0
    low, high = interval_of(-np.array([1.0, 2.0, 3.0]), METRICS["mae"])
    assert 0.0 <= low < 2.0 < high
    assert interval_of(np.array([1.0]), METRICS["accuracy"]) == (None, None)
