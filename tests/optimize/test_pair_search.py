"""Local search on sparse pairs against the dense one and against brute force."""

import itertools

import numpy as np
import pytest

from treatise.optimize.feedback_arc import backward_weight, sift_to_rest
from treatise.optimize.pair_search import neighbour_rows, regroup_to_rest, sift_pairs_to_rest


def drawn(n, seed):
    rng = np.random.default_rng(seed)
    pairs = np.column_stack(np.triu_indices(n, 1))
    pairs = pairs[rng.random(len(pairs)) < 0.6]
    return pairs, rng.normal(size=len(pairs))


def backward(pairs, gains, order):
    place = np.argsort(order)
    return -np.sum(np.where(place[pairs[:, 0]] < place[pairs[:, 1]], gains, 0.0))


def test_no_single_move_improves_an_order_at_rest():
    for seed in range(10):
        pairs, gains = drawn(12, seed)
        order = np.random.default_rng(seed).permutation(12)
        before = backward(pairs, gains, order)
        won = sift_pairs_to_rest(*neighbour_rows(12, pairs, gains, ordered=True), order)
        after = backward(pairs, gains, order)
        assert before - after == pytest.approx(won)
        assert sorted(order.tolist()) == list(range(12))
        for at, to in itertools.permutations(range(12), 2):
            moved = np.insert(np.delete(order, at), to, order[at])
            assert backward(pairs, gains, moved) >= after - 1e-9


def test_sparse_and_dense_search_rest_at_the_same_orders():
    pairs, gains = drawn(15, 3)
    weights = np.zeros((15, 15))
    weights[pairs[:, 0], pairs[:, 1]] = np.maximum(gains, 0.0)
    weights[pairs[:, 1], pairs[:, 0]] = np.maximum(-gains, 0.0)
    order = np.arange(15)
    sift_to_rest(weights, order)
    rest = order.copy()
    assert sift_pairs_to_rest(*neighbour_rows(15, pairs, gains, ordered=True), rest) == 0.0
    np.testing.assert_array_equal(rest, order)
    shift = np.sum(np.maximum(gains, 0.0))
    assert backward_weight(weights, order) == pytest.approx(backward(pairs, gains, order) + shift)


def test_no_single_move_improves_groups_at_rest():
    for seed in range(10):
        pairs, gains = drawn(14, seed)
        groups = np.random.default_rng(seed).integers(0, 3, 14)

        def together(groups, pairs=pairs, gains=gains):
            return np.sum(gains * (groups[pairs[:, 0]] == groups[pairs[:, 1]]))

        before = together(groups)
        won = regroup_to_rest(*neighbour_rows(14, pairs, gains, ordered=False), groups, 3)
        assert together(groups) - before == pytest.approx(won)
        for item, group in itertools.product(range(14), range(3)):
            moved = groups.copy()
            moved[item] = group
            assert together(moved) <= together(groups) + 1e-9


def test_items_without_a_pair_stay():
    order, groups = np.arange(4), np.zeros(4, dtype=np.int64)
    pairs, gains = np.array([[0, 1]]), np.array([-1.0])
    sift_pairs_to_rest(*neighbour_rows(4, pairs, gains, ordered=True), order)
    assert order.tolist() == [1, 0, 2, 3]
    regroup_to_rest(*neighbour_rows(4, pairs, gains, ordered=False), groups, 2)
    assert groups.tolist() == [1, 0, 0, 0]
