"""Rates and distances of estimated graphs."""

import numpy as np
import pytest

from treatise.graphical import graph_metrics


def test_rates_count_edges_once_and_ignore_the_diagonal():
    true = np.eye(5) + np.eye(5, k=1) + np.eye(5, k=-1)
    found = true.copy()
    found[0, 1] = found[1, 0] = 0
    found[0, 4] = found[4, 0] = -0.2
    weak = np.zeros((5, 5), dtype=bool)
    weak[:3, :3] = True
    metrics = graph_metrics(found, true, weak=weak)
    assert metrics == (pytest.approx(1 / 4), pytest.approx(3 / 4), 2, pytest.approx(1 / 2), 4)


def test_empty_graphs_and_different_sizes():
    empty = graph_metrics(np.zeros((3, 3)), np.eye(3, k=1))
    assert (empty.false_discovery_rate, empty.true_positive_rate, empty.edit_distance) == (0.0, 0.0, 2)
    assert np.isnan(empty.weak_edge_discovery_rate) and np.isnan(graph_metrics(np.eye(2), np.eye(2)).true_positive_rate)
    with pytest.raises(ValueError, match="different shapes"):
        graph_metrics(np.eye(2), np.eye(3))
