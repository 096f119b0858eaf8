"""The most likely Gaussian with a given graph."""

import numpy as np
import pytest

from treatise.optimize import covariance_selection


def random_graph(p, seed):
    rng = np.random.default_rng(seed)
    joined = np.triu(rng.random((p, p)) < 0.3, 1)
    X = rng.standard_normal((4 * p, p)) @ rng.standard_normal((p, p))
    return np.corrcoef(X.T), joined | joined.T


@pytest.mark.parametrize("seed", range(10))
def test_it_keeps_the_moments_on_edges_and_empties_the_precision_elsewhere(seed):
    S, graph = random_graph(8, seed)
    W = covariance_selection(S, graph, tol=1e-12, max_iter=5000)
    kept = graph | np.eye(8, dtype=bool)
    # Both conditions together are the likelihood equations; passes converge linearly to 1e-12.
    np.testing.assert_allclose(W[kept], S[kept], atol=1e-9)
    np.testing.assert_allclose(np.linalg.inv(W)[~kept], 0.0, atol=1e-7)


def test_the_complete_graph_keeps_everything_and_the_empty_one_the_variances():
    S = random_graph(5, 0)[0] * 3
    np.testing.assert_allclose(covariance_selection(S, np.ones((5, 5), dtype=bool)), S)
    np.testing.assert_allclose(covariance_selection(S, np.zeros((5, 5), dtype=bool)), np.diag(np.diag(S)))


def test_no_gaussian_is_given_where_a_column_repeats_its_neighbour():
    S = np.array([[1.0, 1.0, 0.2], [1.0, 1.0, 0.2], [0.2, 0.2, 1.0]])
    assert covariance_selection(S, np.ones((3, 3), dtype=bool)) is None
    assert covariance_selection(random_graph(8, 1)[0], random_graph(8, 1)[1], tol=1e-14, max_iter=1) is None
