"""The doubling algorithm for k-center (Choromanska, 2014, Section 5.3; Charikar et al., 2004)."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from treatise.online import DoublingKCenter


def radius(X, centers):
    return np.sqrt(np.min(np.sum((X[:, None] - centers) ** 2, axis=2), axis=1).max())


def by_hand(X, k):
    """Centres and threshold after each row, with lists."""
    centers, threshold = [], 0.0
    for x in X:
        if centers and min(np.linalg.norm(x - c) for c in centers) <= 2 * threshold:
            continue
        centers.append(x)
        if len(centers) == k + 1 and threshold == 0.0:
            threshold = min(np.linalg.norm(a - b) for a, b in combinations(centers, 2))
        while len(centers) > k:
            threshold *= 2
            waiting, centers = centers, []
            while waiting:
                first = waiting.pop(0)
                centers.append(first)
                waiting = [c for c in waiting if np.linalg.norm(c - first) > threshold]
    return np.array(centers), threshold


@pytest.mark.parametrize("seed", range(10))
def test_centres_follow_the_algorithm(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2)) * np.exp(rng.normal(size=(60, 1)))
    model = DoublingKCenter(5).fit(X)
    centers, threshold = by_hand(X, 5)
    np.testing.assert_array_equal(model.cluster_centers_, centers)
    assert model.threshold_ == pytest.approx(threshold, rel=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_radius_is_within_eight_times_the_best_at_every_row(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(14, 2)) * 2.0 ** rng.integers(0, 6, size=(14, 1))
    model = DoublingKCenter(3)
    for t in range(1, len(X) + 1):
        model.partial_fit(X[t - 1 : t])
        # The best centres among the rows cover within twice what the best centres anywhere do.
        best = min(radius(X[:t], X[list(some)]) for some in combinations(range(t), min(3, t)))
        assert radius(X[:t], model.cluster_centers_) <= 2 * model.threshold_
        assert model.threshold_ / 4 <= best
        assert len(model.cluster_centers_) <= 3
        gaps = [np.linalg.norm(a - b) for a, b in combinations(model.cluster_centers_, 2)]
        assert all(gap > model.threshold_ for gap in gaps)


def test_parts_of_a_stream_give_what_the_whole_gives():
    X = np.random.default_rng(0).normal(size=(200, 4))
    whole, parts = DoublingKCenter(7).fit(X), DoublingKCenter(7)
    for rows in np.array_split(X, 9):
        parts.partial_fit(rows)
    np.testing.assert_array_equal(parts.cluster_centers_, whole.cluster_centers_)
    assert parts.n_seen_ == 200
    np.testing.assert_array_equal(parts.predict(X), whole.labels_)


def test_repeated_rows_take_one_centre():
    model = DoublingKCenter(3).fit(np.repeat([[0.0, 1.0], [2.0, 3.0]], 20, axis=0))
    np.testing.assert_array_equal(model.cluster_centers_, [[0.0, 1.0], [2.0, 3.0]])
    assert model.threshold_ == 0.0


def test_scikit_learn_accepts_it():
    check_estimator(DoublingKCenter())


def test_no_centres_are_refused():
    with pytest.raises(ValueError, match="n_clusters"):
        DoublingKCenter(0).fit([[0.0], [1.0]])


def test_more_clusters_than_rows_take_no_room():
    rows = np.random.default_rng(0).normal(size=(9, 2))
    many = DoublingKCenter(2**40).partial_fit(rows[:4]).partial_fit(rows[4:])
    np.testing.assert_array_equal(many.cluster_centers_, rows)
