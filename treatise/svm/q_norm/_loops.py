"""Pair updates for the dual of the q-norm soft margin machine, q > 1."""

from typing import NamedTuple

import numpy as np

from treatise._core.jit import compiled, compiled_step

CONVERGED, NEEDS_ROWS, PAUSED = 0, 1, 2
"""Why the loop came back: no pair violates by more than the tolerance; a row is absent; the steps are used up."""

_SMALLEST_CURVATURE = 1e-12
_MOST_HALVINGS = 200


@compiled_step
def slack(alpha, cost, q):
    """xi with alpha = q cost xi^(q-1): the slack that belongs to a multiplier."""
    return (alpha / (q * cost)) ** (1.0 / (q - 1.0)) if alpha > 0.0 else 0.0


@compiled_step
def slack_slope(alpha, cost, q):
    """Derivative of :func:`slack`; where it is infinite, at zero for q > 2, it is left out of Newton's steps."""
    if q == 2.0:
        return 1.0 / (2.0 * cost)
    return slack(alpha, cost, q) / ((q - 1.0) * alpha) if alpha > 0.0 else 0.0


@compiled_step
def pair_step(difference, curvature, room, alpha_i, sign_i, cost_i, alpha_j, sign_j, cost_j, q):
    """Step t at which raising beta_i and lowering beta_j by t gains no more: the root of a rising function.

    Newton's method inside a bracket: without the slacks the root would be difference / curvature, and with them it is
    nearer. Returns ``room`` where the root lies beyond.
    """
    xi_i, xi_j = slack(alpha_i, cost_i, q), slack(alpha_j, cost_j, q)
    low, high = 0.0, min(difference / curvature, room)
    t = difference / (curvature + slack_slope(alpha_i, cost_i, q) + slack_slope(alpha_j, cost_j, q))
    t = min(t, high)
    for _ in range(_MOST_HALVINGS):
        new_i, new_j = max(alpha_i + sign_i * t, 0.0), max(alpha_j - sign_j * t, 0.0)
        value = curvature * t - difference
        value += sign_i * (slack(new_i, cost_i, q) - xi_i) - sign_j * (slack(new_j, cost_j, q) - xi_j)
        width = high - low
        if value > 0.0:
            high = t
        else:
            low = t
            if t >= room:
                return room
        if high - low <= 1e-14 * high or abs(value) <= 1e-14 * difference:
            break
        t -= value / (curvature + slack_slope(new_i, cost_i, q) + slack_slope(new_j, cost_j, q))
        # Where q is near 1 the slack is a wall, on which Newton's steps are tiny: then the bracket is halved.
        if not low < t < high or high - low > 0.5 * width:
            t = 0.5 * (low + high)
            if t in (low, high):
                break
    return t


class Multipliers(NamedTuple):
    """The dual problem where it stands: of each row the multiplier, its class as -1 or 1, and its cost.

    ``pull`` is y_i - (K beta)_i - y_i xi_i, which equals the offset for every multiplier above zero at the optimum.
    ``bend`` is the curvature in one beta: K_ii of ``diagonal`` plus the slope of the slack. ``rises`` and ``falls`` say
    which way beta may go: a multiplier of zero may only grow, so its beta rises for the second class and falls for the
    first.
    """

    alpha: np.ndarray
    sign: np.ndarray
    cost: np.ndarray
    diagonal: np.ndarray
    pull: np.ndarray
    bend: np.ndarray
    rises: np.ndarray
    falls: np.ndarray


@compiled
def move_pairs(store, slot_of, used, clock, rows, q, tol, steps):
    """Move pairs of multipliers until none violates optimality by more than ``tol``.

    Raising beta_i and lowering beta_j gains as long as pull_i > pull_j; i is the most violating one and j the partner
    with the largest gain by the second-order rule. Returns the status, the pair that the loop stands at, the number of
    steps done, and both ends of the offset.
    """
    done = 0
    i, highest = _most_violating(rows)
    while True:
        if i < 0:
            return CONVERGED, -1, -1, done, np.inf, highest
        if slot_of[i] < 0:
            return NEEDS_ROWS, i, i, done, np.inf, highest
        used[slot_of[i]] = clock + done
        row_i = store[slot_of[i]]
        j, lowest = _best_partner(rows, row_i, rows.bend[i], highest)
        if j < 0 or highest - lowest <= tol:
            return CONVERGED, -1, -1, done, lowest, highest
        if done >= steps:
            return PAUSED, -1, -1, done, lowest, highest
        if slot_of[j] < 0:
            return NEEDS_ROWS, i, j, done, lowest, highest
        used[slot_of[j]] = clock + done
        step = _move_pair(rows, i, j, row_i[j], highest - rows.pull[j], q)
        i, highest = _shift_pulls(rows, step, row_i, store[slot_of[j]])
        done += 1


@compiled_step
def _most_violating(rows):
    """Settle which betas may rise and fall; the row of highest pull among those that may rise, and its pull."""
    alpha, sign, pull = rows.alpha, rows.sign, rows.pull
    i, highest = -1, -np.inf
    for t in range(len(alpha)):
        rows.rises[t] = sign[t] > 0 or alpha[t] > 0.0
        rows.falls[t] = sign[t] < 0 or alpha[t] > 0.0
        if pull[t] > highest and rows.rises[t]:
            i, highest = t, pull[t]
    return i, highest


@compiled_step
def _best_partner(rows, row_i, bend_i, highest):
    """The row that gains most by falling while row i rises, and the lowest pull of those that may fall."""
    j, lowest = -1, np.inf
    # The largest gain, difference^2 / curvature, as a fraction: comparing products needs no division.
    best_square, best_curvature = 0.0, 1.0
    for t in range(len(row_i)):
        if rows.falls[t]:
            value = rows.pull[t]
            if value < lowest:
                lowest = value
            difference = highest - value
            if difference > 0.0:
                curvature = max(bend_i + rows.bend[t] - 2.0 * row_i[t], _SMALLEST_CURVATURE)
                square = difference * difference
                if square * best_curvature > best_square * curvature:
                    best_square, best_curvature = square, curvature
                    j = t
    return j, lowest


@compiled_step
def _move_pair(rows, i, j, between, difference, q):
    """Raise beta_i and lower beta_j by the step that gains most, and give it; ``between`` is K_ij."""
    alpha, sign, cost = rows.alpha, rows.sign, rows.cost
    curvature = max(rows.diagonal[i] + rows.diagonal[j] - 2.0 * between, _SMALLEST_CURVATURE)
    room = np.inf
    if sign[i] < 0:
        room = alpha[i]
    if sign[j] > 0:
        room = min(room, alpha[j])
    step = pair_step(difference, curvature, room, alpha[i], sign[i], cost[i], alpha[j], sign[j], cost[j], q)
    before_i, before_j = slack(alpha[i], cost[i], q), slack(alpha[j], cost[j], q)
    # A bound is hit exactly, so that nothing of rounding keeps a multiplier above zero.
    alpha[i] = 0.0 if sign[i] < 0 and step >= alpha[i] else alpha[i] + sign[i] * step
    alpha[j] = 0.0 if sign[j] > 0 and step >= alpha[j] else alpha[j] - sign[j] * step
    rows.pull[i] -= sign[i] * (slack(alpha[i], cost[i], q) - before_i)
    rows.pull[j] -= sign[j] * (slack(alpha[j], cost[j], q) - before_j)
    for t in (i, j):
        rows.bend[t] = rows.diagonal[t] + slack_slope(alpha[t], cost[t], q)
        rows.rises[t] = sign[t] > 0 or alpha[t] > 0.0
        rows.falls[t] = sign[t] < 0 or alpha[t] > 0.0
    return step


@compiled_step
def _shift_pulls(rows, step, row_i, row_j):
    """Take the step into all pulls; the row of highest pull among those that may rise, and its pull."""
    i, highest = -1, -np.inf
    for t in range(len(row_i)):
        value = rows.pull[t] - step * (row_i[t] - row_j[t])
        rows.pull[t] = value
        if value > highest and rows.rises[t]:
            i, highest = t, value
    return i, highest
