"""The quadratic program of a labelling: expected scores, projections onto simplices, rounding."""

import numpy as np

from treatise._core.jit import compiled


@compiled
def expected_scores(offset, unary, edges, pair_offset, pairs, mu, field):
    """``theta_s + sum_t theta_st mu_t`` for all variables and states."""
    for x in range(len(unary)):
        field[x] = unary[x]
    for e in range(len(edges)):
        s, t = edges[e]
        at = pair_offset[e]
        for x in range(offset[s], offset[s + 1]):
            acc = 0.0
            for y in range(offset[t], offset[t + 1]):
                acc += pairs[at] * mu[y]
                field[y] += pairs[at] * mu[x]
                at += 1
            field[x] += acc


@compiled
def project_simplices(offset, values):
    """Move each variable's part of ``values`` to the nearest point of the simplex.

    What is taken from all entries alike is found by dropping, again and again, the entries that would not stay
    positive; compiling a sort would cost more than it saves for so few.
    """
    for s in range(len(offset) - 1):
        low, high = offset[s], offset[s + 1]
        threshold, count, before = -np.inf, 0, -1
        while count != before:
            before = count
            total, count = 0.0, 0
            for k in range(low, high):
                if values[k] > threshold:
                    total += values[k]
                    count += 1
            threshold = (total - 1.0) / count
        for k in range(low, high):
            values[k] = max(values[k] - threshold, 0.0)


@compiled
def linear_maximum(offset, gradient):
    """Largest value of a linear function over the product of simplices."""
    total = 0.0
    for s in range(len(offset) - 1):
        best = -np.inf
        for k in range(offset[s], offset[s + 1]):
            best = max(best, gradient[k])
        total += best
    return total


@compiled
def round_in_turn(offset, unary, edges, pair_offset, pairs, first, incident, mu, labels):
    """One pass of the rounding of Theorem 3: every variable to its best state given the others' probabilities.

    Never lowers the expected score. Returns the number of labels that changed.
    """
    changes = 0
    for s in range(len(offset) - 1):
        K = offset[s + 1] - offset[s]
        best, label = -np.inf, 0
        for x in range(K):
            value = unary[offset[s] + x]
            for i in range(first[s], first[s + 1]):
                end, e = incident[i] & 1, incident[i] // 2
                t = edges[e, 1 - end]
                L = offset[t + 1] - offset[t]
                for y in range(L):
                    at = x * L + y if end == 0 else y * K + x
                    value += pairs[pair_offset[e] + at] * mu[offset[t] + y]
            # A tie keeps the present label, so that passes end.
            if value > best or (value == best and x == labels[s]):
                best, label = value, x
        if label != labels[s]:
            changes += 1
            labels[s] = label
        for x in range(K):
            mu[offset[s] + x] = 1.0 if x == label else 0.0
    return changes
