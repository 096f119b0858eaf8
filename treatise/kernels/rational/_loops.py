"""Compiled parts of weighted transducers: composition with an epsilon filter, and sums over paths.

Label 0 is the empty symbol. Weights know their semiring by its code: 0 probability, 1 log, 2 tropical, 3 boolean.
"""

from typing import NamedTuple

import numpy as np

from treatise._core.jit import compiled, compiled_step


@compiled_step
def plus(code, a, b):
    if code == 0:
        return a + b
    if code == 2:
        return min(a, b)
    if code == 3:
        return max(a, b)
    low, high = min(a, b), max(a, b)
    return low if high == np.inf else low - np.log1p(np.exp(low - high))


@compiled_step
def times(code, a, b):
    if code == 0:
        return a * b
    if code == 3:
        return min(a, b)
    return a + b


@compiled_step
def _grown(array, size):
    wider = np.empty(2 * size, array.dtype)
    for i in range(len(array)):
        wider[i] = array[i]
    return wider


class Arcs(NamedTuple):
    """Transitions of a machine, those that leave state q from ``ptr[q]`` to ``ptr[q + 1]``, and where it may start."""

    ptr: np.ndarray
    read: np.ndarray
    written: np.ndarray
    weight: np.ndarray
    target: np.ndarray
    starts: np.ndarray


@compiled
def compose_arcs(code, first, second):
    """Transitions of a composition from the reachable pairs of states (Section 4.1).

    Arcs of the second machine are sorted by input label within a state. Between two matched symbols the first machine
    takes all its steps of empty output, then the second all its steps of empty input: bit 0 of a pair says that the
    second has begun. Without such a filter one path of the product would be counted once for every order.
    """
    n2 = len(second.ptr) - 1
    number = np.full(2 * (len(first.ptr) - 1) * n2, -1, np.int32)
    pairs, n_pairs = np.empty(64, np.int64), 0
    made = (np.empty(256, np.int64), np.empty(256, np.int64), np.empty(256, np.int64), np.empty(256, np.int64))
    weights, n_arcs = np.empty(256), 0
    for i in first.starts:
        for j in second.starts:
            pairs, n_pairs = _reach(number, pairs, n_pairs, 2 * (i * n2 + j))
    at = 0
    while at < n_pairs:
        begun, q1, q2 = pairs[at] % 2, pairs[at] // 2 // n2, pairs[at] // 2 % n2
        end = second.ptr[q2 + 1]
        for e1 in range(first.ptr[q1], first.ptr[q1 + 1]):
            written = first.written[e1]
            if written == 0:
                # The first machine moves alone, as long as the second has not begun.
                if not begun:
                    reached = 2 * (first.target[e1] * n2 + q2)
                    pairs, n_pairs = _reach(number, pairs, n_pairs, reached)
                    made, weights = _with_room(made, weights, n_arcs)
                    _write(made, n_arcs, at, first.read[e1], 0, number[reached])
                    weights[n_arcs] = first.weight[e1]
                    n_arcs += 1
                continue
            for e2 in range(_first_reading(second.read, second.ptr[q2], end, written), end):
                if second.read[e2] != written:
                    break
                reached = 2 * (first.target[e1] * n2 + second.target[e2])
                pairs, n_pairs = _reach(number, pairs, n_pairs, reached)
                made, weights = _with_room(made, weights, n_arcs)
                _write(made, n_arcs, at, first.read[e1], second.written[e2], number[reached])
                weights[n_arcs] = times(code, first.weight[e1], second.weight[e2])
                n_arcs += 1
        for e2 in range(_first_reading(second.read, second.ptr[q2], end, 0), end):
            # The second machine moves alone, and has begun.
            if second.read[e2] != 0:
                break
            reached = 2 * (q1 * n2 + second.target[e2]) + 1
            pairs, n_pairs = _reach(number, pairs, n_pairs, reached)
            made, weights = _with_room(made, weights, n_arcs)
            _write(made, n_arcs, at, 0, second.written[e2], number[reached])
            weights[n_arcs] = second.weight[e2]
            n_arcs += 1
        at += 1
    source, read, written, target = made
    return (
        pairs[:n_pairs] // 2, source[:n_arcs], read[:n_arcs], written[:n_arcs], weights[:n_arcs], target[:n_arcs]
    )  # fmt: skip


@compiled_step
def _first_reading(read, low, high, label):
    """The first of the sorted arcs from ``low`` to ``high`` whose input is not below ``label``."""
    while low < high:
        middle = (low + high) // 2
        if read[middle] < label:
            low = middle + 1
        else:
            high = middle
    return low


@compiled_step
def _reach(number, pairs, n_pairs, key):
    """Number a pair of states where it is new; returns the list of pairs and its length."""
    if number[key] >= 0:
        return pairs, n_pairs
    if n_pairs == len(pairs):
        pairs = _grown(pairs, n_pairs)
    number[key] = n_pairs
    pairs[n_pairs] = key
    return pairs, n_pairs + 1


@compiled_step
def _with_room(made, weights, n_arcs):
    """Columns of arcs with room for one more."""
    if n_arcs < len(weights):
        return made, weights
    source, read, written, target = made
    made = (_grown(source, n_arcs), _grown(read, n_arcs), _grown(written, n_arcs), _grown(target, n_arcs))
    return made, _grown(weights, n_arcs)


@compiled_step
def _write(made, place, source, read, written, target):
    made[0][place], made[1][place], made[2][place], made[3][place] = source, read, written, target


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


@compiled
def weight_of_writing(code, zero, order, first_empty, arcs, initial, final, labels):
    """Sum over the paths of a machine that write a string, without the composition of both.

    Arcs are sorted by what they write within a state, and ``order`` is one in which those that write nothing lead
    forward; ``first_empty`` tells whether there are any. Costs the length of the string times the arcs that match.
    """
    present, following = initial.copy(), np.empty(len(initial))
    for place in range(len(labels) + 1):
        if first_empty:
            for q in order:
                if present[q] == zero:
                    continue
                for e in range(arcs.ptr[q], arcs.ptr[q + 1]):
                    if arcs.written[e] != 0:
                        break
                    r = arcs.target[e]
                    present[r] = plus(code, present[r], times(code, present[q], arcs.weight[e]))
        if place == len(labels):
            break
        following[:] = zero
        for q in range(len(present)):
            if present[q] == zero:
                continue
            end = arcs.ptr[q + 1]
            for e in range(_first_reading(arcs.written, arcs.ptr[q], end, labels[place]), end):
                if arcs.written[e] != labels[place]:
                    break
                r = arcs.target[e]
                following[r] = plus(code, following[r], times(code, present[q], arcs.weight[e]))
        present, following = following, present
    total = zero
    for q in range(len(present)):
        total = plus(code, total, times(code, present[q], final[q]))
    return total
