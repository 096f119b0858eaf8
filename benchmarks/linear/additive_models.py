"""Sparse additive models: a path of group lassos on splines against celer's."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks._contest import Contest, Scaling
from treatise.linear import SpAMRegressor
from treatise.linear.spam._basis import column_bases
from treatise.optimize import group_lasso_path, group_penalty_limit

FUNCTIONS = 6


def benchmarks() -> Iterator[Contest | Scaling]:
    """The same groups, penalties and tolerance; then whole fits over columns."""
    for n, p in ((500, 500), (2000, 1000)):
        Q, starts, y = _groups(n, p)
        penalties = group_penalty_limit(Q, starts, y) * np.geomspace(1.0, 0.05, 50)[1:]
        yield Contest(
            work=f"group lasso, 49 penalties, {p} groups of {FUNCTIONS} splines, {n} rows, gap below 1e-6",
            peer="celer",
            ours=partial(_ours, Q, starts, y, penalties),
            theirs=partial(_theirs, np.asfortranarray(Q.T), y, penalties),
            quality=partial(_objective, Q, starts, y, penalties[-1]),
            warm_up=partial(_ours, Q[: 4 * FUNCTIONS], starts[:5], y, penalties[:2]),
            repeats=1,
        )
    yield Scaling(
        work=f"SpAMRegressor, path of 50 penalties, 2 000 rows, {FUNCTIONS} splines a column, over columns",
        sizes=(500, 1000, 2000, 5000),
        prepare=_whole_fit,
        warm_up=_whole_fit(20),
    )


def _table(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    return X, np.sin(2 * X[:, :10]).sum(axis=1) + rng.standard_normal(n)


def _groups(n: int, p: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X, y = _table(n, p)
    _, Q, starts = column_bases(X, FUNCTIONS)
    return Q, starts, y


def _whole_fit(p: int) -> Any:
    X, y = _table(2000, p)
    return lambda: SpAMRegressor().fit(X, y).active_


def _ours(Q: np.ndarray, starts: np.ndarray, y: np.ndarray, penalties: np.ndarray) -> np.ndarray:
    return group_lasso_path(Q, starts, y, penalties, tol=1e-6)[-1].coef


def _theirs(X: np.ndarray, y: np.ndarray, penalties: np.ndarray) -> np.ndarray:
    from celer import GroupLasso

    model = GroupLasso(groups=FUNCTIONS, warm_start=True, tol=1e-6, max_iter=1000)
    for penalty in penalties:
        model.set_params(alpha=float(penalty)).fit(X, y)
    return model.coef_


def _objective(Q: np.ndarray, starts: np.ndarray, y: np.ndarray, penalty: float, coef: np.ndarray) -> float:
    residual = y - y.mean() - coef @ Q
    norms = np.sqrt(np.add.reduceat(coef**2, starts[:-1]))
    return float(residual @ residual / (2 * len(y)) + penalty * norms.sum())
