"""Units, names and order change what the mathematics says they change, and nothing else."""

import numpy as np
import pytest
from sklearn.base import clone

from treatise.graphical import (
    Clime,
    ForestDensity,
    IsingGraph,
    JunctionTreeGraph,
    MultinomialGraph,
    NeighborhoodLasso,
    PCSkeleton,
    SparsePrecision,
)
from treatise.inference import FactorGraph, JunctionTree, belief_propagation, mean_field, tree_reweighted

NUMERIC = [SparsePrecision(), Clime(), NeighborhoodLasso(), PCSkeleton(), JunctionTreeGraph(), ForestDensity("tree")]
by_learner = pytest.mark.parametrize("learner", NUMERIC, ids=lambda learner: type(learner).__name__)


def rows(n=200, p=6, seed=0):
    """A noisy chain, so that the graph is neither empty nor complete."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    for j in range(1, p):
        X[:, j] += 0.8 * X[:, j - 1]
    return X


def edge_set(learner, names=None):
    names = np.arange(100) if names is None else names
    return {frozenset((int(names[i]), int(names[j]))) for i, j in learner.edges_}


@by_learner
def test_units_of_columns_change_no_edge(learner):
    X = rows()
    scaled = X * np.array([1e-3, 1.0, 7.0, 1e4, -2.0, 0.5]) + np.arange(6)
    plain = clone(learner).fit(X)
    assert 0 < len(plain.edges_) < 15
    assert edge_set(clone(learner).fit(scaled)) == edge_set(plain)


@by_learner
def test_the_order_of_rows_and_columns_changes_no_edge(learner):
    X, rng = rows(), np.random.default_rng(1)
    columns = rng.permutation(6)
    plain, other = clone(learner).fit(X), clone(learner).fit(X[rng.permutation(len(X))][:, columns])
    assert edge_set(other, columns) == edge_set(plain)


@pytest.mark.parametrize("learner", [IsingGraph(), MultinomialGraph()], ids=["IsingGraph", "MultinomialGraph"])
def test_names_and_order_of_states_change_no_edge(learner):
    rng = np.random.default_rng(2)
    bits = (rows(400, 5) > 0).astype(int)
    plain = clone(learner).fit(bits)
    assert 0 < len(plain.edges_) < 10
    assert edge_set(clone(learner).fit(1 - bits)) == edge_set(plain)
    columns = rng.permutation(5)
    assert edge_set(clone(learner).fit(bits[rng.permutation(400)][:, columns]), columns) == edge_set(plain)


@pytest.mark.parametrize(
    "infer", [belief_propagation, mean_field, tree_reweighted, lambda g: JunctionTree(g).marginals()]
)
def test_a_constant_in_a_factor_moves_log_z_alone(infer):
    rng = np.random.default_rng(3)
    edges = [(0, 1), (1, 2), (2, 3), (3, 0)]
    factors = [((v,), rng.normal(size=3)) for v in range(4)] + [(edge, 0.3 * rng.normal(size=(3, 3))) for edge in edges]
    plain = infer(FactorGraph([3] * 4, factors))
    moved = infer(FactorGraph([3] * 4, [(v, table + 50.0) for v, table in factors]))
    assert moved.log_partition == pytest.approx(plain.log_partition + 50.0 * len(factors), rel=1e-9)
    for ours, theirs in zip(moved.nodes, plain.nodes):
        np.testing.assert_allclose(ours, theirs, atol=1e-7)
    swap = [2, 0, 1]
    renamed = infer(FactorGraph([3] * 4, [(v, table[np.ix_(*[swap] * table.ndim)]) for v, table in factors]))
    for ours, theirs in zip(renamed.nodes, plain.nodes):
        np.testing.assert_allclose(ours, theirs[swap], atol=1e-7)
