"""Logistic regression with a price on the size of every coefficient, for one target or for every column of a table."""

from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from treatise._core.threads import over_ranges
from treatise.optimize.l1._logistic_loops import solve, solve_every_column


@dataclass(frozen=True)
class L1LogisticSolution:
    """What :func:`solve_l1_logistic` and :func:`solve_l1_logistic_columns` found.

    Attributes
    ----------
    coef : ndarray of shape (n_features,) or (n_columns, n_features)
        Coefficients, zero exactly where they are zero.
    intercept : float or ndarray of shape (n_columns,)
        Intercepts, which are not penalised.
    violation : float
        Largest failure of the conditions for the optimum.
    n_iter : int
        Rounds of the working set, at most.
    converged : bool
        Whether the violation is within ``tol``.
    """

    coef: np.ndarray
    intercept: float | np.ndarray
    violation: float
    n_iter: int
    converged: bool


def solve_l1_logistic(X, y, penalty, *, sample_weight=None, start=None, tol=1e-7, max_rounds=100):
    """Minimise ``mean(log(1 + exp(f)) - y f) + sum(penalty * |coef|)`` with ``f = X coef + intercept``.

    Newton steps on a working set that grows by the worst violators. Use it where few coefficients are not zero; each
    round costs one product with X and k^2 n for a working set of k.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features.
    y : ndarray of shape (n_samples,)
        Targets, 0 or 1 (or chances between); both must occur, or the intercept has no end.
    penalty : float or ndarray of shape (n_features,)
        Price of each coefficient; infinite leaves a feature out.
    sample_weight : ndarray of shape (n_samples,) or None, default=None
        Weights of the rows.
    start : tuple (coef, intercept) or None, default=None
        Where to begin.
    tol : float, default=1e-7
        Largest violation of the conditions for the optimum, in units of the mean loss per unit of a feature.
    max_rounds : int, default=100
        Rounds of the working set at most.

    Returns
    -------
    solution : L1LogisticSolution

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import solve_l1_logistic
    >>> X = np.array([[-1.0, 0.1], [-1.0, -0.1], [1.0, 0.1], [1.0, -0.1]])
    >>> solve_l1_logistic(X, np.array([0.0, 0.0, 1.0, 1.0]), 0.25).coef.round(4)
    array([1.0986, 0.    ])
    """
    y = np.ascontiguousarray(y, dtype=np.float64)
    features, weights = _features(X), _weights(sample_weight, len(y))
    if not 0 < weights @ y < 1:
        raise ValueError("all targets are equal, so the intercept would be infinite; both 0 and 1 must occur")
    price = _prices(penalty, len(features) - 1)
    coef = np.zeros(len(features)) if start is None else np.append(start[0], start[1]).astype(np.float64)
    with threadpool_limits(1, "blas"):
        worst, rounds = solve(features, y, weights, price, coef, tol, max_rounds)
    return L1LogisticSolution(coef[:-1], float(coef[-1]), float(worst), int(rounds), bool(worst <= tol))


def solve_l1_logistic_columns(X, penalty, *, columns=None, start=None, sample_weight=None, tol=1e-7, max_rounds=100):
    """Every column of a table of zeros and ones against all the others: sparse neighbours of binary variables.

    The columns are shared out over threads; the result does not depend on their number.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Zeros and ones; every column of ``columns`` must have both.
    penalty : float
        Price of a coefficient.
    columns : ndarray of int or None, default=None
        Which columns to explain; None takes all.
    start : tuple (coef, intercept) or None, default=None
        Where to begin, such as the solution of a larger penalty.
    sample_weight, tol, max_rounds
        As in :func:`solve_l1_logistic`.

    Returns
    -------
    solution : L1LogisticSolution
        ``coef[r, t]`` of column ``columns[r]`` on column t.
    """
    features, weights = _features(X), _weights(sample_weight, len(X))
    p = len(features) - 1
    columns = np.arange(p) if columns is None else np.asarray(columns, dtype=np.int64)
    share = features[columns] @ weights
    if not ((share > 0) & (share < 1)).all():
        column = int(columns[((share <= 0) | (share >= 1)).argmax()])
        raise ValueError(f"column {column} is constant, so its intercept would be infinite; leave it out of columns")
    price = _prices(penalty, p)
    coef = np.zeros((len(columns), p + 1))
    if start is not None:
        coef[:, :-1], coef[:, -1] = start
    worst, rounds = np.zeros(len(columns)), np.zeros(len(columns), dtype=np.int64)

    def part(first, last):
        these = slice(first, last)
        solve_every_column(
            features, columns[these], weights, price, coef[these], tol, max_rounds, worst[these], rounds[these]
        )

    # Threads take columns; threads of the matrix products inside would only be in their way.
    with threadpool_limits(1, "blas"):
        over_ranges(part, len(columns), cost=20.0 * features.size * len(columns))
    violation = float(worst.max(initial=0.0))
    return L1LogisticSolution(coef[:, :-1], coef[:, -1], violation, int(rounds.max(initial=0)), violation <= tol)


def _features(X):
    """One feature per row, and a last row of ones for the intercept."""
    X = np.asarray(X, dtype=np.float64)
    return np.ascontiguousarray(np.vstack([X.T, np.ones(len(X))]))


def _weights(sample_weight, n):
    weights = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    return weights / weights.sum()


def _prices(penalty, p):
    price = np.broadcast_to(np.asarray(penalty, dtype=np.float64), (p,))
    if not (price >= 0).all():
        raise ValueError("penalty must not be negative")
    return np.append(price, 0.0)
