"""Agreement of orders against counting pairs, and places against simulated scores."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import ndcg_score

from treatise.statistics import disagreement, kendall_distance, ndcg, place_intervals


@pytest.mark.parametrize("seed", range(5))
def test_kendall_distance_counts_decided_pairs_in_opposite_order(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 9, 40).astype(float), rng.integers(0, 9, 40).astype(float)
    a[rng.random(40) < 0.1] = np.nan
    pairs = [(a[i] - a[j]) * (b[i] - b[j]) for i, j in combinations(range(40), 2)]
    opposite, decided = sum(p < 0 for p in pairs), sum(p < 0 or p > 0 for p in pairs)
    assert kendall_distance(a, b, normalized=False) == opposite
    assert kendall_distance(a, b) == opposite / decided
    known = ~np.isnan(a)
    voted = [(a[i] - a[j]) * np.sign(b[i] - b[j]) for i, j in combinations(np.flatnonzero(known), 2) if b[i] != b[j]]
    wrong = np.mean([1.0 if lead < 0 else 0.5 * (lead == 0) for lead in voted])
    assert disagreement(a, b) == pytest.approx(wrong)
    assert kendall_distance(-a, b) == pytest.approx(1 - opposite / decided)


def test_undecided_pairs_leave_no_distance():
    assert np.isnan(kendall_distance([1, 1, 1], [1, 2, 3])) and kendall_distance([1, 1], [1, 2], normalized=False) == 0
    with pytest.raises(ValueError, match=r"of one length, got the shapes \(2,\) and \(3,\)"):
        kendall_distance([1, 2], [1, 2, 3])


def test_ndcg_has_the_papers_gain_and_does_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 12)
    scores = np.round(rng.normal(size=12))  # with ties
    for k in (1, 3, None):
        # Scikit-learn has the gain itself where the paper has 2^label - 1, and averages ties as well.
        assert ndcg(labels, scores, k) == pytest.approx(ndcg_score([2.0**labels - 1], [scores], k=k), rel=1e-12)
        mixed = rng.permutation(12)
        assert ndcg(labels[mixed], scores[mixed], k) == pytest.approx(ndcg(labels, scores, k), rel=1e-12)
    assert ndcg(labels, labels) == pytest.approx(1.0)
    assert np.isnan(ndcg([0, 0], [1, 2]))
    with pytest.raises(ValueError, match="one is -1"):
        ndcg([-1, 2], [1, 2])
    with pytest.raises(ValueError, match="k=0 places"):
        ndcg([1, 2], [1, 2], k=0)


def test_places_are_covered_and_narrow_where_scores_are_far_apart():
    rng = np.random.default_rng(0)
    true = np.array([4.0, 2.0, 1.9, 1.8, 0.0])
    covered = []
    for _ in range(200):
        scores = true + 0.2 * rng.standard_normal(5)
        best, worst = place_intervals(scores, scores + 0.2 * rng.standard_normal((400, 5)))
        covered.append((best <= np.arange(1, 6)) & (np.arange(1, 6) <= worst))
        assert best[0] == worst[0] == 1
    # At least 0.95 in theory; two hundred draws err by 0.015.
    assert np.min(np.mean(covered, axis=0)) >= 0.92
    with pytest.raises(ValueError, match="do not fit scores"):
        place_intervals(true, np.zeros((5, 4)))
