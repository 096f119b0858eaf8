"""Rows of Gaussian graphs."""

import numpy as np

from treatise.datasets import make_random_gaussian_graph


def test_rows_have_unit_variance_and_the_covariance_of_the_printed_precision():
    X, precision = make_random_gaussian_graph(20_000, 8, random_state=0)
    covariance = np.linalg.inv(precision)
    np.testing.assert_allclose(np.diag(covariance), 1.0)
    # Five standard errors of a sample covariance of unit variables.
    np.testing.assert_allclose(X.T @ X / len(X), covariance, atol=5 * np.sqrt(2 / len(X)))


def test_edges_come_with_their_probability_and_one_seed_gives_one_table():
    _, precision = make_random_gaussian_graph(2, 200, edge_probability=0.1, random_state=1)
    share = np.mean(precision[np.triu_indices(200, 1)] != 0)
    assert abs(share - 0.1) < 5 * np.sqrt(0.09 / 19_900)
    again, _ = make_random_gaussian_graph(5, 10, random_state=3)
    np.testing.assert_array_equal(again, make_random_gaussian_graph(5, 10, random_state=3)[0])
