"""The search for communities against enumeration, planted groups and networkx."""

import networkx
import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

from treatise.network import GraphCommunities, graph_quality, plot_communities
from treatise.network.communities._moving_loops import contract, number_clusters
from treatise.network.communities._search import Level, level_of
from treatise.network.communities.axioms import partitions
from treatise.network.communities.quality import quality_form, terms_of


def weighted_graph(seed, n=8):
    rng = np.random.default_rng(seed)
    E = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.5), 1)
    return E + E.T


def planted(blocks, size, inside, across, seed=0):
    rng = np.random.default_rng(seed)
    n = blocks * size
    truth = np.repeat(np.arange(blocks), size)
    E = np.triu(rng.random((n, n)) < np.where(truth[:, np.newaxis] == truth, inside, across), 1)
    return sparse.csr_array((E + E.T).astype(float)), truth


@pytest.mark.parametrize("function", ["modularity", "adaptive"])
def test_the_search_finds_the_enumerated_optimum_of_most_small_graphs(function):
    everything, hits = list(partitions(8)), 0
    for seed in range(8):
        E = weighted_graph(seed)
        parameters = {"M": E.sum() / 2} if function == "adaptive" else {}
        adjacency = sparse.csr_array(E)
        form = quality_form(function, E.sum(), **parameters)
        best = max(terms_of(adjacency, labels, form).term.sum() for labels in everything)
        found = GraphCommunities(function, n_init=10, random_state=0, **parameters).fit(E).quality_
        assert found <= best + 1e-12
        hits += found >= best - 1e-9
    assert hits >= 7  # of 8: local moves may miss an optimum, but rarely


@pytest.mark.parametrize("M", [0.0, 100.0])
def test_a_ring_of_cliques_is_returned_as_its_cliques(M):
    ring = networkx.ring_of_cliques(30, 5)
    model = GraphCommunities(M=M, random_state=0).fit(ring)
    cliques = [node // 5 for node in ring]
    assert adjusted_rand_score(cliques, model.labels_) == 1.0
    assert model.quality_ == pytest.approx({0.0: 6.136364, 100.0: 3.466435}[M], abs=5e-7)
    assert graph_quality(ring, [node // 10 for node in ring], M=M) < model.quality_


@pytest.mark.parametrize("M", [0.0, 30.0, 300.0, 3000.0])
def test_planted_groups_are_found_at_every_scale(M):
    A, truth = planted(30, 30, 0.4, 0.005)
    model = GraphCommunities(M=M, random_state=1).fit(A)
    assert adjusted_rand_score(truth, model.labels_) > 0.99
    assert model.quality_ >= graph_quality(A, truth, M=M) - 1e-9


@pytest.mark.parametrize("graph", [networkx.karate_club_graph(), networkx.ring_of_cliques(30, 5)])
def test_modularity_is_no_lower_than_louvains(graph):
    theirs = max(
        networkx.community.modularity(graph, networkx.community.louvain_communities(graph, seed=seed))
        for seed in range(5)
    )
    ours = GraphCommunities("modularity", n_init=30, random_state=0).fit(graph).quality_
    assert ours >= theirs - 1e-12


@pytest.mark.parametrize("function", ["adaptive", "modularity", "fixed", "rb", "cpm"])
@pytest.mark.parametrize("refine", [True, False])
def test_quality_is_that_of_the_labels_and_never_falls(function, refine):
    A, _ = planted(8, 12, 0.5, 0.05, seed=3)
    parameters = {"M": 150.0, "resolution": 0.3, "gamma": 2.0}
    model = GraphCommunities(function, refine=refine, random_state=0, **parameters).fit(A)
    assert model.quality_ == pytest.approx(graph_quality(A, model.labels_, function, **parameters), rel=1e-10)
    # Sums over clusters in another order differ in the last digits.
    assert (np.diff(model.history_) >= -1e-12 * abs(model.quality_)).all()
    assert model.converged_
    # No single node can do better elsewhere: the end is a local optimum.
    for node in range(0, A.shape[0], 7):
        for cluster in range(model.n_communities_ + 1):
            moved = model.labels_.copy()
            moved[node] = cluster
            assert graph_quality(A, moved, function, **parameters) <= model.quality_ + 1e-9


def test_contraction_leaves_every_quality_as_it_is():
    rng = np.random.default_rng(0)
    E = weighted_graph(1, 40) + np.diag(rng.random(40))
    parts, coarse = rng.integers(0, 12, 40), rng.integers(0, 4, 12)
    level, count = level_of(sparse.csr_array(E)), number_clusters(parts)
    small = Level(*contract(*level, parts, count))
    dense = sparse.csr_array((small.weights, small.indices, small.indptr), shape=(count, count)).toarray()
    dense += np.diag(small.loops)
    for function in ("adaptive", "modularity", "cut", "ncut"):
        fine = graph_quality(E, coarse[parts], function, M=1.0)
        assert graph_quality(dense, coarse[:count], function, M=1.0) == pytest.approx(fine, rel=1e-10)
    np.testing.assert_allclose(small.sizes, np.bincount(parts))
    np.testing.assert_allclose(small.volumes, dense.sum(axis=1))


def test_scaling_all_weights_with_the_scale_changes_nothing():
    A, _ = planted(6, 15, 0.5, 0.03, seed=2)
    plain = GraphCommunities(M=20.0, random_state=0).fit(A)
    for factor in (1e-6, 1e6):
        scaled = GraphCommunities(M=20.0 * factor, random_state=0).fit(A * factor)
        assert adjusted_rand_score(plain.labels_, scaled.labels_) == 1.0
        assert scaled.quality_ == pytest.approx(plain.quality_, rel=1e-9)


def test_nodes_without_edges_stay_alone_and_an_empty_graph_has_no_communities_to_join():
    A, truth = planted(3, 10, 0.8, 0.01)
    A = sparse.block_diag([A, np.zeros((2, 2))], format="csr")
    labels = GraphCommunities(random_state=0).fit_predict(A)
    assert np.sum(labels == labels[-1]) == np.sum(labels == labels[-2]) == 1
    assert adjusted_rand_score(truth, labels[:-2]) == 1.0
    model = GraphCommunities(random_state=0).fit(np.zeros((4, 4)))
    assert model.n_communities_ == 4
    assert model.quality_ == 0.0
    assert GraphCommunities().fit([[1.0]]).n_communities_ == 1


def test_a_start_is_never_made_worse_and_a_scan_goes_down_the_scales():
    A, truth = planted(10, 20, 0.4, 0.02, seed=5)
    started = GraphCommunities(M=5.0, random_state=0).fit(A, start=truth)
    assert started.quality_ >= graph_quality(A, truth, M=5.0) - 1e-12
    models = GraphCommunities(random_state=0).scan(A, [1.0, 1e5, 1000.0])
    assert [model.M for model in models] == [1.0, 1e5, 1000.0]
    for model in models:
        assert model.quality_ == pytest.approx(graph_quality(A, model.labels_, M=model.M), rel=1e-9)
    assert models[1].n_communities_ <= models[2].n_communities_ <= models[0].n_communities_


def test_one_seed_gives_the_same_bits_and_names_of_nodes_are_kept():
    graph = networkx.relabel_nodes(networkx.karate_club_graph(), lambda node: f"member {node}")
    first, second = (GraphCommunities(random_state=3).fit(graph) for _ in range(2))
    np.testing.assert_array_equal(first.labels_, second.labels_)
    assert first.nodes_[0] == "member 0"
    sizes = np.bincount(first.labels_)
    assert (np.diff(sizes) <= 0).all()


def test_the_picture_draws_every_node_and_refuses_too_many():
    A, truth = planted(3, 10, 0.8, 0.05)
    ax = plot_communities(A, truth, names=range(30))
    assert len(ax.collections[1].get_offsets()) == 30
    with pytest.raises(ValueError, match="at most 3000 nodes"):
        plot_communities(sparse.eye_array(3001, format="csr"), np.zeros(3001))
