"""Junction trees, against the enumeration of all joint states."""

import numpy as np
import pytest
from field_models import (
    assert_same_probabilities,
    goodness_of_fit,
    grid_edges,
    random_model,
    random_pairwise,
    random_tree_edges,
)

from treatise.inference import Chains, FactorGraph, JunctionTree
from treatise.inference.junction_tree._triangulation import check_running_intersection


def models():
    for seed in range(30):
        generator = np.random.default_rng(seed)
        yield random_model(generator, n=6, n_factors=generator.integers(0, 9), forbid=0.25 * (seed % 2))


def test_every_query_equals_enumeration():
    for graph in models():
        exact = graph.brute_force()
        tree = JunctionTree(graph)
        # Sums of a few hundred terms of double precision.
        assert tree.log_partition() == pytest.approx(exact.log_partition, abs=1e-11)
        found = tree.marginals()
        assert found.kind == "exact" and found.log_partition == tree.log_partition()
        assert_same_probabilities(found, exact, atol=1e-11)
        best = tree.best_assignment()
        assert best.energy == pytest.approx(-graph.joint_scores().max(), abs=1e-12)
        assert best.gap == 0 and graph.energy(best.labels) == best.energy


def test_evidence_equals_the_conditioned_model():
    for seed, graph in enumerate(models()):
        exact_all = graph.brute_force()
        v = seed % 6
        state = int(np.argmax(exact_all.nodes[v]))
        tree = JunctionTree(graph)
        conditioned = graph.condition({v: state})
        found = tree.marginals(evidence={v: state})
        exact = conditioned.brute_force()
        assert found.log_partition == pytest.approx(exact.log_partition, abs=1e-11)
        for ours, theirs in zip(found.nodes, exact.nodes):
            np.testing.assert_allclose(ours, theirs, atol=1e-11)
        best = tree.best_assignment(evidence={v: state})
        assert best.labels[v] == state
        assert best.energy == pytest.approx(-conditioned.joint_scores().max(), abs=1e-12)


def test_samples_have_the_frequencies_of_the_model():
    graph = random_pairwise(np.random.default_rng(3), 4, edges=grid_edges(2, 2), strength=1.0)
    drawn = JunctionTree(graph).sample(20_000, random_state=0)
    # The seed is fixed; a wrong conditional distribution gives a p value of zero.
    assert goodness_of_fit(graph, drawn) > 0.01
    again = JunctionTree(graph).sample(20_000, random_state=0)
    np.testing.assert_array_equal(drawn, again)


def test_samples_respect_evidence_and_impossible_states():
    for seed in range(10):
        graph = random_model(np.random.default_rng(seed), n=6, n_factors=6, forbid=0.4)
        state = int(np.argmax(graph.brute_force().nodes[2]))
        drawn = JunctionTree(graph).sample(200, evidence={2: state}, random_state=seed)
        assert np.all(drawn[:, 2] == state)
        assert np.all(graph.scores(drawn) > -np.inf)


def test_a_chain_gives_what_the_chain_engine_gives():
    generator = np.random.default_rng(0)
    unary, transition = generator.normal(size=(40, 4)), generator.normal(size=(4, 4))
    graph = FactorGraph.pairwise(unary, np.column_stack([np.arange(39), np.arange(1, 40)]), transition)
    tree, chain = JunctionTree(graph), Chains(unary, transition)
    assert tree.width == 1
    exact = chain.marginals()
    assert tree.log_partition() == pytest.approx(exact.log_partition[0], abs=1e-10)
    np.testing.assert_allclose(np.array(tree.marginals().nodes), exact.nodes, atol=1e-10)
    np.testing.assert_array_equal(tree.best_assignment().labels, chain.best_paths()[0])


def test_cliques_cover_factors_and_run_together():
    for graph in models():
        tree = JunctionTree(graph)
        for factor in graph.factors:
            assert any(set(factor.variables) <= set(clique) for clique in tree.cliques)
        assert not any(set(a) < set(b) for a in tree.cliques for b in tree.cliques)
        for v in range(len(graph)):
            # Connected, by walking the edges among the cliques that hold v.
            holding = {c for c, clique in enumerate(tree.cliques) if v in clique}
            reached, frontier = set(), {min(holding)}
            while frontier:
                reached |= frontier
                frontier = {b for e in tree.edges for a, b in (e, e[::-1]) if a in reached} & holding - reached
            assert reached == holding


def test_a_tree_takes_other_tables():
    generator = np.random.default_rng(0)
    graph = random_pairwise(generator, 5)
    other = FactorGraph(graph.n_states, [(f.variables, generator.normal(size=f.table.shape)) for f in graph.factors])
    tree = JunctionTree(graph)
    assert tree.with_tables(other).log_partition() == pytest.approx(other.brute_force().log_partition)
    assert tree.log_partition() == pytest.approx(graph.brute_force().log_partition)
    with pytest.raises(ValueError, match="other variables or factors"):
        tree.with_tables(other.add((0,), np.zeros(graph.n_states[0])))


def test_a_broken_intersection_is_found():
    with pytest.raises(ValueError, match="cliques of variable 0 are not connected"):
        check_running_intersection([(0, 1), (1, 2), (0, 2)], [(1, 0), (2, 1)])


def test_min_fill_finds_the_width_of_trees_and_grids():
    generator = np.random.default_rng(0)
    edges = random_tree_edges(generator, 60)
    assert JunctionTree(FactorGraph.ising(np.zeros(60), edges, np.ones(59))).width == 1
    ring = [[i, (i + 1) % 30] for i in range(30)]
    assert JunctionTree(FactorGraph.ising(np.zeros(30), ring, np.ones(30))).width == 2
    grid = grid_edges(5, 12)
    # The treewidth of a grid is its smaller side; the heuristic may lose a little.
    assert JunctionTree(FactorGraph.ising(np.zeros(60), grid, np.ones(len(grid)))).width in (5, 6)


def test_a_hopeless_model_is_refused_with_the_size_of_its_clique():
    everyone = [(s, t) for s in range(40) for t in range(s)]
    graph = FactorGraph.ising(np.zeros(40), everyone, np.ones(len(everyone)))
    with pytest.raises(ValueError, match=r"would couple 40 variables with 1.1e\+12 joint states"):
        JunctionTree(graph)


def test_impossible_evidence_is_an_error():
    graph = FactorGraph([2, 2], [((0, 1), [[0.0, -np.inf], [-np.inf, 0.0]])])
    with pytest.raises(ValueError, match="no joint state is possible"):
        JunctionTree(graph).log_partition(evidence={0: 0, 1: 1})
    with pytest.raises(ValueError, match="evidence 2: 0"):
        JunctionTree(graph).marginals(evidence={2: 0})


def test_products_and_logarithms_give_the_same():
    """Scores too wide for products are summed in logarithms; the same model, scaled, tells both apart."""
    for seed in range(6):
        generator = np.random.default_rng(seed)
        graph = random_model(generator, n=7, n_factors=9, forbid=0.2 * (seed % 2))
        for scale in (1.0, 400.0):
            wide = FactorGraph(graph.n_states, [(f.variables, scale * f.table) for f in graph.factors])
            exact, tree = wide.brute_force(), JunctionTree(wide)
            found = tree.marginals()
            assert found.log_partition == pytest.approx(exact.log_partition, rel=1e-12)
            assert_same_probabilities(found, exact, atol=1e-11)
            for ours, theirs in zip(tree.node_probabilities(), exact.nodes):
                np.testing.assert_allclose(ours, theirs, atol=1e-11)


def test_a_long_chain_of_small_probabilities_does_not_vanish():
    n = 3000
    table = np.log([[1 - 1e-9, 1e-9], [1e-9, 1 - 1e-9]])
    graph = FactorGraph([2] * n, [((v, v + 1), table) for v in range(n - 1)])
    tree = JunctionTree(graph)
    # By symmetry: two equally likely states, and every row of the table sums to one.
    assert tree.log_partition() == pytest.approx(np.log(2), abs=1e-9)
    given = tree.node_probabilities(evidence={0: 1, n - 1: 0})
    assert given[0][1] == given[-1][0] == 1.0
    # One change of state somewhere, at each place alike, up to the chance of three.
    assert given[n // 2][1] == pytest.approx(0.5, abs=1e-3)


def test_other_tables_and_impossible_evidence_are_seen():
    graph = FactorGraph([2, 2], [((0, 1), np.log([[0.5, 0.5], [0.2, 0.8]]))])
    tree = JunctionTree(graph)
    before = tree.node_probabilities()[1]
    other = tree.with_tables(FactorGraph([2, 2], [((0, 1), np.log([[0.9, 0.1], [0.9, 0.1]]))]))
    assert other.node_probabilities()[1].round(3).tolist() == [0.9, 0.1]
    np.testing.assert_array_equal(tree.node_probabilities()[1], before)
    with np.errstate(divide="ignore"):
        forbidden = JunctionTree(FactorGraph([2, 2], [((0, 1), np.log([[0.0, 0.0], [0.2, 0.8]]))]))
    with pytest.raises(ValueError, match="no joint state is possible"):
        forbidden.node_probabilities(evidence={0: 0})
