"""Lasso with few rows and many columns of targets, by coordinate descent from where it stands."""

import numpy as np

from treatise._core.jit import compiled, compiled_step


@compiled_step
def descend_coordinate(k, columns, sizes, kappa, residual, weights):
    """Minimise over one weight; the change of the fit that it makes at most, in the unit of the residual."""
    if sizes[k] == 0.0:
        return 0.0
    slope = 0.0
    for i in range(len(residual)):
        slope += columns[k, i] * residual[i]
    free = weights[k] * sizes[k] + slope
    new = 0.0
    if free > kappa:
        new = (free - kappa) / sizes[k]
    elif free < -kappa:
        new = (free + kappa) / sizes[k]
    change = new - weights[k]
    if change != 0.0:
        weights[k] = new
        for i in range(len(residual)):
            residual[i] -= change * columns[k, i]
    return abs(change) * np.sqrt(sizes[k])


@compiled
def lasso_columns(columns, targets, kappa, weights, tol, max_sweeps):
    """Minimise ``|t - columns' w|^2 / 2 + kappa |w|_1`` for each row t of the targets, changing the rows of weights.

    Weights that are not zero are swept until their changes are below ``tol``, then all once; it ends when this brings
    nothing new. Returns whether every row did.
    """
    n_features, n_rows = columns.shape
    sizes = np.empty(n_features)
    for k in range(n_features):
        sizes[k] = np.sum(columns[k] * columns[k])
    residual = np.empty(n_rows)
    done = True
    for j in range(len(targets)):
        w = weights[j]
        residual[:] = targets[j]
        for k in range(n_features):
            if w[k] != 0.0:
                for i in range(n_rows):
                    residual[i] -= w[k] * columns[k, i]
        ended = False
        for _ in range(max_sweeps):
            moved = 0.0
            for k in range(n_features):
                moved = max(moved, descend_coordinate(k, columns, sizes, kappa, residual, w))
            if moved <= tol:
                ended = True
                break
            for _ in range(100):
                moved = 0.0
                for k in range(n_features):
                    if w[k] != 0.0:
                        moved = max(moved, descend_coordinate(k, columns, sizes, kappa, residual, w))
                if moved <= 0.3 * tol:
                    break
        done = done and ended
    return done
