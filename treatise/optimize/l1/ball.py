"""Any smooth loss of a linear score under a bound on the sum of absolute coefficients, for several bounds."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve

_RIDGE = 1e-14
"""Of the mean curvature, so that columns that depend on one another leave the equations solvable."""


@dataclass(frozen=True)
class L1ConstrainedPath:
    """Solutions of :func:`l1_constrained_path`, one for each bound.

    Attributes
    ----------
    bounds : ndarray of shape (n_bounds,)
        The bounds, rising.
    coef : ndarray of shape (n_bounds, n_features)
        Coefficients.
    losses : ndarray of shape (n_bounds,)
        Mean losses.
    penalties : ndarray of shape (n_bounds,)
        Largest slope of the mean loss in a coefficient: the price at which a penalty in place of the bound has the
        same solution.
    gaps : ndarray of shape (n_bounds,)
        By how much, at most, each loss is above the least.
    converged : bool
        Whether every gap is within the tolerance.
    """

    bounds: np.ndarray
    coef: np.ndarray
    losses: np.ndarray
    penalties: np.ndarray
    gaps: np.ndarray
    converged: bool


def l1_constrained_path(X, y, loss, bounds, *, tol=1e-9, max_iter=2000):
    """Minimise ``mean(loss(y, X coef))`` subject to ``sum(|coef|) <= bound``, for each of some bounds.

    Newton steps on the coefficients that are not zero, whose signs are kept; one that reaches zero leaves, and the
    steepest of the others comes in when those are settled. Each bound begins where the one before ended. A step costs
    n k^2 for k coefficients that are not zero. There is no intercept: centre, or give a column of ones.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    y : array-like of shape (n_samples,)
        What the loss takes, labels -1 and 1 or numbers.
    loss : Loss
        Strictly convex with a continuous derivative, such as ``LogisticLoss()``.
    bounds : array-like of shape (n_bounds,)
        Positive; sorted before use.
    tol : float, default=1e-9
        Largest gap, relative to the mean loss of zero coefficients.
    max_iter : int, default=2000
        Newton steps at most, for each bound.

    Returns
    -------
    path : L1ConstrainedPath

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import SquaredLoss, l1_constrained_path
    >>> path = l1_constrained_path(np.eye(2), [3.0, 1.0], SquaredLoss(), [1.0, 3.0, 9.0])
    >>> path.coef.round(6)
    array([[1. , 0. ],
           [2.5, 0.5],
           [3. , 1. ]])
    """
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
    bounds = np.sort(np.atleast_1d(np.asarray(bounds, dtype=np.float64)))
    if X.ndim != 2 or y.shape != X.shape[:1]:
        raise ValueError(f"X must be a table and y have one value for each of its rows; shapes {X.shape} and {y.shape}")
    if not loss.smooth:
        raise ValueError(f"the loss {loss.name!r} has kinks; the path needs one with a continuous derivative")
    if not (bounds > 0).all():
        raise ValueError(f"bounds must be positive; the least is {bounds[0]:g}")
    problem = _Ball(X, y, loss, tol, max_iter)
    found = [problem.solve(bound) for bound in bounds]
    coef, losses, penalties, gaps = (np.array(part) for part in zip(*found))
    return L1ConstrainedPath(bounds, coef, losses, penalties, gaps, bool((gaps <= problem.tol).all()))


class _Ball:
    """One problem, with the coefficients where the last bound left them."""

    def __init__(self, X, y, loss, tol, max_iter):
        self.X, self.y, self.loss, self.max_iter = X, y, loss, max_iter
        self.coef = np.zeros(X.shape[1])
        self.tol = tol * max(self._value(np.zeros(len(y))), np.finfo(float).tiny)

    def _value(self, scores):
        return float(np.mean(self.loss.value(self.y, scores)))

    def _slopes(self, scores):
        return self.X.T @ self.loss.derivative(self.y, scores) / len(self.y)

    def solve(self, bound):
        """Coefficients, loss, penalty and gap at one bound."""
        signs = np.sign(self.coef)
        for _ in range(self.max_iter):
            scores = self.X @ self.coef
            slopes = self._slopes(scores)
            steepest = float(np.abs(slopes).max(initial=0.0))
            along = float(slopes @ self.coef)
            active = np.flatnonzero(signs)
            settled = bound * max(float((-signs * slopes)[active].max(initial=0.0)), 0.0) + along
            if bound * steepest + along <= self.tol:
                break
            if settled <= 0.1 * self.tol:
                new = int(np.argmax(np.abs(slopes) * (signs == 0)))
                signs[new] = -np.sign(slopes[new])
                active = np.flatnonzero(signs)
            if not self._step(bound, scores, slopes, active, signs):
                break
        scores = self.X @ self.coef
        slopes = self._slopes(scores)
        steepest = float(np.abs(slopes).max(initial=0.0))
        gap = max(bound * steepest + float(slopes @ self.coef), 0.0)
        return self.coef.copy(), self._value(scores), steepest, gap

    def _step(self, bound, scores, slopes, active, signs):
        """One Newton step on the active coefficients; whether anything moved or left."""
        columns, s = self.X[:, active], signs[active]
        direction = self._direction(bound, columns, slopes[active], s, scores, active)
        falls = s * direction < 0
        reach = np.full(len(active), np.inf)
        reach[falls] = -self.coef[active][falls] / direction[falls]
        length = min(1.0, float(reach.min(initial=1.0)))
        leaving = active[reach <= length]
        if length > 0.0:
            length = self._shortened(scores, columns @ direction, float(slopes[active] @ direction), length)
            leaving = active[reach <= length]
            self.coef[active] += length * direction
        self.coef[leaving] = 0.0
        signs[leaving] = 0.0
        return length > 0.0 or len(leaving) > 0

    def _direction(self, bound, columns, slopes, s, scores, active):
        """To the least value of the quadratic model, on the bound if it lies beyond."""
        curvature = self.loss.curvature(self.y, scores) / len(self.y)
        hessian = columns.T @ (columns * curvature[:, np.newaxis])
        hessian.flat[:: len(s) + 1] += _RIDGE * np.trace(hessian) / len(s) + np.finfo(float).tiny
        free, towards = solve(hessian, np.column_stack([-slopes, s]), assume_a="pos").T
        over = float(s @ (self.coef[active] + free)) - bound
        return free - towards * (over / float(s @ towards)) if over > 0.0 else free

    def _shortened(self, scores, change, slope, length):
        """The step, halved until the loss falls as much as its slope promises; 0 where rounding hides that."""
        value = self._value(scores)
        for _ in range(60):
            with np.errstate(over="ignore"):  # too far is infinitely bad, and comes back
                found = self._value(scores + length * change)
            if found <= value + 1e-4 * length * slope:
                return length
            length *= 0.5
        return 0.0
