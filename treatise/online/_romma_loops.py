"""Relaxed maximum margin updates (Li & Long, 2002): the shortest vector that keeps what was learned.

The new weights are the shortest w' with y w'.x >= 1 and w'.w >= |w|^2, one constraint for the example and one for
all before it. They are c w + e x, so w is kept as scale * weights, and an update costs the non-zeros of x. The first
step solves the same problem without a past: w = y x / |x|^2.

The state is the scale, the squared norm q of w, and how many rounding errors may sit in it.
"""

import numpy as np

from treatise._core.jit import compiled
from treatise.online._row_loops import add, class_scores, dot, example, rivals, shift, squared_norm

SMALLEST, LARGEST = 1e-150, 1e150
HUGE, STEP = 1e200, 2.0**-200
MOST_ERRORS = 1e3


@compiled
def romma(stream, positive, aggressive, weights, state, scores, updated):
    """One pass for two classes."""
    for t in range(len(scores)):
        indices, values, label = example(stream, t)
        y = 1.0 if label == positive else -1.0
        scores[t] = state[0] * dot(weights, indices, values)
        m = y * scores[t]
        updated[t] = m < 1.0 if aggressive else (scores[t] >= 0.0) != (y > 0.0)
        if updated[t]:
            gain = relax(weights, state, squared_norm(values), m)
            add(weights, y * gain / state[0], indices, values)


@compiled
def multiclass_romma(stream, aggressive, weights, state, predicted, updated):
    """The same with the margin over the best rival: x is added to one class and taken from another.

    The pair of blocks (x, -x) has the squared norm 2 |x|^2, and the weights of all classes are rescaled.
    """
    scores = np.empty(weights.shape[1])
    for t in range(len(predicted)):
        indices, values, label = example(stream, t)
        class_scores(weights, indices, values, scores)
        scores *= state[0]
        predicted[t], rival, m = rivals(scores, label)
        updated[t] = m < 1.0 if aggressive else predicted[t] != label
        if updated[t]:
            gain = relax(weights, state, 2.0 * squared_norm(values), m)
            shift(weights, label, rival, gain / state[0], indices, values)


@compiled
def relax(weights, state, s, m):
    """Rescale w for an example of squared norm s and margin m, and return the multiple of y x to add to it."""
    scale, q, errors = state
    if s == 0.0:
        return 0.0
    if q > HUGE:
        # Labels that no plane explains stretch w without end. Then the margin of one is long lost in rounding, so
        # that a shorter w of the same direction takes the same course.
        scale, q, m = scale * STEP, q * STEP * STEP, m * STEP
        state[0], state[1] = scale, q
    if q == 0.0 or s * q <= m:
        # No past, or one that the shortest weights for x alone keep as well; the latter on short steps (m > 0) only.
        weights *= 0.0
        state[0], state[1], state[2] = 1.0, 1.0 / s, 1.0
        return 1.0 / s
    if errors > MOST_ERRORS:
        q, errors = scale * scale * total_square(weights), 1.0
    determinant = s * q - m * m
    # Where x is a multiple of w the two constraints contradict one another; rounding leaves a trace.
    if determinant <= 1e-14 * s * q:
        return 0.0
    keep, gain = (s * q - m) / determinant, q * (1.0 - m) / determinant
    longer = keep * keep * q + 2.0 * keep * gain * m + gain * gain * s
    # Errors of q are multiplied as the first term is, and those of the sum are of its size.
    state[1], state[2] = longer, (errors + 1.0) * keep * keep * q / longer
    state[0] = scale * keep
    if not SMALLEST < abs(state[0]) < LARGEST:
        weights *= state[0]
        state[0] = 1.0
    return gain


@compiled
def total_square(weights):
    """Squared norm of all weights."""
    total = 0.0
    for weight in weights.flat:
        total += weight * weight
    return total
