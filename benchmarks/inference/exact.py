"""Exact marginals of discrete networks: junction trees against pgmpy, and cost against the length of a narrow grid."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks._contest import Contest, Scaling, left_out
from treatise.inference import FactorGraph, JunctionTree


def benchmarks() -> Iterator[Contest | Scaling]:
    """Marginals of every variable, from the factors: triangulation, messages and sums are all in the time."""
    networks = {
        "a tree of 100 variables with 4 states": random_tree(100, 4),
        "a grid of 7 x 7 binary variables": random_grid(7, 7, 2),
        "a grid of 4 x 15 variables with 3 states": random_grid(4, 15, 3),
        "50 variables with 3 states, each coupled to three of the five before": random_band(50, 3),
    }
    try:
        import_module("pgmpy")
    except ImportError as missing:
        left_out(f"junction trees against pgmpy are left out: {missing}")
    else:
        for name, graph in networks.items():
            peer = pgmpy_network(graph)
            yield Contest(
                work=f"marginals of all variables, {name}; quality is the sum of all expected states",
                peer="pgmpy",
                ours=lambda graph=graph: JunctionTree(graph).marginals().nodes,
                theirs=lambda peer=peer, graph=graph: pgmpy_marginals(peer, graph),
                quality=expected_states,
                warm_up=lambda: JunctionTree(random_tree(3, 2)).marginals(),
                repeats=1,
            )
    yield Scaling(
        work="marginals of grids 8 variables wide, binary, over their length",
        sizes=(10, 40, 160),
        prepare=lambda length: _work(random_grid(8, length, 2)),
        warm_up=lambda: JunctionTree(random_tree(3, 2)).marginals(),
    )


def _work(graph: FactorGraph) -> Any:
    return lambda: JunctionTree(graph).marginals()


def random_grid(rows: int, columns: int, n_states: int) -> FactorGraph:
    """Random preferences of the nodes and of neighbouring pairs."""
    number = np.arange(rows * columns).reshape(rows, columns)
    across = np.column_stack([number[:, :-1].ravel(), number[:, 1:].ravel()])
    down = np.column_stack([number[:-1].ravel(), number[1:].ravel()])
    return _random_network(rows * columns, np.vstack([across, down]), n_states)


def random_tree(n: int, n_states: int) -> FactorGraph:
    """Every variable coupled to one earlier one."""
    rng = np.random.default_rng(0)
    return _random_network(n, np.array([(int(rng.integers(v)), v) for v in range(1, n)]), n_states)


def random_band(n: int, n_states: int) -> FactorGraph:
    """Every variable coupled to three of the five before it."""
    rng = np.random.default_rng(0)
    edges = [
        (int(u), v) for v in range(1, n) for u in rng.choice(np.arange(max(0, v - 5), v), size=min(v, 3), replace=False)
    ]
    return _random_network(n, np.array(edges), n_states)


def _random_network(n: int, edges: np.ndarray, n_states: int) -> FactorGraph:
    rng = np.random.default_rng(1)
    pairs = rng.normal(size=(len(edges), n_states, n_states))
    return FactorGraph.pairwise(rng.normal(size=(n, n_states)), edges, pairs)


def pgmpy_network(graph: FactorGraph) -> Any:
    """The same model as pgmpy writes it: probabilities in place of their logarithms."""
    from pgmpy.factors.discrete import DiscreteFactor
    from pgmpy.models import DiscreteMarkovNetwork

    factors = [
        DiscreteFactor(list(factor.variables), list(factor.table.shape), np.exp(factor.table))
        for factor in graph.factors
    ]
    network = DiscreteMarkovNetwork()
    network.add_nodes_from(range(len(graph)))
    network.add_edges_from([factor.variables for factor in graph.factors if len(factor.variables) == 2])
    network.add_factors(*factors)
    return network


def pgmpy_marginals(network: Any, graph: FactorGraph) -> list[np.ndarray]:
    """Marginals by eliminating all other variables, for each variable anew.

    Its junction tree (``BeliefPropagation.calibrate``) yields all of them at once, but took longer on every network
    here.
    """
    from pgmpy.inference import VariableElimination

    engine = VariableElimination(network)
    tables = (engine.query([variable], show_progress=False).values for variable in range(len(graph)))
    return [table / table.sum() for table in tables]


def expected_states(marginals: Any) -> float:
    """Sum over the variables of the mean of the number of their state."""
    return float(sum(np.arange(len(each)) @ each for each in marginals))
