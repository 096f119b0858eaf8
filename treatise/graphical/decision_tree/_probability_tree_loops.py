"""Growing one probability tree on bit-packed tests."""

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.statistics._counts_loops import popcount

_SLACK = 1e-9
"""A gain below this is rounding."""


@compiled
def grow_tree(columns, begin, end, n_values, n_rows, min_leaf, least_gain):
    """LEARNTREE (Algorithm 2) for one column: splits of the largest gain in log-likelihood, depth first.

    A node keeps only the words of 64 rows in which it has a row, so that deep nodes are cheap.

    Parameters
    ----------
    columns : ndarray of uint64 of shape (tests, words)
        Rows in which each test of a column for a value holds, as bits; bits beyond the last row are zero.
    begin, end : int
        The tests of the target, which are for its values in their order, the last ``n_values - 1`` of them at least.
    n_values : int
        Values of the target, two or more.
    n_rows, min_leaf : int
        Rows of the table; least rows of a child.
    least_gain : float
        A split must gain more.

    Returns
    -------
    test, when_true, when_false : ndarray of int64
        The test (-1 in a leaf) and the children.
    counts : ndarray of int64 of shape (nodes, n_values)
        Rows with each value of the target.
    gain : ndarray of float64
        Gain of the split; zero in a leaf.
    """
    words = columns.shape[1]
    xlogx = np.zeros(n_rows + 1)
    for k in range(2, n_rows + 1):
        xlogx[k] = k * np.log(k)
    most = 2 * (n_rows // min_leaf) + 3
    test = np.full(most, -1, dtype=np.int64)
    when_true = np.full(most, -1, dtype=np.int64)
    when_false = np.full(most, -1, dtype=np.int64)
    counts = np.zeros((most, n_values), dtype=np.int64)
    gain = np.zeros(most)
    with_test, without = np.empty(n_values, dtype=np.int64), np.empty(n_values, dtype=np.int64)

    # The open nodes lie one behind the other in one buffer; the last one is split next.
    where, mask = np.empty(4 * words, dtype=np.int64), np.empty(4 * words, dtype=np.uint64)
    open_node, open_start = np.empty(most, dtype=np.int64), np.empty(most + 1, dtype=np.int64)
    all_rows(n_rows, where, mask)
    open_node[0], open_start[0], open_start[1] = 0, 0, words
    n_open, n_nodes = 1, 1
    while n_open > 0:
        n_open -= 1
        node, start = open_node[n_open], open_start[n_open]
        own_where, own_mask = where[start : open_start[n_open + 1]].copy(), mask[start : open_start[n_open + 1]].copy()
        rows = count_values(columns, end, own_where, own_mask, counts[node])
        if rows < 2 * min_leaf or counts[node].max() == rows:
            continue
        chosen, best = best_split(
            columns, begin, end, own_where, own_mask, counts[node], min_leaf, least_gain, xlogx, with_test, without
        )
        if chosen < 0:
            continue
        test[node], gain[node] = chosen, best
        when_true[node], when_false[node] = n_nodes, n_nodes + 1
        n_nodes += 2
        if start + 2 * len(own_where) > len(where):
            where, mask = larger(where, start, len(own_where)), larger(mask, start, len(own_mask))
        middle = append_rows(columns[chosen], ~np.uint64(0), own_where, own_mask, where, mask, start)
        behind = append_rows(columns[chosen], np.uint64(0), own_where, own_mask, where, mask, middle)
        open_node[n_open], open_start[n_open] = when_false[node], start
        open_node[n_open + 1], open_start[n_open + 1] = when_true[node], middle
        n_open += 2
        open_start[n_open] = behind
    return test[:n_nodes], when_true[:n_nodes], when_false[:n_nodes], counts[:n_nodes], gain[:n_nodes]


@compiled_step
def all_rows(n_rows, where, mask):
    """The words of the root, with a bit for every row."""
    for w in range(-(-n_rows // 64)):
        where[w] = w
        left = n_rows - 64 * w
        mask[w] = ~np.uint64(0) if left >= 64 else (np.uint64(1) << np.uint64(left)) - np.uint64(1)


@compiled_step
def count_values(columns, end, where, mask, counts):
    """Rows of a node, those with each value of the target written to ``counts``."""
    rows = 0
    for k in range(len(where)):
        rows += np.int64(popcount(mask[k]))
    counts[0] = rows
    for v in range(1, len(counts)):
        column = columns[end - len(counts) + v]
        counts[v] = 0
        for k in range(len(where)):
            counts[v] += np.int64(popcount(mask[k] & column[where[k]]))
        counts[0] -= counts[v]
    return rows


@compiled_step
def best_split(columns, begin, end, where, mask, counts, min_leaf, least_gain, xlogx, with_test, without):
    """The test whose split of a node gains most in log-likelihood, or -1, and the gain."""
    here, rows = log_likelihood(counts, xlogx), counts.sum()
    best, chosen, first = max(least_gain, _SLACK), -1, end - len(counts) + 1
    for j in range(len(columns)):
        if begin <= j < end:
            continue
        true_rows, true_ones = 0, 0
        for k in range(len(where)):
            matched = mask[k] & columns[j, where[k]]
            true_rows += np.int64(popcount(matched))
            true_ones += np.int64(popcount(matched & columns[first, where[k]]))
        if true_rows < min_leaf or rows - true_rows < min_leaf:
            continue
        if len(counts) == 2:
            false_rows, false_ones = rows - true_rows, counts[1] - true_ones
            with_split = xlogx[true_ones] + xlogx[true_rows - true_ones] - xlogx[true_rows]
            with_split += xlogx[false_ones] + xlogx[false_rows - false_ones] - xlogx[false_rows]
        else:
            with_test[0], with_test[1] = true_rows - true_ones, true_ones
            count_more_values(columns, j, first, where, mask, with_test)
            for v in range(len(counts)):
                without[v] = counts[v] - with_test[v]
            with_split = log_likelihood(with_test, xlogx) + log_likelihood(without, xlogx)
        if with_split - here > best:
            best, chosen = with_split - here, j
    return chosen, best


@compiled_step
def count_more_values(columns, test, first, where, mask, counts):
    """Rows of a node in which a test holds with the values from 2 on, taken from those counted for value 0."""
    for v in range(2, len(counts)):
        counts[v] = 0
        for k in range(len(where)):
            counts[v] += np.int64(popcount(mask[k] & columns[test, where[k]] & columns[first + v - 1, where[k]]))
        counts[0] -= counts[v]


@compiled_step
def log_likelihood(counts, xlogx):
    """Log-likelihood of rows so counted under their own shares."""
    total, rows = 0.0, counts[0]
    for v in range(1, len(counts)):
        total += xlogx[counts[v]]
        rows += counts[v]
    return total + xlogx[counts[0]] - xlogx[rows]


@compiled_step
def append_rows(column, flipped, own_where, own_mask, where, mask, end):
    """Write behind ``end`` a node's words with rows that have a one in the column, or a zero if all bits are flipped.

    Gives the new end.
    """
    for k in range(len(own_where)):
        part = own_mask[k] & (column[own_where[k]] ^ flipped)
        if part != 0:
            where[end], mask[end] = own_where[k], part
            end += 1
    return end


@compiled_step
def larger(buffer, used, length):
    """A copy of what is used of a buffer, with room for two children of a node of ``length`` words and more."""
    grown = np.empty(2 * len(buffer) + 2 * length, dtype=buffer.dtype)
    for k in range(used):
        grown[k] = buffer[k]
    return grown


@compiled
def leaves_of_rows(X, variable, value, when_true, when_false, gain, least_gain):
    """Node where each row ends, in the tree cut back to the splits that gain more than ``least_gain``."""
    leaves = np.empty(len(X), dtype=np.int64)
    for r in range(len(X)):
        node = 0
        while variable[node] >= 0 and gain[node] > least_gain:
            node = when_true[node] if X[r, variable[node]] == value[node] else when_false[node]
        leaves[r] = node
    return leaves
