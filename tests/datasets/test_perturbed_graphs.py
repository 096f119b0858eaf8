"""Two graphs that differ in a few nodes: the truth is as described."""

import numpy as np
import pytest

from treatise.datasets import make_perturbed_graphs


@pytest.mark.parametrize("topology", ["erdos-renyi", "scale-free", "community"])
def test_graphs_differ_in_the_perturbed_nodes_alone(topology):
    data = make_perturbed_graphs(5, 60, topology=topology, random_state=3)
    first, second = data.precisions
    i, j = np.nonzero(first - second)
    assert len(i) > 0
    assert all(a in data.perturbed or b in data.perturbed for a, b in zip(i, j))
    off = data.precisions[:, ~np.eye(60, dtype=bool)]
    sizes = np.abs(off[off != 0])
    assert 0.3 <= sizes.min() < 0.32
    assert 0.58 < sizes.max() <= 0.6
    assert np.linalg.eigvalsh(data.precisions).min() == pytest.approx(0.1)  # step 4 shifts the lowest one to this
    assert not set(data.perturbed) & set(data.hubs)
    for node in data.hubs:
        links = (data.precisions[:, node] != 0).sum(axis=1) - 1
        assert (links == 59).all() or topology == "community"
    if topology == "community":
        assert not data.precisions[:, :24, 36:].any()
    else:
        for node in data.perturbed:
            assert ((data.precisions[:, node] != 0).sum(axis=1) == 60).any()


def test_rows_have_the_covariance_of_the_truth_and_seeds_repeat():
    data = make_perturbed_graphs(40000, 6, n_perturbed=1, n_hubs=1, random_state=0)
    for table, precision in zip(data.tables, data.precisions):
        S, truth = np.cov(table.T), np.linalg.inv(precision)
        # Standard error of a covariance is about sqrt(2 / 40000) of the variances; five of them.
        np.testing.assert_allclose(S, truth, atol=5 * np.sqrt(2 / 40000) * np.diag(truth).max())
    again = make_perturbed_graphs(40000, 6, n_perturbed=1, n_hubs=1, random_state=0)
    np.testing.assert_array_equal(again.tables[1], data.tables[1])


def test_impossible_wishes_are_refused():
    with pytest.raises(ValueError, match="special nodes"):
        make_perturbed_graphs(5, 3)
    with pytest.raises(ValueError, match="topology='star'"):
        make_perturbed_graphs(5, 10, topology="star")
