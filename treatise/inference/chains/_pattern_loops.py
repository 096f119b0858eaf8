"""Messages along chains whose states are label patterns: sums in scaled linear space, logarithms, maxima.

Strings of the trie of patterns (arcs) number far fewer than pairs of state and label. The mass that takes an arc is
the mass of all states that its parent is a suffix of, less what takes a longer arc: both are sums over subtrees of the
tree of suffixes, so a position costs one visit of each state and arc. Where the difference would lose digits it is
summed anew, state by state.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.inference.chains._step_loops import fill, scale_to_one

# A difference keeps eleven digits if it is not smaller than this share of its terms.
_CANCELLED = 1e-5


@compiled_step
def _clear(values, low, n):
    for t in range(low, low + n):
        for d in range(values.shape[1]):
            fill(values[t, d], 0.0)


@compiled
def arc_scores(pattern_scores, arc_pattern, fail, scores):
    """Score of each arc: that of its own pattern and of every pattern that ends it (log Psi but for the label)."""
    for t in range(pattern_scores.shape[0]):
        for d in range(pattern_scores.shape[1]):
            for q in range(len(fail)):
                own = pattern_scores[t, d, arc_pattern[q]] if arc_pattern[q] >= 0 else 0.0
                scores[t, d, q] = own + (scores[t, d, fail[q]] if fail[q] >= 0 else 0.0)


@compiled
def occurrences(fail, counts):
    """Add to each arc the counts of the arcs that it is a suffix of: its occurrences as a pattern."""
    for t in range(counts.shape[0]):
        for d in range(counts.shape[1]):
            for q in range(len(fail) - 1, -1, -1):
                if fail[q] >= 0:
                    counts[t, d, fail[q]] += counts[t, d, q]


@compiled_step
def _outflow(arcs, mass, subtree, flow):
    """Mass that takes each arc, of states with ``mass``."""
    n_states = len(mass)
    for p in range(n_states):
        subtree[p] = mass[p]
    for p in range(n_states - 1, 0, -1):
        subtree[arcs.fail_state[p]] += subtree[p]
    for q in range(len(flow)):
        whole = subtree[arcs.parent[q]]
        first, last = arcs.closer_start[q], arcs.closer_start[q + 1]
        if first == last:
            flow[q] = whole
            continue
        taken = 0.0
        for i in range(first, last):
            taken += subtree[arcs.closer[i]]
        rest = whole - taken
        if rest < _CANCELLED * whole:
            rest = 0.0
            p = arcs.parent[q]
            end = arcs.state_end[p]
            i = first
            while p < end:
                if i < last and p == arcs.closer[i]:
                    p = arcs.state_end[p]
                    i += 1
                else:
                    rest += mass[p]
                    p += 1
        flow[q] = rest


@compiled_step
def _backward_states(arcs, ahead, label_taken, stamp, size, values):
    """Sum over labels of what lies ahead of each state, from what lies ahead of the arcs. Returns the next stamp."""
    total = 0.0
    for i in range(arcs.child_start[0], arcs.child_start[1]):
        total += ahead[arcs.child[i]]
    values[0] = total
    size[0] = total
    for p in range(1, len(values)):
        shorter = arcs.fail_state[p]
        value, terms = values[shorter], size[shorter]
        for i in range(arcs.child_start[p], arcs.child_start[p + 1]):
            q = arcs.child[i]
            value += ahead[q] - ahead[arcs.fail[q]]
            terms += ahead[q]
        if value < _CANCELLED * terms:
            stamp += 1
            value = 0.0
            suffix = p
            while suffix >= 0:
                for i in range(arcs.child_start[suffix], arcs.child_start[suffix + 1]):
                    q = arcs.child[i]
                    if label_taken[arcs.label[q]] != stamp:
                        label_taken[arcs.label[q]] = stamp
                        value += ahead[q]
                suffix = arcs.fail_state[suffix]
            terms = value
        values[p] = value
        size[p] = terms
    return stamp


@compiled
def sums_scaled(first, last, offsets, segments, weights, top, arcs, log_z, nodes, counts, want):
    """Forward and backward sums of the sequences from ``first`` to ``last``.

    ``segments[t, d, y]`` scores a segment of d + 1 positions that ends at t with label y; ``weights[t, d, q]`` times
    exp(``top[t, d]``) is the factor of arc q, with one row for all t, or d, where they share it. Written: ``log_z``;
    ``nodes``, the marginals of the segments; added to: ``counts``, those of the arcs, in the shape of ``weights``.
    A sequence whose numbers underflow gets ``log_z = nan``: its scores need logarithms.
    """
    by_position = len(weights) > 1
    factor = np.empty(segments.shape[1:])
    for s in range(first, last):
        low, n = offsets[s], offsets[s + 1] - offsets[s]
        if n == 0:
            log_z[s] = 0.0
            continue
        log_c, flow = np.zeros(n + 1), np.empty((n, len(arcs.parent)))
        log_z[s] = _forward_scaled(low, n, segments, weights, top, arcs, factor, log_c, flow)
        if not want or np.isnan(log_z[s]):
            continue
        own = counts if by_position else np.zeros(counts.shape)
        _clear(nodes, low, n)
        z = _backward_scaled(low, n, segments, weights, top, arcs, factor, log_c, flow, nodes, own)
        # Both directions sum the same paths; where they disagree, numbers were lost.
        if not abs(z - log_z[s]) < 1e-8 * max(1.0, abs(log_z[s])):
            log_z[s] = np.nan
            if by_position:
                _clear(own, low, n)
        elif not by_position:
            for d in range(counts.shape[1]):
                for q in range(counts.shape[2]):
                    counts[0, d, q] += own[0, d, q]


@compiled_step
def _forward_scaled(low, n, segments, weights, top, arcs, factor, log_c, flow):
    """The mass that takes each arc after each position, ``flow``, times exp(``log_c``); gives log Z, or nan.

    Mass of the states after position j (the paper's alpha): what ends there began at the positions before it, each of
    which has a scale of its own.
    """
    L, K = segments.shape[1:]
    by_position, by_length = len(weights) > 1, weights.shape[1] > 1
    alpha, subtree = np.empty(len(arcs.fail_state)), np.empty(len(arcs.fail_state))
    fill(alpha, 0.0)
    alpha[0] = 1.0
    for j in range(1, n + 1):
        _outflow(arcs, alpha, subtree, flow[j - 1])
        t = low + j - 1
        row = t if by_position else 0
        highest = -np.inf
        for d in range(min(L, j)):
            for y in range(K):
                factor[d, y] = segments[t, d, y] + log_c[j - d - 1] + top[row, d if by_length else 0]
                highest = max(highest, factor[d, y])
        fill(alpha, 0.0)
        if highest == -np.inf:
            log_c[j] = -np.inf
            continue
        for d in range(min(L, j)):
            for y in range(K):
                factor[d, y] = np.exp(factor[d, y] - highest)
            column = d if by_length else 0
            for q in range(flow.shape[1]):
                alpha[arcs.target[q]] += flow[j - d - 1, q] * weights[row, column, q] * factor[d, arcs.label[q]]
        c = scale_to_one(alpha)
        if c == 0.0:
            return np.nan
        log_c[j] = highest + np.log(c)
    return np.nan if log_c[n] == -np.inf else log_c[n]


@compiled_step
def _backward_scaled(low, n, segments, weights, top, arcs, factor, log_c, flow, nodes, own):
    """What lies ahead of each state (the paper's beta), and with it the marginals; gives log Z once more."""
    L, K = segments.shape[1:]
    n_states, n_arcs = len(arcs.fail_state), len(arcs.parent)
    by_position, by_length = len(weights) > 1, weights.shape[1] > 1
    beta, log_b = np.empty((n + 1, n_states)), np.zeros(n + 1)
    ahead, size, label_taken = np.empty(n_arcs), np.empty(n_states), np.zeros(K, np.int64)
    fill(beta[n], 1.0)
    stamp = np.int64(0)
    for j in range(n - 1, -1, -1):
        highest = -np.inf
        for d in range(min(L, n - j)):
            t = low + j + d
            shift = log_b[j + d + 1] + top[t if by_position else 0, d if by_length else 0]
            for y in range(K):
                factor[d, y] = segments[t, d, y] + shift
                highest = max(highest, factor[d, y])
        if highest == -np.inf:
            log_b[j] = -np.inf
            continue
        # In two halves: either alone may be beyond the range of numbers where their product with both messages
        # is a probability.
        half = np.exp(0.5 * (log_c[j] + highest - log_c[n]))
        fill(ahead, 0.0)
        for d in range(min(L, n - j)):
            t = low + j + d
            row, column = t if by_position else 0, d if by_length else 0
            if log_b[j + d + 1] == -np.inf:
                continue
            for y in range(K):
                factor[d, y] = np.exp(factor[d, y] - highest)
            for q in range(n_arcs):
                y = arcs.label[q]
                value = weights[row, column, q] * factor[d, y] * beta[j + d + 1, arcs.target[q]]
                ahead[q] += value
                probability = (flow[j, q] * half) * (value * half)
                nodes[t, d, y] += probability
                own[row, column, q] += probability
        stamp = _backward_states(arcs, ahead, label_taken, stamp, size, beta[j])
        log_b[j] = highest + _scale_to_largest(beta[j])
    return log_b[0] + np.log(beta[0, 0])


@compiled_step
def _scale_to_largest(values):
    """Divide by the largest, whose logarithm is given back; -inf where there is none above 0."""
    largest = 0.0
    for value in values:
        largest = max(largest, value)
    if largest > 0.0:
        for i in range(len(values)):
            values[i] /= largest
    return np.log(largest) if largest > 0.0 else -np.inf


@compiled_step
def _log_add(a, b):
    if a < b:
        a, b = b, a
    return a if b == -np.inf else a + np.log1p(np.exp(b - a))


@compiled_step
def _log_outflow(arcs, mass, flow):
    """Logarithm of the mass that takes each arc, state by state."""
    for q in range(len(flow)):
        value = -np.inf
        p, end = arcs.parent[q], arcs.state_end[arcs.parent[q]]
        i, last = arcs.closer_start[q], arcs.closer_start[q + 1]
        while p < end:
            if i < last and p == arcs.closer[i]:
                p = arcs.state_end[p]
                i += 1
                continue
            value = _log_add(value, mass[p])
            p += 1
        flow[q] = value


@compiled
def sums_of_logarithms(s, offsets, segments, scores, arcs, log_z, nodes, counts):
    """What :func:`sums_scaled` computes, for one sequence, however far apart its scores lie; slower."""
    L, K = segments.shape[1], segments.shape[2]
    n_states, n_arcs = len(arcs.fail_state), len(arcs.parent)
    by_position, by_length = len(scores) > 1, scores.shape[1] > 1
    low, n = offsets[s], offsets[s + 1] - offsets[s]
    alpha = np.full((n + 1, n_states), -np.inf)
    alpha[0, 0] = 0.0
    flow = np.empty((n, n_arcs))
    for j in range(1, n + 1):
        _log_outflow(arcs, alpha[j - 1], flow[j - 1])
        t = low + j - 1
        for d in range(min(L, j)):
            for q in range(n_arcs):
                value = flow[j - d - 1, q] + segments[t, d, arcs.label[q]]
                value += scores[t if by_position else 0, d if by_length else 0, q]
                alpha[j, arcs.target[q]] = _log_add(alpha[j, arcs.target[q]], value)
    z = -np.inf
    for p in range(n_states):
        z = _log_add(z, alpha[n, p])
    log_z[s] = z
    if z == -np.inf:
        return
    beta = np.full((n + 1, n_states), -np.inf)
    fill(beta[n], 0.0)
    ahead = np.empty(n_arcs)
    label_taken = np.zeros(K, np.int64)
    stamp = 0
    _clear(nodes, low, n)
    for j in range(n - 1, -1, -1):
        fill(ahead, -np.inf)
        for d in range(min(L, n - j)):
            t = low + j + d
            row, column = t if by_position else 0, d if by_length else 0
            for q in range(n_arcs):
                y = arcs.label[q]
                value = segments[t, d, y] + scores[row, column, q] + beta[j + d + 1, arcs.target[q]]
                ahead[q] = _log_add(ahead[q], value)
                probability = np.exp(flow[j, q] + value - z)
                nodes[t, d, y] += probability
                counts[row, column, q] += probability
        for p in range(n_states):
            value = -np.inf
            suffix = p
            stamp += 1
            while suffix >= 0:
                for i in range(arcs.child_start[suffix], arcs.child_start[suffix + 1]):
                    q = arcs.child[i]
                    if label_taken[arcs.label[q]] != stamp:
                        label_taken[arcs.label[q]] = stamp
                        value = _log_add(value, ahead[q])
                suffix = arcs.fail_state[suffix]
            beta[j, p] = value


@compiled_step
def _maximum_outflow(arcs, mass, best, best_at, flow, origin):
    """Largest mass that takes each arc, and whose it is: mostly that of the whole subtree, without a search."""
    n_states = len(mass)
    for p in range(n_states):
        best[p] = mass[p]
        best_at[p] = p
    for p in range(n_states - 1, 0, -1):
        shorter = arcs.fail_state[p]
        if best[p] > best[shorter]:
            best[shorter] = best[p]
            best_at[shorter] = best_at[p]
    for q in range(len(flow)):
        p = arcs.parent[q]
        at = best_at[p]
        free = True
        for i in range(arcs.closer_start[q], arcs.closer_start[q + 1]):
            if arcs.closer[i] <= at < arcs.state_end[arcs.closer[i]]:
                free = False
                break
        if free:
            flow[q] = best[p]
            origin[q] = at
            continue
        value, at = -np.inf, -1
        end = arcs.state_end[p]
        i, last = arcs.closer_start[q], arcs.closer_start[q + 1]
        while p < end:
            if i < last and p == arcs.closer[i]:
                p = arcs.state_end[p]
                i += 1
                continue
            if mass[p] > value:
                value, at = mass[p], p
            p += 1
        flow[q] = value
        origin[q] = at


@compiled
def forward_maxima(low, n, segments, scores, arcs):
    """Score of the best way to each state after each position (the paper's delta), and how it was reached."""
    L = segments.shape[1]
    n_states, n_arcs = len(arcs.fail_state), len(arcs.parent)
    by_position, by_length = len(scores) > 1, scores.shape[1] > 1
    best, best_at = np.empty(n_states), np.empty(n_states, np.int32)
    flow, origin = np.empty((n, n_arcs)), np.empty((n, n_arcs), np.int32)
    # Read only where delta says that a state was reached.
    arc_of, length_of = np.empty((n + 1, n_states), np.int32), np.empty((n + 1, n_states), np.int32)
    delta = np.empty((n + 1, n_states))
    fill(delta[0], -np.inf)
    delta[0, 0] = 0.0
    for j in range(1, n + 1):
        _maximum_outflow(arcs, delta[j - 1], best, best_at, flow[j - 1], origin[j - 1])
        fill(delta[j], -np.inf)
        t = low + j - 1
        for d in range(min(L, j)):
            row, column = t if by_position else 0, d if by_length else 0
            for q in range(n_arcs):
                value = flow[j - d - 1, q] + scores[row, column, q] + segments[t, d, arcs.label[q]]
                p = arcs.target[q]
                if value > delta[j, p]:
                    delta[j, p] = value
                    arc_of[j, p] = q
                    length_of[j, p] = d
    return delta, origin, arc_of, length_of


@compiled
def best_paths(first, last, offsets, segments, scores, arcs, labels, starts, path_scores):
    """Viterbi's segmentations: the label of every position, and whether a segment starts there."""
    for s in range(first, last):
        low, n = offsets[s], offsets[s + 1] - offsets[s]
        delta, origin, arc_of, length_of = forward_maxima(low, n, segments, scores, arcs)
        state = 0
        for p in range(delta.shape[1]):
            if delta[n, p] > delta[n, state]:
                state = p
        path_scores[s] = delta[n, state]
        if path_scores[s] == -np.inf:
            continue
        j = n
        while j > 0:
            q, d = arc_of[j, state], length_of[j, state]
            j -= d + 1
            for t in range(low + j, low + j + d + 1):
                labels[t] = arcs.label[q]
                starts[t] = t == low + j
            state = origin[j, q]
