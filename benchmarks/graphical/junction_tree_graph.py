"""Graphs by junction trees: a whole fit against one graphical lasso of scikit-learn, and the cost over columns."""

import warnings
from collections.abc import Iterator
from functools import partial

import numpy as np
from sklearn.covariance import graphical_lasso

from benchmarks._contest import Contest, Scaling
from treatise.datasets import WeakEdgeRows, make_weak_edge_graph
from treatise.graphical import JunctionTreeGraph, graph_metrics
from treatise.optimize import solve_graphical_lasso


def benchmarks() -> Iterator[Contest | Scaling]:
    """Screening, regions, penalties and pruning together against one run of the lasso at as many edges."""
    for kind, n, order in (("cycle", 300, 1), ("neighborhood", 500, 2)):
        rows = make_weak_edge_graph(n, kind, random_state=0)
        S = np.corrcoef(rows.X.T)
        penalty = _matched(S, len(_fitted(rows.X, order).edges_))
        yield Contest(
            work=f"{kind} graph of {rows.X.shape[1]} columns, {n} rows: a whole junction tree fit against one "
            f"graphical lasso at as many edges (penalty {penalty:.3f}); quality is the share of weak edges found",
            peer="scikit-learn",
            ours=lambda X=rows.X, order=order: _fitted(X, order).adjacency_,  # type: ignore[misc]
            theirs=partial(_theirs, S, penalty),
            quality=partial(_weak_edges, rows),
            warm_up=partial(_fitted, rows.X[:, :40], order),
            repeats=1,
        )
    yield Scaling(
        work="junction tree fit of chains, 500 rows, over columns",
        sizes=(100, 200, 400),
        prepare=lambda p: partial(_fitted, make_weak_edge_graph(500, n_features=p, random_state=0).X, 0),
        warm_up=lambda: _fitted(make_weak_edge_graph(500, n_features=40, random_state=0).X, 0),
    )


def _fitted(X: np.ndarray, order: int) -> JunctionTreeGraph:
    return JunctionTreeGraph(order=order).fit(X)


def _matched(S: np.ndarray, n_edges: int) -> float:
    low, high = 0.0, 1.0
    for _ in range(12):
        penalty = (low + high) / 2
        count = np.count_nonzero(np.triu(solve_graphical_lasso(S, penalty, tol=1e-3).precision, 1))
        low, high = (penalty, high) if count > n_edges else (low, penalty)
    return penalty


def _theirs(S: np.ndarray, penalty: float) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return graphical_lasso(S, penalty)[1] != 0


def _weak_edges(rows: WeakEdgeRows, adjacency: np.ndarray) -> float:
    return float(graph_metrics(adjacency, rows.precision, weak=rows.weak).weak_edge_discovery_rate)
