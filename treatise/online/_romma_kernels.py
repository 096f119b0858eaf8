"""Relaxed maximum margin updates (Li & Long, 2002): the shortest vector that keeps what was learned.

The new weights w' satisfy y w'.x = 1 and w'.w = |w|^2, one linear constraint each for the example and for all
examples before it. They are c w + e x, so the weights are kept as scale * weights, which makes an update cost
the non-zeros of x.
"""

import numpy as np

from treatise._core.jit import kernel
from treatise.online._row_kernels import add, class_scores, dot, example, rivals, shift, squared_norm

SMALLEST, LARGEST = 1e-150, 1e150


@kernel
def romma(stream, positive, aggressive, weights, state, scores, updated):
    """One pass; ``state`` holds the squared norm of the weights.

    The first step solves the same problem without a past: w = y x / |x|^2.
    """
    q, scale = state[0], 1.0
    for t in range(len(scores)):
        indices, values, label = example(stream, t)
        y = 1.0 if label == positive else -1.0
        f = scale * dot(weights, indices, values)
        scores[t] = f
        m = y * f
        updated[t] = m < 1.0 if aggressive else (f >= 0.0) != (y > 0.0)
        s = squared_norm(values)
        if not updated[t] or s == 0.0:
            continue
        if q == 0.0:
            add(weights, y / s / scale, indices, values)
            q = 1.0 / s
            continue
        keep, gain, growth = relaxed_step(q, s, m)
        if growth > 0.0:
            scale = rescaled(weights, scale * keep)
            add(weights, y * gain / scale, indices, values)
            q *= growth
    weights *= scale
    state[0] = q


@kernel
def multiclass_romma(stream, aggressive, weights, state, predicted, updated):
    """The same with the margin over the best rival: x is added to one class and taken from another.

    The pair of blocks (x, -x) has the squared norm 2 |x|^2, and all of the weights are rescaled.
    """
    q, scale = state[0], 1.0
    scores = np.empty(weights.shape[1])
    for t in range(len(predicted)):
        indices, values, label = example(stream, t)
        class_scores(weights, indices, values, scores)
        predicted[t], rival, m = rivals(scores, label)
        m *= scale
        updated[t] = m < 1.0 if aggressive else predicted[t] != label
        s = 2.0 * squared_norm(values)
        if not updated[t] or s == 0.0:
            continue
        if q == 0.0:
            shift(weights, label, rival, 1.0 / s / scale, indices, values)
            q = 1.0 / s
            continue
        keep, gain, growth = relaxed_step(q, s, m)
        if growth > 0.0:
            scale = rescaled(weights, scale * keep)
            shift(weights, label, rival, gain / scale, indices, values)
            q *= growth
    weights *= scale
    state[0] = q


@kernel
def relaxed_step(q, s, m):
    """Factors of w and of y x in the new weights, and the growth of the squared norm (0: no such weights exist).

    q and s are the squared norms of w and x, m the margin y w.x.
    """
    determinant = s * q - m * m
    # Where x is a multiple of w the two constraints contradict one another; rounding leaves a trace.
    if determinant <= 1e-14 * s * q:
        return 1.0, 0.0, 0.0
    gain = q * (1.0 - m) / determinant
    return (s * q - m) / determinant, gain, 1.0 + (1.0 - m) * (1.0 - m) / determinant


@kernel
def rescaled(weights, scale):
    """The scale, folded into the weights once it leaves the range in which it loses nothing."""
    if SMALLEST < abs(scale) < LARGEST:
        return scale
    weights *= scale
    return 1.0
