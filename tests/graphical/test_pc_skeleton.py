"""Skeletons by tests of conditional independence, against brute force over all sets."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm

from treatise.datasets import make_weak_edge_graph
from treatise.graphical import PCSkeleton
from treatise.graphical.gaussian.pc_skeleton import fisher_thresholds, weakest_within


def partial(R, i, j, given):
    inverse = np.linalg.inv(R[np.ix_([i, j, *given], [i, j, *given])])
    return -inverse[0, 1] / np.sqrt(inverse[0, 0] * inverse[1, 1])


def brute_skeleton(R, limits):
    p = len(R)
    joined = ~np.eye(p, dtype=bool)
    for size, limit in enumerate(limits):
        before = joined.copy()
        for i, j in combinations(range(p), 2):
            if before[i, j]:
                end = i if before[i].sum() <= before[j].sum() else j
                around = [v for v in np.flatnonzero(before[end]) if v not in (i, j)]
                if any(abs(partial(R, i, j, given)) < limit for given in combinations(around, size)):
                    joined[i, j] = joined[j, i] = False
    return joined


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_the_skeleton_is_that_of_trying_all_sets(order):
    X = make_weak_edge_graph(150, "cycle", n_features=11, n_weak=4, random_state=order).X
    limits = fisher_thresholds(150, np.arange(order + 1), 0.05)
    np.testing.assert_array_equal(PCSkeleton(order).fit(X).adjacency_, brute_skeleton(np.corrcoef(X.T), limits))
    fixed = PCSkeleton(order, threshold=0.1).fit(X)
    np.testing.assert_array_equal(fixed.adjacency_, brute_skeleton(np.corrcoef(X.T), [0.1] * (order + 1)))


def test_weakest_partial_correlations_are_the_least_over_all_sets():
    R = np.corrcoef(np.random.default_rng(0).standard_normal((30, 8)).T)
    pairs = np.array([[0, 1], [2, 7], [3, 5]])
    complete = ~np.eye(8, dtype=bool)
    for order in range(5):
        found = weakest_within(R, pairs, complete, order)
        for (i, j), value in zip(pairs, found):
            others = [v for v in range(8) if v not in (i, j)]
            values = [partial(R, i, j, given) for size in range(order + 1) for given in combinations(others, size)]
            assert value == pytest.approx(min(values, key=abs), abs=1e-10)


def test_thresholds_are_fishers():
    rho = fisher_thresholds(100, [0, 2], 0.05)
    np.testing.assert_allclose(np.arctanh(rho) * np.sqrt([97, 95]), norm.ppf(0.975))


def test_weights_are_the_weakest_that_an_edge_withstood_and_columns_may_be_permuted():
    X = make_weak_edge_graph(400, "chain", n_features=9, n_weak=3, random_state=0).X
    model = PCSkeleton(1, level=0.01).fit(X)
    assert (np.abs(model.edge_weights_) >= fisher_thresholds(400, [1], 0.01)[0] * 0.99).all()
    order = np.random.default_rng(0).permutation(9)
    np.testing.assert_array_equal(
        PCSkeleton(1, level=0.01).fit(X[:, order]).adjacency_, model.adjacency_[np.ix_(order, order)]
    )


def test_a_copy_parts_its_twin_from_all_others_and_constants_have_no_edge():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 4))
    X[:, 1] = X[:, 0]
    X[:, 2] += X[:, 0]
    X[:, 3] = 7.0
    assert PCSkeleton(1).fit(X).edges_.tolist() == [[0, 1]]
    with pytest.raises(ValueError, match="minimum of 6"):
        PCSkeleton(2).fit(X[:5])
