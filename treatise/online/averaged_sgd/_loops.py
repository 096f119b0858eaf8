"""Averaged stochastic gradient descent: one pass in which only the non-zeros of a row are touched."""

import math

from treatise._core.jit import compiled
from treatise.online._row_loops import dense_dot, dot, example, squared_norm

LOGISTIC, SQUARE_ROOT, LOG_COSH = range(3)
CONSTANT, DOUBLING, INVERSE_ROOT, STEADY = range(4)
# The clock of a run: rows seen, rows seen when the average was begun, square of the radius.
SEEN, BEGUN, RADIUS = range(3)


@compiled
def loss_slope(loss, score, y):
    """Derivative of a loss in the score; never above one in size, so that a gradient never exceeds the row."""
    if loss == LOGISTIC:
        return -y / (1.0 + math.exp(min(y * score, 700.0)))
    if loss == SQUARE_ROOT:
        # Half of the loss in the paper's Section 2.1, whose slope reaches two.
        return 0.5 * (score / math.sqrt(1.0 + score * score) - y)
    return math.tanh(score - y)


@compiled
def step_size(schedule, squared_radius, horizon, n):
    """1 / (2 R^2 sqrt(N)); without a horizon N is one, the last power of two, or the number n of the row itself."""
    if squared_radius == 0.0:
        return 0.0
    if schedule == DOUBLING:
        horizon = 2.0 ** math.floor(math.log2(n))
    elif schedule == INVERSE_ROOT:
        horizon = float(n)
    elif schedule == STEADY:
        horizon = 1.0
    return 1.0 / (2.0 * squared_radius * math.sqrt(horizon))


@compiled
def averaged_sgd(stream, loss, schedule, horizon, constant, running, current, drift, clock):
    """theta_n = theta_{n-1} - gamma f_n'(theta_{n-1}), changing ``current`` and ``drift`` in place.

    The average of theta_0 to theta_{n-1} is theta_n - drift / n, where drift = sum_i i g_i over the steps g_i: step
    i is part of the iterates i to n - 1. So the average costs as much as the step and no pass over all weights.
    """
    dense = len(stream.indices) != len(stream.values)
    for turn in range(len(stream.order)):
        indices, values, y = example(stream, turn)
        if running:
            clock[RADIUS] = max(clock[RADIUS], squared_norm(values) + constant)
        n = clock[SEEN] + 1.0
        if schedule in (DOUBLING, STEADY) and n > 1.0 and 2.0 ** math.floor(math.log2(n)) == n:
            drift[:] = 0.0
            clock[BEGUN] = clock[SEEN]
        score = (dense_dot(current, values) if dense else dot(current, indices, values)) + constant * current[-1]
        step = -step_size(schedule, clock[RADIUS], horizon, n) * loss_slope(loss, score, y)
        weighted = step * (n - clock[BEGUN])
        if dense:
            for j in range(len(values)):
                current[j] += step * values[j]
                drift[j] += weighted * values[j]
        else:
            for j in range(len(values)):
                current[indices[j]] += step * values[j]
                drift[indices[j]] += weighted * values[j]
        current[-1] += constant * step
        drift[-1] += constant * weighted
        clock[SEEN] = n


@compiled
def kernel_sgd(gram, first, y, loss, step, n_seen, n_rounds, coefficients, averaged):
    """alpha_n -= gamma phi_n'(sum_i alpha_i k(x_i, x_n)) for rows from ``first`` on; other alpha do not change.

    Step t is part of the iterates t to N - 1 of the N rounds, whose mean is ``averaged``.
    """
    for row in range(len(gram)):
        n, score = first + row, 0.0
        for i in range(gram.shape[1]):
            score += coefficients[i] * gram[row, i]
        move = -step * loss_slope(loss, score, y[n])
        coefficients[n] += move
        averaged[n] += move * ((n_rounds - n_seen - row - 1) / n_rounds)


@compiled
def row_lengths(pointers, values):
    """Largest and mean squared norm of the rows."""
    largest = total = 0.0
    for row in range(len(pointers) - 1):
        of_row = values[pointers[row] : pointers[row + 1]]
        squared = dense_dot(of_row, of_row)
        largest = max(largest, squared)
        total += squared
    return largest, total / (len(pointers) - 1)
