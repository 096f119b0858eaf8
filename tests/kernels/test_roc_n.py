"""The area up to the first false positives, against counting."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from treatise.kernels import roc_n_score


def counted(y, scores, n):
    """Mean over the first n negatives of the share of positives ranked before each; no ties."""
    order = np.argsort(-scores)
    positive = np.asarray(y)[order] == 1
    before = np.cumsum(positive)[~positive][:n]
    return before.mean() / positive.sum()


@pytest.mark.parametrize("n", [1, 3, 10, 50, 1000])
def test_score_counts_positives_before_each_false_one(n):
    rng = np.random.default_rng(n)
    y = rng.random(80) < 0.3
    scores = rng.permutation(80).astype(float) + 10 * y
    scores += rng.random(80) * 1e-3
    assert roc_n_score(y, scores, n) == pytest.approx(counted(y, scores, n))


def test_all_negatives_give_the_ordinary_area_even_with_ties():
    rng = np.random.default_rng(0)
    y, scores = rng.integers(0, 2, 60), rng.integers(0, 6, 60)
    assert roc_n_score(y, scores, 60) == pytest.approx(roc_auc_score(y, scores))
    assert roc_n_score(y, np.zeros(60), 60) == pytest.approx(0.5)


def test_best_and_worst_rankings():
    assert roc_n_score([1, 1, 0, 0, 0], [5, 4, 3, 2, 1], n=2) == 1
    assert roc_n_score([0, 0, 1, 1], [5, 4, 3, 2], n=2) == 0


def test_wrong_input_is_refused():
    with pytest.raises(ValueError, match="1 distinct labels"):
        roc_n_score([1, 1], [0.0, 1.0])
    with pytest.raises(ValueError, match="n=0"):
        roc_n_score([0, 1], [0.0, 1.0], n=0)
    with pytest.raises(ValueError, match="inconsistent"):
        roc_n_score([0, 1], [0.0, 1.0, 2.0])
