"""The experiment of forest density estimation."""

from itertools import combinations

import networkx
import numpy as np
import pytest

from treatise.papers.graphical.v12_0907 import compare, optimal_restricted_weight


def test_the_quick_form_reaches_what_it_should(real_data, quick):
    for name in ("graphical/cyto_full_data.csv", "graphical/stockdata.rda"):
        real_data(name)
    evidence = quick("v12-0907")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    here = {row.quantity: row.here for row in evidence.rows}
    assert here["uniform columns, d = 60, 1 draw: the forest is above glasso and refit in all draws"] is True
    assert here["Cells: held-out log-likelihood of the forest above that of glasso and refit"] > 0
    assert any("stocks as ranks: held-out log-likelihood, glasso" in quantity for quantity in here)
    assert here["Restricted forest, 11 nodes, t = 7: mean share of the optimum (close to 1 in Figure 1)"] > 0.9
    assert evidence.figure is not None and len(evidence.figure.axes) == 4


def test_optimum_over_restricted_forests_equals_exhaustive_search():
    rng = np.random.default_rng(0)
    weights = np.triu(rng.random((6, 6)), 1)
    weights += weights.T
    pairs = list(combinations(range(6), 2))
    best = 0.0
    for size in range(1, 6):
        for chosen in combinations(pairs, size):
            graph = networkx.Graph(chosen)
            if networkx.is_forest(graph) and max(map(len, networkx.connected_components(graph))) <= 3:
                best = max(best, sum(weights[pair] for pair in chosen))
    assert optimal_restricted_weight(weights, 2) == pytest.approx(best)


def test_gaussian_likelihoods_are_those_of_the_normal_density():
    """Of independent columns, with a penalty so large that no edge is left, in the units of the data."""
    from scipy.stats import norm

    X = np.random.default_rng(1).normal([3.0, -1.0, 0.0], [0.1, 1.0, 20.0], size=(200, 3))
    found = compare(X, np.arange(100, 200), np.array([1.0]))
    expected = norm.logpdf(X[100:], X[:100].mean(axis=0), X[:100].std(axis=0)).sum(axis=1).mean()
    assert found.lasso.tolist() == [[0.0, pytest.approx(expected, abs=1e-3)]]
    assert found.refit[0, 1] == pytest.approx(expected, abs=1e-3)
