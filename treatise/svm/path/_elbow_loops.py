"""The linear system of the points on the margin, kept as an inverse that gains and loses points (Eq. 35-37).

The first ``m`` entries of ``elbow`` are those points. The inverse is that of the bordered matrix A of Eq. 35, whose
first row is the offset's, or of the bare one of a machine without offset (Eq. 46). ``ridge`` stands on the diagonal of
the kernel.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step

_DEPENDENT = 3e-12
"""Curvature, as a share of a point's own, below which it hangs on the other points of the elbow."""
_SOLVED = 1e-9
"""Residual of Eq. 35 above which a direction is refined: points that nearly hang on one another leave up to 1e-4."""


@compiled
def invert(K, y, elbow, m, intercept, ridge):
    """The inverse from scratch, point by point, and whether all points are independent."""
    inverse, sound = np.empty((0, 0)), True
    for c in range(m):
        inverse, joined = add_point(K, y, inverse, elbow, c, intercept, ridge)
        sound = sound and joined
        if not sound:
            break
    return inverse, sound


@compiled
def add_point(K, y, inverse, elbow, m, intercept, ridge):
    """The inverse with the point ``elbow[m]`` joined to the first m, and whether it is independent of them."""
    size = 1 if intercept else 0
    i = elbow[m]
    own = K[i, i] + ridge
    if m == 0 and intercept:
        return np.array([[-own, y[i]], [y[i], 0.0]]), True
    total = size + m
    border = np.empty(total)
    if intercept:
        border[0] = y[i]
    for c in range(m):
        border[size + c] = y[i] * y[elbow[c]] * K[i, elbow[c]]
    moved = np.zeros(total)
    rest = own
    for r in range(total):
        for c in range(total):
            moved[r] += inverse[r, c] * border[c]
        rest -= border[r] * moved[r]
    if not rest > _DEPENDENT * own:
        return inverse, False
    grown = np.empty((total + 1, total + 1))
    for r in range(total):
        share = moved[r] / rest
        for c in range(total):
            grown[r, c] = inverse[r, c] + share * moved[c]
        grown[r, total] = grown[total, r] = -share
    grown[total, total] = 1.0 / rest
    return grown, True


@compiled
def drop_point(inverse, elbow, m, which, intercept):
    """The inverse with the point at position ``which`` of the elbow gone, and whether it is sound."""
    size = 1 if intercept else 0
    p = size + which
    total = size + m
    for c in range(which, m - 1):
        elbow[c] = elbow[c + 1]
    pivot = inverse[p, p]
    if m == 1 or not abs(pivot) > 0.0:
        return np.empty((0, 0)), False
    shrunk = np.empty((total - 1, total - 1))
    for r in range(total - 1):
        rr = r if r < p else r + 1
        share = inverse[rr, p] / pivot
        for c in range(total - 1):
            cc = c if c < p else c + 1
            shrunk[r, c] = inverse[rr, cc] - share * inverse[p, cc]
    return shrunk, True


@compiled
def solve_direction(K, y, elbow, m, inverse, intercept, ridge, b, rates, off):
    """``b`` of Eq. 37, and by it the rates of all margins.

    ``b`` holds the offset's entry first, where there is one, then those of the elbow's points.
    """
    size = 1 if intercept else 0
    for a in range(size + m):
        total = 0.0
        for c in range(m):
            total += inverse[a, size + c]
        b[a] = total
    _rates(K, y, elbow, m, b, intercept, ridge, rates)
    if _refine(y, elbow, m, inverse, size, rates, b, off):
        _rates(K, y, elbow, m, b, intercept, ridge, rates)


@compiled_step
def _rates(K, y, elbow, m, b, intercept, ridge, rates):
    """``1 - y_i h_i``: how fast margins grow as lambda falls, with h of Eq. 40."""
    n = len(y)
    size = 1 if intercept else 0
    rates[:] = b[0] if intercept else 0.0
    c = 0
    while c + 4 <= m:
        # Four rows at a time: the rates are read and written a quarter as often.
        p, q, r, s = elbow[c], elbow[c + 1], elbow[c + 2], elbow[c + 3]
        u, v = y[p] * b[size + c], y[q] * b[size + c + 1]
        w, x = y[r] * b[size + c + 2], y[s] * b[size + c + 3]
        first, second, third, fourth = K[p], K[q], K[r], K[s]
        for i in range(n):
            rates[i] += u * first[i] + v * second[i] + w * third[i] + x * fourth[i]
        c += 4
    for rest in range(c, m):
        weight = y[elbow[rest]] * b[size + rest]
        row = K[elbow[rest]]
        for i in range(n):
            rates[i] += weight * row[i]
    for c in range(m):
        rates[elbow[c]] += y[elbow[c]] * b[size + c] * ridge
    for i in range(n):
        rates[i] = 1.0 - y[i] * rates[i]


@compiled_step
def _refine(y, elbow, m, inverse, size, rates, b, off):
    """Take what the inverse leaves of Eq. 35 out of the direction ``b``; whether there was anything to take out.

    The rates of the elbow's points are the residuals: their margins are to stay at zero.
    """
    worst = 0.0
    if size:
        off[0] = 0.0
    for c in range(m):
        i = elbow[c]
        off[size + c] = rates[i]
        worst = max(worst, abs(rates[i]))
        if size:
            off[0] -= y[i] * b[size + c]
    if size:
        worst = max(worst, abs(off[0]))
    if worst <= _SOLVED:
        return False
    for a in range(size + m):
        for c in range(size + m):
            b[a] += inverse[a, c] * off[c]
    return True
