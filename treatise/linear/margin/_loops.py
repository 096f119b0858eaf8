"""Multi-category losses and their gradients in the scores (JMLR 5:1225, Section 4).

All take scores of shape (n, K), labels, a weight for each row and a place for the gradient; they give the weighted sum.
"""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_step

HINGE, SQUARED_HINGE, LEAST_SQUARES, LOGISTIC, EXPONENTIAL = range(5)
PAIRWISE, CONSTRAINED, ONE_VS_REST = range(3)
EXP, SIGMOID, POWER, POSITIVE_POWER, BOUNDED_POWER, SOFTMAX, NORM = range(7)


@compiled
def margin_loss(loss, width, z):
    """phi(z) and its derivative; the hinge's kink at 1 is rounded to a parabola over ``width`` below it."""
    if loss == LOGISTIC:
        decay = math.exp(-abs(z))
        value = math.log1p(decay)
        return (value, -decay / (1.0 + decay)) if z > 0.0 else (value - z, -1.0 / (1.0 + decay))
    if loss == EXPONENTIAL:
        value = math.exp(-z)
        return value, -value
    short = 1.0 - z
    if loss == LEAST_SQUARES:
        return short * short, -2.0 * short
    if short <= 0.0:
        return 0.0, 0.0
    if loss == SQUARED_HINGE:
        return short * short, -2.0 * short
    if short < width:
        return 0.5 * short * short / width, -short / width
    return short - 0.5 * width, -1.0


@compiled
def margin_losses(formulation, loss, width, scores, labels, weights, gradient):
    """Pairwise comparison (10), constrained comparison (12) and one against the rest (14)."""
    n, k = scores.shape
    total = 0.0
    for i in range(n):
        y, weight = labels[i], weights[i]
        value = 0.0
        if formulation == PAIRWISE:
            pull = 0.0
            for c in range(k):
                phi, slope = margin_loss(loss, width, scores[i, y] - scores[i, c])
                value += phi
                gradient[i, c] = -weight * slope
                if c != y:
                    pull += slope
            gradient[i, y] = weight * pull
        elif formulation == CONSTRAINED:
            # The constraint that scores sum to zero holds by taking off their mean.
            mean = np.sum(scores[i]) / k
            drift = 0.0
            for c in range(k):
                gradient[i, c] = 0.0
                if c != y:
                    phi, slope = margin_loss(loss, width, mean - scores[i, c])
                    value += phi
                    gradient[i, c] = -weight * slope
                    drift -= weight * slope
            for c in range(k):
                gradient[i, c] -= drift / k
        else:
            for c in range(k):
                sign = 1.0 if c == y else -1.0
                phi, slope = margin_loss(loss, width, sign * scores[i, c])
                value += phi
                gradient[i, c] = weight * sign * slope
        total += weight * value
    return total


@compiled_step
def background(kind, power, u):
    """t(u) and its derivative for the decoupled formulations of Section 4.4.2."""
    if kind == EXP:
        value = math.exp(u)
        return value, value
    if kind == SIGMOID:
        decay = math.exp(-abs(u))
        value = math.log1p(decay)
        return (value + u, 1.0 / (1.0 + decay)) if u > 0.0 else (value, decay / (1.0 + decay))
    if u < 0.0 and kind != POWER:
        return 0.0, 0.0
    if u > 1.0 and kind == BOUNDED_POWER:
        # The tangent; the lesser of it and the power, as printed, would be the tangent everywhere.
        return u - 1.0 + 1.0 / power, 1.0
    size = abs(u) ** (power - 1.0)
    return size * abs(u) / power, math.copysign(size, u) if u != 0.0 else 0.0


@compiled
def background_losses(kind, power, inner_power, scores, labels, weights, gradient):
    """Minus the label's score plus a term of all scores: (16) with psi(u) = -u."""
    n, k = scores.shape
    total = 0.0
    for i in range(n):
        weight, value = weights[i], -scores[i, labels[i]]
        if kind == SOFTMAX:
            most = np.max(scores[i])
            mass = 0.0
            for c in range(k):
                gradient[i, c] = math.exp(scores[i, c] - most)
                mass += gradient[i, c]
            for c in range(k):
                gradient[i, c] *= weight / mass
            value += most + math.log(mass)
        elif kind == NORM:
            mass = 0.0
            for c in range(k):
                mass += abs(scores[i, c]) ** inner_power
            value += mass ** (power / inner_power) / power
            scale = weight * mass ** (power / inner_power - 1.0) if mass > 0.0 else 0.0
            for c in range(k):
                size = abs(scores[i, c]) ** (inner_power - 1.0) if scores[i, c] != 0.0 else 0.0
                gradient[i, c] = scale * math.copysign(size, scores[i, c])
        else:
            for c in range(k):
                term, slope = background(kind, power, scores[i, c])
                value += term
                gradient[i, c] = weight * slope
        gradient[i, labels[i]] -= weight
        total += weight * value
    return total
