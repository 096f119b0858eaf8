"""Loops over stored rows of one Gram matrix, in double precision whatever the precision of the rows."""

from treatise._core.jit import compiled


@compiled
def add_rows(total, matrix, first, weight):
    """``total[i] += weight * matrix[first + i]`` up to the diagonal of the matrix, which is symmetric."""
    for i in range(total.shape[0]):
        for j in range(first + i + 1):
            total[i, j] += weight * matrix[first + i, j]


@compiled
def mirror(matrix):
    """Copy what lies below the diagonal to the other side, tile by tile."""
    n = matrix.shape[0]
    for first in range(0, n, 64):
        for second in range(0, first + 1, 64):
            for i in range(first, min(first + 64, n)):
                for j in range(second, min(second + 64, i)):
                    matrix[j, i] = matrix[i, j]


@compiled
def add_block(total, matrix, slots, columns, weight):
    """``total[a, b] += weight * matrix[slots[a], columns[b]]``."""
    for a in range(len(slots)):
        for b in range(len(columns)):
            total[a, b] += weight * matrix[slots[a], columns[b]]


@compiled
def add_weighted_rows(total, matrix, slots, coef):
    """``total += sum_a coef[a] matrix[slots[a]]``."""
    for a in range(len(slots)):
        for j in range(len(total)):
            total[j] += coef[a] * matrix[slots[a], j]


@compiled
def add_weighted_block(total, matrix, slots, columns, coef):
    """``total += sum_a coef[a] matrix[slots[a], columns]``."""
    for a in range(len(slots)):
        for b in range(len(columns)):
            total[b] += coef[a] * matrix[slots[a], columns[b]]


@compiled
def quadratic_form(matrix, slots, columns, coef):
    """``sum_ab coef[a] coef[b] matrix[slots[a], columns[b]]`` of a symmetric matrix: each pair is read once."""
    total = 0.0
    for a in range(len(slots)):
        across = 0.0
        for b in range(a):
            across += coef[b] * matrix[slots[a], columns[b]]
        total += coef[a] * (2.0 * across + coef[a] * matrix[slots[a], columns[a]])
    return total


@compiled
def symmetric_to(matrix, relative):
    """Whether a square matrix differs from its transpose by no more than a share of its largest entry, tile by tile."""
    n = matrix.shape[0]
    largest, difference = 0.0, 0.0
    for first in range(0, n, 64):
        for second in range(0, first + 1, 64):
            for i in range(first, min(first + 64, n)):
                for j in range(second, min(second + 64, i + 1)):
                    largest = max(largest, abs(matrix[i, j]))
                    difference = max(difference, abs(matrix[i, j] - matrix[j, i]))
    return difference <= relative * largest
