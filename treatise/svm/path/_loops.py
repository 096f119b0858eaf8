"""Events along the regularisation path of a support vector machine (Hastie et al., JMLR 5:1391, Section 4).

Everything is kept in forms that are linear in lambda: the multipliers, ``alpha_0 = lambda * beta_0``, and the margins
``m_i = y_i lambda f(x_i) - lambda``, zero at the elbow, negative to its left, positive to its right.
"""

from typing import NamedTuple

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.svm.path._elbow_loops import add_point, drop_point, invert, solve_direction

LEFT, RIGHT, ELBOW = 0, 1, 2
"""Where a point lies: within the margin or beyond it, outside the margin, on it."""
FINISHED, BUFFER_FULL, STALLED = 0, 1, 2
"""Why the walk came back: at its end; no room for more records; no ridge makes the elbow's points independent."""
LAMBDA, ALPHA_0, RIDGE = 0, 1, 2
"""Places of the numbers of a walk."""
BREAKPOINTS, ENTRIES = 0, 1
"""Places of the counts of its records."""

_REFRESH = 50
"""Events between two computations of margins and inverse from scratch."""
_MOST_AT_ONCE = 4
"""Breakpoints that are written down without a look at the room left: those of an empty elbow."""
_SMALLEST_RIDGE, _LARGEST_RIDGE = 1e-11, 1e-5
"""As shares of the mean kernel of a point with itself."""


class Walk(NamedTuple):
    """Where a walk stands, and room for its steps; every array changes in place.

    ``K``, ``y``: the Gram matrix, and the classes as -1 and 1. ``intercept``: whether there is an offset.
    ``alpha``, ``g``, ``place``: of each point the multiplier, ``K (y alpha)``, and LEFT, RIGHT or ELBOW.
    ``numbers``: lambda, alpha_0 and the ridge, a number added to the diagonal of K: zero until points of the elbow hang
    on one another so closely that rounding decides between them.
    ``elbow``, ``b``, ``rates``, ``off``: points of the elbow, the direction of Eq. 37, how fast margins grow along it,
    and what is left of its equations.
    """

    K: np.ndarray
    y: np.ndarray
    intercept: bool
    alpha: np.ndarray
    g: np.ndarray
    place: np.ndarray
    numbers: np.ndarray
    elbow: np.ndarray
    b: np.ndarray
    rates: np.ndarray
    off: np.ndarray


class Records(NamedTuple):
    """What a walk writes down: at each breakpoint the multipliers of the elbow's points.

    ``counts``: breakpoints and entries so far. ``points``, ``values``: the entries. ``marks[k]``: of breakpoint k
    lambda, alpha_0, the end of its entries, the size of the elbow and the number of points left of it.
    """

    counts: np.ndarray
    points: np.ndarray
    values: np.ndarray
    marks: np.ndarray


@compiled
def follow(walk, last, records):
    """Walk down from the lambda of ``walk`` to ``last``: Section 4.1, event by event."""
    m = _gather_elbow(walk)
    inverse, stale = np.empty((0, 0)), True
    events, standing = 0, 0
    scale = np.abs(walk.g).max() + 1e-300
    while True:
        if records.counts[BREAKPOINTS] + _MOST_AT_ONCE > len(records.marks) or records.counts[ENTRIES] + len(
            walk.y
        ) > len(records.points):
            return BUFFER_FULL
        if m <= 1 and walk.intercept and _all_settled(walk, m):
            m, stale = _cross_empty_elbow(walk, last, records), True
            _record(walk, m, records)
            if m == 0:
                return FINISHED
            standing += 1
            continue
        if standing > 5 * m + 50:
            _more_ridge(walk)
            standing, stale = 0, True
        if stale or events % _REFRESH == 0:
            inverse, sound = _begin_afresh(walk, m)
            if not sound:
                return STALLED
        lam = walk.numbers[LAMBDA]
        inverse, m, sound = _settle_elbow(walk, inverse, m, 1e-9 * lam + 1e-13 * scale)
        stale = not sound
        if m <= 1 and walk.intercept and _all_settled(walk, m):
            continue
        if not sound:
            standing += 1
            continue
        step, who, at = _next_event(walk, m, lam - last)
        _move(walk, m, step, who, at, last)
        standing = standing + 1 if step <= 1e-14 * lam else 0
        _record(walk, m, records)
        if who < 0:
            return FINISHED
        if at >= 0:
            inverse, sound = _leave(walk, inverse, m, at)
            m -= 1
        else:
            inverse, sound = _enter(walk, inverse, m, who)
            m += 1
        stale = not sound
        events += 1


@compiled_step
def _is_full(records, n):
    breakpoints, entries = records.counts[BREAKPOINTS], records.counts[ENTRIES]
    return breakpoints + _MOST_AT_ONCE > len(records.marks) or entries + n > len(records.points)


@compiled_step
def _gather_elbow(walk):
    m = 0
    for i in range(len(walk.y)):
        if walk.place[i] == ELBOW:
            walk.elbow[m] = i
            m += 1
    return m


@compiled_step
def _all_settled(walk, m):
    """Whether nothing is left at the elbow that could move: where several points leave at once, the last one too.

    The classes balance, so that a multiplier that stands alone between many at 0 and 1 is itself at 0 or 1, and would
    only hold the offset at one end of its interval.
    """
    if m == 1:
        i = walk.elbow[0]
        nearest = np.round(walk.alpha[i])
        if abs(walk.alpha[i] - nearest) > 1e-6:
            return False
        walk.alpha[i] = nearest
        walk.place[i] = LEFT if nearest > 0.0 else RIGHT
    return True


@compiled_step
def _cross_empty_elbow(walk, last, records):
    """With nothing at the elbow only the offset moves, until a point of each class arrives there (Eq. 19-20).

    On the way alpha_0 may be anything between two edges, each the tighter of a line that falls with lambda and one that
    rises; it takes the middle. Returns the size of the elbow: two, or none where nothing arrives above ``last``.
    """
    up, down = _outermost(walk, LEFT)
    right_up, right_down = _outermost(walk, RIGHT)
    g = walk.g
    # alpha_0 is at least low_left - lambda and low_right + lambda, at most high_left + lambda and high_right - lambda.
    high_left, low_left = (-g[up], -g[down]) if up >= 0 and down >= 0 else (np.inf, -np.inf)
    low_right = -g[right_up] if right_up >= 0 else -np.inf
    high_right = -g[right_down] if right_down >= 0 else np.inf
    end = max(min((low_left - high_left) / 2.0, walk.numbers[LAMBDA]), last)
    bends = (low_left - low_right) / 2.0, (high_right - high_left) / 2.0
    for lam in (walk.numbers[LAMBDA], max(bends), min(bends), end):
        if end <= lam <= walk.numbers[LAMBDA]:
            walk.numbers[LAMBDA] = lam
            walk.numbers[ALPHA_0] = (
                max(low_left - lam, low_right + lam) + min(high_left + lam, high_right - lam)
            ) / 2.0
            if lam > end:
                _record(walk, 0, records)
    if end == last:
        return 0
    walk.elbow[0], walk.elbow[1] = up, down
    walk.place[up] = walk.place[down] = ELBOW
    return 2


@compiled_step
def _outermost(walk, side):
    """Of the points on one side of the elbow, those of either class that the offset meets first; -1 where none is."""
    y, g, place = walk.y, walk.g, walk.place
    up, down = -1, -1
    # Within the margin the highest score of the upper class and the lowest of the other, outside the other way round.
    turn = 1.0 if side == LEFT else -1.0
    for t in range(len(y)):
        if place[t] == side:
            if y[t] > 0 and (up < 0 or turn * g[t] > turn * g[up]):
                up = t
            if y[t] < 0 and (down < 0 or turn * g[t] < turn * g[down]):
                down = t
    return up, down


@compiled_step
def _begin_afresh(walk, m):
    """Inverse, margins and multipliers without the rounding of earlier steps; not sound where no ridge helps."""
    while True:
        inverse, sound = invert(walk.K, walk.y, walk.elbow, m, walk.intercept, walk.numbers[RIDGE])
        if sound:
            break
        _more_ridge(walk)
        if walk.numbers[RIDGE] > _LARGEST_RIDGE * _mean_diagonal(walk.K):
            return inverse, False
    _recompute(walk)
    _correct(walk, m, inverse)
    return inverse, True


@compiled_step
def _settle_elbow(walk, inverse, m, tolerance):
    """The direction that keeps the elbow at the elbow and lets points at a corner stay or leave as the signs allow.

    A corner is a margin of zero with a multiplier of 0 or 1. Simultaneous events are a sequence of such corrections
    without a step. Returns the inverse, the size of the elbow, and whether the inverse is sound.
    """
    sound = True
    for _ in range(4 * len(walk.y) + 100):
        solve_direction(
            walk.K, walk.y, walk.elbow, m, inverse, walk.intercept, walk.numbers[RIDGE], walk.b, walk.rates, walk.off
        )
        which = _wrong_in_elbow(walk, m)
        if which >= 0:
            inverse, sound = _leave(walk, inverse, m, which)
            m -= 1
        else:
            who = _wrong_beside_elbow(walk, tolerance)
            if who < 0:
                break
            inverse, sound = _enter(walk, inverse, m, who)
            m += 1
        if not sound or (m <= 1 and walk.intercept):
            break
    return inverse, m, sound


@compiled_step
def _wrong_in_elbow(walk, m):
    """Position in the elbow of the point whose multiplier, at 0 or 1, moves most out of its bounds; -1 for none."""
    alpha, elbow, b = walk.alpha, walk.elbow, walk.b
    size = 1 if walk.intercept else 0
    worst, which = 1e-9, -1
    for c in range(m):
        slope = b[size + c] / (1.0 + abs(b[size + c]))
        if alpha[elbow[c]] >= 1.0:
            slope = -slope
        elif alpha[elbow[c]] > 0.0:
            continue
        if slope > worst:
            worst, which = slope, c
    return which


@compiled_step
def _wrong_beside_elbow(walk, tolerance):
    """The point of margin zero whose margin moves most to the other side of the elbow; -1 for none."""
    y, g, place, rates = walk.y, walk.g, walk.place, walk.rates
    lam, alpha_0 = walk.numbers[LAMBDA], walk.numbers[ALPHA_0]
    worst, who = 1e-7, -1
    for i in range(len(y)):
        if place[i] != ELBOW and abs(y[i] * (g[i] + alpha_0) - lam) <= tolerance:
            wrong = rates[i] if place[i] == LEFT else -rates[i]
            if wrong > worst:
                worst, who = wrong, i
    return who


@compiled_step
def _next_event(walk, m, step):
    """What happens first within ``step`` (Section 4.1): how far away it is, the point, and its position in the elbow.

    Event 1: a multiplier of the elbow reaches 0 or 1, by Eq. 38. Event 2, with the position -1: a point reaches the
    elbow, by Eq. 41. The point is -1 where nothing happens.
    """
    y, g, place, rates = walk.y, walk.g, walk.place, walk.rates
    alpha, elbow, b = walk.alpha, walk.elbow, walk.b
    size = 1 if walk.intercept else 0
    lam, alpha_0 = walk.numbers[LAMBDA], walk.numbers[ALPHA_0]
    who, at = -1, -1
    for c in range(m):
        slope = b[size + c]
        i = elbow[c]
        room = alpha[i] / slope if slope > 0 else (1.0 - alpha[i]) / -slope if slope < 0 else np.inf
        if room < step:
            step, who, at = max(room, 0.0), i, c
    for i in range(len(y)):
        rate = rates[i]
        if (place[i] == LEFT and rate > 0.0) or (place[i] == RIGHT and rate < 0.0):
            room = max((lam - y[i] * (g[i] + alpha_0)) / rate, 0.0)
            if room < step:
                step, who, at = room, i, -1
    return step, who, at


@compiled_step
def _move(walk, m, step, who, at, last):
    """Go down by ``step`` along the direction (Eq. 38 and 39); a multiplier that reached its bound is put there."""
    y, g, rates = walk.y, walk.g, walk.rates
    alpha, elbow, b = walk.alpha, walk.elbow, walk.b
    size = 1 if walk.intercept else 0
    shift = b[0] if walk.intercept else 0.0
    for i in range(len(y)):
        # rates_i = 1 - y_i h_i, and lambda f moves by -step * h.
        g[i] -= step * (y[i] * (1.0 - rates[i]) - shift)
    for c in range(m):
        alpha[elbow[c]] -= step * b[size + c]
    walk.numbers[LAMBDA] = walk.numbers[LAMBDA] - step if who >= 0 else last
    walk.numbers[ALPHA_0] -= step * shift
    if at >= 0:
        alpha[who] = 0.0 if b[size + at] > 0 else 1.0


@compiled_step
def _leave(walk, inverse, m, at):
    """The point at position ``at`` of the elbow goes to the side that its multiplier tells."""
    i = walk.elbow[at]
    walk.place[i] = RIGHT if walk.alpha[i] <= 0.0 else LEFT
    return drop_point(inverse, walk.elbow, m, at, walk.intercept)


@compiled_step
def _enter(walk, inverse, m, who):
    """A point comes to the elbow."""
    walk.place[who] = ELBOW
    walk.elbow[m] = who
    return add_point(walk.K, walk.y, inverse, walk.elbow, m, walk.intercept, walk.numbers[RIDGE])


@compiled_step
def _record(walk, m, records):
    alpha, place, elbow, points, values = walk.alpha, walk.place, walk.elbow, records.points, records.values
    k = records.counts[BREAKPOINTS]
    left = 0
    for i in range(len(place)):
        if place[i] == LEFT:
            left += 1
    end = records.counts[ENTRIES]
    for c in range(m):
        points[end] = elbow[c]
        values[end] = min(max(alpha[elbow[c]], 0.0), 1.0)
        end += 1
    records.counts[ENTRIES] = end
    mark = records.marks[k]
    mark[0], mark[1], mark[2], mark[3], mark[4] = walk.numbers[LAMBDA], walk.numbers[ALPHA_0], end, m, left
    records.counts[BREAKPOINTS] = k + 1


@compiled_step
def _mean_diagonal(K):
    total = 0.0
    for i in range(len(K)):
        total += K[i, i]
    return total / len(K)


@compiled_step
def _more_ridge(walk):
    walk.numbers[RIDGE] = max(10.0 * walk.numbers[RIDGE], _SMALLEST_RIDGE * _mean_diagonal(walk.K))


@compiled_step
def _recompute(walk):
    K, y, alpha, g = walk.K, walk.y, walk.alpha, walk.g
    g[:] = 0.0
    for j in range(len(y)):
        if alpha[j] > 0.0:
            weight = y[j] * alpha[j]
            row = K[j]
            for i in range(len(y)):
                g[i] += weight * row[i]
            g[j] += weight * walk.numbers[RIDGE]


@compiled_step
def _correct(walk, m, inverse):
    """Take out what rounding has moved the elbow points off their margin, and the classes out of balance."""
    K, y, alpha, g, elbow = walk.K, walk.y, walk.alpha, walk.g, walk.elbow
    size = 1 if walk.intercept else 0
    off = np.zeros(size + m)
    if walk.intercept:
        for i in range(len(y)):
            off[0] -= y[i] * alpha[i]
    for c in range(m):
        i = elbow[c]
        off[size + c] = walk.numbers[LAMBDA] - y[i] * (g[i] + walk.numbers[ALPHA_0])
    change = np.zeros(size + m)
    for a in range(size + m):
        for c in range(size + m):
            change[a] += inverse[a, c] * off[c]
    for c in range(m):
        if not 0.0 <= alpha[elbow[c]] + change[size + c] <= 1.0:
            return
    if walk.intercept:
        walk.numbers[ALPHA_0] += change[0]
    for c in range(m):
        i = elbow[c]
        alpha[i] += change[size + c]
        weight = y[i] * change[size + c]
        row = K[i]
        for t in range(len(y)):
            g[t] += weight * row[t]
        g[i] += weight * walk.numbers[RIDGE]
