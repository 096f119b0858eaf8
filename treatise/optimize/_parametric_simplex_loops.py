"""Pivots of the parametric simplex method on a dense dictionary."""

import numpy as np

from treatise._core.jit import compiled

OPTIMAL, INFEASIBLE, UNBOUNDED, OUT_OF_PIVOTS = 0, 1, 2, 3
_ZERO = 1e-11


@compiled
def pivot(A, b, b_change, c, c_change, i, j):
    """Exchange basic variable i and non-basic variable j, in place."""
    m, n = A.shape
    p = A[i, j]
    column = A[:, j].copy()
    for k in range(n):
        A[i, k] /= p
    b[i] /= p
    b_change[i] /= p
    A[i, j] = 1.0 / p
    for r in range(m):
        if r == i or column[r] == 0.0:
            continue
        factor = column[r]
        for k in range(n):
            if k != j:
                A[r, k] -= factor * A[i, k]
        A[r, j] = -factor / p
        b[r] -= factor * b[i]
        b_change[r] -= factor * b_change[i]
    for costs in (c, c_change):
        factor = costs[j]
        if factor != 0.0:
            for k in range(n):
                if k != j:
                    costs[k] -= factor * A[i, k]
            costs[j] = -factor / p


@compiled
def follow(A, b, b_change, c, c_change, basic, nonbasic, lowest, breaks, vertices, max_pivots):
    """Follow the optimal basis as lambda falls from infinity; gives how it ended and the number of breakpoints.

    Breakpoint q is the lower end of the range of lambda in which basis q is optimal; ``vertices[q]`` holds the values
    of the structural variables at lambda 0 and their slopes in lambda.
    """
    m, n = A.shape
    count = 0
    for _ in range(max_pivots):
        lam, i, j = -np.inf, -1, -1
        for r in range(m):
            if b_change[r] > _ZERO:
                at = -b[r] / b_change[r]
                if at > lam + _ZERO * (1.0 + abs(at)):
                    lam, i, j = at, r, -1
        for k in range(n):
            if c_change[k] < -_ZERO:
                at = -c[k] / c_change[k]
                if at > lam + _ZERO * (1.0 + abs(at)):
                    lam, i, j = at, -1, k
        lower = max(lam, lowest)
        breaks[count] = lower
        for v in range(n):
            vertices[count, 0, v] = 0.0
            vertices[count, 1, v] = 0.0
        for r in range(m):
            if basic[r] < n:
                vertices[count, 0, basic[r]] = b[r]
                vertices[count, 1, basic[r]] = b_change[r]
        count += 1
        if lam <= lowest:
            return OPTIMAL, count
        if count == len(breaks):
            return OUT_OF_PIVOTS, count
        least, size = np.inf, 0.0
        if i >= 0:
            # The dual ratio test: the reduced costs stay below zero.
            for k in range(n):
                if A[i, k] < -_ZERO:
                    ratio = (c[k] + lam * c_change[k]) / A[i, k]
                    if ratio < least - _ZERO or (ratio <= least + _ZERO and -A[i, k] > size):
                        least, j, size = min(ratio, least), k, -A[i, k]
            if j < 0:
                return INFEASIBLE, count
        else:
            for r in range(m):
                if A[r, j] > _ZERO:
                    ratio = (b[r] + lam * b_change[r]) / A[r, j]
                    if ratio < least - _ZERO or (ratio <= least + _ZERO and A[r, j] > size):
                        least, i, size = min(ratio, least), r, A[r, j]
            if i < 0:
                return UNBOUNDED, count
        pivot(A, b, b_change, c, c_change, i, j)
        basic[i], nonbasic[j] = nonbasic[j], basic[i]
    return OUT_OF_PIVOTS, count
