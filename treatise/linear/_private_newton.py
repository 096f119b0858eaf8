"""The exact minimum of a penalised mean loss, by Newton's method.

The privacy of a perturbed objective is proven for its minimiser, not for a point near it, so that the usual tolerances
of linear solvers will not do: here the gradient vanishes to about the rounding of its sum.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.blas import dsyrk
from scipy.sparse.linalg import LinearOperator, cg

from treatise.linear import _private_kernels as kernels

GRADIENT_TOLERANCE = 1e-10
"""Norm of the gradient at the end, as a share of the perturbation's if that is above one."""
_ITERATIONS = 200
_MOST_FACTORED = 1000  # features up to which the Hessian is formed
_CHUNK_ROWS = 2048
_SUFFICIENT = 1e-4  # decrease, as a share of what the slope promises
_ROUNDING = 1e-13  # of a sum of many losses, as a share of it
_KINDS = {"logistic": kernels.LOGISTIC, "huber": kernels.HUBER, "smooth_hinge": kernels.SMOOTH_HINGE}


@dataclass(frozen=True)
class MarginLoss:
    """A convex loss of the margin with slope at most 1 and curvature at most ``curvature``."""

    name: str
    h: float = 0.5

    @property
    def kind(self) -> int:
        """Number of the loss in compiled code."""
        return _KINDS[self.name]

    @property
    def curvature(self) -> float:
        """The paper's c: 1/4, 1/(2h) or 3/(4h)."""
        return {"logistic": 0.25, "huber": 0.5 / self.h, "smooth_hinge": 0.75 / self.h}[self.name]


def minimise(signed_rows, loss: MarginLoss, penalty: float, linear: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The f that minimises mean loss(f . row) + linear . f + penalty/2 |f|^2.

    Rows are multiplied by their label -1 or 1 beforehand. A step costs one pass over the rows and forms the Hessian, in
    O(n p^2), or O(squared non-zeros of the rows) where they are sparse; beyond 1 000 features it is never formed.
    """
    n = signed_rows.shape[0]
    w = start.copy()
    margins = signed_rows @ w
    slopes, curvatures = np.empty(n), np.empty(n)
    tolerance = GRADIENT_TOLERANCE * max(1.0, float(np.linalg.norm(linear)))
    for _ in range(_ITERATIONS):
        total = kernels.losses(loss.kind, loss.h, margins, slopes, curvatures)
        gradient = signed_rows.T @ slopes / n + linear + penalty * w
        if np.linalg.norm(gradient) <= tolerance:
            return w
        direction = -_solve(signed_rows, curvatures, penalty, gradient)
        changes = signed_rows @ direction
        value = total / n + linear @ w + 0.5 * penalty * (w @ w)
        step = _step(loss, margins, changes, value, gradient @ direction, w, direction, penalty, linear)
        w += step * direction
        margins += step * changes
    raise RuntimeError(
        f"the minimum was not reached: after {_ITERATIONS} steps the gradient still exceeds {tolerance:.0e}. Privacy is "
        "proven for the minimum alone, so nothing is released; a larger alpha makes the problem better conditioned"
    )


def _step(loss, margins, changes, value, descent, w, direction, penalty, linear) -> float:
    """Length of the step: 1, or the first half, quarter, ... of it that lowers the objective enough."""
    step = 1.0
    while step > 1e-12:
        total, slope = kernels.losses_along(loss.kind, loss.h, margins, changes, step)
        at = w + step * direction
        trial = total / len(margins) + linear @ at + 0.5 * penalty * (at @ at)
        if trial <= value + _SUFFICIENT * step * descent:
            return step
        # Where rounding hides the decrease, the slope at the end tells it.
        tilt = slope / len(margins) + linear @ direction + penalty * (at @ direction)
        if trial - value <= _ROUNDING * abs(value) and abs(tilt) <= 0.5 * abs(descent):
            return step
        step *= 0.5
    return step


def _solve(rows, curvatures, penalty, gradient) -> np.ndarray:
    """The inverse Hessian times the gradient."""
    n, p = rows.shape
    if p > _MOST_FACTORED:
        product = LinearOperator((p, p), lambda v: rows.T @ (curvatures * (rows @ v)) / n + penalty * v)
        # The residual shrinks with the gradient, so that the steps become Newton's.
        return cg(product, gradient, rtol=min(0.1, float(np.linalg.norm(gradient)) ** 0.5), maxiter=10 * p)[0]
    hessian = np.zeros((p, p), order="F")
    if sparse.issparse(rows):
        kernels.add_sparse_gram(rows.indptr, rows.indices, rows.data, curvatures / n, hessian)
    else:
        roots = np.sqrt(curvatures / n)
        for first in range(0, n, _CHUNK_ROWS):
            chunk = slice(first, first + _CHUNK_ROWS)
            weighted = rows[chunk] * roots[chunk, None]
            hessian = dsyrk(1.0, weighted.T, beta=1.0, c=hessian, overwrite_c=True)
    hessian[np.diag_indices(p)] += penalty
    return cho_solve(cho_factor(hessian, check_finite=False), gradient, check_finite=False)
