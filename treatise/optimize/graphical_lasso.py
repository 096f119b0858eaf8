"""Sparse inverse covariance matrices: log-determinant minus trace, with a penalty of its own for every entry.

Newton steps by coordinate descent on the entries that are free to move (Hsieh, Sustik, Dhillon and Ravikumar 2014),
on every connected block of the thresholded covariance alone (Witten, Friedman and Simon 2011; Mazumder and Hastie
2012), until the duality gap closes.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from treatise._core.jit import compiled
from treatise.optimize.penalties import shrunk

_SUFFICIENT_DECREASE = 1e-3
_SHORTEST_STEP = 2.0**-30
_FEW = 64
"""Variables below which dpotri wakes threads for less work than waking them; dpotrs starts none there."""


@dataclass(frozen=True)
class GraphicalLassoSolution:
    """What :func:`solve_graphical_lasso` found.

    Attributes
    ----------
    precision : ndarray of shape (p, p)
        The sparse inverse covariance, symmetric and positive definite, with exact zeros.
    covariance : ndarray of shape (p, p)
        Its inverse.
    objective : float
        ``-log det(precision) + tr(S precision) + sum(penalty * |precision|)``.
    gap : float
        By how much the objective may exceed its minimum: objective less that of a feasible point of the dual.
    blocks : ndarray of int of shape (p,)
        Number of the block of each variable: variables of different blocks are independent in the solution.
    n_iter : int
        Newton steps of the slowest block.
    converged : bool
        Whether the gap closed to ``tol``.
    """

    precision: np.ndarray
    covariance: np.ndarray
    objective: float
    gap: float
    blocks: np.ndarray
    n_iter: int
    converged: bool


def solve_graphical_lasso(S, penalty, *, start=None, tol=1e-9, max_iter=100):
    """The positive definite matrix that minimises ``-log det T + tr(S T) + sum(penalty * |T|)``.

    Use it for Gaussian graphs, whole or as a step of a larger method. It converges where block coordinate descent on
    the covariance does not, also from singular S. Each Newton step costs p^3 for an inverse and p for each free entry
    and sweep, within the largest block; memory is five p x p matrices of that block.

    Parameters
    ----------
    S : ndarray of shape (p, p)
        Covariance or correlation matrix, symmetric.
    penalty : float or ndarray of shape (p, p)
        Price of an entry. A number leaves the diagonal free; a symmetric matrix is taken as it is, infinite where an
        entry must be zero.
    start : ndarray of shape (p, p) or None, default=None
        A positive definite matrix to start from, such as the solution for a neighbouring penalty.
    tol : float, default=1e-9
        Duality gap at which to stop. The entries are known to about its square root.
    max_iter : int, default=100
        Newton steps at most.

    Returns
    -------
    solution : GraphicalLassoSolution

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import solve_graphical_lasso
    >>> solve_graphical_lasso(np.array([[1.0, 0.5], [0.5, 1.0]]), 0.2).covariance.round(4)
    array([[1. , 0.3],
           [0.3, 1. ]])
    """
    S, penalty = _check(S, penalty)
    p = len(S)
    label = connected_components(csr_array(np.abs(S) > penalty), directed=False)[1]
    precision = np.diag(1.0 / (np.diag(S) + np.diag(penalty)))
    covariance = np.diag(np.diag(S) + np.diag(penalty))
    objective = p + np.log(np.diag(covariance)).sum()
    gap, n_iter, converged = 0.0, 0, True
    sizes = np.bincount(label)
    for block in np.flatnonzero(sizes > 1):
        members = np.flatnonzero(label == block)
        inside = np.ix_(members, members)
        alone = np.diag(covariance)[members]
        first = None if start is None else np.asarray(start, dtype=np.float64)[inside]
        found = _newton(S[inside], penalty[inside], first, tol * len(members) / p, max_iter)
        precision[inside], covariance[inside] = found[0], found[1]
        objective += found[2] - len(members) - np.log(alone).sum()
        gap, n_iter, converged = gap + found[3], max(n_iter, found[4]), converged and found[5]
    return GraphicalLassoSolution(precision, covariance, float(objective), float(gap), label, n_iter, converged)


def graphical_lasso_penalty_limit(S):
    """The smallest number as penalty at which the solution is diagonal: the largest entry off the diagonal.

    Parameters
    ----------
    S : ndarray of shape (p, p)
        Covariance or correlation matrix.

    Returns
    -------
    limit : float
    """
    return float(np.abs(S - np.diag(np.diag(S))).max(initial=0.0))


def logdet_prox(A, step):
    """The matrix X that minimises ``-log det X + ||X - A||^2 / (2 step)``.

    Its eigenvalues are the positive roots of ``x^2 - a x - step = 0`` for the eigenvalues a of A.

    Parameters
    ----------
    A : ndarray of shape (p, p) or (k, p, p)
        Symmetric; several are treated one by one.
    step : float or ndarray of shape (k,)
        Length of the step.

    Returns
    -------
    X : ndarray of the shape of A
        Positive definite.
    """
    values, vectors = np.linalg.eigh(A)
    step = np.asarray(step, dtype=np.float64)[..., None]
    # The difference form of the root would lose all digits where a is large and negative.
    root = np.sqrt(values * values + 4.0 * step)
    larger = np.where(values >= 0, (values + root) / 2, 2.0 * step / np.where(values < 0, root - values, 1.0))
    return (vectors * larger[..., None, :]) @ np.swapaxes(vectors, -1, -2)


def _check(S, penalty):
    S = np.ascontiguousarray(S, dtype=np.float64)
    if S.ndim != 2 or S.shape[0] != S.shape[1]:
        raise ValueError(f"a covariance matrix must be square; S has shape {S.shape}")
    if not np.isfinite(S).all():
        raise ValueError("the covariance matrix has an entry that is not finite")
    size = np.abs(S).max(initial=0.0)
    if np.abs(S - S.T).max(initial=0.0) > 1e-10 * size:
        i, j = np.unravel_index(np.abs(S - S.T).argmax(), S.shape)
        raise ValueError(f"the covariance matrix must be symmetric; S[{i}, {j}]={S[i, j]:g}, S[{j}, {i}]={S[j, i]:g}")
    S = (S + S.T) / 2
    if np.ndim(penalty) == 0:
        penalty = np.full(S.shape, float(penalty))
        np.fill_diagonal(penalty, 0.0)
    else:
        penalty = np.array(penalty, dtype=np.float64)
        if penalty.shape != S.shape or not (penalty == penalty.T).all():
            raise ValueError(
                f"penalty must be a number or a symmetric matrix of the shape {S.shape} of S; it has {penalty.shape}"
            )
    if not (penalty >= 0).all() or not np.isfinite(np.diag(penalty)).all():
        raise ValueError("penalty must not be negative, and on the diagonal it must be finite")
    flat = np.diag(S) + np.diag(penalty) <= 0
    if flat.any():
        raise ValueError(
            f"variable {int(flat.argmax())} has no variance, so its precision is infinite; leave it out or penalise "
            "the diagonal"
        )
    if not (penalty - np.diag(np.diag(penalty))).any() and _cholesky(S + np.diag(np.diag(penalty))) is None:
        raise ValueError(
            "the covariance matrix is singular, so without a penalty the solution grows without end; raise the penalty"
        )
    return S, penalty


def _newton(S, penalty, start, tol, max_iter):
    """Solve one block; gives precision, covariance, objective, gap, steps, whether the gap closed."""
    p = len(S)
    allowed = np.isfinite(penalty)
    price = np.where(allowed, penalty, 0.0)
    upper = np.triu(allowed)
    X, factor = None, None
    if start is not None:
        X = np.ascontiguousarray(np.where(allowed, (start + start.T) / 2, 0.0))
        factor = _cholesky(X)
    if factor is None:
        X = np.diag(1.0 / (np.diag(S) + np.diag(price)))
        factor = _cholesky(X)
    log_det = 2 * np.log(np.diag(factor)).sum()
    smooth, rough = np.vdot(S, X) - log_det, np.vdot(price, np.abs(X))
    best = np.inf
    for step_number in range(max_iter + 1):
        W = _inverse(factor)
        best = min(best, _gap(S, penalty, allowed, W, smooth + rough))
        if best <= tol or step_number == max_iter:
            break
        slope = S - W
        rows, columns = np.nonzero(upper & ((X != 0) | (np.abs(slope) > price)))
        D, V = np.zeros((p, p)), np.zeros((p, p))
        # Each step is solved closer than the last: cheap at first, and Newton's own rate at the end.
        sweeps, inner_tol = 5 * 2 ** min(step_number, 10), 0.05 * 0.6**step_number
        newton_direction(S, price, X, W, D, V, rows, columns, sweeps, inner_tol)
        # Entry by entry: the difference of two sums would drown in rounding near the optimum.
        promised = (slope * D + price * (np.abs(X + D) - np.abs(X))).sum()
        if not promised < 0:
            break
        length = 1.0
        while length > _SHORTEST_STEP:
            trial = X + length * D
            trial_factor = _cholesky(trial)
            if trial_factor is not None:
                trial_smooth = np.vdot(S, trial) - 2 * np.log(np.diag(trial_factor)).sum()
                trial_rough = np.vdot(price, np.abs(trial))
                fall = trial_smooth + trial_rough - smooth - rough
                # Near the optimum a true fall drowns in the rounding of the two objectives.
                if fall <= _SUFFICIENT_DECREASE * length * promised + 1e-15 * (abs(smooth) + rough):
                    break
            length /= 2
        else:
            break
        X, factor, smooth, rough = trial, trial_factor, trial_smooth, trial_rough
    return X, W, smooth + rough, max(best, 0.0), step_number, best <= tol


def _gap(S, penalty, allowed, W, objective):
    """Objective less the dual's at W, moved into the dual's box; infinite where that is not positive definite."""
    dual = np.where(allowed, np.clip(W, S - penalty, S + penalty), W)
    np.fill_diagonal(dual, np.diag(S) + np.diag(penalty))
    factor = _cholesky(dual)
    if factor is None:
        return np.inf
    return objective - len(S) - 2 * np.log(np.diag(factor)).sum()


def _cholesky(X):
    factor, failed = dpotrf(X, lower=1, overwrite_a=0)
    return None if failed else factor


def _inverse(factor):
    if len(factor) < _FEW:
        W = dpotrs(factor, np.eye(len(factor), order="F"), lower=1)[0]
        return np.ascontiguousarray(W + W.T) / 2
    half = dpotri(factor, lower=1)[0]
    half = np.tril(half)
    return np.ascontiguousarray(half + np.tril(half, -1).T)


@compiled
def newton_direction(S, penalty, X, W, D, V, rows, columns, sweeps, tol):
    """Sweeps over the free entries of the direction D that minimises the quadratic model at X plus the penalty.

    The model is ``tr((S - W) D) + tr(W D W D) / 2 + sum penalty |X + D|`` with ``W`` the inverse of X. ``V`` holds
    ``W D`` and is kept up with every change of D, so that an entry costs one product of two rows; D and V start at 0.
    A free entry stands for itself and its mirror image. Sweeps end early once one moves D by less than ``tol`` of its
    size.
    """
    size = 0.0
    for _ in range(sweeps):
        moved = 0.0
        for k in range(len(rows)):
            i, j = rows[k], columns[k]
            slope = S[i, j] - W[i, j] + np.dot(W[i], V[j])
            if i == j:
                curvature = W[i, i] * W[i, i]
            else:
                curvature = W[i, j] * W[i, j] + W[i, i] * W[j, j]
            here = X[i, j] + D[i, j]
            step = shrunk(here - slope / curvature, penalty[i, j] / curvature) - here
            if step == 0.0:
                continue
            size -= abs(D[i, j])
            D[i, j] += step
            size += abs(D[i, j])
            moved += abs(step)
            if i == j:
                for k2 in range(len(W)):
                    V[k2, i] += step * W[i, k2]
            else:
                D[j, i] += step
                for k2 in range(len(W)):
                    V[k2, i] += step * W[j, k2]
                    V[k2, j] += step * W[i, k2]
        if moved <= tol * size:
            break
