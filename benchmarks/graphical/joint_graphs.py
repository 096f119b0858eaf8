"""Graphs of two conditions at once: an interior-point solver on the same problem, an edge-based peer, and the cost."""

import warnings
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec

import numpy as np

from benchmarks._contest import Contest, Scaling, left_out
from treatise.datasets import PerturbedGraphs, make_perturbed_graphs
from treatise.graphical import NodePerturbationGraphs
from treatise.papers.graphical.v15_0445._conic import solve_by_cones


def benchmarks() -> Iterator[Contest | Scaling]:
    """The same minimum as by cones, the fused graphical lasso's work, and seconds over the number of variables."""
    data = make_perturbed_graphs(15, 30, random_state=0)
    S = _covariances(data)
    yield Contest(
        work="perturbed nodes of 2 x 30 variables, 15 rows each, lam1=1.5, lam2=7.5; quality is the minimum reached",
        peer="clarabel",
        ours=lambda: _fit(S, 15, 1.5, 7.5).objective_,
        theirs=lambda: solve_by_cones(S, np.array([15.0, 15.0]), 1.5, 7.5)[1],
        quality=float,
        repeats=1,
    )
    if find_spec("gglasso") is None:
        left_out("gglasso is absent: the contest with the fused graphical lasso is left out (pip install gglasso)")
    else:
        _fused(make_perturbed_graphs(10, 10, random_state=0))  # compiled before the clock runs
        for p, rows in ((100, 50), (200, 100), (500, 250)):
            drawn = make_perturbed_graphs(rows, p, random_state=0)
            yield Contest(
                work=(
                    f"2 x {p} variables, {rows} rows each: perturbed nodes, against the peer's fused edges, which is "
                    "less work; quality is the error of the entries off the diagonal"
                ),
                peer="gglasso",
                ours=partial(_ours, drawn),
                theirs=partial(_fused, drawn),
                quality=partial(_error, drawn),
                repeats=1,
            )
    yield Scaling(
        work="perturbed nodes, two conditions, half as many rows as variables, over variables",
        sizes=(50, 100, 200),
        prepare=lambda p: partial(_ours, make_perturbed_graphs(p // 2, p, random_state=0)),
    )


def _covariances(data: PerturbedGraphs) -> np.ndarray:
    return np.stack([np.cov(table.T, bias=True) for table in data.tables])


def _fit(S: np.ndarray, rows: float, lam1: float, lam2: float, tol: float = 1e-6) -> NodePerturbationGraphs:
    return NodePerturbationGraphs(lam1, lam2, tol=tol).fit_covariances(S, [rows, rows])


def _ours(data: PerturbedGraphs) -> np.ndarray:
    rows = len(data.tables[0])
    return np.asarray(_fit(_covariances(data), rows, 0.1 * rows, 0.5 * rows, tol=1e-5).precision_)


def _fused(data: PerturbedGraphs) -> np.ndarray:
    """The peer's penalties are per row and leave the diagonal free."""
    from gglasso.solver.admm_solver import ADMM_MGL

    S = _covariances(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, _ = ADMM_MGL(
            S, 0.1, 0.05, "FGL", np.stack([np.eye(S.shape[-1])] * 2), tol=1e-5, rtol=1e-5, max_iter=5000, verbose=False
        )
    return np.asarray(found["Theta"])


def _error(data: PerturbedGraphs, precision: np.ndarray) -> float:
    """Table 1 of the paper: the distance from the truth above the diagonal, summed over the conditions."""
    above = np.triu_indices(precision.shape[-1], 1)
    return float(np.linalg.norm((precision - data.precisions)[:, above[0], above[1]], axis=1).sum())
