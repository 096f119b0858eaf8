"""One pass of a learner whose belief about the weights is Gaussian: mean and covariance, diagonal or full.

Every rule moves the mean by alpha y Sigma x and the precision by kappa x x' (so that Sigma loses
kappa / (1 + kappa v) Sigma x x' Sigma); they differ in alpha and kappa. With a diagonal covariance the
precision keeps its diagonal: 1 / sigma_i + kappa x_i^2. A pass costs the non-zeros then, else n_features^2 for
each example with a loss.
"""

import math

import numpy as np

from treatise._core.jit import kernel
from treatise.online._confidence_weighted_kernels import confidence_step, multiclass_confidence_step
from treatise.online._regularized_kernels import AROW, ellipsoid_step, regularized_step
from treatise.online._row_kernels import class_scores, dot, example, rivals

ELLIPSOID = 8


@kernel
def diagonal_belief(stream, positive, rule, first, second, mean, variance, state, scores, updated):
    """Two classes, independent weights."""
    for t in range(len(scores)):
        indices, values, label = example(stream, t)
        y = 1.0 if label == positive else -1.0
        f, v = 0.0, 0.0
        for j in range(len(values)):
            f += mean[indices[j]] * values[j]
            v += variance[indices[j]] * values[j] * values[j]
        scores[t] = f
        updated[t], alpha, kappa, growth = step(rule, y * f, v, (f >= 0.0) != (y > 0.0), first, second, state)
        if alpha != 0.0 or kappa != 0.0:
            for j in range(len(values)):
                i = indices[j]
                reach = variance[i] * values[j]
                mean[i] += alpha * y * reach
                variance[i] /= 1.0 + kappa * reach * values[j]
        if growth != 1.0:
            variance *= growth


@kernel
def full_belief(stream, positive, rule, first, second, mean, covariance, state, scores, updated):
    """Two classes, weights that depend on one another."""
    reach = np.empty(len(mean))
    for t in range(len(scores)):
        indices, values, label = example(stream, t)
        y = 1.0 if label == positive else -1.0
        f = dot(mean, indices, values)
        v = project(covariance, indices, values, reach)
        scores[t] = f
        updated[t], alpha, kappa, growth = step(rule, y * f, v, (f >= 0.0) != (y > 0.0), first, second, state)
        if alpha != 0.0 or kappa != 0.0:
            for i in range(len(mean)):
                mean[i] += alpha * y * reach[i]
            shrink(covariance, reach, kappa, v)
        if growth != 1.0:
            covariance *= growth


@kernel
def multiclass_diagonal_belief(stream, rule, first, second, mean, variance, predicted, updated):
    """Many classes that share one diagonal covariance."""
    scores = np.empty(mean.shape[1])
    for t in range(len(predicted)):
        indices, values, label = example(stream, t)
        class_scores(mean, indices, values, scores)
        v = 0.0
        for j in range(len(values)):
            v += variance[indices[j]] * values[j] * values[j]
        predicted[t], rival, margin = rivals(scores, label)
        updated[t], alpha, kappa = multiclass_step(rule, margin, v, first, second)
        if alpha != 0.0 or kappa != 0.0:
            for j in range(len(values)):
                i = indices[j]
                reach = variance[i] * values[j]
                mean[i, label] += alpha * reach
                mean[i, rival] -= alpha * reach
                variance[i] /= 1.0 + kappa * reach * values[j]


@kernel
def multiclass_full_belief(stream, rule, first, second, mean, covariance, predicted, updated):
    """Many classes that share one full covariance."""
    scores, reach = np.empty(mean.shape[1]), np.empty(mean.shape[0])
    for t in range(len(predicted)):
        indices, values, label = example(stream, t)
        class_scores(mean, indices, values, scores)
        v = project(covariance, indices, values, reach)
        predicted[t], rival, margin = rivals(scores, label)
        updated[t], alpha, kappa = multiclass_step(rule, margin, v, first, second)
        if alpha != 0.0 or kappa != 0.0:
            for i in range(len(reach)):
                mean[i, label] += alpha * reach[i]
                mean[i, rival] -= alpha * reach[i]
            shrink(covariance, reach, kappa, v)


@kernel
def step(rule, m, v, wrong, first, second, state):
    """Whether there is a loss, alpha, kappa and the growth of Sigma; ``first`` and ``second`` are the parameters."""
    if rule == ELLIPSOID:
        c = state[0]
        state[0] = c * second
        return ellipsoid_step(m, v, wrong, c)
    if rule >= AROW:
        loss, alpha, kappa = regularized_step(rule, m, v, wrong, first)
    elif v > 0.0:
        loss, alpha, kappa = confidence_step(rule, m, v, first, second)
    else:
        loss, alpha, kappa = m < 0.0, 0.0, 0.0
    return loss, alpha, kappa, 1.0


@kernel
def multiclass_step(rule, m, v, first, second):
    """Whether there is a loss, alpha and kappa for the lead over the best rival."""
    if rule >= AROW:
        return regularized_step(rule, m, v, m < 0.0, first)
    if v > 0.0:
        return multiclass_confidence_step(rule, m, v, first, second)
    return m < 0.0, 0.0, 0.0


@kernel
def project(covariance, indices, values, reach):
    """Sigma x into ``reach``, and the variance x' Sigma x of the score."""
    reach[:] = 0.0
    for j in range(len(values)):
        value, row = values[j], covariance[indices[j]]
        if value != 0.0:
            for i in range(len(reach)):
                reach[i] += value * row[i]
    # Rounding may leave a hair below zero where the weights are all but certain.
    return max(dot(reach, indices, values), 0.0)


@kernel
def shrink(covariance, reach, kappa, v):
    """Sigma -= kappa / (1 + kappa v) Sigma x x' Sigma, symmetric to the last bit; ``reach`` is spent."""
    root = math.sqrt(kappa / (1.0 + kappa * v))
    for i in range(len(reach)):
        reach[i] *= root
    for i in range(len(reach)):
        of_row, pull = covariance[i], reach[i]
        if pull != 0.0:
            for j in range(len(reach)):
                of_row[j] -= pull * reach[j]
