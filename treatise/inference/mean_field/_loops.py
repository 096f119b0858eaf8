"""Coordinate ascent on products of distributions."""

import numpy as np

from treatise._core.jit import compiled, compiled_step


@compiled_step
def expected_scores(s, offset, unary, edges, pair_offset, pairs, counted, first, incident, q, field):
    """Scores of the states of s, its neighbours over the ``counted`` edges taken on average."""
    K = offset[s + 1] - offset[s]
    for x in range(K):
        field[x] = unary[offset[s] + x]
    for i in range(first[s], first[s + 1]):
        end, e = incident[i] & 1, incident[i] // 2
        if not counted[e]:
            continue
        t = edges[e, 1 - end]
        L = offset[t + 1] - offset[t]
        step_s, step_t = (L, 1) if end == 0 else (1, K)
        for x in range(K):
            acc = 0.0
            for y in range(L):
                # A state of no probability counts nothing, however its pairs score.
                if q[offset[t] + y] > 0.0:
                    acc += q[offset[t] + y] * pairs[pair_offset[e] + x * step_s + y * step_t]
            field[x] += acc


@compiled
def naive_sweep(offset, unary, edges, pair_offset, pairs, counted, first, incident, q):
    """Update every variable in turn to the best distribution given the others; return the largest change."""
    largest = 0
    for s in range(len(offset) - 1):
        largest = max(largest, offset[s + 1] - offset[s])
    field = np.empty(largest)
    change = 0.0
    for s in range(len(offset) - 1):
        K = offset[s + 1] - offset[s]
        expected_scores(s, offset, unary, edges, pair_offset, pairs, counted, first, incident, q, field)
        top = -np.inf
        for x in range(K):
            top = max(top, field[x])
        if top == -np.inf:
            return np.nan
        acc = 0.0
        for x in range(K):
            field[x] = np.exp(field[x] - top)
            acc += field[x]
        for x in range(K):
            new = field[x] / acc
            change = max(change, abs(new - q[offset[s] + x]))
            q[offset[s] + x] = new
    return change


@compiled
def all_expected_scores(nodes, offset, unary, edges, pair_offset, pairs, counted, first, incident, q, fields):
    """The expected scores of some variables, written into ``fields`` at their places."""
    for s in nodes:
        expected_scores(
            s, offset, unary, edges, pair_offset, pairs, counted, first, incident, q, fields[offset[s] : offset[s + 1]]
        )


@compiled
def coupling_energy(offset, edges, pair_offset, pairs, counted, q):
    """Expected score of the ``counted`` edges when their ends are independent."""
    total = 0.0
    for e in range(len(edges)):
        if not counted[e]:
            continue
        s, t = edges[e]
        L = offset[t + 1] - offset[t]
        for x in range(offset[s + 1] - offset[s]):
            for y in range(L):
                weight = q[offset[s] + x] * q[offset[t] + y]
                if weight > 0.0:
                    total += weight * pairs[pair_offset[e] + x * L + y]
    return total


@compiled
def outer_products(offset, edges, pair_offset, q, pairs):
    """Joint probabilities of the ends of every edge when they are independent."""
    for e in range(len(edges)):
        s, t = edges[e]
        L = offset[t + 1] - offset[t]
        for x in range(offset[s + 1] - offset[s]):
            for y in range(L):
                pairs[pair_offset[e] + x * L + y] = q[offset[s] + x] * q[offset[t] + y]
