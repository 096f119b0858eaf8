"""Triangular factors that follow their matrix: a row more, a row less, a product of a vector with itself."""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_step


@compiled_step
def solve_lower(factor, size, b, start):
    """Overwrite ``b``, which is zero before ``start``, by the solution x of ``L x = b``; of L the leading rows."""
    for i in range(start, size):
        total = b[i]
        for j in range(start, i):
            total -= factor[i, j] * b[j]
        b[i] = total / factor[i, i]


@compiled_step
def solve_lower_transposed(factor, size, b):
    """Overwrite ``b`` by the solution x of ``L' x = b``."""
    for i in range(size - 1, -1, -1):
        b[i] /= factor[i, i]
        for j in range(i):
            b[j] -= factor[i, j] * b[i]


@compiled_step
def givens(a, b):
    """Cosine and sine of the turn that takes (a, b) to (length, 0)."""
    length = math.hypot(a, b)
    if length == 0.0:
        return 1.0, 0.0
    return a / length, b / length


@compiled_step
def turn_columns(matrix, first, last, at, cosine, sine):
    """Turn the columns ``at`` and ``at + 1`` of some rows: (x, y) becomes (c x + s y, c y - s x)."""
    for i in range(first, last):
        x, y = matrix[i, at], matrix[i, at + 1]
        matrix[i, at] = cosine * x + sine * y
        matrix[i, at + 1] = cosine * y - sine * x


@compiled
def delete_row(factor, size, row, cosines, sines):
    """Take a row and column out of the matrix behind a factor, in its own memory; keeps the turns of its columns.

    The rows below move up, which leaves one number to the right of the diagonal in each; a turn of two neighbouring
    columns takes it away. ``cosines[i], sines[i]`` turned the columns i and i + 1.
    """
    for i in range(row, size - 1):
        factor[i, : i + 2] = factor[i + 1, : i + 2]
    for i in range(row, size - 1):
        cosine, sine = givens(factor[i, i], factor[i, i + 1])
        turn_columns(factor, i, size - 1, i, cosine, sine)
        factor[i, i + 1] = 0.0
        cosines[i], sines[i] = cosine, sine
    factor[size - 1, :size] = 0.0


@compiled
def rank_one(factor, x, sign):
    """Factor of ``L L' + sign x x'`` in the memory of L; overwrites x. False where that is not positive definite."""
    size = len(x)
    for k in range(size):
        square = factor[k, k] * factor[k, k] + sign * x[k] * x[k]
        if not square > 0.0:
            return False
        root = math.sqrt(square)
        cosine, sine = root / factor[k, k], x[k] / factor[k, k]
        factor[k, k] = root
        for i in range(k + 1, size):
            factor[i, k] = (factor[i, k] + sign * sine * x[i]) / cosine
            x[i] = cosine * x[i] - sine * factor[i, k]
    return True


def no_turns(size):
    """Room for the turns of :func:`delete_row`."""
    return np.empty(size), np.empty(size)
