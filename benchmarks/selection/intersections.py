"""Random intersection trees: intersections a second at a hundred features, and time against the number of features."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks._contest import Scaling
from treatise.datasets import make_tic_tac_toe
from treatise.selection import RandomIntersectionTrees


def benchmarks() -> Iterator[Scaling]:
    """Over trees on boards with noise, whose intersections are told with the work; over features at fixed sparsity."""
    X, y = noisy_boards()
    made = RandomIntersectionTrees(1000, branching=5, theta0=0.0, random_state=0).fit(X, y).n_intersections_
    yield Scaling(
        work=f"tic-tac-toe with 100 noise columns, over trees; 1000 trees of each player make {made:,} intersections",
        sizes=(1000, 2000, 4000),
        prepare=lambda n: lambda: RandomIntersectionTrees(n, branching=5, theta0=0.0, random_state=0).fit(X, y),
        warm_up=lambda: RandomIntersectionTrees(2, random_state=0).fit(X, y),
    )
    yield Scaling(
        work="2000 sparse rows of 10 active features, 200 trees, over features",
        sizes=(1_000, 10_000, 100_000, 1_000_000),
        prepare=sparse_rows,
        warm_up=sparse_rows(10_000),
    )


def noisy_boards() -> tuple[np.ndarray, np.ndarray]:
    """Half of the won boards, with 100 fair bits beside them."""
    rng = np.random.default_rng(0)
    X, y = make_tic_tac_toe()
    half = np.flatnonzero((y > 0) & (rng.random(len(y)) < 0.5))
    return np.hstack([X[half], rng.integers(0, 2, (len(half), 100), dtype=np.uint8)]), y[half]


def sparse_rows(n_features: int) -> Any:
    """Rows with a planted interaction of four features in one class."""
    rng = np.random.default_rng(0)
    n = 2000
    y = np.arange(n) % 2
    columns = rng.integers(4, n_features, (n, 10))
    planted = (y == 1) & (rng.random(n) < 0.3)
    columns[planted, :4] = np.arange(4)
    X = sparse.csr_array((np.ones(10 * n), (np.repeat(np.arange(n), 10), columns.ravel())), shape=(n, n_features))
    X.data[:] = 1.0
    X.sum_duplicates()
    X.data[:] = 1.0

    def work() -> Any:
        trees = RandomIntersectionTrees(200, theta0=0.01, positive_class=1, random_state=0).fit(X, y)
        assert trees.patterns_[0] == (0, 1, 2, 3)
        return trees

    return work
