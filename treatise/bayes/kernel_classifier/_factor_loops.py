"""Compiled changes of the active rows: what adding or dropping one would do to the likelihood, and doing it.

Notation: F = [1, Z] with Z Z' = K_a K_aa^{-1} K_a' for the active rows a, so that the scores given the rest are
F theta with theta ~ N(0, D^{-1}), D = diag(eta, g, ..., g). R is the lower factor of K_aa, L that of F'F + D (the
paper's Upsilon in these coordinates), W = F L^{-T}, and M = W'S holds the latent scores. Then log |Q| and s'Q^{-1}s of
equation 11 follow from L and M alone.
"""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_sums
from treatise.optimize._cholesky_update_loops import givens, solve_lower, turn_columns


@compiled_sums
def try_birth(W, M, R, L, size, cross, corner, column, S, g, least, z, products, r):
    """Log of p(S | with a row more) / p(S | now); leaves the new rows of R and L, and the new entries of M, behind.

    Parameters
    ----------
    size : int
        Columns of W in use, one more than there are active rows.
    cross, corner, column : ndarray of shape (size - 1,), float, ndarray of shape (n,)
        Kernel of the new row with the active ones, with itself (jitter included), and with all rows.
    least : float
        A smaller part of ``corner`` that the active rows leave unexplained means that the row brings nothing new.
    z, products, r : ndarray
        Room for the new column of F, its products with W, and the new row of R.
    """
    k = size - 1
    for j in range(k):
        r[j] = cross[j]
    solve_lower(R, k, r, 0)
    rest = corner
    for j in range(k):
        rest -= r[j] * r[j]
    if not rest > least * corner:
        return -np.inf
    rho = math.sqrt(rest)
    # Z r = F (0, r) = W L'(0, r)
    a = np.zeros(size)
    for i in range(k):
        for j in range(i + 2):
            a[j] += L[i + 1, j] * r[i]
    products[:size] = 0.0
    square = 0.0
    for i in range(len(column)):
        row = W[i, :size]
        total = column[i]
        for j in range(size):
            total -= row[j] * a[j]
        total /= rho
        z[i] = total
        square += total * total
        for j in range(size):
            products[j] += total * row[j]
    delta = square + g
    for j in range(size):
        delta -= products[j] * products[j]
    delta = max(delta, g)
    root = math.sqrt(delta)
    gain = 0.0
    for c in range(S.shape[0]):
        product = 0.0
        for i in range(len(z)):
            product += z[i] * S[c, i]
        for j in range(size):
            product -= products[j] * M[c, j]
        M[c, size] = product / root
        gain += M[c, size] ** 2
    for j in range(k):
        R[k, j] = r[j]
    R[k, k] = rho
    for j in range(size):
        L[size, j] = products[j]
    L[size, size] = root
    return 0.5 * gain - 0.5 * S.shape[0] * math.log(delta / g)


@compiled_sums
def give_birth(W, size, z, products, root):
    """The new column of W, after :func:`try_birth` said what it would be."""
    for i in range(len(z)):
        row = W[i, : size + 1]
        total = z[i]
        for j in range(size):
            total -= row[j] * products[j]
        row[size] = total / root


@compiled
def try_death(M, R, L, size, place, g, x):
    """Log of p(S | without the active row at a place) / p(S | now): its direction of theta is held at zero."""
    k = size - 1
    x[:size] = 0.0
    x[1 + place] = 1.0 / R[place, place]
    length = x[1 + place] ** 2
    for i in range(place + 1, k):
        total = 0.0
        for j in range(place, i):
            total -= R[i, j] * x[1 + j]
        x[1 + i] = total / R[i, i]
        length += x[1 + i] ** 2
    length = math.sqrt(length)
    for i in range(place, k):
        x[1 + i] /= length
    solve_lower(L, size, x, 1 + place)
    square = 0.0
    for j in range(1 + place, size):
        square += x[j] * x[j]
    loss = 0.0
    for c in range(M.shape[0]):
        product = 0.0
        for j in range(1 + place, size):
            product += x[j] * M[c, j]
        loss += product * product / square
    return -0.5 * loss - 0.5 * M.shape[0] * math.log(square * g)


@compiled
def drop(W, M, R, L, size, place, cosines, sines):
    """Take the active row at a place out of R, L, M and W.

    Each turn of two columns of Z, which keeps R triangular, turns two rows of L; a turn of two columns of L repairs
    it, and is the turn of W and M.
    """
    k = size - 1
    for i in range(place, k - 1):
        R[i, : i + 2] = R[i + 1, : i + 2]
    for i in range(place, k - 1):
        cosine, sine = givens(R[i, i], R[i, i + 1])
        turn_columns(R, i, k - 1, i, cosine, sine)
        R[i, i + 1] = 0.0
        for j in range(i + 3):
            x, y = L[i + 1, j], L[i + 2, j]
            L[i + 1, j] = cosine * x + sine * y
            L[i + 2, j] = cosine * y - sine * x
        cosine, sine = givens(L[i + 1, i + 1], L[i + 1, i + 2])
        turn_columns(L, i + 1, size, i + 1, cosine, sine)
        L[i + 1, i + 2] = 0.0
        turn_columns(M, 0, M.shape[0], i + 1, cosine, sine)
        cosines[i + 1], sines[i + 1] = cosine, sine
    _turn_rows(W, 1 + place, k, cosines, sines)


@compiled
def _turn_rows(W, first, last, cosines, sines):
    """Turn neighbouring columns of W one pair after the other, four rows at a time: each turn waits for the last."""
    n = len(W)
    whole = n - n % 4
    for i in range(0, whole, 4):
        a, b, c, d = W[i, first], W[i + 1, first], W[i + 2, first], W[i + 3, first]
        for j in range(first, last):
            cosine, sine = cosines[j], sines[j]
            p, q, r, s = W[i, j + 1], W[i + 1, j + 1], W[i + 2, j + 1], W[i + 3, j + 1]
            W[i, j], a = cosine * a + sine * p, cosine * p - sine * a
            W[i + 1, j], b = cosine * b + sine * q, cosine * q - sine * b
            W[i + 2, j], c = cosine * c + sine * r, cosine * r - sine * c
            W[i + 3, j], d = cosine * d + sine * s, cosine * s - sine * d
        W[i, last], W[i + 1, last], W[i + 2, last], W[i + 3, last] = a, b, c, d
    for i in range(whole, n):
        for j in range(first, last):
            x, y = W[i, j], W[i, j + 1]
            W[i, j], W[i, j + 1] = cosines[j] * x + sines[j] * y, cosines[j] * y - sines[j] * x
