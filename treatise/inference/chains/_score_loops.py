"""Messages along chains: sums in scaled linear space, sums and maxima of logarithms."""

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.inference.chains._step_loops import carry, exponentials, scale_to_one


@compiled
def sums_scaled(first, last, offsets, unary, transition, start, end, log_z, nodes, pairs, want_pairs):
    """Forward and backward sums of the sequences from ``first`` to ``last``, by products of scaled numbers.

    Position t takes the matrix ``transition[t]``, or ``transition[0]`` where there is one for all. ``log_z`` and
    ``nodes`` are written, and ``pairs`` is added to in the shape of ``transition``. A sequence whose numbers underflow
    gets ``log_z = nan``: its scores need logarithms.
    """
    K = unary.shape[1]
    shared = len(transition) == 1
    top, weights = np.empty(len(transition)), np.empty_like(transition)
    if shared:
        top[0] = exponentials(transition[0], weights[0])
        backwards = np.ascontiguousarray(weights[0].T)
    else:
        backwards = np.empty((K, K))
    counts = np.zeros((K, K))
    for s in range(first, last):
        low, n = offsets[s], offsets[s + 1] - offsets[s]
        if n == 0:
            log_z[s] = 0.0
            continue
        forward, factor, scale = np.empty((n, K)), np.empty((n, K)), np.empty(n)
        if not shared:
            for t in range(low + 1, low + n):
                top[t] = exponentials(transition[t], weights[t])
        log_z[s] = _forward_scaled(low, n, unary, start, end, top, weights, forward, factor, scale)
        if not np.isnan(log_z[s]):
            _backward_scaled(low, n, weights, backwards, forward, factor, scale, nodes, counts, pairs, want_pairs)
    if want_pairs and shared:
        for i in range(K):
            for j in range(K):
                pairs[0, i, j] += counts[i, j] * weights[0, i, j]


@compiled_step
def _forward_scaled(low, n, unary, start, end, top, weights, forward, factor, scale):
    """Probabilities of the states given all up to each position; gives log Z, or nan where numbers vanish.

    Kept too: the factors of the states at each position, and the sums by which the probabilities were divided.
    """
    K = unary.shape[1]
    shared = len(weights) == 1
    incoming = np.empty(K)
    total = 0.0
    for t in range(n):
        m = low + t if not shared else 0
        highest = -np.inf
        for j in range(K):
            value = unary[low + t, j]
            if t == 0:
                value += start[j]
            if t == n - 1:
                value += end[j]
            factor[t, j] = value
            highest = max(highest, value)
        if highest == -np.inf:
            return np.nan
        for j in range(K):
            factor[t, j] = np.exp(factor[t, j] - highest)
        total += highest
        if t == 0:
            for j in range(K):
                forward[0, j] = factor[0, j]
        else:
            total += top[m]
            carry(forward[t - 1], weights[m], incoming)
            for j in range(K):
                forward[t, j] = incoming[j] * factor[t, j]
        scale[t] = scale_to_one(forward[t])
        if scale[t] == 0.0:
            return np.nan
        total += np.log(scale[t])
    return total


@compiled_step
def _backward_scaled(low, n, weights, backwards, forward, factor, scale, nodes, counts, pairs, want_pairs):
    """Marginals of the states, and of the moves: those with shared weights into ``counts``, yet without the weights."""
    K = forward.shape[1]
    shared = len(weights) == 1
    ahead, incoming = np.ones(K), np.empty(K)
    for j in range(K):
        nodes[low + n - 1, j] = forward[n - 1, j]
    for t in range(n - 1, 0, -1):
        m = low + t if not shared else 0
        if not shared:
            for i in range(K):
                for j in range(K):
                    backwards[j, i] = weights[m, i, j]
        for j in range(K):
            incoming[j] = factor[t, j] * ahead[j] / scale[t]
        if want_pairs:
            for i in range(K):
                mass = forward[t - 1, i]
                if shared:
                    for j in range(K):
                        counts[i, j] += mass * incoming[j]
                else:
                    for j in range(K):
                        pairs[m, i, j] += mass * incoming[j] * weights[m, i, j]
        carry(incoming, backwards, ahead)
        for i in range(K):
            nodes[low + t - 1, i] = forward[t - 1, i] * ahead[i]


@compiled_step
def _log_sum(values):
    highest = values.max()
    if highest == -np.inf:
        return -np.inf
    total = 0.0
    for value in values:
        total += np.exp(value - highest)
    return highest + np.log(total)


@compiled
def sums_of_logarithms(offsets, s, unary, transition, start, end, log_z, nodes, pairs, want_pairs):
    """What :func:`sums_scaled` computes, for one sequence, however far apart its scores lie."""
    K = unary.shape[1]
    low, high = offsets[s], offsets[s + 1]
    n = high - low
    forward, ahead = _log_messages(low, n, unary, transition, start, end, False)
    z = _log_sum(forward[n - 1])
    log_z[s] = z
    if z == -np.inf:
        return
    for t in range(n):
        for j in range(K):
            nodes[low + t, j] = np.exp(forward[t, j] + ahead[t, j] - z)
    if not want_pairs:
        return
    shared = len(transition) == 1
    for t in range(1, n):
        m = low + t if not shared else 0
        for i in range(K):
            for j in range(K):
                value = forward[t - 1, i] + transition[m, i, j] + unary[low + t, j] + ahead[t, j]
                if t == n - 1:
                    value += end[j]
                pairs[m, i, j] += np.exp(value - z)


@compiled_step
def _log_messages(low, n, unary, transition, start, end, maxima):
    """Forward messages with the position's own score, backward messages without it; sums or maxima."""
    K = unary.shape[1]
    shared = len(transition) == 1
    forward = np.empty((n, K))
    ahead = np.zeros((n, K))
    values = np.empty(K)
    for t in range(n):
        m = low + t if not shared else 0
        for j in range(K):
            own = unary[low + t, j] + (end[j] if t == n - 1 else 0.0)
            if t == 0:
                forward[0, j] = own + start[j]
                continue
            for i in range(K):
                values[i] = forward[t - 1, i] + transition[m, i, j]
            forward[t, j] = own + (values.max() if maxima else _log_sum(values))
    for t in range(n - 2, -1, -1):
        m = low + t + 1 if not shared else 0
        for i in range(K):
            for j in range(K):
                own = unary[low + t + 1, j] + (end[j] if t + 1 == n - 1 else 0.0)
                values[j] = transition[m, i, j] + own + ahead[t + 1, j]
            ahead[t, i] = values.max() if maxima else _log_sum(values)
    return forward, ahead


@compiled
def best_through(first, last, offsets, unary, transition, start, end, scores):
    """Score of the best path through every state at every position (max-marginals)."""
    for s in range(first, last):
        low, n = offsets[s], offsets[s + 1] - offsets[s]
        if n == 0:
            continue
        forward, ahead = _log_messages(low, n, unary, transition, start, end, True)
        for t in range(n):
            for j in range(unary.shape[1]):
                scores[low + t, j] = forward[t, j] + ahead[t, j]


@compiled
def best_paths(first, last, offsets, unary, transition, start, end, paths, scores):
    """Viterbi's paths; of equal ones that with the smallest states, looked at from the end."""
    K = unary.shape[1]
    shared = len(transition) == 1
    value = np.empty(K)
    moved = np.empty(K)
    for s in range(first, last):
        low, high = offsets[s], offsets[s + 1]
        n = high - low
        if n == 0:
            scores[s] = 0.0
            continue
        pointer = np.empty((n, K), np.int32)
        for j in range(K):
            value[j] = start[j] + unary[low, j]
        for t in range(1, n):
            m = low + t if not shared else 0
            for j in range(K):
                moved[j] = -np.inf
                pointer[t, j] = 0
            for i in range(K):
                origin = value[i]
                for j in range(K):
                    candidate = origin + transition[m, i, j]
                    if candidate > moved[j]:
                        moved[j] = candidate
                        pointer[t, j] = i
            for j in range(K):
                value[j] = moved[j] + unary[low + t, j]
        state = 0
        highest = -np.inf
        for j in range(K):
            if value[j] + end[j] > highest:
                highest = value[j] + end[j]
                state = j
        scores[s] = highest
        for t in range(n - 1, -1, -1):
            paths[low + t] = state
            state = pointer[t, state]


@compiled
def best_k_paths(low, n, k, unary, transition, start, end, paths, scores):
    """The ``k`` best paths of one sequence, best first; unused places keep the score -inf."""
    K = unary.shape[1]
    shared = len(transition) == 1
    value = np.full((n, K, k), -np.inf)
    origin = np.zeros((n, K, k), np.int32)
    rank = np.zeros((n, K, k), np.int32)
    next_of = np.zeros(K, np.int64)
    for j in range(K):
        value[0, j, 0] = start[j] + unary[low, j]
    for t in range(1, n):
        m = low + t if not shared else 0
        for j in range(K):
            next_of[:] = 0
            for place in range(k):
                best, at = -np.inf, -1
                for i in range(K):
                    if next_of[i] < k:
                        candidate = value[t - 1, i, next_of[i]] + transition[m, i, j]
                        if candidate > best:
                            best, at = candidate, i
                if at < 0:
                    break
                value[t, j, place] = best + unary[low + t, j]
                origin[t, j, place] = at
                rank[t, j, place] = next_of[at]
                next_of[at] += 1
    next_of[:] = 0
    for place in range(k):
        best, state = -np.inf, -1
        for j in range(K):
            if next_of[j] < k and value[n - 1, j, next_of[j]] + end[j] > best:
                best, state = value[n - 1, j, next_of[j]] + end[j], j
        if state < 0:
            break
        scores[place] = best
        r = next_of[state]
        next_of[state] += 1
        for t in range(n - 1, -1, -1):
            paths[place, t] = state
            state, r = origin[t, state, r], rank[t, state, r]


@compiled
def draw_paths(first, last, offsets, unary, transition, start, end, uniform, paths):
    """Paths drawn with the probabilities of the chains, one number of ``uniform`` used per position."""
    K = unary.shape[1]
    shared = len(transition) == 1
    weight = np.empty(K)
    for s in range(first, last):
        low, n = offsets[s], offsets[s + 1] - offsets[s]
        if n == 0:
            continue
        forward, _ = _log_messages(low, n, unary, transition, start, end, False)
        for draw in range(len(paths)):
            state = 0
            for t in range(n - 1, -1, -1):
                m = low + t + 1 if not shared else 0
                for i in range(K):
                    weight[i] = forward[t, i] + (transition[m, i, state] if t < n - 1 else 0.0)
                highest = weight.max()
                total = 0.0
                for i in range(K):
                    weight[i] = np.exp(weight[i] - highest)
                    total += weight[i]
                rest = uniform[draw, low + t] * total
                state = 0
                last_possible = 0
                for i in range(K):
                    if weight[i] > 0.0:
                        last_possible = i
                        if rest < weight[i]:
                            break
                        rest -= weight[i]
                state = last_possible
                paths[draw, low + t] = state
