"""The whole path of ``min |x|_1 subject to |S x - b| <= lambda`` by pivots of the parametric simplex method.

S is symmetric, so that its columns are read as rows. The state is the support T with signs, the rows R whose
constraint is tight with the side ``t`` on which it is, and the inverse P of S[R, T]. On a piece of the path x_T = P
(b_R + lambda t_R) is linear in lambda and the dual v on R, with S[R, T]' v = signs, is constant; |S[R, j]' v| <= 1
elsewhere and v_r t_r <= 0. Where an entry reaches zero or a row becomes tight, a ratio test on the dual says what
takes its place: this is one dual pivot.
"""

import numpy as np

from treatise._core.jit import kernel

FINISHED, INFEASIBLE, OUT_OF_PIVOTS = 0, 1, 2
_TIE = 1e-10
_SMALLEST_PIVOT = 1e-9
_REFACTOR = 50


@kernel
def invert(S, R, T, k, P):
    """P becomes the inverse of S[R, T]."""
    M = np.empty((k, k))
    for a in range(k):
        for c in range(k):
            M[a, c] = S[R[a], T[c]]
    P[:k, :k] = np.linalg.inv(M)


@kernel
def add_pair(S, R, T, k, P, row, column):
    """P for one more row and column."""
    left, right = np.empty(k), np.zeros(k)
    for c in range(k):
        total, factor = 0.0, S[row, T[c]]
        for a in range(k):
            total += P[c, a] * S[column, R[a]]
            right[a] += factor * P[c, a]
        left[c] = total
    rest = S[row, column]
    for c in range(k):
        rest -= S[row, T[c]] * left[c]
    for c in range(k):
        factor = left[c] / rest
        for a in range(k):
            P[c, a] += factor * right[a]
        P[c, k] = -left[c] / rest
    for a in range(k):
        P[k, a] = -right[a] / rest
    P[k, k] = 1.0 / rest
    R[k], T[k] = row, column


@kernel
def drop_pair(R, T, signs, t, k, P, a, c):
    """P without row a of R and entry c of T; the last ones take their places."""
    pivot = P[c, a]
    for x in range(k):
        if x == c:
            continue
        factor = P[x, a] / pivot
        for z in range(k):
            if z != a:
                P[x, z] -= factor * P[c, z]
    last = k - 1
    for z in range(k):
        P[c, z] = P[last, z]
    for x in range(last):
        P[x, a] = P[x, last]
    T[c], signs[c] = T[last], signs[last]
    R[a], t[a] = R[last], t[last]


@kernel
def swap_row(S, R, T, k, P, a, row):
    """P after row a of R is replaced."""
    change = np.zeros(k)
    for c in range(k):
        factor = S[row, T[c]] - S[R[a], T[c]]
        for z in range(k):
            change[z] += factor * P[c, z]
    scale = 1.0 + change[a]
    for c in range(k):
        factor = P[c, a] / scale
        for z in range(k):
            P[c, z] -= factor * change[z]
    R[a] = row


@kernel
def swap_column(S, R, T, k, P, c, column):
    """P after entry c of T is replaced."""
    change = np.empty(k)
    for x in range(k):
        total = 0.0
        for a in range(k):
            total += P[x, a] * (S[column, R[a]] - S[T[c], R[a]])
        change[x] = total
    scale = 1.0 + change[c]
    old = P[c, :k] / scale
    for x in range(k):
        for z in range(k):
            P[x, z] -= change[x] * old[z]
    T[c] = column


@kernel
def grown(array):
    """A copy with room for twice as much."""
    larger = np.empty(2 * len(array), dtype=array.dtype)
    larger[: len(array)] = array
    return larger


@kernel
def l1_path(S, b, lowest, max_pivots):
    """The path from the lambda at which x = 0 down to ``lowest``.

    Gives the breakpoints from large to small, where the entries of each begin, their places and values, the dual
    objective at each breakpoint, and how it ended.
    """
    m = d = size = len(S)
    R, T = np.empty(size + 1, dtype=np.int64), np.empty(size + 1, dtype=np.int64)
    t, signs = np.empty(size + 1), np.empty(size + 1)
    P = np.zeros((size + 1, size + 1))
    v = np.zeros(size + 1)
    tight, used = np.zeros(m, dtype=np.bool_), np.zeros(d, dtype=np.bool_)
    k = 0
    breaks, starts = np.empty(64), np.zeros(65, dtype=np.int64)
    duals = np.empty(64)
    places, values = np.empty(256, dtype=np.int32), np.empty(256)
    n_breaks, n_kept = 0, 0
    first = 0
    for r in range(m):
        if abs(b[r]) > abs(b[first]):
            first = r
    lam = abs(b[first])
    if lam <= lowest:
        breaks[0], duals[0] = lam, 0.0
        return breaks[:1], starts[:2], places[:0], values[:0], duals[:1], FINISHED
    # The first event: the largest row of b becomes tight.
    row, row_side = first, -1.0 if b[first] > 0 else 1.0
    leaving = -1
    residual, slope = -b, np.zeros(m)
    reduced, direction = np.zeros(d), np.empty(d)
    g, h, w = np.zeros(size + 1), np.zeros(size + 1), np.zeros(size + 1)
    x = np.zeros(size + 1)
    status = OUT_OF_PIVOTS
    since = 0
    for _ in range(max_pivots):
        # Keep the vertex at this lambda, unless the last pivot did not move it.
        if n_breaks > 0 and breaks[n_breaks - 1] - lam <= 1e-14 * breaks[0]:
            n_breaks -= 1
            n_kept = starts[n_breaks]
        if n_breaks + 1 >= len(breaks):
            breaks, duals, starts = grown(breaks), grown(duals), grown(starts)
        breaks[n_breaks] = lam
        dual = 0.0
        for a in range(k):
            dual += v[a] * b[R[a]] - lam * abs(v[a])
        duals[n_breaks] = dual
        while n_kept + k >= len(places):
            places, values = grown(places), grown(values)
        for c in range(k):
            places[n_kept], values[n_kept] = T[c], x[c]
            n_kept += 1
        n_breaks += 1
        starts[n_breaks] = n_kept
        if lam <= lowest:
            status = FINISHED
            break
        # Ratio test on the dual: along w, v keeps S[R, T]' v = signs except where something leaves.
        longest = np.inf
        enters, row_out, flips = -1, -1, False
        if leaving >= 0:
            for a in range(k):
                w[a] = -signs[leaving] * P[leaving, a]
            longest, flips = 2.0, True
        else:
            for a in range(k):
                w[a] = 0.0
            for c in range(k):
                factor = row_side * S[row, T[c]]
                for a in range(k):
                    w[a] += factor * P[c, a]
        for j in range(d):
            direction[j] = 0.0
        for a in range(k):
            wa, line = w[a], S[R[a]]
            for j in range(d):
                direction[j] += wa * line[j]
        if leaving < 0:
            for j in range(d):
                direction[j] -= row_side * S[row, j]
        best_size = 0.0
        for a in range(k):
            # t v rises to zero
            rate = t[a] * w[a]
            if rate > _SMALLEST_PIVOT:
                step = max(-t[a] * v[a] / rate, 0.0)
                if step < longest - _TIE or (step <= longest + _TIE and rate > best_size and not flips):
                    longest, row_out, enters, flips, best_size = min(step, longest), a, -1, False, rate
        for j in range(d):
            if used[j]:
                continue
            rate = abs(direction[j])
            if rate > _SMALLEST_PIVOT:
                side = 1.0 if direction[j] > 0 else -1.0
                step = max((1.0 - side * reduced[j]) / rate, 0.0)
                if step < longest - _TIE or (step <= longest + _TIE and rate > best_size and not flips):
                    longest, row_out, enters, flips, best_size = min(step, longest), -1, j, False, rate
        if longest == np.inf:
            status = INFEASIBLE
            break
        for a in range(k):
            v[a] += longest * w[a]
        for j in range(d):
            reduced[j] += longest * direction[j]
        if leaving >= 0:
            c = leaving
            if flips:
                signs[c] = -signs[c]
            elif row_out >= 0:
                used[T[c]], tight[R[row_out]] = False, False
                drop_pair(R, T, signs, t, k, P, row_out, c)
                v[row_out] = v[k - 1]
                k -= 1
            else:
                used[T[c]], used[enters] = False, True
                swap_column(S, R, T, k, P, c, enters)
                signs[c] = 1.0 if reduced[enters] > 0 else -1.0
        else:
            tight[row] = True
            if row_out >= 0:
                tight[R[row_out]] = False
                swap_row(S, R, T, k, P, row_out, row)
                t[row_out], v[row_out] = row_side, -row_side * longest
            else:
                used[enters] = True
                add_pair(S, R, T, k, P, row, enters)
                signs[k] = 1.0 if reduced[enters] > 0 else -1.0
                t[k], v[k] = row_side, -row_side * longest
                k += 1
        since += 1
        if since == _REFACTOR and k > 0:
            invert(S, R, T, k, P)
            for a in range(k):
                total = 0.0
                for c in range(k):
                    total += P[c, a] * signs[c]
                v[a] = total
            for j in range(d):
                total = 0.0
                for a in range(k):
                    total += v[a] * S[R[a], j]
                reduced[j] = total
            since = 0
        # The next piece: x_T = g + lambda h; with it moves the residual S x - b.
        for c in range(k):
            g[c], h[c] = 0.0, 0.0
            for a in range(k):
                g[c] += P[c, a] * b[R[a]]
                h[c] += P[c, a] * t[a]
        for r in range(m):
            slope[r] = 0.0
        for c in range(k):
            hc, line = h[c], S[T[c]]
            for r in range(m):
                slope[r] += hc * line[r]
        if since == 0:
            for r in range(m):
                residual[r] = -b[r]
            for c in range(k):
                xc, line = g[c] + lam * h[c], S[T[c]]
                for r in range(m):
                    residual[r] += xc * line[r]
        fall = lam - lowest
        leaving, row = -1, -1
        for c in range(k):
            # signs x falls to zero as lambda falls
            rate = signs[c] * h[c]
            if rate > 1e-12:
                at = max(signs[c] * (g[c] + lam * h[c]) / rate, 0.0)
                if at < fall:
                    fall, leaving, row = at, c, -1
        for r in range(m):
            if tight[r]:
                continue
            for side in (1.0, -1.0):
                # side * residual meets lambda from below as lambda falls
                rate = 1.0 - side * slope[r]
                if rate > 1e-12:
                    at = max((lam - side * residual[r]) / rate, 0.0)
                    if at < fall:
                        fall, leaving, row, row_side = at, -1, r, side
        lam = lam - fall if leaving >= 0 or row >= 0 else lowest
        for r in range(m):
            residual[r] -= fall * slope[r]
        for c in range(k):
            x[c] = g[c] + lam * h[c]
        if leaving >= 0:
            x[leaving] = 0.0
    return breaks[:n_breaks], starts[: n_breaks + 1], places[:n_kept], values[:n_kept], duals[:n_breaks], status


@kernel
def path_at(breaks, starts, places, values, lam, x):
    """The point of a path at lambda, into x: linear between breakpoints, the last vertex beyond the end."""
    for j in range(len(x)):
        x[j] = 0.0
    n = len(breaks)
    if n == 0 or lam >= breaks[0]:
        return
    low, high = 0, n - 1
    while low < high:
        middle = (low + high) // 2
        if breaks[middle] <= lam:
            high = middle
        else:
            low = middle + 1
    after = low
    before = max(after - 1, 0)
    width = breaks[before] - breaks[after]
    share = 1.0 if width <= 0.0 or lam <= breaks[after] else (breaks[before] - lam) / width
    for e in range(starts[before], starts[before + 1]):
        x[places[e]] += (1.0 - share) * values[e]
    for e in range(starts[after], starts[after + 1]):
        x[places[e]] += share * values[e]
