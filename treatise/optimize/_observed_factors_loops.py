"""Compiled loops that fit two factors to the observed entries of a matrix."""

import numpy as np

from treatise._core.jit import compiled, compiled_step, compiled_sums


@compiled_sums
def solve_positive(G, b):
    """Solve ``G x = b`` in place for a symmetric positive matrix of which the lower triangle is filled (Cholesky).

    The diagonal of the triangle is kept as its inverse, by which is divided often.
    """
    k = len(b)
    for i in range(k):
        for j in range(i):
            total = G[i, j]
            for m in range(j):
                total -= G[i, m] * G[j, m]
            G[i, j] = total * G[j, j]
        total, right = G[i, i], b[i]
        for m in range(i):
            total -= G[i, m] * G[i, m]
            right -= G[i, m] * b[m]
        G[i, i] = 1.0 / np.sqrt(total)
        b[i] = right * G[i, i]
    for i in range(k - 1, -1, -1):
        b[i] *= G[i, i]
        for m in range(i):
            b[m] -= G[i, m] * b[i]


@compiled_sums
def ridge_rows(indptr, indices, values, others, reg, rows, first, last):
    """Best rows ``first`` to ``last`` of one factor for the other: a ridge regression on the entries of each row."""
    k = others.shape[1]
    G, b = np.empty((k, k)), np.empty(k)
    for i in range(first, last):
        if indptr[i] == indptr[i + 1]:
            rows[i] = 0.0
            continue
        G[:] = 0.0
        b[:] = 0.0
        place, end = indptr[i], indptr[i + 1]
        # Four entries at a time: each sum is read and written once for the four.
        while place + 4 <= end:
            j0, j1, j2, j3 = indices[place], indices[place + 1], indices[place + 2], indices[place + 3]
            h0, h1, h2, h3 = others[j0], others[j1], others[j2], others[j3]
            for m in range(k):
                a0, a1, a2, a3 = h0[m], h1[m], h2[m], h3[m]
                b[m] += values[place] * a0 + values[place + 1] * a1 + values[place + 2] * a2 + values[place + 3] * a3
                for n in range(m + 1):
                    G[m, n] += a0 * h0[n] + a1 * h1[n] + a2 * h2[n] + a3 * h3[n]
            place += 4
        for last_few in range(place, end):
            h0 = others[indices[last_few]]
            for m in range(k):
                b[m] += values[last_few] * h0[m]
                for n in range(m + 1):
                    G[m, n] += h0[m] * h0[n]
        for m in range(k):
            G[m, m] += reg
        solve_positive(G, b)
        rows[i] = b


@compiled_sums
def squared_residual(indptr, indices, values, W, H):
    """Sum over the observed entries of the squared difference from ``W H'``."""
    total = 0.0
    for i in range(len(indptr) - 1):
        for place in range(indptr[i], indptr[i + 1]):
            j, product = indices[place], 0.0
            for m in range(W.shape[1]):
                product += W[i, m] * H[j, m]
            total += (values[place] - product) ** 2
    return total


@compiled
def entries_of(rows, columns, W, H):
    """Entries of ``W H'`` at pairs of a row and a column."""
    found = np.empty(len(rows))
    for place in range(len(rows)):
        found[place] = np.dot(W[rows[place]], H[columns[place]])
    return found


@compiled_step
def sign_slope(loss, x, y):
    """Slope in y of the loss of a sign x: 0 is ``1 / (1 + exp(x y))``, 1 is ``max(0, 1 - x y)^2``."""
    margin = x * y
    if loss == 0:
        e = np.exp(-abs(margin))
        return -x * e / ((1.0 + e) * (1.0 + e))
    return -2.0 * x * (1.0 - margin) if margin < 1.0 else 0.0


@compiled
def sign_loss(loss, rows, columns, signs, W, H):
    """Sum over the observed entries of the loss of their signs."""
    total = 0.0
    for place in range(len(rows)):
        margin = signs[place] * np.dot(W[rows[place]], H[columns[place]])
        if loss == 0:
            total += np.exp(-margin) / (1.0 + np.exp(-margin)) if margin > 0 else 1.0 / (1.0 + np.exp(margin))
        elif margin < 1.0:
            total += (1.0 - margin) ** 2
    return total


@compiled
def sign_descent(loss, rows, columns, signs, row_share, column_share, order, W, H, step):
    """One pass of stochastic gradient steps, in place; the penalty of a row is spread over its entries."""
    k = W.shape[1]
    for place in order:
        i, j = rows[place], columns[place]
        slope = sign_slope(loss, signs[place], np.dot(W[i], H[j]))
        for m in range(k):
            w, h = W[i, m], H[j, m]
            W[i, m] = w - step * (slope * h + row_share[i] * w)
            H[j, m] = h - step * (slope * w + column_share[j] * h)
