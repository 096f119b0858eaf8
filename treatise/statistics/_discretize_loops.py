"""Entropy-minimising cuts of one feature, accepted by description length (Fayyad and Irani, 1993)."""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_step


@compiled_step
def best_cut(values, labels, weights, begin, end, left, right, f):
    """The cut of sorted entries ``begin:end`` with the least class entropy on its two sides.

    Returns the number of places for a cut (0 where all values are equal), the first entry right of the
    best, and the sum over its two sides of rows times entropy, in the units of ``f``. ``left`` and ``right``
    are scratch, one cell a class.
    Moving an entry across changes one class on each side: O(1), and exact, since ``f`` is in integers.
    """
    for c in range(right.shape[0]):
        left[c] = right[c] = 0
    n = np.int64(0)
    for e in range(begin, end):
        right[labels[e]] += weights[e]
        n += weights[e]
    left_sum = np.int64(0)
    right_sum = np.int64(0)
    for c in range(right.shape[0]):
        right_sum += f[right[c]]
    places, at, best = 0, begin, np.int64(0)
    n_left = np.int64(0)
    for e in range(begin, end - 1):
        c, w = labels[e], weights[e]
        left_sum += f[left[c] + w] - f[left[c]]
        right_sum += f[right[c] - w] - f[right[c]]
        left[c] += w
        right[c] -= w
        n_left += w
        if values[e + 1] > values[e]:
            entropy = f[n_left] - left_sum + f[n - n_left] - right_sum
            if places == 0 or entropy < best:
                best, at = entropy, e + 1
            places += 1
    return places, at, best


@compiled_step
def class_summary(labels, weights, begin, end, counts, f):
    """Rows, classes present, and rows times entropy (in the units of ``f``) of entries ``begin:end``."""
    for c in range(counts.shape[0]):
        counts[c] = 0
    n = np.int64(0)
    for e in range(begin, end):
        counts[labels[e]] += weights[e]
        n += weights[e]
    present, total = 0, np.int64(0)
    for c in range(counts.shape[0]):
        total += f[counts[c]]
        present += counts[c] > 0
    return n, present, f[n] - total


@compiled
def mdl_cuts_of_one(values, labels, weights, n_classes, f, unit, by_values, max_depth, cuts):
    """Cuts of one feature from its sorted entries; writes them to ``cuts``, returns their number.

    A cut of S into S1 and S2 stands when it pays for its own description:
    n Gain > log2(places for a cut) + log2(3^k - 2) - (k H(S) - k1 H(S1) - k2 H(S2)),
    the places being those between rows, n - 1, or if ``by_values`` those between distinct values.
    """
    size = values.shape[0]
    left, right = np.zeros(n_classes, dtype=np.int64), np.zeros(n_classes, dtype=np.int64)
    opens_bin = np.zeros(size, dtype=np.bool_)
    # Intervals still to be looked at: first entry, end, depth. The sides of a cut are disjoint.
    waiting = np.zeros((size + 1, 3), dtype=np.int64)
    waiting[0, 1] = size
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        begin, end, depth = waiting[n_waiting, 0], waiting[n_waiting, 1], waiting[n_waiting, 2]
        if depth == max_depth:
            continue
        n, k, whole = class_summary(labels, weights, begin, end, left, f)
        if k < 2:
            continue
        places, at, best = best_cut(values, labels, weights, begin, end, left, right, f)
        if places == 0:
            continue
        n1, k1, entropy1 = class_summary(labels, weights, begin, at, left, f)
        n2, k2, entropy2 = class_summary(labels, weights, at, end, left, f)
        # log2(3^k - 2) without overflow for hundreds of classes.
        classes = k * math.log2(3.0) + math.log1p(-2.0 * 3.0**-k) / math.log(2.0)
        delta = classes - unit * (k * whole / n - k1 * entropy1 / n1 - k2 * entropy2 / n2)
        if unit * (whole - best) > math.log2(places if by_values else n - 1.0) + delta:
            opens_bin[at] = True
            waiting[n_waiting, 0], waiting[n_waiting, 1], waiting[n_waiting, 2] = begin, at, depth + 1
            waiting[n_waiting + 1, 0], waiting[n_waiting + 1, 1], waiting[n_waiting + 1, 2] = at, end, depth + 1
            n_waiting += 2
    found = 0
    for e in range(1, size):
        if opens_bin[e]:
            low, high = values[e - 1], values[e]
            middle = low + (high - low) / 2
            # Between neighbouring floats the midpoint may round up to the right one.
            cuts[found] = middle if middle < high else low
            found += 1
    return found


@compiled
def dense_mdl_cuts(columns, order, labels, n_classes, f, unit, by_values, max_depth, cuts, n_cuts):
    """Cuts of every feature (row of ``columns``, sorted by ``order``), at the start of its row of ``cuts``."""
    n = columns.shape[1]
    values, sorted_labels = np.empty(n, dtype=np.float64), np.empty(n, dtype=np.int32)
    weights = np.ones(n, dtype=np.int64)
    for i in range(columns.shape[0]):
        for t in range(n):
            values[t] = columns[i, order[i, t]]
            sorted_labels[t] = labels[order[i, t]]
        n_cuts[i] = mdl_cuts_of_one(values, sorted_labels, weights, n_classes, f, unit, by_values, max_depth, cuts[i])


@compiled
def sparse_mdl_cuts(
    data, rows, indptr, order, columns, labels, class_counts, f, unit, by_values, max_depth, cuts, n_cuts
):
    """Cuts of the given columns of a CSC matrix; the zeros of a column enter as one entry for each class.

    ``order`` sorts the stored entries of each column by value. The cuts of column i start at
    ``cuts[indptr[i]]``: m stored values and zero have at most m cuts between them.
    """
    n_classes = class_counts.shape[0]
    zeros = np.empty(n_classes, dtype=np.int64)
    for position in range(columns.shape[0]):
        begin, end = indptr[columns[position]], indptr[columns[position] + 1]
        room = end - begin + n_classes
        values, entry_labels = np.empty(room, dtype=np.float64), np.empty(room, dtype=np.int32)
        weights = np.ones(room, dtype=np.int64)
        for c in range(n_classes):
            zeros[c] = class_counts[c]
        for t in range(begin, end):
            zeros[labels[rows[t]]] -= 1
        size, zeros_placed = 0, False
        for t in range(begin, end + 1):
            if not zeros_placed and (t == end or data[order[t]] >= 0.0):
                zeros_placed = True
                for c in range(n_classes):
                    if zeros[c] > 0:
                        values[size], entry_labels[size], weights[size] = 0.0, c, zeros[c]
                        size += 1
            if t < end:
                values[size], entry_labels[size] = data[order[t]], labels[rows[order[t]]]
                size += 1
        values, entry_labels = values[:size], entry_labels[:size]
        n_cuts[position] = mdl_cuts_of_one(
            values, entry_labels, weights, n_classes, f, unit, by_values, max_depth, cuts[begin:end]
        )  # fmt: skip


@compiled_step
def bin_of(value, cuts):
    """Number of (sorted) cuts below the value."""
    low, high = 0, cuts.shape[0]
    while low < high:
        middle = (low + high) // 2
        if cuts[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def dense_bins(columns, cuts, starts, out):
    """Bin of every value of each feature (row of ``columns``)."""
    for i in range(columns.shape[0]):
        of_feature = cuts[starts[i] : starts[i + 1]]
        for t in range(columns.shape[1]):
            out[i, t] = bin_of(columns[i, t], of_feature)


@compiled
def sparse_bins(data, indptr, columns, cuts, n_cuts, codes):
    """Codes of the stored values of the given columns of a CSC matrix: 0 in the bin of zero, the rest after it."""
    for position in range(columns.shape[0]):
        begin, end = indptr[columns[position]], indptr[columns[position] + 1]
        of_feature = cuts[begin : begin + n_cuts[position]]
        zero = bin_of(0.0, of_feature)
        for t in range(begin, end):
            bin_ = bin_of(data[t], of_feature)
            codes[t] = 0 if bin_ == zero else bin_ + (bin_ < zero)
