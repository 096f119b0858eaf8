"""Approximate maximal margin updates in the Euclidean norm (Gentile, 2001): ALMA_2."""

import math

from treatise._core.jit import kernel
from treatise.online._row_kernels import add, dot, example, squared_norm

SMALLEST = 1e-150


@kernel
def alma(stream, positive, alpha, B, C, weights, state, scores, updated):
    """One pass; ``state`` holds the number k of the next update and the squared norm of the weights.

    The margin to reach is (1 - alpha) B / sqrt(k), the step C / sqrt(k), and weights longer than 1 are brought
    back to the unit ball, through a scale kept apart so that an update costs the non-zeros of x.
    """
    k, q, scale = state[0], state[1], 1.0
    for t in range(len(scores)):
        indices, values, label = example(stream, t)
        y = 1.0 if label == positive else -1.0
        f = scale * dot(weights, indices, values)
        scores[t] = f
        updated[t] = y * f < (1.0 - alpha) * B / math.sqrt(k)
        if updated[t]:
            step = C / math.sqrt(k)
            add(weights, step * y / scale, indices, values)
            q += 2.0 * step * y * f + step * step * squared_norm(values)
            if q > 1.0:
                scale /= math.sqrt(q)
                q = 1.0
                if scale < SMALLEST:
                    weights *= scale
                    scale = 1.0
            k += 1.0
    weights *= scale
    state[0], state[1] = k, q
