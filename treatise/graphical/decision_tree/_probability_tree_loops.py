"""Growing one probability tree on bit-packed columns."""

import numpy as np

from treatise._core.jit import compiled
from treatise.statistics._counts_loops import popcount

_SLACK = 1e-9
"""A gain below this is rounding."""


@compiled
def grow_tree(columns, target, n_rows, min_leaf, least_gain):
    """LEARNTREE (Algorithm 2) for one column: splits of the largest gain in log-likelihood, depth first.

    A node keeps only the words of 64 rows in which it has a row, so that deep nodes are cheap.

    Parameters
    ----------
    columns : ndarray of uint64 of shape (p, words)
        Rows as bits; bits beyond the last row are zero.
    target : int
        Column to explain.
    n_rows, min_leaf : int
        Rows of the table; least rows of a child.
    least_gain : float
        A split must gain more.

    Returns
    -------
    variable, when_true, when_false : ndarray of int64
        Tested column (-1 in a leaf) and the children.
    counts : ndarray of int64 of shape (nodes, 2)
        Rows with target 0 and 1.
    gain : ndarray of float64
        Gain of the split; zero in a leaf.
    """
    p, words = columns.shape
    xlogx = np.zeros(n_rows + 1)
    for k in range(2, n_rows + 1):
        xlogx[k] = k * np.log(k)
    most = 2 * (n_rows // min_leaf) + 3
    variable = np.full(most, -1, dtype=np.int64)
    when_true = np.full(most, -1, dtype=np.int64)
    when_false = np.full(most, -1, dtype=np.int64)
    counts = np.zeros((most, 2), dtype=np.int64)
    gain = np.zeros(most)

    # The open nodes lie one behind the other in one buffer; the last one is split next.
    where = np.empty(4 * words, dtype=np.int64)
    mask = np.empty(4 * words, dtype=np.uint64)
    open_node = np.empty(most, dtype=np.int64)
    open_start = np.empty(most + 1, dtype=np.int64)
    own_where = np.empty(words, dtype=np.int64)
    own_mask = np.empty(words, dtype=np.uint64)
    for w in range(words):
        where[w] = w
        left = n_rows - 64 * w
        mask[w] = ~np.uint64(0) if left >= 64 else (np.uint64(1) << np.uint64(left)) - np.uint64(1)
    open_node[0], open_start[0], open_start[1] = 0, 0, words
    n_open, n_nodes = 1, 1
    while n_open > 0:
        n_open -= 1
        node, start = open_node[n_open], open_start[n_open]
        length = open_start[n_open + 1] - start
        rows, ones = 0, 0
        for k in range(length):
            own_where[k], own_mask[k] = where[start + k], mask[start + k]
            rows += np.int64(popcount(own_mask[k]))
            ones += np.int64(popcount(own_mask[k] & columns[target, own_where[k]]))
        counts[node, 0], counts[node, 1] = rows - ones, ones
        if rows < 2 * min_leaf or ones == 0 or ones == rows:
            continue
        here = xlogx[ones] + xlogx[rows - ones] - xlogx[rows]
        best, chosen = max(least_gain, _SLACK), -1
        for j in range(p):
            if j == target:
                continue
            true_rows, true_ones = 0, 0
            for k in range(length):
                matched = own_mask[k] & columns[j, own_where[k]]
                true_rows += np.int64(popcount(matched))
                true_ones += np.int64(popcount(matched & columns[target, own_where[k]]))
            false_rows, false_ones = rows - true_rows, ones - true_ones
            if true_rows < min_leaf or false_rows < min_leaf:
                continue
            with_split = xlogx[true_ones] + xlogx[true_rows - true_ones] - xlogx[true_rows]
            with_split += xlogx[false_ones] + xlogx[false_rows - false_ones] - xlogx[false_rows]
            if with_split - here > best:
                best, chosen = with_split - here, j
        if chosen < 0:
            continue
        variable[node], gain[node] = chosen, best
        when_true[node], when_false[node] = n_nodes, n_nodes + 1
        n_nodes += 2
        if start + 2 * length > len(where):
            larger_where = np.empty(2 * len(where) + 2 * length, dtype=np.int64)
            larger_mask = np.empty(2 * len(mask) + 2 * length, dtype=np.uint64)
            for k in range(start):
                larger_where[k], larger_mask[k] = where[k], mask[k]
            where, mask = larger_where, larger_mask
        end = start
        for branch in range(2):
            open_node[n_open], open_start[n_open] = when_false[node] if branch == 0 else when_true[node], end
            for k in range(length):
                column = columns[chosen, own_where[k]]
                part = own_mask[k] & (~column if branch == 0 else column)
                if part != 0:
                    where[end], mask[end] = own_where[k], part
                    end += 1
            n_open += 1
        open_start[n_open] = end
    return variable[:n_nodes], when_true[:n_nodes], when_false[:n_nodes], counts[:n_nodes], gain[:n_nodes]


@compiled
def leaves_of_rows(X, variable, when_true, when_false, gain, least_gain):
    """Node where each row ends, in the tree cut back to the splits that gain more than ``least_gain``."""
    leaves = np.empty(len(X), dtype=np.int64)
    for r in range(len(X)):
        node = 0
        while variable[node] >= 0 and gain[node] > least_gain:
            node = when_true[node] if X[r, variable[node]] else when_false[node]
        leaves[r] = node
    return leaves
