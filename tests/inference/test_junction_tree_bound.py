"""The quadratic bound on junction trees, against the enumeration of all joint states."""

from importlib import import_module
from itertools import pairwise, product

import numpy as np
import pytest
from scipy.special import logsumexp

from treatise.inference import FactorGraph, JunctionTree, junction_tree_bound
from treatise.optimize import log_partition_bound


def enumerated(graph, features):
    """Log prior and features of all joint states."""
    states = list(product(*(range(n) for n in graph.n_states)))
    log_h, f = np.zeros(len(states)), np.zeros((len(states), features[0].shape[-1]))
    for factor, own in zip(graph.factors, features):
        for i, state in enumerate(states):
            at = tuple(state[v] for v in factor.variables)
            log_h[i] += factor.table[at]
            f[i] += own[at]
    return log_h, f


def with_features(rng, n_states, scopes, d, forbid=0.0):
    """A model of given factors, with random log h and features."""
    shapes = [tuple(n_states[v] for v in scope) for scope in scopes]
    tables = [rng.normal(size=shape) for shape in shapes]
    for table in tables:
        table[rng.random(table.shape) < forbid] = -np.inf
    return FactorGraph(n_states, list(zip(scopes, tables))), [rng.normal(size=(*shape, d)) for shape in shapes]


def random_tree(rng, forbid=0.0):
    """Up to six variables, each joined to one before it, or to none; now and then a triangle and a constant."""
    n = int(rng.integers(2, 7))
    scopes = [(v,) for v in range(n) if rng.random() < 0.5]
    scopes += [(int(rng.integers(v)), v) for v in range(1, n) if rng.random() < 0.9]
    if n > 2 and rng.random() < 0.3:
        scopes.append(tuple(int(v) for v in rng.choice(n, 3, replace=False)))
    if rng.random() < 0.2:
        scopes.append(())
    scopes = scopes or [(0,)]
    return with_features(rng, rng.integers(2, 4, n).tolist(), scopes, int(rng.integers(1, 5)), forbid)


@pytest.mark.parametrize("merge", ["join", "sum"])
def test_the_bound_lies_above_two_hundred_trees_and_touches_them(merge):
    rng = np.random.default_rng(0)
    for trial in range(200):
        graph, features = random_tree(rng, forbid=0.2 if trial % 4 == 0 else 0.0)
        log_h, f = enumerated(graph, features)
        if log_h.max() == -np.inf:
            continue
        theta = 10 ** rng.uniform(-1, 0.7) * rng.normal(size=f.shape[1])
        bound = junction_tree_bound(graph, features, theta, merge=merge)
        scores = log_h + f @ theta
        np.testing.assert_allclose(bound.log_partition, logsumexp(scores), rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(bound.mean, np.exp(scores - logsumexp(scores)) @ f, atol=1e-10)
        for _ in range(20):
            other = theta + 10 ** rng.uniform(-3, 1.3) * rng.normal(size=len(theta))
            assert bound.value(other) >= logsumexp(log_h + f @ other) - 1e-9


def chain(rng, length, d=5, labels=3):
    scopes = [(v,) for v in range(length)] + [(v, v + 1) for v in range(length - 1)]
    return with_features(rng, [labels] * length, scopes, d)


def test_six_positions_and_three_labels_as_by_enumeration():
    rng = np.random.default_rng(1)
    graph, features = chain(rng, 6)
    theta = 0.5 * rng.normal(size=5)
    log_h, f = enumerated(graph, features)
    scores = log_h + f @ theta
    p = np.exp(scores - logsumexp(scores))
    hessian = (f.T * p) @ f - np.outer(p @ f, p @ f)
    for merge in ("join", "sum"):
        bound = junction_tree_bound(graph, features, theta, merge=merge)
        np.testing.assert_allclose(bound.log_partition, logsumexp(scores), rtol=1e-10)
        np.testing.assert_allclose(bound.mean, p @ f, atol=1e-10)
        assert np.linalg.eigvalsh(bound.curvature - hessian).min() > 0
    assert np.trace(junction_tree_bound(graph, features, theta).curvature) <= 5 * np.trace(hessian)


def test_the_sum_grows_by_the_number_of_labels_and_the_join_does_not():
    rng = np.random.default_rng(2)
    graphs = [chain(np.random.default_rng(3), length) for length in (4, 6, 8)]
    theta = 0.5 * rng.normal(size=5)
    traces = {
        merge: [np.trace(junction_tree_bound(*graph, theta, merge=merge).curvature) for graph in graphs]
        for merge in ("join", "sum")
    }
    assert all(later > 4 * earlier for earlier, later in pairwise(traces["sum"]))
    assert all(later < 4 * earlier for earlier, later in pairwise(traces["join"]))


def test_one_clique_is_theorem_1():
    rng = np.random.default_rng(4)
    graph, features = with_features(rng, [5], [(0,)], 3)
    theta = rng.normal(size=3)
    bound = junction_tree_bound(graph, features, theta)
    flat = log_partition_bound(theta, features[0], np.exp(graph.factors[0].table))
    np.testing.assert_allclose(bound.curvature, flat.curvature, rtol=1e-10)
    np.testing.assert_allclose(bound.mean, flat.mean, rtol=1e-10)


def test_scores_far_apart_neither_overflow_nor_lose_the_bound():
    rng = np.random.default_rng(5)
    graph, features = chain(rng, 4)
    theta = 1e4 * rng.normal(size=5)
    bound = junction_tree_bound(graph, features, theta)
    log_h, _ = enumerated(graph, features)
    assert bound.value(np.zeros(5)) >= logsumexp(log_h)
    assert np.isfinite(bound.curvature).all()


def test_the_tree_is_that_of_exact_inference():
    rng = np.random.default_rng(6)
    graph, features = chain(rng, 5)
    assert junction_tree_bound(graph, features, np.zeros(5)).log_partition == pytest.approx(
        JunctionTree(graph).log_partition(), rel=1e-12
    )


def test_bad_input_is_named(monkeypatch):
    rng = np.random.default_rng(7)
    graph, features = chain(rng, 3)
    with pytest.raises(ValueError, match="'join' or 'sum'"):
        junction_tree_bound(graph, features, np.zeros(5), merge="max")
    with pytest.raises(ValueError, match="4 arrays of features and 5 factors"):
        junction_tree_bound(graph, features[:-1], np.zeros(5))
    with pytest.raises(ValueError, match=r"factor 0 have the shape \(3, 5\); they must have \(3, 4\)"):
        junction_tree_bound(graph, features, np.zeros(4))
    with pytest.raises(ValueError, match="finite"):
        junction_tree_bound(graph, features, [np.nan] * 5)
    with pytest.raises(ValueError, match="factor 1 hold NaN"):
        junction_tree_bound(graph, [features[0], features[1] * np.nan, *features[2:]], np.zeros(5))
    impossible = FactorGraph([2], [((0,), [-np.inf, -np.inf])])
    with pytest.raises(ValueError, match="no joint state is possible"):
        junction_tree_bound(impossible, [np.zeros((2, 1))], [0.0])
    wide = FactorGraph([2, 2], [((0, 1), np.zeros((2, 2))), ((1,), np.zeros(2)), ((0,), np.zeros(2))])
    monkeypatch.setattr(import_module("treatise.inference.junction_tree.bound"), "MOST_NUMBERS", 3)
    with pytest.raises(ValueError, match="use ChainBound"):
        junction_tree_bound(wide, [np.zeros((2, 2, 2)), np.zeros((2, 2)), np.zeros((2, 2))], [0.0, 0.0])
