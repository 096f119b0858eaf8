"""Nearest neighbours against all pairs, with and without ties, in few columns and in many."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from treatise.statistics import counts_within, neighbour_distances, neighbour_graph

METRICS = ["euclidean", "chebyshev"]


def brute(X, Y=None, k=1, metric="euclidean"):
    gaps = cdist(X, X if Y is None else Y, metric)
    if Y is None:
        np.fill_diagonal(gaps, np.inf)
    return np.sort(gaps, axis=1)[:, :k]


def samples(columns, ties):
    rng = np.random.default_rng(columns)
    X, Y = rng.normal(size=(120, columns)), rng.normal(size=(90, columns))
    return (np.round(X), np.round(Y)) if ties else (X, Y)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("columns", [1, 2, 5, 30])
@pytest.mark.parametrize("k", [1, 4, 89])
def test_distances_are_those_of_all_pairs(columns, ties, metric, k):
    X, Y = samples(columns, ties)
    np.testing.assert_allclose(neighbour_distances(X, k=k, metric=metric), brute(X, None, k, metric), atol=1e-12)
    np.testing.assert_allclose(neighbour_distances(X, Y, k, metric=metric), brute(X, Y, k, metric), atol=1e-12)


@pytest.mark.parametrize("columns", [1, 3, 40])
def test_copies_are_neighbours_at_distance_zero(columns):
    X = np.repeat(np.random.default_rng(0).normal(size=(20, columns)), 3, axis=0)
    distances = neighbour_distances(X, k=3)
    assert np.all(distances[:, :2] == 0.0)
    assert np.all(distances[:, 2] > 0.0)


def test_products_of_far_rows_keep_the_digits_of_small_distances():
    rng = np.random.default_rng(0)
    X = 1e6 + rng.normal(size=(200, 30))
    X[1] = X[0] + 1e-5
    assert neighbour_distances(X, k=1)[0, 0] == pytest.approx(np.linalg.norm(X[1] - X[0]), rel=1e-9)


def test_a_table_of_few_values_costs_no_more_than_one_without_ties():
    # Half of the rows are equal: a plain tree would look at each of them from each of them, 2.5 billion pairs.
    X = np.random.default_rng(0).normal(size=(100_000, 2))
    X[::2] = 0.0
    distances = neighbour_distances(X, k=3)
    assert np.all(distances[::2] == 0.0)
    assert np.all(distances[1::2, 0] > 0.0)


def test_the_graph_names_the_rows_at_these_distances():
    X = samples(3, False)[0]
    indices, distances = neighbour_graph(X, 5)
    np.testing.assert_allclose(distances, brute(X, None, 5), atol=1e-12)
    found = np.linalg.norm(X[indices] - X[:, np.newaxis], axis=2)
    np.testing.assert_allclose(found, distances, atol=1e-12)
    tied = neighbour_graph(np.zeros((12, 2)), 3)[0]
    assert tied.shape == (12, 3)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("columns", [1, 3])
def test_counts_within_are_those_of_all_pairs(columns, metric):
    X = samples(columns, True)[0]
    radii = np.random.default_rng(1).uniform(0, 3, len(X))
    expected = (cdist(X, X, metric) <= radii[:, np.newaxis]).sum(axis=1)
    np.testing.assert_array_equal(counts_within(X, radii, metric=metric), expected)


def test_numbers_of_neighbours_that_cannot_be_are_refused():
    X = np.zeros((4, 2))
    with pytest.raises(ValueError, match="k=4 neighbours of a row among 4 rows; choose k at most 3"):
        neighbour_distances(X, k=4)
    with pytest.raises(ValueError, match="k=5 neighbours among 4 rows; choose k at most 4"):
        neighbour_distances(X, X, k=5)
    with pytest.raises(ValueError, match="k=0"):
        neighbour_graph(X, 0)
    with pytest.raises(ValueError, match="X has 2 columns but Y has 3"):
        neighbour_distances(X, np.zeros((4, 3)))
