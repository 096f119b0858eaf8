"""Kernel regression that stops itself against a search over ridge penalties, and its cost over rows."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV

from benchmarks._contest import Contest, Scaling
from treatise.kernel_methods import EarlyStoppedKernelRegressor


def benchmarks() -> Iterator[Contest | Scaling]:
    """Against scikit-learn's KernelRidge with five-fold cross-validation over 20 penalties."""
    X, y, X_test, f_test = smooth_table(2000)

    def error(model: Any) -> float:
        return float(np.mean((model.predict(X_test) - f_test) ** 2))

    penalties = {"alpha": np.geomspace(1e-4, 1e2, 20)}
    yield Contest(
        work="kernel regression tuned by itself (SURE, whole spectrum) or by 5 x 20 ridge fits, 2000 rows, 3 features",
        peer="scikit-learn",
        ours=lambda: EarlyStoppedKernelRegressor(stopping="sure", random_state=0).fit(X, y),
        theirs=lambda: GridSearchCV(KernelRidge(kernel="rbf", gamma=1 / 3), penalties).fit(X, y - y.mean()),
        quality=error,
        repeats=1,
    )
    for solver in ("eigh", "iterate"):
        yield Scaling(
            work=f"EarlyStoppedKernelRegressor('rademacher', constant=1, solver={solver!r}), 3 features, over rows",
            sizes=(500, 1000, 2000),
            prepare=partial(_fit, solver),
        )


def smooth_table(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A smooth function of three features with noise; and the function itself at other points."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n + 1000, 3))
    f = X[:, 0] + np.sin(2 * X[:, 1]) * X[:, 2]
    f -= f.mean()
    return X[:n], f[:n] + 0.5 * rng.normal(size=n), X[n:], f[n:]


def _fit(solver: str, n: int) -> Any:
    X, y, _, _ = smooth_table(n)
    return lambda: EarlyStoppedKernelRegressor(stopping="rademacher", constant=1.0, solver=solver, random_state=0).fit(
        X, y
    )
