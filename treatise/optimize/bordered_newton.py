"""Newton's method for kernel machines with functions that are not penalised."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve


@dataclass(frozen=True)
class KernelNewtonSolution:
    """Where Newton's method came to.

    Attributes
    ----------
    coef : ndarray of shape (n,)
        Weights of the kernels.
    free_coef : ndarray of shape (r,)
        Weights of the functions without penalty.
    scores : ndarray of shape (n,)
        Scores of the objects.
    objective : float
        Value of the problem.
    residual : float
        Largest violation of the optimality conditions, in units of the loss's slope.
    n_iter : int
        Steps.
    converged : bool
        Whether the residual fell below the tolerance.
    """

    coef: np.ndarray
    free_coef: np.ndarray
    scores: np.ndarray
    objective: float
    residual: float
    n_iter: int
    converged: bool


def minimize_kernel_newton(gram, y, loss, penalty, *, basis=None, weights=None, start=None, tol=1e-10, max_iter=100):
    """Minimise ``sum_i w_i V(y_i, s_i) + penalty * a' K a`` with ``s = K a + basis d``, for a loss with a derivative.

    At the optimum ``2 penalty a_i = -w_i V'(y_i, s_i)`` and ``basis' a = 0``. Each step solves the two conditions for
    the loss's quadratic model; objects where the loss is straight have their weight at once, and the others share a
    positive definite system bordered by the basis. A step costs O(m^3) for m curved objects. Kernel logistic
    regression, robust kernel regression and squared-hinge machines are all of this form.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
        Positive semi-definite.
    y : ndarray of shape (n,)
        Labels -1 and 1, or numbers.
    loss : Loss
        A smooth one.
    penalty : float
        Weight of the squared length, positive.
    basis : ndarray of shape (n, r) or None, default=None
        Values of the functions without penalty at the objects; a constant column is an offset.
    weights : ndarray of shape (n,) or None, default=None
        Weights of the objects; None is ``1 / n`` each.
    start : tuple of ndarray or None, default=None
        Kernel and basis weights to begin with.
    tol : float, default=1e-10
        Residual at which to stop.
    max_iter : int, default=100
        Most steps.

    Returns
    -------
    solution : KernelNewtonSolution

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import SquaredLoss, minimize_kernel_newton
    >>> x = np.array([-1.0, 0.0, 1.0, 2.0])
    >>> fit = minimize_kernel_newton(np.outer(x, x), 3 * x + 1, SquaredLoss(), 1e-9, basis=np.ones((4, 1)))
    >>> fit.free_coef.round(6), (x @ fit.coef).round(6)
    (array([1.]), np.float64(3.0))
    """
    if not loss.smooth:
        raise ValueError(f"the loss {loss.name!r} has kinks; Newton's method needs a smooth one")
    n = len(gram)
    basis = np.zeros((n, 0)) if basis is None else basis
    weights = np.full(n, 1.0 / n) if weights is None else weights
    coef, free = (np.zeros(n), np.zeros(basis.shape[1])) if start is None else (np.array(v, float) for v in start)
    scores = gram @ coef + basis @ free

    def value(coef, scores, curved_part):
        return float(weights @ loss.value(y, scores) + penalty * coef @ curved_part)

    objective = value(coef, scores, scores - basis @ free)
    steps = 0
    while True:
        slope = weights * loss.derivative(y, scores)
        # In units of the slope of one object of average weight.
        residual = _residual(coef, slope, basis, penalty) * n
        if residual <= tol or steps >= max_iter:
            break
        new_coef, new_free = _newton_target(gram, basis, penalty, slope, weights * loss.curvature(y, scores), scores)
        new_scores = gram @ new_coef + basis @ new_free
        step = 1.0
        while True:
            moved = coef + step * (new_coef - coef)
            moved_free = free + step * (new_free - free)
            moved_scores = scores + step * (new_scores - scores)
            moved_objective = value(moved, moved_scores, moved_scores - basis @ moved_free)
            if moved_objective <= objective + 1e-14 * abs(objective) or step < 1e-10:
                break
            step /= 2.0
        if step < 1e-10:
            break
        coef, free, scores, objective = moved, moved_free, moved_scores, moved_objective
        steps += 1
    return KernelNewtonSolution(coef, free, scores, objective, float(residual), steps, bool(residual <= tol))


def _residual(coef, slope, basis, penalty):
    parts = [np.abs(2.0 * penalty * coef + slope).max(initial=0.0)]
    if basis.shape[1]:
        scale = np.maximum(np.abs(basis).max(axis=0), np.finfo(float).tiny)
        parts.append(2.0 * penalty * np.abs(basis.T @ coef / scale).max())
    return max(parts)


def _newton_target(gram, basis, penalty, slope, curvature, scores):
    """Weights at which the quadratic model of the loss has its optimum."""
    # A curvature far below the others would only make the system ill-conditioned: there the loss counts as straight.
    curved = curvature > 1e-12 * max(curvature.max(initial=0.0), np.finfo(float).tiny)
    coef = -slope / (2.0 * penalty)
    if not curved.any():
        return coef, np.zeros(basis.shape[1])
    straight = ~curved
    inner = gram[np.ix_(curved, curved)].copy()
    inner[np.diag_indices_from(inner)] += 2.0 * penalty / curvature[curved]
    target = scores[curved] - slope[curved] / curvature[curved] - gram[np.ix_(curved, straight)] @ coef[straight]
    factor = cho_factor(inner, lower=True)
    if basis.shape[1] == 0:
        coef[curved] = cho_solve(factor, target)
        return coef, np.zeros(0)
    border = basis[curved]
    through = cho_solve(factor, np.column_stack([border, target]))
    balance = border.T @ through[:, -1] + basis[straight].T @ coef[straight]
    free = np.linalg.lstsq(border.T @ through[:, :-1], balance, rcond=None)[0]
    coef[curved] = through[:, -1] - through[:, :-1] @ free
    return coef, free
