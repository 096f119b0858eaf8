"""Events along the regularisation path of a support vector machine.

Everything is kept in forms that are linear in lambda: the multipliers, ``alpha_0 = lambda * beta_0``, and the margins
``m_i = y_i lambda f(x_i) - lambda``, zero at the elbow, negative to its left, positive to its right.
"""

import numpy as np

from treatise._core.jit import compiled

LEFT, RIGHT, ELBOW = 0, 1, 2
"""Where a point lies: within the margin or beyond it, outside the margin, on it."""
FINISHED, BUFFER_FULL, STALLED = 0, 1, 2
"""Why the walk came back: at its end; no room for more records; no ridge makes the elbow's points independent."""

_REFRESH = 50
"""Events between two computations of margins and inverse from scratch."""
_DEPENDENT = 3e-12
"""Curvature, as a share of a point's own, below which it hangs on the other points of the elbow."""
_SMALLEST_RIDGE, _LARGEST_RIDGE = 1e-11, 1e-5
"""As shares of the mean kernel of a point with itself."""
_SOLVED = 1e-9
"""Residual of Eq. 35 above which a direction is refined: points that nearly hang on one another leave up to 1e-4."""


@compiled
def follow(K, y, alpha, g, place, scalars, intercept, last, records, points, values, marks):
    """Walk down from ``scalars[0]`` (lambda) to ``last``, writing one record for each elbow point at each breakpoint.

    ``g`` is ``K (y alpha)`` and ``scalars`` holds lambda, alpha_0, the number of breakpoints so far and the ridge: a
    number added to the diagonal of K, zero until points of the elbow hang on one another so closely that rounding
    decides between them. ``records`` holds how many records there are, ``points`` and ``values`` their points and
    multipliers. ``marks[k]`` receives lambda, alpha_0, the end of the records of breakpoint k, the size of the elbow
    and the number of points left of it.
    """
    n = len(y)
    size = 1 if intercept else 0
    elbow = np.empty(n, np.int64)
    m = 0
    for i in range(n):
        if place[i] == ELBOW:
            elbow[m] = i
            m += 1
    inverse = np.empty((0, 0))
    stale = True
    rates = np.empty(n)
    b, off = np.empty(n + 1), np.empty(n + 1)
    events = 0
    standing = 0
    scale = np.abs(g).max() + 1e-300
    while True:
        lam, ridge = scalars[0], scalars[3]
        if scalars[2] >= len(marks) or records[0] + n > len(points):
            return BUFFER_FULL
        if m == 0 and intercept:
            i, j = _next_pair(y, g, place, scalars, last)
            for entering in (i, j):
                if entering >= 0:
                    elbow[m] = entering
                    place[entering] = ELBOW
                    m += 1
            stale = True
            _record(scalars, records, points, values, marks, alpha, elbow, m, place)
            if i < 0:
                return FINISHED
            continue
        if standing > 5 * m + 50:
            ridge = _more_ridge(scalars, K)
            standing, stale = 0, True
        if stale or events % _REFRESH == 0:
            while True:
                inverse, sound = _inverse(K, y, elbow, m, intercept, ridge)
                if sound:
                    break
                ridge = _more_ridge(scalars, K)
                if ridge > _LARGEST_RIDGE * _mean_diagonal(K):
                    return STALLED
            _recompute(K, y, alpha, g, ridge)
            _correct(K, y, alpha, g, scalars, elbow, m, inverse, intercept)
            stale = False
        alpha_0 = scalars[1]
        tolerance = 1e-9 * lam + 1e-13 * scale
        # The direction: keep the elbow at the elbow, and let points at a corner (margin zero, multiplier 0 or 1) stay
        # or leave as the signs allow. Simultaneous events are a sequence of such corrections without a step.
        for _ in range(4 * n + 100):
            for a in range(size + m):
                total = 0.0
                for c in range(m):
                    total += inverse[a, size + c]
                b[a] = total
            shift = b[0] if intercept else 0.0
            _rates(K, y, elbow, m, b, size, shift, ridge, rates)
            if _refine(y, elbow, m, inverse, size, rates, b, off):
                shift = b[0] if intercept else 0.0
                _rates(K, y, elbow, m, b, size, shift, ridge, rates)
            worst, which, leaves = 1e-9, -1, False
            for c in range(m):
                slope = b[size + c] / (1.0 + abs(b[size + c]))
                if alpha[elbow[c]] >= 1.0:
                    slope = -slope
                elif alpha[elbow[c]] > 0.0:
                    continue
                if slope > worst:
                    worst, which, leaves = slope, c, True
            if which < 0:
                worst = 1e-7
                for i in range(n):
                    if place[i] != ELBOW and abs(y[i] * (g[i] + alpha_0) - lam) <= tolerance:
                        wrong = rates[i] if place[i] == LEFT else -rates[i]
                        if wrong > worst:
                            worst, which = wrong, i
            if which < 0:
                break
            if leaves:
                i = elbow[which]
                place[i] = RIGHT if alpha[i] <= 0.0 else LEFT
                inverse, sound = _drop(y, inverse, elbow, m, which, intercept)
                m -= 1
            else:
                place[which] = ELBOW
                elbow[m] = which
                inverse, sound = _add(K, y, inverse, elbow, m, intercept, ridge)
                m += 1
            if not sound or (m == 0 and intercept):
                break
        if m == 0 and intercept:
            continue
        if not sound:
            standing += 1
            stale = True
            continue
        step, who, at = lam - last, -1, -1
        for c in range(m):
            slope = b[size + c]
            i = elbow[c]
            room = alpha[i] / slope if slope > 0 else (1.0 - alpha[i]) / -slope if slope < 0 else np.inf
            if room < step:
                step, who, at = max(room, 0.0), i, c
        for i in range(n):
            rate = rates[i]
            if (place[i] == LEFT and rate > 0.0) or (place[i] == RIGHT and rate < 0.0):
                room = max((lam - y[i] * (g[i] + alpha_0)) / rate, 0.0)
                if room < step:
                    step, who, at = room, i, -1
        for i in range(n):
            # rates_i = 1 - y_i h_i, and lambda f moves by -step * h.
            g[i] -= step * (y[i] * (1.0 - rates[i]) - shift)
        for c in range(m):
            alpha[elbow[c]] -= step * b[size + c]
        scalars[0] = lam - step if who >= 0 else last
        scalars[1] = alpha_0 - step * shift
        standing = standing + 1 if step <= 1e-14 * lam else 0
        if at >= 0:
            alpha[who] = 0.0 if b[size + at] > 0 else 1.0
        _record(scalars, records, points, values, marks, alpha, elbow, m, place)
        if who < 0:
            return FINISHED
        if at >= 0:
            place[who] = RIGHT if alpha[who] == 0.0 else LEFT
            inverse, sound = _drop(y, inverse, elbow, m, at, intercept)
            m -= 1
        else:
            place[who] = ELBOW
            elbow[m] = who
            inverse, sound = _add(K, y, inverse, elbow, m, intercept, ridge)
            m += 1
        stale = not sound
        events += 1


@compiled
def _mean_diagonal(K):
    total = 0.0
    for i in range(len(K)):
        total += K[i, i]
    return total / len(K)


@compiled
def _more_ridge(scalars, K):
    scalars[3] = max(10.0 * scalars[3], _SMALLEST_RIDGE * _mean_diagonal(K))
    return scalars[3]


@compiled
def _record(scalars, records, points, values, marks, alpha, elbow, m, place):
    k = int(scalars[2])
    left = 0
    for i in range(len(place)):
        if place[i] == LEFT:
            left += 1
    at = records[0]
    for c in range(m):
        points[at] = elbow[c]
        values[at] = min(max(alpha[elbow[c]], 0.0), 1.0)
        at += 1
    records[0] = at
    marks[k, 0], marks[k, 1], marks[k, 2], marks[k, 3], marks[k, 4] = scalars[0], scalars[1], at, m, left
    scalars[2] = k + 1


@compiled
def _next_pair(y, g, place, scalars, last):
    """With nothing at the elbow only the offset moves, until a point of each class arrives there (Eq. 19-20).

    Where that does not happen above ``last``, the offset keeps its distance from the nearer of the two points.
    """
    top, bottom, i, j = -np.inf, np.inf, -1, -1
    for t in range(len(y)):
        if place[t] == LEFT:
            if y[t] > 0 and g[t] > top:
                top, i = g[t], t
            if y[t] < 0 and g[t] < bottom:
                bottom, j = g[t], t
    if i >= 0 and j >= 0 and (top - bottom) / 2.0 > last:
        scalars[0], scalars[1] = min(scalars[0], (top - bottom) / 2.0), -(top + bottom) / 2.0
        return i, j
    scalars[0] = last
    if i >= 0 and j >= 0:
        scalars[1] = -(top + bottom) / 2.0
    return -1, -1


@compiled
def _rates(K, y, elbow, m, b, size, shift, ridge, rates):
    """``1 - y_i h_i``: how fast margins grow as lambda falls (Eq. 40)."""
    n = len(y)
    rates[:] = shift
    for c in range(m):
        weight = y[elbow[c]] * b[size + c]
        row = K[elbow[c]]
        for i in range(n):
            rates[i] += weight * row[i]
        rates[elbow[c]] += weight * ridge
    for i in range(n):
        rates[i] = 1.0 - y[i] * rates[i]


@compiled
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


@compiled
def _recompute(K, y, alpha, g, ridge):
    g[:] = 0.0
    for j in range(len(y)):
        if alpha[j] > 0.0:
            weight = y[j] * alpha[j]
            row = K[j]
            for i in range(len(y)):
                g[i] += weight * row[i]
            g[j] += weight * ridge


@compiled
def _correct(K, y, alpha, g, scalars, elbow, m, inverse, intercept):
    """Take out what rounding has moved the elbow points off their margin, and the classes out of balance."""
    size = 1 if intercept else 0
    lam, ridge = scalars[0], scalars[3]
    off = np.zeros(size + m)
    if intercept:
        for i in range(len(y)):
            off[0] -= y[i] * alpha[i]
    for c in range(m):
        i = elbow[c]
        off[size + c] = lam - y[i] * (g[i] + scalars[1])
    change = np.zeros(size + m)
    for a in range(size + m):
        for c in range(size + m):
            change[a] += inverse[a, c] * off[c]
    for c in range(m):
        if not 0.0 <= alpha[elbow[c]] + change[size + c] <= 1.0:
            return
    if intercept:
        scalars[1] += change[0]
    for c in range(m):
        i = elbow[c]
        alpha[i] += change[size + c]
        weight = y[i] * change[size + c]
        row = K[i]
        for t in range(len(y)):
            g[t] += weight * row[t]
        g[i] += weight * ridge


@compiled
def _inverse(K, y, elbow, m, intercept, ridge):
    """Inverse of the bordered matrix of Eq. 35, or of the bare one without an offset (Eq. 46), point by point."""
    inverse, sound = np.empty((0, 0)), True
    for c in range(m):
        inverse, joined = _add(K, y, inverse, elbow, c, intercept, ridge)
        sound = sound and joined
        if not sound:
            break
    return inverse, sound


@compiled
def _add(K, y, inverse, elbow, m, intercept, ridge):
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
def _drop(y, inverse, elbow, m, which, intercept):
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
