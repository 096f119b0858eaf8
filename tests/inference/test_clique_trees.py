"""Junction trees of plain graphs: against networkx, and their invariants on random graphs."""

import networkx
import numpy as np
import pytest

from treatise.inference import CliqueTree, clique_tree
from treatise.inference.junction_tree._triangulation import check_running_intersection


def random_graph(rng, p, chance):
    upper = np.triu(rng.random((p, p)) < chance, 1)
    return upper | upper.T


def test_200_random_graphs_have_every_edge_in_a_cluster_and_running_intersection():
    rng = np.random.default_rng(0)
    for _ in range(200):
        joined = random_graph(rng, int(rng.integers(1, 15)), rng.uniform(0, 0.7))
        bound = [None, 0, 1, 2][rng.integers(4)]
        tree = clique_tree(joined, max_separator=bound)
        check_running_intersection(tree.clusters, tree.edges)
        sets = [set(cluster) for cluster in tree.clusters]
        assert all(any({i, j} <= cluster for cluster in sets) for i, j in np.argwhere(joined))
        assert set().union(*sets) == set(range(len(joined)))
        assert not any(a < b for a in sets for b in sets)
        if bound is not None:
            assert max(map(len, tree.separators), default=0) <= bound


def test_clusters_of_200_chordal_graphs_are_the_maximal_cliques():
    rng = np.random.default_rng(1)
    for _ in range(200):
        graph = networkx.from_numpy_array(random_graph(rng, 12, rng.uniform(0.05, 0.5)).astype(int))
        chordal, _ = networkx.complete_to_chordal_graph(graph)
        tree = clique_tree(networkx.to_numpy_array(chordal, nodelist=range(12)) != 0)
        assert set(map(frozenset, tree.clusters)) == set(networkx.chordal_graph_cliques(chordal))


def test_the_fill_counts_stay_right_after_every_elimination():
    # A wrong count would eliminate a vertex with more fill than needed: on chordal graphs any fill shows as a new edge.
    rng = np.random.default_rng(2)
    for _ in range(30):
        graph, _ = networkx.complete_to_chordal_graph(
            networkx.gnp_random_graph(25, 0.15, seed=int(rng.integers(10**6)))
        )
        joined = networkx.to_numpy_array(graph, nodelist=range(25)) != 0
        for cluster in clique_tree(joined).clusters:
            assert joined[np.ix_(cluster, cluster)].sum() == len(cluster) * (len(cluster) - 1)


def test_a_complete_graph_is_one_cluster_and_an_empty_one_many():
    assert clique_tree(np.ones((40, 40), dtype=bool)).clusters == (tuple(range(40)),)
    empty = clique_tree(np.zeros((3, 3), dtype=bool))
    assert (empty.clusters, empty.edges, empty.width) == (((0,), (1,), (2,)), (), 0)


def test_no_junction_tree_and_no_undirected_graph_are_refused():
    with pytest.raises(ValueError, match="are not connected"):
        CliqueTree(((0, 1), (2, 3), (1, 2)), ((0, 1), (1, 2)))
    with pytest.raises(ValueError, match="symmetric square matrix"):
        clique_tree(np.eye(3, k=1))
