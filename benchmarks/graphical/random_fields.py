"""Discrete random fields: the quadratic program against the linear one, and costs over the size of a grid."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from benchmarks._contest import Contest, Scaling
from treatise.graphical import grid_edges, qp_map
from treatise.inference import FactorGraph, belief_propagation, mean_field, tree_reweighted


def benchmarks() -> Iterator[Contest | Scaling]:
    """Labelings of a grid with HiGHS as the peer; messages and bounds over the number of variables."""
    graph = potts_grid(15, 5)
    yield Contest(
        work="labelling of a 15 x 15 grid with 5 labels, mixed Potts: quadratic program, against the linear one",
        peer="scipy",
        ours=lambda: qp_map(graph).labels,
        theirs=lambda: labels_by_linear_program(graph),
        quality=lambda labels: float(graph.scores(labels)),
        warm_up=lambda: qp_map(potts_grid(2, 2)),
        repeats=1,
    )
    yield Scaling(
        work="quadratic program, square grids with 10 labels, over the number of variables",
        sizes=(100, 400, 1_600),
        prepare=lambda size: _timed(qp_map, potts_grid(int(np.sqrt(size)), 10)),
        warm_up=lambda: qp_map(potts_grid(2, 2)),
    )
    for name, method in (("belief propagation", belief_propagation), ("tree-reweighted bound", tree_reweighted),
                         ("mean field", mean_field)):  # fmt: skip
        yield Scaling(
            work=f"{name}, square binary grids of weak mixed couplings, over the number of variables",
            sizes=(400, 2_500, 10_000),
            prepare=lambda size, method=method: _timed(method, ising_grid(int(np.sqrt(size)))),
            warm_up=lambda method=method: method(ising_grid(2)),
        )


def _timed(method: Any, graph: FactorGraph) -> Any:
    return lambda: method(graph)


def potts_grid(side: int, n_labels: int) -> FactorGraph:
    """Random preferences of the nodes and random likings for equal or different labels of neighbours."""
    rng = np.random.default_rng(0)
    edges = grid_edges((side, side))
    weights = rng.uniform(-1, 1, len(edges))
    unary = rng.uniform(-1, 1, (side * side, n_labels))
    return FactorGraph.pairwise(unary, edges, weights[:, None, None] * np.eye(n_labels))


def ising_grid(side: int) -> FactorGraph:
    """Spins with small fields and couplings of both signs."""
    rng = np.random.default_rng(0)
    edges = grid_edges((side, side))
    return FactorGraph.ising(rng.uniform(-0.25, 0.25, side * side), edges, rng.uniform(-0.3, 0.3, len(edges)))


def labels_by_linear_program(graph: FactorGraph) -> np.ndarray:
    """The relaxation over locally consistent marginals, by HiGHS; each variable takes its largest marginal."""
    offset = np.concatenate([[0], np.cumsum(graph.n_states)])
    scores, rows, columns, values, right = [np.zeros(offset[-1])], [], [], [], []
    used = int(offset[-1])
    for v in range(len(graph)):
        rows += [len(right)] * int(graph.n_states[v])
        columns += range(offset[v], offset[v + 1])
        values += [1.0] * int(graph.n_states[v])
        right.append(1.0)
    for factor in graph.factors:
        if len(factor.variables) == 1:
            scores[0][offset[factor.variables[0]] : offset[factor.variables[0] + 1]] += factor.table
            continue
        place = used + np.arange(factor.table.size).reshape(factor.table.shape)
        for axis, v in enumerate(factor.variables):
            for state in range(graph.n_states[v]):
                cells = place.take(state, axis=axis)
                rows += [len(right)] * (len(cells) + 1)
                columns += [*cells, offset[v] + state]
                values += [1.0] * len(cells) + [-1.0]
                right.append(0.0)
        scores.append(factor.table.ravel())
        used += factor.table.size
    matrix = sparse.csr_matrix((values, (rows, columns)), shape=(len(right), used))
    solved = linprog(-np.concatenate(scores), A_eq=matrix, b_eq=right, bounds=(0, 1), method="highs").x
    return np.array([np.argmax(solved[offset[v] : offset[v + 1]]) for v in range(len(graph))])
