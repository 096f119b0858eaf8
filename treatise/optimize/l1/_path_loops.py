"""The whole path of ``min |x|_1 subject to |S x - b| <= lambda`` by pivots of the parametric simplex method.

The state is the support T with signs, the rows R whose constraint is tight with the side ``t`` on which it is, and the
inverse P of S[R, T]. On a piece of the path x_T = P (b_R + lambda t_R) is linear in lambda and the dual v on R, with
S[R, T]' v = signs, is constant; |S[j, R] v| <= 1 elsewhere and v_r t_r <= 0. Lambda falls (:func:`next_event`) until an
entry reaches zero or a row becomes tight; there a ratio test on the dual (:func:`dual_step`) says what takes its place
(:func:`exchange`): this is one dual pivot. It costs two combinations of rows of S, and the update of P.
"""

from typing import NamedTuple

import numpy as np

from treatise._core.jit import compiled
from treatise.optimize.l1._basis_loops import (
    add_pair,
    combination,
    drop_pair,
    move,
    objectives,
    swap_column,
    swap_row,
    times,
)

FINISHED, INFEASIBLE, OUT_OF_PIVOTS, STALE, FULL = range(5)
_TIE = 1e-10
_SMALLEST_PIVOT = 1e-9
_REFACTOR = 100
_LARGEST_GAP = 1e-11
"""Of the certificate, beyond which rounding has gathered and all is made anew; not after each pivot, though, where the
matrix itself is near singular."""
_FEWEST_PIVOTS = 5


class History(NamedTuple):
    """The vertices so far: ``filled`` holds their number and that of their entries."""

    breaks: np.ndarray
    duals: np.ndarray
    starts: np.ndarray
    places: np.ndarray
    values: np.ndarray
    filled: np.ndarray

    @classmethod
    def empty(cls, vertices, entries):
        """With room for so many."""
        return cls(
            np.empty(vertices), np.empty(vertices), np.zeros(vertices + 1, np.int64), np.empty(entries, np.int32),
            np.empty(entries), np.zeros(2, np.int64),
        )  # fmt: skip

    def grown(self, k):
        """With four times the room, and more than k entries of it."""
        larger = History.empty(4 * len(self.breaks), 4 * len(self.places) + k)
        for ours, theirs in zip(self, larger):
            theirs[: len(ours)] = ours
        return larger


@compiled
def follow(S, b, lowest, max_pivots, basis, history):
    """Follow the path down to ``lowest``, writing its vertices down, and say why it ended.

    FULL and STALE are to be resumed, after the history has grown or the basis was made anew.
    """
    d = len(b)
    w, direction, h, slope = np.empty(d + 1), np.empty(d), np.empty(d + 1), np.empty(d)
    scale = 0.0
    for j in range(d):
        scale = max(scale, S[j, j])
    while basis.counts[2] < max_pivots:
        # The two objectives are the certificate; where they drift apart, rounding has gathered.
        norm, dual = objectives(b, basis)
        age = basis.counts[1]
        if age >= _REFACTOR or (age >= _FEWEST_PIVOTS and abs(norm - dual) > _LARGEST_GAP * (1.0 + norm)):
            return STALE
        if history.filled[0] + 1 >= len(history.breaks) or history.filled[1] + basis.counts[0] >= len(history.places):
            return FULL
        keep_vertex(basis, dual, history)
        if basis.lam[0] <= lowest:
            return FINISHED
        # The dual moves until something stops it.
        moved, limit = dual_direction(S, basis, w)
        combination(S, basis.R, w, moved, direction)
        longest, row_out, enters = dual_step(basis, w, moved, direction, limit, scale)
        if longest == np.inf:
            return INFEASIBLE
        move(basis.v, longest, w, basis.counts[0])
        move(basis.reduced, longest, direction, d)
        exchange(S, basis, row_out, enters, longest)
        # The next piece of the path: lambda falls, and x moves with it.
        k = basis.counts[0]
        times(basis.P, basis.t, k, h)
        combination(S, basis.T, h, k, slope)
        fall = next_event(basis, h, slope, lowest)
        move(basis.x, -fall, h, k)
        move(basis.residual, -fall, slope, d)
        if basis.event[0] >= 0:
            basis.x[basis.event[0]] = 0.0
    return OUT_OF_PIVOTS


@compiled
def keep_vertex(basis, dual, history):
    """Write the vertex down, in place of the last one if the last pivot did not move it."""
    breaks, duals, starts, places, values, filled = history
    lam, n = basis.lam[0], filled[0]
    if n > 0 and breaks[n - 1] - lam <= 1e-14 * breaks[0]:
        n -= 1
    kept = starts[n]
    breaks[n], duals[n] = lam, dual
    for c in range(basis.counts[0]):
        places[kept], values[kept] = basis.T[c], basis.x[c]
        kept += 1
    starts[n + 1] = kept
    filled[0], filled[1] = n + 1, kept


@compiled
def dual_direction(S, basis, w):
    """Along w S[R, T]' v = signs stays, except where something leaves; gives its entries, and a limit of the step."""
    k, P, side = basis.counts[0], basis.P, basis.lam[1]
    leaving, row = basis.event
    if leaving >= 0:
        for a in range(k):
            w[a] = -basis.signs[leaving] * P[leaving, a]
        return k, 2.0
    for a in range(k):
        w[a] = 0.0
    for c in range(k):
        factor = side * S[row, basis.T[c]]
        for a in range(k):
            w[a] += factor * P[c, a]
    basis.R[k], w[k] = row, -side
    return k + 1, np.inf


@compiled
def dual_step(basis, w, moved, direction, limit, scale):
    """How far the dual goes along w before something stops it.

    ``w`` has ``moved`` entries on R, of which the first k are in the basis; S v = ``reduced`` moves along
    ``direction``; ``limit`` is a length at which the entry that leaves the support changes its sign instead; ``scale``
    is the largest size in S. Gives the length, the row that leaves or -1, and the entry that comes or -1.
    """
    t, v, used, reduced = basis.t, basis.v, basis.used, basis.reduced
    longest, row_out, enters, size = limit, -1, -1, 0.0
    # A rate that is all rounding stops nothing: with a singular S there may be none other, and no solution.
    smallest = 0.0
    for a in range(moved):
        smallest += _SMALLEST_PIVOT * scale * abs(w[a])
    for a in range(basis.counts[0]):
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
def exchange(S, basis, row_out, enters, longest):
    """Put into the basis what the event brought and what stopped the dual, and take out what they replace."""
    leaving, row = basis.event
    side = basis.lam[1]
    sign = 1.0 if enters >= 0 and basis.reduced[enters] > 0 else -1.0
    if leaving >= 0:
        if row_out >= 0:
            drop_pair(basis, row_out, leaving)
        elif enters >= 0:
            swap_column(S, basis, leaving, enters, sign)
        else:
            basis.signs[leaving] = -basis.signs[leaving]
    elif row_out >= 0:
        swap_row(S, basis, row_out, row, side, -side * longest)
    else:
        add_pair(S, basis, row, enters, side, sign, -side * longest)
    basis.counts[1] += 1
    basis.counts[2] += 1


@compiled
def next_event(basis, h, slope, lowest):
    """Let lambda fall until an entry reaches zero or a row becomes tight; gives how far.

    x moves by -h for each unit, and the residual S x - b by -slope.
    """
    signs, x, tight, residual, lam = basis.signs, basis.x, basis.tight, basis.residual, basis.lam[0]
    fall, leaving, row, row_side = lam - lowest, -1, -1, 0.0
    for c in range(basis.counts[0]):
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
    basis.event[0], basis.event[1] = leaving, row
    basis.lam[0], basis.lam[1] = lam - fall if leaving >= 0 or row >= 0 else lowest, row_side
    return fall


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
