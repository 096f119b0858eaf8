"""The exact minimum of a penalised mean loss, by Newton's method.

The privacy of a perturbed objective is proven for its minimiser, not for a point near it, so that the usual tolerances
of linear solvers will not do: here the gradient vanishes to about the rounding of its sum.
"""

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.blas import dsyrk
from scipy.sparse.linalg import LinearOperator, cg

from treatise._core.jit import compiled
from treatise.optimize import Loss
from treatise.optimize.losses._loops import loss_at, loss_curvature

GRADIENT_TOLERANCE = 1e-10
"""Norm of the gradient at the end, as a share of the perturbation's if that is above one."""
_ITERATIONS = 200
_MOST_FACTORED = 1000  # features up to which the Hessian is formed
_CHUNK_ROWS = 2048
_ROWS_A_FEATURE = 100  # that the first Hessian takes: enough that each step with it gains a digit or so
_GAIN = 0.25  # a step that leaves a larger share of the gradient asks for a new Hessian
_SUFFICIENT = 1e-4  # decrease, as a share of what the slope promises
_SHORTEST = 1e-12
_ROUNDING = 1e-13  # of a sum of many losses, as a share of them


def minimise(signed_rows, loss: Loss, penalty: float, linear: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The f that minimises mean loss(f . row) + linear . f + penalty/2 |f|^2, for a smooth loss of labels.

    Rows are multiplied by their label -1 or 1 beforehand. A step costs one pass over the rows, and sometimes the
    Hessian of some of them: O(n p^2) for all, or O(squared non-zeros of the rows) where they are sparse.
    """
    objective = _Objective(signed_rows, loss, penalty, linear)
    hessian = _Hessian(signed_rows, penalty)
    tolerance = GRADIENT_TOLERANCE * max(1.0, float(np.linalg.norm(linear)))
    w = start
    value, gradient = objective(w)
    for _ in range(_ITERATIONS):
        if np.linalg.norm(gradient) <= tolerance:
            return w
        direction = -hessian.solve(gradient, objective.curvatures)
        w, value, gradient = _search(objective, w, value, gradient, direction)
    raise RuntimeError(
        f"the minimum was not reached: after {_ITERATIONS} steps the gradient exceeds {tolerance:.0e}. Privacy is "
        "proven for the minimum alone, so nothing is released; a larger alpha makes the problem better conditioned"
    )


class _Objective:
    """Value and gradient in one pass over the rows, and the curvature of each loss there."""

    def __init__(self, rows, loss: Loss, penalty: float, linear: np.ndarray) -> None:
        self._rows, self._loss, self._penalty, self._linear = rows, loss, penalty, linear
        n = rows.shape[0]
        # Dense rows go through the cache in chunks, since both products need them.
        length = n if sparse.issparse(rows) else _CHUNK_ROWS
        self._chunks = [slice(first, first + length) for first in range(0, n, length)]
        self._slopes, self.curvatures = np.empty(n), np.empty(n)
        self.rounding = 0.0

    def __call__(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        total, pull = 0.0, np.zeros(len(w))
        for chunk in self._chunks:
            rows = self._rows if len(self._chunks) == 1 else self._rows[chunk]
            slopes = self._slopes[chunk]
            total += _losses(self._loss.number, self._loss.parameter, rows @ w, slopes, self.curvatures[chunk])
            pull += rows.T @ slopes
        n = len(self._slopes)
        value, tilt = total / n + 0.5 * self._penalty * (w @ w), float(self._linear @ w)
        # The perturbation may cancel the rest of the value, but not its rounding.
        self.rounding = _ROUNDING * (value + abs(tilt))
        return float(value) + tilt, pull / n + self._linear + self._penalty * w


def _search(objective: _Objective, w, value: float, gradient, direction):
    """The whole step, or the first half, quarter, ... of it that lowers the objective enough."""
    descent, step = float(gradient @ direction), 1.0
    while True:
        at = w + step * direction
        trial, slope = objective(at)
        # Where rounding hides the decrease, the slope at the end tells it.
        level = trial - value <= objective.rounding and abs(slope @ direction) <= 0.5 * abs(descent)
        if trial <= value + _SUFFICIENT * step * descent or level or step < _SHORTEST:
            return at, trial, slope
        step *= 0.5


class _Hessian:
    """The Hessian as it was some steps ago, from some of the rows: renewed, from more of them, when steps gain little.

    With all rows and renewed each time this is Newton's method, to which it falls back.
    """

    def __init__(self, rows, penalty: float) -> None:
        self._rows, self._penalty = rows, penalty
        self._stride = max(1, rows.shape[0] // (_ROWS_A_FEATURE * rows.shape[1]))
        self._factor = None
        self._fresh = False
        self._norm = np.inf

    def solve(self, gradient: np.ndarray, curvatures: np.ndarray) -> np.ndarray:
        """The inverse Hessian times the gradient."""
        n, p = self._rows.shape
        if p > _MOST_FACTORED:
            return self._conjugate_gradients(gradient, curvatures)
        before, self._norm = self._norm, float(np.linalg.norm(gradient))
        gains = self._norm <= _GAIN * before
        if self._fresh and not gains:
            self._stride = max(1, self._stride // 8)
        self._fresh = self._factor is None or not gains
        if self._fresh:
            stride = self._stride
            gram = _gram(self._rows[::stride], curvatures[::stride] * (stride / n))
            gram[np.diag_indices(p)] += self._penalty
            self._factor = cho_factor(gram, overwrite_a=True, check_finite=False)
        return cho_solve(self._factor, gradient, check_finite=False)

    def _conjugate_gradients(self, gradient: np.ndarray, curvatures: np.ndarray) -> np.ndarray:
        rows, (n, p) = self._rows, self._rows.shape
        product = LinearOperator((p, p), lambda v: rows.T @ (curvatures * (rows @ v)) / n + self._penalty * v)
        # The residual shrinks with the gradient, so that the steps become Newton's.
        return cg(product, gradient, rtol=min(0.1, float(np.linalg.norm(gradient)) ** 0.5), maxiter=10 * p)[0]


def _gram(rows, weights: np.ndarray) -> np.ndarray:
    """The upper triangle of X' diag(weights) X."""
    n, p = rows.shape
    gram = np.zeros((p, p), order="F")
    if sparse.issparse(rows):
        _add_sparse_gram(rows.indptr, rows.indices, rows.data, weights, gram)
        return gram
    roots = np.sqrt(weights)
    for first in range(0, n, _CHUNK_ROWS):
        chunk = slice(first, first + _CHUNK_ROWS)
        weighted = rows[chunk] * roots[chunk, None]
        gram = dsyrk(1.0, weighted.T, beta=1.0, c=gram, overwrite_c=True)
    return gram


@compiled
def _losses(number, parameter, margins, slopes, curvatures):
    """Slopes and curvatures of all margins, and the sum of their losses."""
    total = 0.0
    for i in range(len(margins)):
        value, slopes[i] = loss_at(number, parameter, 1.0, margins[i])
        curvatures[i] = loss_curvature(number, parameter, 1.0, margins[i])
        total += value
    return total


@compiled
def _add_sparse_gram(indptr, indices, data, weights, gram):
    """Add the upper triangle of X' diag(weights) X to ``gram``; indices ascend within a row."""
    for row in range(len(indptr) - 1):
        weight = weights[row]
        if weight == 0.0:
            continue
        for a in range(indptr[row], indptr[row + 1]):
            scaled, i = weight * data[a], indices[a]
            for b in range(a, indptr[row + 1]):
                gram[i, indices[b]] += scaled * data[b]
