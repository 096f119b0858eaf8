"""Passes over sparse rows for the sums that batch optimisation needs, and for predictions.

Weights are vectors of the number of features and one more, the intercept's, which stands last; where there is no
intercept its value is zero and stays so.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.optimize.losses._loops import loss_at, loss_curvature


@compiled
def gradient_pass(indptr, indices, values, labels, importances, w, gradient, number, parameter, constant):
    """Add the gradient of the summed loss to ``gradient``; returns the loss."""
    total, slopes, last = 0.0, 0.0, len(w) - 1
    for row in range(len(labels)):
        p = constant * w[last]
        for at in range(indptr[row], indptr[row + 1]):
            p += values[at] * w[indices[at]]
        y, h = np.float64(labels[row]), np.float64(importances[row])
        loss, slope = loss_at(number, parameter, y, p)
        total += h * loss
        slope *= h
        if slope != 0.0:
            slopes += slope
            for at in range(indptr[row], indptr[row + 1]):
                gradient[indices[at]] += slope * values[at]
    gradient[last] += constant * slopes
    return total


@compiled_step
def _bend(number, parameter, smooth, y, p):
    """The second derivative of the loss; 1, as a scale, for losses of straight pieces."""
    return loss_curvature(number, parameter, y, p) if smooth else 1.0


@compiled
def diagonal_pass(indptr, indices, values, labels, importances, w, diagonal, number, parameter, smooth, constant):
    """Add the diagonal of the Hessian of the summed loss to ``diagonal``; returns the sum of importances."""
    total, bends, last = 0.0, 0.0, len(w) - 1
    for row in range(len(labels)):
        p = constant * w[last]
        for at in range(indptr[row], indptr[row + 1]):
            p += values[at] * w[indices[at]]
        h = np.float64(importances[row])
        total += h
        bend = h * _bend(number, parameter, smooth, np.float64(labels[row]), p)
        bends += bend
        for at in range(indptr[row], indptr[row + 1]):
            diagonal[indices[at]] += bend * values[at] * values[at]
    diagonal[last] += constant * constant * bends
    return total


@compiled
def curvature_pass(indptr, indices, values, labels, importances, w, direction, number, parameter, smooth, constant):
    """The second derivative of the summed loss along a direction."""
    total, last = 0.0, len(w) - 1
    for row in range(len(labels)):
        p, along = constant * w[last], constant * direction[last]
        for at in range(indptr[row], indptr[row + 1]):
            p += values[at] * w[indices[at]]
            along += values[at] * direction[indices[at]]
        total += importances[row] * along * along * _bend(number, parameter, smooth, np.float64(labels[row]), p)
    return total


@compiled
def predict_pass(indptr, indices, values, w, constant, predictions):
    """The prediction for every row."""
    last = len(w) - 1
    for row in range(len(predictions)):
        p = constant * w[last]
        for at in range(indptr[row], indptr[row + 1]):
            p += values[at] * w[indices[at]]
        predictions[row] = p


@compiled
def signs(labels):
    """-1 for labels up to 0 and 1 for others; and whether both 0 and -1 occur, which would be three classes."""
    found, zeros, minus = np.empty_like(labels), 0, 0
    one = labels.dtype.type(1.0)
    for row in range(len(labels)):
        zeros += labels[row] == 0.0
        minus += labels[row] == -1.0
        found[row] = one if labels[row] > 0.0 else -one
    return found, zeros > 0 and minus > 0


@compiled
def census(labels, weights):
    """Examples of positive weight, all and of label 1."""
    counted, positive = 0, 0
    for row in range(len(labels)):
        counted += weights[row] != 0.0
        positive += weights[row] != 0.0 and labels[row] == 1.0
    return counted, positive
