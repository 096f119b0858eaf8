"""Compiled steps of a non-negative factorisation with sparseness constraints (Hoyer, JMLR 5:1457)."""

from math import sqrt

import numpy as np

from treatise._core.jit import compiled
from treatise.optimize._projection_loops import project_vector


@compiled
def multiply_by_ratio(factor, cross, current, first, last):
    """``factor *= cross / current`` on the rows ``first`` to ``last``, in place: the multiplicative step of 4a, 4b.

    ``current`` is bounded away from zero. An entry that has shrunk to nothing becomes zero, where it would stay
    in any case: left to shrink on, it would slow every later product down to the pace of subnormal numbers.
    """
    for i in range(first, last):
        for j in range(factor.shape[1]):
            value = factor[i, j] * cross[i, j] / max(current[i, j], 1e-100)
            factor[i, j] = value if value > 1e-100 else 0.0


@compiled
def descend_rows(factor, gram, cross, l1, sweeps):
    """Set one row after another to its best value of the wished sparseness, in place.

    With the other rows fixed, the squared error is a constant plus ``gram[j, j] * |row - best|**2``, where
    ``best`` is the row without a constraint. Its minimiser over the vectors of one sparseness, at any length, is
    the projection of ``best`` at unit length, ``u``, times ``<best, u>``.
    """
    n_rows, size = factor.shape
    best, unit, values = np.empty(size), np.empty(size), np.empty(size)
    places = np.empty(size, np.int64)
    for _ in range(sweeps):
        for j in range(n_rows):
            curvature = gram[j, j]
            if curvature <= 0.0:
                continue
            _best_row(j, factor, gram, cross, best)
            square = 0.0
            for i in range(size):
                unit[i] = best[i]
                square += best[i] * best[i]
            project_vector(unit, l1, 1.0, values, places)
            length = 0.0
            for i in range(size):
                length += best[i] * unit[i]
            # Of no use to the fit, a row would vanish: next to nothing is left, so that its sparseness holds.
            length = max(length, 1e-10 * sqrt(square))
            for i in range(size):
                factor[j, i] = length * unit[i]


@compiled
def _best_row(j, factor, gram, cross, best):
    """``best = (cross[j] - gram[j] @ factor without row j) / gram[j, j]``, in blocks that stay in the nearest cache."""
    n_rows, size = factor.shape
    for start in range(0, size, 512):
        width = min(512, size - start)
        block, target = best[start : start + width], cross[j, start : start + width]
        for i in range(width):
            block[i] = target[i]
        for k in range(n_rows):
            weight = gram[j, k] if k != j else 0.0
            row = factor[k, start : start + width]
            for i in range(width):
                block[i] -= weight * row[i]
        for i in range(width):
            block[i] /= gram[j, j]
