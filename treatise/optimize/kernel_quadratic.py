"""Kernel machines with piecewise linear losses and several functions that are not penalised: a quadratic program."""

import clarabel
import numpy as np
from scipy import sparse


def minimize_kernel_quadratic(gram, pull, lower, upper, basis, *, tube=0.0):
    """Minimise ``b' K b / 2 - pull' b + tube * sum |b|`` with ``lower <= b <= upper`` and ``basis' b = 0``.

    An interior-point method: O(n^3) a step, exact to about 1e-9. For one constant function use the pair solver
    (:func:`solve_svm_dual`), for none the one without offset.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
        Positive semi-definite.
    pull, lower, upper : ndarray of shape (n,)
        Linear part and bounds.
    basis : ndarray of shape (n, r)
        Functions without penalty at the objects.
    tube : float, default=0.0
        Weight of the absolute values.

    Returns
    -------
    b : ndarray of shape (n,)
    free : ndarray of shape (r,)
        Weights of the functions: the multipliers of the conditions on b.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import minimize_kernel_quadratic
    >>> ones = np.ones(2)
    >>> b, offset = minimize_kernel_quadratic(np.eye(2), np.array([1.0, -1.0]), -ones, ones, ones[:, None])
    >>> b.round(6)
    array([ 1., -1.])
    """
    n, r = basis.shape
    if tube > 0:
        # b = plus - minus with both parts not negative makes the absolute value linear.
        parts = sparse.hstack([sparse.eye_array(n), -sparse.eye_array(n)], format="csc")
        low, high = np.zeros(2 * n), np.concatenate([np.maximum(upper, 0.0), np.maximum(-lower, 0.0)])
    else:
        parts = sparse.eye_array(n, format="csc")
        low, high = lower, upper
    k = parts.shape[1]
    answer = _interior_point(
        sparse.csc_array(sparse.triu(parts.T @ sparse.csc_array(gram) @ parts)),
        tube - parts.T @ pull,
        sparse.vstack([sparse.csc_array(basis.T) @ parts, -sparse.eye_array(k), sparse.eye_array(k)], format="csc"),
        np.concatenate([np.zeros(r), -low, high]),
        r,
    )
    x, free = parts @ np.asarray(answer.x), np.asarray(answer.z)[:r]
    at_low, at_high = (np.asarray(answer.z)[r:] > np.asarray(answer.s)[r:]).reshape(2, k)
    if tube > 0:
        at_zero = at_low[:n] & at_low[n:]
        sides = np.where(at_low[n:], 1.0, -1.0)
        fixed = np.where(at_high[:n], upper, np.where(at_high[n:], lower, np.where(at_zero, 0.0, np.nan)))
    else:
        sides = np.zeros(n)
        fixed = np.where(at_low, lower, np.where(at_high, upper, np.nan))
    return _polished(gram, pull - tube * sides, lower, upper, basis, x, free, fixed)


def _interior_point(P, q, A, right, n_equalities):
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    cones = [clarabel.ZeroConeT(n_equalities), clarabel.NonnegativeConeT(len(right) - n_equalities)]
    answer = clarabel.DefaultSolver(P, q, A, right, cones, settings).solve()
    useful = (
        clarabel.SolverStatus.Solved,
        clarabel.SolverStatus.AlmostSolved,
        clarabel.SolverStatus.InsufficientProgress,
    )
    if answer.status not in useful:
        raise ValueError(f"the quadratic program was not solved ({answer.status}); is the kernel positive definite?")
    return answer


def _polished(gram, pull, lower, upper, basis, b, free, fixed):
    """The solution to full precision, given what is ``fixed`` at a bound: a linear system in the rest (NaN there)."""
    moves = np.isnan(fixed)
    fixed = np.where(moves, 0.0, fixed)
    r, m = basis.shape[1], int(moves.sum())
    system = np.zeros((m + r, m + r))
    system[:m, :m] = gram[np.ix_(moves, moves)]
    system[:m, m:] = basis[moves]
    system[m:, :m] = basis[moves].T
    right = np.concatenate([(pull - gram @ fixed)[moves], -basis.T @ fixed])
    solution = np.linalg.lstsq(system, right, rcond=None)[0]
    exact = fixed.copy()
    exact[moves] = solution[:m]
    # Bounds read wrongly from an inexact solution would move it far; then the inexact one is kept.
    near = 1e-4 * (1.0 + np.abs(b).max(initial=0.0))
    if np.abs(exact - b).max(initial=0.0) <= near and np.all((exact >= lower - near) & (exact <= upper + near)):
        return np.clip(exact, lower, upper), solution[m:] if m >= r else free
    return np.clip(b, lower, upper), free
