"""Numbers for values, and rows in order, each by one pass over them."""

import numpy as np

from treatise._core.jit import compiled


@compiled
def dense_codes(values):
    """A number from 0 for every different value, in the order of first appearance, and the row that each appeared in.

    Open addressing in a table at least twice as long as the values.
    """
    n = len(values)
    size = 16
    while size < 2 * n:
        size *= 2
    slot_of = np.full(size, -1, dtype=np.int32)
    firsts = np.empty(n, dtype=np.int64)
    codes = np.empty(n, dtype=np.int32)
    found = 0
    for i in range(n):
        mixed = np.uint64(values[i]) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(32)
        slot = np.int64(mixed & np.uint64(size - 1))
        while slot_of[slot] != -1 and values[firsts[slot_of[slot]]] != values[i]:
            slot = (slot + 1) & (size - 1)
        if slot_of[slot] == -1:
            slot_of[slot] = found
            firsts[found] = i
            found += 1
        codes[i] = slot_of[slot]
    return codes, firsts[:found].copy()


@compiled
def joined_codes(first, second, n_second):
    """One number for each pair of values that occurs; a missing value is a value here."""
    pairs = np.empty(len(first), dtype=np.int64)
    for i in range(len(first)):
        pairs[i] = (np.int64(first[i]) + 1) * (n_second + 1) + second[i] + 1
    return dense_codes(pairs)


@compiled
def rows_by_entity(whose, by_time, n_entities):
    """Where the events of each entity begin, and the rows by entity and time."""
    starts = np.zeros(n_entities + 1, dtype=np.int64)
    for e in whose:
        starts[e + 1] += 1
    for e in range(n_entities):
        starts[e + 1] += starts[e]
    place = starts[:-1].copy()
    rows = np.empty(len(whose), dtype=np.int64)
    for i in by_time:
        rows[place[whose[i]]] = i
        place[whose[i]] += 1
    return starts, rows


@compiled
def rows_by_value(starts, codes, n_values):
    """Rows by entity, value and time, of rows that are by entity and time; a missing value comes first.

    Two stable counting sorts, by value and then by entity.
    """
    n = len(codes)
    place = np.zeros(n_values + 2, dtype=np.int64)
    for i in range(n):
        place[codes[i] + 2] += 1
    for v in range(n_values + 1):
        place[v + 1] += place[v]
    owner = np.empty(n, dtype=np.int32)
    for e in range(len(starts) - 1):
        for i in range(starts[e], starts[e + 1]):
            owner[i] = e
    by_value = np.empty(n, dtype=np.int32)
    for i in range(n):
        by_value[place[codes[i] + 1]] = i
        place[codes[i] + 1] += 1
    next_row = starts[:-1].copy()
    rows = np.empty(n, dtype=np.int32)
    for i in by_value:
        rows[next_row[owner[i]]] = i
        next_row[owner[i]] += 1
    return rows
