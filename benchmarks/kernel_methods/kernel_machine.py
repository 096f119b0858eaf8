"""Kernel machines against scikit-learn on the special cases that it has."""

from collections.abc import Iterator

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.svm import SVC

from benchmarks._contest import Contest, Scaling
from treatise.kernel_methods import KernelMachineClassifier, KernelMachineRegressor


def benchmarks() -> Iterator[Contest | Scaling]:
    """Kernel ridge regression and a support vector machine, 2 000 rows; the cost of kernel logistic regression."""
    X, y = _rows(2000)
    numbers = np.sin(X[:, 0]) + X[:, 1]
    yield Contest(
        work="kernel ridge regression, 2 000 rows, 10 features",
        peer="scikit-learn",
        ours=lambda: KernelMachineRegressor(1e-4, gamma=0.1, unpenalized=None).fit(X, numbers),
        theirs=lambda: KernelRidge(alpha=1e-4 * 2000, kernel="rbf", gamma=0.1).fit(X, numbers),
        quality=lambda machine: float(np.mean((machine.predict(X) - numbers) ** 2)),
    )
    yield Contest(
        work="support vector machine, 2 000 rows, 10 features, tolerance 1e-3",
        peer="scikit-learn",
        ours=lambda: KernelMachineClassifier(1 / 4000, loss="hinge", gamma=0.1, tol=1e-3).fit(X, y),
        theirs=lambda: SVC(C=1.0, gamma=0.1).fit(X, y),
        quality=lambda machine: machine.score(X, y),
        warm_up=lambda: KernelMachineClassifier(loss="hinge").fit(X[:50], y[:50]),
    )
    yield Scaling(
        work="kernel logistic regression to 1e-8, over rows",
        sizes=(250, 500, 1_000, 2_000),
        prepare=lambda n: lambda: KernelMachineClassifier(1e-3, gamma=0.1).fit(*_rows(n)),
    )


def _rows(n: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n, 10))
    return X, np.where(X[:, 0] * X[:, 1] + 0.5 * generator.normal(size=n) > 0, 1, -1)
