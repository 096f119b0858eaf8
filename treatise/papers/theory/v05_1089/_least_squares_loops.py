"""Least squares under cross-validation from one factorisation of the normal equations."""

import numpy as np

from treatise._core.jit import compiled, compiled_step


@compiled
def least_squares_fold_losses(X: np.ndarray, y: np.ndarray, m: int) -> np.ndarray:
    """Squared errors of held-out examples, folds being consecutive blocks of ``m`` rows.

    Removing block k from the normal equations is a downdate of rank m, whose held-out residuals are
    ``(I - H_kk)^{-1} r_k`` with H the hat matrix and r the residuals of the fit to all rows (Woodbury), so
    one Cholesky factor of X'X serves every fold. The first entry is NaN where a factor breaks down, that is
    where some training set does not determine the coefficients.
    """
    n, d = X.shape
    losses = np.empty(n)
    gram = np.zeros((d, d))
    moment = np.zeros(d)
    for i in range(n):
        for a in range(d):
            moment[a] += X[i, a] * y[i]
            for b in range(a + 1):
                gram[a, b] += X[i, a] * X[i, b]
    if not _factor(gram):
        losses[0] = np.nan
        return losses
    # Columns of Z are L^{-1} x_i, so that H = Z'Z; inner loops run over examples, which lie side by side.
    Z = np.ascontiguousarray(X.T)
    for a in range(d):
        for b in range(a):
            for i in range(n):
                Z[a, i] -= gram[a, b] * Z[b, i]
        for i in range(n):
            Z[a, i] /= gram[a, a]
    _forward(gram, moment)
    block = np.empty((m, m))
    residual = np.empty(m)
    for start in range(0, n, m):
        for i in range(m):
            residual[i] = y[start + i]
            for j in range(m):
                block[i, j] = 1.0 if i == j else 0.0
        for a in range(d):
            for i in range(m):
                entry = Z[a, start + i]
                residual[i] -= entry * moment[a]
                for j in range(i + 1):
                    block[i, j] -= entry * Z[a, start + j]
        if not _factor(block):
            losses[0] = np.nan
            return losses
        _forward(block, residual)
        _backward(block, residual)
        for i in range(m):
            losses[start + i] = residual[i] ** 2
    return losses


@compiled_step
def _factor(A: np.ndarray) -> bool:
    """Cholesky factor of the lower triangle of A, in place; False where a pivot is lost to rounding."""
    d = A.shape[0]
    for a in range(d):
        size = A[a, a]
        for b in range(a + 1):
            entry = A[a, b]
            for c in range(b):
                entry -= A[a, c] * A[b, c]
            if a > b:
                A[a, b] = entry / A[b, b]
            else:
                if not entry > 1e-12 * size:
                    return False
                A[a, a] = np.sqrt(entry)
    return True


@compiled_step
def _forward(L: np.ndarray, x: np.ndarray) -> None:
    """Solve L z = x in place."""
    for a in range(x.shape[0]):
        entry = x[a]
        for b in range(a):
            entry -= L[a, b] * x[b]
        x[a] = entry / L[a, a]


@compiled_step
def _backward(L: np.ndarray, x: np.ndarray) -> None:
    """Solve L' z = x in place."""
    for a in range(x.shape[0] - 1, -1, -1):
        entry = x[a]
        for b in range(a + 1, x.shape[0]):
            entry -= L[b, a] * x[b]
        x[a] = entry / L[a, a]
