"""Steps of limited-memory BFGS for many functions side by side; each problem owns a row of every array."""

import numpy as np

from treatise._core.jit import compiled_sums


@compiled_sums
def descent_directions(which, gradients, steps, changes, kept, newest, directions, slopes):
    """Minus the approximate inverse Hessian times the gradient (Nocedal, 1980), for each problem in ``which``.

    ``steps`` and ``changes`` are rings of the last pairs: ``kept[i]`` of them, the last at ``newest[i]``. Where the
    direction does not lead down, the pairs are forgotten and the gradient is followed.
    """
    memory, size = steps.shape[1], gradients.shape[1]
    weights = np.empty(memory)
    for i in which:
        direction = directions[i]
        for d in range(size):
            direction[d] = -gradients[i, d]
        for age in range(kept[i]):
            pair = (newest[i] - age) % memory
            weights[age] = np.dot(steps[i, pair], direction) / np.dot(steps[i, pair], changes[i, pair])
            for d in range(size):
                direction[d] -= weights[age] * changes[i, pair, d]
        if kept[i] > 0:
            step, change = steps[i, newest[i]], changes[i, newest[i]]
            direction *= np.dot(step, change) / np.dot(change, change)
        for back in range(kept[i]):
            age = kept[i] - 1 - back
            pair = (newest[i] - age) % memory
            bend = np.dot(steps[i, pair], changes[i, pair])
            weight = weights[age] - np.dot(changes[i, pair], direction) / bend
            for d in range(size):
                direction[d] += weight * steps[i, pair, d]
        slopes[i] = np.dot(direction, gradients[i])
        if not slopes[i] < 0.0:
            kept[i] = 0
            for d in range(size):
                direction[d] = -gradients[i, d]
            slopes[i] = np.dot(direction, gradients[i])


@compiled_sums
def remember_pairs(which, tried, points, tried_gradients, gradients, steps, changes, kept, newest, least):
    """Move each problem in ``which`` to the point tried, and keep the pair if its curvature is above ``least``.

    Row r of ``tried`` and ``tried_gradients`` belongs to problem ``which[r]``. ``least`` is a share of the product of
    both lengths; functions that are not convex have pairs without curvature, which would spoil the Hessian.
    """
    memory, size = steps.shape[1], points.shape[1]
    for r, i in enumerate(which):
        bend = length = change_length = 0.0
        for d in range(size):
            step = tried[r, d] - points[i, d]
            change = tried_gradients[r, d] - gradients[i, d]
            bend += step * change
            length += step * step
            change_length += change * change
        if bend > least * np.sqrt(length) * np.sqrt(change_length):
            newest[i] = (newest[i] + 1) % memory
            kept[i] = min(kept[i] + 1, memory)
            for d in range(size):
                steps[i, newest[i], d] = tried[r, d] - points[i, d]
                changes[i, newest[i], d] = tried_gradients[r, d] - gradients[i, d]
        for d in range(size):
            points[i, d] = tried[r, d]
            gradients[i, d] = tried_gradients[r, d]
