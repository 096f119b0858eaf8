"""Tables of the averages over Bayesian networks: random networks, monks, and files of the KEEL repository."""

import numpy as np
import pytest

from treatise.datasets import make_monks, make_network_table


def test_random_networks_are_acyclic_and_as_dense_as_asked():
    X, parents = make_network_table(50, n_nodes=30, max_parents=4, random_state=0)
    assert X.shape == (50, 30) and set(np.unique(X)) == {0, 1}
    sizes = np.array([len(own) for own in parents])
    assert sizes.max() == 4 and (sizes == 0).sum() == 1
    placed = set()
    while len(placed) < 30:
        ready = {node for node, own in enumerate(parents) if node not in placed and placed.issuperset(own)}
        assert ready, "a cycle"
        placed |= ready


def test_equal_parents_mean_equal_probabilities():
    X, parents = make_network_table(20_000, n_nodes=6, max_parents=2, random_state=1)
    child = max(range(6), key=lambda node: len(parents[node]))
    for configuration in np.unique(X[:, parents[child]], axis=0):
        rows = np.flatnonzero((X[:, parents[child]] == configuration).all(axis=1))
        if len(rows) > 1000:
            first, second = np.array_split(X[rows, child], 2)
            # Five standard errors of a difference of two halves.
            assert abs(first.mean() - second.mean()) < 5 * np.sqrt(0.5 / len(rows))
    dense, parents = make_network_table(200, n_nodes=150, max_parents=140, concentration=0.1, random_state=2)
    assert max(map(len, parents)) > 60 and dense.shape == (200, 150)


def test_the_same_seed_draws_the_same_network():
    first, second = (make_network_table(20, n_nodes=8, random_state=5) for _ in range(2))
    np.testing.assert_array_equal(first[0], second[0])
    assert first[1] == second[1]


@pytest.mark.parametrize(("problem", "positive", "n_training"), [(1, 216, 124), (2, 142, 169), (3, 228, 122)])
def test_monks_rules_hold_for_as_many_robots_as_is_known(problem, positive, n_training):
    X, y, training = make_monks(problem, random_state=0)
    assert X.shape == (432, 6) and len(np.unique(X, axis=0)) == 432 and y.sum() == positive
    rows, labels = training.T
    assert len(np.unique(rows)) == n_training
    assert np.sum(labels != y[rows]) == (6 if problem == 3 else 0)
    with pytest.raises(ValueError, match="problem=4 is none"):
        make_monks(4)
