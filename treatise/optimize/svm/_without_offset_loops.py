"""Ascent in one or two coordinates of the dual of machines without offset (Steinwart, Hush & Scovel, JMLR 12:141).

The variables are beta_i = y_i alpha_i, each between 0 and ``cost[i]`` = y_i C_i, so that rows of the Gram matrix need
no signs. ``pull[i]`` = y_i - f(x_i) is y_i times the gradient of the paper.
"""

import numpy as np

from treatise._core.jit import compiled
from treatise.optimize.svm._working_set_loops import choose, is_inner, remember

CONVERGED, NEEDS_ROWS, PAUSED = 0, 1, 2
"""Why the loop came back: the gap is closed or nothing can move; a row is absent; the steps are used up."""
_BLOCK = 1024
"""Variables that the passes of one step treat at a time: all that belongs to them stays in a fast cache."""


@compiled
def add_rows(pull, step_i, row_i, step_j, row_j):
    """What two steps do to the pulls."""
    for t in range(len(pull)):
        pull[t] -= step_i * row_i[t] + step_j * row_j[t]


@compiled
def appraise(pull, beta, cost, diagonal, inverse, cap, gain, short):
    """Gain of moving each variable alone (Lemma 1), and what each adds to the duality gap, equations (7) and (9).

    The slack of a row counts up to ``cap``. All terms of the gap are sums of numbers that are not negative when the
    slack is not cut off; adding them up afresh in every step leaves nothing to drift.
    """
    for t in range(len(pull)):
        slope, at, end = pull[t], beta[t], cost[t]
        low = end if end < 0.0 else 0.0
        high = end if end > 0.0 else 0.0
        new = at + slope * inverse[t]
        new = low if new < low else new
        new = high if new > high else new
        step = new - at
        gain[t] = step * (slope - 0.5 * diagonal[t] * step)
        slack = end * slope
        slack = 0.0 if slack < 0.0 else slack
        most = cap * (high - low)
        slack = most if slack > most else slack
        short[t] = slack - at * slope


@compiled
def larger(x, y):
    """The larger of two numbers, as one instruction."""
    return x if x > y else y


@compiled
def largest_and_total(gain, short):
    """Largest gain and sum of the gap's terms, in four strands that the processor runs side by side."""
    a = b = c = d = 0.0
    p = q = r = s = 0.0
    whole = len(gain) // 8
    for u in range(whole):
        t = 8 * u
        a = larger(a, larger(gain[t], gain[t + 4]))
        b = larger(b, larger(gain[t + 1], gain[t + 5]))
        c = larger(c, larger(gain[t + 2], gain[t + 6]))
        d = larger(d, larger(gain[t + 3], gain[t + 7]))
        p += short[t] + short[t + 4]
        q += short[t + 1] + short[t + 5]
        r += short[t + 2] + short[t + 6]
        s += short[t + 3] + short[t + 7]
    for t in range(8 * whole, len(gain)):
        a = larger(a, gain[t])
        p += short[t]
    return larger(larger(a, b), larger(c, d)), (p + q) + (r + s)


@compiled
def survey(pull, beta, cost, diagonal, inverse, cap, moved, step_i, row_i, step_j, row_j, gain, short):
    """Carry out what a step does to the pulls (if ``moved``), then find the best variable and the gap.

    Returns that variable, or -1 where none can gain; its gain; the gap.
    """
    best, found, gap = 0.0, -1, 0.0
    n = len(pull)
    for start in range(0, n, _BLOCK):
        end = min(start + _BLOCK, n)
        if moved:
            add_rows(pull[start:end], step_i, row_i[start:end], step_j, row_j[start:end])
        some, shorts = gain[: end - start], short[: end - start]
        appraise(
            pull[start:end],
            beta[start:end],
            cost[start:end],
            diagonal[start:end],
            inverse[start:end],
            cap,
            some,
            shorts,
        )
        largest, total = largest_and_total(some, shorts)
        gap += total
        if largest > best:
            best = largest
            for t in range(end - start):
                if some[t] == largest:
                    found = start + t
                    break
    return found, best, gap


@compiled
def sum_rows(store, slots, weights, total):
    """Add ``sum_k weights[k] store[slots[k]]`` to ``total``, four rows at a time."""
    whole = len(slots) // 4
    for u in range(whole):
        k = 4 * u
        a, b, c, d = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
        first, second, third, fourth = store[slots[k]], store[slots[k + 1]], store[slots[k + 2]], store[slots[k + 3]]
        for t in range(len(total)):
            total[t] += (a * first[t] + b * second[t]) + (c * third[t] + d * fourth[t])
    for k in range(4 * whole, len(slots)):
        a, first = weights[k], store[slots[k]]
        for t in range(len(total)):
            total[t] += a * first[t]


@compiled
def ascend(
    store, slot_of, used, clock, pull, beta, cost, diagonal, inverse, cap, enough, rule, neighbours, state, random,
    steps,
):  # fmt: skip
    """Move one or two variables at a time until the gap is at most ``enough`` (Algorithms 1 and 2).

    ``rule`` is the sum of the codes of Section 3.2, or -1 for one variable at a time. Returns the status, the two
    objects whose rows are needed next, the number of steps done, and the gap.
    """
    half = len(pull) // 2
    gain, short = np.empty(_BLOCK), np.empty(_BLOCK)
    found = np.empty(neighbours.shape[1] + 8, np.int64)
    done, moved = 0, False
    step_i = step_j = 0.0
    row_i = row_j = store[0]
    while True:
        # Rule 2 wants the best variable of either half; the better of the two is the best of all.
        best, gain_best, gap = survey(
            pull[:half], beta[:half], cost[:half], diagonal[:half], inverse[:half], cap,
            moved, step_i, row_i[:half], step_j, row_j[:half], gain, short,
        )  # fmt: skip
        other, gain_other, rest = survey(
            pull[half:], beta[half:], cost[half:], diagonal[half:], inverse[half:], cap,
            moved, step_i, row_i[half:], step_j, row_j[half:], gain, short,
        )  # fmt: skip
        gap += rest
        moved = False
        other = other + half if other >= 0 else -1
        if gain_other > gain_best:
            best, other, gain_best = other, best, gain_other
        if gap <= enough or best < 0:
            return CONVERGED, -1, -1, done, gap
        if done >= steps:
            return PAUSED, -1, -1, done, gap
        if slot_of[best] < 0:
            return NEEDS_ROWS, best, best, done, gap
        seed = random[0]
        i, j, new_i, new_j = choose(
            rule, best, other, gain_best, store, slot_of, pull, beta, cost, diagonal, inverse, neighbours, state,
            random, found,
        )  # fmt: skip
        if j >= 0 and slot_of[j] < 0:
            # The same numbers must be drawn when the loop comes back with the row.
            random[0] = seed
            return NEEDS_ROWS, i, j, done, gap
        row_i, row_j = store[slot_of[i]], store[slot_of[j if j >= 0 else i]]
        used[slot_of[i]] = clock + done
        step_i, step_j = new_i - beta[i], 0.0
        inner_pair = False
        if j >= 0:
            used[slot_of[j]] = clock + done
            inner_pair = is_inner(i, beta, cost) and is_inner(j, beta, cost)
            step_j = new_j - beta[j]
            beta[j] = new_j
        beta[i] = new_i
        remember(best, inner_pair, state)
        moved = True
        done += 1
