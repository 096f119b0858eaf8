"""Transformations against the joint table that they must preserve."""

from itertools import combinations

import numpy as np
import pytest

from treatise.bayesnet import (
    BayesianNetwork,
    absorb_evidence,
    covered_edges,
    faithful_cpts,
    reduce_to_roots,
    reverse_edge,
)
from treatise.papers.bayesnet.v05_1287.binary_like import is_binary_like_lattice


def random_network(rng, n=6, density=0.5, zeros=False):
    states = rng.integers(2, 4, n)
    order = rng.permutation(n)
    parents = dict.fromkeys(range(n), ())
    for i, j in combinations(range(n), 2):
        if rng.random() < density:
            parents[int(order[j])] += (int(order[i]),)
    cpts = {}
    for v, own in parents.items():
        shape = [states[u] for u in own]
        cpts[v] = rng.dirichlet(np.ones(states[v]), size=int(np.prod(shape))).reshape(*shape, states[v])
        if zeros and own:
            cpts[v][..., 0] *= rng.integers(0, 2, shape)
            cpts[v] /= cpts[v].sum(axis=-1, keepdims=True)
    return BayesianNetwork(parents, cpts)


def test_turning_an_edge_keeps_the_joint_distribution():
    rng = np.random.default_rng(0)
    turned = refused = 0
    for trial in range(15):
        network = random_network(rng, zeros=trial % 2 == 1)
        names = list(network.variables)
        joint = network.query(names)
        for v, own in network.parents.items():
            for u in own:
                others = {**network.parents, v: tuple(w for w in own if w != u)}
                if u in BayesianNetwork(others).dag.ancestors([v]):
                    refused += 1
                    with pytest.raises(ValueError, match="another directed path"):
                        reverse_edge(network, u, v)
                    continue
                turned += 1
                after = reverse_edge(network, u, v)
                np.testing.assert_allclose(after.query(names), joint, atol=1e-14)
                rest = (set(own) | set(network.parents[u])) - {u}
                assert set(after.parents[v]) == rest and set(after.parents[u]) == rest | {v}
                if (u, v) in covered_edges(network):
                    assert after.n_parameters == network.n_parameters
    assert turned > 30 and refused > 10


def test_evidence_absorbed_leaves_the_conditional_distribution_of_the_rest():
    rng = np.random.default_rng(1)
    for trial in range(30):
        network = random_network(rng, zeros=trial % 3 == 0)
        observed = rng.permutation(6)[: rng.integers(1, 5)].tolist()
        row = network.sample(1, random_state=trial)[0]
        evidence = {int(v): row[v] for v in observed}
        rest = [v for v in network.variables if v not in evidence]
        after = absorb_evidence(network, evidence)
        assert sorted(after.variables) == rest
        np.testing.assert_allclose(after.query(rest), network.query(rest, evidence), atol=1e-12)


def test_evidence_at_state_0_keeps_the_lattice_property():
    """Lemma 51: where all tables are BLL and BLTSP, those after absorbing state 0 are BLL."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        network = random_network(rng)
        parents = network.parents
        faithful = BayesianNetwork(parents, faithful_cpts(parents, [len(s) for s in network.states.values()], 0.3))
        observed = rng.permutation(6)[:3].tolist()
        after = absorb_evidence(faithful, {int(v): 0 for v in observed})
        assert all(is_binary_like_lattice(cpt) for cpt in after.cpts.values())


def test_a_variable_reduced_to_its_roots_depends_on_them_as_before():
    rng = np.random.default_rng(3)
    tried = 0
    for trial in range(25):
        network = random_network(rng, density=0.4, zeros=trial % 3 == 0)
        for y in network.variables:
            if not network.parents[y]:
                continue
            tried += 1
            roots = [v for v in network.dag.ancestors([y]) if not network.parents[v]]
            after = reduce_to_roots(network, y)
            assert set(after.variables) == {*roots, y}
            assert set(after.parents[y]) == set(roots)
            assert all(after.parents[r] == () for r in roots)
            names = [*sorted(roots), y]
            np.testing.assert_allclose(after.query(names), network.query(names), atol=1e-14)
    assert tried > 50


def test_networks_of_many_variables_can_be_transformed():
    chain = {v: (v - 1,) if v else () for v in range(80)}
    network = BayesianNetwork(chain, faithful_cpts(chain, 2, 0.4))
    after = reduce_to_roots(network, 79)
    assert after.parents == {0: (), 79: (0,)}
    np.testing.assert_allclose(after.query([0, 79]), network.query([0, 79]), atol=1e-14)
    rest = absorb_evidence(network, {79: 1, 40: 0})
    np.testing.assert_allclose(rest.query(78), network.query(78, {79: 1, 40: 0}), atol=1e-13)


def test_what_cannot_be_done_is_refused():
    network = BayesianNetwork.from_tables(
        {"x": ((), [1.0, 0.0]), "y": (("x",), [[1.0, 0.0], [0.5, 0.5]]), "z": ((), [0.5, 0.5])}
    )
    with pytest.raises(ValueError, match="no edge 'y' -> 'x'"):
        reverse_edge(network, "y", "x")
    with pytest.raises(ValueError, match="'z' is a root itself"):
        reduce_to_roots(network, "z")
    with pytest.raises(ValueError, match="names every variable"):
        absorb_evidence(network, {"x": 0, "y": 0, "z": 0})
    with pytest.raises(ValueError, match="the evidence y=1 has probability 0"):
        absorb_evidence(network, {"y": 1})
    with pytest.raises(ValueError, match="names no state"):
        absorb_evidence(network, {"y": 7})
