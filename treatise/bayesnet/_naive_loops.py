"""Counting states within classes, and adding up their log probabilities: one pass over the cells."""

from treatise._core.jit import compiled


@compiled
def count_cells(codes, labels, weights, starts, counts):
    """Adds each row's weight to ``counts[starts[i] + state, class]`` for every column i; missing cells are left out."""
    for t in range(codes.shape[0]):
        c, weight = labels[t], weights[t]
        for i in range(codes.shape[1]):
            if codes[t, i] >= 0:
                counts[starts[i] + codes[t, i], c] += weight


@compiled
def count_entries(indptr, columns, codes, zero_codes, labels, weights, class_weights, starts, counts):
    """As :func:`count_cells` for the stored entries of a sparse table; the zeros are what is left of each class."""
    for i in range(zero_codes.shape[0]):
        for c in range(class_weights.shape[0]):
            counts[starts[i] + zero_codes[i], c] += class_weights[c]
    for t in range(indptr.shape[0] - 1):
        c, weight = labels[t], weights[t]
        for e in range(indptr[t], indptr[t + 1]):
            i = columns[e]
            counts[starts[i] + zero_codes[i], c] -= weight
            if codes[e] >= 0:
                counts[starts[i] + codes[e], c] += weight


@compiled
def add_cells(codes, log_table, starts, out):
    """Adds ``log_table[starts[i] + state]``, one number a class, over the columns of each row."""
    for t in range(codes.shape[0]):
        for i in range(codes.shape[1]):
            if codes[t, i] >= 0:
                at = starts[i] + codes[t, i]
                for c in range(out.shape[1]):
                    out[t, c] += log_table[at, c]


@compiled
def add_entries(indptr, columns, codes, zero_codes, log_table, starts, out):
    """Adds over the stored entries of each row of a sparse table what they have instead of a zero."""
    for t in range(indptr.shape[0] - 1):
        for e in range(indptr[t], indptr[t + 1]):
            i = columns[e]
            zero, at = starts[i] + zero_codes[i], starts[i] + codes[e]
            for c in range(out.shape[1]):
                out[t, c] -= log_table[zero, c]
                if codes[e] >= 0:
                    out[t, c] += log_table[at, c]
