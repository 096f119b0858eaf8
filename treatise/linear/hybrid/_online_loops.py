"""The online pass over sparse rows (Algorithm 1), with the penalties of the objective."""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_step, inlined
from treatise._core.lanes import sum_in_lanes
from treatise._core.prefetch import prefetch_row
from treatise.optimize.losses._loops import invariant_step, loss_at
from treatise.optimize.losses.logistic import LOGISTIC, logistic_update

WEIGHT, SQUARES, SCALE = range(3)
"""Columns of an online learner's table: side by side, so that a feature costs one access to memory."""


@compiled_step
def _longest(indptr):
    """Features of the row with most."""
    most = 0
    for row in range(len(indptr) - 1):
        most = max(most, indptr[row + 1] - indptr[row])
    return most


@compiled_step
def _all_one(values, first, past):
    """Whether all values are 1, as those of words are: then none need be read again."""
    others = 0
    for at in range(np.uint64(first), np.uint64(past)):
        others += values[at] != 1.0
    return others == 0


@inlined
def _fetch(table, indices, first, past):
    """Ask for a row's weights ahead of time."""
    for at in range(np.uint64(first), np.uint64(past)):
        prefetch_row(table, np.int64(indices[at]))


@compiled_step
def _widen(table, j, size, adaptive):
    """Raise a feature's scale to a larger value than was seen before."""
    # The weight was learned at the old scale: the prediction must not jump.
    shrink = np.divide(table[j, SCALE], size)
    table[j, WEIGHT] *= shrink if adaptive else shrink * shrink
    table[j, SCALE] = size


@inlined
def _gather(table, indices, first, past, weight, squares, scale):
    """A row's weights, squared gradients and scales, side by side."""
    for k in range(past - first):
        j = np.uint64(indices[np.uint64(first + k)])
        weight[k], squares[k], scale[k] = table[j, WEIGHT], table[j, SQUARES], table[j, SCALE]


@inlined
def _gather_for_ones(table, indices, first, past, adaptive, normalized, weight, squares):
    """A row's weights and squared gradients where all values are 1, to which smaller scales are raised.

    Returns whether all scales are 1: then they change nothing, and need not be gathered.
    """
    one, all_one = table.dtype.type(1.0), True
    for k in range(past - first):
        j = np.uint64(indices[np.uint64(first + k)])
        if normalized and table[j, SCALE] != one:
            if table[j, SCALE] < one:
                _widen(table, j, one, adaptive)
            else:
                all_one = False
        weight[k], squares[k] = table[j, WEIGHT], table[j, SQUARES]
    return all_one


@compiled_step
def _scaled_norm(table, indices, values, first, past, adaptive):
    """A row's squared norm in units of the scales, which are raised to larger values; and whether any was."""
    norm, widened = 0.0, False
    for k in range(past - first):
        at = np.uint64(first + k)
        j, size = np.uint64(indices[at]), abs(values[at])
        if size > table[j, SCALE]:
            _widen(table, j, size, adaptive)
            widened = True
        held = table[j, SCALE]
        norm += 1.0 if size == held else np.divide(size, held) ** 2 if size > 0.0 else 0.0
    return norm, widened


@compiled
def set_rates(squares, scale, size, adaptive, normalized, rate):
    """The diagonal of A: how fast each weight moves. A feature without a scale was never seen, and does not.

    ``np.divide`` and not ``/``, which would look for a zero each time and could not run on several at once.
    """
    one = rate.dtype.type(1.0)
    for k in range(size):
        if adaptive and normalized:
            rate[k] = np.divide(one, np.sqrt(squares[k]) * scale[k])
        elif adaptive:
            rate[k] = np.divide(one, np.sqrt(squares[k]))
        elif normalized:
            rate[k] = np.divide(one, scale[k] * scale[k])
        else:
            rate[k] = one
    if normalized:
        for k in range(size):
            if scale[k] == 0.0:
                rate[k] = 0.0


@compiled
def pull(weight, rate, pace, l2, l1, size, speed):
    """Replace unpenalised weights u by the minimisers of (w - u)^2 / (2 r) + l2 w^2 / 2 + l1 |w|, r = pace * rate.

    ``speed`` is that at which the penalised weights move; one that L1 holds at zero counts as if it moved.
    """
    one, nothing = rate.dtype.type(1.0), rate.dtype.type(0.0)
    threshold, shrinkage = rate.dtype.type(pace * l1), rate.dtype.type(pace * l2)
    for k in range(size):
        share = np.divide(one, one + shrinkage * rate[k])
        rest = max(abs(weight[k]) - threshold * rate[k], nothing) * share
        weight[k] = rest if weight[k] > nothing else -rest
        speed[k] = rate[k] * share


@compiled_step
def _sums(weight, rate, values, first, past):
    """The prediction w'x and the speed x'Ax at which a step moves it; in four parts, which need not wait in turn."""
    p0, p1, p2, p3 = 0.0, 0.0, 0.0, 0.0
    q0, q1, q2, q3 = 0.0, 0.0, 0.0, 0.0
    at, k = np.uint64(first), 0
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    while k + 4 <= past - first:
        x0, x1, x2, x3 = values[at], values[at + one], values[at + two], values[at + three]
        p0 += x0 * weight[k]
        p1 += x1 * weight[k + 1]
        p2 += x2 * weight[k + 2]
        p3 += x3 * weight[k + 3]
        q0 += x0 * x0 * rate[k]
        q1 += x1 * x1 * rate[k + 1]
        q2 += x2 * x2 * rate[k + 2]
        q3 += x3 * x3 * rate[k + 3]
        at, k = at + np.uint64(4), k + 4
    while k < past - first:
        p0 += values[at] * weight[k]
        q0 += values[at] * values[at] * rate[k]
        at, k = at + one, k + 1
    return (p0 + p1) + (p2 + p3), (q0 + q1) + (q2 + q3)


@compiled_step
def _move(table, indices, values, first, past, rate, length, growth):
    """Algorithm 1: w <- w - s A x, then G <- G + g^2, in this order."""
    for k in range(past - first):
        at = np.uint64(first + k)
        j, x = np.uint64(indices[at]), values[at]
        table[j, WEIGHT] -= length * rate[k] * x
        table[j, SQUARES] += growth * x * x


@inlined
def _move_by_ones(table, indices, first, past, rate, length, growth):
    """The same where all values are 1."""
    for k in range(past - first):
        j = np.uint64(indices[np.uint64(first + k)])
        table[j, WEIGHT] -= length * rate[k]
        table[j, SQUARES] += growth


@compiled
def online_pass(
    indptr, indices, values, labels, importances, table, totals, number, parameter, learning_rate, constant, adaptive,
    normalized, invariant, l2, l1,
):  # fmt: skip
    """Learn from one example after another; returns the loss of each prediction made before its update, summed.

    The normalised form divides by the scale of each feature (Ross, Mineiro and Langford, 2013), with the running count
    of examples and of their squared norms in ``totals``. The table holds unpenalised weights: the penalties act where
    a weight is read, on what all gradients so far add up to.
    """
    total, last, most = 0.0, len(table) - 1, _longest(indptr)
    weight, squares, scale = np.empty(most, table.dtype), np.empty(most, table.dtype), np.empty(most, table.dtype)
    rate, speed = np.empty(most, table.dtype), np.empty(most, table.dtype)
    plain, end = _all_one(values, indptr[0], indptr[-1]), len(labels)
    for row in range(end):
        first, past = indptr[row], indptr[row + 1]
        h, y = np.float64(importances[row]), np.float64(labels[row])
        pace, unscaled = learning_rate, plain
        if plain:
            unscaled = _gather_for_ones(table, indices, first, past, adaptive, normalized, weight, squares)
        else:
            _gather(table, indices, first, past, weight, squares, scale)
        if normalized:
            norm = float(past - first)
            if not unscaled:
                norm, widened = _scaled_norm(table, indices, values, first, past, adaptive)
                if plain or widened:
                    _gather(table, indices, first, past, weight, squares, scale)
            if constant > table[last, SCALE]:
                _widen(table, last, constant, adaptive)
            totals[0] += h
            totals[1] += h * (norm + constant)
            if totals[1] > 0.0:
                share = totals[0] / totals[1]
                pace *= math.sqrt(share) if adaptive else share
        set_rates(squares, scale, past - first, adaptive, normalized and not unscaled, rate)
        if l2 > 0.0 or l1 > 0.0:
            pull(weight, rate, pace, l2, l1, past - first, speed)
            p, q = _sums(weight, speed, values, first, past)
        elif plain:
            p, q = sum_in_lanes(weight, past - first), sum_in_lanes(rate, past - first)
        else:
            p, q = _sums(weight, rate, values, first, past)
        # The constant is 0 or 1, and so is its scale.
        own = 1.0 / math.sqrt(table[last, SQUARES]) if adaptive else 1.0
        p += constant * table[last, WEIGHT]
        q += constant * own
        if number == LOGISTIC:
            loss, slope, step = logistic_update(y, p, pace * h, q, invariant)
        else:
            loss, slope = loss_at(number, parameter, y, p)
            step = invariant_step(number, parameter, y, p, pace * h, q) if invariant else pace * h * slope
        total += h * loss
        # Here, where the processor waits for the step, it has time to ask for the next row.
        if row + 1 < end:
            _fetch(table, indices, past, indptr[row + 2])
        if slope == 0.0 or h == 0.0:
            continue
        squared_slope = h * slope * slope
        length, growth = table.dtype.type(step), table.dtype.type(squared_slope)
        if plain:
            _move_by_ones(table, indices, first, past, rate, length, growth)
        else:
            _move(table, indices, values, first, past, rate, length, growth)
        table[last, WEIGHT] -= step * own * constant
        table[last, SQUARES] += squared_slope * constant
    return total
