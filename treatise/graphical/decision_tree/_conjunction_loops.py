"""Log-odds of discrete columns under conjunctive features, and the pseudo-likelihood of their weights.

A feature counts for column i in a row where all its tests of *other* columns hold; it then adds its weight to the
scores of the values at which its test of column i holds. Only differences from the score of value 0 matter: there is
a *slot* of log-odds for every other value, and a test that holds at 0 subtracts its weight from the slots at which it
does not hold. So every test is a *mark*, a set of values without 0, in which the value lies or does not lie: columns
of bits say in which rows it lies. An *occurrence* is one test of one feature; occurrences are sorted by column.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.statistics._counts_loops import popcount

_ONE = np.uint64(1)


@compiled
def matching_word(columns, word, whole, begin, end, left_out, marks, inside):
    """Rows of a word in which the tests ``begin`` to ``end`` hold, but for test ``left_out``."""
    mask = whole
    for t in range(begin, end):
        if t != left_out:
            column = columns[marks[t], word]
            mask &= column if inside[t] else ~column
    return mask


@compiled
def word_of_rows(word, n_rows):
    """All rows of a word, bits beyond the last row zero."""
    left = n_rows - 64 * word
    return ~np.uint64(0) if left >= 64 else (_ONE << np.uint64(left)) - _ONE


@compiled
def active_rows(columns, n_rows, order, feature_of, indptr, marks, inside):
    """Rows in which each occurrence counts, as lists one behind the other."""
    words = columns.shape[1]
    starts = np.zeros(len(order) + 1, dtype=np.int64)
    for a in range(len(order)):
        t = order[a]
        f = feature_of[t]
        total = 0
        for word in range(words):
            whole = word_of_rows(word, n_rows)
            mask = matching_word(columns, word, whole, indptr[f], indptr[f + 1], t, marks, inside)
            total += np.int64(popcount(mask))
        starts[a + 1] = starts[a] + total
    rows = np.empty(starts[-1], dtype=np.int32)
    for a in range(len(order)):
        t = order[a]
        f = feature_of[t]
        at = starts[a]
        for word in range(words):
            whole = word_of_rows(word, n_rows)
            mask = matching_word(columns, word, whole, indptr[f], indptr[f + 1], t, marks, inside)
            while mask != 0:
                lowest = mask & (~mask + _ONE)
                rows[at] = 64 * word + np.int64(popcount(lowest - _ONE))
                at += 1
                mask ^= lowest
    return starts, rows


@compiled
def negative_pseudo_likelihood(
    weights, first, features, signs, slot_starts, slots, starts, rows, n_values, truth, counts, gradient
):
    """Minus the pseudo-log-likelihood (equation 2) of counted rows; its gradient is written to ``gradient``.

    Occurrences ``first[i]`` to ``first[i + 1]`` belong to column i; occurrence a adds to the slots
    ``slot_starts[a]`` to ``slot_starts[a + 1]``, counted from the first of its column. ``truth`` holds the columns as
    rows.
    """
    p, n = truth.shape
    loss = 0.0
    for f in range(len(weights)):
        gradient[f] = 0.0
    odds = np.empty((max(n_values.max() - 1, 1), n))
    for i in range(p):
        for s in range(n_values[i] - 1):
            for r in range(n):
                odds[s, r] = 0.0
        for a in range(first[i], first[i + 1]):
            weight = signs[a] * weights[features[a]]
            if weight != 0.0:
                for at in range(slot_starts[a], slot_starts[a + 1]):
                    own = odds[slots[at]]
                    for k in range(starts[a], starts[a + 1]):
                        own[rows[k]] += weight
        if n_values[i] == 2:
            loss = coin_slopes(loss, odds[0], truth[i], counts)
        elif n_values[i] > 2:
            loss = dice_slopes(loss, odds[: n_values[i] - 1], truth[i], counts)
        for a in range(first[i], first[i + 1]):
            slope = 0.0
            for at in range(slot_starts[a], slot_starts[a + 1]):
                own = odds[slots[at]]
                for k in range(starts[a], starts[a + 1]):
                    slope += own[rows[k]]
            gradient[features[a]] += signs[a] * slope
    return loss


@compiled_step
def coin_slopes(loss, odds, truth, counts):
    """The loss with that of a column of two values added; its slopes take the place of the log-odds."""
    for r in range(len(truth)):
        m = odds[r]
        small = np.exp(-abs(m))
        loss += counts[r] * (max(m, 0.0) + np.log1p(small) - truth[r] * m)
        probability = 1.0 / (1.0 + small) if m >= 0 else small / (1.0 + small)
        odds[r] = counts[r] * (probability - truth[r])
    return loss


@compiled_step
def dice_slopes(loss, odds, truth, counts):
    """The loss with that of a column of more values added; its slopes take the place of the log-odds."""
    for r in range(len(truth)):
        highest = 0.0
        for s in range(len(odds)):
            highest = max(highest, odds[s, r])
        if truth[r] > 0:
            loss -= counts[r] * odds[truth[r] - 1, r]
        total = np.exp(-highest)
        for s in range(len(odds)):
            odds[s, r] = np.exp(odds[s, r] - highest)
            total += odds[s, r]
        loss += counts[r] * (highest + np.log(total))
        for s in range(len(odds)):
            odds[s, r] = counts[r] * (odds[s, r] / total - (1.0 if truth[r] == s + 1 else 0.0))
    return loss


@compiled
def conditional_log_odds(columns, n_rows, n_slots, indptr, marks, inside, slot_starts, slots, weights):
    """Log-odds of every value against value 0 given all other columns, of shape (n_slots, n_rows)."""
    odds = np.zeros((n_slots, n_rows))
    for f in range(len(weights)):
        if weights[f] == 0.0:
            continue
        for t in range(indptr[f], indptr[f + 1]):
            for at in range(slot_starts[marks[t]], slot_starts[marks[t] + 1]):
                add_where_matching(
                    columns, n_rows, indptr[f], indptr[f + 1], t, marks, inside, weights[f], odds[slots[at]]
                )
    return odds


@compiled
def add_where_matching(columns, n_rows, begin, end, t, marks, inside, weight, odds):
    """Add the share of one occurrence to the log-odds of a slot of its mark."""
    share = weight if inside[t] else -weight
    for word in range(columns.shape[1]):
        mask = matching_word(columns, word, word_of_rows(word, n_rows), begin, end, t, marks, inside)
        while mask != 0:
            lowest = mask & (~mask + _ONE)
            odds[64 * word + np.int64(popcount(lowest - _ONE))] += share
            mask ^= lowest
