"""Compiled coordinate descent for many non-negative least-squares problems that share one Gram matrix."""

import numpy as np

from treatise._core.jit import compiled

# Columns that are swept together: they stay in the nearest cache, and each operation is a vector one of known length.
BLOCK = 64


@compiled
def descend_columns(solution, gram, cross, first, last, tol, max_sweeps):
    """Sweep over the coordinates of blocks ``first`` to ``last`` of the columns of ``solution``, in place.

    One coordinate at a time is set to its exact minimiser. A block is done when a sweep moved it, in the norm
    of the diagonal of ``gram``, by less than ``tol`` times what the first sweep did.
    """
    n_coordinates, n_columns = solution.shape
    values, targets = np.zeros((n_coordinates, BLOCK)), np.zeros((n_coordinates, BLOCK))
    residual, moved = np.empty(BLOCK), np.empty(BLOCK)
    for block in range(first, last):
        start = block * BLOCK
        width = min(BLOCK, n_columns - start)
        for j in range(n_coordinates):
            for c in range(BLOCK):
                # Columns that the last block lacks have zero for their solution.
                inside = c < width
                values[j, c] = solution[j, start + c] if inside else 0.0
                targets[j, c] = cross[j, start + c] if inside else 0.0
        at_first = 0.0
        for sweep in range(max_sweeps):
            for c in range(BLOCK):
                moved[c] = 0.0
            for j in range(n_coordinates):
                if gram[j, j] > 0.0:
                    _residual_of(j, values, targets, gram, residual)
                    _minimise(values[j], gram[j, j], residual, moved)
            total = 0.0
            for c in range(BLOCK):
                total += moved[c]
            if sweep == 0:
                at_first = total
            if total <= tol * tol * at_first:
                break
        for j in range(n_coordinates):
            for c in range(width):
                solution[j, start + c] = values[j, c]


@compiled
def _residual_of(j, values, targets, gram, residual):
    """``residual = targets[j] - gram[j] @ values``, four rows at a time to read and write it a quarter as often."""
    n_coordinates = len(gram)
    target = targets[j]
    for c in range(BLOCK):
        residual[c] = target[c]
    for i in range(0, n_coordinates - 3, 4):
        p, q, r, s = gram[j, i], gram[j, i + 1], gram[j, i + 2], gram[j, i + 3]
        w, x, y, z = values[i], values[i + 1], values[i + 2], values[i + 3]
        for c in range(BLOCK):
            residual[c] -= (p * w[c] + q * x[c]) + (r * y[c] + s * z[c])
    for i in range(n_coordinates - n_coordinates % 4, n_coordinates):
        p, w = gram[j, i], values[i]
        for c in range(BLOCK):
            residual[c] -= p * w[c]


@compiled
def _minimise(coordinate, curvature, residual, moved):
    """Move one coordinate of every column to its minimiser, not below zero."""
    for c in range(BLOCK):
        step = max(residual[c] / curvature, -coordinate[c])
        coordinate[c] += step
        moved[c] += curvature * step * step


@compiled
def pivot_columns(solution, gram, cross, solved, first, last):
    """Block principal pivoting on columns ``first`` to ``last``, starting from the support they have.

    Guess which coordinates are positive, solve for them, and exchange those whose sign is wrong until none is.
    All are exchanged at once while that lowers their number, with three tries of grace, else only the last one,
    which cannot cycle. A column whose normal equations are singular keeps its value, and is not marked solved.
    """
    n_coordinates = len(gram)
    factor = np.empty((n_coordinates, n_coordinates))
    support = np.empty(n_coordinates, np.int64)
    target = np.empty(n_coordinates)
    value = np.empty(n_coordinates)
    slope = np.empty(n_coordinates)
    free = np.empty(n_coordinates, np.bool_)
    misplaced = np.empty(n_coordinates, np.bool_)
    for column in range(first, last):
        largest = 0.0
        for i in range(n_coordinates):
            target[i] = cross[i, column]
            largest = max(largest, abs(target[i]))
            free[i] = solution[i, column] > 0.0
        rounding = 1e-13 * largest
        fewest, grace = n_coordinates + 1, 3
        for _ in range(5 * n_coordinates + 10):
            size = 0
            for i in range(n_coordinates):
                if free[i]:
                    support[size] = i
                    size += 1
            if not _solve_on(support, size, gram, target, factor, value):
                break
            _slopes(support, size, gram, target, value, slope)
            wrong, last_wrong = 0, -1
            for i in range(n_coordinates):
                multiplier = value[i] * gram[i, i] if free[i] else slope[i]
                misplaced[i] = multiplier < -rounding
                if misplaced[i]:
                    wrong += 1
                    last_wrong = i
            if wrong == 0:
                for i in range(n_coordinates):
                    solution[i, column] = max(value[i], 0.0) if free[i] else 0.0
                solved[column] = True
                break
            if wrong < fewest:
                fewest, grace = wrong, 3
            elif grace > 0:
                grace -= 1
            else:
                free[last_wrong] ^= True
                continue
            for i in range(n_coordinates):
                free[i] ^= misplaced[i]


@compiled
def _solve_on(support, size, gram, target, factor, value):
    """Solve the normal equations on the support by Cholesky; False where they are singular."""
    for a in range(size):
        i = support[a]
        for b in range(a + 1):
            total = gram[i, support[b]]
            for c in range(b):
                total -= factor[a, c] * factor[b, c]
            if a == b:
                if total <= 1e-12 * gram[i, i]:
                    return False
                factor[a, a] = np.sqrt(total)
            else:
                factor[a, b] = total / factor[b, b]
    for a in range(size):
        total = target[support[a]]
        for c in range(a):
            total -= factor[a, c] * value[support[c]]
        value[support[a]] = total / factor[a, a]
    for a in range(size - 1, -1, -1):
        total = value[support[a]]
        for c in range(a + 1, size):
            total -= factor[c, a] * value[support[c]]
        value[support[a]] = total / factor[a, a]
    return True


@compiled
def _slopes(support, size, gram, target, value, slope):
    """Derivative of half the squared error by each coordinate, where those off the support are zero."""
    for i in range(len(gram)):
        total = -target[i]
        for a in range(size):
            total += gram[i, support[a]] * value[support[a]]
        slope[i] = total
