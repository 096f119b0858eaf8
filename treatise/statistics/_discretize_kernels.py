"""Entropy-minimising cuts of one feature, accepted by description length (Fayyad and Irani, 1993)."""

import math

import numpy as np

from treatise._core.jit import kernel


@kernel
def best_cut(values, labels, weights, begin, end, left, right, f):
    """The cut of sorted entries ``begin:end`` with the least class entropy on its two sides.

    Returns the first entry right of the cut (``begin`` where all values are equal) and the sum over both
    sides of rows times entropy, in the units of ``f``. ``left`` and ``right`` are scratch, one cell a class.
    Moving an entry across changes one class on each side: O(1), and exact, since ``f`` is in integers.
    """
    left[:] = 0
    right[:] = 0
    n = np.int64(0)
    for e in range(begin, end):
        right[labels[e]] += weights[e]
        n += weights[e]
    left_sum = np.int64(0)
    right_sum = np.int64(0)
    for c in range(right.shape[0]):
        right_sum += f[right[c]]
    best, at = np.int64(0), begin
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
            if at == begin or entropy < best:
                best, at = entropy, e + 1
    return at, best


@kernel
def class_summary(labels, weights, begin, end, counts, f):
    """Rows, classes present, and rows times entropy (in the units of ``f``) of entries ``begin:end``."""
    counts[:] = 0
    n = np.int64(0)
    for e in range(begin, end):
        counts[labels[e]] += weights[e]
        n += weights[e]
    present, total = 0, np.int64(0)
    for c in range(counts.shape[0]):
        total += f[counts[c]]
        present += counts[c] > 0
    return n, present, f[n] - total


@kernel
def mdl_cuts_of_one(values, labels, weights, n_classes, f, unit, max_depth, cuts):
    """Cuts of one feature from its sorted entries; writes them to ``cuts``, returns their number.

    A cut of S into S1 and S2 stands when it pays for its own description:
    n Gain > log2(n - 1) + log2(3^k - 2) - (k H(S) - k1 H(S1) - k2 H(S2)).
    """
    left, right = np.zeros(n_classes, dtype=np.int64), np.zeros(n_classes, dtype=np.int64)
    begins, ends, depths = [0], [len(values)], [0]
    found = 0
    while len(begins) > 0:
        begin, end, depth = begins.pop(), ends.pop(), depths.pop()
        if depth == max_depth:
            continue
        n, k, whole = class_summary(labels, weights, begin, end, left, f)
        if k < 2:
            continue
        at, best = best_cut(values, labels, weights, begin, end, left, right, f)
        if at == begin:
            continue
        n1, k1, entropy1 = class_summary(labels, weights, begin, at, left, f)
        n2, k2, entropy2 = class_summary(labels, weights, at, end, left, f)
        # log2(3^k - 2) without overflow for hundreds of classes.
        classes = k * math.log2(3.0) + math.log1p(-2.0 * 3.0**-k) / math.log(2.0)
        delta = classes - unit * (k * whole / n - k1 * entropy1 / n1 - k2 * entropy2 / n2)
        if unit * (whole - best) > math.log2(n - 1.0) + delta:
            low, high = values[at - 1], values[at]
            middle = low + (high - low) / 2
            # Between neighbouring floats the midpoint may round up to the right one.
            cuts[found] = middle if middle < high else low
            found += 1
            begins.append(begin)
            ends.append(at)
            depths.append(depth + 1)
            begins.append(at)
            ends.append(end)
            depths.append(depth + 1)
    cuts[:found] = np.sort(cuts[:found])
    return found


@kernel
def with_room(array, used, more):
    """The array, or a copy at least twice as long where ``more`` entries do not fit after ``used``."""
    if used + more <= array.shape[0]:
        return array
    longer = np.empty(max(2 * array.shape[0], used + more), dtype=array.dtype)
    longer[:used] = array[:used]
    return longer


@kernel
def dense_mdl_cuts(columns, order, labels, n_classes, f, unit, max_depth):
    """Cuts of every feature (row of ``columns``, sorted by ``order``): all in one array, and where each starts."""
    n_features, n = columns.shape
    starts = np.zeros(n_features + 1, dtype=np.int64)
    found = np.empty(n_features, dtype=np.float64)
    values, sorted_labels = np.empty(n, dtype=np.float64), np.empty(n, dtype=np.int32)
    weights, cuts = np.ones(n, dtype=np.int64), np.empty(n, dtype=np.float64)
    for i in range(n_features):
        for t in range(n):
            values[t] = columns[i, order[i, t]]
            sorted_labels[t] = labels[order[i, t]]
        count = mdl_cuts_of_one(values, sorted_labels, weights, n_classes, f, unit, max_depth, cuts)
        found = with_room(found, starts[i], count)
        found[starts[i] : starts[i] + count] = cuts[:count]
        starts[i + 1] = starts[i] + count
    return found[: starts[n_features]], starts


@kernel
def sparse_mdl_cuts(data, rows, indptr, columns, labels, class_counts, f, unit, max_depth):
    """Cuts of the given columns of a CSC matrix; the zeros of a column enter as one entry for each class."""
    n_classes = class_counts.shape[0]
    starts = np.zeros(columns.shape[0] + 1, dtype=np.int64)
    found = np.empty(columns.shape[0], dtype=np.float64)
    for position in range(columns.shape[0]):
        begin, end = indptr[columns[position]], indptr[columns[position] + 1]
        stored = end - begin
        values = np.zeros(stored + n_classes, dtype=np.float64)
        entry_labels = np.empty(stored + n_classes, dtype=np.int32)
        weights = np.ones(stored + n_classes, dtype=np.int64)
        weights[stored:] = class_counts
        for t in range(stored):
            values[t] = data[begin + t]
            entry_labels[t] = labels[rows[begin + t]]
            weights[stored + entry_labels[t]] -= 1
        for c in range(n_classes):
            entry_labels[stored + c] = c
        order = np.argsort(values)
        # An entry of weight zero would be a value that no row has.
        order = order[weights[order] > 0]
        cuts = np.empty(order.shape[0], dtype=np.float64)
        count = mdl_cuts_of_one(
            values[order], entry_labels[order], weights[order], n_classes, f, unit, max_depth, cuts
        )  # fmt: skip
        found = with_room(found, starts[position], count)
        found[starts[position] : starts[position] + count] = cuts[:count]
        starts[position + 1] = starts[position] + count
    return found[: starts[columns.shape[0]]], starts


@kernel
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


@kernel
def dense_bins(columns, cuts, starts, out):
    """Bin of every value of each feature (row of ``columns``)."""
    for i in range(columns.shape[0]):
        of_feature = cuts[starts[i] : starts[i + 1]]
        for t in range(columns.shape[1]):
            out[i, t] = bin_of(columns[i, t], of_feature)


@kernel
def sparse_bins(data, indptr, columns, cuts, starts, codes):
    """Codes of the stored values of the given columns of a CSC matrix: 0 in the bin of zero, the rest after it."""
    for position in range(columns.shape[0]):
        of_feature = cuts[starts[position] : starts[position + 1]]
        zero = bin_of(0.0, of_feature)
        for t in range(indptr[columns[position]], indptr[columns[position] + 1]):
            bin_ = bin_of(data[t], of_feature)
            codes[t] = 0 if bin_ == zero else bin_ + (bin_ < zero)
