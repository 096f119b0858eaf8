"""Partial order embedding: against a metric learnt from comparisons, an exact program, and over sizes."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks._contest import Contest, Scaling, left_out
from treatise.kernels import Gaussian
from treatise.metric import ComparisonGraph, PartialOrderEmbedding


def benchmarks() -> Iterator[Contest | Scaling]:
    """LSML of metric-learn on the linear form, HiGHS on the diagonal one, and the cost over sizes."""
    X, rows = compared(200, 8, 2000)
    try:
        _lsml(X, rows[:20])
    except (ImportError, TypeError) as why:
        left_out(f"metric-learn is absent, or too old for this scikit-learn: its contest is left out ({why})")
    else:
        yield Contest(
            work="linear metric from 2000 comparisons of 200 rows, 8 features; share of 2000 other comparisons met",
            peer="metric-learn",
            ours=lambda: PartialOrderEmbedding(None, beta=100.0).fit(X, rows).components_[0],
            theirs=lambda: _lsml(X, rows),
            quality=lambda M: _met(X @ M.T, compared(200, 8, 2000, seed=1)[1]),
            warm_up=lambda: PartialOrderEmbedding(None, max_iter=2).fit(X, rows),
        )
    told, few = compared(100, 8, 1000)
    tables = [np.random.default_rng(p).normal(size=(100, 3)) for p in range(4)] + [told]
    options = {"kernel": Gaussian(0.2), "beta": 100.0, "diagonal": True}
    yield Contest(
        work=f"diagonal embedding, 5 kernels of 100 objects, {len(few)} comparisons: descent against HiGHS (objective)",
        peer="scipy",
        ours=lambda: PartialOrderEmbedding(**options, solver="accelerated").fit(tables, few),
        theirs=lambda: PartialOrderEmbedding(**options, solver="lp").fit(tables, few),
        quality=lambda model: model.objective_,
        warm_up=lambda: PartialOrderEmbedding(**options, solver="accelerated", max_iter=2).fit(tables, few),
        repeats=1,
    )
    yield Scaling(
        work="contradictions, acyclic subgraph and transitive reduction, 400 objects, over comparisons (10 % wrong)",
        sizes=(2_000, 8_000, 32_000),
        prepare=_cleaning,
        warm_up=_cleaning(100),
    )
    yield Scaling(
        work="diagonal embedding, 5 kernels, 5000 comparisons, 100 steps, over objects",
        sizes=(100, 200, 400),
        prepare=_diagonal,
    )


def compared(n: int, p: int, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and comparisons by a distance that sees half of their features."""
    X = np.random.default_rng(0).normal(size=(n, p))
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, n, (2 * count, 4))
    rows = rows[(rows[:, 0] != rows[:, 1]) & (rows[:, 2] != rows[:, 3])][:count]
    half = X[:, : p // 2]
    near, far = (((half[rows[:, a]] - half[rows[:, a + 1]]) ** 2).sum(axis=1) for a in (0, 2))
    return X, np.where((near < far)[:, None], rows, rows[:, [2, 3, 0, 1]])


def _met(points: np.ndarray, rows: np.ndarray) -> float:
    near, far = (((points[rows[:, a]] - points[rows[:, a + 1]]) ** 2).sum(axis=1) for a in (0, 2))
    return float(np.mean(near < far))


def _lsml(X: np.ndarray, rows: np.ndarray) -> np.ndarray:
    from metric_learn import LSML

    return LSML(preprocessor=X).fit(rows).components_


def _cleaning(count: int) -> Any:
    _, rows = compared(400, 8, count)
    wrong = np.random.default_rng(2).random(len(rows)) < 0.1
    rows[wrong] = rows[wrong][:, [2, 3, 0, 1]]
    return lambda: ComparisonGraph(rows).remove_contradictions().acyclic(0).transitive_reduction()


def _diagonal(n: int) -> Any:
    tables = [np.random.default_rng(p).normal(size=(n, 3)) for p in range(5)]
    _, rows = compared(n, 8, 5000)
    model = PartialOrderEmbedding(Gaussian(0.2), diagonal=True, max_iter=100, tol=0.0)
    return lambda: model.fit(tables, rows)
