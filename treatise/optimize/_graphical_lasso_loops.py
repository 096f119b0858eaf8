"""Coordinate descent on the quadratic model of a penalised log-determinant."""

import numpy as np

from treatise._core.jit import compiled
from treatise.optimize.penalties import shrunk


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
