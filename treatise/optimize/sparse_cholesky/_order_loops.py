"""An order of elimination that keeps a sparse factor thin: approximate minimum degree on a quotient graph.

A variable that is eliminated joins its neighbours to each other. Instead of adding these edges, the graph keeps the
eliminated variable as an *element* with the list of those that it joined; a variable has a list of elements and one of
variables. An element whose variables all belong to a newer one is absorbed by it, and variables that cannot be told
apart go as one.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step

VARIABLE, ELEMENT, GONE = 0, 1, 2


@compiled_step
def unlink(i, degree, head, after, before):
    """Take a variable out of the list of its degree."""
    if before[i] >= 0:
        after[before[i]] = after[i]
    else:
        head[degree[i]] = after[i]
    if after[i] >= 0:
        before[after[i]] = before[i]


@compiled_step
def link(i, degree, head, after, before):
    """Put a variable in front of the list of its degree."""
    first = head[degree[i]]
    after[i], before[i] = first, -1
    if first >= 0:
        before[first] = i
    head[degree[i]] = i


@compiled_step
def packed(store, start, n_elements, n_variables, kind, room):
    """All living lists in a new store with so much room behind them, and where it ends."""
    total = 0
    for i in range(len(start)):
        if kind[i] != GONE:
            total += n_elements[i] + n_variables[i]
    fresh = np.empty(2 * total + room, np.int64)
    end = 0
    for i in range(len(start)):
        if kind[i] != GONE:
            size = n_elements[i] + n_variables[i]
            fresh[end : end + size] = store[start[i] : start[i] + size]
            start[i] = end
            end += size
    return fresh, end


@compiled_step
def joined(p, store, start, n_elements, n_variables, kind, weight, seen, stamp, out):
    """The variables that eliminating ``p`` joins, written to ``out``; gives their number and total weight."""
    size, total = 0, 0
    seen[p] = stamp
    first = start[p]
    for k in range(n_elements[p] + n_variables[p]):
        other = store[first + k]
        if k < n_elements[p]:
            if kind[other] != ELEMENT:
                continue
            for place in range(start[other], start[other] + n_variables[other]):
                i = store[place]
                if weight[i] > 0 and seen[i] != stamp and kind[i] == VARIABLE:
                    seen[i] = stamp
                    out[size] = i
                    size += 1
                    total += weight[i]
            kind[other] = GONE
        elif weight[other] > 0 and seen[other] != stamp and kind[other] == VARIABLE:
            seen[other] = stamp
            out[size] = other
            size += 1
            total += weight[other]
    return size, total


@compiled_step
def overlap(members, size, store, start, n_elements, kind, weight, reach, outside, outside_stamp, stamp):
    """For every element that meets the new one: the weight of what it has outside of it."""
    for k in range(size):
        i = members[k]
        for place in range(start[i], start[i] + n_elements[i]):
            e = store[place]
            if kind[e] == ELEMENT:
                if outside_stamp[e] != stamp:
                    outside_stamp[e] = stamp
                    outside[e] = reach[e]
                outside[e] -= weight[i]


@compiled_step
def rewrite(i, p, store, start, n_elements, n_variables, kind, weight, seen, stamp, outside, spare):
    """The lists of a variable beside the new element ``p``; gives its degree outside of it and a sum of its names."""
    first, kept = start[i], 0
    degree, names = 0, p
    spare[kept] = p
    kept += 1
    for place in range(first, first + n_elements[i]):
        e = store[place]
        if kind[e] == ELEMENT:
            if outside[e] > 0:
                spare[kept] = e
                kept += 1
                degree += outside[e]
                names += e
            else:
                kind[e] = GONE
    elements = kept
    for place in range(first + n_elements[i], first + n_elements[i] + n_variables[i]):
        j = store[place]
        if weight[j] > 0 and kind[j] == VARIABLE and seen[j] != stamp:
            spare[kept] = j
            kept += 1
            degree += weight[j]
            names += j
    # The lists never grow: the new element stands for at least one name that is gone.
    store[first : first + kept] = spare[:kept]
    n_elements[i], n_variables[i] = elements, kept - elements
    return degree, names


@compiled_step
def alike(i, j, store, start, n_elements, n_variables, mark, stamp):
    """Whether two variables have the same lists."""
    if n_elements[i] != n_elements[j] or n_variables[i] != n_variables[j]:
        return False
    size, same = n_elements[i] + n_variables[i], 0
    for place in range(start[i], start[i] + size):
        mark[store[place]] = stamp
    while same < size and mark[store[start[j] + same]] == stamp:
        same += 1
    return same == size


@compiled
def eliminate(indptr, indices, rank, leader):
    """Approximate minimum degree (Amestoy, Davis and Duff, 1996) of a symmetric graph without loops.

    ``rank[i]`` becomes the turn in which ``i`` is eliminated if it leads, and ``leader[i]`` the variable with which
    it goes, itself for a leader.
    """
    n = len(indptr) - 1
    store = np.empty(2 * len(indices) + n, np.int64)
    store[: len(indices)] = indices
    end = len(indices)
    start, kind = indptr[:n].copy(), np.zeros(n, np.int64)
    n_elements, n_variables = np.zeros(n, np.int64), indptr[1:] - indptr[:n]
    degree, weight = n_variables.copy(), np.ones(n, np.int64)
    head, after, before = np.full(n + 1, -1), np.empty(n, np.int64), np.empty(n, np.int64)
    seen, mark = np.full(n, -1), np.full(n, -1)
    outside, outside_stamp, reach = np.zeros(n, np.int64), np.full(n, -1), np.zeros(n, np.int64)
    members, spare, names = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64), np.zeros(n, np.int64)
    bucket, chain = np.full(n + 1, -1), np.empty(n, np.int64)
    for i in range(n):
        leader[i] = i
        link(i, degree, head, after, before)
    left, turn, least, marks = n, 0, 0, 0
    while left > 0:
        while head[least] < 0:
            least += 1
        p = head[least]
        unlink(p, degree, head, after, before)
        size, total = joined(p, store, start, n_elements, n_variables, kind, weight, seen, turn, members)
        kind[p] = ELEMENT
        left -= weight[p]
        overlap(members, size, store, start, n_elements, kind, weight, reach, outside, outside_stamp, turn)
        for k in range(size):
            i = members[k]
            unlink(i, degree, head, after, before)
            beyond, name = rewrite(
                i, p, store, start, n_elements, n_variables, kind, weight, seen, turn, outside, spare
            )
            if beyond == 0:  # it would be eliminated next, without a new edge
                leader[i] = p
                kind[i] = GONE
                left -= weight[i]
                total -= weight[i]
                weight[i] = 0
                continue
            names[i] = name % n
            degree[i] = min(degree[i] + total - weight[i], beyond + total - weight[i])
            chain[i] = bucket[names[i]]
            bucket[names[i]] = i
        for k in range(size):
            i = members[k]
            if weight[i] == 0 or bucket[names[i]] < 0:
                continue
            first = bucket[names[i]]
            bucket[names[i]] = -1
            while first >= 0:
                last, j = first, chain[first]
                while j >= 0:
                    marks += 1
                    if alike(first, j, store, start, n_elements, n_variables, mark, marks):
                        weight[first] += weight[j]
                        degree[first] -= weight[j]
                        leader[j], weight[j], kind[j] = first, 0, GONE
                        chain[last] = chain[j]
                    else:
                        last = j
                    j = chain[j]
                first = chain[first]
        if end + size > len(store):
            n_elements[p], n_variables[p] = 0, 0
            store, end = packed(store, start, n_elements, n_variables, kind, size + n)
        start[p], n_elements[p] = end, 0
        for k in range(size):
            i = members[k]
            if weight[i] > 0:
                store[end] = i
                end += 1
                degree[i] = max(0, min(degree[i], left - weight[i]))
                link(i, degree, head, after, before)
                least = min(least, degree[i])
        n_variables[p], reach[p] = end - start[p], total
        if n_variables[p] == 0:
            kind[p] = GONE
        weight[p] = 0
        rank[p] = turn
        turn += 1
