"""Group ARD against scikit-learn's ARD of single columns, and the group lasso against skglm's."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks._contest import Contest, Scaling
from treatise.linear import GroupARDRegressor, GroupLassoMKL

SIZE, NOISE = 5, 1.0


def benchmarks() -> Iterator[Contest | Scaling]:
    """The same tables; ARD judged by the error of the coefficients, the lasso by its objective."""
    for n, m, size in ((2000, 500, SIZE), (2000, 500, 1), (400, 500, SIZE)):
        X, y, theta = _table(n, m)
        yield Contest(
            work=f"ARD, {n} rows, {m} columns in blocks of {size}; relative error of the coefficients",
            peer="scikit-learn",
            ours=partial(_ard, X, y, size),
            theirs=partial(_peer_ard, X, y),
            quality=partial(_error, theta),
            warm_up=partial(_ard, X[:100, :20], y[:100], size),
        )
    for n, m, gamma in ((2000, 500, 2000.0), (500, 2000, 200.0), (5000, 2000, 2000.0)):
        X, y, _ = _table(n, m)
        weight = NOISE * np.sqrt(2 * gamma) / n
        yield Contest(
            work=f"group lasso, {n} rows, {m} columns in blocks of {SIZE}, one penalty; objective",
            peer="skglm",
            ours=partial(_lasso, X, y, gamma),
            theirs=partial(_peer_lasso, X, y, weight),
            quality=partial(_objective, X, y, weight),
            warm_up=partial(_warm_up_lassos, X[:100, :20], y[:100], gamma),
        )
    yield Scaling(
        work=f"GroupARDRegressor, 2 000 rows, blocks of {SIZE}, noise known, over columns",
        sizes=(250, 500, 1000, 2000),
        prepare=_whole_fit,
        warm_up=_whole_fit(20),
    )


def _table(n: int, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.standard_normal((n, m)))
    theta = np.zeros(m)
    theta[: 10 * SIZE] = rng.standard_normal(len(theta[: 10 * SIZE]))
    return X, X @ theta + np.sqrt(NOISE) * rng.standard_normal(n), theta


def _ard(X: np.ndarray, y: np.ndarray, size: int) -> np.ndarray:
    return GroupARDRegressor(size).fit(X, y).coef_


def _peer_ard(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    from sklearn.linear_model import ARDRegression

    return ARDRegression().fit(X, y).coef_


def _error(theta: np.ndarray, coef: np.ndarray) -> float:
    return float(np.linalg.norm(coef - theta) / np.linalg.norm(theta))


def _lasso(X: np.ndarray, y: np.ndarray, gamma: float) -> np.ndarray:
    model = GroupLassoMKL(SIZE, gamma=gamma, noise_var=NOISE, fit_intercept=False, tol=1e-9)
    return model.fit(X, y).coef_


def _peer_lasso(X: np.ndarray, y: np.ndarray, weight: float) -> np.ndarray:
    from skglm import GroupLasso

    model = GroupLasso(groups=SIZE, alpha=weight, fit_intercept=False, tol=1e-6)
    return model.fit(X, y).coef_


def _warm_up_lassos(X: np.ndarray, y: np.ndarray, gamma: float) -> None:
    """Both sides compile."""
    _lasso(X, y, gamma)
    _peer_lasso(X, y, NOISE * np.sqrt(2 * gamma) / len(y))


def _objective(X: np.ndarray, y: np.ndarray, weight: float, coef: np.ndarray) -> float:
    residual = y - X @ coef
    norms = np.linalg.norm(coef.reshape(-1, SIZE), axis=1)
    return float(residual @ residual / (2 * len(y)) + weight * norms.sum())


def _whole_fit(m: int) -> Any:
    X, y, _ = _table(2000, m)
    return lambda: GroupARDRegressor(SIZE, noise_var=NOISE).fit(X, y).coef_
