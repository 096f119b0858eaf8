"""Sets of columns as sorted rows of numbers: finding them, and joining those of one size into those of the next."""

import numpy as np

from treatise._core.jit import compiled, compiled_step

_MIX = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


@compiled_step
def row_hash(row):
    """A mixed 64-bit number of a row."""
    mixed = np.uint64(row.shape[0])
    for at in range(row.shape[0]):
        mixed = (mixed ^ np.uint64(row[at] + 1)) * _MIX
        mixed ^= mixed >> _SHIFT
    return mixed


@compiled_step
def same_row(first, second):
    """Whether two rows hold the same numbers."""
    at = 0
    while at < first.shape[0] and first[at] == second[at]:
        at += 1
    return at == first.shape[0]


@compiled_step
def place_of(rows, slots, row):
    """Slot of a row in an open-addressed table: the one that holds its number, or the free one it would take."""
    last = np.uint64(slots.shape[0] - 1)
    slot = row_hash(row) & last
    while slots[slot] >= 0 and not same_row(rows[slots[slot]], row):
        slot = (slot + np.uint64(1)) & last
    return slot


@compiled
def index_rows(rows, slots):
    """Enter rows in an empty table (-1 everywhere) of a power of two of slots; the first of equal rows stays."""
    for at in range(rows.shape[0]):
        slot = place_of(rows, slots, rows[at])
        if slots[slot] < 0:
            slots[slot] = at


@compiled
def find_rows(rows, slots, wanted, out):
    """Number of each wanted row among the indexed ones, -1 where it is not there."""
    for at in range(wanted.shape[0]):
        out[at] = slots[place_of(rows, slots, wanted[at])]


@compiled
def join_sets(sets, slots, best, cells, joined, joined_best, joined_cells):
    """Sets one larger, all of whose subsets one smaller are given; returns how many there are.

    ``sets`` are sorted rows in lexicographic order: a larger set is met once, as the union of the two of its
    subsets that differ in their last column alone. Each gets the largest ``best`` and ``cells`` of its subsets.
    With no room in ``joined`` the sets are only counted.
    """
    n_sets, size = sets.shape
    candidate, subset = np.empty(size + 1, dtype=np.int64), np.empty(size, dtype=np.int64)
    made = 0
    for first in range(n_sets):
        for second in range(first + 1, n_sets):
            if not same_row(sets[first, : size - 1], sets[second, : size - 1]):
                break
            for at in range(size):
                candidate[at] = sets[first, at]
            candidate[size] = sets[second, size - 1]
            highest, most, whole = -np.inf, np.int64(0), True
            for left_out in range(size + 1):
                for at in range(size):
                    subset[at] = candidate[at] if at < left_out else candidate[at + 1]
                known = slots[place_of(sets, slots, subset)]
                if known < 0:
                    whole = False
                    break
                highest, most = max(highest, best[known]), max(most, cells[known])
            if whole:
                if joined.shape[0]:
                    for at in range(size + 1):
                        joined[made, at] = candidate[at]
                    joined_best[made], joined_cells[made] = highest, most
                made += 1
    return made
