"""Optimal transport against POT, from nothing and from a solution for nearly the same costs."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks._contest import Contest, Scaling
from treatise.metric import nearest_metric
from treatise.optimize import PairTransport, solve_transport

Problem = tuple[np.ndarray, np.ndarray, np.ndarray]


def benchmarks() -> Iterator[Contest | Scaling]:
    """The whole problem as the peer solves it; a metric that changes by a hundredth; a sweep over triangles."""
    for bins, count in ((64, 300), (128, 100), (256, 30)):
        problems = [_problem(np.random.default_rng(seed), bins) for seed in range(count)]
        yield Contest(
            work=f"transport, {count} problems of {bins} x {bins} full bins, each by itself; quality: sum of the costs",
            peer="POT",
            ours=partial(_ours, problems),
            theirs=partial(_theirs, problems),
            quality=float,
            warm_up=partial(_ours, problems[:1]),
        )
    rng = np.random.default_rng(0)
    histograms, metrics = rng.dirichlet(np.ones(64), 40), [_metric(np.random.default_rng(1), 64)]
    for _ in range(20):
        metrics.append(metrics[-1] * (1.0 + 0.001 * rng.random((64, 64))))
    metrics = [nearest_metric(metric).metric for metric in metrics]
    transport = PairTransport(histograms, histograms, *np.triu_indices(40, 1))
    yield Contest(
        work="780 pairs of histograms of 64 bins under 21 metrics in turn; quality: sum of the distances",
        peer="POT",
        ours=partial(_in_turn, transport, metrics),
        theirs=partial(_each, histograms, metrics),
        quality=float,
        warm_up=partial(_in_turn, transport, metrics[:1]),
        repeats=1,
    )
    yield Scaling(
        work="nearest metric to random distances, over bins",
        sizes=(32, 64, 128),
        prepare=_nearest,
        warm_up=_nearest(8),
    )


def _metric(rng: np.random.Generator, bins: int) -> np.ndarray:
    places = rng.normal(size=(bins, 3))
    return np.linalg.norm(places[:, np.newaxis] - places, axis=2)


def _problem(rng: np.random.Generator, bins: int) -> Problem:
    return rng.dirichlet(np.ones(bins)), rng.dirichlet(np.ones(bins)), _metric(rng, bins)


def _ours(problems: list[Problem]) -> float:
    return sum(solve_transport(*problem).value for problem in problems)


def _theirs(problems: list[Problem]) -> float:
    import ot

    return sum(ot.emd2(*problem) for problem in problems)


def _in_turn(transport: PairTransport, metrics: list[np.ndarray]) -> float:
    return float(sum(transport.solve(metric).sum() for metric in metrics))


def _each(histograms: np.ndarray, metrics: list[np.ndarray]) -> float:
    import ot

    pairs = list(zip(*np.triu_indices(len(histograms), 1)))
    return float(sum(ot.emd2(histograms[i], histograms[j], metric) for metric in metrics for i, j in pairs))


def _nearest(bins: int) -> Any:
    table = np.random.default_rng(0).normal(size=(bins, bins)) + 3.0
    return lambda: nearest_metric(table)
