"""Small-integer codes of the values of columns."""

import numpy as np

from treatise._core.jit import compiled
from treatise.statistics._counts_loops import popcount


@compiled
def has_more_than_two_values(columns, out):
    """Whether each column (row of ``columns``) holds a third value; stops at the first one."""
    for i in range(columns.shape[0]):
        first, second, second_seen = columns[i, 0], columns[i, 0], False
        out[i] = False
        for t in range(columns.shape[1]):
            value = columns[i, t]
            if value != first and not second_seen:
                second, second_seen = value, True
            elif value != first and value != second:
                out[i] = True
                break


@compiled
def rank_integers(columns, codes, n_values):
    """Rank of every value among the distinct ones of its column (row of ``columns``, int64), in O(n).

    By a table of the values present; columns whose range is too wide for one get ``n_values`` 0.
    """
    n = columns.shape[1]
    widest = max(4 * n, 1 << 16)
    for i in range(columns.shape[0]):
        low, high = columns[i, 0], columns[i, 0]
        for t in range(n):
            low, high = min(low, columns[i, t]), max(high, columns[i, t])
        # The true spread of 64-bit integers may not fit their type: compare halves.
        if high // 2 - low // 2 >= widest // 2:
            n_values[i] = 0
            continue
        rank = np.zeros(high - low + 1, dtype=np.int32)
        for t in range(n):
            rank[columns[i, t] - low] = 1
        present = 0
        for v in range(rank.shape[0]):
            if rank[v]:
                rank[v] = present
                present += 1
        for t in range(n):
            codes[i, t] = rank[columns[i, t] - low]
        n_values[i] = present


@compiled
def count_values(codes, starts, counts):
    """Adds the number of rows with each code of column i (row of ``codes``) to ``counts[starts[i] + code]``."""
    for i in range(codes.shape[0]):
        for t in range(codes.shape[1]):
            counts[starts[i] + codes[i, t]] += 1


@compiled
def rank_stored(data, indptr, order, codes, n_distinct):
    """Rank, from 1, of every stored value of a CSC matrix among the distinct non-zero ones of its column; 0 for zero.

    ``order`` sorts the stored entries of each column by value.
    """
    for i in range(n_distinct.shape[0]):
        rank = 0
        last = 0.0
        for t in range(indptr[i], indptr[i + 1]):
            value = data[order[t]]
            if value == 0.0:
                codes[order[t]] = 0
                continue
            if rank == 0 or value != last:
                rank += 1
                last = value
            codes[order[t]] = rank
        n_distinct[i] = rank


@compiled
def group_stored(codes, rows, indptr, n_rows, starts, counts, grouped_rows, grouped_indptr):
    """Groups the rows of every column's stored values by code, leaving out code 0 (the zeros).

    ``starts`` says where the counts of a column begin; ``counts`` is zero at entry.
    """
    for i in range(starts.shape[0] - 1):
        counts_of = counts[starts[i] : starts[i + 1]]
        for t in range(indptr[i], indptr[i + 1]):
            counts_of[codes[t]] += 1
        place = np.empty(counts_of.shape[0], dtype=np.int64)
        end = grouped_indptr[i]
        for a in range(1, counts_of.shape[0]):
            place[a] = end
            end += counts_of[a]
        grouped_indptr[i + 1] = end
        counts_of[0] = n_rows - (end - grouped_indptr[i])
        for t in range(indptr[i], indptr[i + 1]):
            if codes[t] > 0:
                grouped_rows[place[codes[t]]] = rows[t]
                place[codes[t]] += 1


@compiled
def pack_bytes(X, n_at_once, planes, ones):
    """Packed bits of each column of ``X`` (bytes, one row of the table a row), and the number of its ones.

    Returns the bits that any byte of X has: X is binary where that is at most 1. Columns are taken some at a time, so
    that what is written stays in the cache; eight rows are first packed into a byte, for many columns at once.
    """
    n, p = X.shape
    seen = np.uint8(0)
    bytes_of_word = np.empty((8, n_at_once), dtype=np.uint8)
    for begin in range(0, p, n_at_once):
        width = min(n_at_once, p - begin)
        for w in range(planes.shape[1]):
            bytes_of_word[:] = 0
            for t in range(64 * w, min(n, 64 * w + 64)):
                row, packed = X[t, begin : begin + width], bytes_of_word[(t >> 3) & 7]
                bit = np.uint8(1 << (t & 7))
                for j in range(width):
                    packed[j] |= np.uint8(row[j] * bit)
                for j in range(width):
                    seen |= row[j]
            for j in range(width):
                word = np.uint64(0)
                for k in range(8):
                    word |= np.uint64(bytes_of_word[k, j]) << np.uint64(8 * k)
                planes[begin + j, w] = word
                ones[begin + j] += np.int64(popcount(word))
    return seen
