"""Mean field from below and tree-reweighted messages from above, on hundreds of enumerated models."""

from itertools import combinations

import numpy as np
import pytest
from field_models import assert_same_probabilities, grid_edges, random_model, random_pairwise, random_tree_edges
from scipy.optimize import minimize

from treatise.inference import (
    FactorGraph,
    belief_propagation,
    mean_field,
    spanning_tree_weights,
    tree_reweighted,
    tree_reweighted_map,
)

ROUNDING = 1e-9
"""Bounds are exact in exact arithmetic; sums of a few thousand doubles lose less than this."""


def models(count=150):
    for seed in range(count):
        generator = np.random.default_rng(seed)
        n = int(generator.integers(2, 8))
        edges = grid_edges(2, 4)[:, :] if seed % 3 == 0 else None
        n = 8 if seed % 3 == 0 else n
        yield random_pairwise(generator, n, edges=edges, strength=float(generator.choice([0.3, 1.0, 3.0])))


def test_bounds_hold_on_every_model():
    for graph in models():
        exact = graph.brute_force().log_partition
        naive, structured = mean_field(graph), mean_field(graph, clusters="forests")
        assert naive.log_partition <= structured.log_partition + ROUNDING
        assert structured.log_partition <= exact + ROUNDING
        assert tree_reweighted(graph, max_iter=50).log_partition >= exact - ROUNDING
        # Also without convergence, from whatever messages there are.
        assert tree_reweighted(graph, max_iter=1).log_partition >= exact - ROUNDING
        best = graph.joint_scores().max()
        for rounds in (1, 50):
            result = tree_reweighted_map(graph, max_iter=rounds)
            assert -result.energy <= best + ROUNDING
            assert result.lower_bound <= -best + ROUNDING


def test_the_upper_bound_holds_with_factors_of_three_variables_and_impossible_states():
    for seed in range(60):
        graph = random_model(np.random.default_rng(seed), n=6, n_factors=6, forbid=0.2 * (seed % 2))
        exact = graph.brute_force().log_partition
        found = tree_reweighted(graph, max_iter=50)
        assert found.log_partition >= exact - ROUNDING
        assert tree_reweighted_map(graph, max_iter=20).lower_bound <= -graph.joint_scores().max() + ROUNDING


def test_better_weights_of_trees_only_lower_the_bound():
    gained = 0
    for graph in models(30):
        exact = graph.brute_force().log_partition
        plain = tree_reweighted(graph, max_iter=200, damping=0.2)
        better = tree_reweighted(graph, n_weight_steps=5, max_iter=200, damping=0.2)
        assert exact - ROUNDING <= better.log_partition <= plain.log_partition + ROUNDING
        gained += better.log_partition < plain.log_partition - 1e-6
    assert gained >= 10


def test_trees_are_exact_for_both():
    for seed in range(30):
        generator = np.random.default_rng(seed)
        n = int(generator.integers(1, 8))
        graph = random_pairwise(generator, n, edges=random_tree_edges(generator, n), forbid=0.2 * (seed % 2))
        exact = graph.brute_force()
        for found in (tree_reweighted(graph), mean_field(graph, clusters="forests")):
            assert found.kind == "exact"
            assert found.log_partition == pytest.approx(exact.log_partition, abs=1e-10)
            assert_same_probabilities(found, exact, atol=1e-10)
        result = tree_reweighted_map(graph)
        assert result.gap < 1e-10 and result.energy == pytest.approx(-graph.joint_scores().max(), abs=1e-10)


def test_the_tree_reweighted_bound_is_the_smallest_average_over_trees():
    """A square has four spanning trees; the average of their log Z is minimised over all ways to share the scores."""
    edges = np.array([[0, 1], [1, 2], [2, 3], [3, 0]])
    generator = np.random.default_rng(4)
    fields, couplings = generator.normal(size=4), 1.5 * generator.normal(size=4)
    states = np.array(np.meshgrid(*[[-1, 1]] * 4, indexing="ij")).reshape(4, -1).T
    products = states[:, edges[:, 0]] * states[:, edges[:, 1]]

    def average(shares):
        # Tree k lacks edge k; its parameters average to those of the model.
        f = shares[:16].reshape(4, 4)
        f = f - f.mean(axis=0) + fields
        c = shares[16:].reshape(4, 4) * ~np.eye(4, dtype=bool)
        c = (c - c.sum(axis=0) / 3 + couplings * 4 / 3) * ~np.eye(4, dtype=bool)
        scores = states @ f.T + products @ c.T
        return np.mean(np.logaddexp.reduce(scores, axis=0))

    expected = minimize(average, np.zeros(32), tol=1e-12).fun
    found = tree_reweighted(FactorGraph.ising(fields, edges, couplings))
    assert found.converged
    # The optimiser's own tolerance on a flat optimum.
    assert found.log_partition == pytest.approx(expected, abs=1e-6)


def test_the_naive_bound_is_expected_score_plus_entropy():
    for graph in models(20):
        found = mean_field(graph, max_iter=7, tol=0.0)
        value = -sum(np.sum(p * np.log(np.maximum(p, 1e-300))) for p in found.nodes)
        for factor in graph.factors:
            p = found.nodes[factor.variables[0]]
            if len(factor.variables) == 2:
                p = np.outer(p, found.nodes[factor.variables[1]])
            value += np.sum(p * factor.table)
        assert found.log_partition == pytest.approx(value, abs=1e-10)


def test_rounds_never_lower_the_mean_field_bound():
    for graph in models(20):
        for clusters in (None, "forests"):
            bounds = [mean_field(graph, clusters=clusters, max_iter=k).log_partition for k in range(1, 8)]
            assert np.all(np.diff(bounds) >= -ROUNDING)


def test_a_fixed_point_is_a_conditional_expectation():
    graph = random_pairwise(np.random.default_rng(0), 6)
    found = mean_field(graph)
    assert found.converged
    for v in range(6):
        field = np.zeros(graph.n_states[v])
        for factor in graph.factors:
            if factor.variables == (v,):
                field += factor.table
            elif v in factor.variables:
                other = factor.variables[1 - factor.variables.index(v)]
                table = factor.table if factor.variables[0] == v else factor.table.T
                field += table @ found.nodes[other]
        expected = np.exp(field - np.logaddexp.reduce(field))
        np.testing.assert_allclose(found.nodes[v], expected, atol=1e-6)


def test_given_clusters_are_used_and_rows_of_a_grid_beat_independence():
    graph = random_pairwise(np.random.default_rng(5), 9, edges=grid_edges(3, 3), strength=1.0)
    rows = mean_field(graph, clusters=np.arange(9).reshape(3, 3))
    assert mean_field(graph).log_partition < rows.log_partition <= graph.brute_force().log_partition
    np.testing.assert_allclose(rows.factors[9].sum(), 1.0)


def test_more_starts_never_hurt():
    graph = FactorGraph.ising(np.zeros(9), grid_edges(3, 3), np.full(12, 1.0))
    one, many = mean_field(graph), mean_field(graph, n_starts=5, random_state=0)
    # From even probabilities without fields nothing moves; a random start breaks the tie.
    assert one.log_partition == pytest.approx(9 * np.log(2))
    assert many.log_partition > one.log_partition + 1


def test_mean_field_holds_with_factors_of_more_than_two_variables():
    closer = 0
    for seed in range(200):
        generator = np.random.default_rng(seed)
        graph = random_model(generator, n=int(generator.integers(3, 8)), n_factors=6, largest=4)
        exact = graph.brute_force().log_partition
        naive, structured = mean_field(graph), mean_field(graph, clusters="forests")
        assert naive.log_partition <= structured.log_partition + ROUNDING
        assert structured.log_partition <= exact + ROUNDING
        closer += structured.log_partition > naive.log_partition + 1e-6
        if structured.kind == "exact":
            assert structured.log_partition == pytest.approx(exact, abs=ROUNDING)
    assert closer > 100


def test_clusters_of_triples_are_expected_score_plus_entropy():
    """The bound is the objective at the distribution that is reported, and no cluster can better it alone."""
    graph = random_model(np.random.default_rng(3), n=6, n_factors=8)
    clusters = [[0, 1, 2], [4, 3], [5]]
    found = mean_field(graph, clusters=clusters, tol=1e-12)
    joints = [best_of_cluster(graph, found, nodes) for nodes in clusters]
    joint = np.einsum("abc,de,f->abcedf", *joints)
    possible = joint > 0
    value = np.sum(joint[possible] * (graph.joint_scores()[possible] - np.log(joint[possible])))
    assert found.log_partition == pytest.approx(value, abs=1e-8)
    assert found.converged and found.kind == "lower"
    for factor, p in zip(graph.factors, found.factors):
        np.testing.assert_allclose(p, marginal(joint, factor.variables), atol=1e-8)


def best_of_cluster(graph, found, nodes):
    """The best distribution of one cluster given the marginals of the others, by enumeration."""
    scores = np.zeros(tuple(graph.n_states[nodes]))
    for factor in graph.factors:
        average, kept = factor.table, list(factor.variables)
        others = [v for v in factor.variables if v not in nodes]
        if others:
            # Other clusters' variables of one factor: their joint probabilities, from the factor's own.
            index = factor.variables.index
            p = found.factors[graph.factors.index(factor)].sum(
                axis=tuple(index(v) for v in factor.variables if v in nodes)
            )
            average = np.tensordot(average, p, ([index(v) for v in others], range(len(others))))
            kept = [v for v in kept if v in nodes]
        order = np.argsort([nodes.index(v) for v in kept])
        shape = [graph.n_states[v] if v in kept else 1 for v in nodes]
        scores = scores + np.transpose(average, order).reshape(shape)
    p = np.exp(scores - scores.max())
    return p / p.sum()


def marginal(joint, variables):
    rest = tuple(v for v in range(joint.ndim) if v not in variables)
    kept = sorted(variables)
    return joint.sum(axis=rest).transpose([kept.index(v) for v in variables])


def test_rounds_over_triples_never_lower_the_bound_and_starts_help():
    graph = random_model(np.random.default_rng(8), n=7, n_factors=9)
    for clusters in (None, "forests"):
        bounds = [mean_field(graph, clusters=clusters, max_iter=k).log_partition for k in range(1, 7)]
        assert np.all(np.diff(bounds) >= -ROUNDING)
    # Neighbours want to be alike, in either state: even probabilities stay where they are.
    table = np.zeros((2, 2, 2))
    table[0, 0, 0] = table[1, 1, 1] = 3.0
    ring = FactorGraph([2] * 6, [((v, (v + 1) % 6, (v + 2) % 6), table) for v in range(6)])
    one, many = mean_field(ring), mean_field(ring, n_starts=5, random_state=0)
    assert many.log_partition > one.log_partition + 1
    assert many.log_partition <= ring.brute_force().log_partition


def test_triples_and_pairs_agree_where_a_third_variable_says_nothing():
    for seed in range(10):
        graph = random_pairwise(np.random.default_rng(seed), 5)
        triple = graph.add((0, 1, 2), np.zeros(tuple(graph.n_states[:3])))
        ours, theirs = mean_field(triple), mean_field(graph)
        assert ours.log_partition == pytest.approx(theirs.log_partition, abs=1e-7)


def test_mean_field_refuses_what_it_cannot_do():
    forbidden = FactorGraph([2, 2, 2], [((0, 1), [[0, -np.inf], [0, 0]]), ((1, 2), np.zeros((2, 2)))])
    with pytest.raises(ValueError, match=r"the pair \(0, 1\) has a score of -inf"):
        mean_field(forbidden)
    assert mean_field(forbidden, clusters="forests").log_partition == pytest.approx(np.log(6))
    impossible = np.zeros((2, 2, 2))
    impossible[0, 0, 0] = -np.inf
    triple = FactorGraph([2, 2, 2], [((0, 1, 2), impossible)])
    with pytest.raises(ValueError, match=r"the factor over \(0, 1, 2\) has a score of -inf"):
        mean_field(triple)
    assert mean_field(triple, clusters=[[0, 1, 2]]).log_partition == pytest.approx(np.log(7))
    with pytest.raises(ValueError, match="cover each of the 3 variables once"):
        mean_field(triple, clusters=[[0, 1], [1, 2]])
    with pytest.raises(ValueError, match="clusters='rows'"):
        mean_field(triple, clusters="rows")
    with pytest.raises(ValueError, match="no state of variable 0"):
        mean_field(triple.add((0,), [-np.inf, -np.inf]), clusters=[[0, 1, 2]])
    square = FactorGraph.ising(np.zeros(4), [[0, 1], [1, 2], [2, 3], [3, 0]], np.ones(4))
    with pytest.raises(ValueError, match="cluster 0 close a loop"):
        mean_field(square, clusters=[[0, 1, 2, 3]])
    with pytest.raises(ValueError, match="cover each of the 4 variables once"):
        mean_field(square, clusters=[[0, 1], [1, 2]])
    with pytest.raises(ValueError, match="clusters='rows'"):
        mean_field(square, clusters="rows")
    with pytest.raises(ValueError, match="n_starts=0"):
        mean_field(square, n_starts=0)


def all_spanning_trees(n, edges):
    for chosen in combinations(range(len(edges)), n - 1):
        parent = list(range(n))

        def root(v, parent=parent):
            return v if parent[v] == v else root(parent[v])

        joined = 0
        for e in chosen:
            a, b = root(edges[e][0]), root(edges[e][1])
            parent[a] = b
            joined += a != b
        if joined == n - 1:
            yield chosen


def test_weights_are_the_frequencies_of_edges_in_all_spanning_trees():
    edges = grid_edges(2, 3).tolist() + [[0, 4]]
    trees = list(all_spanning_trees(6, edges))
    expected = np.bincount(np.concatenate(trees), minlength=len(edges)) / len(trees)
    np.testing.assert_allclose(spanning_tree_weights(6, edges), expected, atol=1e-12)
    assert len(spanning_tree_weights(3, [])) == 0


def test_weights_of_large_graphs_are_those_of_trees_too():
    edges = grid_edges(40, 40)
    weights = spanning_tree_weights(1600, edges)
    assert weights.sum() == pytest.approx(1599) and weights.min() > 0 and weights.max() <= 1
    parts = np.vstack([edges, edges + 1600])
    assert spanning_tree_weights(3200, parts).sum() == pytest.approx(2 * 1599)


def test_given_weights_are_checked_and_one_is_belief_propagation():
    tree = FactorGraph.ising([0.1, 0.2, 0.3], [[0, 1], [1, 2]], [1.0, -1.0])
    same = tree_reweighted(tree, weights=np.ones(2))
    assert same.log_partition == pytest.approx(belief_propagation(tree).log_partition)
    with pytest.raises(ValueError, match="2 edges"):
        tree_reweighted(tree, weights=[1.0])
    with pytest.raises(ValueError, match="weights='even'"):
        tree_reweighted(tree, weights="even")
