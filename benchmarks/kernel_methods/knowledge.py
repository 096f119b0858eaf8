"""Kernel regression with knowledge: the program as the paper writes it against ours, and cost over rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks._contest import Contest, Scaling
from treatise.kernel_methods import Knowledge, KnowledgeKernelRegressor, Polyhedron

COSTS = {"C": 1.0, "gamma": 0.5, "mismatch_cost": 0.1, "shortfall_cost": 10.0}


def benchmarks() -> Iterator[Contest | Scaling]:
    """Against scipy's solver on equations (21) with three pieces of knowledge, and alone over rows."""
    X, y, knowledge = problem(250)
    yield Contest(
        work="kernel regression with knowledge, 250 rows, three boxes, against the linear program as written",
        peer="scipy",
        ours=lambda: _ours(X, y, knowledge),
        theirs=lambda: as_written(X, y, knowledge),
        quality=float,
        repeats=1,
    )
    yield Scaling(
        work="kernel regression with knowledge, three boxes, over rows",
        sizes=(125, 250, 500, 1_000),
        prepare=lambda n: lambda: _ours(*problem(n)),
    )
    yield Scaling(
        work="kernel regression by linear programming without knowledge, over rows",
        sizes=(125, 250, 500, 1_000),
        prepare=lambda n: lambda: _ours(*problem(n)[:2], []),
    )


def problem(n: int) -> tuple[np.ndarray, np.ndarray, list[Knowledge]]:
    """Noisy sums of sines of three features, and lower bounds in three boxes."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (n, 3))
    y = np.sin(X).sum(axis=1) + 0.2 * rng.normal(size=n)
    centres = rng.uniform(-1, 1, (3, 3))
    boxes = [Polyhedron.box(centre - 0.5, centre + 0.5) for centre in centres]
    return X, y, [Knowledge(box, at_least=bound) for box, bound in zip(boxes, (-0.5, 0.2, -1.0))]


def _ours(X: np.ndarray, y: np.ndarray, knowledge: list[Knowledge]) -> float:
    return KnowledgeKernelRegressor(knowledge=knowledge, enforcement="kernel", **COSTS).fit(X, y).objective_


def as_written(X: np.ndarray, y: np.ndarray, knowledge: list[Knowledge]) -> float:
    """Equations (21) as they stand, every copy of the Gram matrix included, to HiGHS's own choice of method."""
    m, gram = len(y), rbf_kernel(X, gamma=COSTS["gamma"])
    one, eye = np.ones((m, 1)), sparse.eye_array(m)
    empty: list[Any] = [None] * (3 * len(knowledge))
    rows = [[gram, one, -eye, None], [-gram, -one, -eye, None], [eye, None, None, -eye], [-eye, None, None, -eye]]
    blocks = [row + empty for row in rows]
    right = [y, -y, np.zeros(2 * m)]
    prices, lowest = [np.zeros(m + 1), np.full(m, COSTS["C"]), np.ones(m)], [np.full(m + 1, -np.inf), np.zeros(2 * m)]
    for position, piece in enumerate(knowledge):
        sides = rbf_kernel(X, piece.region.A, gamma=COSTS["gamma"])
        at = 4 + 3 * position
        for sign in (1.0, -1.0):
            row = [sign * gram, None, None, None, *empty]
            row[at], row[at + 1] = -eye, sign * sides
            blocks.append(row)
            right.append(np.zeros(m))
        row = [None, -np.ones((1, 1)), None, None, *empty]
        row[at + 1], row[at + 2] = piece.region.b[None], -np.ones((1, 1))
        blocks.append(row)
        right.append(np.array([-float(piece.at_least)]))
        k = len(piece.region.b)
        prices += [np.full(m, COSTS["mismatch_cost"]), np.zeros(k), np.array([COSTS["shortfall_cost"]])]
        lowest.append(np.zeros(m + k + 1))
    table = sparse.block_array(
        [[None if part is None else sparse.csr_array(part) for part in row] for row in blocks], format="csc"
    )
    low = np.concatenate(lowest)
    bounds = np.column_stack([low, np.full(len(low), np.inf)])
    return float(linprog(np.concatenate(prices), A_ub=table, b_ub=np.concatenate(right), bounds=bounds).fun)
