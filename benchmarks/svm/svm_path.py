"""The whole path against single fits and against a grid of them."""

from collections.abc import Iterator

import numpy as np
from sklearn.svm import SVC

from benchmarks._contest import Contest, Scaling
from treatise.datasets import make_gaussian_mixtures
from treatise.svm import SVMPath


def benchmarks() -> Iterator[Contest | Scaling]:
    """All costs up to 1 000 against one fit and against a grid of 20, on the paper's mixtures, 1 000 points."""
    X, y = make_gaussian_mixtures(500, random_state=0)
    for C in (1.0, 100.0):
        yield Contest(
            work=f"SVM path, 1 000 points, gamma 1, all C up to 1 000, against one fit at C = {C:g}, tolerance 1e-3",
            peer="scikit-learn",
            ours=lambda: SVMPath(gamma=1.0, C_max=1e3).fit(X, y),
            theirs=lambda C=C: SVC(C=C, gamma=1.0).fit(X, y),  # type: ignore[misc]
            quality=lambda machine, C=C: _dual(machine, X, y, C),  # type: ignore[misc]
            warm_up=lambda: SVMPath().fit(X[::50], y[::50]),
        )
    grid = np.geomspace(0.01, 1e3, 20)
    yield Contest(
        work="SVM path, 1 000 points, gamma 1, all C up to 1 000, against 20 fits from 0.01 to 1 000, tolerance 1e-3",
        peer="scikit-learn",
        ours=lambda: SVMPath(gamma=1.0, C_max=1e3).fit(X, y),
        theirs=lambda: [SVC(C=C, gamma=1.0).fit(X, y) for C in grid][13],
        quality=lambda machine: _dual(machine, X, y, grid[13]),
        warm_up=lambda: SVMPath().fit(X[::50], y[::50]),
    )
    yield Scaling(
        work="SVM path, gamma 1, all C up to 1 000, over points",
        sizes=(250, 500, 1_000, 2_000),
        prepare=lambda n: lambda: SVMPath(gamma=1.0, C_max=1e3).fit(*make_gaussian_mixtures(n // 2, random_state=0)),
        warm_up=lambda: SVMPath().fit(X[::50], y[::50]),
    )


def _dual(machine: SVMPath | SVC, X: np.ndarray, y: np.ndarray, C: float) -> float:
    """Value of the dual problem at one cost."""
    if isinstance(machine, SVC):
        coef = np.zeros(len(y))
        coef[machine.support_] = machine.dual_coef_[0]
    else:
        coef, _ = machine.dual_coef(C)
    differences = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    return float(np.abs(coef).sum() - 0.5 * coef @ np.exp(-differences) @ coef)
