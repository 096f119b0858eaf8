"""One pass of a learner whose belief about the weights is Gaussian: mean and covariance, diagonal or full.

Every rule moves the mean by alpha y Sigma x and the precision by kappa x x'; they differ in alpha and kappa, which
the file of each learner works out from m, the margin of the mean, and v = x' Sigma x, the variance of the score. With a
diagonal covariance the precision keeps its diagonal: 1 / sigma_i + kappa x_i^2. A full covariance is kept as a square
root, Sigma = L L', which no rounding can make indefinite (Potter's form of the update): L loses a multiple of
L a a' with a = L' x. A pass costs the non-zeros, or n_features^2 for each example with a loss.

A walk is compiled once for all rules: what it is told is the number of a rule, its place in ``RULES``. A rule that
gives zero for both alpha and kappa leaves the belief as it is.
"""

import math

import numpy as np

from treatise._core.jit import compiled
from treatise.online._row_loops import class_scores, dense_dot, dot, example, rivals
from treatise.online.rules.arow import arow
from treatise.online.rules.confidence_weighted import confidence_weighted, multiclass_confidence_weighted
from treatise.online.rules.ellipsoid import improved_ellipsoid
from treatise.online.rules.narow import narow
from treatise.online.rules.normal_herd import normal_herd
from treatise.online.rules.second_order_perceptron import second_order_perceptron
from treatise.online.rules.soft_confidence_weighted import (
    multiclass_soft_linear,
    multiclass_soft_quadratic,
    soft_linear,
    soft_quadratic,
)

RULES = (
    confidence_weighted, soft_linear, soft_quadratic, arow, narow, normal_herd, second_order_perceptron,
    improved_ellipsoid,
)  # fmt: skip
CW, SCW_1, SCW_2, AROW, NAROW, HERD, PERCEPTRON, ELLIPSOID = range(len(RULES))


@compiled
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


@compiled
def full_belief(stream, positive, rule, first, second, mean, root, state, scores, updated):
    """Two classes, weights that depend on one another."""
    whitened = np.empty(len(mean))
    for t in range(len(scores)):
        indices, values, label = example(stream, t)
        y = 1.0 if label == positive else -1.0
        f = dot(mean, indices, values)
        v = whiten(root, indices, values, whitened)
        scores[t] = f
        updated[t], alpha, kappa, growth = step(rule, y * f, v, (f >= 0.0) != (y > 0.0), first, second, state)
        if alpha != 0.0 or kappa != 0.0:
            shrink = contraction(kappa, v)
            for i in range(len(mean)):
                mean[i] += alpha * y * narrow(root[i], whitened, shrink)
        if growth != 1.0:
            root *= math.sqrt(growth)


@compiled
def multiclass_diagonal_belief(stream, rule, first, second, mean, variance, state, predicted, updated):
    """Many classes that share one diagonal covariance."""
    scores = np.empty(mean.shape[1])
    for t in range(len(predicted)):
        indices, values, label = example(stream, t)
        class_scores(mean, indices, values, scores)
        v = 0.0
        for j in range(len(values)):
            v += variance[indices[j]] * values[j] * values[j]
        predicted[t], rival, margin = rivals(scores, label)
        wrong = predicted[t] != label
        updated[t], alpha, kappa, growth = multiclass_step(rule, margin, v, wrong, first, second, state)
        if alpha != 0.0 or kappa != 0.0:
            for j in range(len(values)):
                i = indices[j]
                reach = variance[i] * values[j]
                mean[i, label] += alpha * reach
                mean[i, rival] -= alpha * reach
                variance[i] /= 1.0 + kappa * reach * values[j]
        if growth != 1.0:
            variance *= growth


@compiled
def multiclass_full_belief(stream, rule, first, second, mean, root, state, predicted, updated):
    """Many classes that share one full covariance."""
    scores, whitened = np.empty(mean.shape[1]), np.empty(mean.shape[0])
    for t in range(len(predicted)):
        indices, values, label = example(stream, t)
        class_scores(mean, indices, values, scores)
        v = whiten(root, indices, values, whitened)
        predicted[t], rival, margin = rivals(scores, label)
        wrong = predicted[t] != label
        updated[t], alpha, kappa, growth = multiclass_step(rule, margin, v, wrong, first, second, state)
        if alpha != 0.0 or kappa != 0.0:
            shrink = contraction(kappa, v)
            for i in range(len(whitened)):
                move = alpha * narrow(root[i], whitened, shrink)
                mean[i, label] += move
                mean[i, rival] -= move
        if growth != 1.0:
            root *= math.sqrt(growth)


@compiled
def step(rule, m, v, wrong, first, second, state):
    """Whether there is a loss, alpha, kappa and the growth of Sigma; ``first`` and ``second`` are the parameters."""
    if rule == ELLIPSOID:
        return improved_ellipsoid(m, v, wrong, first, state)
    if rule == PERCEPTRON:
        loss, alpha, kappa = second_order_perceptron(m, v, wrong, first != 0.0)
    elif rule == NAROW:
        loss, alpha, kappa = narow(m, v, first)
    elif rule == HERD:
        loss, alpha, kappa = normal_herd(m, v, first)
    elif rule == AROW:
        loss, alpha, kappa = arow(m, v, first)
    elif rule == SCW_1:
        loss, alpha, kappa = soft_linear(m, v, first, second)
    elif rule == SCW_2:
        loss, alpha, kappa = soft_quadratic(m, v, first, second)
    else:
        loss, alpha, kappa = confidence_weighted(m, v, first)
    return loss, alpha, kappa, 1.0


@compiled
def multiclass_step(rule, m, v, wrong, first, second, state):
    """Whether there is a loss, alpha, kappa and the growth of Sigma for the lead m over the best rival.

    Of the rules that have this form. The ellipsoid's is that of two classes: the scores of both, each of the variance
    v, give their difference the variance 2 v.
    """
    if rule == ELLIPSOID:
        return improved_ellipsoid(m, 2.0 * v, wrong, first, state)
    if rule == AROW:
        loss, alpha, kappa = arow(m, v, first)
    elif rule == SCW_1:
        loss, alpha, kappa = multiclass_soft_linear(m, v, first, second)
    elif rule == SCW_2:
        loss, alpha, kappa = multiclass_soft_quadratic(m, v, first, second)
    else:
        loss, alpha, kappa = multiclass_confidence_weighted(m, v, first)
    return loss, alpha, kappa, 1.0


@compiled
def whiten(root, indices, values, whitened):
    """a = L' x, and the variance v = a.a of the score."""
    whitened[:] = 0.0
    for j in range(len(values)):
        value, row = values[j], root[indices[j]]
        if value != 0.0:
            for i in range(len(whitened)):
                whitened[i] += value * row[i]
    return dense_dot(whitened, whitened)


@compiled
def contraction(kappa, v):
    """The multiple g of a a' in L (I - g a a') that makes the precision grow by kappa x x'."""
    ratio = 1.0 + kappa * v
    return kappa / (ratio + math.sqrt(ratio))


@compiled
def narrow(row, whitened, shrink):
    """Contract one row of L, and return this weight's part of Sigma x = L a."""
    reach = dense_dot(row, whitened)
    pull = shrink * reach
    for j in range(len(row)):
        row[j] -= pull * whitened[j]
    return reach
