"""The basis of a vertex of ``min |x|_1 subject to |S x - b| <= lambda``, and its inverse after every exchange.

S is symmetric, so that its columns are read as rows.
"""

from typing import NamedTuple

import numpy as np

from treatise._core.jit import compiled, compiled_sums


class Basis(NamedTuple):
    """A vertex of the path, and the event that ends its piece; of R, t, T, signs, P, x and v k places count.

    Numbers that change are kept in arrays, so that a path can be left and resumed, and since a number that starts as a
    constant would have every step compiled twice, for the constant and for a number.
    """

    counts: np.ndarray
    """k, the number of tight rows and of entries in the support; exchanges since P was made anew; exchanges in all."""
    lam: np.ndarray
    """Lambda, and the side of the row that becomes tight there."""
    event: np.ndarray
    """The entry of T that reaches zero at lambda, or -1 and the row that becomes tight."""
    R: np.ndarray
    """Rows whose constraint is tight."""
    t: np.ndarray
    """On which side each is."""
    T: np.ndarray
    """The support."""
    signs: np.ndarray
    """The signs of its entries."""
    P: np.ndarray
    """Inverse of S[R, T]."""
    x: np.ndarray
    """Entries of the solution on T."""
    v: np.ndarray
    """Entries of the dual solution on R."""
    tight: np.ndarray
    """Whether each row is in R."""
    used: np.ndarray
    """Whether each column is in T."""
    reduced: np.ndarray
    """S v."""
    residual: np.ndarray
    """S x - b."""

    @classmethod
    def at_zero(cls, b):
        """The beginning of the path: x = 0 and v = 0, and the largest row of b becomes tight."""
        d, first = len(b), int(np.argmax(np.abs(b)))
        return cls(
            counts=np.zeros(3, np.int64),
            lam=np.array([abs(b[first]), -1.0 if b[first] > 0 else 1.0]),
            event=np.array([-1, first]),
            R=np.empty(d + 1, np.int64),
            t=np.empty(d + 1),
            T=np.empty(d + 1, np.int64),
            signs=np.empty(d + 1),
            P=np.zeros((d + 1, d + 1)),
            x=np.zeros(d + 1),
            v=np.zeros(d + 1),
            tight=np.zeros(d, np.bool_),
            used=np.zeros(d, np.bool_),
            reduced=np.zeros(d),
            residual=-b,
        )


@compiled
def combination(S, places, x, k, out):
    """The combination of the rows of S at places with the weights x; four at a time, to write ``out`` less often."""
    d = len(out)
    for j in range(d):
        out[j] = 0.0
    whole = k - k % 4
    for a in range(0, whole, 4):
        one, two, three, four = S[places[a]], S[places[a + 1]], S[places[a + 2]], S[places[a + 3]]
        x1, x2, x3, x4 = x[a], x[a + 1], x[a + 2], x[a + 3]
        for j in range(d):
            out[j] += x1 * one[j] + x2 * two[j] + x3 * three[j] + x4 * four[j]
    for a in range(whole, k):
        line, xa = S[places[a]], x[a]
        for j in range(d):
            out[j] += xa * line[j]


@compiled_sums
def times(P, x, k, out):
    """P x, of the first k."""
    for c in range(k):
        total = 0.0
        for a in range(k):
            total += P[c, a] * x[a]
        out[c] = total


@compiled
def times_from_left(x, P, k, out):
    """x' P, of the first k."""
    for a in range(k):
        out[a] = 0.0
    for c in range(k):
        factor = x[c]
        for a in range(k):
            out[a] += factor * P[c, a]


@compiled
def subtract_product(P, left, right, k):
    """P less the product of a column and a row, of the first k."""
    for c in range(k):
        factor = left[c]
        for a in range(k):
            P[c, a] -= factor * right[a]


@compiled
def move(x, step, direction, k):
    """x takes a step along the direction, of the first k."""
    for c in range(k):
        x[c] += step * direction[c]


@compiled
def invert(S, R, T, k, P):
    """P becomes the inverse of S[R, T], by elimination in place with the largest pivot of each column."""
    for a in range(k):
        for c in range(k):
            P[a, c] = S[R[a], T[c]]
    swapped = np.empty(k, dtype=np.int64)
    for c in range(k):
        largest = c
        for a in range(c + 1, k):
            if abs(P[a, c]) > abs(P[largest, c]):
                largest = a
        swapped[c] = largest
        for z in range(k):
            P[c, z], P[largest, z] = P[largest, z], P[c, z]
        pivot = P[c, c]
        P[c, c] = 1.0
        for z in range(k):
            P[c, z] /= pivot
        for a in range(k):
            if a != c:
                factor = P[a, c]
                P[a, c] = 0.0
                for z in range(k):
                    P[a, z] -= factor * P[c, z]
    for c in range(k - 1, -1, -1):
        if swapped[c] != c:
            for a in range(k):
                P[a, c], P[a, swapped[c]] = P[a, swapped[c]], P[a, c]


@compiled
def add_pair(S, basis, row, column, side, sign, dual):
    """The row becomes tight and the column joins the support."""
    R, T, k, P = basis.R, basis.T, basis.counts[0], basis.P
    across, down = np.empty(k), np.empty(k)
    for c in range(k):
        across[c], down[c] = S[row, T[c]], S[column, R[c]]
    left, right = np.empty(k), np.empty(k)
    times(P, down, k, left)
    times_from_left(across, P, k, right)
    rest = S[row, column]
    for c in range(k):
        rest -= across[c] * left[c]
    for c in range(k):
        left[c] = -left[c] / rest
    subtract_product(P, left, right, k)
    for c in range(k):
        P[c, k], P[k, c] = left[c], -right[c] / rest
    P[k, k] = 1.0 / rest
    R[k], T[k] = row, column
    basis.tight[row], basis.used[column] = True, True
    basis.t[k], basis.v[k] = side, dual
    basis.signs[k], basis.x[k] = sign, 0.0
    basis.counts[0] += 1


@compiled
def drop_pair(basis, a, c):
    """Row a of R is no longer tight and entry c of T leaves the support; the last ones take their places."""
    R, T, k, P = basis.R, basis.T, basis.counts[0], basis.P
    basis.tight[R[a]], basis.used[T[c]] = False, False
    left, right = np.empty(k), np.empty(k)
    for z in range(k):
        left[z], right[z] = P[z, a] / P[c, a], P[c, z]
    subtract_product(P, left, right, k)
    last = k - 1
    for z in range(k):
        P[c, z] = P[last, z]
    for z in range(last):
        P[z, a] = P[z, last]
    T[c], basis.signs[c], basis.x[c] = T[last], basis.signs[last], basis.x[last]
    R[a], basis.t[a], basis.v[a] = R[last], basis.t[last], basis.v[last]
    basis.counts[0] = last


@compiled
def swap_row(S, basis, a, row, side, dual):
    """The row becomes tight in place of row a of R."""
    R, T, k, P = basis.R, basis.T, basis.counts[0], basis.P
    left, right = np.empty(k), np.empty(k)
    for c in range(k):
        left[c] = S[row, T[c]] - S[R[a], T[c]]
    times_from_left(left, P, k, right)
    for c in range(k):
        left[c] = P[c, a] / (1.0 + right[a])
    subtract_product(P, left, right, k)
    basis.tight[R[a]], basis.tight[row] = False, True
    R[a], basis.t[a], basis.v[a] = row, side, dual


@compiled
def swap_column(S, basis, c, column, sign):
    """The column joins the support in place of entry c of T."""
    R, T, k, P = basis.R, basis.T, basis.counts[0], basis.P
    left, right = np.empty(k), np.empty(k)
    for a in range(k):
        right[a] = S[column, R[a]] - S[T[c], R[a]]
    times(P, right, k, left)
    for a in range(k):
        right[a] = P[c, a] / (1.0 + left[c])
    subtract_product(P, left, right, k)
    basis.used[T[c]], basis.used[column] = False, True
    T[c], basis.signs[c] = column, sign


@compiled
def objectives(b, basis):
    """The l1 norm of x, and what the dual v says it must be."""
    norm, dual, lam = 0.0, 0.0, basis.lam[0]
    for a in range(basis.counts[0]):
        norm += basis.signs[a] * basis.x[a]
        dual += basis.v[a] * b[basis.R[a]] - lam * abs(basis.v[a])
    return norm, dual


@compiled
def refresh(S, b, basis):
    """Make the inverse, the solutions and the products with S anew from what is in the basis."""
    k, P = basis.counts[0], basis.P
    invert(S, basis.R, basis.T, k, P)
    right = np.empty(k)
    for a in range(k):
        right[a] = b[basis.R[a]] + basis.lam[0] * basis.t[a]
    times(P, right, k, basis.x)
    times_from_left(basis.signs, P, k, basis.v)
    combination(S, basis.R, basis.v, k, basis.reduced)
    combination(S, basis.T, basis.x, k, basis.residual)
    for r in range(len(b)):
        basis.residual[r] -= b[r]
    basis.counts[1] = 0
