"""Minimum cuts and graph-cut moves against PyMaxflow on grids, and range moves over sizes."""

from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks._contest import Contest, Scaling, left_out
from treatise._core.errors import DataNotFoundError
from treatise.graphical import RangeMoves, TruncatedConvexEnergy, grid_edges, matching_costs
from treatise.inference import FlowNetwork, PairwiseEnergy
from treatise.papers.graphical.v12_0031 import stereo_pair

LABELS, TRUNCATION = 16, 4.0


def benchmarks() -> Iterator[Contest | Scaling]:
    """A cut of 512 x 512 nodes, alpha-expansion and swap on 200 x 200, a stereo pair; range expansion over pixels."""
    if find_spec("maxflow") is None:
        left_out("range_moves: PyMaxflow is not installed; its contests are left out")
    else:
        yield from contests()
    for distance in ("linear", "quadratic"):
        yield Scaling(
            work=f"Range Expansion, truncated {distance}, 20 labels, random costs (the paper's: 2500), over pixels",
            sizes=(400, 900, 2500),
            prepare=partial(range_expansion, distance),
            warm_up=range_expansion(distance, 16),
        )


def contests() -> Iterator[Contest]:
    """The same cuts by both."""
    side = 512
    rng = np.random.default_rng(0)
    source, sink = rng.uniform(0, 10, (2, side * side))
    edges = grid_edges((side, side))
    capacity = rng.uniform(0, 5, len(edges))
    network = FlowNetwork(side * side, *edges.T)
    tiny = FlowNetwork(2, [0], [1])
    yield Contest(
        work="minimum cut of a 512 x 512 grid, random capacities, topology known to both beforehand as arrays",
        peer="PyMaxflow",
        ours=lambda: network.minimum_cut(source, sink, capacity).value,
        theirs=lambda: their_cut(source, sink, edges, capacity),
        quality=float,
        warm_up=lambda: tiny.minimum_cut([1.0, 0.0], [0.0, 1.0], [1.0]),
    )
    shape = (200, 200)
    unary, edges = random_costs(shape), grid_edges(shape)
    steps = np.abs(np.subtract.outer(np.arange(LABELS), np.arange(LABELS)))
    table = np.minimum(steps, TRUNCATION)
    energy = PairwiseEnergy(unary, edges, None, table)
    for method, theirs in (("alpha_expansion", "aexpansion_grid"), ("alpha_beta_swap", "abswap_grid")):
        solver = RangeMoves(truncation=TRUNCATION, method=method)
        yield Contest(
            work=f"{method.replace('_', '-')} to convergence, 200 x 200 pixels, {LABELS} labels, truncated linear",
            peer="PyMaxflow",
            ours=lambda solver=solver: solver.minimize(unary, edges).energy,
            theirs=lambda theirs=theirs: energy(their_moves(theirs, unary.reshape(*shape, LABELS), table)),
            quality=float,
            warm_up=lambda solver=solver: solver.minimize(unary[:4], [[0, 1], [2, 3]]),
            repeats=1,
        )
    yield from stereo_contest()


def stereo_contest() -> Iterator[Contest]:
    """Range Expansion on a whole stereo pair, beside the peer's best on the same energy."""
    try:
        left, right = stereo_pair("tsukuba")
    except DataNotFoundError as missing:
        left_out(f"range_moves: the stereo contest is left out: {missing}")
        return
    costs, edges = matching_costs(left, right, LABELS), grid_edges(left.shape[:2])
    energy = TruncatedConvexEnergy(costs.reshape(-1, LABELS), edges, 50.0, "linear", 10.0)
    solver = RangeMoves("linear", 10.0)
    yield Contest(
        work="disparities of Tsukuba, 384 x 288 pixels, 16 labels, 50 min(d, 10): Range Expansion against "
        "alpha-expansion (quality: the energy, of which less is better)",
        peer="PyMaxflow",
        ours=lambda: solver.minimize(energy.pairwise.unary, edges, 50.0).energy,
        theirs=lambda: energy(their_moves("aexpansion_grid", costs, 50.0 * energy.pairwise.table)),
        quality=float,
        warm_up=lambda: solver.minimize(np.eye(4), [[0, 1], [2, 3]]),
        repeats=1,
    )


def random_costs(shape: tuple[int, int]) -> np.ndarray:
    """Squared distance of each label from a blocky picture with noise."""
    rng = np.random.default_rng(1)
    blocks = rng.uniform(0, LABELS - 1, (shape[0] // 20, shape[1] // 20))
    seen = np.kron(blocks, np.ones((20, 20))) + rng.normal(0, 2, shape)
    return (seen.reshape(-1, 1) - np.arange(LABELS)) ** 2 / 4


def range_expansion(distance: str, n_pixels: int) -> Any:
    """A field as in the paper's synthetic experiment."""
    side = round(n_pixels**0.5)
    rng = np.random.default_rng(0)
    edges = grid_edges((side, side))
    unary, weights = rng.uniform(0, 10, (side * side, 20)), rng.uniform(0, 5, len(edges))
    truncation = 7.0 if distance == "linear" else 49.0
    return lambda: RangeMoves(distance, truncation).minimize(unary, edges, weights)


def their_cut(source: np.ndarray, sink: np.ndarray, edges: np.ndarray, capacity: np.ndarray) -> float:
    import maxflow

    graph = maxflow.Graph[float](len(source), len(edges))
    nodes = graph.add_grid_nodes((len(source),))
    graph.add_edges(edges[:, 0].copy(), edges[:, 1].copy(), capacity, capacity)
    graph.add_grid_tedges(nodes, source, sink)
    return graph.maxflow()


def their_moves(name: str, unary: np.ndarray, table: np.ndarray) -> np.ndarray:
    from maxflow import fastmin

    labels = getattr(fastmin, name)(unary, table, labels=np.zeros(unary.shape[:2], np.int64))
    return np.asarray(labels, np.int64).ravel()
