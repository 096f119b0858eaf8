"""Maximum flow against SciPy's, and cuts against their own capacity."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from treatise.inference import FlowNetwork


def random_network(generator):
    n, m = int(generator.integers(2, 12)), int(generator.integers(1, 30))
    tails = generator.integers(0, n, m)
    heads = (tails + 1 + generator.integers(0, n - 1, m)) % n
    forward, backward = generator.integers(0, 10, (2, m))
    source, sink = generator.integers(0, 10, (2, n)) * (generator.random((2, n)) < 0.5)
    return n, tails, heads, source, sink, forward, backward


def cost(side, tails, heads, source, sink, forward, backward):
    """Capacity of the cut that leaves ``side`` with the source."""
    out, back = side[tails] & ~side[heads], side[heads] & ~side[tails]
    return source[~side].sum() + sink[side].sum() + forward[out].sum() + backward[back].sum()


def test_flow_equals_scipys_and_the_cut_costs_as_much():
    generator = np.random.default_rng(0)
    for _ in range(200):
        n, tails, heads, source, sink, forward, backward = random_network(generator)
        cut = FlowNetwork(n, tails, heads).minimum_cut(source, sink, forward, backward)
        matrix = np.zeros((n + 2, n + 2), np.int32)
        np.add.at(matrix, (tails, heads), forward)
        np.add.at(matrix, (heads, tails), backward)
        matrix[n, :n], matrix[:n, n + 1] = source, sink
        assert cut.value == maximum_flow(csr_array(matrix), n, n + 1).flow_value
        assert cut.value == cost(cut.on_source_side, tails, heads, source, sink, forward, backward)
        assert isinstance(cut.value, int)


def test_float_capacities_and_reused_topology_give_the_same():
    generator = np.random.default_rng(1)
    n, tails, heads, *_ = random_network(generator)
    network = FlowNetwork(n, tails, heads)
    for _ in range(20):
        source, sink = generator.random((2, n))
        forward = generator.random(len(tails))
        cut = network.minimum_cut(source, sink, forward)
        own = cost(cut.on_source_side, tails, heads, source, sink, forward, forward)
        # Sums of a few numbers below one.
        assert cut.value == pytest.approx(own, abs=1e-12)
        others = generator.random((200, n)) < 0.5
        assert all(cost(side, tails, heads, source, sink, forward, forward) >= own - 1e-12 for side in others)


def test_of_several_cheapest_cuts_the_one_next_to_the_source_is_taken():
    cut = FlowNetwork(2, [0], [1]).minimum_cut([3, 0], [0, 3], [3], [0])
    assert cut.value == 3 and not cut.on_source_side.any()


def test_bad_networks_and_capacities_are_refused():
    with pytest.raises(ValueError, match="an edge has the head 2; nodes are numbered from 0 to 1"):
        FlowNetwork(2, [0], [2])
    network = FlowNetwork(2, [0], [1])
    with pytest.raises(ValueError, match="source holds a capacity that is negative, infinite or NaN"):
        network.minimum_cut([np.inf, 0], [0, 1], [1])
    with pytest.raises(ValueError, match="forward must hold 1 capacities"):
        network.minimum_cut([1, 0], [0, 1], [1, 2])
    with pytest.raises(ValueError, match="beyond exact arithmetic"):
        network.minimum_cut([2**62, 0], [0, 2**62], [1])
    with pytest.raises(ValueError, match="numbers of nodes"):
        FlowNetwork(2, [0.5], [1.2])
    assert FlowNetwork(0, [], []).minimum_cut([], [], []).value == 0
