"""Graphs with weak edges have the edges, entries and degrees that the paper's tables imply."""

import numpy as np
import pytest

from treatise.datasets import make_weak_edge_graph


@pytest.mark.parametrize(
    ("kind", "sizes", "n_edges", "n_weak"),
    [("chain", (8, 5), 99, 19), ("cycle", (8, 5), 132, 25), ("hub", (8, 5), 81, 17), ("hub", (12, 5), 82, 18)],
)
def test_edges_and_weak_edges_are_as_many_as_the_tables_imply(kind, sizes, n_edges, n_weak):
    rows = make_weak_edge_graph(0, kind, hub_sizes=sizes)
    assert np.count_nonzero(np.triu(rows.precision, 1)) == n_edges
    assert np.count_nonzero(np.triu(rows.weak)) == n_weak
    assert (rows.precision[rows.weak] < 0.2).all() and (np.diag(rows.precision) == 1).all()


def test_neighbourhood_graphs_keep_their_degrees_and_cross_four_times():
    rows = make_weak_edge_graph(0, "neighborhood", random_state=0)
    joined = (rows.precision != 0) & ~np.eye(300, dtype=bool)
    assert joined[:30, :30].sum(axis=1).max() <= 6 and joined[30:, 30:].sum(axis=1).max() <= 4
    assert joined[:30, 30:].sum() == 4 and rows.weak[:30, 30:].sum() == 4
    # Table 5 implies 594 edges.
    assert abs(joined.sum() // 2 - 594) < 20
    assert set(np.unique(rows.precision)) == {0.0, 0.15, 0.245, 1.0}


def test_rows_have_the_precision_and_seeds_repeat():
    rows = make_weak_edge_graph(40_000, "cycle", n_features=8, n_weak=3, random_state=0)
    # Entries of the inverse of 40 000 rows' covariance err by about 1 / 200.
    np.testing.assert_allclose(np.linalg.inv(np.cov(rows.X.T)), rows.precision, atol=0.03)
    again = make_weak_edge_graph(40_000, "cycle", n_features=8, n_weak=3, random_state=0)
    np.testing.assert_array_equal(rows.X, again.X)


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="kind='ring' is none of chain"):
        make_weak_edge_graph(5, "ring")
    with pytest.raises(ValueError, match="n_weak=20 must lie between 2 and the 10 columns"):
        make_weak_edge_graph(5, n_features=10)
    with pytest.raises(ValueError, match="positive definite"):
        make_weak_edge_graph(5, strong=0.7)
