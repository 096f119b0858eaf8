"""Compiled parts of weighted transducers: composition with an epsilon filter, and sums over paths.

Label 0 is the empty symbol. Weights know their semiring by its code: 0 probability, 1 log, 2 tropical, 3 boolean.
"""

import numpy as np

from treatise._core.jit import compiled


@compiled
def plus(code, a, b):
    if code == 0:
        return a + b
    if code == 2:
        return min(a, b)
    if code == 3:
        return max(a, b)
    low, high = min(a, b), max(a, b)
    return low if high == np.inf else low - np.log1p(np.exp(low - high))


@compiled
def times(code, a, b):
    if code == 0:
        return a * b
    if code == 3:
        return min(a, b)
    return a + b


@compiled
def _grown(array, size):
    wider = np.empty(2 * size, array.dtype)
    for i in range(len(array)):
        wider[i] = array[i]
    return wider


@compiled
def compose_arcs(code, ptr1, in1, out1, w1, to1, start1, ptr2, in2, out2, w2, to2, start2):
    """Transitions of a composition from the reachable pairs of states (Section 4.1).

    Arcs of the second machine are sorted by input label within a state. Between two matched symbols the first machine
    takes all its steps of empty output, then the second all its steps of empty input: bit 0 of a state says that the
    second has begun. Without such a filter one path of the product would be counted once for every order.
    """
    n1, n2 = len(ptr1) - 1, len(ptr2) - 1
    number = np.full(2 * n1 * n2, -1, np.int32)
    pairs = np.empty(64, np.int64)
    source, label_in, label_out = np.empty(256, np.int64), np.empty(256, np.int64), np.empty(256, np.int64)
    weight, target = np.empty(256), np.empty(256, np.int64)
    n_pairs, n_arcs = 0, 0
    for i in start1:
        for j in start2:
            if n_pairs == len(pairs):
                pairs = _grown(pairs, n_pairs)
            key = 2 * (i * n2 + j)
            number[key] = n_pairs
            pairs[n_pairs] = key
            n_pairs += 1
    at = 0
    while at < n_pairs:
        key = pairs[at]
        begun, q1, q2 = key % 2, key // 2 // n2, key // 2 % n2
        for step in range(2):
            # Step 0: arcs of the first machine, with their matches; step 1: empty inputs of the second alone.
            first, last = (ptr1[q1], ptr1[q1 + 1]) if step == 0 else (0, 1)
            for e1 in range(first, last):
                alone = step == 0 and out1[e1] == 0
                wanted = out1[e1] if step == 0 else 0
                if alone and begun:
                    continue
                low, high = ptr2[q2], ptr2[q2 + 1]
                if alone:
                    low, high = 0, 1
                else:
                    while low < high:
                        middle = (low + high) // 2
                        if in2[middle] < wanted:
                            low = middle + 1
                        else:
                            high = middle
                    high = ptr2[q2 + 1]
                for e2 in range(low, high):
                    if not alone and in2[e2] != wanted:
                        break
                    if alone:
                        reached = 2 * (to1[e1] * n2 + q2)
                    elif step == 0:
                        reached = 2 * (to1[e1] * n2 + to2[e2])
                    else:
                        reached = 2 * (q1 * n2 + to2[e2]) + 1
                    if number[reached] < 0:
                        if n_pairs == len(pairs):
                            pairs = _grown(pairs, n_pairs)
                        number[reached] = n_pairs
                        pairs[n_pairs] = reached
                        n_pairs += 1
                    if n_arcs == len(source):
                        source, target, weight = _grown(source, n_arcs), _grown(target, n_arcs), _grown(weight, n_arcs)
                        label_in, label_out = _grown(label_in, n_arcs), _grown(label_out, n_arcs)
                    source[n_arcs], target[n_arcs] = at, number[reached]
                    label_in[n_arcs] = in1[e1] if step == 0 else 0
                    label_out[n_arcs] = 0 if alone else out2[e2]
                    if alone:
                        weight[n_arcs] = w1[e1]
                    elif step == 0:
                        weight[n_arcs] = times(code, w1[e1], w2[e2])
                    else:
                        weight[n_arcs] = w2[e2]
                    n_arcs += 1
        at += 1
    return (
        pairs[:n_pairs] // 2, source[:n_arcs], label_in[:n_arcs], label_out[:n_arcs], weight[:n_arcs], target[:n_arcs]
    )  # fmt: skip


@compiled
def mark_reachable(ptr, target, alive, found):
    """Mark every state that arcs lead to from those marked already."""
    stack = np.empty(len(found), np.int64)
    size = 0
    for q in range(len(found)):
        if found[q]:
            stack[size] = q
            size += 1
    while size > 0:
        size -= 1
        q = stack[size]
        for e in range(ptr[q], ptr[q + 1]):
            if alive[e] and not found[target[e]]:
                found[target[e]] = True
                stack[size] = target[e]
                size += 1


@compiled
def topological_order(ptr, target, counted):
    """States in an order in which counted arcs lead forward; shorter than all states where these arcs have a cycle."""
    n = len(ptr) - 1
    waiting, order = np.zeros(n, np.int64), np.empty(n, np.int64)
    for q in range(n):
        for e in range(ptr[q], ptr[q + 1]):
            if counted[e]:
                waiting[target[e]] += 1
    size = 0
    for q in range(n):
        if waiting[q] == 0:
            order[size] = q
            size += 1
    at = 0
    while at < size:
        q = order[at]
        for e in range(ptr[q], ptr[q + 1]):
            if counted[e]:
                waiting[target[e]] -= 1
                if waiting[target[e]] == 0:
                    order[size] = target[e]
                    size += 1
        at += 1
    return order[:size]


@compiled
def distance_in_order(code, order, ptr, target, weight, counted, final):
    """Sum over paths of counted arcs from each state to the final ones, last states first (Section 4.2)."""
    distance = final.copy()
    for at in range(len(order) - 1, -1, -1):
        q = order[at]
        for e in range(ptr[q], ptr[q + 1]):
            if counted[e]:
                distance[q] = plus(code, distance[q], times(code, weight[e], distance[target[e]]))
    return distance


@compiled
def distance_by_relaxation(code, ptr, target, weight, final):
    """The same where arcs have cycles and sums are minima or maxima; the flag is false where they never settle."""
    distance = final.copy()
    n = len(ptr) - 1
    for _ in range(n + 1):
        changed = False
        for q in range(n - 1, -1, -1):
            for e in range(ptr[q], ptr[q + 1]):
                better = plus(code, distance[q], times(code, weight[e], distance[target[e]]))
                if better != distance[q]:
                    distance[q] = better
                    changed = True
        if not changed:
            return distance, True
    return distance, False
