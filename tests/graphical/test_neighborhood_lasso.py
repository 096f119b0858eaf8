"""Neighbourhood selection against scikit-learn's lasso and against brute force."""

import numpy as np
import pytest
from sklearn.linear_model import Lasso, LinearRegression

from treatise.datasets import make_weak_edge_graph
from treatise.graphical import NeighborhoodLasso, graph_metrics
from treatise.graphical.gaussian.neighborhood_lasso import neighborhood_weights


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def test_regressions_are_scikit_learns_lasso():
    X = make_weak_edge_graph(120, "cycle", n_features=10, n_weak=3, random_state=0).X * np.geomspace(0.1, 10, 10)
    model = NeighborhoodLasso(0.08, adaptive=False, tol=1e-12).fit(X)
    Z, deviation = standardised(X), X.std(axis=0)
    for i in range(10):
        others = np.delete(np.arange(10), i)
        theirs = Lasso(0.08, tol=1e-12, max_iter=10**5, fit_intercept=False).fit(Z[:, others], Z[:, i]).coef_
        np.testing.assert_allclose(model.coef_[i, others] * deviation[others] / deviation[i], theirs, atol=1e-8)


def test_adaptive_prices_are_inverse_first_fits():
    X = make_weak_edge_graph(200, "chain", n_features=6, n_weak=2, random_state=1).X
    model = NeighborhoodLasso(0.01, tol=1e-12).fit(X)
    Z = standardised(X)
    others = [1, 2, 3, 4, 5]
    first = np.abs(LinearRegression(fit_intercept=False).fit(Z[:, others], Z[:, 0]).coef_)
    # The adaptive lasso is a lasso of columns stretched by the first fit.
    theirs = (
        Lasso(0.01, tol=1e-12, max_iter=10**5, fit_intercept=False).fit(Z[:, others] * first, Z[:, 0]).coef_ * first
    )
    ours = model.coef_[0, others] * X.std(axis=0)[others] / X.std(axis=0)[0]
    np.testing.assert_allclose(ours, theirs, atol=1e-7)


def test_pairs_that_are_not_candidates_are_free_and_forbidden_ones_are_out():
    X = make_weak_edge_graph(300, "cycle", n_features=5, n_weak=2, random_state=0).X
    R = np.corrcoef(X.T)
    allowed = ~np.eye(5, dtype=bool)
    allowed[0, 4] = allowed[4, 0] = False
    candidates = np.zeros((5, 5), dtype=bool)
    candidates[0, 1] = candidates[1, 0] = True
    coef, penalties, _ = neighborhood_weights(R, 300, candidates, allowed, penalty=1e6, tol=1e-12)
    np.testing.assert_allclose(coef[0, [2, 3]], np.linalg.solve(R[2:4, 2:4], R[2:4, 0]), atol=1e-8)
    assert coef[0, 1] == coef[0, 4] == 0 and np.isnan(penalties[2:]).all() and not coef[2:].any()


def test_and_asks_both_regressions_and_or_asks_one():
    X = make_weak_edge_graph(150, "hub", n_features=15, n_weak=5, random_state=0).X
    both, one = NeighborhoodLasso(0.1, adaptive=False).fit(X), NeighborhoodLasso(0.1, adaptive=False, rule="or").fit(X)
    found = both.coef_ != 0
    np.testing.assert_array_equal(both.adjacency_, found & found.T)
    np.testing.assert_array_equal(one.adjacency_, found | found.T)
    assert len(one.edges_) > len(both.edges_)


def test_ebic_finds_strong_chains_and_larger_gamma_fewer_edges():
    rows = make_weak_edge_graph(800, "chain", n_features=30, n_weak=5, strong=0.35, weak=0.3, random_state=0)
    model = NeighborhoodLasso().fit(rows.X)
    assert graph_metrics(model.adjacency_, rows.precision).edit_distance <= 1
    few = make_weak_edge_graph(60, "chain", n_features=30, random_state=0).X
    counts = [len(NeighborhoodLasso(gamma=gamma).fit(few).edges_) for gamma in (0.0, 0.5, 1.0)]
    assert counts[0] > counts[2] and sorted(counts, reverse=True) == counts


def test_duplicates_constants_and_few_rows_do_not_break_it():
    X = np.random.default_rng(0).standard_normal((12, 20))
    X[:, 1] = X[:, 0]
    X[:, 2] = -4.0
    model = NeighborhoodLasso().fit(X)
    assert np.isfinite(model.coef_).all() and not model.adjacency_[2].any()
    with pytest.raises(ValueError, match="'penalty' parameter"):
        NeighborhoodLasso(0.0).fit(X)
