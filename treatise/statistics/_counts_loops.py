"""Sums over the cells of joint count tables, without building the tables.

Every loop here returns, for each of many columns x against one variable z,

    sum over the cells (a, b) of f(number of rows with x = a and z = b),   f(0) = 0,

with f given as a table of its values at 0, ..., n. With f(c) = c log2 c these sums are joint entropies;
with a log-gamma table they are Bayesian scores of a discrete network. One loop per way of storing x.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step

_ODD_BITS = np.uint64(0x5555555555555555)
_PAIRS = np.uint64(0x3333333333333333)
_NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
_BYTES = np.uint64(0x0101010101010101)
_ONE, _TWO, _FOUR, _TOP_BYTE = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@compiled_step
def popcount(word):
    """Number of ones in a 64-bit word (the compiler recognises the pattern: one instruction)."""
    word = word - ((word >> _ONE) & _ODD_BITS)
    word = (word & _PAIRS) + ((word >> _TWO) & _PAIRS)
    word = (word + (word >> _FOUR)) & _NIBBLES
    return (word * _BYTES) >> _TOP_BYTE


@compiled_step
def common_ones(first, second):
    """Number of positions where both packed bit vectors are one."""
    total = np.uint64(0)
    for w in range(first.shape[0]):
        total += popcount(first[w] & second[w])
    return np.int64(total)


@compiled
def cell_sums(counts, starts, f, out):
    """Sum of f over the value counts of each column."""
    for i in range(out.shape[0]):
        total = np.int64(0)
        for cell in range(starts[i], starts[i + 1]):
            total += f[counts[cell]]
        out[i] = total


@compiled
def plane_joint_sums(planes, counts, starts, columns, z_planes, z_counts, f, out):
    """Columns stored as one bit plane for each value but the first; likewise z.

    The cells of the two first values follow from the margins, so that two binary variables cost one pass
    of AND and popcount over n / 64 words. Plane ``starts[i] - i + a - 1`` marks the rows where column i
    has value a.
    """
    rest = np.empty_like(z_counts)
    for position in range(columns.shape[0]):
        i = columns[position]
        first = starts[i]
        for b in range(z_counts.shape[0]):
            rest[b] = z_counts[b]
        total = np.int64(0)
        for a in range(1, starts[i + 1] - first):
            remaining = counts[first + a]
            for b in range(1, z_counts.shape[0]):
                cell = common_ones(planes[first - i + a - 1], z_planes[b - 1])
                total += f[cell]
                rest[b] -= cell
                remaining -= cell
            total += f[remaining]
            rest[0] -= remaining
        for b in range(z_counts.shape[0]):
            total += f[rest[b]]
        out[position] = total


@compiled
def code_joint_sums(codes, n_values, z_order, z_starts, f, out):
    """Rows of ``codes`` are columns stored as one small integer a row; z is given as its sorted rows.

    Counting inside one value of z at a time needs memory for the values of x alone, so that two columns
    of thousands of values each cost no more than two columns of ten.
    """
    within = np.zeros(n_values, dtype=np.int64)
    for position in range(codes.shape[0]):
        column = codes[position]
        total = np.int64(0)
        for b in range(z_starts.shape[0] - 1):
            for t in range(z_starts[b], z_starts[b + 1]):
                within[column[z_order[t]]] += 1
            for t in range(z_starts[b], z_starts[b + 1]):
                a = column[z_order[t]]
                if within[a] > 0:
                    total += f[within[a]]
                    within[a] = 0
        out[position] = total


@compiled
def sparse_joint_sums(rows, indptr, counts, starts, columns, z, z_counts, z_sum, f, out):
    """Columns stored as the rows of their values other than the first, grouped by value.

    Costs the stored rows alone: the cells of the first value start as z's own counts, and change only
    where a stored row falls.
    """
    rest = z_counts.copy()
    within = np.zeros(z_counts.shape[0], dtype=np.int64)
    for position in range(columns.shape[0]):
        i = columns[position]
        total = np.int64(z_sum)
        begin = indptr[i]
        for cell in range(starts[i] + 1, starts[i + 1]):
            end = begin + counts[cell]
            for t in range(begin, end):
                within[z[rows[t]]] += 1
            for t in range(begin, end):
                b = z[rows[t]]
                if within[b] > 0:
                    total += f[within[b]] + f[rest[b] - within[b]] - f[rest[b]]
                    rest[b] -= within[b]
                    within[b] = 0
            begin = end
        for t in range(indptr[i], indptr[i + 1]):
            rest[z[rows[t]]] = z_counts[z[rows[t]]]
        out[position] = total


@compiled
def unpack_planes(planes, starts, columns, out):
    """Codes of the given columns from their bit planes, one column a row of ``out`` (zero at entry)."""
    for position in range(columns.shape[0]):
        i = columns[position]
        for a in range(1, starts[i + 1] - starts[i]):
            plane = planes[starts[i] - i + a - 1]
            for w in range(plane.shape[0]):
                word = plane[w]
                while word != 0:
                    lowest = word & (~word + _ONE)
                    out[position, 64 * w + np.int64(popcount(lowest - _ONE))] = a
                    word ^= lowest


@compiled
def unpack_rows(rows, indptr, counts, starts, columns, out):
    """Codes of the given columns from their stored rows, one column a row of ``out`` (zero at entry)."""
    for position in range(columns.shape[0]):
        i = columns[position]
        begin = indptr[i]
        for a in range(1, starts[i + 1] - starts[i]):
            end = begin + counts[starts[i] + a]
            for t in range(begin, end):
                out[position, rows[t]] = a
            begin = end
