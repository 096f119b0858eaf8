"""Orders of tournaments against all permutations."""

from itertools import permutations

import numpy as np
import pytest

from treatise.optimize import feedback_arc as module
from treatise.optimize import feedback_arc_order
from treatise.optimize.feedback_arc import backward_weight


def cheapest(weights):
    return min(
        sum(weights[b, a] for place, a in enumerate(order) for b in order[place + 1 :])
        for order in permutations(range(len(weights)))
    )


@pytest.mark.parametrize("seed", range(6))
def test_few_items_are_ordered_as_the_best_permutation(seed):
    weights = np.random.default_rng(seed).integers(0, 6, (6, 6)).astype(float)
    np.fill_diagonal(weights, 9.0)  # is not looked at
    found = feedback_arc_order(weights)
    np.fill_diagonal(weights, 0.0)
    assert sorted(found.order) == list(range(6)) and found.optimal
    assert found.cost == found.bound == cheapest(weights) == backward_weight(weights, found.order)


def test_local_search_finds_the_best_order_and_never_ends_where_one_move_helps(monkeypatch):
    monkeypatch.setattr(module, "EXACT", 0)
    for seed in range(5):
        weights = np.random.default_rng(seed).integers(0, 6, (7, 7)).astype(float)
        np.fill_diagonal(weights, 0.0)
        found = feedback_arc_order(weights, random_state=0)
        assert found.cost == cheapest(weights) and found.bound <= found.cost
    weights = np.random.default_rng(9).random((30, 30))
    order = np.arange(30)
    module.sift_to_rest(weights, order)
    cost = backward_weight(weights - np.diag(np.diag(weights)), order)
    for at in range(30):
        for place in range(30):
            moved = np.insert(np.delete(order, at), place, order[at])
            assert backward_weight(weights, moved) >= cost - 1e-9


def test_a_tournament_without_circles_is_proven_however_large():
    rng = np.random.default_rng(0)
    true = rng.permutation(200)
    weights = np.zeros((200, 200))
    weights[np.ix_(true, true)] = np.triu(2.0 + rng.random((200, 200)), 1) + np.tril(rng.random((200, 200)), -1)
    found = feedback_arc_order(weights)
    assert found.optimal and found.order.tolist() == true.tolist() and found.cost == pytest.approx(found.bound)


def test_broken_weights_are_refused():
    with pytest.raises(ValueError, match=r"square matrix with a row for each item, got the shape \(2, 3\)"):
        feedback_arc_order(np.ones((2, 3)))
    with pytest.raises(ValueError, match="finite and not negative"):
        feedback_arc_order([[0, -1], [1, 0]])
