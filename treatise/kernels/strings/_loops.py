"""Depth-first walk over the trie of all features that some window matches inexactly (Leslie & Kuang, Section 3).

A node of the trie is a prefix of a feature, with the list of windows that still match it and, of each window, a
state: the cost of the match so far (mismatches, wildcards, minus log probability), or the last letter used of a gappy
match. Lists lie on one stack, children above their parents, so that the trie itself is never stored.
"""

import numpy as np

from treatise._core.jit import compiled

COSTS, GAPPY, WEIGHTED_GAPPY = 0, 1, 2
GRAM, DIAGONAL, FEATURES = 0, 1, 2


@compiled
def walk_trie(
    windows, start, sides, pair_ptr, pair_owner, pair_count, n_objects, n_left,
    depth, n_branches, choice_ptr, choice_branch, choice_cost, budget, kind, first, decay, output,
):  # fmt: skip
    """Visit every feature that matches windows of both sides; collect a Gram matrix, its diagonal, or the features.

    Window ``u`` occurs ``pair_count[p]`` times in object ``pair_owner[p]``, for ``p`` in
    ``pair_ptr[u]:pair_ptr[u + 1]``; ``sides[u]`` is 1 where one of the first ``n_left`` objects holds it, 2 where one
    of the others does, 3 for both. Letter ``a`` of a window may take the branches
    ``choice_branch[choice_ptr[a]:choice_ptr[a + 1]]`` at rising costs; their sum and ``start[u]`` must not exceed
    ``budget``.
    """
    symmetric = n_left == n_objects
    gram = np.zeros((n_left, n_objects - n_left))
    if output == GRAM and symmetric:
        gram = np.zeros((n_objects, n_objects))
    diagonal = np.zeros(n_objects if output == DIAGONAL else 0)
    rows, columns, values = np.empty(1024, np.int64), np.empty(1024, np.int64), np.empty(1024)
    patterns = np.empty(1024, np.int64)
    n_values, n_features = 0, 0

    n_windows = len(windows)
    member, state = np.empty(4 * n_windows + 64, np.int32), np.empty(4 * n_windows + 64)
    drawn = (np.empty(64, np.int32), np.empty(64, np.int32), np.empty(64))
    tally = np.zeros(n_branches, np.int64)
    segment = np.zeros((depth, n_branches + 1), np.int64)
    label = np.zeros((depth, n_branches), np.int64)
    n_children, child, path = np.zeros(depth, np.int64), np.zeros(depth, np.int64), np.zeros(depth, np.int64)
    weight, touched = np.zeros(n_objects), np.empty(n_objects, np.int64)
    trellis = np.empty((2, windows.shape[1] + 1))
    most = windows.shape[1] if kind != COSTS else n_branches

    for u in range(n_windows):
        member[u] = u
        state[u] = start[u]
    low, high, top, level = 0, n_windows, n_windows, 0
    descend = n_windows > 0
    while descend or level >= 0:
        if descend:
            if len(drawn[0]) < (high - low) * most:
                room = 2 * (high - low) * most
                drawn = (np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room))
            if kind == COSTS:
                m = _draw_by_cost(
                    windows, member, state, low, high, level, choice_ptr, choice_branch, choice_cost, budget, drawn
                )
            else:
                m = _draw_by_gap(windows, member, state, low, high, level, depth, first, drawn)
            if top + m > len(member):
                member, state = _grown(member, top + m), _grown(state, top + m)
            top, n_children[level] = _distribute(drawn, m, top, member, state, tally, segment[level], label[level])
            child[level] = -1
            descend = False
        child[level] += 1
        if child[level] >= n_children[level]:
            top = segment[level, 0]
            level -= 1
            continue
        low, high = segment[level, child[level]], segment[level, child[level] + 1]
        if not _on_both_sides(sides, member, low, high):
            continue
        path[level] = label[level, child[level]]
        if level < depth - 1:
            level += 1
            descend = True
            continue
        n_touched = _feature_values(
            windows, member, state, low, high, pair_ptr, pair_owner, pair_count,
            path, kind, first, decay, trellis, weight, touched,
        )  # fmt: skip
        if output == GRAM:
            _add_products(gram, weight, touched, n_touched, n_left, symmetric)
        elif output == DIAGONAL:
            for t in range(n_touched):
                diagonal[touched[t]] += weight[touched[t]] ** 2
        else:
            if n_values + n_touched > len(rows):
                room = n_values + n_touched
                rows, columns, values = _grown(rows, room), _grown(columns, room), _grown(values, room)
            if depth * (n_features + 1) > len(patterns):
                patterns = _grown(patterns, depth * (n_features + 1))
            for i in range(depth):
                patterns[depth * n_features + i] = path[i]
            for t in range(n_touched):
                rows[n_values + t], columns[n_values + t] = touched[t], n_features
                values[n_values + t] = weight[touched[t]]
            n_values += n_touched
            n_features += 1
        for t in range(n_touched):
            weight[touched[t]] = 0.0
    if output == GRAM and symmetric:
        for i in range(n_objects):
            for j in range(i):
                gram[j, i] = gram[i, j]
    return gram, diagonal, rows[:n_values], columns[:n_values], values[:n_values], patterns[: depth * n_features]


@compiled
def _grown(array, size):
    """The array with room for at least ``size`` entries, and to spare."""
    wider = np.empty(size + size // 2, array.dtype)
    for i in range(len(array)):
        wider[i] = array[i]
    return wider


@compiled
def _draw_by_cost(windows, member, state, low, high, level, choice_ptr, choice_branch, choice_cost, budget, drawn):
    """Branches that each window can afford with its next letter (Sections 3.2 and 3.3)."""
    branches, members, states = drawn
    m = 0
    for t in range(low, high):
        letter = windows[member[t], level]
        for c in range(choice_ptr[letter], choice_ptr[letter + 1]):
            cost = state[t] + choice_cost[c]
            if cost > budget:
                break
            branches[m], members[m], states[m] = choice_branch[c], member[t], cost
            m += 1
    return m


@compiled
def _draw_by_gap(windows, member, state, low, high, level, depth, first, drawn):
    """Branches to the next occurrence of each letter that leaves room for the rest of the feature (Section 3.1)."""
    branches, members, states = drawn
    last = windows.shape[1] - (depth - level)
    if first and level == 0:
        last = 0
    m = 0
    for t in range(low, high):
        window = windows[member[t]]
        start = int(state[t]) + 1
        for i in range(start, last + 1):
            seen = False
            for j in range(start, i):
                if window[j] == window[i]:
                    seen = True
                    break
            if not seen:
                branches[m], members[m], states[m] = window[i], member[t], i
                m += 1
    return m


@compiled
def _distribute(drawn, m, top, member, state, tally, segment, label):
    """Lay the drawn windows on the stack, one list for each branch that occurs."""
    branches, members, states = drawn
    n_children = 0
    for t in range(m):
        if tally[branches[t]] == 0:
            label[n_children] = branches[t]
            n_children += 1
        tally[branches[t]] += 1
    segment[0] = top
    for c in range(n_children):
        segment[c + 1] = segment[c] + tally[label[c]]
        tally[label[c]] = segment[c]
    for t in range(m):
        place = tally[branches[t]]
        member[place], state[place] = members[t], states[t]
        tally[branches[t]] += 1
    for c in range(n_children):
        tally[label[c]] = 0
    return top + m, n_children


@compiled
def _on_both_sides(sides, member, low, high):
    seen = 0
    for t in range(low, high):
        seen |= sides[member[t]]
        if seen == 3:
            return True
    return False


@compiled
def _feature_values(
    windows,
    member,
    state,
    low,
    high,
    pair_ptr,
    pair_owner,
    pair_count,
    path,
    kind,
    first,
    decay,
    trellis,
    weight,
    touched,
):
    """Add up the feature of a leaf over the windows of each object; returns the number of objects that have it."""
    n_touched = 0
    for t in range(low, high):
        u = member[t]
        if kind == COSTS:
            value = 1.0 if decay == 1.0 else decay ** state[t]
        elif kind == GAPPY:
            value = 1.0
        else:
            value = _alignments(windows[u], path, first, decay, trellis)
        for p in range(pair_ptr[u], pair_ptr[u + 1]):
            owner = pair_owner[p]
            if weight[owner] == 0.0:
                touched[n_touched] = owner
                n_touched += 1
            weight[owner] += value * pair_count[p]
    return n_touched


@compiled
def _alignments(window, path, first, decay, trellis):
    """Sum over all alignments of a feature to a window of ``decay`` to the number of inner gaps (Figure 2)."""
    g, k = len(window), len(path)
    above, row = trellis[0], trellis[1]
    for j in range(g + 1):
        above[j] = 1.0 if j == 0 or not first else 0.0
    for i in range(1, k + 1):
        gap = 1.0 if i == k else decay
        row[0] = 0.0
        for j in range(1, g + 1):
            row[j] = gap * row[j - 1]
            if window[j - 1] == path[i - 1]:
                row[j] += above[j - 1]
        above, row = row, above
    return above[g]


@compiled
def _add_products(gram, weight, touched, n_touched, n_left, symmetric):
    """Add the products of one feature's values; of a symmetric matrix only the lower half."""
    if symmetric:
        for s in range(n_touched):
            i, value = touched[s], weight[touched[s]]
            for t in range(s + 1):
                j = touched[t]
                gram[max(i, j), min(i, j)] += value * weight[j]
    else:
        for s in range(n_touched):
            i, value = touched[s], weight[touched[s]]
            if i < n_left:
                for t in range(n_touched):
                    j = touched[t]
                    if j >= n_left:
                        gram[i, j - n_left] += value * weight[j]
