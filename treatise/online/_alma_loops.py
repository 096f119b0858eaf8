"""Approximate maximal margin updates in the Euclidean norm (Gentile, 2001): ALMA_2."""

import math

from treatise._core.jit import compiled
from treatise.online._row_loops import add, dot, example, squared_norm

SMALLEST = 1e-150


@compiled
def alma(stream, positive, alpha, B, C, weights, state, scores, updated):
    """One pass; the state is the scale, the squared norm of w = scale * weights, and the number of the next update.

    Update k takes the step C / sqrt(k) where the margin is below (1 - alpha) B / sqrt(k), and brings weights longer
    than 1 back to the unit ball, through the scale, so that it costs the non-zeros of x.
    """
    scale, q, k = state
    for t in range(len(scores)):
        indices, values, label = example(stream, t)
        y = 1.0 if label == positive else -1.0
        scores[t] = scale * dot(weights, indices, values)
        m = y * scores[t]
        updated[t] = m < (1.0 - alpha) * B / math.sqrt(k)
        if updated[t]:
            step = C / math.sqrt(k)
            add(weights, step * y / scale, indices, values)
            q += 2.0 * step * m + step * step * squared_norm(values)
            if q > 1.0:
                scale /= math.sqrt(q)
                q = 1.0
                if scale < SMALLEST:
                    weights *= scale
                    scale = 1.0
            k += 1.0
    state[0], state[1], state[2] = scale, q, k
