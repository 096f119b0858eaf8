"""Graphs of variables: the graphical lasso, CLIME's path and sparse Ising regressions against what users have."""

import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout
from functools import partial
from importlib.util import find_spec
from io import StringIO
from typing import Any

import numpy as np
from scipy.optimize import linprog
from sklearn.covariance import graphical_lasso
from sklearn.linear_model import LogisticRegression

from benchmarks._contest import Contest, Scaling, left_out
from treatise.datasets import make_random_gaussian_graph
from treatise.graphical import Clime, sample_ising
from treatise.optimize import solve_graphical_lasso, solve_l1_logistic_columns


def benchmarks() -> Iterator[Contest | Scaling]:
    """One precision matrix to the same gap, one column of linear programs, all regressions of a binary table."""
    small = np.corrcoef(make_random_gaussian_graph(100, 20, random_state=0)[0].T)
    for p, n, penalty in ((200, 400, 0.1), (500, 1000, 0.1)):
        S = np.corrcoef(make_random_gaussian_graph(n, p, random_state=0)[0].T)
        yield Contest(
            work=f"graphical lasso, {p} variables, {n} rows, penalty {penalty}, gap below 1e-4",
            peer="scikit-learn",
            ours=partial(_precision, S, penalty),
            theirs=partial(_their_precision, S, penalty),
            quality=partial(_objective, S, penalty),
            warm_up=partial(_precision, small, 0.1),
            repeats=1,
        )
        yield from _gglasso_contest(S, penalty, small)
    yield Scaling(
        work="graphical lasso, blocks of 50 variables, penalty 0.2, over variables",
        sizes=(500, 1000, 2000),
        prepare=_blocks,
        warm_up=partial(_precision, small, 0.1),
    )
    X = make_random_gaussian_graph(200, 100, random_state=0)[0]
    yield Contest(
        work="CLIME, 100 variables, 200 rows: the whole path to 0.1, against one program a column at 0.1 alone",
        peer="scipy",
        ours=lambda: [column.at(0.1) for column in Clime(0.1).fit(X).path_.columns],
        theirs=partial(_programs, np.corrcoef(X.T), 0.1),
        quality=lambda columns: float(sum(np.abs(column).sum() for column in columns)),
        warm_up=lambda: Clime(0.1).fit(X[:, :10]),
        repeats=1,
    )
    yield Scaling(
        work="CLIME, 200 rows: the whole path to 0.1, over variables",
        sizes=(50, 100, 200, 400, 800),
        # With 800 variables some columns have no solution at 0.1: their paths end where none is.
        prepare=lambda d: partial(Clime(0.2, lowest=0.1).fit, make_random_gaussian_graph(200, d, random_state=0)[0]),
        warm_up=lambda: Clime(0.1).fit(X[:, :10]),
    )
    votes = _votes(400, 2000)
    penalty = float(np.sqrt(np.log(400) / 2000)) / 2
    yield Contest(
        work="sparse logistic regression of each of 400 binary columns on the others, 2 000 rows",
        peer="scikit-learn",
        ours=lambda: solve_l1_logistic_columns(votes, penalty, tol=1e-5).coef,
        theirs=partial(_liblinear, votes, penalty),
        quality=lambda coef: float(np.abs(coef).sum()),
        warm_up=lambda: solve_l1_logistic_columns(votes[:, :20], penalty),
        repeats=1,
    )


def _precision(S: np.ndarray, penalty: float) -> np.ndarray:
    return solve_graphical_lasso(S, penalty, tol=1e-4).precision


def _their_precision(S: np.ndarray, penalty: float) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return graphical_lasso(S, penalty, tol=1e-4, max_iter=500)[1]


def _gglasso_contest(S: np.ndarray, penalty: float, small: np.ndarray) -> Iterator[Contest]:
    """The peer with the loosest tolerance that brings it within 1e-4 of the minimum; ours proves its gap."""
    if find_spec("gglasso") is None:
        left_out("graphs: gglasso is not installed; its contests are left out")
        return
    limit = _objective(S, penalty, solve_graphical_lasso(S, penalty, tol=1e-8).precision) + 1e-4
    for tolerance in 10.0 ** np.arange(-2.0, -9.0, -0.5):
        if _objective(S, penalty, _gglasso_precision(S, penalty, tolerance)) <= limit:
            break
    yield Contest(
        work=f"graphical lasso, {len(S)} variables, penalty {penalty}, within 1e-4 of the minimum (peer: ADMM)",
        peer="gglasso",
        ours=partial(_precision, S, penalty),
        theirs=partial(_gglasso_precision, S, penalty, tolerance),
        quality=partial(_objective, S, penalty),
        warm_up=partial(_precision, small, 0.1),
        repeats=1,
    )


def _gglasso_precision(S: np.ndarray, penalty: float, tolerance: float) -> np.ndarray:
    from gglasso.solver.single_admm_solver import ADMM_SGL

    with redirect_stdout(StringIO()):
        return ADMM_SGL(S, penalty, np.eye(len(S)), tol=1e-10, rtol=tolerance, max_iter=10_000)[0]["Theta"]


def _objective(S: np.ndarray, penalty: float, precision: np.ndarray) -> float:
    off = np.abs(precision).sum() - np.abs(np.diag(precision)).sum()
    return float(np.vdot(S, precision) - np.linalg.slogdet(precision)[1] + penalty * off)


def _blocks(p: int) -> Any:
    S = np.eye(p)
    for first in range(0, p, 50):
        rows = make_random_gaussian_graph(200, 50, random_state=first)[0]
        S[first : first + 50, first : first + 50] = np.corrcoef(rows.T)
    return partial(_precision, S, 0.2)


def _programs(S: np.ndarray, penalty: float) -> list[np.ndarray]:
    d = len(S)
    A, found = np.block([[S, -S], [-S, S]]), []
    for j in range(d):
        sides = np.concatenate([np.eye(d)[j] + penalty, penalty - np.eye(d)[j]])
        x = linprog(np.ones(2 * d), A_ub=A, b_ub=sides).x
        found.append(x[:d] - x[d:])
    return found


def _votes(p: int, n: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    couplings = np.zeros((p, p))
    for first in range(0, p, 10):
        for _ in range(15):
            i, j = first + rng.integers(10, size=2)
            if i != j:
                couplings[i, j] = couplings[j, i] = rng.uniform(-3, 3)
    return sample_ising(-couplings.sum(axis=1) / 2, couplings, n, random_state=0).astype(float)


def _liblinear(X: np.ndarray, penalty: float) -> np.ndarray:
    n, p = X.shape
    coef = np.zeros((p, p))
    for s in range(p):
        others = np.delete(np.arange(p), s)
        # Its intercept is penalised; scaled a hundredfold it is nearly free.
        model = LogisticRegression(
            l1_ratio=1.0, solver="liblinear", C=1 / (n * penalty), intercept_scaling=100.0, tol=1e-5
        )
        coef[s, others] = model.fit(X[:, others], X[:, s]).coef_[0]
    return coef
