"""Random intersection trees (Shah & Meinshausen, JMLR 15:629): growing, early stopping, counting of patterns.

Sets are packed bits over the literals of a universe: all literals where they are few, else those of the tree's root,
since every set of a tree is a part of its root.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.statistics._counts_loops import popcount
from treatise.statistics.min_hash import estimate_prevalence
from treatise.statistics.sampling.random_numbers import mixed_bits, split_mix_uniform, split_mix_word

_ONE = np.uint64(1)


@compiled_step
def below(state, n):
    """A random whole number from 0 to n - 1 (n below 2^32)."""
    return np.int64(((split_mix_word(state) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@compiled
def mark_rows(rows, indptr, items, out):
    """Bit j of each row (of ``out``) that has literal items[j]."""
    for j in range(items.shape[0]):
        bit = _ONE << np.uint64(j & 63)
        for t in range(indptr[items[j]], indptr[items[j] + 1]):
            out[rows[t], j >> 6] |= bit


@compiled
def mark_items(rows, indptr, items, out):
    """Bit of each row that has literal items[j], packed in ``out[j]``."""
    for j in range(items.shape[0]):
        for t in range(indptr[items[j]], indptr[items[j] + 1]):
            out[j, rows[t] >> 6] |= _ONE << np.uint64(rows[t] & 63)


@compiled_step
def at_most(members, planes, n_rows, limit):
    """Whether at most ``limit`` rows have all members of a set: AND of their columns, some rows at a time."""
    count = np.int64(0)
    for w in range(planes.shape[1]):
        left = n_rows - 64 * w
        common = ~np.uint64(0) if left >= 64 else (_ONE << np.uint64(left)) - _ONE
        for v in range(members.shape[0]):
            word = members[v]
            while word != 0 and common != 0:
                lowest = word & (~word + _ONE)
                common &= planes[64 * v + np.int64(popcount(lowest - _ONE)), w]
                word ^= lowest
        count += np.int64(popcount(common))
        if count > limit:
            return False
    return True


@compiled_step
def list_members(members, out):
    """Positions of the ones of a packed set, in order; returns how many."""
    size = 0
    for v in range(members.shape[0]):
        word = members[v]
        while word != 0:
            lowest = word & (~word + _ONE)
            out[size] = 64 * v + np.int64(popcount(lowest - _ONE))
            size += 1
            word ^= lowest
    return size


@compiled_step
def is_rare(members, universe, theta0, scratch):
    """Whether a set is no more prevalent outside the class than theta0: exactly, or by min-wise hashes."""
    n_rows = universe.n_outside
    if universe.hashes.shape[0] == 0:
        return at_most(members, universe.planes, n_rows, np.int64(theta0 * n_rows + 1e-9))
    size = list_members(members, scratch)
    return estimate_prevalence(universe.hashes, scratch, size, n_rows) <= theta0


@compiled_step
def grow_tree(root, universe, rule, work):
    """One tree of Algorithm 2, level by level, until no branch is left or the queue is full.

    Queued sets are those that pass the test; one is final when none of its children passes, at the greatest depth, or
    when there is no room for its children. Returns the number of sets queued, of intersections made, and whether there
    was no room.
    """
    queue, depth, final, row_bits = work.queue, work.depth, work.final, universe.row_bits
    for v in range(queue.shape[1]):
        queue[0, v] = row_bits[root, v]
    depth[0] = 0
    head, tail, made, full = 0, np.int64(is_rare(queue[0], universe, rule.theta0, work.scratch)), 0, False
    while head < tail:
        children = np.int64(rule.branching)
        if split_mix_uniform(work.state) < rule.branching - children:
            children += 1
        final[head] = True
        if depth[head] != rule.max_depth and tail + children > queue.shape[0]:
            full = True
        elif depth[head] != rule.max_depth:
            for _ in range(children):
                row = below(work.state, row_bits.shape[0])
                same = True
                for v in range(queue.shape[1]):
                    queue[tail, v] = queue[head, v] & row_bits[row, v]
                    same = same and queue[tail, v] == queue[head, v]
                made += 1
                if same or is_rare(queue[tail], universe, rule.theta0, work.scratch):
                    depth[tail] = depth[head] + 1
                    tail += 1
                    final[head] = False
        head += 1
    return tail, made, full


@compiled_step
def place_of(key, slots, keys):
    """Slot of a pattern's key, or the free one where it belongs."""
    mask = slots.shape[0] - 1
    at = np.int64(key & np.uint64(mask))
    while slots[at] >= 0 and keys[slots[at]] != key:
        at = (at + 1) & mask
    return at


@compiled
def fill_slots(slots, keys, n_patterns):
    """Enter patterns into slots that are all free (-1)."""
    for known in range(n_patterns):
        slots[place_of(keys[known], slots, keys)] = known


@compiled_step
def note_pattern(members, tree, universe, book, work):
    """Count a pattern, once a tree; it is known by a word that its members give."""
    size = list_members(members, work.scratch)
    key = np.uint64(0)
    for j in range(size):
        key ^= mixed_bits(np.uint64(universe.items[work.scratch[j]] + 1) * np.uint64(0x9E3779B97F4A7C15))
    at = place_of(key, book.slots, book.keys)
    known = book.slots[at]
    if known < 0:
        known = book.totals[0]
        book.totals[0] += 1
        book.slots[at], book.keys[known], book.counts[known], book.last_tree[known] = known, key, 0, -1
        begin = book.starts[known]
        for j in range(size):
            book.members[begin + j] = universe.items[work.scratch[j]]
        book.starts[known + 1] = begin + size
    if book.last_tree[known] != tree:
        book.counts[known] += 1
        book.last_tree[known] = tree


@compiled
def intersection_trees(first, last, root, universe, rule, work, book):
    """Grow trees ``first`` to ``last - 1`` from ``root``, or from random rows where it is -1, and note their patterns.

    Returns the number of the first tree that was not grown because the book may lack room for its patterns.
    """
    for tree in range(first, last):
        n_patterns, room = book.totals[0], work.depth.shape[0]
        most = room * min(universe.items.shape[0], rule.max_size)
        if n_patterns + room > book.keys.shape[0] or book.starts[n_patterns] + most > book.members.shape[0]:
            return tree
        row = below(work.state, universe.row_bits.shape[0]) if root < 0 else root
        tail, made, full = grow_tree(row, universe, rule, work)
        book.totals[1] += made
        book.totals[2] += full
        for node in range(tail):
            if work.final[node]:
                size = np.int64(0)
                for v in range(work.queue.shape[1]):
                    size += np.int64(popcount(work.queue[node, v]))
                if size <= rule.max_size:
                    note_pattern(work.queue[node], tree, universe, book, work)
    return last
