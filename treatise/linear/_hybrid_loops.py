"""Passes over sparse rows for the sums that batch optimisation needs, and for predictions.

Weights are vectors of the number of features and one more, the intercept's, which stands last; where there is no
intercept its value is zero and stays so.
"""

import numpy as np

from treatise._core.jit import compiled
from treatise.optimize._loss_loops import loss_curvature, loss_slope, loss_value


@compiled
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


@compiled
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


@compiled
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


@compiled
def predict_pass(indptr, indices, values, w, constant, predictions):
    """The prediction for every row."""
    last = len(w) - 1
    for row in range(len(predictions)):
        p = constant * w[last]
        for at in range(indptr[row], indptr[row + 1]):
            p += values[at] * w[indices[at]]
        predictions[row] = p
