"""Depth-first walk over the trie of all features that some window matches inexactly (Leslie & Kuang, Section 3).

A node of the trie is a prefix of a feature, with the list of windows that still match it and, of each window, a
state: the cost of the match so far (mismatches, wildcards, minus log probability), or the last letter used of a gappy
match. Lists lie on one stack, children above their parents, so that the trie itself is never stored.
"""

from typing import NamedTuple

import numpy as np

from treatise._core.jit import compiled, compiled_step

COSTS, GAPPY, WEIGHTED_GAPPY = 0, 1, 2
GRAM, DIAGONAL, FEATURES = 0, 1, 2


class Windows(NamedTuple):
    """The distinct windows of all objects.

    Window ``u`` has the letters ``letters[u]`` and begins with the state ``start[u]``. It occurs ``pair_count[p]``
    times in object ``pair_owner[p]``, for ``p`` in ``pair_ptr[u]:pair_ptr[u + 1]``. ``sides[u]`` is 1 where one of the
    first ``n_left`` objects holds it, 2 where one of the others does, 3 for both.
    """

    letters: np.ndarray
    start: np.ndarray
    sides: np.ndarray
    pair_ptr: np.ndarray
    pair_owner: np.ndarray
    pair_count: np.ndarray
    n_objects: int
    n_left: int


class Rule(NamedTuple):
    """Which windows match which features of ``depth`` symbols out of ``n_branches``.

    By COSTS, letter ``a`` of a window may take the branches ``choice_branch[choice_ptr[a]:choice_ptr[a + 1]]`` at
    rising costs; their sum and the window's state must not exceed ``budget``, and a match counts ``decay`` to the power
    of its cost. GAPPY and WEIGHTED_GAPPY features are subsequences of a window, with ``first`` from its first letter
    on; weighted, every inner gap costs a factor ``decay``.
    """

    kind: int
    depth: int
    n_branches: int
    choice_ptr: np.ndarray
    choice_branch: np.ndarray
    choice_cost: np.ndarray
    budget: float
    first: bool
    decay: float


class Levels(NamedTuple):
    """The way from the root down to where the walk stands, a row for each level.

    Child ``c`` at a level has the symbol ``label[level, c]`` and the list from ``segment[level, c]`` to
    ``segment[level, c + 1]`` of the stack; ``child`` is the one that the walk is in, and ``path`` its symbol.
    """

    segment: np.ndarray
    label: np.ndarray
    n_children: np.ndarray
    child: np.ndarray
    path: np.ndarray


@compiled
def walk_trie(windows, rule, output):
    """Visit every feature that matches windows of both sides; collect a Gram matrix, its diagonal, or the features."""
    n_windows, n_objects = len(windows.letters), windows.n_objects
    symmetric = windows.n_left == n_objects
    gram = np.zeros((windows.n_left, n_objects - windows.n_left))
    if output == GRAM and symmetric:
        gram = np.zeros((n_objects, n_objects))
    diagonal = np.zeros(n_objects if output == DIAGONAL else 0)
    features = (np.empty(1024, np.int64), np.empty(1024, np.int64), np.empty(1024), np.empty(1024, np.int64))
    sizes = np.zeros(2, np.int64)

    member, state = np.empty(4 * n_windows + 64, np.int32), np.empty(4 * n_windows + 64)
    drawn = (np.empty(64, np.int32), np.empty(64, np.int32), np.empty(64))
    tally = np.zeros(rule.n_branches, np.int64)
    levels = _levels(rule.depth, rule.n_branches)
    weight, touched = np.zeros(n_objects), np.empty(n_objects, np.int64)
    trellis = np.empty((2, windows.letters.shape[1] + 1))

    for u in range(n_windows):
        member[u] = u
        state[u] = windows.start[u]
    low, high, top, level = 0, n_windows, n_windows, 0
    descend = n_windows > 0
    while descend or level >= 0:
        if descend:
            drawn, m = _draw(windows, rule, member, state, low, high, level, drawn)
            if top + m > len(member):
                member, state = _grown(member, top + m), _grown(state, top + m)
            top = _distribute(drawn, m, top, member, state, tally, levels, level)
            descend = False
        levels.child[level] += 1
        if levels.child[level] >= levels.n_children[level]:
            # All children are done: their lists leave the stack.
            top = levels.segment[level, 0]
            level -= 1
            continue
        low = levels.segment[level, levels.child[level]]
        high = levels.segment[level, levels.child[level] + 1]
        if not _on_both_sides(windows.sides, member, low, high):
            continue
        levels.path[level] = levels.label[level, levels.child[level]]
        if level < rule.depth - 1:
            level += 1
            descend = True
            continue
        if rule.kind == WEIGHTED_GAPPY:
            for t in range(low, high):
                state[t] = _alignments(windows.letters[member[t]], levels.path, rule.first, rule.decay, trellis)
        n_touched = _feature_values(
            rule.kind, rule.decay, windows.pair_ptr, windows.pair_owner, windows.pair_count,
            member, state, low, high, weight, touched,
        )  # fmt: skip
        if output == GRAM:
            _add_products(gram, weight, touched, n_touched, windows.n_left, symmetric)
        elif output == DIAGONAL:
            for t in range(n_touched):
                diagonal[touched[t]] += weight[touched[t]] ** 2
        else:
            features = _append_feature(features, sizes, weight, touched, n_touched, levels.path)
        for t in range(n_touched):
            weight[touched[t]] = 0.0
    if output == GRAM and symmetric:
        for i in range(n_objects):
            for j in range(i):
                gram[j, i] = gram[i, j]
    n_values, n_features = sizes
    rows, columns, values, patterns = features
    return gram, diagonal, rows[:n_values], columns[:n_values], values[:n_values], patterns[: rule.depth * n_features]


@compiled_step
def _levels(depth, n_branches):
    segment, label = np.zeros((depth, n_branches + 1), np.int64), np.zeros((depth, n_branches), np.int64)
    return Levels(segment, label, np.zeros(depth, np.int64), np.zeros(depth, np.int64), np.zeros(depth, np.int64))


@compiled_step
def _draw(windows, rule, member, state, low, high, level, drawn):
    """Branches that the windows of a list take with their next symbol, their states there, and how many there are."""
    most = windows.letters.shape[1] if rule.kind != COSTS else rule.n_branches
    if len(drawn[0]) < (high - low) * most:
        room = 2 * (high - low) * most
        drawn = (np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room))
    if rule.kind == COSTS:
        return drawn, _draw_by_cost(windows.letters, rule, member, state, low, high, level, drawn)
    return drawn, _draw_by_gap(windows.letters, rule, member, state, low, high, level, drawn)


@compiled_step
def _append_feature(features, sizes, weight, touched, n_touched, path):
    """Write down the feature of a leaf and its values; ``sizes`` holds how many values and features there are."""
    rows, columns, values, patterns = features
    (n_values, n_features), depth = sizes, len(path)
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
    sizes[0] += n_touched
    sizes[1] += 1
    return rows, columns, values, patterns


@compiled_step
def _grown(array, size):
    """The array with room for at least ``size`` entries, and to spare."""
    wider = np.empty(size + size // 2, array.dtype)
    for i in range(len(array)):
        wider[i] = array[i]
    return wider


@compiled_step
def _draw_by_cost(letters, rule, member, state, low, high, level, drawn):
    """Branches that each window can afford with its next letter (Sections 3.2 and 3.3)."""
    branches, members, states = drawn
    m = 0
    for t in range(low, high):
        letter = letters[member[t], level]
        for c in range(rule.choice_ptr[letter], rule.choice_ptr[letter + 1]):
            cost = state[t] + rule.choice_cost[c]
            if cost > rule.budget:
                break
            branches[m], members[m], states[m] = rule.choice_branch[c], member[t], cost
            m += 1
    return m


@compiled_step
def _draw_by_gap(letters, rule, member, state, low, high, level, drawn):
    """Branches to the next occurrence of each letter that leaves room for the rest of the feature (Section 3.1)."""
    branches, members, states = drawn
    last = letters.shape[1] - (rule.depth - level)
    if rule.first and level == 0:
        last = 0
    m = 0
    for t in range(low, high):
        window = letters[member[t]]
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


@compiled_step
def _distribute(drawn, m, top, member, state, tally, levels, level):
    """Lay the drawn windows on the stack, one list for each branch that occurs; returns the new top."""
    branches, members, states = drawn
    segment, label = levels.segment[level], levels.label[level]
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
    levels.n_children[level] = n_children
    levels.child[level] = -1
    return top + m


@compiled_step
def _on_both_sides(sides, member, low, high):
    seen = 0
    for t in range(low, high):
        seen |= sides[member[t]]
        if seen == 3:
            return True
    return False


@compiled_step
def _feature_values(kind, decay, pair_ptr, pair_owner, pair_count, member, state, low, high, weight, touched):
    """Add up the feature of a leaf over the windows of each object; returns the number of objects that have it.

    A window counts ``decay`` to the power of its state; of a weighted gappy feature the state is the value itself. It
    runs once for every leaf, and takes arrays one by one: whole tuples of them would cost a fifth of the walk.
    """
    n_touched = 0
    for t in range(low, high):
        u = member[t]
        if kind == WEIGHTED_GAPPY:
            value = state[t]
        else:
            value = 1.0 if decay == 1.0 else decay ** state[t]
        for p in range(pair_ptr[u], pair_ptr[u + 1]):
            owner = pair_owner[p]
            if weight[owner] == 0.0:
                touched[n_touched] = owner
                n_touched += 1
            weight[owner] += value * pair_count[p]
    return n_touched


@compiled_step
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


@compiled_step
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
