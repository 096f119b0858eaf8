"""Log-odds of binary columns under conjunctive features, and the pseudo-likelihood of their weights.

A feature counts for column i in a row where all its tests of *other* columns hold; it then adds its weight to the
log-odds of column i if it tests for 1, and subtracts it if it tests for 0. An *occurrence* is one test of one feature;
occurrences are sorted by column.
"""

import numpy as np

from treatise._core.jit import compiled
from treatise.statistics._counts_loops import popcount

_ONE = np.uint64(1)


@compiled
def matching_word(columns, word, whole, begin, end, left_out, variables, values):
    """Rows of a word in which the tests ``begin`` to ``end`` hold, but for test ``left_out``."""
    mask = whole
    for t in range(begin, end):
        if t != left_out:
            column = columns[variables[t], word]
            mask &= column if values[t] else ~column
    return mask


@compiled
def word_of_rows(word, n_rows):
    """All rows of a word, bits beyond the last row zero."""
    left = n_rows - 64 * word
    return ~np.uint64(0) if left >= 64 else (_ONE << np.uint64(left)) - _ONE


@compiled
def active_rows(columns, n_rows, order, feature_of, indptr, variables, values):
    """Rows in which each occurrence counts, as lists one behind the other."""
    words = columns.shape[1]
    starts = np.zeros(len(order) + 1, dtype=np.int64)
    for a in range(len(order)):
        t = order[a]
        f = feature_of[t]
        total = 0
        for word in range(words):
            whole = word_of_rows(word, n_rows)
            mask = matching_word(columns, word, whole, indptr[f], indptr[f + 1], t, variables, values)
            total += np.int64(popcount(mask))
        starts[a + 1] = starts[a] + total
    rows = np.empty(starts[-1], dtype=np.int32)
    for a in range(len(order)):
        t = order[a]
        f = feature_of[t]
        at = starts[a]
        for word in range(words):
            whole = word_of_rows(word, n_rows)
            mask = matching_word(columns, word, whole, indptr[f], indptr[f + 1], t, variables, values)
            while mask != 0:
                lowest = mask & (~mask + _ONE)
                rows[at] = 64 * word + np.int64(popcount(lowest - _ONE))
                at += 1
                mask ^= lowest
    return starts, rows


@compiled
def negative_pseudo_likelihood(weights, first, features, signs, starts, rows, truth, counts, gradient):
    """Minus the pseudo-log-likelihood (equation 2) of counted rows; its gradient is written to ``gradient``.

    Occurrences ``first[i]`` to ``first[i + 1]`` belong to column i; ``truth`` holds the columns as rows.
    """
    p, n = truth.shape
    loss = 0.0
    for f in range(len(weights)):
        gradient[f] = 0.0
    odds = np.empty(n)
    for i in range(p):
        for r in range(n):
            odds[r] = 0.0
        for a in range(first[i], first[i + 1]):
            weight = signs[a] * weights[features[a]]
            if weight != 0.0:
                for k in range(starts[a], starts[a + 1]):
                    odds[rows[k]] += weight
        for r in range(n):
            m = odds[r]
            small = np.exp(-abs(m))
            loss += counts[r] * (max(m, 0.0) + np.log1p(small) - truth[i, r] * m)
            probability = 1.0 / (1.0 + small) if m >= 0 else small / (1.0 + small)
            odds[r] = counts[r] * (probability - truth[i, r])
        for a in range(first[i], first[i + 1]):
            slope = 0.0
            for k in range(starts[a], starts[a + 1]):
                slope += odds[rows[k]]
            gradient[features[a]] += signs[a] * slope
    return loss


@compiled
def conditional_log_odds(columns, n_rows, indptr, variables, values, weights):
    """Log-odds of every column given all others, of shape (p, n_rows)."""
    odds = np.zeros((columns.shape[0], n_rows))
    for f in range(len(weights)):
        if weights[f] == 0.0:
            continue
        for t in range(indptr[f], indptr[f + 1]):
            add_where_matching(
                columns, n_rows, indptr[f], indptr[f + 1], t, variables, values, weights[f], odds[variables[t]]
            )
    return odds


@compiled
def add_where_matching(columns, n_rows, begin, end, t, variables, values, weight, odds):
    """Add the share of one occurrence to the log-odds of its column."""
    share = weight if values[t] else -weight
    for word in range(columns.shape[1]):
        mask = matching_word(columns, word, word_of_rows(word, n_rows), begin, end, t, variables, values)
        while mask != 0:
            lowest = mask & (~mask + _ONE)
            odds[64 * word + np.int64(popcount(lowest - _ONE))] += share
            mask ^= lowest
