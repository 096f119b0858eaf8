"""Sequential minimal optimisation with two variables at a time and second-order choice of the pair."""

import numpy as np

from treatise._core.jit import compiled

CONVERGED, NEEDS_ROWS, PAUSED = 0, 1, 2
"""Why the loop came back: no pair violates by more than the tolerance; a row is absent; the steps are used up."""
RISES, FALLS = 1, 2
"""What a variable's weight in the machine, beta = sign * alpha, may still do."""

_SMALLEST_CURVATURE = 1e-12


@compiled
def freedom(alpha, upper, sign):
    """Whether beta may rise, fall or both."""
    above, below = alpha > 0.0, alpha < upper
    if sign > 0:
        return (RISES if below else 0) | (FALLS if above else 0)
    return (RISES if above else 0) | (FALLS if below else 0)


@compiled
def freedoms(alpha, upper, sign):
    """:func:`freedom` of many variables."""
    free = np.empty(len(alpha), np.int8)
    for t in range(len(alpha)):
        free[t] = freedom(alpha[t], upper[t], sign[t])
    return free


@compiled
def minimize_pairs(store, slot_of, used, clock, objects, diagonal, alpha, upper, sign, free, pull, tol, steps):
    """Move pairs of variables until none violates optimality by more than ``tol``.

    The arrays hold the variables in play; ``objects`` says to which row of the Gram matrix each belongs, and ``pull``
    is what its rest score exceeds its score by: raising beta_i and lowering beta_j by the same amount gains as long as
    pull_i > pull_j. The partner of the most violating i is the j with the largest gain of an unbounded step.

    Returns the status, the objects of the pair that the loop stands at, the number of steps done, the violation, and
    the two ends of the interval that holds the offset.
    """
    m = len(alpha)
    done = 0
    i = -1
    highest = -np.inf
    for t in range(m):
        if pull[t] > highest and free[t] & RISES:
            highest = pull[t]
            i = t
    while True:
        if i < 0:
            return CONVERGED, -1, -1, done, 0.0, np.inf, highest
        o_i = objects[i]
        slot = slot_of[o_i]
        if slot < 0:
            return NEEDS_ROWS, o_i, o_i, done, np.inf, np.inf, highest
        row_i = store[slot]
        used[slot] = clock + done
        d_i = diagonal[i]
        j = -1
        lowest = np.inf
        # The largest gain, difference^2 / curvature, as a fraction: comparing products needs no division.
        best_square, best_curvature = 0.0, 1.0
        for t in range(m):
            if free[t] & FALLS:
                value = pull[t]
                if value < lowest:
                    lowest = value
                difference = highest - value
                if difference > 0.0:
                    curvature = max(d_i + diagonal[t] - 2.0 * row_i[objects[t]], _SMALLEST_CURVATURE)
                    square = difference * difference
                    if square * best_curvature > best_square * curvature:
                        best_square, best_curvature = square, curvature
                        j = t
        if j < 0 or highest - lowest <= tol:
            return CONVERGED, -1, -1, done, highest - lowest, lowest, highest
        if done >= steps:
            return PAUSED, -1, -1, done, highest - lowest, lowest, highest
        o_j = objects[j]
        slot = slot_of[o_j]
        if slot < 0:
            return NEEDS_ROWS, o_i, o_j, done, np.inf, lowest, highest
        row_j = store[slot]
        used[slot] = clock + done
        step = (highest - pull[j]) / best_curvature
        room_i = upper[i] - alpha[i] if sign[i] > 0 else alpha[i]
        room_j = alpha[j] if sign[j] > 0 else upper[j] - alpha[j]
        step = min(step, room_i, room_j)
        alpha[i] += sign[i] * step
        alpha[j] -= sign[j] * step
        # A bound is hit exactly: what remains of rounding would keep a variable in play for ever.
        if step == room_i:
            alpha[i] = upper[i] if sign[i] > 0 else 0.0
        if step == room_j:
            alpha[j] = 0.0 if sign[j] > 0 else upper[j]
        free[i] = freedom(alpha[i], upper[i], sign[i])
        free[j] = freedom(alpha[j], upper[j], sign[j])
        i = -1
        highest = -np.inf
        for t in range(m):
            o = objects[t]
            value = pull[t] - step * (row_i[o] - row_j[o])
            pull[t] = value
            if value > highest and free[t] & RISES:
                highest = value
                i = t
        done += 1
