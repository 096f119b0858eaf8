"""The linear program of self-expression, solved by cuts in its diagonal.

Rows m_j of X are to be rebuilt as sum_i Y_ij m_i with 0 <= Y_ij <= (|m_j| / |m_i|) Y_ii, Y_ii <= 1 and an error
|m_j - sum_i Y_ij m_i|_1 of at most t_j e, and as little p diag(Y) as can be: LP (8) of v15-1249 with t_j = 1, LP (7)
with t_j = |m_j|. Given the diagonal d, the rows part: each has a small fit of its own, whose optimal dual y_j says of
*any* diagonal that it needs

    sum_i d_i (|m_j| / |m_i|) max(m_i y_j, 0) + t_j e >= m_j y_j.

A few such cuts for each row describe the n^2 + n p variables of the program in the n of its diagonal. Diagonals from
the cuts found so far bound the objective from below. Mixing a row that is rebuilt too badly with itself makes a
diagonal feasible, so that every round bounds the objective from above as well.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

from treatise._core.threads import over_ranges
from treatise.decomposition.lp_separable_nmf._l1_fit_loops import fit_rows

_VIOLATED = 1e-8
"""Share of a row's size by which its error may miss."""
_PRICE = 1e-11
"""Price of a weight, for the size of its row: with a diagonal of a hundred they add up to less than may be missed."""
_IDLE = 8
"""Rounds after which a cut that does not bind is dropped."""
_EXACT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


@dataclass(frozen=True)
class SelfExpression:
    """A feasible solution, and how far it may be from the best.

    Attributes
    ----------
    diagonal : ndarray of shape (n,)
        Y_ii.
    rows : ndarray of int of shape (k,)
        Rows with a diagonal, or weights, above zero.
    weights : ndarray of shape (k, n)
        Y_ij of these rows i and all j.
    error : float
        e: given, or the least for the given sum of the diagonal.
    objective, bound : float
        p diag(Y), and what no solution is below.
    n_iter : int
        Rounds.
    converged : bool
        Whether both agree.
    """

    diagonal: np.ndarray
    rows: np.ndarray
    weights: np.ndarray
    error: float
    objective: float
    bound: float
    n_iter: int
    converged: bool


class SelfExpressionProgram:
    """Cuts that are kept from one solve to the next, as they hold for any costs and errors.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Rows, none zero.
    units : ndarray of shape (n,)
        t_j.
    """

    def __init__(self, X, units, *, tol, max_iter):
        n, p = X.shape
        self._X, self._units, self._tol, self._max_iter = X, units, tol, max_iter
        self._sizes = np.abs(X).sum(axis=1)
        # A corner of every row's dual: the sign of the row itself, which is its residual without weights.
        self._duals, self._inner = np.where(X < 0.0, -1.0, 1.0), np.zeros((n, p), bool)
        self._pool = np.zeros(0, np.intp)
        self._free = np.zeros((n, 0), bool)
        self._cuts, self._limits, self._ages = np.zeros((0, n + 1)), np.zeros(0), np.zeros(0, int)
        self._add(np.arange(n))

    def least_error(self, total):
        """The least error e at which a diagonal with sum ``total`` rebuilds all rows."""
        n = len(self._X)
        costs, total_row = np.append(np.zeros(n), 1.0), np.append(np.ones(n), 0.0)
        return self._rounds(costs, (0.0, None), (total_row, total, "at most"))

    def least_cost(self, costs, error, total=None):
        """The diagonal of least cost at an error e; with its sum given, as in the program of Hottopixx (2)."""
        row = None if total is None else (np.append(np.ones(len(self._X)), 0.0), total, "equal")
        return self._rounds(np.append(costs, 0.0), (error, error), row)

    def need_of(self, rows, copies):
        """How much all other rows, of which there are so many copies, need of some rows that may rebuild them."""
        diagonal = np.zeros(len(self._X))
        diagonal[rows] = 1.0
        weights, _ = self._fit(diagonal)
        place = [int(np.flatnonzero(self._pool == row)[0]) for row in rows]
        # In shares of the row that is rebuilt.
        shares = weights[:, place] / self._shares(rows).T
        shares[rows, np.arange(len(rows))] = 0.0
        return copies @ shares

    def _rounds(self, costs, error_range, total):
        best, n_iter = None, 0
        while True:
            n_iter += 1
            diagonal, error = self._master(costs, error_range, total)
            bound = float(costs[:-1] @ diagonal + costs[-1] * error)
            weights, errors = self._fit(diagonal)
            violated = errors > self._units * error + _VIOLATED * self._sizes
            found = self._mended(costs, diagonal, error, weights, errors, violated, total)
            if best is None or found.objective < best.objective:
                best = found
            least = self._tol * max(abs(best.objective), np.finfo(float).tiny)
            closed = np.isfinite(best.objective) and best.objective - bound <= least
            if closed or not violated.any() or n_iter == self._max_iter:
                break
            self._add(np.flatnonzero(violated))
        converged = bool(closed or not violated.any())
        if not converged:
            warnings.warn(
                f"the linear program's objective {best.objective:.6g} may be above the least by "
                f"{best.objective - bound:.2g} after max_iter={self._max_iter} rounds of cuts; raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=2,
            )
        return best.solution(bound, n_iter, converged)

    def _master(self, costs, error_range, total):
        """The best diagonal and error by the cuts so far; drops cuts that have not bound for long."""
        equal = {} if total is None or total[2] == "at most" else {"A_eq": total[0][None], "b_eq": [total[1]]}
        cuts, limits = -self._cuts, -self._limits
        if total is not None and total[2] == "at most":
            cuts, limits = np.vstack([cuts, total[0]]), np.append(limits, total[1])
        bounds = np.vstack([np.tile([0.0, 1.0], (len(self._X), 1)), np.array(error_range, dtype=float)])
        result = linprog(costs, A_ub=cuts, b_ub=limits, bounds=bounds, method="highs", options=_EXACT, **equal)
        if result.x is None:
            raise ValueError(
                f"no diagonal with the sum {total[1]:g} rebuilds all rows with an error of {error_range[0]:g} of the "
                "largest row; raise noise or n_components"
                if total is not None
                else f"HiGHS could not solve the master program: {result.message}"
            )
        binds = self._cuts @ result.x - self._limits < 1e-7
        self._ages = np.where(binds, 0, self._ages + 1)
        kept = self._ages <= _IDLE
        self._cuts, self._limits, self._ages = self._cuts[kept], self._limits[kept], self._ages[kept]
        return np.clip(result.x[:-1], 0.0, 1.0), float(result.x[-1])

    def _fit(self, diagonal):
        """Rebuild every row under a diagonal: weights of the pool (across) for each row (down), and errors."""
        n = len(self._X)
        fresh = np.setdiff1d(np.flatnonzero(diagonal > 0.0), self._pool)
        if len(fresh):
            self._pool = np.append(self._pool, fresh)
            self._free = np.hstack([self._free, np.zeros((n, len(fresh)), bool)])
        bounds = self._shares(self._pool).T * diagonal[self._pool]
        weights, errors = np.zeros(bounds.shape), np.empty(n)
        rows = np.ascontiguousarray(self._X[self._pool])

        prices = _PRICE * self._sizes[self._pool] * (1.0 + np.random.default_rng(0).random(len(self._pool)))
        corners = self._duals, self._inner, self._free

        def fit(first, last):
            fit_rows(self._X, rows, prices, bounds, first, last, *corners, weights, errors)

        over_ranges(fit, n, cost=2e4 * n)
        return weights, errors

    def _shares(self, rows):
        """``|m_j| / |m_i|`` of rows i (down) and all j (across)."""
        return self._sizes / self._sizes[rows][:, np.newaxis]

    def _add(self, places):
        """Cuts by the duals of these rows, each in the unit of its row."""
        products = np.maximum(self._duals[places] @ self._X.T, 0.0) / self._sizes
        units = self._units[places] / self._sizes[places]
        limits = np.einsum("ij,ij->i", self._duals[places], self._X[places]) / self._sizes[places]
        self._cuts = np.vstack([self._cuts, np.column_stack([products, units])])
        self._limits = np.append(self._limits, limits - 0.1 * _VIOLATED)  # so that rounding cuts off no solution
        self._ages = np.append(self._ages, np.zeros(len(places), int))

    def _mended(self, costs, diagonal, error, weights, errors, violated, total):
        """A feasible solution near a diagonal that may not be."""
        n = len(diagonal)
        own = np.zeros(n)
        own[self._pool] = weights[self._pool, np.arange(len(self._pool))]
        mixed = np.zeros(n)
        if costs[-1]:
            # The error is what is sought: any diagonal is feasible at some.
            error = float((errors / self._units).max())
        elif total is None:
            mixed = np.where(violated, 1.0 - self._units * error / np.maximum(errors, np.finfo(float).tiny), 0.0)
        elif violated.any():
            return _Candidate(np.inf, error, diagonal, self._pool, weights, mixed)
        diagonal = np.maximum(diagonal, own + mixed * (1.0 - own))
        # Mixed with itself a row is rebuilt the better: until its own weight is its diagonal.
        mixed = np.where(own < 1.0, (diagonal - own) / np.where(own < 1.0, 1.0 - own, 1.0), 0.0)
        objective = float(costs[:-1] @ diagonal + costs[-1] * error)
        return _Candidate(objective, error, diagonal, self._pool, weights, mixed)


@dataclass(frozen=True)
class _Candidate:
    """Fits of all rows by the pool, of which each is mixed with the row itself by some share."""

    objective: float
    error: float
    diagonal: np.ndarray
    pool: np.ndarray
    weights: np.ndarray
    mixed: np.ndarray

    def solution(self, bound, n_iter, converged):
        rows = np.union1d(self.pool, np.flatnonzero(self.diagonal > 0.0))
        full = np.zeros((len(rows), len(self.diagonal)))
        full[np.searchsorted(rows, self.pool)] = self.weights.T * (1.0 - self.mixed)
        full[np.arange(len(rows)), rows] += self.mixed[rows]
        used = full.any(axis=1) | (self.diagonal[rows] > 0.0)
        return SelfExpression(
            self.diagonal, rows[used], full[used], self.error, self.objective, bound, n_iter, converged
        )
