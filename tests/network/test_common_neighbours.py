"""Likely links: the counts against their definitions, and what judges them."""

import networkx
import numpy as np
import pytest

from treatise.network import likely_links

INDEX = {
    "common": lambda graph, pair: len(list(networkx.common_neighbors(graph, *pair))),
    "adamic_adar": lambda graph, pair: next(networkx.adamic_adar_index(graph, [pair]))[2],
    "allocation": lambda graph, pair: next(networkx.resource_allocation_index(graph, [pair]))[2],
}


@pytest.mark.parametrize("method", INDEX)
def test_scores_are_those_of_networkx_and_the_best_come_first(method, monkeypatch):
    graph = networkx.gnm_random_graph(40, 120, seed=0)
    every = {pair: INDEX[method](graph, pair) for pair in networkx.non_edges(graph)}
    best = sorted(every.values(), reverse=True)[:15]
    monkeypatch.setattr("treatise.network.common_neighbours.BLOCK", 100)  # several blocks
    found = likely_links(graph, 15, method=method, random_state=0)
    np.testing.assert_allclose(found.scores, best)
    for pair, score in zip(found.pairs.tolist(), found.scores, strict=True):
        assert score == pytest.approx(every.get(tuple(pair), every.get(tuple(reversed(pair)))))


def test_held_out_links_are_told_in_a_network_of_cliques_and_not_in_a_random_one():
    cliques = networkx.relaxed_caveman_graph(20, 8, 0.1, seed=0)
    chance = networkx.gnm_random_graph(160, 560, seed=0)
    assert min(likely_links(cliques, 5, random_state=0).auc.values()) > 0.9
    assert all(0.4 < area < 0.6 for area in likely_links(chance, 5, random_state=0).auc.values())


def test_the_last_links_are_held_out_where_an_order_is_given():
    rng = np.random.default_rng(0)
    cliques = networkx.to_numpy_array(networkx.caveman_graph(12, 6))
    noise = np.triu(rng.uniform(size=cliques.shape) < 0.05, 1) & (cliques == 0)
    graph = np.maximum(cliques, noise + noise.T)
    late = noise[np.nonzero(np.triu(graph, 1))]  # noise came last, and no neighbour tells it
    assert max(likely_links(graph, order=late.astype(float), random_state=0).auc.values()) < 0.7
    early = 1.0 - late + 0.5 * rng.uniform(size=len(late))
    assert min(likely_links(graph, order=early, random_state=0).auc.values()) > 0.8
    with pytest.raises(ValueError, match="order has the shape"):
        likely_links(graph, order=[1, 2])


def test_small_full_and_wrong_input_has_its_answer():
    assert len(likely_links(networkx.complete_graph(6)).pairs) == 0
    few = likely_links(networkx.path_graph(4), 10)
    assert few.auc == {} and few.method == "allocation" and len(few.pairs) == 2
    for wrong in ({"method": "katz"}, {"held_out": 1.0}, {"n_links": -1}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            likely_links(networkx.path_graph(4), **wrong)
