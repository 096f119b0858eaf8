"""Fixed-rank PSD regression and distances: steepest descent by us and by pymanopt, and cost over sizes."""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks._contest import Contest, Scaling, left_out
from treatise.metric import FixedRankMetricLearner, FixedRankPSDRegressor


def benchmarks() -> Iterator[Contest | Scaling]:
    """Against pymanopt where it is installed, then distances in up to 15 000 dimensions."""
    if find_spec("pymanopt") is None or find_spec("autograd") is None:
        left_out("pymanopt with autograd is not installed: the contest of steepest descent is left out")
    else:
        X, y, X_test, y_test, start = toy_data()
        yield Contest(
            work="rank-10 PSD regression, 80 000 rows, 50 dimensions, to the test cost of the noise within 5 %",
            peer="pymanopt",
            ours=lambda: (
                FixedRankPSDRegressor(10, solver="online", epochs=2, init=start, random_state=0).fit(X, y).components_.T
            ),
            theirs=lambda: _pymanopt(X, y, start),
            quality=lambda G: 0.5 * float(np.mean((((X_test @ G) ** 2).sum(axis=1) - y_test) ** 2)),
            repeats=1,
        )
    yield Scaling(
        work="FixedRankMetricLearner(5), 10 000 pairs of 1000 rows, 50 steps, over dimensions",
        sizes=(1500, 5000, 15_000),
        prepare=_distances,
    )


def toy_data() -> tuple[np.ndarray, ...]:
    """Section 10.1.3 of the paper."""
    random = np.random.RandomState(0)
    G, X = random.standard_normal((50, 10)), random.standard_normal((100_000, 50))
    y = ((X @ G) ** 2).sum(axis=1) * (1 + 0.1 * random.standard_normal(100_000))
    return X[:80_000], y[:80_000], X[80_000:], y[80_000:], random.standard_normal((50, 10))


def _pymanopt(X: np.ndarray, y: np.ndarray, start: np.ndarray) -> np.ndarray:
    import autograd.numpy as anp
    import pymanopt
    from pymanopt.manifolds import PSDFixedRank
    from pymanopt.optimizers import SteepestDescent

    manifold = PSDFixedRank(50, 10)

    @pymanopt.function.autograd(manifold)
    def cost(G: Any) -> Any:
        return anp.mean((anp.sum((X @ G) ** 2, axis=1) - y) ** 2) / 2

    optimizer = SteepestDescent(max_iterations=40, verbosity=0)
    return optimizer.run(pymanopt.Problem(manifold, cost), initial_point=start).point


def _distances(dimensions: int) -> Any:
    random = np.random.RandomState(0)
    y = random.randint(0, 2, 1000)
    X = random.standard_normal((1000, dimensions)) + 0.2 * y[:, None] * (np.arange(dimensions) < 100)
    learner = FixedRankMetricLearner(5, n_pairs=10_000, tol=0, max_iter=50, random_state=0)
    return lambda: learner.fit(X, y)
