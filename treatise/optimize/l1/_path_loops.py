"""The whole path of ``min |x|_1 subject to |S x - b| <= lambda`` by pivots of the parametric simplex method.

S is symmetric, so that its columns are read as rows. The state is the support T with signs, the rows R whose
constraint is tight with the side ``t`` on which it is, and the inverse P of S[R, T]. On a piece of the path x_T = P
(b_R + lambda t_R) is linear in lambda and the dual v on R, with S[R, T]' v = signs, is constant; |S[j, R] v| <= 1
elsewhere and v_r t_r <= 0. Where an entry reaches zero or a row becomes tight, a ratio test on the dual says what
takes its place: this is one dual pivot. It costs two combinations of rows of S, and the update of P.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_sums

FINISHED, INFEASIBLE, OUT_OF_PIVOTS = 0, 1, 2
_TIE = 1e-10
_SMALLEST_PIVOT = 1e-9
_REFACTOR = 100
_LARGEST_GAP = 1e-11
"""Of the certificate, beyond which rounding has gathered and all is made anew; not after each pivot, though, where the
matrix itself is near singular."""
_FEWEST_PIVOTS = 5


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
def row_sum(P, c, x, k):
    """The sum of P[c] x over the first k."""
    total = 0.0
    for a in range(k):
        total += P[c, a] * x[a]
    return total


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
def add_pair(S, R, T, k, P, row, column):
    """P for one more row and column."""
    left, right = np.empty(k), np.zeros(k)
    for c in range(k):
        factor = S[row, T[c]]
        for a in range(k):
            right[a] += factor * P[c, a]
    beside = np.empty(k)
    for a in range(k):
        beside[a] = S[column, R[a]]
    for c in range(k):
        left[c] = row_sum(P, c, beside, k)
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


@compiled
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


@compiled
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


@compiled
def swap_column(S, R, T, k, P, c, column):
    """P after entry c of T is replaced."""
    difference, change, old = np.empty(k), np.empty(k), np.empty(k)
    for a in range(k):
        difference[a] = S[column, R[a]] - S[T[c], R[a]]
    for x in range(k):
        change[x] = row_sum(P, x, difference, k)
    scale = 1.0 + change[c]
    for z in range(k):
        old[z] = P[c, z] / scale
    for x in range(k):
        for z in range(k):
            P[x, z] -= change[x] * old[z]
    T[c] = column


@compiled
def objectives(b, R, signs, x, v, k, lam):
    """The l1 norm of x, and what the dual v says it must be."""
    norm, dual = 0.0, 0.0
    for a in range(k):
        norm += signs[a] * x[a]
        dual += v[a] * b[R[a]] - lam * abs(v[a])
    return norm, dual


@compiled
def refresh(S, b, R, T, t, signs, k, P, x, v, w, reduced, residual, lam):
    """Make the inverse, the solutions and the products with S anew from what is in the basis."""
    invert(S, R, T, k, P)
    for a in range(k):
        w[a] = b[R[a]] + lam * t[a]
        v[a] = 0.0
    for c in range(k):
        x[c] = row_sum(P, c, w, k)
        for a in range(k):
            v[a] += P[c, a] * signs[c]
    combination(S, R, v, k, reduced)
    combination(S, T, x, k, residual)
    for r in range(len(b)):
        residual[r] -= b[r]


@compiled
def grown(array):
    """A copy with room for twice as much."""
    larger = np.empty(2 * len(array), dtype=array.dtype)
    for place in range(len(array)):
        larger[place] = array[place]
    return larger


@compiled
def dual_step(t, v, w, k, moved, used, reduced, direction, limit, scale):
    """How far the dual goes along w before something stops it.

    ``w`` has ``moved`` entries on R, of which the first k are in the basis; S v = ``reduced`` moves along
    ``direction``; ``limit`` is a length at which the entry that leaves the support changes its sign instead; ``scale``
    is the largest size in S. Gives the length, the row that leaves or -1, and the entry that comes or -1.
    """
    longest, row_out, enters, size = limit, -1, -1, 0.0
    # A rate that is all rounding stops nothing: with a singular S there may be none other, and no solution.
    smallest = 0.0
    for a in range(moved):
        smallest += _SMALLEST_PIVOT * scale * abs(w[a])
    for a in range(k):
        # t v rises to zero
        rate = t[a] * w[a]
        if rate > _SMALLEST_PIVOT:
            step = max(-t[a] * v[a] / rate, 0.0)
            if step < longest - _TIE or (step <= longest + _TIE and rate > size and longest < limit):
                longest, row_out, size = min(step, longest), a, rate
    for j in range(len(reduced)):
        rate = abs(direction[j])
        if rate > smallest and not used[j]:
            side = 1.0 if direction[j] > 0 else -1.0
            step = max((1.0 - side * reduced[j]) / rate, 0.0)
            if step < longest - _TIE or (step <= longest + _TIE and rate > size and longest < limit):
                longest, row_out, enters, size = min(step, longest), -1, j, rate
    return longest, row_out, enters


@compiled
def next_event(signs, x, h, k, tight, residual, slope, lam, lowest):
    """How far lambda falls until an entry reaches zero or a row becomes tight, and which.

    x moves by -h for each unit, and the residual S x - b by -slope. Gives the fall, the entry of T or -1, the row or
    -1, and its side.
    """
    fall, leaving, row, row_side = lam - lowest, -1, -1, 0.0
    for c in range(k):
        rate = signs[c] * h[c]
        if rate > 1e-12:
            at = max(signs[c] * x[c] / rate, 0.0)
            if at < fall:
                fall, leaving = at, c
    for r in range(len(residual)):
        if tight[r]:
            continue
        for side in (1.0, -1.0):
            # side * residual meets lambda from below as lambda falls
            rate = 1.0 - side * slope[r]
            if rate > 1e-12:
                at = max((lam - side * residual[r]) / rate, 0.0)
                if at < fall:
                    fall, leaving, row, row_side = at, -1, r, side
    return fall, leaving, row, row_side


@compiled
def l1_path(S, b, lowest, max_pivots):
    """The path from the lambda at which x = 0 down to ``lowest``.

    Gives the breakpoints from large to small, where the entries of each begin, their places and values, the dual
    objective at each breakpoint, and how it ended.
    """
    d = len(S)
    R, T = np.empty(d + 1, dtype=np.int64), np.empty(d + 1, dtype=np.int64)
    t, signs = np.empty(d + 1), np.empty(d + 1)
    P = np.zeros((d + 1, d + 1))
    v, w, x, h = np.zeros(d + 1), np.zeros(d + 1), np.zeros(d + 1), np.zeros(d + 1)
    tight, used = np.zeros(d, dtype=np.bool_), np.zeros(d, dtype=np.bool_)
    scale = 0.0
    for j in range(d):
        scale = max(scale, S[j, j])
    reduced, direction = np.zeros(d), np.empty(d)
    residual, slope = -b, np.empty(d)
    k = 0
    breaks, starts = np.empty(64), np.zeros(65, dtype=np.int64)
    duals = np.empty(64)
    places, values = np.empty(256, dtype=np.int32), np.empty(256)
    n_breaks, n_kept = 0, 0
    first = 0
    for r in range(d):
        if abs(b[r]) > abs(b[first]):
            first = r
    lam = abs(b[first])
    if lam <= lowest:
        breaks[0], duals[0] = lam, 0.0
        return breaks[:1], starts[:2], places[:0], values[:0], duals[:1], FINISHED
    # The first event: the largest row of b becomes tight.
    row, row_side, leaving = first, -1.0 if b[first] > 0 else 1.0, -1
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
        norm, dual = objectives(b, R, signs, x, v, k, lam)
        if since >= _REFACTOR or (since >= _FEWEST_PIVOTS and abs(norm - dual) > _LARGEST_GAP * (1.0 + norm)):
            refresh(S, b, R, T, t, signs, k, P, x, v, w, reduced, residual, lam)
            since = 0
            dual = objectives(b, R, signs, x, v, k, lam)[1]
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
        # The dual moves along w, on which S[R, T]' v = signs stays except where something leaves.
        if leaving >= 0:
            for a in range(k):
                w[a] = -signs[leaving] * P[leaving, a]
            moved, limit = k, 2.0
        else:
            for a in range(k):
                w[a] = 0.0
            for c in range(k):
                factor = row_side * S[row, T[c]]
                for a in range(k):
                    w[a] += factor * P[c, a]
            R[k], w[k] = row, -row_side
            moved, limit = k + 1, np.inf
        combination(S, R, w, moved, direction)
        longest, row_out, enters = dual_step(t, v, w, k, moved, used, reduced, direction, limit, scale)
        if longest == np.inf:
            status = INFEASIBLE
            break
        for a in range(k):
            v[a] += longest * w[a]
        for j in range(d):
            reduced[j] += longest * direction[j]
        sign = 1.0 if enters >= 0 and reduced[enters] > 0 else -1.0
        if leaving >= 0:
            if row_out < 0 and enters < 0:
                signs[leaving] = -signs[leaving]
            else:
                used[T[leaving]] = False
                if row_out >= 0:
                    tight[R[row_out]] = False
                    drop_pair(R, T, signs, t, k, P, row_out, leaving)
                    k -= 1
                    v[row_out], x[leaving] = v[k], x[k]
                else:
                    used[enters] = True
                    swap_column(S, R, T, k, P, leaving, enters)
                    signs[leaving] = sign
        else:
            tight[row] = True
            if row_out >= 0:
                tight[R[row_out]] = False
                swap_row(S, R, T, k, P, row_out, row)
                t[row_out], v[row_out] = row_side, -row_side * longest
            else:
                used[enters] = True
                add_pair(S, R, T, k, P, row, enters)
                signs[k], x[k] = sign, 0.0
                t[k], v[k] = row_side, -row_side * longest
                k += 1
        since += 1
        # The next piece of the path.
        for c in range(k):
            h[c] = row_sum(P, c, t, k)
        combination(S, T, h, k, slope)
        fall, leaving, row, row_side = next_event(signs, x, h, k, tight, residual, slope, lam, lowest)
        lam = lam - fall if leaving >= 0 or row >= 0 else lowest
        for c in range(k):
            x[c] -= fall * h[c]
        for r in range(d):
            residual[r] -= fall * slope[r]
        if leaving >= 0:
            x[leaving] = 0.0
    return breaks[:n_breaks], starts[: n_breaks + 1], places[:n_kept], values[:n_kept], duals[:n_breaks], status


@compiled
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
