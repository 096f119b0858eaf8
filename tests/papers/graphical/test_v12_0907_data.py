"""Gaussian variables in small connected groups."""

import networkx
import numpy as np

from treatise.papers.graphical.v12_0907._subgraphs import make_subgraph_gaussian


def test_groups_are_connected_small_and_of_the_stated_entries():
    X, precision = make_subgraph_gaussian(50, 100, random_state=0)
    assert X.shape == (50, 100)
    np.testing.assert_array_equal(np.diag(precision), 62.0)
    np.testing.assert_array_equal(precision, precision.T)
    off = precision[~np.eye(100, dtype=bool)]
    assert ((off == 0) | ((off > -30) & (off < -10))).all()
    assert np.linalg.eigvalsh(precision)[0] > 6.2
    parts = list(networkx.connected_components(networkx.from_numpy_array(precision - 62 * np.eye(100))))
    assert max(map(len, parts)) <= 8 and len(parts) < 30
    assert np.count_nonzero(off) / 2 > 100 - len(parts)


def test_rows_have_the_covariance_of_the_precision_and_mean_one_half():
    X, precision = make_subgraph_gaussian(40_000, 12, random_state=1)
    np.testing.assert_allclose(X.mean(axis=0), 0.5, atol=0.01)
    # 40 000 rows give variances to one per cent.
    covariance = np.linalg.inv(precision)
    scale = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    assert np.abs((np.cov(X.T) - covariance) / scale).max() < 0.03


def test_uniform_columns_keep_the_order_of_the_gaussian_ones():
    X, _ = make_subgraph_gaussian(200, 20, random_state=2)
    U, _ = make_subgraph_gaussian(200, 20, gaussian=False, random_state=2)
    np.testing.assert_array_equal(np.argsort(X, axis=0), np.argsort(U, axis=0))
    np.testing.assert_allclose(np.sort(U, axis=0)[:, 3], np.arange(1, 201) / 200)
