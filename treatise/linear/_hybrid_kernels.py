"""Passes over sparse rows: the online pass, and the sums that batch optimisation needs.

Weights are vectors of the number of features and one more, the intercept's, which stands last; where there is no
intercept its value is zero and stays so.
"""

import math

import numpy as np

from treatise._core.jit import kernel
from treatise.optimize._loss_kernels import invariant_step, loss_curvature, loss_slope, loss_value

WEIGHT, SQUARES, SCALE, RATE = range(4)
"""Columns of an online learner's table: side by side, so that a feature costs one access to memory."""


@kernel
def own_rate(squares, scale, adaptive, normalized):
    """The diagonal entry of A: how fast a feature's weight moves."""
    if not adaptive and not normalized:
        return 1.0
    if not adaptive:
        return 1.0 / (scale * scale) if scale > 0.0 else 0.0
    rate = 1.0 / math.sqrt(squares)
    if normalized:
        return rate / scale if scale > 0.0 else 0.0
    return rate


@kernel
def _rescale(table, j, value, adaptive):
    """Widen a feature's scale to a larger value than was seen before; returns its squared share of the scale."""
    size, scale = abs(np.float64(value)), np.float64(table[j, SCALE])
    if size == 0.0:
        return 0.0
    if size > scale:
        # The weight was learned at the old scale: the prediction must not jump.
        shrink = scale / size
        table[j, WEIGHT] *= shrink if adaptive else shrink * shrink
        table[j, SCALE] = size
        table[j, RATE] = own_rate(np.float64(table[j, SQUARES]), size, adaptive, True)
        return 1.0
    return (size / scale) * (size / scale)


@kernel
def _move(table, j, value, step, squared_slope, adaptive, normalized):
    """Algorithm 1 on one feature: w <- w - s A x, then G <- G + g^2, in this order."""
    x = np.float64(value)
    table[j, WEIGHT] -= step * table[j, RATE] * x
    squares = table[j, SQUARES] + squared_slope * x * x
    table[j, SQUARES] = squares
    if adaptive:
        table[j, RATE] = own_rate(squares, np.float64(table[j, SCALE]), adaptive, normalized)


@kernel
def online_pass(
    indptr, indices, values, labels, importances, table, totals, kind, tau, rate, constant, adaptive, normalized,
    invariant,
):  # fmt: skip
    """Learn from one example after another; returns the loss of each prediction made before its update, summed.

    The normalised form divides by the scale of each feature (Ross, Mineiro and Langford, 2013), with the running count
    of examples and of their squared norms in ``totals``.
    """
    total = 0.0
    last = len(table) - 1
    for row in range(len(labels)):
        first, past = indptr[row], indptr[row + 1]
        h, y = np.float64(importances[row]), np.float64(labels[row])
        if normalized:
            norm = _rescale(table, last, constant, adaptive)
            for at in range(first, past):
                norm += _rescale(table, indices[at], values[at], adaptive)
            totals[0] += h
            totals[1] += h * norm
        p = np.float64(constant * table[last, WEIGHT])
        q = np.float64(constant * constant * table[last, RATE])
        for at in range(first, past):
            j, x = indices[at], np.float64(values[at])
            p += x * table[j, WEIGHT]
            q += x * x * table[j, RATE]
        total += h * loss_value(kind, tau, p, y)
        slope = loss_slope(kind, tau, p, y)
        if slope == 0.0 or h == 0.0:
            continue
        pace = rate
        if normalized and totals[1] > 0.0:
            share = totals[0] / totals[1]
            pace *= math.sqrt(share) if adaptive else share
        step = invariant_step(kind, tau, p, y, pace * h, q) if invariant else pace * h * slope
        squared_slope = h * slope * slope
        for at in range(first, past):
            _move(table, indices[at], values[at], step, squared_slope, adaptive, normalized)
        if constant != 0.0:
            _move(table, last, constant, step, squared_slope, adaptive, normalized)
    return total


@kernel
def gradient_pass(indptr, indices, values, labels, importances, w, gradient, kind, tau, constant):
    """Add the gradient of the summed loss to ``gradient``; returns the loss."""
    total, slopes, last = 0.0, 0.0, len(w) - 1
    for row in range(len(labels)):
        p = constant * w[last]
        for at in range(indptr[row], indptr[row + 1]):
            p += values[at] * w[indices[at]]
        y, h = np.float64(labels[row]), np.float64(importances[row])
        total += h * loss_value(kind, tau, p, y)
        slope = h * loss_slope(kind, tau, p, y)
        if slope != 0.0:
            slopes += slope
            for at in range(indptr[row], indptr[row + 1]):
                gradient[indices[at]] += slope * values[at]
    gradient[last] += constant * slopes
    return total


@kernel
def diagonal_pass(indptr, indices, values, labels, importances, w, diagonal, kind, tau, constant):
    """Add the diagonal of the Hessian of the summed loss to ``diagonal``; returns the sum of importances."""
    total, bends, last = 0.0, 0.0, len(w) - 1
    for row in range(len(labels)):
        p = constant * w[last]
        for at in range(indptr[row], indptr[row + 1]):
            p += values[at] * w[indices[at]]
        h = np.float64(importances[row])
        total += h
        bend = h * loss_curvature(kind, tau, p, np.float64(labels[row]))
        bends += bend
        for at in range(indptr[row], indptr[row + 1]):
            diagonal[indices[at]] += bend * values[at] * values[at]
    diagonal[last] += constant * constant * bends
    return total


@kernel
def curvature_pass(indptr, indices, values, labels, importances, w, direction, kind, tau, constant):
    """The second derivative of the summed loss along a direction."""
    total, last = 0.0, len(w) - 1
    for row in range(len(labels)):
        p, along = constant * w[last], constant * direction[last]
        for at in range(indptr[row], indptr[row + 1]):
            p += values[at] * w[indices[at]]
            along += values[at] * direction[indices[at]]
        total += importances[row] * along * along * loss_curvature(kind, tau, p, np.float64(labels[row]))
    return total


@kernel
def predict_pass(indptr, indices, values, w, constant, predictions):
    """The prediction for every row."""
    last = len(w) - 1
    for row in range(len(predictions)):
        p = constant * w[last]
        for at in range(indptr[row], indptr[row + 1]):
            p += values[at] * w[indices[at]]
        predictions[row] = p
