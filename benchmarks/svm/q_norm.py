"""q-norm soft margins: the hinge and the squared hinge against scikit-learn, and cost over rows."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.svm import SVC

from benchmarks._contest import Contest, Scaling
from treatise.svm import QNormSVC


def benchmarks() -> Iterator[Contest | Scaling]:
    """5 000 rows of ten features: q = 1 at the same problem, q = 2 at the same penalty, and all powers over rows."""
    X, y = table(5_000)
    for q in (1.0, 2.0):
        yield Contest(
            work=f"q-norm machine, q = {q:g}, 5 000 rows, ten features, C = 1 a row, tolerance 1e-3, against the hinge",
            peer="scikit-learn",
            ours=partial(_ours, q, X, y),
            theirs=lambda: SVC(C=1.0, gamma=0.1).fit(X, y),
            quality=lambda machine: float(machine.score(*table(5_000, seed=1))),
            warm_up=partial(_ours, q, X[:100], y[:100]),
            repeats=1,
        )
    for q in (1.5, 2.0, 3.0):
        yield Scaling(
            work=f"q-norm machine, q = {q:g}, ten features, C = 1 a row, over rows",
            sizes=(500, 1_000, 2_000, 4_000),
            prepare=partial(_prepared, q),
            warm_up=partial(_ours, q, X[:100], y[:100]),
        )
    yield Scaling(
        work="q-norm machine, q = 4 (Newton's method), ten features, C = 1 a row, over rows",
        sizes=(250, 500, 1_000),
        prepare=partial(_prepared, 4.0),
    )


def table(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping classes on the two sides of a parabola."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 10))
    return X, (X[:, 0] + X[:, 1] ** 2 - 1 + 0.5 * rng.normal(size=n) > 0).astype(int)


def _ours(q: float, X: np.ndarray, y: np.ndarray) -> QNormSVC:
    return QNormSVC(q, C=float(len(y)), gamma=0.1).fit(X, y)


def _prepared(q: float, n: int) -> Any:
    return partial(_ours, q, *table(n))
