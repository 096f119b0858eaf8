"""Compiled search for the best fit of a row by others in the sense of the sum of magnitudes, with bounded weights.

The fit is ``min |m - sum_i x_i c_i|_1 over 0 <= x <= u``. Its dual is ``max m y - sum_i u_i max(c_i y, 0)`` over y
with entries from -1 to 1, where y is the sign of the residual and the slope of the fit. The search goes from corner to
corner of the dual, upwards. At a corner, as many products c_i y are zero (those of the *free* weights, between their
bounds) as entries of y are inside their bounds (the *inner* entries, where the residual is zero). A corner of one
problem is one of all others with the same m: only bounds and rows change, so that each search starts where the last one
for m ended.

Rows that depend on one another would make products zero together, and steps of length zero go round in circles: each
weight has a tiny price of its own, so that products are zero one after another.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step

_ROUNDING = 1e-10
"""Share of the size of m by which a residual or a weight may have the wrong sign."""
_PIVOT = 1e-9
"""Share of a size below which a rate of change is rounding, on which no corner may rest."""


@compiled
def fit_rows(targets, rows, prices, bounds, first, last, duals, inner, free, weights, errors):
    """Fit targets ``first`` to ``last`` from where their duals stand; all after ``last`` change in place.

    Parameters
    ----------
    targets : ndarray of shape (n, p)
        m of each problem.
    rows : ndarray of shape (k, p)
        Rows c_i to fit with.
    prices : ndarray of shape (k,)
        Tiny costs of the weights, no two alike.
    bounds : ndarray of shape (n, k)
        Bounds u of each problem.
    first, last : int
        Problems to solve.
    duals : ndarray of shape (n, p)
        Corners y.
    inner : ndarray of bool of shape (n, p)
        Entries of y inside their bounds.
    free : ndarray of bool of shape (n, k)
        Rows whose product with y is zero, up to their price.
    weights : ndarray of shape (n, k)
        The weights x, always within their bounds.
    errors : ndarray of shape (n,)
        The error that these weights leave.
    """
    k, p = rows.shape
    columns = rows.T.copy()
    sizes = np.empty(k)
    for i in range(k):
        sizes[i] = np.abs(rows[i]).sum()
    residual = np.empty(p)
    for j in range(first, last):
        _climb(targets[j], rows, columns, sizes, prices, bounds[j], duals[j], inner[j], free[j], weights[j], residual)
        for i in range(k):
            weights[j, i] = min(max(weights[j, i], 0.0), bounds[j, i])
        _leave(targets[j], rows, weights[j], residual)
        errors[j] = np.abs(residual).sum()


@compiled_step
def _climb(m, rows, columns, sizes, prices, bounds, y, inner, free, x, residual):
    """From corner to corner until no edge leads up."""
    k, p = rows.shape
    most = min(k, p)
    inverse, products, rates, move = np.empty((most, most)), np.empty(k), np.empty(k), np.empty(p)
    which_free, which_inner = np.empty(most, np.int64), np.empty(most, np.int64)
    size = np.abs(m).sum()
    for _ in range(200 + 20 * p):
        q = _corner(rows, free, inner, which_free, which_inner, inverse)
        if q < 0:
            break
        _settle(rows, prices, inner, which_free, which_inner, inverse, q, y)
        _multiply(columns, y, products)
        for i in range(k):
            products[i] -= prices[i]
            x[i] = bounds[i] if products[i] > 0.0 and not free[i] else 0.0
        _leave(m, rows, x, residual)
        for a in range(q):
            total = 0.0
            for b in range(q):
                total += inverse[b, a] * residual[which_inner[b]]
            x[which_free[a]] = total
        for a in range(q):
            i = which_free[a]
            for r in range(p):
                residual[r] -= x[i] * rows[i, r]
        # The edge of the steepest ascent: an entry of y leaves its bound, or a product becomes other than zero.
        entering, leaving, slope, steepest = -1, -1, 0.0, _ROUNDING * size
        for r in range(p):
            if not inner[r] and -residual[r] * y[r] > steepest:
                entering, slope, steepest = r, -residual[r] * y[r], -residual[r] * y[r]
        for a in range(q):
            i = which_free[a]
            ascent = max(-x[i], x[i] - bounds[i])
            if ascent * sizes[i] > steepest:
                leaving, entering, slope, steepest = a, -1, ascent, ascent * sizes[i]
        if entering < 0 and leaving < 0:
            break
        _edge(rows, which_free, which_inner, inverse, q, entering, leaving, x, y, move)
        _multiply(columns, move, rates)
        gone = which_free[leaving] if leaving >= 0 else -1
        if not _walk(sizes, bounds, products, rates, y, inner, free, move, gone, entering, slope):
            break


@compiled_step
def _multiply(columns, vector, products):
    """Products of all rows with a vector, column by column, which the processor can do several at a time."""
    products[:] = 0.0
    for r in range(len(vector)):
        value = vector[r]
        if value != 0.0:
            column = columns[r]
            for i in range(len(products)):
                products[i] += value * column[i]


@compiled_step
def _leave(m, rows, x, residual):
    """What weights leave of m."""
    residual[:] = m
    for i in range(len(x)):
        weight = x[i]
        if weight != 0.0:
            row = rows[i]
            for r in range(len(m)):
                residual[r] -= weight * row[r]


@compiled_step
def _corner(rows, free, inner, which_free, which_inner, inverse):
    """Invert the free rows at the inner entries, by elimination with pivots; their number, or -1 if singular."""
    q = 0
    for i in range(len(free)):
        if free[i]:
            which_free[q] = i
            q += 1
    b = 0
    for r in range(len(inner)):
        if inner[r]:
            which_inner[b] = r
            b += 1
    work = np.empty((q, 2 * q))
    for a in range(q):
        for b in range(q):
            work[a, b] = rows[which_free[a], which_inner[b]]
            work[a, q + b] = 1.0 if a == b else 0.0
    for step in range(q):
        pivot = step
        for a in range(step + 1, q):
            if abs(work[a, step]) > abs(work[pivot, step]):
                pivot = a
        if work[pivot, step] == 0.0:
            return -1
        for b in range(2 * q):
            held = work[step, b]
            work[step, b] = work[pivot, b]
            work[pivot, b] = held
        scale = 1.0 / work[step, step]
        for b in range(2 * q):
            work[step, b] *= scale
        for a in range(q):
            factor = work[a, step]
            if a != step and factor != 0.0:
                for b in range(step, 2 * q):
                    work[a, b] -= factor * work[step, b]
    for a in range(q):
        for b in range(q):
            inverse[a, b] = work[a, q + b]
    return q


@compiled_step
def _settle(rows, prices, inner, which_free, which_inner, inverse, q, y):
    """Inner entries of y from the others, so that rounding does not add up from corner to corner."""
    wanted = np.empty(q)
    for a in range(q):
        i = which_free[a]
        total = prices[i]
        for r in range(len(y)):
            if not inner[r]:
                total -= rows[i, r] * y[r]
        wanted[a] = total
    for b in range(q):
        total = 0.0
        for a in range(q):
            total += inverse[b, a] * wanted[a]
        y[which_inner[b]] = min(max(total, -1.0), 1.0)


@compiled_step
def _edge(rows, which_free, which_inner, inverse, q, entering, leaving, x, y, move):
    """Direction of y along which the products of free rows stay as they are, but for the one that leaves."""
    move[:] = 0.0
    if entering >= 0:
        move[entering] = -y[entering]
    for b in range(q):
        total = 0.0
        if entering >= 0:
            for a in range(q):
                total += inverse[b, a] * rows[which_free[a], entering] * y[entering]
        else:
            total = -inverse[b, leaving] if x[which_free[leaving]] < 0.0 else inverse[b, leaving]
        move[which_inner[b]] = total


@compiled_step
def _walk(sizes, bounds, products, rates, y, inner, free, move, leaving, entering, slope):
    """Walk along an edge past rows whose products change sign while it still leads up; change the corner.

    Returns whether there was an end to walk to.
    """
    steepness = np.abs(move).max()
    length, blocker, crossing = np.inf, -1, -1
    for r in range(len(y)):
        if (inner[r] and abs(move[r]) > _PIVOT * steepness) or r == entering:
            room = max(((1.0 if move[r] > 0.0 else -1.0) - y[r]) / move[r], 0.0)
            if room < length:
                length, blocker = room, r
    passed = -1.0
    while True:
        # The next row whose product reaches zero.
        nearest, found = length, -1
        for i in range(len(sizes)):
            if free[i] or bounds[i] == 0.0 or abs(rates[i]) <= _PIVOT * steepness * sizes[i]:
                continue
            time = -products[i] / rates[i]
            if (products[i] > 0.0) == (rates[i] < 0.0) and passed < time < nearest:
                nearest, found = time, i
        if found < 0:
            break
        passed = nearest
        slope -= bounds[found] * abs(rates[found])
        if slope <= 0.0:
            length, crossing = nearest, found
            break
    if length == np.inf:
        return False
    for r in range(len(y)):
        y[r] = min(max(y[r] + length * move[r], -1.0), 1.0)
    if leaving >= 0:
        free[leaving] = False
    if entering >= 0:
        inner[entering] = True
    if crossing >= 0:
        free[crossing] = True
    else:
        inner[blocker] = False
        y[blocker] = 1.0 if move[blocker] > 0.0 else -1.0
    return True
