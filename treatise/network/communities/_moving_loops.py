"""Compiled loops of local moving: nodes change clusters while that raises the quality; clusters become nodes.

A graph is in compressed rows without its loops; ``loops``, ``volumes`` and ``sizes`` belong to its nodes. A cluster is
known by its inner weight w, its volume v and its number of nodes n (van Laarhoven & Marchiori, JMLR 15:193, section
5); ``form`` holds the four numbers of a quality function (see ``quality.py``).
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step

# A gain below this share of the terms it is made of may be nothing but rounding, and nodes would move for ever.
LEAST_GAIN = 1e-12


@compiled_step
def cluster_term(form, w, v, n):
    """What one cluster adds to the quality: ``w / S - c (v / S)^2 - d n^2``, ``S = a + b v``, (a, b, c, d) the form."""
    S = form[0] + form[1] * v
    if S <= 0.0:
        return -form[3] * n * n
    share = v / S
    return w / S - form[2] * share * share - form[3] * n * n


@compiled
def move_nodes(indptr, indices, weights, loops, volumes, sizes, labels, form, order, bounds, most):
    """Move nodes, first in the given order, then those whose neighbours moved; returns the moves, -1 if too many.

    ``labels`` changes in place. Nodes go only to clusters with the same bound as theirs, or to an empty one: with all
    bounds alike this is plain local moving.
    """
    count = len(labels)
    w, v, n, members = np.zeros(count), np.zeros(count), np.zeros(count), np.zeros(count, np.int64)
    for i in range(count):
        c = labels[i]
        w[c] += loops[i]
        v[c] += volumes[i]
        n[c] += sizes[i]
        members[c] += 1
        for place in range(indptr[i], indptr[i + 1]):
            if labels[indices[place]] == c:
                w[c] += weights[place]
    empty = np.empty(count, np.int64)
    n_empty = 0
    for c in range(count):
        if members[c] == 0:
            empty[n_empty] = c
            n_empty += 1
    queue, waiting = order.copy(), np.ones(count, np.bool_)
    first, length, moves = 0, count, 0
    towards, near = np.zeros(count), np.empty(count, np.int64)
    while length > 0:
        i = queue[first]
        first = first + 1 if first + 1 < count else 0
        length -= 1
        waiting[i] = False
        home = labels[i]
        n_near = 0
        for place in range(indptr[i], indptr[i + 1]):
            j = indices[place]
            if bounds[j] == bounds[i]:
                c = labels[j]
                if towards[c] == 0.0:
                    near[n_near] = c
                    n_near += 1
                towards[c] += weights[place]
        rest_w, rest_v, rest_n = w[home] - 2.0 * towards[home] - loops[i], v[home] - volumes[i], n[home] - sizes[i]
        if members[home] == 1:
            rest_w, rest_v, rest_n = 0.0, 0.0, 0.0
        before = cluster_term(form, w[home], v[home], n[home])
        rest = cluster_term(form, rest_w, rest_v, rest_n)
        best, target = LEAST_GAIN * (abs(before) + abs(rest)), home
        for k in range(n_near):
            c = near[k]
            if c == home:
                continue
            old = cluster_term(form, w[c], v[c], n[c])
            new = cluster_term(form, w[c] + 2.0 * towards[c] + loops[i], v[c] + volumes[i], n[c] + sizes[i])
            gain = (new - old) + (rest - before)
            if gain > best and gain > LEAST_GAIN * (abs(new) + abs(old)):
                best, target = gain, c
        if members[home] > 1 and n_empty > 0:
            gain = cluster_term(form, loops[i], volumes[i], sizes[i]) + rest - before
            if gain > best:
                best, target = gain, empty[n_empty - 1]
        if target != home:
            if members[target] == 0:
                n_empty -= 1
                w[target], v[target], n[target] = 0.0, 0.0, 0.0
            w[target] += 2.0 * towards[target] + loops[i]
            v[target] += volumes[i]
            n[target] += sizes[i]
            members[target] += 1
            w[home], v[home], n[home] = rest_w, rest_v, rest_n
            members[home] -= 1
            if members[home] == 0:
                empty[n_empty] = home
                n_empty += 1
            labels[i] = target
            moves += 1
            for place in range(indptr[i], indptr[i + 1]):
                j = indices[place]
                if not waiting[j] and labels[j] != target:
                    waiting[j] = True
                    last = first + length
                    queue[last if last < count else last - count] = j
                    length += 1
        for k in range(n_near):
            towards[near[k]] = 0.0
        if moves > most:
            return -1
    return moves


@compiled
def number_clusters(labels):
    """Give clusters the numbers 0, 1, ... in the order in which they appear, in place; returns how many there are."""
    numbers = np.full(len(labels), -1, np.int64)
    found = 0
    for i in range(len(labels)):
        c = labels[i]
        if numbers[c] < 0:
            numbers[c] = found
            found += 1
        labels[i] = numbers[c]
    return found


@compiled
def contract(indptr, indices, weights, loops, volumes, sizes, labels, count):
    """The graph of the clusters: a cluster's loop is its inner weight, so that every quality stays the same."""
    nodes = len(labels)
    starts = np.zeros(count + 1, np.int64)
    for i in range(nodes):
        starts[labels[i] + 1] += 1
    for c in range(count):
        starts[c + 1] += starts[c]
    members, filled = np.empty(nodes, np.int64), starts[:-1].copy()
    for i in range(nodes):
        members[filled[labels[i]]] = i
        filled[labels[i]] += 1
    new_loops, new_volumes, new_sizes = np.zeros(count), np.zeros(count), np.zeros(count)
    new_indptr = np.zeros(count + 1, np.int64)
    new_indices, new_weights = np.empty(len(indices), np.int64), np.empty(len(indices))
    towards, near, edges = np.zeros(count), np.empty(count, np.int64), 0
    for c in range(count):
        n_near = 0
        for place in range(starts[c], starts[c + 1]):
            i = members[place]
            new_loops[c] += loops[i]
            new_volumes[c] += volumes[i]
            new_sizes[c] += sizes[i]
            for edge in range(indptr[i], indptr[i + 1]):
                other = labels[indices[edge]]
                if other == c:
                    new_loops[c] += weights[edge]
                else:
                    if towards[other] == 0.0:
                        near[n_near] = other
                        n_near += 1
                    towards[other] += weights[edge]
        for k in range(n_near):
            new_indices[edges] = near[k]
            new_weights[edges] = towards[near[k]]
            towards[near[k]] = 0.0
            edges += 1
        new_indptr[c + 1] = edges
    return new_indptr, new_indices[:edges].copy(), new_weights[:edges].copy(), new_loops, new_volumes, new_sizes
