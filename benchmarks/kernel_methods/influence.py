"""All leave-one-out scores of a kernel classifier against refits by a peer."""

from collections.abc import Iterator
from functools import cache

import numpy as np
from sklearn.base import clone
from sklearn.svm import SVC

from benchmarks._contest import Contest, Scaling
from treatise.kernel_methods import InfluenceFunction, KernelMachineClassifier


def benchmarks() -> Iterator[Contest | Scaling]:
    """Leave-one-out errors of 300 rows without refits and by refitting scikit-learn's SVC; cost over rows."""
    X, y = _rows(300)
    yield Contest(
        work="leave-one-out error, 300 rows: kernel logistic regression with its influences against 300 fits of SVC",
        peer="scikit-learn",
        ours=lambda: _by_influence(X, y),
        theirs=lambda: _by_refits(X, y),
        quality=float,
        repeats=1,
    )
    yield Scaling(
        work="influence of every row on kernel logistic regression, the fit not counted, over rows",
        sizes=(250, 500, 1_000, 2_000),
        prepare=lambda n: lambda: InfluenceFunction(_fitted(n), *_rows(n)).training(),
        warm_up=lambda: [_fitted(n) for n in (250, 500, 1_000, 2_000)],
    )


@cache
def _rows(n: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n, 5))
    return X, np.where(X[:, 0] * X[:, 1] + 0.5 * generator.normal(size=n) > 0, 1, -1)


@cache
def _fitted(n: int) -> KernelMachineClassifier:
    return KernelMachineClassifier(1e-3, gamma=0.2).fit(*_rows(n))


def _by_influence(X: np.ndarray, y: np.ndarray) -> float:
    machine = KernelMachineClassifier(1e-3, gamma=0.2).fit(X, y)
    return float(np.mean(np.sign(InfluenceFunction(machine, X, y).leave_one_out()) != y))


def _by_refits(X: np.ndarray, y: np.ndarray) -> float:
    machine = SVC(C=1 / (2 * 1e-3 * len(y)), gamma=0.2)
    wrong = 0
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        wrong += clone(machine).fit(X[rest], y[rest]).predict(X[i : i + 1])[0] != y[i]
    return wrong / len(y)
