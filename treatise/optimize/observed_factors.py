"""Two factors whose product is close to the observed entries of a matrix, as in collaborative filtering."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from treatise._core.threads import over_ranges
from treatise.optimize._observed_factors_loops import (
    entries_of,
    ridge_rows,
    sign_descent,
    sign_loss,
    squared_residual,
)

SIGN_LOSSES = {"sigmoid": 0, "squared_hinge": 1}
# A pass of stochastic steps is kept only if it lowers the objective; else the steps are halved.
SMALLEST_STEP = 1e-6


class ObservedFactors(NamedTuple):
    """A factorisation ``W H'`` of the observed entries."""

    W: np.ndarray
    H: np.ndarray
    objective: np.ndarray
    """Penalised loss after each half sweep, or each pass."""
    converged: bool

    def at(self, rows, columns):
        """Entries of ``W H'`` at pairs of a row and a column.

        Parameters
        ----------
        rows, columns : array-like of int of shape (n,)
            The pairs.
        """
        rows, columns = (np.ascontiguousarray(a, dtype=np.int64) for a in (rows, columns))
        return entries_of(rows, columns, self.W, self.H)


def factorize_observed(A, rank, *, reg=1.0, max_iter=500, tol=1e-4, random_state=None):
    """Minimise ``sum over observed (A_ij - w_i h_j)^2 + reg (|W|^2 + |H|^2)`` by alternating ridge regressions.

    Each half sweep solves for one factor exactly, so the objective never rises. Time O(entries rank^2 + (n + m) rank^3)
    a sweep; memory beyond A two factors and a transposed copy.

    Parameters
    ----------
    A : sparse matrix of shape (n, m)
        Its stored entries are the observed ones.
    rank : int
        Columns of the factors.
    reg : float, default=1
        Penalty, above zero.
    max_iter : int, default=500
        Most sweeps.
    tol : float, default=1e-4
        Ends when a sweep lowers the objective by less than this share.
    random_state : numpy Generator, int or None, default=None
        Draws the start.

    Returns
    -------
    factors : ObservedFactors

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from treatise.optimize import factorize_observed
    >>> A = sparse.csr_array(np.outer([1.0, -1.0, 2.0], [1.0, 3.0]))
    >>> found = factorize_observed(A, 1, reg=1e-6, tol=1e-9, random_state=0)
    >>> np.round(found.W @ found.H.T, 3)
    array([[ 1.,  3.],
           [-1., -3.],
           [ 2.,  6.]])
    """
    A = sparse.csr_array(A, dtype=np.float64)
    A.sum_duplicates()
    _check(rank, reg)
    T = sparse.csr_array(A.T)
    rng = np.random.default_rng(random_state)
    W, H = (rng.normal(0.0, 0.1, (size, rank)) for size in A.shape)
    objective, converged = [], False
    for _ in range(max_iter):
        for matrix, rows, others in ((A, W, H), (T, H, W)):
            _solve(matrix, rows, others, reg)
            residual = squared_residual(A.indptr, A.indices, A.data, W, H)
            objective.append(residual + reg * (np.vdot(W, W) + np.vdot(H, H)))
        if len(objective) > 2 and objective[-3] - objective[-1] <= tol * objective[-3]:
            converged = True
            break
    return ObservedFactors(W, H, np.array(objective), converged)


def _solve(matrix, rows, others, reg):
    """Best rows of one factor for the other, some in each thread."""
    k = rows.shape[1]
    over_ranges(
        lambda first, last: ridge_rows(matrix.indptr, matrix.indices, matrix.data, others, reg, rows, first, last),
        len(rows),
        cost=matrix.nnz * k * k / 2 + len(rows) * k**3 / 3,
    )


def factorize_signs(A, rank, *, loss="sigmoid", reg=1.0, step=0.1, max_iter=500, tol=1e-4, random_state=None):
    """Minimise ``sum over observed loss(A_ij, w_i h_j) + reg (|W|^2 + |H|^2)`` by stochastic gradient steps.

    Parameters
    ----------
    A : sparse matrix of shape (n, m)
        Its stored entries, -1 or 1, are the observed ones.
    rank : int
        Columns of the factors.
    loss : {"sigmoid", "squared_hinge"}, default="sigmoid"
        ``1 / (1 + exp(x y))``, or ``max(0, 1 - x y)^2``.
    reg : float, default=1
        Penalty, above zero.
    step : float, default=0.1
        First step; halved when a pass does not lower the objective, and that pass is taken back.
    max_iter : int, default=500
        Most passes.
    tol : float, default=1e-4
        Ends when a pass lowers the objective by less than this share.
    random_state : numpy Generator, int or None, default=None
        Draws the start and the order of the entries.

    Returns
    -------
    factors : ObservedFactors

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from treatise.optimize import factorize_signs
    >>> A = sparse.csr_array(np.outer([1.0, -1.0, 1.0], [1.0, -1.0]))
    >>> found = factorize_signs(A, 1, loss="squared_hinge", reg=0.01, random_state=0)
    >>> bool((np.sign(found.W @ found.H.T) == A.toarray()).all())
    True
    """
    A = sparse.coo_array(A, dtype=np.float64)
    _check(rank, reg)
    if loss not in SIGN_LOSSES:
        raise ValueError(f"loss={loss!r} is none of {', '.join(SIGN_LOSSES)}")
    if not np.isin(A.data, (-1.0, 1.0)).all():
        raise ValueError("signs are -1 or 1; the matrix has other entries")
    code, rng = SIGN_LOSSES[loss], np.random.default_rng(random_state)
    rows, columns = A.row.astype(np.int64), A.col.astype(np.int64)
    shares = [
        reg / np.maximum(np.bincount(a, minlength=size), 1) for a, size in ((rows, A.shape[0]), (columns, A.shape[1]))
    ]
    W, H = (rng.normal(0.0, 0.1, (size, rank)) for size in A.shape)

    def value(W, H):
        return sign_loss(code, rows, columns, A.data, W, H) + reg * (np.vdot(W, W) + np.vdot(H, H))

    objective, converged = [value(W, H)], False
    for _ in range(max_iter):
        before = W.copy(), H.copy()
        # Of a penalty reg w^2 the slope is 2 reg w, a part of it at each entry of the row.
        sign_descent(code, rows, columns, A.data, 2 * shares[0], 2 * shares[1], rng.permutation(len(rows)), W, H, step)
        now = value(W, H)
        if not now < objective[-1]:
            (W, H), step = before, step / 2
            if step < SMALLEST_STEP:
                converged = True
                break
            continue
        objective.append(now)
        if objective[-2] - now <= tol * objective[-2]:
            converged = True
            break
    return ObservedFactors(W, H, np.array(objective), converged)


def _check(rank, reg):
    if not (rank >= 1 and float(rank).is_integer()):
        raise ValueError(f"rank={rank} must be a whole number of one or more")
    if not (np.isfinite(reg) and reg > 0):
        raise ValueError(f"reg={reg} must be above zero: without a penalty a row of few entries has no unique solution")
