"""Merits of rows: their mean is the score, and their spread is what the score's own spread is."""

import numpy as np
import pytest
from sklearn import metrics

from treatise.statistics import row_merits


def labelled(rng, n=400, k=3):
    actual = rng.integers(0, k, n)
    labels = np.where(rng.random(n) < 0.7, actual, rng.integers(0, k, n))
    return actual, labels


def amounts(rng, n=400):
    actual = rng.normal(size=n)
    return actual, actual + rng.uniform(-1.0, 1.0, n) * (1.0 + np.abs(actual)) / 3.0


def scored(rng, n=400):
    positive = rng.random(n) < 0.3
    return positive, np.round(rng.normal(size=n) + positive, 1)  # with ties


SCORES = {
    "right_labels": (labelled, metrics.accuracy_score),
    "right_labels_by_class": (labelled, metrics.balanced_accuracy_score),
    "macro_f1": (labelled, lambda a, v, **w: metrics.f1_score(a, v, average="macro", **w)),
    "area_under_curve": (scored, metrics.roc_auc_score),
    "average_precision": (scored, metrics.average_precision_score),
    "explained_variance": (amounts, metrics.r2_score),
    "root_squared_error": (amounts, lambda a, v, **w: -metrics.root_mean_squared_error(a, v, **w)),
    "absolute_error": (amounts, lambda a, v, **w: -metrics.mean_absolute_error(a, v, **w)),
}
by_name = pytest.mark.parametrize("name", SCORES)


@by_name
def test_the_mean_of_the_merits_is_the_score(name):
    make, score = SCORES[name]
    for seed in range(5):
        actual, told = make(np.random.default_rng(seed))
        np.testing.assert_allclose(getattr(row_merits, name)(actual, told).mean(), score(actual, told), rtol=1e-10)


@by_name
def test_with_weights_it_is_the_weighted_score_and_weights_of_one_change_nothing(name):
    make, score = SCORES[name]
    rng = np.random.default_rng(7)
    actual, told = make(rng)
    merits, weights = getattr(row_merits, name), rng.integers(0, 4, len(actual)).astype(float)
    np.testing.assert_allclose(
        merits(actual, told, weights).mean(), score(actual, told, sample_weight=weights), rtol=1e-10
    )
    np.testing.assert_allclose(merits(actual, told, np.full(len(actual), 3.0)), merits(actual, told), atol=1e-12)


@by_name
def test_a_row_that_weighs_a_little_more_moves_the_score_by_its_influence(name):
    make, score = SCORES[name]
    actual, told = make(np.random.default_rng(8), 60)
    if name == "explained_variance":
        pytest.skip("the variance of the target is taken as known")
    merits, step = getattr(row_merits, name)(actual, told), 1e-6
    for row in range(0, 60, 7):
        weights = np.ones(60)
        weights[row] += step
        moved = (score(actual, told, sample_weight=weights) - score(actual, told)) / step
        np.testing.assert_allclose(moved, (merits[row] - merits.mean()) / 60, atol=1e-6)


def test_the_mean_is_the_score_also_where_parts_differ_in_size():
    actual, told = amounts(np.random.default_rng(4), 53)
    merits = row_merits.jackknifed(lambda rows: metrics.r2_score(actual[rows], told[rows]), 53, n_parts=10)
    np.testing.assert_allclose(merits.mean(), metrics.r2_score(actual, told), rtol=1e-12)


@by_name
def test_their_spread_is_that_of_the_score_over_samples(name):
    make, score = SCORES[name]
    rng = np.random.default_rng(1)
    samples = [make(rng, 200) for _ in range(300)]
    if name == "explained_variance":  # whose variance of the target is taken as known
        scale = np.mean([np.var(actual) for actual, _ in samples])
        seen = np.std([1.0 - metrics.mean_squared_error(a, v) / scale for a, v in samples])
    else:
        seen = np.std([score(actual, told) for actual, told in samples])
    told = np.mean([getattr(row_merits, name)(a, v).std() / np.sqrt(len(a)) for a, v in samples])
    # 300 samples give the spread to 4 %: four standard errors and the bias of the linear approximation.
    np.testing.assert_allclose(told, seen, rtol=0.18)


@by_name
def test_leaving_out_parts_gives_nearly_the_same_spread(name):
    make, score = SCORES[name]
    actual, told = make(np.random.default_rng(2), 800)
    plain = getattr(row_merits, name)(actual, told)
    jackknifed = row_merits.jackknifed(lambda rows: score(actual[rows], told[rows]), 800, n_parts=200)
    # The parts hold four rows each: a part's merit is the mean of its rows'.
    np.testing.assert_allclose(jackknifed.std() / np.sqrt(200), plain.std() / np.sqrt(800), rtol=0.15)
    np.testing.assert_allclose(jackknifed.mean(), plain.mean(), rtol=1e-3)


def test_components_of_the_area_are_counts_of_pairs():
    positive, scores = scored(np.random.default_rng(3), 60)
    merits = row_merits.area_under_curve(positive, scores)
    wins = (scores[positive][:, None] > scores[~positive]) + 0.5 * (scores[positive][:, None] == scores[~positive])
    area, share = wins.mean(), positive.mean()
    np.testing.assert_allclose(merits[positive], area + (wins.mean(axis=1) - area) / share, rtol=1e-12)
    np.testing.assert_allclose(merits[~positive], area + (wins.mean(axis=0) - area) / (1 - share), rtol=1e-12)


def test_an_area_without_a_second_class_is_refused():
    with pytest.raises(ValueError, match="rows of both classes"):
        row_merits.area_under_curve([True, True], np.zeros(2))


def test_an_average_precision_without_a_positive_row_is_refused():
    with pytest.raises(ValueError, match="rows of the positive class"):
        row_merits.average_precision([False, False], np.zeros(2))


def test_the_likelihood_of_an_impossible_class_stays_finite():
    assert np.isfinite(row_merits.log_likelihood(np.array([0.0, 0.5]))).all()
