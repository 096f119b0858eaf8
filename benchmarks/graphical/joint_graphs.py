"""Graphs of two conditions at once: an interior-point solver on the same problem, an edge-based peer, and the cost."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import partial
from importlib.util import find_spec
from io import StringIO

import numpy as np

from benchmarks._contest import Contest, Scaling, left_out
from treatise.datasets import PerturbedGraphs, make_perturbed_graphs
from treatise.graphical import NodePerturbationGraphs
from treatise.papers.graphical.v15_0445._conic import solve_by_cones

FUSED = (0.1, 0.05)
"""The peer's penalties of an entry and of a difference, per row."""
WITHIN = 1e-4
"""Share of the minimum by which both sides may end above it."""


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
        for p, rows in ((100, 50), (200, 100), (500, 250)):
            yield _fused_contest(make_perturbed_graphs(rows, p, random_state=0))
    yield Scaling(
        work="perturbed nodes, two conditions, half as many rows as variables, over variables",
        sizes=(50, 100, 200),
        prepare=lambda p: partial(_nodes, make_perturbed_graphs(p // 2, p, random_state=0)),
    )


def _covariances(data: PerturbedGraphs) -> np.ndarray:
    return np.stack([np.cov(table.T, bias=True) for table in data.tables])


def _fit(S: np.ndarray, rows: float, lam1: float, lam2: float, tol: float = 1e-6) -> NodePerturbationGraphs:
    return NodePerturbationGraphs(lam1, lam2, tol=tol).fit_covariances(S, [rows, rows])


def _fused_contest(data: PerturbedGraphs) -> Contest:
    """Both with the loosest tolerance that brings them within the same share of their own minimum; ours proves it."""
    rows, p = data.tables[0].shape
    least = _fused_objective(data, _fused(data, 1e-9))
    own = _loosest(lambda tolerance: _excess(data, least, _nodes(data, tolerance)))
    peer = _loosest(lambda tolerance: _excess(data, least, _fused(data, tolerance)))
    return Contest(
        work=(
            f"2 x {p} variables, {rows} rows each, within {WITHIN:g} of the minimum: perturbed nodes, against the "
            "peer's fused edges, which is less work; quality is the distance from the minimum reached, relative"
        ),
        peer="gglasso",
        ours=partial(_nodes, data, own),
        theirs=partial(_fused, data, peer),
        quality=partial(_excess, data, least),
        repeats=1,
    )


def _loosest(excess: Callable[[float], float]) -> float:
    return next(float(each) for each in 10.0 ** np.arange(-3.0, -9.0, -0.25) if excess(float(each)) <= WITHIN)


def _nodes(data: PerturbedGraphs, tolerance: float = 1e-5) -> NodePerturbationGraphs:
    rows = len(data.tables[0])
    return _fit(_covariances(data), rows, 0.1 * rows, 0.5 * rows, tol=tolerance)


def _fused(data: PerturbedGraphs, tolerance: float) -> np.ndarray:
    """The peer's penalties are per row and leave the diagonal free."""
    from gglasso.solver.admm_solver import ADMM_MGL

    S = _covariances(data)
    start = np.stack([np.eye(S.shape[-1])] * 2)
    with warnings.catch_warnings(), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        found, _ = ADMM_MGL(S, *FUSED, "FGL", start, tol=tolerance, rtol=tolerance, max_iter=5000, verbose=False)
    return np.asarray(found["Theta"])


def _fused_objective(data: PerturbedGraphs, precision: np.ndarray) -> float:
    off = ~np.eye(precision.shape[-1], dtype=bool)
    fit = np.vdot(_covariances(data), precision) - np.linalg.slogdet(precision)[1].sum()
    penalties = np.abs(precision[:, off]).sum(), np.abs((precision[0] - precision[1])[off]).sum()
    return float(fit + np.dot(FUSED, penalties))


def _excess(data: PerturbedGraphs, least: float, found: NodePerturbationGraphs | np.ndarray) -> float:
    """How far a solution lies above the minimum of its own problem, at most, as a share of it."""
    if isinstance(found, NodePerturbationGraphs):
        return float(found.gap_ / abs(found.objective_))
    return (_fused_objective(data, found) - least) / abs(least)
