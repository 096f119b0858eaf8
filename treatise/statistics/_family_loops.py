"""Counting the cells of many joint tables of discrete columns, one table for each set of columns.

Sets come in lexicographic order: two neighbours share most of their columns, and what was worked out for
the shared ones (the number of each row's configuration, or the bits of the rows of each configuration)
stays for the next set. Cells are written in lexicographic order of their configurations.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.statistics._counts_loops import popcount

ROOM = 8
"""Cells for each row up to which a table is counted in place; beyond, its rows are sorted."""


@compiled
def refine(ids, n_ids, column, n_states, number, out):
    """Number the configurations of (ids, column) that occur, in lexicographic order; returns how many.

    ``number`` is room for the cells of the table; where it is too small the rows are sorted instead.
    """
    n_cells = n_ids * n_states
    if n_cells > number.shape[0]:
        return refine_by_sorting(ids, n_ids, column, n_states, out)
    number[:n_cells] = 0
    for t in range(ids.shape[0]):
        number[np.int64(ids[t]) * n_states + column[t]] = 1
    seen = 0
    for cell in range(n_cells):
        if number[cell]:
            number[cell] = seen
            seen += 1
    for t in range(ids.shape[0]):
        out[t] = number[np.int64(ids[t]) * n_states + column[t]]
    return seen


@compiled_step
def sort_rows(order, column, n_keys, out):
    """Rows in the given order, sorted by a column of numbers below ``n_keys``: a stable counting sort."""
    at = np.empty(n_keys + 1, dtype=np.int64)
    for key in range(n_keys + 1):
        at[key] = 0
    for t in order:
        at[column[t] + 1] += 1
    for key in range(n_keys):
        at[key + 1] += at[key]
    for t in order:
        out[at[column[t]]] = t
        at[column[t]] += 1


@compiled_step
def refine_by_sorting(ids, n_ids, column, n_states, out):
    """As :func:`refine`, by two stable counting sorts: O(rows + n_ids + n_states), however many cells."""
    n_rows = ids.shape[0]
    order, by_state = np.empty(n_rows, dtype=np.int64), np.empty(n_rows, dtype=np.int64)
    for t in range(n_rows):
        order[t] = t
    sort_rows(order, column, n_states, by_state)
    sort_rows(by_state, ids, n_ids, order)
    seen, last_id, last_state = -1, -1, -1
    for t in order:
        if ids[t] != last_id or column[t] != last_state:
            seen, last_id, last_state = seen + 1, ids[t], column[t]
        out[t] = seen
    return seen + 1


@compiled_step
def shared_prefix(first, second):
    """Number of leading columns that two sets have in common."""
    length = 0
    while length < first.shape[0] and first[length] == second[length]:
        length += 1
    return length


@compiled
def count_by_radix(codes, weights, n_states, sets, counts, starts):
    """Counts of the occurring cells of each set of columns (a row of ``sets``), row by row.

    ``codes`` has one column of the table a row; ``counts[starts[s] : starts[s + 1]]`` gets the cells of set s.
    """
    n_rows, size = weights.shape[0], sets.shape[1]
    ids, n_ids = np.empty((size + 1, n_rows), dtype=np.int32), np.empty(size, dtype=np.int64)
    number, cells = np.empty(ROOM * n_rows, dtype=np.int32), np.empty(ROOM * n_rows, dtype=np.int64)
    ids[0], n_ids[0] = 0, 1
    cells[:] = 0
    starts[0] = 0
    for s in range(sets.shape[0]):
        known = 0 if s == 0 else shared_prefix(sets[s - 1], sets[s])
        for depth in range(min(known, size - 1), size - 1):
            column = sets[s, depth]
            n_ids[depth + 1] = refine(
                ids[depth], n_ids[depth], codes[column], n_states[column], number, ids[depth + 1]
            )  # fmt: skip
        n_last, prefix, last = n_states[sets[s, size - 1]], ids[size - 1], codes[sets[s, size - 1]]
        n_cells = n_ids[size - 1] * n_last
        if n_cells <= cells.shape[0]:
            for t in range(n_rows):
                cells[np.int64(prefix[t]) * n_last + last[t]] += weights[t]
        else:
            n_cells = refine_by_sorting(prefix, n_ids[size - 1], last, n_last, ids[size])
            for t in range(n_rows):
                cells[ids[size, t]] += weights[t]
        end = starts[s]
        for cell in range(n_cells):
            if cells[cell]:
                counts[end] = cells[cell]
                cells[cell] = 0
                end += 1
        starts[s + 1] = end


@compiled_step
def weighted_ones(first, i, second, j, weight_planes, weight_words):
    """Total weight of the rows set in bit vector i and bit vector j; weights are given bit by bit, heavy rows first."""
    total = np.int64(0)
    for b in range(weight_words.shape[0]):
        ones = np.uint64(0)
        for w in range(weight_words[b]):
            ones += popcount(first[i, w] & second[j, w] & weight_planes[b, w])
        total += np.int64(ones) << b
    return total


@compiled
def count_by_planes(planes, plane_starts, weight_planes, weight_words, most_cells, sets, counts, starts):
    """As :func:`count_by_radix`, by AND and popcount over bit planes, one for each value of each column.

    ``most_cells`` bounds the configurations of all columns of a set but its last.
    """
    n_words, size = planes.shape[1], sets.shape[1]
    rows = np.empty((size, most_cells, n_words), dtype=np.uint64)
    inside, n_cells = np.empty((size, most_cells), dtype=np.int64), np.empty(size, dtype=np.int64)
    n_cells[0] = 1
    for w in range(n_words):
        rows[0, 0, w] = ~np.uint64(0)
    inside[0, 0] = weighted_ones(rows[0], 0, rows[0], 0, weight_planes, weight_words)
    starts[0] = 0
    for s in range(sets.shape[0]):
        known = 0 if s == 0 else shared_prefix(sets[s - 1], sets[s])
        for depth in range(min(known, size - 1), size - 1):
            begin, end = plane_starts[sets[s, depth]], plane_starts[sets[s, depth] + 1]
            made = 0
            for cell in range(n_cells[depth]):
                left = inside[depth, cell]
                for plane in range(begin, end):
                    if left == 0:
                        break
                    weight = weighted_ones(rows[depth], cell, planes, plane, weight_planes, weight_words)
                    if weight:
                        for w in range(n_words):
                            rows[depth + 1, made, w] = rows[depth, cell, w] & planes[plane, w]
                        inside[depth + 1, made] = weight
                        made += 1
                        left -= weight
            n_cells[depth + 1] = made
        begin, end = plane_starts[sets[s, size - 1]], plane_starts[sets[s, size - 1] + 1]
        at = starts[s]
        for cell in range(n_cells[size - 1]):
            left = inside[size - 1, cell]
            for plane in range(begin, end):
                if left == 0:
                    break
                # The last value takes what the others left over.
                weight = left
                if plane + 1 < end:
                    weight = weighted_ones(rows[size - 1], cell, planes, plane, weight_planes, weight_words)
                if weight:
                    counts[at] = weight
                    at += 1
                    left -= weight
        starts[s + 1] = at


@compiled
def tabulated_sums(counts, starts, tables, table_of, out):
    """Sum over the cells of each set of the set's own tabulated function of a count."""
    for s in range(out.shape[0]):
        total = np.int64(0)
        for cell in range(starts[s], starts[s + 1]):
            total += tables[table_of[s], counts[cell]]
        out[s] = total
